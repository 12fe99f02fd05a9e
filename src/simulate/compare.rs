//! All candidates under one scenario.

use super::frame::{Frame, container_bytes, count};
use super::growth::{Growth, growth};
use super::joins::Joins;
use super::later::{Later, later};
use super::measure::{Bench, Measured};
use super::placement::partition_count;
use super::scenario::Scenario;
use super::search::{Required, measured};
use super::workload::Workload;
use crate::keys::{Candidate, Level};
use crate::model::limits::{LOGICAL_PARTITION_BYTES_MAX, PHYSICAL_PARTITION_BYTES_MAX};
use crate::model::{Log, PropertyPath};
use crate::profile::parallel::in_parallel;
use crate::profile::{CandidateProfile, Profile};

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
    /// The same at the horizon; `None` before [`look_ahead`], and where growth is not known or far too
    /// large.
    pub later: Option<Later>,
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

/// The paths of today's key: of that which is given, else those that the log names.
pub fn current_paths(current_key: Option<&Candidate>, log: &Log) -> Option<Vec<PropertyPath>> {
    let of_log = || {
        let paths = log.current_key.as_ref()?;
        paths
            .iter()
            .map(|path| PropertyPath::parse(path).ok())
            .collect()
    };
    current_key.map(paths_of).or_else(of_log)
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

/// Measures each candidate of a profile, in its order, on so many threads.
pub fn compare<'a>(
    profile: &'a Profile,
    workload: Option<&Workload>,
    scenario: &'a Scenario,
    frame: &Frame,
    threads: usize,
) -> Vec<Compared<'a>> {
    let of = |profile: &'a CandidateProfile| {
        let bench = Bench::new(profile, scenario, frame.sample_share);
        let placement = bench.place(frame.partitions);
        let (measured, required) = measured(&bench, placement, frame, workload, scenario);
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
            later: None,
        }
    };
    in_parallel(profile.candidates(), threads, of)
}

/// Measures candidates at the horizon too, as far as their growth is known.
pub fn look_ahead(
    compared: &mut [Compared],
    workload: Option<&Workload>,
    scenario: &Scenario,
    frame: &Frame,
    threads: usize,
) {
    let of = |one: &Compared| {
        let now = (frame, &one.measured, one.required.as_ref());
        let growth = one.growth.as_ref()?;
        later(&one.bench, growth, workload, scenario, now)
    };
    let all = in_parallel(compared, threads, of);
    for (one, later) in compared.iter_mut().zip(all) {
        one.later = later;
    }
}
