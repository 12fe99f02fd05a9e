//! What a sample says of a logical partition in the whole container.

use crate::profile::{LogicalPartition, LogicalPartitions};

/// Standard deviations on each side of a 95 % interval of a normal distribution.
const DEVIATIONS: f64 = 1.96;

/// Items of a value from which on it is sized by itself; of one or two nothing can be said.
const ITEMS_MIN: u64 = 3;

/// The size of a logical partition in the whole container, in bytes, with a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeEstimate {
    /// Lower end: the items alone.
    pub low: f64,
    /// The estimate, overhead and index factor included.
    pub bytes: f64,
    /// Upper end, overhead and index factor included.
    pub high: f64,
}

/// The share that a logical partition has of all bytes of the container, as a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareInterval {
    /// Lower end, from 0 to 1.
    pub low: f64,
    /// Upper end, from 0 to 1.
    pub high: f64,
}

/// What shares are taken of: all logical partitions of a candidate in the files.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    bytes: f64,
    squared_bytes: f64,
}

impl Whole {
    /// The sums of all of them.
    pub fn of(logical: &LogicalPartitions) -> Self {
        let squares = |one: LogicalPartition| one.squared_bytes as f64 * one.stands_for as f64;
        Self {
            bytes: logical.iter().map(|one| one.all_bytes as f64).sum(),
            squared_bytes: logical.iter().map(squares).sum(),
        }
    }

    /// The share of one in the container, of which the files hold the share `sample_share`; `None` for
    /// whole containers, and where too few of its items were seen.
    ///
    /// The bytes of the one and of all vary together, so the variance is that of a ratio (Cochran,
    /// *Sampling Techniques*, 1977, section 6.4). The interval is Wilson's (1927) for as many items of
    /// equal size as have that variance: it holds for rare values, and never leaves 0 to 1.
    pub fn share_of(&self, one: &LogicalPartition, sample_share: f64) -> Option<ShareInterval> {
        let unseen = 1.0 - sample_share;
        if unseen <= 0.0 || one.items < ITEMS_MIN {
            return None;
        }
        let own = one.squared_bytes as f64;
        let share = (one.bytes as f64 / self.bytes).min(1.0);
        let others = (self.squared_bytes - own).max(0.0);
        let squares = (1.0 - share).powi(2) * own + share.powi(2) * others;
        let variance = unseen * squares / self.bytes.powi(2);
        // Of one value alone nothing varies; so many items of their mean square do as well.
        let items = if variance > 0.0 {
            share * (1.0 - share) / variance
        } else {
            self.bytes.powi(2) / (unseen * self.squared_bytes)
        };
        let pull = DEVIATIONS.powi(2) / items;
        let centre = (share + pull / 2.0) / (1.0 + pull);
        let spread = (share * (1.0 - share) * pull + pull.powi(2) / 4.0).sqrt();
        let margin = spread / (1.0 + pull);
        Some(ShareInterval {
            low: (centre - margin).clamp(0.0, share),
            high: (centre + margin).clamp(share, 1.0),
        })
    }
}

/// Sizes a logical partition of which the files hold a share; `None` where too few of its items were
/// seen.
///
/// Items of a value come into a sample like a compound Poisson process, so the variance of their bytes
/// is the sum of the squared sizes; of a sample that is a large part of the container only what was
/// not seen varies.
pub fn size_of(
    one: &LogicalPartition,
    share: f64,
    overhead_bytes: u64,
    index_factor: f64,
) -> Option<SizeEstimate> {
    if share < 1.0 && one.items < ITEMS_MIN {
        return None;
    }
    let (items, overhead) = (one.items as f64, overhead_bytes as f64);
    let (bytes, squares) = (one.bytes as f64, one.squared_bytes as f64);
    let bare = (bytes - items * overhead).max(0.0);
    let bare_squares = (squares - 2.0 * overhead * bytes + items * overhead * overhead).max(0.0);
    let margin = |squares: f64| DEVIATIONS * (squares * (1.0 - share).max(0.0)).sqrt() / share;
    Some(SizeEstimate {
        low: (bare / share - margin(bare_squares)).max(bare),
        bytes: bytes * index_factor / share,
        high: (bytes / share + margin(squares)) * index_factor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Given, LogicalPartitions};

    fn size(
        items: u64,
        bytes_each: u64,
        share: f64,
        overhead: u64,
        index: f64,
    ) -> Option<SizeEstimate> {
        let logical = LogicalPartitions::given([Given {
            items,
            bytes: items * bytes_each,
            squared_bytes: items * bytes_each * bytes_each,
            ..Given::default()
        }]);
        let one = logical.iter().next().expect("one");
        size_of(&one, share, overhead, index)
    }

    #[test]
    fn whole_data_have_no_interval_but_the_overhead() {
        let whole = size(10, 1000, 1.0, 250, 1.2).expect("items");
        assert_eq!(
            (whole.low, whole.bytes, whole.high),
            (7500.0, 12_000.0, 12_000.0)
        );
    }

    #[test]
    fn a_sample_widens_with_fewer_items_and_says_nothing_of_one() {
        let few = size(9, 1000, 0.1, 0, 1.0).expect("items");
        let many = size(9000, 1000, 0.1, 0, 1.0).expect("items");
        let width = |size: SizeEstimate| (size.high - size.low) / size.bytes;
        assert!(width(few) > 5.0 * width(many));
        // 1.96 sqrt(n (1 - s)) / s of 1,000 bytes.
        assert!((many.high - many.bytes - 1.96 * (9000.0_f64 * 0.9).sqrt() * 10_000.0).abs() < 1.0);
        assert_eq!(size(2, 1000, 0.1, 0, 1.0), None);
    }

    #[test]
    fn shares_of_items_of_one_size_have_the_interval_of_wilson() {
        let given = |items: u64| Given {
            epk: Some(crate::model::Epk::from_bytes(items.to_be_bytes().to_vec())),
            items,
            bytes: items * 100,
            squared_bytes: items * 10_000,
            ..Given::default()
        };
        let logical = LogicalPartitions::given([given(20), given(80)]);
        let one = logical.iter().next().expect("one");
        let of = |share: f64| Whole::of(&logical).share_of(&one, share);
        // 20 of 100 from a population without end: 0.1334 to 0.2888 (Newcombe 1998, method 3).
        let interval = of(1e-12).expect("items");
        assert!((interval.low - 0.1334).abs() < 5e-5, "{interval:?}");
        assert!((interval.high - 0.2888).abs() < 5e-5, "{interval:?}");
        // Of a half of the container half of the variance is left.
        let half = of(0.5).expect("items");
        assert!(half.low > interval.low && half.high < interval.high);
        assert_eq!(of(1.0), None);
        let alone = LogicalPartitions::given([given(100)]);
        let one = alone.iter().next().expect("one");
        let alone = Whole::of(&alone).share_of(&one, 1e-12).expect("items");
        assert!((alone.low - 100.0 / (100.0 + 1.96 * 1.96)).abs() < 1e-6 && alone.high > 0.9999);
    }
}
