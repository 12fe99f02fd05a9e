//! From a condition on properties to the key values of a candidate that it leaves.
//!
//! A hash keeps no order, so only finite sets of values narrow anything. The condition becomes a
//! union of *boxes*, each with a finite set for some of the candidate's properties; each box becomes
//! whole key values, prefixes of a hierarchy, or everything.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Level, Part};
use super::text;
use super::value::precomputed;
use crate::model::{KeyComponent, KeyKind, KeyValue, Predicate, PropertyPath};

/// Above this many key values an operation counts as cross-partition, unless a setting says otherwise.
pub const VALUES_MAX_DEFAULT: usize = 1000;

/// The key values of a candidate that a condition leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySelection {
    /// None: the condition contradicts itself.
    Nothing,
    /// These: whole values, or prefixes of a hierarchy; none is a prefix of another.
    Keys(BTreeSet<KeyValue>),
    /// Any: the condition fixes nothing that the key starts with.
    Everything,
    /// More key values than the limit, which counts as any.
    TooMany,
}

/// For each property of the candidate the values allowed; `None` where any is.
type KeyBox = Vec<Option<BTreeSet<KeyComponent>>>;

impl Candidate {
    /// The key values that a condition leaves, at most `limit` of them.
    ///
    /// A synthetic level is known when every part is: a random suffix stands for all its numbers; a
    /// precomputed one for one number where its property is fixed and for all otherwise.
    pub fn select(&self, condition: &Predicate, limit: usize) -> KeySelection {
        let sources = self.sources();
        let Some(boxes) = boxes(condition, &sources, limit) else {
            return KeySelection::TooMany;
        };
        if boxes.is_empty() {
            return KeySelection::Nothing;
        }
        let mut keys = BTreeSet::new();
        for one in &boxes {
            match self.keys_in(one, &sources, limit) {
                KeySelection::Keys(more) => keys.extend(more),
                KeySelection::Nothing => {}
                other => return other,
            }
            if keys.len() > limit {
                return KeySelection::TooMany;
            }
        }
        // In order a prefix stands before what it covers.
        let mut kept: BTreeSet<KeyValue> = BTreeSet::new();
        for key in keys {
            if !kept.last().is_some_and(|last| key.0.starts_with(&last.0)) {
                kept.insert(key);
            }
        }
        KeySelection::Keys(kept)
    }

    fn keys_in(&self, one: &KeyBox, sources: &[&PropertyPath], limit: usize) -> KeySelection {
        let allowed = |path: &PropertyPath| {
            sources
                .iter()
                .position(|source| *source == path)
                .and_then(|index| one[index].as_ref())
        };
        let mut tuples = vec![Vec::new()];
        let mut levels = 0;
        for level in &self.levels {
            let values = match level_values(level, allowed, limit) {
                Ok(Some(values)) => values,
                Ok(None) => break,
                Err(TooMany) => return KeySelection::TooMany,
            };
            if tuples.len().saturating_mul(values.len()) > limit {
                return KeySelection::TooMany;
            }
            tuples = product(&tuples, &values.into_iter().collect::<Vec<_>>());
            levels += 1;
        }
        // A key that is hashed as one needs all of it.
        if levels == 0 || (self.kind == KeyKind::Hash && levels < self.levels.len()) {
            return KeySelection::Everything;
        }
        KeySelection::Keys(tuples.into_iter().map(KeyValue).collect())
    }
}

/// Each tuple with each value behind it.
fn product<T: Clone>(tuples: &[Vec<T>], values: &[T]) -> Vec<Vec<T>> {
    let with = |tuple: &Vec<T>, value: &T| tuple.iter().chain([value]).cloned().collect();
    tuples
        .iter()
        .flat_map(|tuple| values.iter().map(move |value| with(tuple, value)))
        .collect()
}

/// There are more values than the limit.
struct TooMany;

/// The values of one level; `None` where any is possible.
fn level_values<'a>(
    level: &Level,
    allowed: impl Fn(&PropertyPath) -> Option<&'a BTreeSet<KeyComponent>>,
    limit: usize,
) -> Result<Option<BTreeSet<KeyComponent>>, TooMany> {
    let parts = match level {
        Level::Path(path) => return Ok(allowed(path).cloned()),
        Level::Template(parts) => parts,
    };
    // Properties that stand several times in one template take the same value in each place.
    let mut sources: Vec<&PropertyPath> = Vec::new();
    for part in parts {
        if let Part::Value(path, _) | Part::PrecomputedSuffix(path, _) = part
            && !sources.contains(&path)
        {
            sources.push(path);
        }
    }
    let mut choices = vec![Vec::new()];
    for path in &sources {
        let values: Vec<Option<KeyComponent>> = match allowed(path) {
            Some(values) => values.iter().cloned().map(Some).collect(),
            None if parts
                .iter()
                .any(|part| matches!(part, Part::Value(value, _) if value == *path)) =>
            {
                return Ok(None);
            }
            None => vec![None],
        };
        if choices.len().saturating_mul(values.len()) > limit {
            return Err(TooMany);
        }
        choices = product(&choices, &values);
    }
    let mut texts = BTreeSet::new();
    for choice in &choices {
        let value_of = |path: &PropertyPath| {
            sources
                .iter()
                .position(|source| *source == path)
                .and_then(|index| choice[index].as_ref())
        };
        let mut spelled = vec![String::new()];
        for part in parts {
            let Some(next) = part_texts(part, value_of, limit) else {
                return Err(TooMany);
            };
            if spelled.len().saturating_mul(next.len()) > limit {
                return Err(TooMany);
            }
            spelled = spelled
                .iter()
                .flat_map(|start| next.iter().map(move |text| format!("{start}{text}")))
                .collect();
        }
        texts.extend(
            spelled
                .into_iter()
                .map(|text| KeyComponent::String(text.into())),
        );
        if texts.len() > limit {
            return Err(TooMany);
        }
    }
    Ok(Some(texts))
}

