//! Where the data of a candidate lies: the layout of physical partitions, its storage splits, and
//! the items and bytes of each.

use std::ops::Range;

use crate::keys::Layout;
use crate::model::Epk;
use crate::model::limits::{PARTITION_THROUGHPUT_MAX, PHYSICAL_PARTITION_BYTES_MAX};
use crate::profile::LogicalPartitions;

/// How many physical partitions a container needs for its throughput in RU/s and its bytes:
/// `max(ceil(RU / 10,000), ceil(bytes / 50 GB), 1)` ("scaling-provisioned-throughput-best-practices").
pub fn partition_count(throughput: u64, bytes: u64) -> u64 {
    throughput
        .div_ceil(PARTITION_THROUGHPUT_MAX)
        .max(bytes.div_ceil(PHYSICAL_PARTITION_BYTES_MAX))
        .max(1)
}

/// The throughput in RU/s to set first so that `partitions` partitions split evenly on the way to
/// `target` RU/s: `10,000 P 2^ceil(log2(S / (10,000 P)))`, for a target above what they serve
/// ("scaling-provisioned-throughput-best-practices"). `None` where that is no number of 64 bits.
pub fn even_split_throughput(partitions: u64, target: u64) -> Option<u64> {
    let now = PARTITION_THROUGHPUT_MAX.checked_mul(partitions.max(1))?;
    target
        .div_ceil(now)
        .max(1)
        .checked_next_power_of_two()?
        .checked_mul(now)
}

/// One physical partition with the data of a candidate on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhysicalPartition {
    /// Inclusive start of its range.
    pub min: Epk,
    /// Exclusive end of its range.
    pub max: Epk,
    /// Number of items.
    pub items: u64,
    /// Sum of the sizes of the items, in bytes, as in the data read.
    pub bytes: u64,
    /// Number of logical partitions.
    pub logical_partitions: u64,
}

/// The data of a candidate over physical partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The layout, storage splits included.
    pub layout: Layout,
    /// The physical partitions in the order of their ranges.
    pub partitions: Vec<PhysicalPartition>,
}

impl Placement {
    /// Lays logical partitions over a given layout.
    pub fn on(layout: Layout, logical: &LogicalPartitions) -> Self {
        let partitions = slices(&layout, logical).map(|(min, max, slice)| PhysicalPartition {
            min,
            max,
            items: logical.slice(slice.clone()).map(|one| one.all_items).sum(),
            bytes: bytes_of(logical, &slice),
            logical_partitions: logical.slice(slice).map(|one| one.stands_for).sum(),
        });
        Self {
            partitions: partitions.collect(),
            layout,
        }
    }

    /// The same, after each physical partition that holds more than 50 GB has been split where its
    /// data halves, again and again. The data read holds one `scale`-th of the container's bytes.
    ///
    /// A logical partition is never cut: a partition that holds one alone stays as large as it is.
    pub fn with_storage_splits(
        mut layout: Layout,
        logical: &LogicalPartitions,
        scale: f64,
    ) -> Self {
        let too_large = |slice: &Range<usize>| {
            bytes_of(logical, slice) as f64 * scale > PHYSICAL_PARTITION_BYTES_MAX as f64
        };
        loop {
            let cuts: Vec<Epk> = slices(&layout, logical)
                .filter(|(_, _, slice)| too_large(slice))
                .filter_map(|(_, _, slice)| halving_key(logical, slice))
                .collect();
            if cuts.is_empty() {
                return Self::on(layout, logical);
            }
            layout = layout.split_at(cuts);
        }
    }
}

fn bytes_of(logical: &LogicalPartitions, slice: &Range<usize>) -> u64 {
    logical.slice(slice.clone()).map(|one| one.all_bytes).sum()
}

