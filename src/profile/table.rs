//! What the items of each key value sum up to, in little room: most values of a key such as `/id` have
//! one item, so that a value takes 32 bytes, and more only where it has several items.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

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
    /// Whether all texts are kept.
    keeps_texts: bool,
    /// Whether origins are themselves the values that end in one key, as with version 1.
    pub(super) origins_are_values: bool,
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
        encoded::append_length(part.len(), records);
        records.extend(part);
    }
    if keeps {
        encoded::append_length(key.origin.len(), records);
        records.extend(key.origin);
    }
    place
}

impl Table {
    /// An empty table that names this many of the heaviest values, or all.
    pub(super) fn new(named: usize, keeps_texts: bool) -> Self {
        Self {
            entries: Vec::new(),
            index: HashTable::new(),
            several: Vec::new(),
            records: Vec::new(),
            origins: BTreeMap::new(),
            heaviest: Heaviest {
                count: if keeps_texts { 0 } else { named },
                heap: BinaryHeap::new(),
            },
            whole_keys: true,
            keeps_texts,
            origins_are_values: false,
        }
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
        epks.filter(|epk| self.find(&hash_of(epk)).is_some())
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
        match self.find(&hash) {
            Some(index) => self.add_to(index, key, sums),
            None => self.insert(hash, key, sums),
        }
    }

    fn insert(&mut self, hash: [u8; KEY_BYTES], key: &Key, sums: &Sums) {
        let keeps = self.keeps_texts || self.entries.len() < TEXTS_MAX || sums.items > 1;
        let place = self.record(key, keeps);
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
        if !key.value.is_empty() && self.value_of(&entry).is_none() {
            self.entries[index].place = self.record(key, true);
        }
        if !key.origin.is_empty() {
            self.compare_origins(&entry, key.origin);
        }
        if entry.bytes == SEVERAL {
            self.several[entry.more as usize].merge(sums);
        } else {
            let mut all = self.sums(&entry);
            all.merge(sums);
            self.entries[index].bytes = SEVERAL;
            self.entries[index].more = self.several.len() as u32;
            self.several.push(all);
        }
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
        let mut rest = self.records.get(usize::try_from(entry.place).ok()?..)?;
        let mut part = || {
            let length = encoded::length(&mut rest)?;
            let (part, behind) = rest.split_at_checked(length)?;
            rest = behind;
            Some(part)
        };
        let (epk, value) = (part()?, part()?);
        let origin = if value.is_empty() { &[] } else { part()? };
        Some((epk, value, origin))
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
        for entry in &other.entries {
            let (_, value, origin) = other.parts(entry).unwrap_or_default();
            let key = Key {
                epk: other.epk_of(entry),
                value,
                origin,
            };
            self.add(&key, &other.sums(entry));
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
    /// what is known whatever the order in which the items came is then known of a value.
    pub(super) fn sort(&mut self) {
        if !self.keeps_texts && self.entries.len() > TEXTS_MAX {
            self.forget();
        }
        self.index = HashTable::new();
        let mut entries = std::mem::take(&mut self.entries);
        if self.whole_keys {
            entries.sort_unstable_by_key(|entry| u128::from_be_bytes(entry.key));
        } else {
            entries.sort_unstable_by(|one, other| self.epk_of(one).cmp(self.epk_of(other)));
        }
        entries.shrink_to_fit();
        self.entries = entries;
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
