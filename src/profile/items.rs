//! What the items are like whatever the key: sizes, ids, and the same id seen more than once.

use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

use super::in_order;
use super::sequence::{Numbered, Sequence};
use crate::ingest::PropertyNames;
use crate::model::Field;
use crate::model::limits::{ID_BYTES_MAX, ITEM_BYTES_MAX};
use rustc_hash::{FxBuildHasher, FxHasher};
use serde::{Deserialize, Serialize};

/// Most ids that are remembered; of more, only every second, fourth, ... is.
const IDS_MAX: usize = 1 << 16;

/// Facts about items that no candidate changes, and about ids under each candidate.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ItemFacts {
    /// The largest item, in bytes, without the overhead of system properties.
    pub bytes_max: u64,
    /// Items larger than the service takes.
    pub too_large: u64,
    /// Items whose id the service refuses.
    pub id_invalid: u64,
    /// The first of these ids in the order of text.
    pub id_invalid_first: Option<String>,
    /// Items without an id.
    pub id_missing: u64,
    /// Items by the type that they name, where they do.
    pub types: BTreeMap<Box<str>, u64>,
    /// The names of their properties.
    pub names: PropertyNames,
    ids: Ids,
    sequence: Sequence,
}

/// Properties in which applications name the type of an item, where a container holds several.
pub(super) const TYPE_PROPERTIES: [&str; 8] = [
    "type",
    "docType",
    "documentType",
    "entityType",
    "kind",
    "_type",
    "discriminator",
    "Discriminator",
];

/// Longest text that is taken for the name of a type, in bytes.
pub(super) const TYPE_BYTES_MAX: usize = 64;

/// Ids by their hash, with the key that each of their items has under each candidate.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Ids {
    /// Hashes with so many trailing zeros are remembered.
    zeros: u32,
    #[serde(with = "in_order")]
    seen: HashMap<u64, Vec<Seen>, FxBuildHasher>,
}

/// One item of an id: a hash of its key under each candidate.
type Seen = Box<[u64]>;

/// Items that share their id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SharedIds {
    /// Ids that were looked at.
    pub ids: u64,
    /// Of them, those of more than one item with the same key: the service holds one of these items.
    pub conflicts: u64,
    /// Of them, those of items with different keys.
    pub several_keys: u64,
}

impl ItemFacts {
    /// Adds an item with its id, its size without overhead, the type that it names, and hashes of its
    /// keys under the candidates.
    pub(super) fn add(&mut self, id: Field, bytes: u64, type_name: Option<&str>, keys: &[u64]) {
        self.bytes_max = self.bytes_max.max(bytes);
        self.too_large += u64::from(bytes > ITEM_BYTES_MAX);
        if let Some(name) = type_name {
            count(&mut self.types, name, 1);
        }
        let text = match id {
            Field::Missing => {
                self.id_missing += 1;
                return;
            }
            Field::Text(text) => text,
            other => {
                self.id_invalid += 1;
                let shown = match other {
                    Field::Compound => "an array or an object".to_owned(),
                    scalar => scalar.component().to_string(),
                };
                return self.invalid_first(Some(shown));
            }
        };
        if text.is_empty() || text.len() > ID_BYTES_MAX || text.contains(['/', '\\']) {
            self.id_invalid += 1;
            self.invalid_first(Some(text.to_owned()));
        }
        self.sequence.add(text);
        let hash = hash_of(text);
        if self.ids.holds(hash) {
            self.ids.add(hash, vec![keys.into()]);
        }
    }

