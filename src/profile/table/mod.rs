//! What the items of each key value sum up to, in little room: most values of a key such as `/id` have
//! one item, so that a value takes 32 bytes, and more only where it has several items.
//!
//! A table of too many values is thinned: it keeps every second, fourth, ... value, with all of its items,
//! and a sketch of all.

mod stored;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::sketch::Sketch;
use super::sums::Sums;
use crate::model::encoded;

/// Bytes of the hash that a value is known by, and of an effective partition key of one level.
pub(super) const KEY_BYTES: usize = 16;

/// Values up to which the text of each is kept. Of more, that of values with one item is not, but for
/// the heaviest of them.
const TEXTS_MAX: usize = 1 << 16;

/// No place among the texts.
const NOWHERE: u64 = u64::MAX;

/// Values from which on a table does not lie in the caches of a processor.
const CACHED_MAX: usize = 1 << 13;

/// In place of the bytes of the one item: the value has several.
const SEVERAL: u32 = u32::MAX;

/// Bytes that a value takes until the report is built, its places in the order of keys included.
const VALUE_BYTES: u64 = 96;

/// Bytes that the sums of several items take beside.
const SEVERAL_BYTES: u64 = size_of::<Sums>() as u64;

/// The part of the memory of a table that its sketch takes.
const SKETCH_PART: u64 = 8;

/// Spreads a hash, so that the values that are kept fill the index evenly.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What is known of the key of items before it is looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'a> {
    /// The bytes of the effective partition key.
    pub(super) epk: &'a [u8],
    /// The key value, encoded; empty where it is not known.
    pub(super) value: &'a [u8],
    /// What the value was made of, encoded; empty unless different origins could make one value.
    pub(super) origin: &'a [u8],
}

/// One key value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The effective partition key, or a hash of one of another length.
    pub(super) key: [u8; KEY_BYTES],
    /// Where its record stands among the texts.
    place: u64,
    /// Bytes of its one item, or [`SEVERAL`].
    bytes: u32,
    /// The time of its one item, 0 for none; or the index of the sums of several.
    more: u32,
}

/// The values of a key, each with the sums of its items.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) entries: Vec<Entry>,
    index: HashTable<u32>,
    several: Vec<Sums>,
    /// Records: the effective partition key where it is no entry's key, and the value with its origin
    /// where that is kept.
    records: Vec<u8>,
    /// The origins of values that have several.
    origins: BTreeMap<[u8; KEY_BYTES], Origins>,
    heaviest: Heaviest,
    /// Whether each effective partition key is the key of its entry.
    whole_keys: bool,
    limits: Limits,
    /// Bytes of the keys and the texts in records, as far as they are kept whatever the order of items.
    text_bytes: u64,
    thinned: Option<Box<Thinned>>,
}

/// What a table is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// How many of the heaviest values are named.
    pub(super) named: usize,
    /// Levels of the key that hash on their own.
    pub(super) levels: usize,
    /// Bytes of memory that it may take.
    pub(super) memory: u64,
    /// Whether all texts are kept, since different origins could make one value.
    pub(super) keeps_texts: bool,
    /// Whether origins are themselves the values that end in one key, as with version 1.
    pub(super) origins_are_values: bool,
}

/// What is known beside the values that are kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Thinned {
    /// Values whose hash has so many zeros are kept.
    zeros: u32,
    /// All values, kept or not.
    sketch: Sketch,
}

/// What a thinned table knows of the values that it does not keep.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    /// Values whose hash has so many zeros are kept, and each stands for `2^zeros`.
    pub(super) zeros: u32,
    /// Hashes of the heavy values, which are all there and stand for themselves.
    pub(super) certain: HashSet<[u8; KEY_BYTES], FxBuildHasher>,
    /// The sums of all values.
    pub(super) sketch: Sketch,
}

/// The first and the last origin of a value, encoded.
type Origins = (Box<[u8]>, Box<[u8]>);

/// A value with one item: the bytes of that, the effective partition key, the value, encoded.
type Heavy = (u64, Reverse<Box<[u8]>>, Box<[u8]>);

/// The heaviest of the values with one item. A value that is not among the first of all by its bytes is
/// not needed: whatever of these gets more items only moves up.
#[derive(Debug, Clone, Default)]
struct Heaviest {
    count: usize,
    heap: BinaryHeap<Reverse<Heavy>>,
}

