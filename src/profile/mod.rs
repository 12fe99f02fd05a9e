//! What the data looks like under each candidate: logical partitions with their items and bytes.
//!
//! Knows nothing of the log and of physical partitions. A profile grows with distinct key values,
//! not with items, and profiles of parts of the data merge in any order to that of the whole.

mod candidate;
mod found;
mod in_order;
mod items;
mod logical;
pub(crate) mod parallel;
mod part;
mod sequence;
mod sizes;
mod sketch;
mod source;
mod stand;
mod sums;
mod table;

pub use candidate::{CandidateProfile, Collision};
pub use found::{FoundItem, FoundItems, Wanted};
pub use items::{ItemFacts, SharedIds};
pub use logical::{Given, LogicalPartition, LogicalPartitions};
pub use part::{PART_HEAD_BYTES, Part, PartError, PartFile, PartKey, PartSource, is_part};
pub use sequence::Numbered;
pub use sizes::{Sizes, sizes_of};
pub use source::SourceTypes;
pub use stand::Approximation;

use jiff::Timestamp;
use serde_json::Value;

use self::candidate::{Asked, CandidateProfiler, limits};
use self::items::TYPE_PROPERTIES;
use self::parallel::in_parallel;
use crate::ingest::{PropertyNames, item_bytes};
use crate::keys::{self, Candidate, LevelHashes, random_seed_of, random_seed_of_text};
use crate::model::time::{moment_of_number, moment_of_text};
use crate::model::{Field, Fields, Item, PropertyPath};

/// Of very many key values, how many of the heaviest are named unless more are asked for.
pub const NAMED_DEFAULT: usize = 10;

/// Bytes of memory that the values of all candidates take at most unless told otherwise: so that a report
/// does not depend on the machine.
pub const MEMORY_DEFAULT: u64 = 2 << 30;

/// The data under all candidates.
#[derive(Debug, Clone)]
pub struct Profile {
    candidates: Vec<CandidateProfile>,
    items: u64,
    bytes: u64,
    facts: ItemFacts,
}

/// How items are profiled.
#[derive(Debug, Clone)]
pub struct ProfileSettings {
    /// Draws the random suffixes.
    pub seed: u64,
    /// Bytes that each item takes beside its own.
    pub overhead_bytes: u64,
    /// Where the time of items stands; `None` for the time of the last write.
    pub time: Option<PropertyPath>,
    /// How many of the heaviest values of each candidate are named at least.
    pub named: usize,
    /// How many threads put the values in order in the end; 0 is one.
    pub threads: usize,
    /// Bytes of memory that the values of all candidates take at most, each an equal part. Where those of
    /// a candidate take more, a part of them is kept.
    pub memory: u64,
    /// Whether the texts of all values are kept, as the profile of a part needs them: a value that is there
    /// once may be so in other parts, too.
    pub keeps_texts: bool,
}

impl Default for ProfileSettings {
    fn default() -> Self {
        Self {
            seed: 1,
            overhead_bytes: 0,
            time: None,
            named: NAMED_DEFAULT,
            threads: 1,
            memory: MEMORY_DEFAULT,
            keeps_texts: false,
        }
    }
}

/// Profiles items under all candidates in one pass, on one of several threads.
#[derive(Debug)]
pub struct Profiler {
    candidates: Vec<CandidateProfiler>,
    items: u64,
    bytes: u64,
    facts: ItemFacts,
    seed: u64,
    overhead_bytes: u64,
    draws: bool,
    threads: usize,
    hashes: LevelHashes,
    keys: Vec<u64>,
    id: usize,
    time: usize,
    types: [usize; TYPE_PROPERTIES.len()],
}

/// Where the service writes the time of the last write of an item.
const WRITE_TIME: &str = "_ts";

/// The time that a field tells, in seconds since 1970.
fn time_of(field: Field) -> Option<i64> {
    let moment = match field {
        Field::Text(text) => moment_of_text(text),
        Field::Number(number) => moment_of_number(number),
        _ => None,
    };
    moment.map(Timestamp::as_second)
}

impl Profiler {
    /// Wants the fields of these candidates, and profiles items that have them.
    pub fn new(candidates: &[Candidate], settings: &ProfileSettings, fields: &mut Fields) -> Self {
        let draws = candidates
            .iter()
            .any(|candidate| candidate.strategy() == keys::Strategy::RandomSuffix);
        if draws {
            fields.want_whole_without_id();
        }
        let write_time = PropertyPath::of(WRITE_TIME);
        let memory = settings.memory / (candidates.len() as u64).max(1);
        Self {
            items: 0,
            bytes: 0,
            facts: ItemFacts::default(),
            seed: settings.seed,
            overhead_bytes: settings.overhead_bytes,
            draws,
            threads: settings.threads,
            hashes: LevelHashes::default(),
            keys: Vec::new(),
            id: fields.want(&PropertyPath::of("id")),
            time: fields.want(settings.time.as_ref().unwrap_or(&write_time)),
            types: TYPE_PROPERTIES.map(|name| fields.want(&PropertyPath::of(name))),
            candidates: candidates
                .iter()
                .map(|candidate| {
                    let limits = limits(candidate, settings.named, memory, settings.keeps_texts);
                    CandidateProfiler::new(candidate, fields, limits)
                })
                .collect(),
        }
    }

