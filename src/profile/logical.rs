//! The logical partitions of a candidate in the order of their keys.

use std::ops::Range;

use smallvec::SmallVec;

use super::stand::{Approximation, Stands};
use super::sums::Sums;
use super::table::{Entry, Key, Limits, Table, hash_of};
use crate::model::encoded;
use crate::model::{Epk, Field, KeyComponent, KeyValue};

/// The logical partitions of a candidate, in the order of their effective partition keys: all of them, or
/// of more than memory holds some that stand for the rest.
#[derive(Debug, Clone)]
pub struct LogicalPartitions {
    table: Table,
    /// What each stands for; `None` where all are there.
    stands: Option<Stands>,
}

/// The items that share one key value.
#[derive(Debug, Clone, Copy)]
pub struct LogicalPartition<'a> {
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
    /// How many logical partitions of its like it stands for, itself included: one where all are there.
    pub stands_for: u64,
    /// Items of all those that it stands for.
    pub all_items: u64,
    /// Bytes of all those that it stands for.
    pub all_bytes: u64,
    of: &'a Table,
    entry: &'a Entry,
}

/// What a test says of one logical partition.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The effective partition key.
    pub epk: Option<Epk>,
    /// The key value.
    pub value: Option<KeyValue>,
    /// Number of items.
    pub items: u64,
    /// Sum of their sizes.
    pub bytes: u64,
    /// Sum of the squares of the sizes.
    pub squared_bytes: u64,
    /// The time of the first and of the last item.
    pub times: Option<(i64, i64)>,
    /// Items that tell their time.
    pub timed_items: u64,
}

impl LogicalPartitions {
    /// Those of a table.
    pub(super) fn of(mut table: Table) -> Self {
        let rest = table.sort();
        let stands = rest.map(|rest| Stands::of(&table, rest));
        Self { table, stands }
    }

    /// Logical partitions that are given one by one.
    pub fn given(all: impl IntoIterator<Item = Given>) -> Self {
        let mut table = Table::new(Limits {
            named: 0,
            levels: 1,
            memory: u64::MAX,
            keeps_texts: true,
            origins_are_values: false,
        });
        for one in all {
            let mut value = Vec::new();
            let components = one.value.iter().flat_map(|value| &value.0);
            let components: Vec<&KeyComponent> = components.collect();
            encoded::append(components.iter().map(|one| one.field()), &mut value);
            let epk = one.epk.unwrap_or(Epk::MIN);
            let key = Key {
                epk: epk.as_bytes(),
                value: &value,
                origin: &[],
            };
            let sums = Sums {
                items: one.items,
                bytes: one.bytes,
                squared_bytes: one.squared_bytes,
                times: one.times,
                timed_items: one.timed_items,
            };
            table.add(&key, &sums);
        }
        Self::of(table)
    }

    /// How many logical partitions there are, those included that others stand for.
    pub fn count(&self) -> u64 {
        match &self.stands {
            Some(stands) => stands.count(),
            None => self.len() as u64,
        }
    }

    /// What is known where not all are there; `None` where they are.
    pub fn approximation(&self) -> Option<&Approximation> {
        self.stands.as_ref().map(Stands::approximation)
    }

    /// Items and bytes of the logical partition with a key: none where there is none, and the mean of
    /// those that others stand for where it may be one of them.
    pub fn load_of(&self, epk: &Epk) -> (u64, u64) {
        let one = self.slice(self.below(epk)..self.up_to(epk)).next();
        match (one, &self.stands) {
            (Some(one), _) => (one.items, one.bytes),
            (None, Some(stands)) if !stands.would_keep(&hash_of(epk.as_bytes())) => stands.mean(),
            (None, _) => (0, 0),
        }
    }

    /// How many of them are here; each has a place in their order.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = LogicalPartition<'_>> + Clone {
        self.slice(0..self.len())
    }

    /// Some of them, by their places in the order.
    pub fn slice(
        &self,
        places: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = LogicalPartition<'_>> + Clone {
        let entries = self.table.entries.get(places.clone());
        places
            .zip(entries.unwrap_or_default())
            .map(|(place, entry)| self.at(place, entry))
    }

    fn at<'a>(&'a self, place: usize, entry: &'a Entry) -> LogicalPartition<'a> {
        let sums = self.table.sums(entry);
        let (stands_for, load) = match &self.stands {
            Some(stands) => stands.at(place),
            None => (1, sums.load()),
        };
        LogicalPartition {
            items: sums.items,
            bytes: sums.bytes,
            squared_bytes: sums.squared_bytes,
            times: sums.times,
            timed_items: sums.timed_items,
            stands_for,
            all_items: load.items,
            all_bytes: load.bytes,
            of: &self.table,
            entry,
        }
    }

    /// How many have a key below this one.
    pub fn below(&self, epk: &Epk) -> usize {
        let bytes = epk.as_bytes();
        let entries = &self.table.entries;
        entries.partition_point(|entry| self.table.epk_of(entry) < bytes)
    }

    /// How many have a key up to this one.
    pub fn up_to(&self, epk: &Epk) -> usize {
        let bytes = epk.as_bytes();
        let entries = &self.table.entries;
        entries.partition_point(|entry| self.table.epk_of(entry) <= bytes)
    }

    /// How many distinct prefixes of one to so many levels there are. Each level hashes to as many
    /// bytes, so equal prefixes stand side by side.
    pub(super) fn level_counts(&self, levels: usize) -> Vec<u64> {
        if let Some(stands) = &self.stands {
            return stands.level_counts();
        }
        let mut counts = vec![0; levels];
        let mut before: &[u8] = &[];
        for entry in &self.table.entries {
            let epk = self.table.epk_of(entry);
            let level_bytes = epk.len() / levels;
            let same = epk.iter().zip(before).take_while(|(a, b)| a == b).count();
            let same_levels = if before.is_empty() {
                0
            } else {
                same / level_bytes.max(1)
            };
            for count in counts.iter_mut().skip(same_levels) {
                *count += 1;
            }
            before = epk;
        }
        counts
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }
}

impl<'a> LogicalPartition<'a> {
    /// The effective partition key, which is what makes the partition one.
    pub fn epk(&self) -> Epk {
        Epk::from_bytes(self.epk_bytes().to_vec())
    }

    /// The bytes of the effective partition key.
    pub fn epk_bytes(&self) -> &'a [u8] {
        self.of.epk_of(self.entry)
    }

    /// The key value; where version 1 makes several values one partition, the first in their order.
    /// Of very many values those of the heaviest and of those with several items are known.
    pub fn value(&self) -> Option<KeyValue> {
        let fields = self.components()?;
        Some(KeyValue(
            fields.iter().map(|field| field.component()).collect(),
        ))
    }

    /// The components of the key value, as far as that is known.
    pub fn components(&self) -> Option<SmallVec<[Field<'a>; 3]>> {
        let mut bytes = self.of.value_of(self.entry)?;
        // The origins of a concatenation all make the same value.
        if self.of.origins_are_values()
            && let Some(mut first) = self.of.first_origin(self.entry)
        {
            return encoded::fields(&mut first);
        }
        encoded::fields(&mut bytes)
    }
}