impl Heaviest {
    fn offer(&mut self, bytes: u64, key: &Key) {
        if self.count == 0 {
            return;
        }
        if self.heap.len() == self.count {
            let is_below = self.heap.peek().is_some_and(|Reverse((least, last, _))| {
                (bytes, Reverse(key.epk)) < (*least, Reverse(&*last.0))
            });
            if is_below {
                return;
            }
            self.heap.pop();
        }
        self.heap
            .push(Reverse((bytes, Reverse(key.epk.into()), key.value.into())));
    }
}

/// The hash that a value is known by.
pub(super) fn hash_of(epk: &[u8]) -> [u8; KEY_BYTES] {
    // The 128-bit prime of FNV-1a, over sixteen bytes at a time.
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    if let Ok(key) = epk.try_into() {
        return key;
    }
    let mut hash = epk.len() as u128;
    for chunk in epk.chunks(KEY_BYTES) {
        let mut block = [0; KEY_BYTES];
        block[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u128::from_be_bytes(block)).wrapping_mul(PRIME);
        hash ^= hash >> 67;
    }
    hash.to_be_bytes()
}

/// The part of a hash that the index goes by: the first two bits of a key are never set.
pub(super) fn last_half(key: &[u8; KEY_BYTES]) -> u64 {
    u128::from_be_bytes(*key) as u64
}

/// Appends a record, with its texts or without, and gives its place.
fn append_record(key: &Key, keeps: bool, records: &mut Vec<u8>) -> u64 {
    let keeps = keeps && !key.value.is_empty();
    let has_epk = key.epk.len() != KEY_BYTES;
    if !keeps && !has_epk {
        return NOWHERE;
    }
    let place = records.len() as u64;
    let epk = if has_epk { key.epk } else { &[] };
    let value = if keeps { key.value } else { &[] };
    for part in [epk, value] {
        encoded::append_bytes(part, records);
    }
    if keeps {
        encoded::append_bytes(key.origin, records);
    }
    place
}

/// The effective partition key, the value and the origin in the record at a place.
fn parts(records: &[u8], place: u64) -> Option<(&[u8], &[u8], &[u8])> {
    let mut rest = records.get(usize::try_from(place).ok()?..)?;
    let mut part = || encoded::bytes(&mut rest);
    let (epk, value) = (part()?, part()?);
    let origin = if value.is_empty() { &[] } else { part()? };
    Some((epk, value, origin))
}

/// Whether a hash has so many zeros, as one of `2^zeros` has.
pub(super) fn has_zeros(hash: &[u8; KEY_BYTES], zeros: u32) -> bool {
    last_half(hash).wrapping_mul(SPREAD).leading_zeros() >= zeros
}

