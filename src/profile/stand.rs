//! What the logical partitions that are kept stand for, where memory does not hold all of them.

use std::ops::Range;

use super::sketch::{BUCKETS, bucket_of};
use super::sums::Load;
use super::table::{Entry, KEY_BYTES, Rest, Table, has_zeros};

/// Standard deviations on each side of a 95 % interval.
const DEVIATIONS: f64 = 1.96;

/// What is known of logical partitions of which some stand for the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approximation {
    /// Logical partitions that are kept, each with all of its items.
    pub kept: u64,
    /// How many each of them stands for, but for the heavy ones.
    pub stands_for: u64,
    /// The 95 % margin of their number, as a share of it.
    pub count_margin: f64,
    /// A value with at least this share of all items, or of all bytes, is certainly known.
    pub heavy_share: f64,
    /// The share of all items, or bytes, by which that of a heavy value that is not kept can be wrong, in
    /// all but one of fifty cases.
    pub heavy_error: f64,
}

/// What each logical partition stands for.
#[derive(Debug, Clone)]
pub(super) struct Stands {
    approximation: Approximation,
    zeros: u32,
    /// By place: for how many, and their load.
    each: Vec<(u64, Load)>,
    level_counts: Vec<u64>,
    /// Items and bytes of a logical partition that is not here, on average.
    mean: Load,
}

impl Stands {
    /// Shares the exact load of each range of effective partition keys among those kept that lie in it:
    /// the heavy ones have their own, the others what is left, as they have themselves. So the load of
    /// physical partitions is right to within such a range.
    pub(super) fn of(table: &Table, rest: Rest) -> Self {
        let Rest {
            zeros,
            certain,
            sketch,
        } = rest;
        let entries = &table.entries;
        let is_certain = |entry: &Entry| certain.contains(&entry.key);
        let mut each = Vec::with_capacity(entries.len());
        let mut left = Load::default();
        let mut start = 0;
        for (bucket, load) in sketch.buckets().iter().enumerate() {
            let end = match bucket + 1 {
                BUCKETS => entries.len(),
                next => entries.partition_point(|entry| bucket_of(table.epk_of(entry)) < next),
            };
            left.add(*load);
            share(table, start..end, &is_certain, &mut left, &mut each);
            start = end;
        }
        if let Some((_, last)) = each.last_mut() {
            last.add(left);
        }
        for ((stands_for, _), entry) in each.iter_mut().zip(entries) {
            *stands_for = if is_certain(entry) { 1 } else { 1 << zeros };
        }
        let heavy = entries.iter().filter(|entry| is_certain(entry)).count() as u64;
        let kept = entries.len() as u64 - heavy;
        // No value is without an item.
        let count = (heavy + (kept << zeros)).min(sketch.all().load().items);
        // Each value is kept or not, with equal chances.
        let deviation = (kept as f64 * (1.0 - 0.5_f64.powi(zeros as i32))).sqrt();
        let mut level_counts: Vec<u64> = sketch.prefix_counts().collect();
        level_counts.push(count);
        let heavy_load = entries.iter().filter(|entry| is_certain(entry));
        let mut mean = sketch.all().load();
        for entry in heavy_load {
            let load = table.sums(entry).load();
            mean.items = mean.items.saturating_sub(load.items);
            mean.bytes = mean.bytes.saturating_sub(load.bytes);
        }
        let others = (kept << zeros).max(1);
        Self {
            approximation: Approximation {
                kept: entries.len() as u64,
                stands_for: 1 << zeros,
                count_margin: DEVIATIONS * deviation / (kept as f64).max(1.0),
                heavy_share: sketch.heavy_share(),
                heavy_error: sketch.error_share(),
            },
            zeros,
            each,
            level_counts,
            mean: Load {
                items: (mean.items / others).max(1),
                bytes: mean.bytes / others,
            },
        }
    }

    pub(super) fn approximation(&self) -> &Approximation {
        &self.approximation
    }

    /// How many logical partitions there are.
    pub(super) fn count(&self) -> u64 {
        self.level_counts.last().copied().unwrap_or(0)
    }

    /// How many distinct prefixes of each number of levels there are.
    pub(super) fn level_counts(&self) -> Vec<u64> {
        self.level_counts.clone()
    }

    /// For how many the one at a place stands, and their load.
    pub(super) fn at(&self, place: usize) -> (u64, Load) {
        self.each
            .get(place)
            .copied()
            .unwrap_or((1, Load::default()))
    }

    /// Whether the value of a hash would be here if it had items.
    pub(super) fn would_keep(&self, hash: &[u8; KEY_BYTES]) -> bool {
        has_zeros(hash, self.zeros)
    }

    /// Items and bytes of a logical partition that is not here, on average.
    pub(super) fn mean(&self) -> (u64, u64) {
        (self.mean.items, self.mean.bytes)
    }
}

/// Shares what is left among the entries at some places, and leaves what none of them can take.
fn share(
    table: &Table,
    places: Range<usize>,
    is_certain: &impl Fn(&Entry) -> bool,
    left: &mut Load,
    each: &mut Vec<(u64, Load)>,
) {
    let entries = &table.entries[places];
    let mut own = Load::default();
    for entry in entries {
        let load = table.sums(entry).load();
        if is_certain(entry) {
            // An estimate can be more than there is.
            let taken = Load {
                items: load.items.min(left.items),
                bytes: load.bytes.min(left.bytes),
            };
            left.items -= taken.items;
            left.bytes -= taken.bytes;
            each.push((1, taken));
        } else {
            own.add(load);
            each.push((1, load));
        }
    }
    if own.items == 0 {
        return;
    }
    let (whole, first) = (*left, each.len() - entries.len());
    // What is given so far, of all and of their own: rounding loses nothing.
    let (mut given, mut passed) = (Load::default(), Load::default());
    for (entry, (_, load)) in entries.iter().zip(&mut each[first..]) {
        if is_certain(entry) {
            continue;
        }
        passed.add(*load);
        let upto = Load {
            items: part(whole.items, passed.items, own.items),
            bytes: part(whole.bytes, passed.bytes, own.bytes),
        };
        *load = Load {
            items: upto.items - given.items,
            bytes: upto.bytes - given.bytes,
        };
        given = upto;
    }
    left.items -= given.items;
    left.bytes -= given.bytes;
}

/// `whole * part / of`; nothing of nothing.
fn part(whole: u64, part: u64, of: u64) -> u64 {
    (u128::from(whole) * u128::from(part) / u128::from(of.max(1))) as u64
}
