//! What is known of all values of a key of which not all fit into memory: sums that share their room,
//! from which the heavy values are sized, and exact sums of ranges of effective partition keys.
//!
//! Nothing here depends on the order in which items come, so parts of the data merge to the whole.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::in_order;
use super::sums::{Load, Sums};
use super::table::{KEY_BYTES, Key, hash_of, last_half};

/// Rows of sums: of each a value has one, and the least of them is closest to its own.
const ROWS: usize = 4;

/// Most and fewest sums in a row; powers of two.
const WIDTH_MAX: usize = 1 << 15;
const WIDTH_MIN: usize = 1 << 8;

/// So many times the mean sum of a row make a value heavy.
const HEAVY_MEANS: u64 = 32;

/// Ranges of effective partition keys whose sums are exact; of version 2 the first two bits of a key
/// are never set, so that these go by the next twelve.
pub(super) const BUCKETS: usize = 1 << 12;

/// Most distinct prefixes of a level that are counted one by one.
const PREFIXES_MAX: usize = 1 << 14;

/// Spreads the halves of a hash.
const SPREAD: u64 = 0xD6E8_FEB8_6659_FD93;

/// What is known of all values of a key together, and of the heavy ones one by one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Sketch {
    /// Sums in a row.
    width: usize,
    /// The rows, one behind the other (count-min sketch, Cormode and Muthukrishnan 2005).
    cells: Vec<Load>,
    all: Sums,
    buckets: Vec<Load>,
    /// Values that may be heavy.
    #[serde(with = "in_order")]
    heavy: HashMap<[u8; KEY_BYTES], HeavyValue, FxBuildHasher>,
    /// The distinct prefixes of each level but the last.
    prefixes: Vec<Prefixes>,
}

/// A heavy value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HeavyValue {
    pub(super) epk: Box<[u8]>,
    /// The value, encoded; empty where it is not known.
    pub(super) value: Box<[u8]>,
}

/// Distinct prefixes: all of them up to a bound, and of more those with a hash that has enough zeros.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Prefixes {
    zeros: u32,
    #[serde(serialize_with = "in_order::set")]
    seen: HashSet<u64, FxBuildHasher>,
}

impl Sketch {
    /// An empty one for a key of so many levels that takes about this many bytes.
    pub(super) fn new(levels: usize, bytes: u64) -> Self {
        let row_bytes = (ROWS * size_of::<Load>()) as u64;
        let width = usize::try_from(bytes / row_bytes).unwrap_or(WIDTH_MAX);
        // The power of two below.
        let width = 1 << width.clamp(WIDTH_MIN, WIDTH_MAX).ilog2();
        Self {
            width,
            cells: vec![Load::default(); ROWS * width],
            all: Sums::default(),
            buckets: vec![Load::default(); BUCKETS],
            heavy: HashMap::default(),
            prefixes: vec![Prefixes::default(); levels.saturating_sub(1)],
        }
    }

    /// The share of all items, or of all bytes, from which on a value is certainly among the heavy ones.
    pub(super) fn heavy_share(&self) -> f64 {
        HEAVY_MEANS as f64 / self.width as f64
    }

    /// The share of all by which the size of a heavy value is seldom too large: `e / width`, less often
    /// than once in `e^4` times.
    pub(super) fn error_share(&self) -> f64 {
        std::f64::consts::E / self.width as f64
    }

    /// The sums of all items.
    pub(super) fn all(&self) -> &Sums {
        &self.all
    }

    /// The exact load of each range of effective partition keys.
    pub(super) fn buckets(&self) -> &[Load] {
        &self.buckets
    }

