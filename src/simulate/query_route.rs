//! Where the service sends one query under a candidate, and why.

use super::class::Routing;
use crate::keys::{Candidate, KeySelection, Layout, Level, Part, fixed_paths, key_range};
use crate::model::{EpkRange, KeyKind, KeyValue, OptionsKey, Predicate, PropertyPath};

/// Why a query goes where it goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// The condition contradicts itself, or the query reads no item.
    Nothing,
    /// The options pass the whole key.
    Options,
    /// All properties of the key are fixed.
    WholeKey(Vec<PropertyPath>),
    /// The first levels are fixed, and then one is not.
    Prefix {
        /// The properties that are fixed.
        fixed: Vec<PropertyPath>,
        /// The first property that is not.
        missing: PropertyPath,
        /// The level it stands on, from 1.
        level: usize,
        /// Levels of the key.
        levels: usize,
    },
    /// A suffix is drawn at random, so all of its numbers are asked.
    RandomSuffix(u32),
    /// A suffix is computed from a property that is not fixed, so all of its numbers are asked.
    ComputedSuffix(u32, PropertyPath),
    /// A property that the key needs is not fixed.
    Missing(PropertyPath),
    /// The parts of the condition leave the key open, such as an `OR` with a free branch.
    Open,
    /// There are more key values than an application would ask for.
    TooMany(usize),
    /// A parameter of the key has no value.
    Unbound,
}

/// Where a query goes under a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRoute {
    /// How far it reaches.
    pub routing: Routing,
    /// The key values, or prefixes of a hierarchy, that it goes to; empty where it goes to all.
    pub keys: Vec<KeyValue>,
    /// Number of full key values; `None` for a prefix and for all.
    pub values: Option<u64>,
    /// The ranges of effective partition keys, in order; `None` where a value is not known.
    pub ranges: Option<Vec<EpkRange>>,
    /// How many key values it goes to at most, where they are not known.
    pub at_most: Option<u64>,
    /// Why.
    pub why: Why,
}

impl QueryRoute {
    /// Routes a condition, with the key that the options pass, under a candidate. Above `values_max`
    /// key values it counts as going to all.
    pub fn new(
        candidate: &Candidate,
        condition: &Predicate,
        options: &OptionsKey,
        values_max: usize,
    ) -> Self {
        if let Some(route) = Self::of_options(candidate, options) {
            return route;
        }
        let mut all = vec![condition.clone()];
        if let OptionsKey::Properties(values) = options {
            all.extend(
                values
                    .iter()
                    .map(|(path, value)| Predicate::In(path.clone(), vec![value.clone()])),
            );
        }
        let condition = Predicate::And(all);
        match candidate.select(&condition, values_max) {
            KeySelection::Nothing => Self {
                routing: Routing::None,
                keys: Vec::new(),
                values: Some(0),
                ranges: Some(vec![EpkRange {
                    max: crate::model::Epk::MIN,
                    max_inclusive: true,
                    ..everything()
                }]),
                at_most: None,
                why: Why::Nothing,
            },
            KeySelection::Everything => Self::to_all(missing(candidate, &condition)),
            KeySelection::TooMany => Self::to_all(Why::TooMany(values_max)),
            KeySelection::Unknown { values, whole } => Self {
                routing: if whole && values == 1 {
                    Routing::Single
                } else {
                    Routing::Targeted
                },
                keys: Vec::new(),
                // Several values that are not known may be fewer.
                values: (whole && values == 1).then_some(1),
                ranges: None,
                at_most: Some(values as u64),
                why: Why::Unbound,
            },
            KeySelection::Keys(keys) => {
                let why = why(candidate, &condition, keys.len());
                Self::to(candidate, keys.into_iter().collect(), why)
            }
        }
    }

