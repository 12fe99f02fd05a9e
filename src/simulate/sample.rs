//! What a sample says of the size of a logical partition in the whole container.

use crate::profile::LogicalPartition;

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
}
