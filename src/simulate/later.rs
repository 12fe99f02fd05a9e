//! A candidate at the horizon: more bytes, so perhaps more physical partitions, under the load of today.

use super::frame::Frame;
use super::growth::Growth;
use super::measure::{Bench, Measured};
use super::placement::partition_count;
use super::scenario::Scenario;
use super::search::{Required, measured};
use super::workload::Workload;

/// A container with more physical partitions than this at the horizon is not measured: each costs time,
/// and nobody plans for them from the growth of a sample.
const PARTITIONS_MAX: u32 = 1_000;

/// A candidate at the horizon.
#[derive(Debug, Clone, PartialEq)]
pub struct Later {
    /// What holds then.
    pub frame: Frame,
    /// The log over the physical partitions of then. Their bytes and items are those of the files today.
    pub measured: Measured,
    /// The throughput that it needs then; `None` where the log tells no times.
    pub required: Option<Required>,
}

/// A candidate at the horizon of its growth; `now` is what holds today, and what was measured. `None`
/// where there would be too many physical partitions.
pub(super) fn later(
    bench: &Bench,
    growth: &Growth,
    workload: Option<&Workload>,
    scenario: &Scenario,
    (now, today, required): (&Frame, &Measured, Option<&Required>),
) -> Option<Later> {
    let bytes = growth.horizon.bytes as u64;
    let needed = u32::try_from(partition_count(0, bytes)).ok()?;
    let fixed = bench.fixed().map(|fixed| fixed.max(needed));
    let frame = Frame::of(now.sample_share, bytes, workload, scenario, fixed);
    if frame.partitions > PARTITIONS_MAX {
        return None;
    }
    // Equal ranges take what new values bring alike; those of a real container have to split for it.
    let times = match scenario.layout {
        Some(_) => growth.horizon.bytes / now.container_bytes.max(1) as f64,
        None => growth.horizon.times,
    };
    let grown = bench.grown(times, needed);
    let placement = grown.place(frame.partitions);
    let ranges = placement.partitions.iter().map(|one| (&one.min, &one.max));
    let of_today = today
        .physical
        .iter()
        .map(|one| (&one.data.min, &one.data.max));
    let is_same =
        ranges.eq(of_today) && frame.steps == now.steps && frame.throughput == now.throughput;
    let (measured, required) = if is_same {
        (today.clone(), required.cloned())
    } else {
        measured(&grown, placement, &frame, workload, scenario)
    };
    Some(Later {
        frame,
        measured,
        required,
    })
}
