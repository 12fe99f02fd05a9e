//! How much of their budgets physical partitions use, minute by minute.

use hdrhistogram::Histogram;

use super::replay::WHOLE;

/// How much of its budget a physical partition used, as shares from 0 to 1: of each minute the
/// busiest window, over the minutes in which the container had any load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Utilization {
    /// Half of the minutes used at most this much.
    pub p50: f64,
    /// 95 of 100 minutes used at most this much.
    pub p95: f64,
    /// 99 of 100 minutes used at most this much.
    pub p99: f64,
    /// The most that a minute used.
    pub max: f64,
}

/// The use of all physical partitions.
pub(super) struct Usage {
    window_seconds: u64,
    partitions: Vec<OfPartition>,
    /// By minute whether any partition used something.
    busy: Vec<bool>,
}

/// The use of one physical partition, in ten-thousandths of its budget.
#[derive(Clone)]
struct OfPartition {
    minute: u64,
    /// The busiest window of that minute so far.
    busiest: u16,
    histogram: Histogram<u64>,
    max: u16,
    seen: u64,
}

impl Usage {
    pub(super) fn new(window_seconds: u64, windows: u32, partitions: usize) -> Self {
        let histogram = Histogram::new_with_max(u64::from(WHOLE), 3)
            .expect("a histogram takes any range from 2 on, and 3 digits");
        let of_partition = OfPartition {
            minute: 0,
            busiest: 0,
            histogram,
            max: 0,
            seen: 0,
        };
        Self {
            window_seconds,
            partitions: vec![of_partition; partitions],
            busy: vec![false; minute_of(windows, window_seconds) as usize + 1],
        }
    }

    /// Notes the share that a partition used in a window, in ten-thousandths; for each partition the
    /// windows come in order.
    pub(super) fn add(&mut self, partition: u32, window: u32, used: u16) {
        let minute = minute_of(window, self.window_seconds);
        let one = &mut self.partitions[partition as usize];
        if one.minute != minute {
            one.close(&mut self.busy);
            one.minute = minute;
        }
        one.busiest = one.busiest.max(used);
    }

    /// The use of each partition; `None` where it cannot be told.
    pub(super) fn finish(mut self) -> Vec<Option<Utilization>> {
        for one in &mut self.partitions {
            one.close(&mut self.busy);
        }
        let minutes = self.busy.iter().filter(|busy| **busy).count() as u64;
        let partitions = self.partitions.into_iter();
        partitions.map(|one| one.utilization(minutes)).collect()
    }
}

impl OfPartition {
    fn close(&mut self, busy: &mut [bool]) {
        if self.busiest > 0 {
            busy[self.minute as usize] = true;
            // A share never is above the whole, for which the histogram has room.
            self.histogram.saturating_record(u64::from(self.busiest));
            self.max = self.max.max(self.busiest);
            self.seen += 1;
            self.busiest = 0;
        }
    }

    fn utilization(mut self, minutes: u64) -> Option<Utilization> {
        let idle = minutes.saturating_sub(self.seen);
        self.histogram.record_n(0, idle).ok()?;
        let max = u64::from(self.max);
        let at =
            |share: f64| self.histogram.value_at_quantile(share).min(max) as f64 / f64::from(WHOLE);
        Some(Utilization {
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: max as f64 / f64::from(WHOLE),
        })
    }
}

/// The minute, or the window where it is longer, that a window belongs to.
fn minute_of(window: u32, window_seconds: u64) -> u64 {
    u64::from(window) * window_seconds / window_seconds.max(60)
}
