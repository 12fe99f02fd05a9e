//! The data under one candidate.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::items::count;
use super::logical::LogicalPartitions;
use super::source::SourceTypes;
use super::sums::Sums;
use super::table::{Key, Limits, Table, hash_of, last_half};
use crate::keys::{Candidate, KeyMaker, Level, LevelHashes, MadeKey, Part};
use crate::model::encoded;
use crate::model::{Field, Fields, Item, KeyKind, KeyValue, KeyVersion, PropertyPath};

/// Items that wait until the table is free, so that threads seldom wait for each other.
const WAITING_MAX: usize = 1024;

/// The data under one candidate.
#[derive(Debug, Clone)]
pub struct CandidateProfile {
    candidate: Candidate,
    logical: LogicalPartitions,
    level_counts: Vec<u64>,
    counts: Counts,
}

/// What is counted of all items under a candidate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Counts {
    sources: Vec<(PropertyPath, SourceTypes)>,
    missing_items: u64,
    missing_types: BTreeMap<Box<str>, u64>,
    null_items: u64,
    parts_without_text: u64,
    value_bytes_max: u64,
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

/// Adds items to the data under one candidate, on one of several threads.
#[derive(Debug)]
pub(super) struct CandidateProfiler {
    maker: KeyMaker,
    /// The numbers of the fields of the sources.
    source_fields: Vec<usize>,
    table: Arc<Mutex<Table>>,
    waiting: Vec<Waiting>,
    /// The keys of the waiting items: the effective partition key, the value and the origin of each.
    keys: Vec<u8>,
    /// Whether different origins could end in one key value.
    can_collide: bool,
    counts: Counts,
}

/// An item that is to be added to the table.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    bytes: u64,
    time: Option<i64>,
    /// Where its effective partition key, its value and its origin end among the keys.
    epk_end: usize,
    value_end: usize,
    origin_end: usize,
}

/// An item with what all candidates ask of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) item: &'a Item<'a>,
    /// Its bytes, overhead included.
    pub(super) bytes: u64,
    /// Its time in seconds since 1970.
    pub(super) time: Option<i64>,
    /// The type that it names.
    pub(super) type_name: Option<&'a str>,
    /// Its number for random suffixes.
    pub(super) draw: u64,
}

impl CandidateProfiler {
    /// Adds to a table within these limits; wants the fields of its key.
    pub(super) fn new(candidate: &Candidate, fields: &mut Fields, limits: Limits) -> Self {
        let paths = candidate.sources();
        let sources = paths
            .iter()
            .map(|path| ((*path).clone(), SourceTypes::default()));
        let source_fields = paths.iter().map(|path| fields.want(path)).collect();
        Self {
            source_fields,
            maker: KeyMaker::new(candidate, fields),
            table: Arc::new(Mutex::new(Table::new(limits))),
            waiting: Vec::new(),
            keys: Vec::new(),
            can_collide: can_collide(candidate),
            counts: Counts {
                sources: sources.collect(),
                missing_items: 0,
                missing_types: BTreeMap::new(),
                null_items: 0,
                parts_without_text: 0,
                value_bytes_max: 0,
                characters: 0,
            },
        }
    }

    /// Another one that adds to the same table, for another thread.
    pub(super) fn sibling(&self) -> Self {
        let mut fields = Fields::default();
        let candidate = self.maker.candidate();
        let mut new = Self::new(candidate, &mut fields, limits(candidate, 0, 0, false));
        new.maker = self.maker.clone();
        new.source_fields.clone_from(&self.source_fields);
        new.table = Arc::clone(&self.table);
        new
    }

