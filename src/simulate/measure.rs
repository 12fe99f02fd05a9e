//! One candidate measured: its data and the log over physical partitions.

use super::ceiling::{Ceiling, ceiling};
use super::data::DataMap;
use super::heat::{Heat, HeatMap};
use super::hottest::{hottest_key, keys_per_window};
use super::joins::Joins;
use super::load::Loads;
use super::placement::{PhysicalPartition, Placement};
use super::planned::Planned;
use super::reached::{RoutingSummary, summary};
use super::replay::Budget;
use super::route::Router;
use super::routes::Routes;
use super::scenario::Scenario;
use super::tally::{InWindow, Meters, Tally, tally};
use super::usage::{Usage, Utilization};
use super::workload::Workload;
use crate::keys::Layout;
use crate::model::limits::PARTITION_THROUGHPUT_MAX;
use crate::model::units::MICRO;
use crate::model::{KeyValue, Log};
use crate::profile::{CandidateProfile, LogicalPartitions};

/// A candidate under a scenario, with what does not depend on the number of physical partitions.
pub struct Bench<'a> {
    /// The data under the candidate.
    pub profile: &'a CandidateProfile,
    /// The logical partitions in the order of their keys.
    pub logical: &'a LogicalPartitions,
    scenario: &'a Scenario,
    /// Bytes of the container for each byte of the files.
    scale: f64,
    /// The number of physical partitions, where it is not to follow from bytes and throughput.
    fixed: Option<u32>,
    /// Whether physical partitions split where they hold too much.
    splits: bool,
}

/// One physical partition with its data and its load.
#[derive(Debug, Clone, PartialEq)]
pub struct PhysicalLoad {
    /// Range, items and bytes, as in the files.
    pub data: PhysicalPartition,
    /// Charge in millionths of a request unit.
    pub charge: u128,
    /// Weight of the requests on it, in millionths.
    pub requests: u128,
    /// How much of its budget it used; `None` where the throughput or the log's times are not known.
    pub utilization: Option<Utilization>,
    /// The share of its requests that was refused.
    pub throttled_share: Option<f64>,
}

/// What the log costs at a throughput.
#[derive(Debug, Clone, PartialEq)]
pub struct ThroughputSummary {
    /// The share of all charge that the busiest physical partition takes.
    pub hottest_share: Option<f64>,
    /// The share of all requests that is refused; `None` where times or throughput are not known.
    pub throttled_share: Option<f64>,
    /// The same on the physical partition where it is largest.
    pub throttled_share_worst: Option<f64>,
    /// What is spent on partitions after the first, in millionths of a request unit.
    pub overhead: u128,
    /// Charge of the key value that is charged most, where its operations name one.
    pub hottest_key: Option<(KeyValue, u128)>,
    /// How many distinct key values the operations of a busy window go to, on average over the windows
    /// with at least ten operations that name one; `None` where there is no such window.
    pub keys_per_window: Option<f64>,
    /// The key value that needs more than a physical partition serves in most windows.
    pub ceiling: Option<Ceiling>,
    /// The first-level value of a hierarchy of which that is true.
    pub prefix_ceiling: Option<Ceiling>,
    /// The charge over time; `None` without times, or where there is no room for it.
    pub heat: Option<HeatMap>,
}

/// A candidate, measured on one layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The physical partitions in the order of their ranges.
    pub physical: Vec<PhysicalLoad>,
    /// How far operations reach; `None` without a log.
    pub routing: Option<RoutingSummary>,
    /// What the log costs; `None` without a log.
    pub throughput: Option<ThroughputSummary>,
}

/// The load of a log on one layout.
pub(super) struct Loaded {
    pub(super) placement: Placement,
    pub(super) routes: Routes,
    pub(super) tally: Tally,
}

/// What came of the requests on each physical partition under a throughput.
struct Replayed {
    /// Weight of the refused requests, in millionths.
    refused: Vec<u128>,
    utilization: Vec<Option<Utilization>>,
}