    /// Adds the facts of another part of the data.
    pub(super) fn merge(&mut self, other: Self) {
        self.bytes_max = self.bytes_max.max(other.bytes_max);
        self.too_large += other.too_large;
        self.id_invalid += other.id_invalid;
        self.id_missing += other.id_missing;
        self.invalid_first(other.id_invalid_first);
        for (name, items) in other.types {
            count(&mut self.types, &name, items);
        }
        self.sequence.merge(other.sequence);
        self.ids.thin(other.ids.zeros);
        #[expect(
            clippy::iter_over_hash_type,
            reason = "which ids are kept depends on their hash alone"
        )]
        for (hash, seen) in other.ids.seen {
            if self.ids.holds(hash) {
                self.ids.add(hash, seen);
            }
        }
    }

    fn invalid_first(&mut self, id: Option<String>) {
        if let Some(id) = id
            && self
                .id_invalid_first
                .as_ref()
                .is_none_or(|first| id < *first)
        {
            self.id_invalid_first = Some(id);
        }
    }

    /// Whether these are facts under so many candidates.
    pub(super) fn is_of(&self, candidates: usize) -> bool {
        let mut keys = self.ids.seen.values().flatten();
        keys.all(|keys| keys.len() == candidates)
    }

    /// The same under some of the candidates, by their indexes.
    #[must_use]
    pub(super) fn under(mut self, candidates: &[usize]) -> Self {
        let chosen =
            |keys: &mut Seen| *keys = candidates.iter().map(|index| keys[*index]).collect();
        let keys = self.ids.seen.values_mut().flatten();
        keys.for_each(chosen);
        self
    }

    /// What the ids count from and to; `None` where they are not one text with numbers behind it.
    pub fn numbered(&self) -> Option<&Numbered> {
        match &self.sequence {
            Sequence::Numbers(numbered) => Some(numbered),
            Sequence::Empty | Sequence::Other => None,
        }
    }

    /// Ids that several items share, under the candidate with this index.
    pub fn shared_ids(&self, candidate: usize) -> SharedIds {
        let mut shared = SharedIds {
            ids: self.ids.seen.len() as u64,
            ..SharedIds::default()
        };
        #[expect(
            clippy::iter_over_hash_type,
            reason = "counts do not depend on the order"
        )]
        for seen in self.ids.seen.values() {
            let mut items: BTreeMap<u64, u64> = BTreeMap::new();
            for keys in seen {
                *items
                    .entry(keys.get(candidate).copied().unwrap_or(0))
                    .or_default() += 1;
            }
            shared.conflicts += u64::from(items.values().any(|count| *count > 1));
            shared.several_keys += u64::from(items.len() > 1);
        }
        shared
    }
}

impl Ids {
    fn holds(&self, hash: u64) -> bool {
        hash.trailing_zeros() >= self.zeros
    }

    fn add(&mut self, hash: u64, seen: Vec<Seen>) {
        self.seen.entry(hash).or_default().extend(seen);
        while self.seen.len() > IDS_MAX {
            self.thin(self.zeros + 1);
        }
    }

    /// Forgets ids so that those with so many zeros are left: which ones does not depend on the order
    /// in which they came.
    fn thin(&mut self, zeros: u32) {
        self.zeros = self.zeros.max(zeros);
        let zeros = self.zeros;
        self.seen.retain(|hash, _| hash.trailing_zeros() >= zeros);
    }
}

/// Adds to a count by name.
pub(super) fn count(counts: &mut BTreeMap<Box<str>, u64>, name: &str, items: u64) {
    if let Some(count) = counts.get_mut(name) {
        *count += items;
    } else {
        counts.insert(name.into(), items);
    }
}

pub(super) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    let hash = hasher.finish();
    // The low bits choose which ids are kept, so they must depend on all.
    (hash ^ hash >> 32)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_that_the_service_refuses_are_counted_and_the_first_named() {
        let mut facts = ItemFacts::default();
        for id in [
            json!("ok"),
            json!("a/b"),
            json!("a\\b"),
            json!(5),
            json!(""),
            json!("x".repeat(1024)),
        ] {
            facts.add(Field::of(Some(&id)), 10, None, &[]);
        }
        facts.add(Field::Missing, 3_000_000, None, &[]);
        assert_eq!(
            (facts.id_invalid, facts.id_missing, facts.too_large),
            (5, 1, 1)
        );
        assert_eq!(facts.id_invalid_first.as_deref(), Some(""));
    }

    #[test]
    fn shared_ids_are_told_by_candidate_whatever_the_parts() {
        let item = Field::Text;
        let (mut one, mut other) = (ItemFacts::default(), ItemFacts::default());
        one.add(item("1"), 1, None, &[1, 8]);
        other.add(item("1"), 1, None, &[1, 9]);
        other.add(item("2"), 1, None, &[1, 8]);
        one.merge(other);
        assert_eq!(
            one.shared_ids(0),
            SharedIds {
                ids: 2,
                conflicts: 1,
                several_keys: 0
            }
        );
        assert_eq!(
            one.shared_ids(1),
            SharedIds {
                ids: 2,
                conflicts: 0,
                several_keys: 1
            }
        );
    }

    #[test]
    fn hashes_are_those_of_profiles_that_were_written() {
        // Another one needs another version of the form of these files.
        assert_eq!(hash_of("order-1"), 9422354435387762076);
    }

    #[test]
    fn of_many_ids_a_part_is_kept_that_depends_on_the_ids_alone() {
        let (mut whole, mut parts) = (ItemFacts::default(), ItemFacts::default());
        let mut part = ItemFacts::default();
        for number in 0..3 * IDS_MAX {
            let id = number.to_string();
            whole.add(Field::Text(&id), 1, None, &[1]);
            let half = if number % 2 == 0 {
                &mut parts
            } else {
                &mut part
            };
            half.add(Field::Text(&id), 1, None, &[1]);
        }
        parts.merge(part);
        assert_eq!(whole.shared_ids(0), parts.shared_ids(0));
        assert!(whole.shared_ids(0).ids > IDS_MAX as u64 / 4);
    }
}