    /// A key in the options, in the order of the levels, replaces what the text says.
    fn of_options(candidate: &Candidate, options: &OptionsKey) -> Option<Self> {
        let OptionsKey::Components(components) = options else {
            return None;
        };
        let whole = components.len() == candidate.levels.len();
        let prefix =
            candidate.kind == KeyKind::MultiHash && components.len() < candidate.levels.len();
        if components.is_empty() || !(whole || prefix) {
            return None;
        }
        Some(Self::to(
            candidate,
            vec![KeyValue(components.clone())],
            Why::Options,
        ))
    }

    fn to(candidate: &Candidate, keys: Vec<KeyValue>, why: Why) -> Self {
        let levels = candidate.levels.len();
        let whole = keys.iter().all(|key| key.0.len() == levels);
        let ranges = || {
            let range = |key: &KeyValue| key_range(key, candidate.kind, candidate.version, levels);
            let mut ranges: Vec<EpkRange> = keys.iter().map(range).collect();
            ranges.sort_by(|one, other| one.min.cmp(&other.min));
            ranges.dedup();
            ranges
        };
        Self {
            routing: if whole && keys.len() == 1 {
                Routing::Single
            } else {
                Routing::Targeted
            },
            values: whole.then_some(keys.len() as u64),
            ranges: Some(ranges()),
            at_most: None,
            why,
            keys,
        }
    }

    fn to_all(why: Why) -> Self {
        Self {
            routing: Routing::FanOut,
            keys: Vec::new(),
            values: None,
            ranges: Some(vec![everything()]),
            at_most: None,
            why,
        }
    }

    /// The physical partitions that it visits on a layout; `None` where a value is not known.
    ///
    /// What finds nothing is sent to the empty key: the first partition of a hashed key, and as the
    /// prefix of nothing all of a hierarchical one (as the .NET SDK does).
    pub fn partitions(&self, candidate: &Candidate, layout: &Layout) -> Option<Vec<usize>> {
        if self.routing == Routing::None {
            let all = candidate.kind == KeyKind::MultiHash;
            return Some((0..if all { layout.partition_count() } else { 1 }).collect());
        }
        let mut partitions: Vec<usize> = Vec::new();
        for range in self.ranges.as_ref()? {
            let (first, last) = (
                layout.partition_of(&range.min),
                layout.partition_of(&range.max),
            );
            partitions.extend(first..=last);
        }
        partitions.sort_unstable();
        partitions.dedup();
        Some(partitions)
    }

    /// How many physical partitions it visits on a layout; of values that are not known at most one
    /// each.
    pub fn visited(&self, candidate: &Candidate, layout: &Layout) -> u64 {
        self.partitions(candidate, layout).map_or_else(
            || {
                let count = layout.partition_count() as u64;
                self.at_most.map_or(count, |most| most.min(count))
            },
            |partitions| partitions.len() as u64,
        )
    }
}

fn everything() -> EpkRange {
    EpkRange {
        min: crate::model::Epk::MIN,
        max: crate::model::Epk::max(),
        min_inclusive: true,
        max_inclusive: false,
    }
}

/// The first property, by level, that a condition does not fix.
fn first_missing<'a>(
    candidate: &'a Candidate,
    fixed: &[&PropertyPath],
) -> Option<(usize, &'a PropertyPath)> {
    let levels = candidate.levels.iter().enumerate();
    levels
        .flat_map(|(index, level)| level.sources().into_iter().map(move |path| (index, path)))
        .find(|(_, path)| !fixed.contains(path))
}

fn missing(candidate: &Candidate, condition: &Predicate) -> Why {
    let fixed = fixed_paths(condition);
    first_missing(candidate, &fixed).map_or(Why::Open, |(_, path)| {
        let somewhere = has_values(condition, path);
        if somewhere {
            Why::Open
        } else {
            Why::Missing(path.clone())
        }
    })
}

/// Whether a condition gives values for a property, if only in a branch.
fn has_values(condition: &Predicate, path: &PropertyPath) -> bool {
    match condition {
        Predicate::In(other, _) | Predicate::Unknown(other, _) => other == path,
        Predicate::And(all) | Predicate::Or(all) => all.iter().any(|one| has_values(one, path)),
        Predicate::Any | Predicate::Nothing | Predicate::Range(..) => false,
    }
}