impl Measured {
    /// A candidate without a log.
    pub(super) fn without_log(placement: Placement) -> Self {
        Self {
            physical: placement.partitions.into_iter().map(unloaded).collect(),
            routing: None,
            throughput: None,
        }
    }
}

impl<'a> Bench<'a> {
    /// A candidate under a scenario; the files hold this share of the container.
    pub fn new(profile: &'a CandidateProfile, scenario: &'a Scenario, sample_share: f64) -> Self {
        Self {
            profile,
            logical: profile.logical_partitions(),
            scenario,
            scale: scenario.index_factor / sample_share,
            fixed: scenario.fixed_partitions(),
            splits: scenario.fixed_partitions().is_none(),
        }
    }

    /// The same where values hold so many times as much. A number of physical partitions that was given
    /// is one to start from.
    pub(super) fn grown(&self, times: f64, partitions: u32) -> Self {
        Self {
            scale: self.scale * times,
            fixed: self.fixed.map(|fixed| fixed.max(partitions)),
            splits: true,
            ..*self
        }
    }

    /// The number of physical partitions, where it does not follow from bytes and throughput.
    pub(super) fn fixed(&self) -> Option<u32> {
        self.fixed
    }

    /// The data over the layout of the scenario, or over so many equal partitions; those that hold too
    /// much then split, unless their number is given.
    pub(super) fn place(&self, partitions: u32) -> Placement {
        let candidate = self.profile.candidate();
        let equal = |count| Layout::equal(count, candidate.kind, candidate.version);
        let layout = match &self.scenario.layout {
            Some(layout) => layout.clone(),
            None => equal(self.fixed.unwrap_or(partitions)),
        };
        if self.splits {
            Placement::with_storage_splits(layout, self.logical, self.scale)
        } else {
            Placement::on(layout, self.logical)
        }
    }

    /// Where each access of a log goes on a layout. `repeated` says of an access that the log has it
    /// more than once.
    pub(super) fn routes(
        &self,
        placement: &Placement,
        log: &Log,
        joins: &Joins,
        repeated: impl Fn(usize) -> bool,
    ) -> Routes {
        let data = DataMap::new(&placement.layout, self.logical);
        let router = Router::new(self.profile, &data, joins, self.scenario);
        let candidate = self.profile.candidate();
        Planned::new(&router, candidate, &data, joins, &log.accesses).routes(repeated)
    }

    /// The log on a layout. `on` is told of each window.
    pub(super) fn load(
        &self,
        placement: Placement,
        workload: &Workload,
        on: impl FnMut(&mut Loads, usize, &InWindow),
    ) -> Loaded {
        let repeated = |index: usize| workload.access_weights[index] > MICRO;
        let routes = self.routes(&placement, workload.log, workload.joins, repeated);
        let mut loads = self.loads(&placement, &routes, workload);
        let tally = tally(&mut loads, workload.order(), on);
        Loaded {
            placement,
            routes,
            tally,
        }
    }