    /// Another one for another thread, to be merged in the end.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Self {
            candidates: self
                .candidates
                .iter()
                .map(CandidateProfiler::sibling)
                .collect(),
            items: 0,
            bytes: 0,
            facts: ItemFacts::default(),
            hashes: LevelHashes::default(),
            keys: Vec::new(),
            ..*self
        }
    }

    /// Adds an item that was read with the wanted fields.
    pub fn add(&mut self, item: &Item) {
        let fields = item.fields;
        let bytes = item.bytes + self.overhead_bytes;
        self.items += 1;
        self.bytes += bytes;
        let type_name = self.types.iter().find_map(|number| fields[*number].text());
        let asked = Asked {
            item,
            bytes,
            time: time_of(fields[self.time]),
            type_name: type_name.filter(|name| name.len() <= items::TYPE_BYTES_MAX),
            draw: self.draw(item),
        };
        self.hashes.next_item(fields.len());
        self.keys.clear();
        for candidate in &mut self.candidates {
            self.keys.push(candidate.add(asked, &mut self.hashes));
        }
        self.facts
            .add(fields[self.id], item.bytes, asked.type_name, &self.keys);
    }

    /// The number from which the random suffixes of an item are drawn.
    fn draw(&self, item: &Item) -> u64 {
        match (item.fields[self.id], item.whole) {
            _ if !self.draws => 0,
            (Field::Text(id), _) => random_seed_of_text(id, self.seed),
            (_, Some(whole)) => random_seed_of(whole, self.seed),
            (_, None) => 0,
        }
    }

    /// Adds what another one profiled, of the same candidates with the same settings.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.items += other.items;
        self.bytes += other.bytes;
        self.facts.merge(other.facts);
        for (mine, theirs) in self.candidates.iter_mut().zip(other.candidates) {
            mine.merge(theirs);
        }
        self
    }

    /// The profile of all items, whose properties have these names.
    pub fn finish(mut self, names: PropertyNames) -> Profile {
        self.facts.names = names;
        self.candidates
            .iter_mut()
            .for_each(CandidateProfiler::flush);
        Profile {
            candidates: in_parallel(&self.candidates, self.threads, CandidateProfiler::finished),
            items: self.items,
            bytes: self.bytes,
            facts: self.facts,
        }
    }
}

impl Profile {
    /// The profile of whole items with their own sizes.
    pub fn of<'a>(
        candidates: &[Candidate],
        settings: &ProfileSettings,
        items: impl IntoIterator<Item = &'a Value>,
    ) -> Self {
        let sized = items.into_iter().map(|item| (item, item_bytes(item)));
        Self::of_sized(candidates, settings, sized)
    }

    /// The profile of whole items of these sizes in bytes.
    pub fn of_sized<'a>(
        candidates: &[Candidate],
        settings: &ProfileSettings,
        items: impl IntoIterator<Item = (&'a Value, u64)>,
    ) -> Self {
        let mut fields = Fields::default();
        let mut profiler = Profiler::new(candidates, settings, &mut fields);
        let mut names = PropertyNames::default();
        for (item, bytes) in items {
            names.add(item);
            profiler.add_whole(item, bytes, &fields);
        }
        profiler.finish(names)
    }

    /// Number of items.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Sum of the sizes of the items, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the items are like whatever the key.
    pub fn facts(&self) -> &ItemFacts {
        &self.facts
    }

    /// The data under each candidate, in the order in which they were given.
    pub fn candidates(&self) -> &[CandidateProfile] {
        &self.candidates
    }
}