/// The texts that a part can make; `None` where they are too many. What makes no text is empty, as
/// in the key of an item.
fn part_texts<'a>(
    part: &Part,
    value_of: impl Fn(&PropertyPath) -> Option<&'a KeyComponent>,
    limit: usize,
) -> Option<Vec<String>> {
    let all = |count: u32| {
        (count as usize <= limit).then(|| (1..=count).map(|number| number.to_string()).collect())
    };
    match part {
        Part::Text(text) => Some(vec![text.clone()]),
        Part::Value(path, transform) => {
            let value = value_of(path)?;
            let text = transform.map_or_else(
                || text::plain(value),
                |transform| text::transformed(value, transform),
            );
            Some(vec![text.unwrap_or_default()])
        }
        Part::RandomSuffix(count) => all(*count),
        Part::PrecomputedSuffix(path, count) => match value_of(path) {
            Some(value) => Some(vec![
                text::plain(value)
                    .map(|text| precomputed(&text, *count).to_string())
                    .unwrap_or_default(),
            ]),
            None => all(*count),
        },
    }
}

/// The condition as a union of boxes over these properties; `None` where there are too many.
fn boxes(condition: &Predicate, sources: &[&PropertyPath], limit: usize) -> Option<Vec<KeyBox>> {
    let any = || vec![None; sources.len()];
    Some(match condition {
        Predicate::Any => vec![any()],
        Predicate::Nothing => Vec::new(),
        Predicate::In(path, values) => match sources.iter().position(|source| *source == path) {
            _ if values.is_empty() => Vec::new(),
            None => vec![any()],
            Some(index) => {
                let mut one = any();
                one[index] = Some(values.iter().cloned().collect());
                vec![one]
            }
        },
        Predicate::And(conditions) => {
            let mut met = vec![any()];
            for condition in conditions {
                let others = boxes(condition, sources, limit)?;
                if met.len().saturating_mul(others.len()) > limit {
                    return None;
                }
                met = met
                    .iter()
                    .flat_map(|one| others.iter().filter_map(move |other| meet(one, other)))
                    .collect();
            }
            met
        }
        Predicate::Or(conditions) => {
            let mut union = Vec::new();
            for condition in conditions {
                union.extend(boxes(condition, sources, limit)?);
                if union.len() > limit {
                    return None;
                }
            }
            union
        }
    })
}