    /// Adds an item, and gives a hash of its key.
    pub(super) fn add(&mut self, asked: Asked, hashes: &mut LevelHashes) -> u64 {
        let fields = asked.item.fields;
        let (mut missing, mut null) = (false, false);
        for ((_, types), number) in self.counts.sources.iter_mut().zip(&self.source_fields) {
            let field = fields[*number];
            missing |= field == Field::Missing;
            null |= field == Field::Null;
            types.add(field);
        }
        if missing {
            self.counts.missing_items += 1;
            if let Some(name) = asked.type_name {
                count(&mut self.counts.missing_types, name, 1);
            }
        }
        self.counts.null_items += u64::from(null);

        let version = self.maker.candidate().version;
        let key = self.maker.make(asked.item, asked.draw, hashes);
        self.counts.parts_without_text += u64::from(key.parts_without_text);
        self.counts.value_bytes_max = self.counts.value_bytes_max.max(longest_text(&key));
        let hash = last_half(&hash_of(&key.epk));
        self.keys.extend_from_slice(&key.epk);
        let epk_end = self.keys.len();
        encoded::append(key.levels.iter().copied(), &mut self.keys);
        drop(key);
        let value_end = self.keys.len();
        match version {
            KeyVersion::V1 => self.keys.extend_from_within(epk_end..value_end),
            KeyVersion::V2 if self.can_collide => {
                let parts = self.source_fields.iter().map(|number| fields[*number]);
                for part in parts.clone().filter_map(Field::text) {
                    let ascii = part.bytes().filter(u8::is_ascii);
                    self.counts.characters |= ascii.fold(0, |bits, byte| bits | 1 << byte);
                }
                encoded::append(parts, &mut self.keys);
            }
            KeyVersion::V2 => {}
        }
        self.waiting.push(Waiting {
            bytes: asked.bytes,
            time: asked.time,
            epk_end,
            value_end,
            origin_end: self.keys.len(),
        });
        if self.waiting.len() == WAITING_MAX {
            self.flush();
        }
        hash
    }

    /// Adds the waiting items to the table.
    pub(super) fn flush(&mut self) {
        // A thread that panicked ends the run anyway.
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let mut start = 0;
        table.fetch(self.waiting.iter().map(|one| {
            let from = std::mem::replace(&mut start, one.origin_end);
            &self.keys[from..one.epk_end]
        }));
        start = 0;
        for one in self.waiting.drain(..) {
            let key = Key {
                epk: &self.keys[start..one.epk_end],
                value: &self.keys[one.epk_end..one.value_end],
                origin: &self.keys[one.value_end..one.origin_end],
            };
            table.add(&key, &Sums::of_item(one.bytes, one.time));
            start = one.origin_end;
        }
        self.keys.clear();
    }

    /// Adds what another one added, to the same table or to its own.
    pub(super) fn merge(&mut self, mut other: Self) {
        other.flush();
        if !Arc::ptr_eq(&self.table, &other.table) {
            let theirs = other.table.lock().unwrap_or_else(PoisonError::into_inner);
            let mut mine = self.table.lock().unwrap_or_else(PoisonError::into_inner);
            mine.merge(&theirs);
        }
        self.counts.merge(other.counts);
    }

    /// Adds what is stored of another part of the data; whether its values can be added to these.
    pub(super) fn add_stored(&mut self, table: &Table, counts: &Counts) -> bool {
        let mut mine = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let takes = mine.takes(table);
        if takes {
            mine.merge(table);
            self.counts.merge(counts.clone());
        }
        takes
    }

    /// The candidate.
    pub(super) fn candidate(&self) -> &Candidate {
        self.maker.candidate()
    }

    /// All that was added, none of which waits any more.
    pub(super) fn taken(&self) -> (Table, Counts) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        (table.take(), self.counts.clone())
    }

    /// The same as a profile.
    pub(super) fn finished(&self) -> CandidateProfile {
        let (table, counts) = self.taken();
        let candidate = self.maker.candidate();
        let logical = LogicalPartitions::of(table);
        CandidateProfile {
            level_counts: match candidate.kind {
                KeyKind::Hash => vec![logical.count()],
                KeyKind::MultiHash => logical.level_counts(candidate.levels.len()),
            },
            candidate: candidate.clone(),
            logical,
            counts,
        }
    }
}