impl Profiler {
    /// Adds a whole item of this size in bytes.
    pub fn add_whole(&mut self, item: &Value, bytes: u64, fields: &Fields) {
        let values = fields.of(item);
        self.add(&Item {
            fields: &values,
            bytes,
            whole: Some(item),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::KeyVersion;
    use proptest::prelude::*;
    use serde_json::json;

    const KEYS: [&str; 6] = [
        "/a",
        "/a,/b",
        "/a,/b,/id",
        "{/a}-{/b}",
        "{/a}.{#3}",
        "{/a}.{/b%4}",
    ];

    fn candidates() -> Vec<Candidate> {
        KEYS.iter()
            .map(|key| Candidate::parse(key, KeyVersion::V2).expect(key))
            .collect()
    }

    fn of(items: &[(Value, u64)]) -> Profile {
        let items = items.iter().map(|(item, bytes)| (item, *bytes));
        Profile::of_sized(&candidates(), &ProfileSettings::default(), items)
    }

    /// The profile of parts, each read by one of its own or by a sibling.
    fn merged(parts: [&[(Value, u64)]; 2], siblings: bool) -> Profile {
        let mut fields = Fields::default();
        let settings = ProfileSettings::default();
        let mut first = Profiler::new(&candidates(), &settings, &mut fields);
        let mut second = if siblings {
            first.sibling()
        } else {
            Profiler::new(&candidates(), &settings, &mut Fields::default())
        };
        for (profiler, part) in [(&mut first, parts[0]), (&mut second, parts[1])] {
            for (item, bytes) in part {
                profiler.add_whole(item, *bytes, &fields);
            }
        }
        first.merge(second).finish(PropertyNames::default())
    }

    /// The profile of parts that were written and read.
    fn put_together(parts: [&[(Value, u64)]; 2]) -> Profile {
        let keeping = ProfileSettings {
            keeps_texts: true,
            ..ProfileSettings::default()
        };
        let settings = ProfileSettings::default();
        let mut found = FoundItems::new(std::sync::Arc::default());
        let mut all = Profiler::new(&candidates(), &settings, &mut Fields::default());
        for part in parts {
            let mut fields = Fields::default();
            let mut profiler = Profiler::new(&candidates(), &keeping, &mut fields);
            for (item, bytes) in part {
                profiler.add_whole(item, *bytes, &fields);
            }
            let keys = candidates().into_iter().map(|candidate| PartKey {
                candidate,
                reason: None,
                is_compared: true,
            });
            let source = PartSource::default();
            let part = Part::new(profiler, &keeping, keys.collect(), source, &found);
            let mut bytes = Vec::new();
            part.write(&mut bytes).expect("written");
            let part = Part::read(&*bytes).expect("read");
            let added = all.add_part(part, &settings, false, &mut found);
            added.expect("added");
        }
        all.finish(PropertyNames::default())
    }

    /// All that a profile says, in a form to compare.
    fn content(profile: &Profile) -> Vec<String> {
        let candidates = profile.candidates().iter();
        candidates
            .map(|candidate| {
                let logical = candidate.logical_partitions().iter();
                let all: Vec<_> = logical
                    .map(|one| {
                        (
                            one.epk(),
                            one.value(),
                            one.items,
                            one.bytes,
                            one.squared_bytes,
                            one.times,
                        )
                    })
                    .collect();
                format!(
                    "{all:?} {} {:?} {:?} {:?} {:?}",
                    profile.items(),
                    profile.facts().shared_ids(0),
                    candidate.level_counts(),
                    candidate.sources(),
                    candidate.collisions(),
                )
            })
            .collect()
    }

    fn items() -> impl Strategy<Value = Vec<(Value, u64)>> {
        let value = prop_oneof![
            Just(json!(null)),
            (0..4_u8).prop_map(|n| json!(n)),
            "[xy]{0,2}".prop_map(|text| json!(text)),
            Just(json!([]))
        ];
        let item =
            (value.clone(), value, 0..40_u32, any::<bool>()).prop_map(|(a, b, id, whole)| {
                if whole {
                    json!({"id": id.to_string(), "a": a, "b": b})
                } else {
                    json!({"b": b})
                }
            });
        proptest::collection::vec((item, 0..5000_u64), 0..40)
    }

    proptest! {
        #[test]
        fn items_and_bytes_are_conserved(items in items()) {
            let profile = of(&items);
            for candidate in profile.candidates() {
                let partitions = candidate.logical_partitions();
                prop_assert_eq!(partitions.iter().map(|one| one.items).sum::<u64>(), items.len() as u64);
                prop_assert_eq!(partitions.iter().map(|one| one.bytes).sum::<u64>(), items.iter().map(|one| one.1).sum::<u64>());
            }
        }

        #[test]
        fn order_and_parts_change_nothing(items in items(), cut in 0.0..1.0_f64) {
            let whole = content(&of(&items));
            let (first, second) = items.split_at((items.len() as f64 * cut) as usize);
            for siblings in [true, false] {
                prop_assert_eq!(&content(&merged([first, second], siblings)), &whole);
                prop_assert_eq!(&content(&merged([second, first], siblings)), &whole);
            }
            prop_assert_eq!(&content(&put_together([first, second])), &whole);
            let reversed: Vec<_> = items.iter().rev().cloned().collect();
            prop_assert_eq!(&content(&of(&reversed)), &whole);
        }

        #[test]
        fn a_deeper_hierarchy_never_enlarges_the_largest_logical_partition(items in items()) {
            let profile = of(&items);
            let largest = |index: usize| profile.candidates()[index].logical_partitions().iter().map(|one| one.bytes).max().unwrap_or(0);
            prop_assert!(largest(0) >= largest(1) && largest(1) >= largest(2));
        }

        #[test]
        fn distinct_values_are_those_of_an_obvious_count(items in items()) {
            let profile = of(&items);
            let text = |item: &Value, name: &str| match item.get(name) {
                None | Some(Value::Array(_)) => "undefined".to_owned(),
                Some(value) => value.to_string(),
            };
            let singles: std::collections::BTreeSet<_> = items.iter().map(|(item, _)| text(item, "a")).collect();
            let pairs: std::collections::BTreeSet<_> = items.iter().map(|(item, _)| (text(item, "a"), text(item, "b"))).collect();
            prop_assert_eq!(profile.candidates()[0].level_counts(), vec![singles.len() as u64]);
            prop_assert_eq!(profile.candidates()[1].level_counts(), vec![singles.len() as u64, pairs.len() as u64]);
        }
    }
}
