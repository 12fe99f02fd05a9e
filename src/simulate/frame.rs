//! What holds for all candidates alike.

use super::placement::partition_count;
use super::scenario::Scenario;
use super::steps::Steps;
use super::workload::Workload;
use crate::profile::Profile;

/// What holds for all candidates alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The share of the container that the files hold.
    pub sample_share: f64,
    /// Bytes of the whole container, index factor included.
    pub container_bytes: u64,
    /// Provisioned throughput in RU/s; `None` where none is given and none can be derived.
    pub throughput: Option<u64>,
    /// The smallest throughput that an even load needs, in RU/s; `None` without times.
    pub even_throughput: Option<u64>,
    /// Physical partitions before storage splits.
    pub partitions: u32,
    /// Throughputs that the service offers for so many bytes.
    pub steps: Steps,
}

/// What holds for all candidates under a scenario.
pub fn frame(profile: &Profile, workload: Option<&Workload>, scenario: &Scenario) -> Frame {
    let share = scenario.sample.resolve(profile.items(), profile.bytes());
    let bytes = container_bytes(profile.bytes(), scenario, share);
    Frame::of(
        share,
        bytes,
        workload,
        scenario,
        scenario.fixed_partitions(),
    )
}

impl Frame {
    /// What holds in a container of so many bytes, of which the files hold a share, with its number of
    /// physical partitions where that does not follow.
    pub(super) fn of(
        sample_share: f64,
        container_bytes: u64,
        workload: Option<&Workload>,
        scenario: &Scenario,
        fixed: Option<u32>,
    ) -> Self {
        let steps = Steps::of(
            scenario.autoscale,
            container_bytes,
            scenario.highest_throughput,
        );
        let even_throughput = workload
            .and_then(|workload| workload.even_throughput)
            .map(|ru| ru.max(steps.min).next_multiple_of(steps.step));
        let throughput = scenario.throughput.or(even_throughput);
        let derived = || count(partition_count(throughput.unwrap_or(0), container_bytes));
        Self {
            sample_share,
            container_bytes,
            throughput,
            even_throughput,
            partitions: fixed.unwrap_or_else(derived),
            steps,
        }
    }
}

/// Bytes of the whole container.
pub(super) fn container_bytes(bytes: u64, scenario: &Scenario, share: f64) -> u64 {
    (bytes as f64 * scenario.index_factor / share) as u64
}

/// A number of physical partitions that are simulated.
pub(super) fn count(partitions: u64) -> u32 {
    u32::try_from(partitions).unwrap_or(u32::MAX)
}
