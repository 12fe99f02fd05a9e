//! Where the data of a candidate lies, in a form to ask for ranges of keys.

use crate::keys::Layout;
use crate::model::{Epk, EpkRange};
use crate::profile::LogicalPartitions;

/// The logical partitions of a candidate over a layout.
pub(super) struct DataMap<'a> {
    layout: &'a Layout,
    logical: &'a LogicalPartitions,
    /// Items and bytes of all logical partitions before each, and of all at the end.
    before: Vec<(u64, u64)>,
    /// The first logical partition of each physical one, and their number at the end.
    starts: Vec<usize>,
}

/// Items and bytes of part of the data on one physical partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Portion {
    /// Index of the physical partition.
    pub(super) partition: u32,
    /// Items.
    pub(super) items: u64,
    /// Bytes.
    pub(super) bytes: u64,
}

impl<'a> DataMap<'a> {
    /// Takes the logical partitions in the order of their keys.
    pub(super) fn new(layout: &'a Layout, logical: &'a LogicalPartitions) -> Self {
        let mut before = vec![(0, 0)];
        for one in logical.iter() {
            let (items, bytes) = before[before.len() - 1];
            before.push((items + one.all_items, bytes + one.all_bytes));
        }
        let mut starts: Vec<usize> = layout
            .ranges()
            .map(|(min, _)| logical.below(&min))
            .collect();
        starts.push(logical.len());
        Self {
            layout,
            logical,
            before,
            starts,
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        self.layout
    }

    /// All physical partitions with what they hold.
    pub(super) fn everything(&self) -> Vec<Portion> {
        (0..self.starts.len() - 1)
            .map(|partition| {
                self.portion(
                    partition,
                    self.starts[partition],
                    self.starts[partition + 1],
                )
            })
            .collect()
    }

    /// The physical partitions that ranges of keys touch, each once, with what they hold of them.
    pub(super) fn of(&self, ranges: &[EpkRange]) -> Vec<Portion> {
        let mut portions: Vec<Portion> = Vec::new();
        for range in ranges {
            if range.min == range.max && self.logical.approximation().is_some() {
                portions.push(self.point(&range.min));
                continue;
            }
            let (first, last) = (
                self.layout.partition_of(&range.min),
                self.layout.partition_of(&range.max),
            );
            let from = self.at(&range.min);
            // A point holds its key; a prefix ends before a key that no value has.
            let to = self.logical.up_to(&range.max);
            for partition in first..=last {
                let start = from.max(self.starts[partition]);
                let end = to.min(self.starts[partition + 1]).max(start);
                portions.push(self.portion(partition, start, end));
            }
        }
        portions.sort_unstable_by_key(|portion| portion.partition);
        portions.dedup_by(|later, kept| {
            let same = later.partition == kept.partition;
            if same {
                kept.items += later.items;
                kept.bytes += later.bytes;
            }
            same
        });
        portions
    }

    /// Whether there are items with a key, or may be.
    pub(super) fn holds(&self, key: &Epk) -> bool {
        self.logical.load_of(key).0 > 0
    }

    /// What one key has, where the place of it stands for others as well.
    fn point(&self, key: &Epk) -> Portion {
        let (items, bytes) = self.logical.load_of(key);
        Portion {
            partition: self.layout.partition_of(key) as u32,
            items,
            bytes,
        }
    }

    fn at(&self, key: &Epk) -> usize {
        self.logical.below(key)
    }

    fn portion(&self, partition: usize, start: usize, end: usize) -> Portion {
        let (before, behind) = (self.before[start], self.before[end]);
        Portion {
            partition: partition as u32,
            items: behind.0 - before.0,
            bytes: behind.1 - before.1,
        }
    }
}