/// What two boxes share; `None` where that is nothing.
fn meet(one: &KeyBox, other: &KeyBox) -> Option<KeyBox> {
    let shared = one.iter().zip(other).map(|pair| match pair {
        (None, set) | (set, None) => Some(set.clone()),
        // A value that is not known may be any of the others.
        (Some(known), Some(other)) if other.iter().any(KeyComponent::is_unbound) => {
            Some(Some(known.clone()))
        }
        (Some(other), Some(known)) if other.iter().any(KeyComponent::is_unbound) => {
            Some(Some(known.clone()))
        }
        (Some(a), Some(b)) => {
            let both: BTreeSet<_> = a.intersection(b).cloned().collect();
            (!both.is_empty()).then_some(Some(both))
        }
    });
    shared.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::KeyVersion;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn candidate(text: &str) -> Candidate {
        Candidate::parse(text, KeyVersion::V2).expect(text)
    }

    fn is_in(path: &str, values: &[Value]) -> Predicate {
        Predicate::In(
            PropertyPath::parse(path).expect(path),
            values.iter().map(KeyComponent::from_json).collect(),
        )
    }

    fn is(path: &str, value: Value) -> Predicate {
        is_in(path, &[value])
    }

    /// The selected keys in notation, or the word for another outcome.
    fn select(key: &str, condition: &Predicate) -> String {
        match candidate(key).select(condition, 100) {
            KeySelection::Keys(keys) => keys
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" "),
            KeySelection::Nothing => "nothing".to_owned(),
            KeySelection::Everything => "everything".to_owned(),
            KeySelection::TooMany => "too many".to_owned(),
        }
    }

    #[test]
    fn equalities_and_lists_on_the_key_are_its_values() {
        assert_eq!(select("/a", &is("/a", json!("x"))), "[\"x\"]");
        assert_eq!(
            select("/a", &is_in("/a", &[json!(2), json!(2.0), json!("2")])),
            "[2] [\"2\"]"
        );
        assert_eq!(select("/a", &is("/b", json!(1))), "everything");
        assert_eq!(
            select(
                "/a",
                &Predicate::And(vec![is("/a", json!(1)), is("/a", json!(2))])
            ),
            "nothing"
        );
        assert_eq!(
            select(
                "/a",
                &Predicate::Or(vec![is("/a", json!(1)), is("/b", json!(2))])
            ),
            "everything"
        );
        assert_eq!(select("/a", &is_in("/a", &[])), "nothing");
    }

    #[test]
    fn a_hierarchy_is_narrowed_by_its_leading_levels_only() {
        let both = Predicate::And(vec![is("/a", json!(1)), is_in("/b", &[json!(2), json!(3)])]);
        assert_eq!(select("/a,/b,/c", &both), "[1,2] [1,3]");
        assert_eq!(select("/a,/b", &is("/b", json!(2))), "everything");
        assert_eq!(
            select(
                "/a,/b,/c",
                &Predicate::And(vec![is("/a", json!(1)), is("/c", json!(2))])
            ),
            "[1]"
        );
        assert_eq!(
            select("/a,/b", &Predicate::Or(vec![both, is("/a", json!(1))])),
            "[1]"
        );
    }

    #[test]
    fn pairs_that_belong_together_are_not_crossed() {
        let pair = |a: i32, b: i32| Predicate::And(vec![is("/a", json!(a)), is("/b", json!(b))]);
        assert_eq!(
            select("/a,/b", &Predicate::Or(vec![pair(1, 2), pair(3, 4)])),
            "[1,2] [3,4]"
        );
    }

    #[test]
    fn a_synthetic_key_is_known_when_all_its_parts_are() {
        let both = Predicate::And(vec![
            is_in("/a", &[json!("x"), json!("y")]),
            is("/b", json!(1.50)),
        ]);
        assert_eq!(select("{/a}-{/b}", &both), "[\"x-1.5\"] [\"y-1.5\"]");
        assert_eq!(select("{/a}-{/b}", &is("/a", json!("x"))), "everything");
        assert_eq!(
            select("{/t|month}", &is("/t", json!("2013-07-08T09:00:00Z"))),
            "[\"2013-07\"]"
        );
    }

    #[test]
    fn a_suffix_costs_all_its_numbers_unless_it_can_be_computed() {
        assert_eq!(
            select("{/a}.{#3}", &is("/a", json!("x"))),
            "[\"x.1\"] [\"x.2\"] [\"x.3\"]"
        );
        assert_eq!(
            select("{/a}.{/b%3}", &is("/a", json!("x"))),
            "[\"x.1\"] [\"x.2\"] [\"x.3\"]"
        );
        let both = Predicate::And(vec![is("/a", json!("x")), is("/b", json!("a"))]);
        assert_eq!(select("{/a}.{/b%400}", &both), "[\"x.193\"]");
        assert_eq!(select("{/a}.{#101}", &is("/a", json!("x"))), "too many");
        assert_eq!(select("{/a}.{#3}", &is("/b", json!("x"))), "everything");
    }

    fn conditions() -> impl Strategy<Value = Predicate> {
        let leaf = prop_oneof![
            Just(Predicate::Any),
            Just(Predicate::Nothing),
            ("/[abc]", proptest::collection::vec(0..3_u8, 0..3)).prop_map(|(path, values)| is_in(
                &path,
                &values.into_iter().map(|n| json!(n)).collect::<Vec<_>>()
            )),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Predicate::And),
                proptest::collection::vec(inner, 0..3).prop_map(Predicate::Or),
            ]
        })
    }

    fn meets(condition: &Predicate, item: &Value) -> bool {
        match condition {
            Predicate::Any => true,
            Predicate::Nothing => false,
            Predicate::In(path, values) => {
                let value = super::super::value::property(item, path)
                    .map_or(KeyComponent::Undefined, KeyComponent::from_json);
                values.contains(&value)
            }
            Predicate::And(conditions) => conditions.iter().all(|one| meets(one, item)),
            Predicate::Or(conditions) => conditions.iter().any(|one| meets(one, item)),
        }
    }

    proptest! {
        /// The rule behind every count of partitions: no wanted item is ever missed.
        #[test]
        fn the_key_of_every_item_that_meets_the_condition_is_selected(condition in conditions(), a in 0..3_u8, b in 0..3_u8, c in 0..3_u8) {
            let item = json!({"a": a, "b": b, "c": c, "id": "1"});
            for key in ["/a", "/b,/a", "/a,/b,/c", "{/a}-{/c}", "{/b}.{#4}", "{/a}.{/c%5}", "{/c%2},{/a|first:1}"] {
                let candidate = candidate(key);
                let value = candidate.key_of(&item, 7).value;
                let selected = match candidate.select(&condition, 100) {
                    KeySelection::Nothing => false,
                    KeySelection::Keys(keys) => keys.iter().any(|key| value.0.starts_with(&key.0)),
                    KeySelection::Everything | KeySelection::TooMany => true,
                };
                prop_assert!(selected || !meets(&condition, &item), "{} of {}", key, item);
            }
        }
    }
}
