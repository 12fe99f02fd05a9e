//! What the data looks like under each candidate: logical partitions with their items and bytes.
//!
//! Knows nothing of the log and of physical partitions. A profile grows with distinct key values,
//! not with items, and profiles of parts of the data merge in any order to that of the whole.

mod candidate;
mod found;
mod items;
mod names;
mod sizes;
mod source;

pub use candidate::{CandidateProfile, Collision, LogicalPartition};
pub use found::{FoundItem, FoundItems, Wanted};
pub use items::{ItemFacts, SharedIds};
pub use names::PropertyNames;
pub use sizes::{Sizes, sizes_of};
pub use source::SourceTypes;

use jiff::Timestamp;
use serde_json::Value;

use crate::keys::{Candidate, property, random_seed_of};
use crate::model::PropertyPath;
use crate::model::time::{moment_of_number, moment_of_text};

/// The data under all candidates, read in one pass.
#[derive(Debug, Clone)]
pub struct Profile {
    candidates: Vec<CandidateProfile>,
    items: u64,
    bytes: u64,
    facts: ItemFacts,
    seed: u64,
    overhead_bytes: u64,
    time: PropertyPath,
}

/// Where the service writes the time of the last write of an item.
const WRITE_TIME: &str = "_ts";

/// The time of an item in seconds since 1970, from where it stands.
fn time_of(item: &Value, path: &PropertyPath) -> Option<i64> {
    let moment = match property(item, path)? {
        Value::String(text) => moment_of_text(text),
        Value::Number(number) => moment_of_number(number.as_f64()?),
        _ => None,
    };
    moment.map(Timestamp::as_second)
}

impl Profile {
    /// An empty profile of these candidates; `seed` draws the random suffixes, and each item takes so
    /// many bytes more than its own.
    pub fn new(candidates: &[Candidate], seed: u64, overhead_bytes: u64) -> Self {
        let candidates = candidates
            .iter()
            .cloned()
            .map(CandidateProfile::new)
            .collect();
        Self {
            candidates,
            items: 0,
            bytes: 0,
            facts: ItemFacts::default(),
            seed,
            overhead_bytes,
            time: PropertyPath::of(WRITE_TIME),
        }
    }

    /// The same with the time of items in this property.
    #[must_use]
    pub fn with_time(mut self, path: PropertyPath) -> Self {
        self.time = path;
        self
    }

    /// Adds an item of this size in bytes, without the overhead.
    pub fn add(&mut self, item: &Value, item_bytes: u64) {
        let draw = random_seed_of(item, self.seed);
        let bytes = item_bytes + self.overhead_bytes;
        self.items += 1;
        self.bytes += bytes;
        let time = time_of(item, &self.time);
        let candidates = self.candidates.iter_mut();
        let keys: Vec<u64> = candidates
            .map(|one| one.add(item, bytes, time, draw))
            .collect();
        self.facts.add(item, item_bytes, &keys);
    }

    /// Adds the profile of another part of the data, made of the same candidates with the same seed.
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
        let mut profile = Profile::new(&candidates(), 1, 0);
        for (item, bytes) in items {
            profile.add(item, *bytes);
        }
        profile
    }

    /// All that a profile says, in a form to compare.
    fn content(profile: &Profile) -> Vec<String> {
        let candidates = profile.candidates().iter();
        candidates
            .map(|candidate| {
                format!(
                    "{:?} {:?} {:?}",
                    candidate.logical_partitions(),
                    candidate.level_counts(),
                    candidate.sources()
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
            prop_assert_eq!(&content(&of(first).merge(of(second))), &whole);
            prop_assert_eq!(&content(&of(second).merge(of(first))), &whole);
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