/// The ranges of a layout with the places of the logical partitions in each.
fn slices(
    layout: &Layout,
    logical: &LogicalPartitions,
) -> impl Iterator<Item = (Epk, Epk, Range<usize>)> {
    let ranges: Vec<(Epk, Epk)> = layout.ranges().collect();
    let mut start = 0;
    ranges.into_iter().map(move |(min, max)| {
        let end = logical.below(&max).max(start);
        let slice = start..end;
        start = end;
        (min, max, slice)
    })
}

/// The key of the logical partition to start the right half with, so that the halves differ least in
/// bytes; `None` where there are not two to part.
fn halving_key(logical: &LogicalPartitions, slice: Range<usize>) -> Option<Epk> {
    let total = bytes_of(logical, &slice);
    let mut left = 0;
    let mut best: Option<(u64, usize)> = None;
    for (place, one) in slice.clone().zip(logical.slice(slice.clone())) {
        // The right half starts behind this one.
        left += one.all_bytes;
        let difference = left.abs_diff(total - left);
        let is_last = place + 1 == slice.end;
        if !is_last && best.is_none_or(|(least, _)| difference < least) {
            best = Some((difference, place + 1));
        }
    }
    let (_, place) = best?;
    logical.slice(place..place + 1).next().map(|one| one.epk())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{effective_key, midpoint};
    use crate::model::{KeyComponent, KeyKind, KeyValue, KeyVersion};
    use crate::profile::Given;
    use proptest::prelude::*;

    fn logical(values: impl IntoIterator<Item = (String, u64)>) -> LogicalPartitions {
        let of = |(text, bytes): (String, u64)| {
            let value = KeyValue(vec![KeyComponent::String(text.into())]);
            Given {
                epk: Some(effective_key(&value, KeyKind::Hash, KeyVersion::V2)),
                value: Some(value),
                items: 1,
                bytes,
                ..Given::default()
            }
        };
        let values: std::collections::BTreeMap<String, u64> = values.into_iter().collect();
        LogicalPartitions::given(values.into_iter().map(of))
    }

    fn equal(count: u32) -> Layout {
        Layout::equal(count, KeyKind::Hash, KeyVersion::V2)
    }

    #[test]
    fn partitions_follow_throughput_and_bytes() {
        assert_eq!(partition_count(30_000, 0), 3);
        assert_eq!(partition_count(30_001, 0), 4);
        assert_eq!(partition_count(400, 50_000_000_001), 2);
        assert_eq!(partition_count(0, 0), 1);
    }

    #[test]
    fn an_uneven_raise_splits_one_of_two_partitions_and_the_even_step_is_next() {
        // Worked scenario 4: 20,000 RU/s raised to 30,000 leaves half, a quarter and a quarter.
        let layout = equal(2);
        let (min, max) = layout.ranges().nth(1).expect("two ranges");
        let cut = midpoint(&min, &max, KeyKind::Hash, KeyVersion::V2).expect("a midpoint");
        let layout = layout.split_at(vec![cut]);
        let data = logical((0..20_000).map(|n| (n.to_string(), 1)));
        let shares: Vec<f64> = Placement::on(layout, &data)
            .partitions
            .iter()
            .map(|one| one.bytes as f64 / 20_000.0)
            .collect();
        for (share, expected) in shares.iter().zip([0.5, 0.25, 0.25]) {
            assert!((share - expected).abs() < 0.02, "{shares:?}");
        }
        assert_eq!(even_split_throughput(2, 30_000), Some(40_000));
    }

    #[test]
    fn five_partitions_on_the_way_to_150_000_want_200_000_first() {
        // Worked scenario 5.
        assert_eq!(even_split_throughput(5, 150_000), Some(200_000));
        assert_eq!(even_split_throughput(5, 50_000), Some(50_000));
        assert_eq!(even_split_throughput(u64::MAX, 1), None);
    }

    /// Hottest over mean load of one value split by N suffixes over P equal partitions, averaged over
    /// 60 values.
    fn suffix_skew(suffixes: u32, partitions: u32) -> f64 {
        let one = |base: u32| {
            let data =
                logical((1..=suffixes).map(|suffix| (format!("2024-05-{base}.{suffix}"), 1)));
            let hottest = Placement::on(equal(partitions), &data)
                .partitions
                .iter()
                .map(|one| one.items)
                .max();
            hottest.unwrap_or(0) as f64 * f64::from(partitions) / f64::from(suffixes)
        };
        (0..60).map(one).sum::<f64>() / 60.0
    }

    #[test]
    fn as_many_suffixes_as_partitions_are_not_enough() {
        // Worked scenario 10; the tolerance is that of the mean of 60 draws.
        for (suffixes, partitions, expected) in [
            (400, 10, 1.27),
            (400, 50, 1.90),
            (10, 10, 2.7),
            (50, 50, 3.6),
        ] {
            let skew = suffix_skew(suffixes, partitions);
            assert!(
                (skew / expected - 1.0).abs() < 0.08,
                "N={suffixes}, P={partitions}: {skew:.2}, expected {expected}"
            );
        }
    }

    #[test]
    fn five_first_level_values_use_at_most_five_partitions() {
        // Worked scenario 11: each tenant has 200 users.
        let value = |tenant: u32, user: u32| {
            KeyValue(
                [tenant, user]
                    .map(|n| KeyComponent::String(n.to_string().into()))
                    .to_vec(),
            )
        };
        let given = (0..1000).map(|n| value(n % 5, n)).map(|value| Given {
            epk: Some(effective_key(&value, KeyKind::MultiHash, KeyVersion::V2)),
            value: Some(value),
            items: 1,
            bytes: 1,
            ..Given::default()
        });
        let data = LogicalPartitions::given(given);
        let placement = Placement::on(Layout::equal(10, KeyKind::MultiHash, KeyVersion::V2), &data);
        let used = placement
            .partitions
            .iter()
            .filter(|one| one.items > 0)
            .count();
        assert!((1..=5).contains(&used), "{used}");
    }

    #[test]
    fn a_partition_over_50_gb_splits_where_its_data_halves_but_never_inside_a_value() {
        let data = logical((0..100).map(|n| (n.to_string(), 1_000_000_000)));
        let placement = Placement::with_storage_splits(equal(1), &data, 1.0);
        let bytes: Vec<u64> = placement.partitions.iter().map(|one| one.bytes).collect();
        assert_eq!(bytes, [50_000_000_000, 50_000_000_000]);
        let giant = logical([("a".to_owned(), 90_000_000_000)]);
        assert_eq!(
            Placement::with_storage_splits(equal(1), &giant, 1.0)
                .partitions
                .len(),
            1
        );
        let sample = logical((0..100).map(|n| (n.to_string(), 10_000_000)));
        assert_eq!(
            Placement::with_storage_splits(equal(1), &sample, 100.0)
                .partitions
                .len(),
            2
        );
    }

    proptest! {
        #[test]
        fn items_and_bytes_are_conserved_and_splits_change_no_total(
            values in proptest::collection::vec(("[a-z]{1,4}", 0..40_000_000_000_u64), 0..40),
            count in 1_u32..12,
        ) {
            let data = logical(values);
            let total: u64 = data.iter().map(|one| one.bytes).sum();
            for placement in [Placement::on(equal(count), &data), Placement::with_storage_splits(equal(count), &data, 1.0)] {
                let partitions = &placement.partitions;
                prop_assert_eq!(partitions.iter().map(|one| one.bytes).sum::<u64>(), total);
                prop_assert_eq!(partitions.iter().map(|one| one.items).sum::<u64>(), data.len() as u64);
                for (index, one) in partitions.iter().enumerate() {
                    let inside = data.iter().filter(|logical| placement.layout.partition_of(&logical.epk()) == index).count();
                    prop_assert_eq!(one.logical_partitions, inside as u64);
                }
            }
            let split = Placement::with_storage_splits(equal(count), &data, 1.0);
            for one in split.partitions {
                prop_assert!(one.bytes <= PHYSICAL_PARTITION_BYTES_MAX || one.logical_partitions == 1);
            }
        }
    }
}
