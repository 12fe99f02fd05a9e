//! All candidates under one scenario.

use super::growth::{Growth, growth};
use super::joins::Joins;
use super::measure::{Bench, Measured};
use super::placement::partition_count;
use super::scenario::Scenario;
use super::search::{Required, Steps, required};
use super::workload::Workload;
use crate::keys::{Candidate, Level};
use crate::model::limits::{LOGICAL_PARTITION_BYTES_MAX, PHYSICAL_PARTITION_BYTES_MAX};
use crate::model::{Log, PropertyPath};
use crate::profile::parallel::in_parallel;
use crate::profile::{CandidateProfile, Profile};

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

/// One candidate, measured.
pub struct Compared<'a> {
    /// The data under it.
    pub bench: Bench<'a>,
    /// Its data and the log over physical partitions.
    pub measured: Measured,
    /// The throughput it needs; `None` where the log tells no times.
    pub required: Option<Required>,
    /// How it grows; `None` where no item tells its time.
    pub growth: Option<Growth>,
}

impl Compared<'_> {
    /// Whether there is one physical partition, now and at the horizon as far as growth is known: then
    /// the choice of the key hardly matters.
    pub fn stays_small(&self) -> bool {
        let later = self
            .growth
            .as_ref()
            .map_or(0.0, |growth| growth.horizon.bytes);
        self.measured.physical.len() == 1 && later <= PHYSICAL_PARTITION_BYTES_MAX as f64
    }
}

/// The paths of the container's key today, in order, where they are properties.
pub fn paths_of(candidate: &Candidate) -> Vec<PropertyPath> {
    let path = |level: &Level| match level {
        Level::Path(path) => Some(path.clone()),
        Level::Template(_) => None,
    };
    candidate.levels.iter().map_while(path).collect()
}

/// The paths of today's key: those of the scenario, else those that the log names.
pub fn current_paths(scenario: &Scenario, log: &Log) -> Option<Vec<PropertyPath>> {
    let of_log = || {
        let paths = log.current_key.as_ref()?;
        paths
            .iter()
            .map(|path| PropertyPath::parse(path).ok())
            .collect()
    };
    scenario.current_key.as_ref().map(paths_of).or_else(of_log)
}

/// Prepares a log: its joins with the items found, and its charges, cleaned of today's fan-out where
/// today's key is one of the candidates.
pub fn workload<'a>(
    log: &'a Log,
    joins: &'a Joins<'a>,
    profile: &Profile,
    scenario: &Scenario,
) -> Workload<'a> {
    let share = scenario.sample.resolve(profile.items(), profile.bytes());
    let today = scenario.current_key.as_ref().and_then(|current| {
        let of = profile.candidates().iter();
        let profile = of.clone().find(|one| one.candidate() == current)?;
        let bench = Bench::new(profile, scenario, share);
        let bytes = container_bytes(profile_bytes(&bench), scenario, share);
        let throughput = scenario.throughput.unwrap_or(0);
        let placement = bench.place(count(partition_count(throughput, bytes)));
        Some(bench.routes(&placement, log, joins, |_| false))
    });
    Workload::new(log, joins, scenario, today.as_ref())
}

fn profile_bytes(bench: &Bench) -> u64 {
    bench.logical.iter().map(|one| one.all_bytes).sum()
}

fn container_bytes(bytes: u64, scenario: &Scenario, share: f64) -> u64 {
    (bytes as f64 * scenario.index_factor / share) as u64
}

fn count(partitions: u64) -> u32 {
    u32::try_from(partitions).unwrap_or(u32::MAX)
}

/// What holds for all candidates under a scenario.
pub fn frame(profile: &Profile, workload: Option<&Workload>, scenario: &Scenario) -> Frame {
    let sample_share = scenario.sample.resolve(profile.items(), profile.bytes());
    let container_bytes = container_bytes(profile.bytes(), scenario, sample_share);
    let steps = Steps::of(
        scenario.autoscale,
        container_bytes,
        scenario.highest_throughput,
    );
    let even_throughput = workload
        .and_then(|workload| workload.even_throughput)
        .map(|ru| ru.max(steps.min).next_multiple_of(steps.step));
    let throughput = scenario.throughput.or(even_throughput);
    let partitions = scenario
        .fixed_partitions()
        .unwrap_or_else(|| partition_count(throughput.unwrap_or(0), container_bytes));
    Frame {
        sample_share,
        container_bytes,
        throughput,
        even_throughput,
        partitions: count(partitions),
        steps,
    }
}

/// Measures each candidate of a profile, in its order, on so many threads.
pub fn compare<'a>(
    profile: &'a Profile,
    workload: Option<&Workload>,
    scenario: &'a Scenario,
    frame: &Frame,
    threads: usize,
) -> Vec<Compared<'a>> {
    let storage = partition_count(0, frame.container_bytes);
    let of = |profile: &'a CandidateProfile| {
        let bench = Bench::new(profile, scenario, frame.sample_share);
        let placement = bench.place(frame.partitions);
        let (measured, required) = match workload {
            None => (Measured::without_log(placement), None),
            Some(workload) => {
                let (measured, loaded) = bench.measure(placement, frame.throughput, workload);
                let known = (frame.partitions, &loaded);
                let required = required(&bench, workload, scenario, frame.steps, storage, known);
                (measured, required)
            }
        };
        let bytes: Vec<u64> = measured.physical.iter().map(|one| one.data.bytes).collect();
        let growth = growth(
            profile.candidate(),
            bench.logical,
            &bytes,
            scenario.index_factor / frame.sample_share,
            LOGICAL_PARTITION_BYTES_MAX as f64,
            &scenario.growth,
        );
        Compared {
            bench,
            measured,
            required,
            growth,
        }
    };
    in_parallel(profile.candidates(), threads, of)
}