    pub(super) fn loads<'b>(
        &self,
        placement: &Placement,
        routes: &'b Routes,
        workload: &'b Workload,
    ) -> Loads<'b> {
        let partitions = placement.layout.partition_count();
        let further = self.scenario.further_partition_charge;
        Loads::new(workload, routes, partitions, further)
    }

    /// Measures the candidate on a layout at a throughput in RU/s. Without a throughput, or without
    /// times, there are shares and no budgets.
    pub(super) fn measure(
        &self,
        placement: Placement,
        throughput: Option<u64>,
        workload: &Workload,
    ) -> (Measured, Loaded) {
        let partitions = placement.layout.partition_count();
        let order = workload.order();
        let timed = workload.schedule();
        let mut heat = timed.and_then(|schedule| Heat::new(partitions, schedule.windows));
        let budget = timed.zip(throughput).map(|(schedule, throughput)| {
            Budget::new(
                share_of_throughput(throughput, partitions),
                schedule.window_seconds,
                self.scenario.log_share,
                self.scenario.burst,
            )
        });
        let mut replay = budget.map(|budget| {
            let usage = Usage::new(order.window_seconds, order.windows, partitions);
            (Meters::new(budget, partitions), usage)
        });
        let loaded = self.load(placement, workload, |loads, busy, sums| {
            if let Some(heat) = &mut heat {
                heat.add(sums);
            }
            if let Some((meters, usage)) = &mut replay {
                let slots = order.slots_of(busy);
                meters.run(loads, slots, sums, |partition, window, used| {
                    usage.add(partition, window, used);
                });
            }
        });
        let replayed = replay.map(|(mut meters, mut usage)| {
            meters.finish(order.windows, |partition, window, used| {
                usage.add(partition, window, used);
            });
            Replayed {
                refused: meters.refused().collect(),
                utilization: usage.finish(),
            }
        });
        let physical = physical(&loaded, replayed.as_ref());
        let throughput = self.throughput(
            &loaded,
            workload,
            &physical,
            replayed.as_ref(),
            heat.map(Heat::finish),
        );
        let measured = Measured {
            physical,
            routing: Some(summary(&loaded.routes, workload)),
            throughput: Some(throughput),
        };
        (measured, loaded)
    }

    fn throughput(
        &self,
        loaded: &Loaded,
        workload: &Workload,
        physical: &[PhysicalLoad],
        replayed: Option<&Replayed>,
        heat: Option<HeatMap>,
    ) -> ThroughputSummary {
        let routes = &loaded.routes;
        let log_share = self.scenario.log_share;
        let total: u128 = loaded.tally.charges.iter().sum();
        let hottest = loaded.tally.charges.iter().max();
        let weight = loaded.tally.weights.iter().sum();
        ThroughputSummary {
            hottest_share: hottest
                .filter(|_| total > 0)
                .map(|hottest| *hottest as f64 / total as f64),
            throttled_share: replayed.map(|of| share(of.refused.iter().sum(), weight)),
            throttled_share_worst: physical
                .iter()
                .filter_map(|one| one.throttled_share)
                .max_by(f64::total_cmp),
            overhead: self.loads(&loaded.placement, routes, workload).overhead(),
            hottest_key: hottest_key(&routes.keys, workload),
            keys_per_window: keys_per_window(&routes.keys, workload),
            ceiling: ceiling(&routes.keys, workload, log_share),
            prefix_ceiling: ceiling(&routes.prefixes, workload, log_share),
            heat,
        }
    }
}

/// RU/s that each of so many physical partitions gets, at most what one can serve.
pub(super) fn share_of_throughput(throughput: u64, partitions: usize) -> f64 {
    (throughput as f64 / partitions.max(1) as f64).min(PARTITION_THROUGHPUT_MAX as f64)
}

/// The physical partitions with their load.
fn physical(loaded: &Loaded, replayed: Option<&Replayed>) -> Vec<PhysicalLoad> {
    let tally = &loaded.tally;
    let of = |(index, data): (usize, &PhysicalPartition)| PhysicalLoad {
        charge: tally.charges[index],
        requests: tally.weights[index],
        utilization: replayed.and_then(|of| of.utilization[index]),
        throttled_share: replayed.map(|of| share(of.refused[index], tally.weights[index])),
        ..unloaded(data.clone())
    };
    loaded
        .placement
        .partitions
        .iter()
        .enumerate()
        .map(of)
        .collect()
}

fn unloaded(data: PhysicalPartition) -> PhysicalLoad {
    PhysicalLoad {
        data,
        charge: 0,
        requests: 0,
        utilization: None,
        throttled_share: None,
    }
}

/// A share; that of nothing is 0.
fn share(part: u128, whole: u128) -> f64 {
    part as f64 / whole.max(1) as f64
}
