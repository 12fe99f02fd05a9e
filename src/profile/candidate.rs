//! The data under one candidate.

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;
use serde_json::Value;

use super::items::{count, hash_of, type_of};
use super::source::SourceTypes;
use crate::keys::{Candidate, Level, Part, effective_key, property};
use crate::model::{Epk, KeyComponent, KeyKind, KeyValue, KeyVersion, PropertyPath};

/// The items that share one key value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogicalPartition {
    /// The effective partition key, which is what makes the partition one.
    pub epk: Epk,
    /// The key value; where version 1 makes several values one partition, the first in their order.
    pub value: KeyValue,
    /// Number of items.
    pub items: u64,
    /// Sum of the sizes of the items, in bytes.
    pub bytes: u64,
    /// Sum of the squares of the sizes; stays at the largest number where it would pass it.
    pub squared_bytes: u64,
    /// The time of the first and of the last item, in seconds since 1970, where items tell one.
    pub times: Option<(i64, i64)>,
    /// Items that tell their time.
    pub timed_items: u64,
}

/// The data under one candidate: exact, and as large as there are distinct key values.
#[derive(Debug, Clone)]
pub struct CandidateProfile {
    candidate: Candidate,
    partitions: HashMap<Epk, Tally, FxBuildHasher>,
    sources: Vec<(PropertyPath, SourceTypes)>,
    missing_items: u64,
    missing_types: BTreeMap<Box<str>, u64>,
    null_items: u64,
    parts_without_text: u64,
    value_bytes_max: u64,
    /// Whether different origins could end in one key value.
    can_collide: bool,
    /// ASCII characters that stand in the parts of a concatenation, as bits.
    characters: u128,
}

/// Two different origins that end in one key value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The value that both have.
    pub value: KeyValue,
    /// The first origin in their order: the key values of version 1, or the parts of a concatenation.
    pub first: KeyValue,
    /// The last origin in their order.
    pub last: KeyValue,
}

#[derive(Debug, Clone)]
struct Tally {
    value: KeyValue,
    /// The first and the last origin, where origins could collide.
    origins: Option<Box<(KeyValue, KeyValue)>>,
    items: u64,
    bytes: u64,
    squared_bytes: u64,
    times: Option<(i64, i64)>,
    timed_items: u64,
}

impl CandidateProfile {
    pub(super) fn new(candidate: Candidate) -> Self {
        let sources = candidate
            .sources()
            .into_iter()
            .map(|path| (path.clone(), SourceTypes::default()))
            .collect();
        let can_collide = candidate.version == KeyVersion::V1 || is_concatenation(&candidate);
        Self {
            can_collide,
            characters: 0,
            candidate,
            partitions: HashMap::default(),
            sources,
            missing_items: 0,
            missing_types: BTreeMap::new(),
            null_items: 0,
            parts_without_text: 0,
            value_bytes_max: 0,
        }
    }

    /// Adds an item, and gives a hash of its key.
    pub(super) fn add(&mut self, item: &Value, bytes: u64, time: Option<i64>, draw: u64) -> u64 {
        let (mut missing, mut null) = (false, false);
        for (path, types) in &mut self.sources {
            let value = property(item, path);
            missing |= value.is_none();
            null |= value.is_some_and(Value::is_null);
            types.add(value);
        }
        self.missing_items += u64::from(missing);
        if let Some(name) = type_of(item).filter(|_| missing) {
            count(&mut self.missing_types, name, 1);
        }
        self.null_items += u64::from(null);

        let key = self.candidate.key_of(item, draw);
        self.parts_without_text += u64::from(key.parts_without_text);
        self.value_bytes_max = self.value_bytes_max.max(longest_text(&key.value));
        let epk = effective_key(&key.value, self.candidate.kind, self.candidate.version);
        let hash = hash_of(&epk);
        let origins = self.can_collide.then(|| {
            let origin = self.origin(item, &key.value);
            Box::new((origin.clone(), origin))
        });
        self.add_partition(
            epk,
            Tally {
                value: key.value,
                origins,
                items: 1,
                bytes,
                squared_bytes: bytes.saturating_mul(bytes),
                times: time.map(|time| (time, time)),
                timed_items: u64::from(time.is_some()),
            },
        );
        hash
    }

