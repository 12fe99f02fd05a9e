//! How the space of effective partition keys is cut into physical partitions.

use super::binary;
use crate::model::limits::V2_HASH_BITS;
use crate::model::{Epk, KeyComponent, KeyKind, KeyVersion};

/// The end of the hash space of version 2 and of each level of a hierarchical key.
const V2_HASH_MAX: u128 = (1 << V2_HASH_BITS) - 1;

/// Bytes of the effective key of version 2, and of each level of a hierarchical one.
const LEVEL_BYTES: usize = V2_HASH_BITS.div_ceil(8) as usize;

/// Physical partitions as ranges `[min, max)` that cover the whole space, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Where one partition ends and the next begins, ascending.
    boundaries: Vec<Epk>,
}

impl Layout {
    /// The layout of a new container: `partitions` equal parts of the hash space.
    ///
    /// Inner boundary i is `(MAX / n) * i` with integer division first, as in the service's shared
    /// code; `MAX` is 2^126 - 1, or 2^32 - 1 for version 1.
    pub fn equal(partitions: u32, kind: KeyKind, version: KeyVersion) -> Self {
        let count = u128::from(partitions.max(1));
        let max = if is_v1(kind, version) {
            u128::from(u32::MAX)
        } else {
            V2_HASH_MAX
        };
        let boundaries = (1..count)
            .map(|index| boundary(max / count * index, is_v1(kind, version)))
            .collect();
        Self { boundaries }
    }

    /// The layout with these inner boundaries, ascending.
    pub(super) fn of_boundaries(boundaries: Vec<Epk>) -> Self {
        Self { boundaries }
    }

    /// The layout after splits that let a new partition start at each of these keys.
    #[must_use]
    pub fn split_at(mut self, cuts: Vec<Epk>) -> Self {
        self.boundaries.extend(cuts);
        self.boundaries.sort_unstable();
        self.boundaries.dedup();
        self
    }

    /// How many physical partitions there are.
    pub fn partition_count(&self) -> usize {
        self.boundaries.len() + 1
    }

    /// The index of the physical partition that holds a key; a key on a boundary belongs to the
    /// partition that starts there.
    pub fn partition_of(&self, key: &Epk) -> usize {
        self.boundaries.partition_point(|boundary| boundary <= key)
    }

    /// The ranges as pairs of their inclusive start and exclusive end.
    pub fn ranges(&self) -> impl Iterator<Item = (Epk, Epk)> {
        let starts = std::iter::once(Epk::MIN).chain(self.boundaries.iter().cloned());
        let ends = self
            .boundaries
            .iter()
            .cloned()
            .chain(std::iter::once(Epk::max()));
        starts.zip(ends)
    }
}

/// The point in the middle of a range, where a split for throughput cuts it.
///
/// Of version 1 it is the middle of the hash numbers; of version 2 of the 126-bit hashes; of a
/// hierarchical key that of the first level on which the ends are apart by more than one.
/// `None` where an end is no key of that kind.
pub fn midpoint(min: &Epk, max: &Epk, kind: KeyKind, version: KeyVersion) -> Option<Epk> {
    if is_v1(kind, version) {
        let (low, high) = (v1_hash(min, 0)?, v1_hash(max, u32::MAX)?);
        return Some(boundary(u128::midpoint(low.into(), high.into()), true));
    }
    let mut out = Vec::new();
    for level in 0.. {
        let low = level_hash(min, level)?;
        let mut high = level_hash(max, level)?;
        let last = (level + 1) * LEVEL_BYTES >= min.as_bytes().len().max(max.as_bytes().len());
        let apart = low != high && low + 1 != high;
        if kind == KeyKind::Hash || apart || last {
            if low > high {
                high = V2_HASH_MAX;
            }
            out.extend((low + high.saturating_sub(low) / 2).to_be_bytes());
            break;
        }
        out.extend(low.to_be_bytes());
    }
    Some(Epk::from_bytes(out))
}

fn is_v1(kind: KeyKind, version: KeyVersion) -> bool {
    kind == KeyKind::Hash && version == KeyVersion::V1
}

fn boundary(hash: u128, v1: bool) -> Epk {
    if v1 {
        let mut bytes = Vec::new();
        binary::append(&KeyComponent::Number(hash as f64), &mut bytes);
        Epk::from_bytes(bytes)
    } else {
        Epk::from_bytes(hash.to_be_bytes().to_vec())
    }
}

/// The hash number of a boundary of version 1; the ends of the space have none.
fn v1_hash(key: &Epk, at_end: u32) -> Option<u32> {
    match key.as_bytes() {
        [] | [0xFF] => Some(at_end),
        [0x05, number @ ..] => binary::read_number(number).map(|hash| hash as u32),
        _ => None,
    }
}

/// The hash on one level: 0 where the key is shorter, the end of the space where it is `FF` there.
fn level_hash(key: &Epk, level: usize) -> Option<u128> {
    let bytes = key.as_bytes();
    let part = bytes.get(level * LEVEL_BYTES..).unwrap_or_default();
    match part.first_chunk::<LEVEL_BYTES>() {
        Some(whole) => Some(u128::from_be_bytes(*whole)).filter(|hash| *hash <= V2_HASH_MAX),
        None if part.is_empty() => Some(0),
        None => (part == [0xFF]).then_some(V2_HASH_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::effective_key;
    use crate::model::KeyValue;
    use proptest::prelude::*;

    const KINDS: [(KeyKind, KeyVersion); 3] = [
        (KeyKind::Hash, KeyVersion::V1),
        (KeyKind::Hash, KeyVersion::V2),
        (KeyKind::MultiHash, KeyVersion::V2),
    ];

    #[test]
    fn new_containers_are_cut_where_real_ones_were() {
        let inner = |count, version| {
            Layout::equal(count, KeyKind::Hash, version)
                .boundaries
                .iter()
                .map(Epk::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(inner(2, KeyVersion::V1), ["05C1DFFFFFFFFC"]);
        assert_eq!(
            inner(4, KeyVersion::V1),
            ["05C1CFFFFFFFF8", "05C1DFFFFFFFF8", "05C1E7FFFFFFFA"]
        );
        assert_eq!(
            inner(2, KeyVersion::V2),
            ["1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"]
        );
    }

    #[test]
    fn a_key_on_a_boundary_belongs_to_the_partition_that_starts_there() {
        let layout = Layout::equal(2, KeyKind::Hash, KeyVersion::V2);
        assert_eq!(layout.partition_of(&layout.boundaries[0]), 1);
        assert_eq!(layout.partition_of(&Epk::MIN), 0);
    }

    proptest! {
        #[test]
        fn each_key_falls_in_exactly_one_range(text in "\\PC{0,12}", count in 1_u32..60, which in 0_usize..3) {
            let (kind, version) = KINDS[which];
            let layout = Layout::equal(count, kind, version);
            let key = effective_key(&KeyValue(vec![KeyComponent::String(text.into())]), kind, version);
            let holding: Vec<usize> =
                layout.ranges().enumerate().filter(|(_, (min, max))| *min <= key && key < *max).map(|(index, _)| index).collect();
            prop_assert_eq!(holding, vec![layout.partition_of(&key)]);
            prop_assert_eq!(layout.partition_count(), count as usize);
        }

        #[test]
        fn a_midpoint_lies_inside_its_range(count in 1_u32..60, which in 0_usize..3) {
            let (kind, version) = KINDS[which];
            for (min, max) in Layout::equal(count, kind, version).ranges() {
                let middle = midpoint(&min, &max, kind, version).expect("an end of a layout is a key");
                prop_assert!(min < middle && middle < max);
            }
        }
    }
}
