//! The smallest throughput that is enough for a candidate.
//!
//! More is not always better: a higher throughput can bring more physical partitions, and each then
//! gets less. So the search goes through the numbers of partitions, and within each through its steps.

use super::ceiling::{CEILING_SHARE_MAX, ceiling};
use super::frame::Frame;
use super::load::Pooled;
use super::measure::{Bench, Loaded, Measured, share_of_throughput};
use super::placement::{Placement, partition_count};
use super::replay::Budget;
use super::scenario::Scenario;
use super::steps::Steps;
use super::tally::is_enough;
use super::workload::{Workload, enough_for};
use crate::model::limits::PARTITION_THROUGHPUT_MAX;

/// Numbers of partitions that are tried beyond four times what an even load would need.
const FURTHER_PARTITIONS: u64 = 16;

/// Numbers of partitions behind the one that is enough in which failing throughputs are looked for.
const PARTITIONS_BEHIND: u64 = 8;

/// The outcome of the search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Required {
    /// The smallest throughput in RU/s that is enough; `None` where none is.
    pub throughput: Option<u64>,
    /// Physical partitions at that throughput.
    pub partitions: Option<u64>,
    /// Throughputs above it that are not enough, as inclusive ranges in RU/s.
    pub failing: Vec<(u64, u64)>,
    /// The largest throughput that was tried, in RU/s.
    pub tried: u64,
    /// The throughput in RU/s that the load with its fan-out would need if it were spread evenly.
    pub even_with_fan_out: u64,
}

/// One candidate on a placement, and the throughput that it needs.
pub(super) fn measured(
    bench: &Bench,
    placement: Placement,
    frame: &Frame,
    workload: Option<&Workload>,
    scenario: &Scenario,
) -> (Measured, Option<Required>) {
    let Some(workload) = workload else {
        return (Measured::without_log(placement), None);
    };
    let (measured, loaded) = bench.measure(placement, frame.throughput, workload);
    let storage = partition_count(0, frame.container_bytes);
    let known = (frame.partitions, &loaded);
    let required = required(bench, workload, scenario, frame.steps, storage, known);
    (measured, required)
}

/// Searches the smallest throughput at which no more requests are refused than may be, over all and
/// on each physical partition. `storage` partitions are needed for the data alone; `known` is the load
/// on one number of partitions.
pub(super) fn required(
    bench: &Bench,
    workload: &Workload,
    scenario: &Scenario,
    steps: Steps,
    storage: u64,
    known: (u32, &Loaded),
) -> Option<Required> {
    let schedule = workload.schedule()?;
    let even = workload.even_throughput?;
    let fixed = bench.fixed().map(u64::from);
    let first = fixed.unwrap_or(storage);
    let last = fixed.unwrap_or_else(|| {
        4 * first.max(even.div_ceil(PARTITION_THROUGHPUT_MAX)) + FURTHER_PARTITIONS
    });
    let mut required = Required::default();
    let over = |share: &f64| *share > CEILING_SHARE_MAX;
    let mut behind = 0;
    for partitions in first..=last {
        let low = if partitions == first {
            steps.min
        } else {
            steps
                .min
                .max(((partitions - 1) * PARTITION_THROUGHPUT_MAX + 1).next_multiple_of(steps.step))
        };
        let most = |count: u64| count * PARTITION_THROUGHPUT_MAX / steps.step * steps.step;
        if low > most(partitions) && fixed.is_none() {
            continue;
        }
        let partitions_asked = u32::try_from(partitions).ok()?;
        let other;
        let loaded = if partitions_asked == known.0 {
            known.1
        } else {
            other = bench.load(bench.place(partitions_asked), workload, |_, _, _| {});
            &other
        };
        let count = loaded.placement.layout.partition_count();
        // Where their number does not follow from the throughput, those that split serve more.
        let high = most(fixed.map_or(partitions, |_| count as u64));
        if low > high {
            continue;
        }
        let mut loads = bench.loads(&loaded.placement, &loaded.routes, workload);
        let tally = &loaded.tally;
        if partitions == first {
            let weight: u128 = tally.weights.iter().sum();
            let sums = (&tally.totals[..], &[weight][..]);
            let pooled = &mut Pooled(&mut loads);
            required.even_with_fan_out = enough_for(pooled, schedule, sums, scenario, steps)
                .unwrap_or(required.even_with_fan_out);
            // What one key value needs, no number of partitions gives.
            let ceiling = ceiling(&loaded.routes.keys, workload, scenario.log_share);
            if ceiling.is_some_and(|ceiling| over(&ceiling.share())) && fixed.is_none() {
                required.tried = high;
                return Some(required);
            }
        }
        let enough = |throughput: u64| {
            let budget = Budget::new(
                share_of_throughput(throughput, count),
                schedule.window_seconds,
                scenario.log_share,
                scenario.burst,
            );
            let sums = (&tally.peaks[..], &tally.weights[..]);
            is_enough(&mut loads, schedule, sums, budget)
        };
        let smallest = smallest_between(low, high, steps.step, enough);
        required.tried = high;
        match (required.throughput, smallest) {
            (None, found) => {
                required.throughput = found;
                required.partitions = found.map(|_| count as u64);
            }
            (Some(_), None) => required.failing.push((low, high)),
            (Some(_), Some(found)) if found > low => {
                required.failing.push((low, found - steps.step));
            }
            // From here on a partition's share only grows.
            (Some(_), Some(_)) => break,
        }
        if required.throughput.is_some() {
            behind += 1;
            if behind > PARTITIONS_BEHIND {
                break;
            }
        }
    }
    Some(required)
}

/// The smallest of `low`, `low + step`, ... `high` that is enough, where all above it are too.
fn smallest_between(
    low: u64,
    high: u64,
    step: u64,
    mut enough: impl FnMut(u64) -> bool,
) -> Option<u64> {
    if !enough(high) {
        return None;
    }
    let (mut below, mut found) = (0, (high - low) / step);
    // Invariant: `found` steps are enough; all numbers of steps under `below` are not.
    while below < found {
        let middle = u64::midpoint(below, found);
        if enough(low + middle * step) {
            found = middle;
        } else {
            below = middle + 1;
        }
    }
    Some(low + found * step)
}