    /// What the key value of an item was made of: all parts of a concatenation, or the value itself.
    fn origin(&mut self, item: &Value, value: &KeyValue) -> KeyValue {
        if self.candidate.version == KeyVersion::V1 {
            return value.clone();
        }
        let component = |path: &PropertyPath| {
            property(item, path).map_or(KeyComponent::Undefined, KeyComponent::from_json)
        };
        let parts: Vec<KeyComponent> = self
            .sources
            .iter()
            .map(|(path, _)| component(path))
            .collect();
        for part in &parts {
            if let KeyComponent::String(text) = part {
                let ascii = text.bytes().filter(u8::is_ascii);
                self.characters |= ascii.fold(0, |bits, byte| bits | 1 << byte);
            }
        }
        KeyValue(parts)
    }

    pub(super) fn merge(&mut self, other: Self) {
        #[expect(
            clippy::iter_over_hash_type,
            reason = "sums and minima do not depend on the order"
        )]
        for (epk, tally) in other.partitions {
            self.add_partition(epk, tally);
        }
        for ((_, mine), (_, theirs)) in self.sources.iter_mut().zip(other.sources) {
            mine.merge(&theirs);
        }
        self.missing_items += other.missing_items;
        for (name, items) in other.missing_types {
            count(&mut self.missing_types, &name, items);
        }
        self.null_items += other.null_items;
        self.parts_without_text += other.parts_without_text;
        self.value_bytes_max = self.value_bytes_max.max(other.value_bytes_max);
        self.characters |= other.characters;
    }

    fn add_partition(&mut self, epk: Epk, tally: Tally) {
        self.partitions
            .entry(epk)
            .and_modify(|seen| {
                seen.items += tally.items;
                seen.bytes += tally.bytes;
                seen.squared_bytes = seen.squared_bytes.saturating_add(tally.squared_bytes);
                seen.timed_items += tally.timed_items;
                seen.times = match (seen.times, tally.times) {
                    (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
                    (one, other) => one.or(other),
                };
                if tally.value < seen.value {
                    seen.value = tally.value.clone();
                }
                if let (Some(seen), Some(origins)) = (&mut seen.origins, &tally.origins) {
                    if origins.0 < seen.0 {
                        seen.0 = origins.0.clone();
                    }
                    if origins.1 > seen.1 {
                        seen.1 = origins.1.clone();
                    }
                }
            })
            .or_insert(tally);
    }

    /// The candidate.
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// The logical partitions in the order of their effective partition keys.
    pub fn logical_partitions(&self) -> Vec<LogicalPartition> {
        let of = |(epk, tally): (&Epk, &Tally)| LogicalPartition {
            epk: epk.clone(),
            value: tally.value.clone(),
            items: tally.items,
            bytes: tally.bytes,
            squared_bytes: tally.squared_bytes,
            times: tally.times,
            timed_items: tally.timed_items,
        };
        let mut partitions: Vec<_> = self.partitions.iter().map(of).collect();
        partitions.sort_unstable_by(|a, b| a.epk.cmp(&b.epk));
        partitions
    }

    /// How many distinct prefixes of one, two, three levels there are; the last is the number of
    /// distinct key values. One number for a key that is no hierarchy.
    pub fn level_counts(&self) -> Vec<u64> {
        let distinct = self.partitions.len() as u64;
        if self.candidate.kind == KeyKind::Hash {
            return vec![distinct];
        }
        let levels = self.candidate.levels.len();
        // Each level hashes to as many bytes, so equal prefixes stand side by side in the order of keys.
        let mut epks: Vec<&[u8]> = self.partitions.keys().map(Epk::as_bytes).collect();
        epks.sort_unstable();
        let prefixes = |level: usize| {
            let prefix = |epk: &'_ &[u8]| epk.len() * level / levels;
            let changes = epks
                .windows(2)
                .filter(|pair| pair[0][..prefix(&pair[0])] != pair[1][..prefix(&pair[1])])
                .count();
            (changes + usize::from(!epks.is_empty())) as u64
        };
        (1..=levels).map(prefixes).collect()
    }

    /// The properties that the key is made of, with the types that items hold there.
    pub fn sources(&self) -> &[(PropertyPath, SourceTypes)] {
        &self.sources
    }

    /// Items that lack at least one property of the key.
    pub fn missing_items(&self) -> u64 {
        self.missing_items
    }

    /// Of them, those that name their type, by type.
    pub fn missing_types(&self) -> &BTreeMap<Box<str>, u64> {
        &self.missing_types
    }

    /// Items in which at least one property of the key is null.
    pub fn null_items(&self) -> u64 {
        self.null_items
    }

    /// Parts of templates that made no text, over all items.
    pub fn parts_without_text(&self) -> u64 {
        self.parts_without_text
    }

    /// Logical partitions in which different origins ended, by value: with version 1 values with equal
    /// beginnings, with a concatenation different parts that make the same text.
    pub fn collisions(&self) -> Vec<Collision> {
        let of = |tally: &Tally| {
            let origins = tally.origins.as_ref()?;
            (origins.0 != origins.1).then(|| Collision {
                value: tally.value.clone(),
                first: origins.0.clone(),
                last: origins.1.clone(),
            })
        };
        let mut collisions: Vec<Collision> = self.partitions.values().filter_map(of).collect();
        collisions.sort_by(|one, other| one.value.cmp(&other.value));
        collisions
    }

    /// Whether an ASCII character stands in the parts of a concatenation.
    pub fn has_character(&self, character: u8) -> bool {
        character < 128 && self.characters & 1 << character != 0
    }

    /// UTF-8 bytes of the longest text in a component of a key value.
    pub fn value_bytes_max(&self) -> u64 {
        self.value_bytes_max
    }
}

