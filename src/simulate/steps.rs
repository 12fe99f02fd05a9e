//! The throughputs that the service offers.

use crate::model::limits::{
    AUTOSCALE_THROUGHPUT_MIN, AUTOSCALE_THROUGHPUT_PER_GB, AUTOSCALE_THROUGHPUT_PER_HIGHEST, GB,
    MANUAL_THROUGHPUT_MIN, MANUAL_THROUGHPUT_PER_GB, MANUAL_THROUGHPUT_PER_HIGHEST,
    MANUAL_THROUGHPUT_STEP,
};

/// Throughputs that the service offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    /// The smallest, in RU/s.
    pub min: u64,
    /// The distance between two, in RU/s.
    pub step: u64,
}

impl Steps {
    /// The throughputs of a container that stores so many bytes and once had `highest` RU/s.
    pub fn of(autoscale: bool, bytes: u64, highest: u64) -> Self {
        let gigabytes = bytes.div_ceil(GB);
        let (least, per_gigabyte, per_highest, step) = if autoscale {
            (
                AUTOSCALE_THROUGHPUT_MIN,
                AUTOSCALE_THROUGHPUT_PER_GB,
                AUTOSCALE_THROUGHPUT_PER_HIGHEST,
                AUTOSCALE_THROUGHPUT_MIN,
            )
        } else {
            (
                MANUAL_THROUGHPUT_MIN,
                MANUAL_THROUGHPUT_PER_GB,
                MANUAL_THROUGHPUT_PER_HIGHEST,
                MANUAL_THROUGHPUT_STEP,
            )
        };
        let min = least
            .max(per_gigabyte * gigabytes)
            .max(highest.div_ceil(per_highest))
            .next_multiple_of(step);
        Self { min, step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_throughput_follows_storage_and_the_highest_that_ever_was() {
        // Worked scenario 9.
        assert_eq!(Steps::of(false, 20 * GB, 50_000).min, 500);
        assert_eq!(Steps::of(false, 2000 * GB, 50_000).min, 2000);
        assert_eq!(Steps::of(false, 0, 0).min, 400);
        assert_eq!(
            Steps::of(true, 250 * GB, 0),
            Steps {
                min: 3000,
                step: 1000
            }
        );
        assert_eq!(Steps::of(true, GB, 45_000).min, 5000);
    }
}