impl Table {
    /// An empty table.
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            entries: Vec::new(),
            index: HashTable::new(),
            several: Vec::new(),
            records: Vec::new(),
            origins: BTreeMap::new(),
            heaviest: Heaviest {
                count: if limits.keeps_texts { 0 } else { limits.named },
                heap: BinaryHeap::new(),
            },
            whole_keys: true,
            limits,
            text_bytes: 0,
            thinned: None,
        }
    }

    /// All of it, and leaves an empty one.
    pub(super) fn take(&mut self) -> Self {
        let empty = Self::new(self.limits);
        std::mem::replace(self, empty)
    }

    /// Whether origins are themselves the values that end in one key.
    pub(super) fn origins_are_values(&self) -> bool {
        self.limits.origins_are_values
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Gets the places of keys that are to be added from memory, all at once: one after the other
    /// would wait for each. Gives how many there are, so that it is not left out.
    pub(super) fn fetch<'a>(&self, epks: impl Iterator<Item = &'a [u8]>) -> usize {
        if self.entries.len() < CACHED_MAX {
            return 0;
        }
        epks.map(hash_of)
            .filter(|hash| self.keeps(hash) && self.find(hash).is_some())
            .count()
    }

    fn find(&self, hash: &[u8; KEY_BYTES]) -> Option<usize> {
        let is = |index: &u32| self.entries[*index as usize].key == *hash;
        let found = self.index.find(last_half(hash), is);
        found.map(|index| *index as usize)
    }

    /// Adds items of a value.
    pub(super) fn add(&mut self, key: &Key, sums: &Sums) {
        let hash = hash_of(key.epk);
        if let Some(thinned) = &mut self.thinned {
            thinned.sketch.add(&hash, key, sums);
        }
        self.keep(hash, key, sums);
    }

    /// Adds items of a value to those that are kept, where it is one of them.
    fn keep(&mut self, hash: [u8; KEY_BYTES], key: &Key, sums: &Sums) {
        if !self.keeps(&hash) {
            return;
        }
        match self.find(&hash) {
            Some(index) => self.add_to(index, key, sums),
            None => self.insert(hash, key, sums),
        }
        while self.memory() > self.limits.memory {
            self.thin(self.thinned.as_ref().map_or(0, |thinned| thinned.zeros + 1));
        }
    }

    /// Whether the value of a hash is kept.
    pub(super) fn keeps(&self, hash: &[u8; KEY_BYTES]) -> bool {
        let zeros = self.thinned.as_ref().map_or(0, |thinned| thinned.zeros);
        has_zeros(hash, zeros)
    }

    /// Bytes that the values take. Of the same values it is the same in any order, and of more it is
    /// more, so that how far a table is thinned depends on its values alone.
    fn memory(&self) -> u64 {
        let values = self.entries.len() as u64 * VALUE_BYTES;
        values + self.several.len() as u64 * SEVERAL_BYTES + self.text_bytes
    }

    fn insert(&mut self, hash: [u8; KEY_BYTES], key: &Key, sums: &Sums) {
        let all_texts = self.limits.keeps_texts;
        let is_few = self.thinned.is_none() && (self.entries.len() < TEXTS_MAX || sums.items > 1);
        let place = self.record(key, all_texts || is_few);
        self.text_bytes += match (all_texts, self.limits.origins_are_values) {
            // The origin is about as long.
            (true, false) => 2 * key.value.len(),
            // Which of several values of a key comes first depends on the order.
            (true, true) => 2 * key.epk.len(),
            (false, _) if sums.items > 1 && self.thinned.is_none() => key.value.len(),
            (false, _) => 0,
        } as u64;
        if key.epk.len() != KEY_BYTES {
            self.text_bytes += key.epk.len() as u64;
        }
        let (bytes, more) = self.packed(sums);
        if sums.items == 1 {
            self.heaviest.offer(sums.bytes, key);
        }
        let index = self.entries.len() as u32;
        self.entries.push(Entry {
            key: hash,
            place,
            bytes,
            more,
        });
        let entries = &self.entries;
        self.index.insert_unique(last_half(&hash), index, |index| {
            last_half(&entries[*index as usize].key)
        });
    }

    fn add_to(&mut self, index: usize, key: &Key, sums: &Sums) {
        let entry = self.entries[index];
        let names_it = self.thinned.is_none() || self.limits.keeps_texts;
        if names_it && !key.value.is_empty() && self.value_of(&entry).is_none() {
            self.entries[index].place = self.record(key, true);
        }
        if !key.origin.is_empty() {
            self.compare_origins(&entry, key.origin);
        }
        let mut all = self.sums(&entry);
        if all.items == 1 && names_it && !self.limits.keeps_texts {
            self.text_bytes += key.value.len() as u64;
        }
        all.merge(sums);
        if entry.bytes == SEVERAL {
            self.several[entry.more as usize] = all;
        } else {
            self.entries[index].bytes = SEVERAL;
            self.entries[index].more = self.several.len() as u32;
            self.several.push(all);
        }
    }

    /// Keeps only values whose hash has so many zeros, without their texts but where all are kept; of
    /// all values a sketch.
    fn thin(&mut self, zeros: u32) {
        let mut thinned = match self.thinned.take() {
            Some(thinned) => thinned,
            None => Box::new(Thinned {
                zeros: 0,
                sketch: self.sketch(),
            }),
        };
        thinned.zeros = thinned.zeros.max(zeros);
        let old_records = std::mem::take(&mut self.records);
        let old_several = std::mem::take(&mut self.several);
        let mut text_bytes = 0;
        let limits = self.limits;
        self.entries.retain_mut(|entry| {
            let keeps = has_zeros(&entry.key, thinned.zeros);
            if keeps {
                let (epk, value, origin) = parts(&old_records, entry.place).unwrap_or_default();
                let key = Key {
                    epk: if epk.is_empty() { &entry.key } else { epk },
                    value,
                    origin,
                };
                entry.place = append_record(&key, limits.keeps_texts, &mut self.records);
                text_bytes += epk.len() as u64;
                if limits.keeps_texts {
                    let text = if limits.origins_are_values {
                        key.epk
                    } else {
                        value
                    };
                    text_bytes += 2 * text.len() as u64;
                }
                if entry.bytes == SEVERAL {
                    self.several.push(old_several[entry.more as usize]);
                    entry.more = (self.several.len() - 1) as u32;
                }
            }
            keeps
        });
        self.text_bytes = text_bytes;
        self.origins
            .retain(|hash, _| has_zeros(hash, thinned.zeros));
        if thinned.zeros > 0 {
            self.heaviest = Heaviest::default();
        }
        self.index.clear();
        for (index, entry) in self.entries.iter().enumerate() {
            let hash = |index: &u32| last_half(&self.entries[*index as usize].key);
            self.index
                .insert_unique(last_half(&entry.key), index as u32, hash);
        }
        self.thinned = Some(thinned);
    }

    fn empty_sketch(&self) -> Sketch {
        Sketch::new(self.limits.levels, self.limits.memory / SKETCH_PART)
    }

    /// A sketch of the values that are there.
    fn sketch(&self) -> Sketch {
        let mut sketch = self.empty_sketch();
        for entry in &self.entries {
            let (_, value, origin) = self.parts(entry).unwrap_or_default();
            let epk = self.epk_of(entry);
            sketch.add(&entry.key, &Key { epk, value, origin }, &self.sums(entry));
        }
        // Items so large that one alone makes its value heavy.
        for Reverse((_, epk, value)) in &self.heaviest.heap {
            sketch.name(&hash_of(&epk.0), value);
        }
        sketch
    }

    /// The sums of one item that fit into an entry, or their index.
    fn packed(&mut self, sums: &Sums) -> (u32, u32) {
        let time = sums.times.map_or(Some(0), |(first, _)| {
            u32::try_from(first).ok().filter(|time| *time > 0)
        });
        let bytes = u32::try_from(sums.bytes).ok();
        if let (1, Some(time), Some(bytes)) = (sums.items, time, bytes)
            && bytes != SEVERAL
        {
            return (bytes, time);
        }
        self.several.push(*sums);
        (SEVERAL, (self.several.len() - 1) as u32)
    }

    fn record(&mut self, key: &Key, keeps: bool) -> u64 {
        self.whole_keys &= key.epk.len() == KEY_BYTES;
        append_record(key, keeps, &mut self.records)
    }

    /// The effective partition key, the value and the origin in the record of an entry.
    fn parts(&self, entry: &Entry) -> Option<(&[u8], &[u8], &[u8])> {
        parts(&self.records, entry.place)
    }

    /// The bytes of the effective partition key of an entry.
    pub(super) fn epk_of<'a>(&'a self, entry: &'a Entry) -> &'a [u8] {
        if self.whole_keys {
            return &entry.key;
        }
        let of_record = self.parts(entry).map(|(epk, ..)| epk);
        of_record
            .filter(|epk| !epk.is_empty())
            .unwrap_or(&entry.key)
    }

    /// The encoded value of an entry, where it is known.
    pub(super) fn value_of(&self, entry: &Entry) -> Option<&[u8]> {
        self.parts(entry)
            .map(|(_, value, _)| value)
            .filter(|value| !value.is_empty())
    }

    /// What an entry's items sum up to.
    pub(super) fn sums(&self, entry: &Entry) -> Sums {
        if entry.bytes == SEVERAL {
            return self.several[entry.more as usize];
        }
        let time = (entry.more > 0).then_some(i64::from(entry.more));
        Sums::of_item(u64::from(entry.bytes), time)
    }

    /// Notes an origin of an entry that differs from its first.
    fn compare_origins(&mut self, entry: &Entry, origin: &[u8]) {
        let first = self.parts(entry).map_or(&[][..], |(.., origin)| origin);
        if first == origin || first.is_empty() {
            return;
        }
        let known = self.origins.get(&entry.key).cloned();
        let (mut low, mut high) = known.unwrap_or_else(|| (first.into(), first.into()));
        let value = |bytes: &[u8]| encoded::value(&mut &*bytes);
        if value(origin) < value(&low) {
            low = origin.into();
        }
        if value(origin) > value(&high) {
            high = origin.into();
        }
        self.origins.insert(entry.key, (low, high));
    }

    /// The values with several origins: value, first and last origin, encoded.
    pub(super) fn collisions(&self) -> impl Iterator<Item = (&[u8], &[u8], &[u8])> {
        let several = self
            .entries
            .iter()
            .filter(|entry| self.origins.contains_key(&entry.key));
        several.filter_map(|entry| {
            let (first, last) = self.origins.get(&entry.key)?;
            Some((self.value_of(entry)?, &**first, &**last))
        })
    }

    /// The first origin of an entry with several.
    pub(super) fn first_origin(&self, entry: &Entry) -> Option<&[u8]> {
        self.origins.get(&entry.key).map(|(first, _)| &**first)
    }

    /// Adds all of another table.
    pub(super) fn merge(&mut self, other: &Self) {
        if let Some(theirs) = &other.thinned {
            self.thin(theirs.zeros);
            if let Some(mine) = &mut self.thinned {
                mine.sketch.merge(&theirs.sketch);
            }
        }
        for entry in &other.entries {
            let (_, value, origin) = other.parts(entry).unwrap_or_default();
            let key = Key {
                epk: other.epk_of(entry),
                value,
                origin,
            };
            if other.thinned.is_some() {
                self.keep(entry.key, &key, &other.sums(entry));
            } else {
                self.add(&key, &other.sums(entry));
            }
        }
        for (bytes, epk, value) in other.heaviest.heap.iter().map(|one| &one.0) {
            let key = Key {
                epk: &epk.0,
                value,
                origin: &[],
            };
            self.heaviest.offer(*bytes, &key);
        }
        for (hash, (first, last)) in &other.origins {
            if let Some(entry) = self.find(hash).map(|index| self.entries[index]) {
                self.compare_origins(&entry, first);
                self.compare_origins(&entry, last);
            }
        }
    }

    /// Puts the values in the order of their effective partition keys; nothing can be added then. Only
    /// what is known whatever the order in which the items came is then known of a value. Gives what is
    /// known of values that are not there.
    pub(super) fn sort(&mut self) -> Option<Rest> {
        let thinned = self.thinned.take();
        if !self.limits.keeps_texts && (thinned.is_some() || self.entries.len() > TEXTS_MAX) {
            self.forget();
        }
        let rest = thinned.and_then(|thinned| self.with_heavy(*thinned));
        self.index = HashTable::new();
        let mut entries = std::mem::take(&mut self.entries);
        if self.whole_keys {
            entries.sort_unstable_by_key(|entry| u128::from_be_bytes(entry.key));
        } else {
            entries.sort_unstable_by(|one, other| self.epk_of(one).cmp(self.epk_of(other)));
        }
        entries.shrink_to_fit();
        self.entries = entries;
        rest
    }

    /// Names the heavy values of a sketch, and adds those that are not kept.
    fn with_heavy(&mut self, thinned: Thinned) -> Option<Rest> {
        let Thinned { zeros, sketch } = thinned;
        let mut certain = HashSet::default();
        for (hash, heavy, sums) in sketch.heavy() {
            certain.insert(hash);
            let key = Key {
                epk: &heavy.epk,
                value: &heavy.value,
                origin: &[],
            };
            match self.find(&hash) {
                Some(index) if self.value_of(&self.entries[index]).is_none() => {
                    self.entries[index].place = self.record(&key, true);
                }
                Some(_) => {}
                None => self.insert(hash, &key, &sums),
            }
        }
        (zeros > 0).then_some(Rest {
            zeros,
            certain,
            sketch,
        })
    }

    /// Forgets the texts of values with one item but for the heaviest.
    fn forget(&mut self) {
        let heaviest = std::mem::take(&mut self.heaviest.heap).into_iter();
        let known: HashMap<usize, Box<[u8]>, FxBuildHasher> = heaviest
            .filter_map(|Reverse((_, epk, value))| Some((self.find(&hash_of(&epk.0))?, value)))
            .collect();
        let mut records = Vec::new();
        for index in 0..self.entries.len() {
            let entry = self.entries[index];
            let of_record = || self.value_of(&entry).unwrap_or_default();
            let key = Key {
                epk: self.epk_of(&entry),
                value: match known.get(&index) {
                    Some(value) => value,
                    None if self.sums(&entry).items > 1 => of_record(),
                    None => &[],
                },
                origin: &[],
            };
            self.entries[index].place = append_record(&key, true, &mut records);
        }
        self.records = records;
    }
}