/// Whether a key is text put together from values as they stand, so that only equal values should
/// make equal texts.
fn is_concatenation(candidate: &Candidate) -> bool {
    let templates = || {
        candidate.levels.iter().filter_map(|level| match level {
            Level::Template(parts) => Some(parts),
            Level::Path(_) => None,
        })
    };
    let plain = |part: &Part| matches!(part, Part::Text(_) | Part::Value(_, None));
    templates().count() > 0 && templates().flatten().all(plain)
}

fn longest_text(value: &KeyValue) -> u64 {
    let length = |component: &KeyComponent| match component {
        KeyComponent::String(text) => text.len() as u64,
        _ => 0,
    };
    value.0.iter().map(length).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn profile(key: &str, version: KeyVersion, items: &[Value]) -> CandidateProfile {
        let mut profile = CandidateProfile::new(Candidate::parse(key, version).expect(key));
        for item in items {
            profile.add(item, 100, None, 0);
        }
        profile
    }

    #[test]
    fn missing_null_and_empty_are_three_logical_partitions() {
        let items = [
            json!({}),
            json!({"k": null}),
            json!({"k": ""}),
            json!({"k": [1]}),
        ];
        let profile = profile("/k", KeyVersion::V2, &items);
        assert_eq!(profile.level_counts(), [3]);
        assert_eq!((profile.missing_items(), profile.null_items()), (1, 1));
    }

    #[test]
    fn version_1_merges_values_with_equal_beginnings_and_names_the_first() {
        let item = |end: &str| json!({"url": "p".repeat(120) + end});
        let items = [item("b"), item("a"), item("c")];
        let merged = profile("/url", KeyVersion::V1, &items).logical_partitions();
        assert_eq!(
            (merged.len(), merged[0].items, merged[0].bytes),
            (1, 3, 300)
        );
        assert!(merged[0].value.to_string().ends_with("pa\"]"));
        assert_eq!(
            profile("/url", KeyVersion::V1, &items).collisions().len(),
            1
        );
        assert_eq!(profile("/url", KeyVersion::V2, &items).level_counts(), [3]);
    }

    #[test]
    fn parts_that_make_the_same_text_are_a_collision() {
        let items = [
            json!({"a": "x-y", "b": "z"}),
            json!({"a": "x", "b": "y-z"}),
            json!({"a": "q", "b": "r"}),
        ];
        let of = |key| profile(key, KeyVersion::V2, &items).collisions();
        let found = of("{/a}-{/b}");
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].first.to_string(), found[0].last.to_string()),
            ("[\"x\",\"y-z\"]".to_owned(), "[\"x-y\",\"z\"]".to_owned())
        );
        assert_eq!(of("{/a}|{/b}"), []);
        assert_eq!(of("/a,/b"), []);
        assert!(profile("{/a}-{/b}", KeyVersion::V2, &items).has_character(b'-'));
        assert!(!profile("{/a}-{/b}", KeyVersion::V2, &items).has_character(b'|'));
    }

    #[test]
    fn value_lengths_are_utf_8_bytes_of_the_longest_component() {
        let profile = profile(
            "/a,/b",
            KeyVersion::V2,
            &[json!({"a": "ä", "b": "xyz"}), json!({"a": 1})],
        );
        assert_eq!(profile.value_bytes_max(), 3);
    }
}
