//! The distribution of the sizes of logical partitions.

use hdrhistogram::Histogram;

/// Significant decimal digits of the percentiles.
const DIGITS: u8 = 3;

/// Percentiles of a quantity over logical partitions, each partition counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Half of the partitions have at most this much; to three digits.
    pub p50: u64,
    /// Nine of ten have at most this much; to three digits.
    pub p90: u64,
    /// 99 of 100 have at most this much; to three digits.
    pub p99: u64,
    /// The most that one has; exact.
    pub max: u64,
}

/// The distribution of values, each with how often it is there; `None` of nothing.
pub fn sizes_of(values: impl IntoIterator<Item = (u64, u64)>) -> Option<Sizes> {
    let mut histogram: Histogram<u64> = Histogram::new(DIGITS).ok()?;
    histogram.auto(true);
    let mut max = None;
    for (value, count) in values {
        max = max.max(Some(value));
        // Fails only where the histogram cannot grow to hold the value.
        histogram.record_n(value, count).ok()?;
    }
    let max = max?;
    // A bucket's upper end can lie above the largest value in it.
    let at = |share: f64| histogram.value_at_quantile(share).min(max);
    Some(Sizes {
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_has_no_sizes_and_one_value_is_all_of_them() {
        assert_eq!(sizes_of([]), None);
        assert_eq!(
            sizes_of([(20_500_000_123, 1)]),
            Some(Sizes {
                p50: 20_500_000_123,
                p90: 20_500_000_123,
                p99: 20_500_000_123,
                max: 20_500_000_123
            })
        );
    }

    proptest! {
        #[test]
        fn percentiles_agree_with_sorted_values_to_three_digits(mut values in proptest::collection::vec(0..50_000_000_000_u64, 1..300)) {
            let sizes = sizes_of(values.iter().map(|value| (*value, 1))).expect("values");
            values.sort_unstable();
            for (share, found) in [(0.5, sizes.p50), (0.9, sizes.p90), (0.99, sizes.p99)] {
                let rank = ((values.len() as f64 * share).ceil() as usize).max(1);
                let exact = values[rank - 1];
                prop_assert!(found.abs_diff(exact) * 1000 <= exact + 1000, "{} against {}", found, exact);
            }
            prop_assert_eq!(Some(&sizes.max), values.last());
        }
    }
}