    /// Adds items of a value.
    pub(super) fn add(&mut self, hash: &[u8; KEY_BYTES], key: &Key, sums: &Sums) {
        let load = sums.load();
        self.all.merge(sums);
        self.buckets[bucket_of(key.epk)].add(load);
        let mut least = Load {
            items: u64::MAX,
            bytes: u64::MAX,
        };
        for place in places(hash, self.width) {
            let cell = &mut self.cells[place];
            cell.add(load);
            least.items = least.items.min(cell.items);
            least.bytes = least.bytes.min(cell.bytes);
        }
        if self.may_be_heavy(least) {
            self.offer(*hash, key.epk, key.value);
        }
        let levels = self.prefixes.len() + 1;
        let level_bytes = key.epk.len() / levels;
        for (level, prefixes) in (1..levels).zip(&mut self.prefixes) {
            prefixes.add(&key.epk[..level * level_bytes]);
        }
    }

    /// Whether a value with such sums has half of what makes it heavy so far: so each that is heavy in
    /// the end is taken when its last item comes, or was before.
    fn may_be_heavy(&self, least: Load) -> bool {
        let half = |all: u64| (all.saturating_mul(HEAVY_MEANS / 2) / self.width as u64).max(1);
        least.items >= half(self.all.items) || least.bytes >= half(self.all.bytes)
    }

    /// Names a value, where it may be heavy.
    pub(super) fn name(&mut self, hash: &[u8; KEY_BYTES], value: &[u8]) {
        if let Some(heavy) = self.heavy.get_mut(hash)
            && heavy.value.is_empty()
        {
            heavy.value = value.into();
        }
    }

    /// Takes a value for one that may be heavy.
    fn offer(&mut self, hash: [u8; KEY_BYTES], epk: &[u8], value: &[u8]) {
        let known = self.heavy.entry(hash).or_insert_with(|| HeavyValue {
            epk: epk.into(),
            value: value.into(),
        });
        // With version 1 a key can have several values: the first in the order of bytes.
        let is_first = known.value.is_empty() || (!value.is_empty() && *value < *known.value);
        if is_first && known.value[..] != *value {
            known.value = value.into();
        }
        if self.heavy.len() > 8 * self.width / HEAVY_MEANS as usize {
            self.prune();
        }
    }

    fn prune(&mut self) {
        let mut heavy = std::mem::take(&mut self.heavy);
        heavy.retain(|hash, _| self.may_be_heavy(self.least(hash)));
        self.heavy = heavy;
    }

    fn least(&self, hash: &[u8; KEY_BYTES]) -> Load {
        let of = |part: fn(&Load) -> u64| {
            let cells = places(hash, self.width).map(|place| part(&self.cells[place]));
            cells.min().unwrap_or(0)
        };
        Load {
            items: of(|cell| cell.items),
            bytes: of(|cell| cell.bytes),
        }
    }

    /// Whether it has all of its sums, as one that was read may not.
    pub(super) fn is_whole(&self) -> bool {
        self.width.is_power_of_two()
            && (WIDTH_MIN..=WIDTH_MAX).contains(&self.width)
            && self.cells.len() == ROWS * self.width
            && self.buckets.len() == BUCKETS
    }