impl Counts {
    fn merge(&mut self, other: Self) {
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
}

impl CandidateProfile {
    /// The candidate.
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// The logical partitions in the order of their effective partition keys.
    pub fn logical_partitions(&self) -> &LogicalPartitions {
        &self.logical
    }

    /// How many distinct prefixes of one, two, three levels there are; the last is the number of
    /// distinct key values. One number for a key that is no hierarchy.
    pub fn level_counts(&self) -> &[u64] {
        &self.level_counts
    }

    /// The properties that the key is made of, with the types that items hold there.
    pub fn sources(&self) -> &[(PropertyPath, SourceTypes)] {
        &self.counts.sources
    }

    /// Items that lack at least one property of the key.
    pub fn missing_items(&self) -> u64 {
        self.counts.missing_items
    }

    /// Of them, those that name their type, by type.
    pub fn missing_types(&self) -> &BTreeMap<Box<str>, u64> {
        &self.counts.missing_types
    }

    /// Items in which at least one property of the key is null.
    pub fn null_items(&self) -> u64 {
        self.counts.null_items
    }

    /// Parts of templates that made no text, over all items.
    pub fn parts_without_text(&self) -> u64 {
        self.counts.parts_without_text
    }

    /// Logical partitions in which different origins ended, by value: with version 1 values with equal
    /// beginnings, with a concatenation different parts that make the same text.
    pub fn collisions(&self) -> Vec<Collision> {
        fn value(mut bytes: &[u8]) -> Option<KeyValue> {
            encoded::value(&mut bytes)
        }
        let table = self.logical.table();
        let of = |(of, first, last): (&'_ [u8], &'_ [u8], &'_ [u8])| {
            let first = value(first)?;
            let of = if table.origins_are_values() {
                first.clone()
            } else {
                value(of)?
            };
            Some(Collision {
                value: of,
                first,
                last: value(last)?,
            })
        };
        let mut collisions: Vec<Collision> = table.collisions().filter_map(of).collect();
        collisions.sort_by(|one, other| one.value.cmp(&other.value));
        collisions
    }

    /// Whether an ASCII character stands in the parts of a concatenation.
    pub fn has_character(&self, character: u8) -> bool {
        character < 128 && self.counts.characters & 1 << character != 0
    }

    /// UTF-8 bytes of the longest text in a component of a key value.
    pub fn value_bytes_max(&self) -> u64 {
        self.counts.value_bytes_max
    }
}

/// What a table of the values of a candidate is made for, in so many bytes of memory: it names so many of
/// the heaviest, and keeps the texts of all where that is wanted or needed.
pub(super) fn limits(
    candidate: &Candidate,
    named: usize,
    memory: u64,
    keeps_texts: bool,
) -> Limits {
    Limits {
        named,
        levels: match candidate.kind {
            KeyKind::Hash => 1,
            KeyKind::MultiHash => candidate.levels.len(),
        },
        memory,
        keeps_texts: keeps_texts || can_collide(candidate),
        origins_are_values: candidate.version == KeyVersion::V1,
    }
}

/// Whether different origins could end in one key value.
fn can_collide(candidate: &Candidate) -> bool {
    candidate.version == KeyVersion::V1 || is_concatenation(candidate)
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

fn longest_text(key: &MadeKey) -> u64 {
    let texts = key.levels.iter().filter_map(|level| level.text());
    texts.map(|text| text.len() as u64).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn profile(key: &str, version: KeyVersion, items: &[Value]) -> CandidateProfile {
        let candidate = Candidate::parse(key, version).expect(key);
        let settings = crate::profile::ProfileSettings::default();
        let sized = items.iter().map(|item| (item, 100));
        let profile = crate::profile::Profile::of_sized(&[candidate], &settings, sized);
        profile.candidates()[0].clone()
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
        let merged = profile("/url", KeyVersion::V1, &items);
        let logical = merged.logical_partitions();
        let one = logical.iter().next().expect("a value");
        assert_eq!((logical.len(), one.items, one.bytes), (1, 3, 300));
        let value = one.value().expect("known");
        assert!(value.to_string().ends_with("pa\"]"));
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