fn why(candidate: &Candidate, condition: &Predicate, count: usize) -> Why {
    let fixed = fixed_paths(condition);
    let parts = candidate.levels.iter().flat_map(|level| match level {
        Level::Template(parts) => &parts[..],
        Level::Path(_) => &[],
    });
    for part in parts {
        match part {
            Part::RandomSuffix(numbers) if count > 1 => return Why::RandomSuffix(*numbers),
            Part::PrecomputedSuffix(path, numbers) if !fixed.contains(&path) => {
                return Why::ComputedSuffix(*numbers, path.clone());
            }
            _ => {}
        }
    }
    let sources = candidate.sources();
    match first_missing(candidate, &fixed) {
        Some((level, missing)) if level > 0 && candidate.kind == KeyKind::MultiHash => {
            Why::Prefix {
                fixed: sources
                    .iter()
                    .filter(|path| fixed.contains(path))
                    .map(|path| (*path).clone())
                    .collect(),
                missing: missing.clone(),
                level: level + 1,
                levels: candidate.levels.len(),
            }
        }
        _ => Why::WholeKey(sources.into_iter().cloned().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{KeyComponent, KeyVersion};

    fn is(path: &str, value: KeyComponent) -> Predicate {
        Predicate::In(PropertyPath::of(path), vec![value])
    }

    fn route(key: &str, condition: &Predicate, options: &OptionsKey) -> (QueryRoute, Candidate) {
        let candidate = Candidate::parse(key, KeyVersion::V2).expect(key);
        (
            QueryRoute::new(&candidate, condition, options, 1000),
            candidate,
        )
    }

    fn text(value: &str) -> KeyComponent {
        KeyComponent::String(value.into())
    }

    #[test]
    fn a_gap_in_the_hierarchy_is_named() {
        let condition = Predicate::And(vec![is("a", text("x")), is("c", text("y"))]);
        let (route, _) = route("/a,/b,/c", &condition, &OptionsKey::None);
        assert_eq!((route.routing, route.values), (Routing::Targeted, None));
        let path = PropertyPath::of;
        assert_eq!(
            route.why,
            Why::Prefix {
                fixed: vec![path("a"), path("c")],
                missing: path("b"),
                level: 2,
                levels: 3
            }
        );
    }

    #[test]
    fn a_contradiction_visits_one_partition_of_a_hash_and_all_of_a_hierarchy() {
        let contradiction = || Predicate::And(vec![is("a", text("x")), is("a", text("y"))]);
        for (key, visited) in [("/a", 1), ("/a,/b", 4)] {
            let (route, candidate) = route(key, &contradiction(), &OptionsKey::None);
            let layout = Layout::equal(4, candidate.kind, candidate.version);
            assert_eq!(
                (route.routing, route.visited(&candidate, &layout)),
                (Routing::None, visited)
            );
        }
    }

    #[test]
    fn options_replace_what_the_text_says() {
        let options = OptionsKey::Components(vec![text("x")]);
        let (by_key, _) = route("/a", &is("a", text("y")), &options);
        assert_eq!(
            (by_key.routing, by_key.keys),
            (Routing::Single, vec![KeyValue(vec![text("x")])])
        );
        assert_eq!(
            route("/a,/b", &Predicate::Any, &options).0.routing,
            Routing::Targeted
        );
    }

    #[test]
    fn a_parameter_without_a_value_goes_to_one_partition_that_nobody_knows() {
        let (route, candidate) = route(
            "/a",
            &Predicate::Unknown(PropertyPath::of("a"), 1),
            &OptionsKey::None,
        );
        let layout = Layout::equal(4, candidate.kind, candidate.version);
        assert_eq!(
            (
                route.routing,
                &route.ranges,
                route.visited(&candidate, &layout)
            ),
            (Routing::Single, &None, 1)
        );
        assert_eq!(route.why, Why::Unbound);
    }
}