    /// Whether another one is of the same size.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.width == other.width && self.prefixes.len() == other.prefixes.len()
    }

    /// Adds what another one of the same size knows.
    pub(super) fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        for (mine, theirs) in self.cells.iter_mut().zip(&other.cells) {
            mine.add(*theirs);
        }
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            mine.add(*theirs);
        }
        for (mine, theirs) in self.prefixes.iter_mut().zip(&other.prefixes) {
            mine.merge(theirs);
        }
        #[expect(
            clippy::iter_over_hash_type,
            reason = "which are heavy in the end depends on their sums alone"
        )]
        for (hash, value) in &other.heavy {
            self.offer(*hash, &value.epk, &value.value);
        }
    }

    /// The heavy values with what their items sum up to, as far as the sums that they share tell: they
    /// are taken to vary in size, and to spread over time, as all items do.
    pub(super) fn heavy(&self) -> Vec<([u8; KEY_BYTES], &HeavyValue, Sums)> {
        let share = self.heavy_share();
        let is_heavy = |sums: &Sums| {
            sums.items as f64 >= share * self.all.items as f64
                || sums.bytes as f64 >= share * self.all.bytes as f64
        };
        let of = self.heavy.iter();
        let mut heavy: Vec<_> = of
            .map(|(hash, value)| (*hash, value, self.estimate(hash)))
            .filter(|(.., sums)| is_heavy(sums))
            .collect();
        heavy.sort_unstable_by(|(_, one, _), (_, other, _)| one.epk.cmp(&other.epk));
        heavy
    }

    /// What the items of a value sum up to: the least of its cells, after what others have put there
    /// on average was taken off each.
    fn estimate(&self, hash: &[u8; KEY_BYTES]) -> Sums {
        let own = |part: fn(&Load) -> u64, all: u64| {
            let of_cell = |place: usize| {
                let cell = part(&self.cells[place]);
                cell.saturating_sub((all - cell) / (self.width as u64 - 1))
            };
            places(hash, self.width).map(of_cell).min().unwrap_or(0)
        };
        let items = own(|cell| cell.items, self.all.items).max(1);
        let bytes = own(|cell| cell.bytes, self.all.bytes);
        let (all_items, all_bytes) = (self.all.items as f64, (self.all.bytes as f64).max(1.0));
        let unevenness = self.all.squared_bytes as f64 * all_items / (all_bytes * all_bytes);
        let timed = self.all.timed_items as f64 / all_items.max(1.0);
        Sums {
            items,
            bytes,
            squared_bytes: (bytes as f64 * bytes as f64 / items as f64 * unevenness) as u64,
            times: self.all.times,
            timed_items: (items as f64 * timed) as u64,
        }
    }

    /// How many distinct prefixes of each level but the last there are.
    pub(super) fn prefix_counts(&self) -> impl Iterator<Item = u64> {
        self.prefixes.iter().map(Prefixes::count)
    }
}

/// The cells of a value, one in each row.
fn places(hash: &[u8; KEY_BYTES], width: usize) -> impl Iterator<Item = usize> {
    let whole = u128::from_be_bytes(*hash);
    let start = (whole as u64).wrapping_mul(SPREAD);
    let step = ((whole >> 64) as u64).wrapping_mul(SPREAD) | 1;
    let shift = u64::BITS - width.ilog2();
    (0..ROWS).map(move |row| {
        let spread = start.wrapping_add(step.wrapping_mul(row as u64 + 1));
        row * width + (spread.wrapping_mul(SPREAD) >> shift) as usize
    })
}

/// The range that an effective partition key lies in, in the order of keys.
pub(super) fn bucket_of(epk: &[u8]) -> usize {
    let byte = |index: usize| usize::from(epk.get(index).copied().unwrap_or(0));
    ((byte(0) << 8 | byte(1)) >> 2).min(BUCKETS - 1)
}

impl Prefixes {
    fn add(&mut self, prefix: &[u8]) {
        let hash = last_half(&hash_of(prefix)).wrapping_mul(SPREAD);
        if hash.leading_zeros() >= self.zeros && self.seen.insert(hash) {
            self.thin();
        }
    }

    fn thin(&mut self) {
        while self.seen.len() > PREFIXES_MAX {
            self.zeros += 1;
            self.seen.retain(|hash| hash.leading_zeros() >= self.zeros);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.zeros = self.zeros.max(other.zeros);
        self.seen.extend(&other.seen);
        self.seen.retain(|hash| hash.leading_zeros() >= self.zeros);
        self.thin();
    }

    fn count(&self) -> u64 {
        (self.seen.len() as u64) << self.zeros
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_values_alike_few_are_held_to_be_heavy() {
        let mut sketch = Sketch::new(1, 1 << 21);
        let mut most = 0;
        for n in 0..40_000_u128 {
            let hash =
                (n.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835) >> 2).to_be_bytes();
            let key = Key {
                epk: &hash,
                value: b"value",
                origin: &[],
            };
            sketch.add(&hash, &key, &Sums::of_item(100, None));
            most = most.max(sketch.heavy.len());
        }
        // At first each is a large part of all.
        let bound = 8 * sketch.width / HEAVY_MEANS as usize;
        assert!(most < bound, "{most} of at most {bound}");
        sketch.prune();
        assert_eq!(sketch.heavy.len(), 0);
    }
}
