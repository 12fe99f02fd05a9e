//! The data under one candidate.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use serde_json::Value;

use super::source::SourceTypes;
use crate::keys::{Candidate, effective_key, property};
use crate::model::{Epk, KeyComponent, KeyKind, KeyValue, PropertyPath};

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
}

/// The data under one candidate: exact, and as large as there are distinct key values.
#[derive(Debug, Clone)]
pub struct CandidateProfile {
    candidate: Candidate,
    partitions: HashMap<Epk, Tally, FxBuildHasher>,
    sources: Vec<(PropertyPath, SourceTypes)>,
    missing_items: u64,
    null_items: u64,
    parts_without_text: u64,
    value_bytes_max: u64,
}

#[derive(Debug, Clone)]
struct Tally {
    value: KeyValue,
    items: u64,
    bytes: u64,
    squared_bytes: u64,
}

impl CandidateProfile {
    pub(super) fn new(candidate: Candidate) -> Self {
        let sources = candidate
            .sources()
            .into_iter()
            .map(|path| (path.clone(), SourceTypes::default()))
            .collect();
        Self {
            candidate,
            partitions: HashMap::default(),
            sources,
            missing_items: 0,
            null_items: 0,
            parts_without_text: 0,
            value_bytes_max: 0,
        }
    }

    pub(super) fn add(&mut self, item: &Value, bytes: u64, draw: u64) {
        let (mut missing, mut null) = (false, false);
        for (path, types) in &mut self.sources {
            let value = property(item, path);
            missing |= value.is_none();
            null |= value.is_some_and(Value::is_null);
            types.add(value);
        }
        self.missing_items += u64::from(missing);
        self.null_items += u64::from(null);

        let key = self.candidate.key_of(item, draw);
        self.parts_without_text += u64::from(key.parts_without_text);
        self.value_bytes_max = self.value_bytes_max.max(longest_text(&key.value));
        let epk = effective_key(&key.value, self.candidate.kind, self.candidate.version);
        self.add_partition(
            epk,
            Tally {
                value: key.value,
                items: 1,
                bytes,
                squared_bytes: bytes.saturating_mul(bytes),
            },
        );
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
        self.null_items += other.null_items;
        self.parts_without_text += other.parts_without_text;
        self.value_bytes_max = self.value_bytes_max.max(other.value_bytes_max);
    }

    fn add_partition(&mut self, epk: Epk, tally: Tally) {
        self.partitions
            .entry(epk)
            .and_modify(|seen| {
                seen.items += tally.items;
                seen.bytes += tally.bytes;
                seen.squared_bytes = seen.squared_bytes.saturating_add(tally.squared_bytes);
                if tally.value < seen.value {
                    seen.value = tally.value.clone();
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

    /// Items in which at least one property of the key is null.
    pub fn null_items(&self) -> u64 {
        self.null_items
    }

    /// Parts of templates that made no text, over all items.
    pub fn parts_without_text(&self) -> u64 {
        self.parts_without_text
    }

    /// UTF-8 bytes of the longest text in a component of a key value.
    pub fn value_bytes_max(&self) -> u64 {
        self.value_bytes_max
    }
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
    use crate::model::KeyVersion;
    use serde_json::json;

    fn profile(key: &str, version: KeyVersion, items: &[Value]) -> CandidateProfile {
        let mut profile = CandidateProfile::new(Candidate::parse(key, version).expect(key));
        for item in items {
            profile.add(item, 100, 0);
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
        assert_eq!(profile("/url", KeyVersion::V2, &items).level_counts(), [3]);
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
