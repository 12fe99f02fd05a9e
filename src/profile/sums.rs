//! What the items of a key value sum up to.

use serde::{Deserialize, Serialize};

/// Items and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Load {
    pub(super) items: u64,
    pub(super) bytes: u64,
}

impl Load {
    /// Adds another one.
    pub(super) fn add(&mut self, other: Self) {
        self.items += other.items;
        self.bytes += other.bytes;
    }
}

/// Sums over items, in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Sums {
    /// Number of items.
    pub(super) items: u64,
    /// Their bytes.
    pub(super) bytes: u64,
    /// The squares of their sizes; stays at the largest number where it would pass it.
    pub(super) squared_bytes: u64,
    /// The time of the first and of the last, in seconds since 1970, where one tells its time.
    pub(super) times: Option<(i64, i64)>,
    /// Items that tell their time.
    pub(super) timed_items: u64,
}

impl Sums {
    /// Those of one item.
    pub(super) fn of_item(bytes: u64, time: Option<i64>) -> Self {
        Self {
            items: 1,
            bytes,
            squared_bytes: bytes.saturating_mul(bytes),
            times: time.map(|time| (time, time)),
            timed_items: u64::from(time.is_some()),
        }
    }

    /// How many items there are, and their bytes.
    pub(super) fn load(&self) -> Load {
        Load {
            items: self.items,
            bytes: self.bytes,
        }
    }

    /// Adds those of other items.
    pub(super) fn merge(&mut self, other: &Self) {
        self.items += other.items;
        self.bytes += other.bytes;
        self.squared_bytes = self.squared_bytes.saturating_add(other.squared_bytes);
        self.timed_items += other.timed_items;
        self.times = match (self.times, other.times) {
            (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
            (one, other) => one.or(other),
        };
    }
}
