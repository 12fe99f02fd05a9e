//! One candidate measured: its data and the log over physical partitions.

use std::collections::{HashMap, HashSet};

use hdrhistogram::Histogram;
use rustc_hash::FxBuildHasher;

use super::ceiling::{Ceiling, ceiling};
use super::class::Routing;
use super::data::DataMap;
use super::heat::HeatMap;
use super::load::Loads;
use super::placement::{PhysicalPartition, Placement};
use super::replay::{Budget, WHOLE, replay};
use super::route::{Route, Router};
use super::scenario::Scenario;
use super::workload::Workload;
use crate::keys::Layout;
use crate::model::limits::PARTITION_THROUGHPUT_MAX;
use crate::model::units::weighted;
use crate::model::{KeyValue, Log, OperationKind};
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
}

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

/// How far operations reach, weighted by how often they run, in millionths.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoutingSummary {
    /// Weight by class, in the order of [`Routing::ALL`].
    pub weights: [u128; 6],
    /// Weight of operations that are placed by the distribution of the data.
    pub estimated: u128,
    /// Weight of operations that could not be placed.
    pub unattributed: u128,
    /// Weight of transactions: batches, and rows that share a label.
    pub transactions: u128,
    /// Weight of those whose items do not share a key value.
    pub split_transactions: u128,
    /// Weight of writes that change the key value of an item.
    pub moved: u128,
    /// Weight of reads of one key value.
    pub single_reads: u128,
    /// Of them, those of a value without items in the data.
    pub empty_reads: u128,
    /// Weight by the number of physical partitions visited.
    pub visited: HashMap<u64, u128, FxBuildHasher>,
    /// The same for each shape of the log.
    pub shapes: Vec<ShapeRouting>,
}

/// How far the operations of a shape reach.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShapeRouting {
    /// Weight by class, in the order of [`Routing::ALL`].
    pub weights: [u128; 6],
    /// Sum of the partitions visited by each operation, weighted.
    pub visits: u128,
    /// Most partitions that one operation visits.
    pub visited_max: u64,
    /// Base charge in millionths of a request unit.
    pub charge: u128,
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

/// The load of a log on one layout, before any throughput is chosen.
pub(super) struct Loaded {
    pub(super) placement: Placement,
    pub(super) routes: Vec<Route>,
    pub(super) loads: Option<Loads>,
}

impl<'a> Bench<'a> {
    /// A candidate under a scenario; the files hold this share of the container.
    pub fn new(profile: &'a CandidateProfile, scenario: &'a Scenario, sample_share: f64) -> Self {
        Self {
            profile,
            logical: profile.logical_partitions(),
            scenario,
            scale: scenario.index_factor / sample_share,
        }
    }

    /// The data over the layout of the scenario, or over so many equal partitions that then split for
    /// storage.
    pub(super) fn place(&self, partitions: u32) -> Placement {
        let candidate = self.profile.candidate();
        let equal = |count| Layout::equal(count, candidate.kind, candidate.version);
        match (&self.scenario.layout, self.scenario.partitions) {
            (Some(layout), _) => Placement::on(layout.clone(), self.logical),
            (None, Some(count)) => Placement::on(equal(count), self.logical),
            (None, None) => {
                Placement::with_storage_splits(equal(partitions), self.logical, self.scale)
            }
        }
    }

    /// Where each access of a log goes on a layout.
    pub(super) fn routes(&self, placement: &Placement, workload: &Workload) -> Vec<Route> {
        let repeated = |index: usize| workload.access_weights[index] > crate::model::units::MICRO;
        self.routes_of(placement, workload.log, workload.joins, repeated)
    }

    pub(super) fn routes_of(
        &self,
        placement: &Placement,
        log: &Log,
        joins: &super::joins::Joins,
        repeated: impl Fn(usize) -> bool,
    ) -> Vec<Route> {
        let data = DataMap::new(&placement.layout, self.logical);
        let router = Router::new(self.profile, &data, joins, self.scenario);
        let accesses = log.accesses.iter().enumerate();
        accesses
            .map(|(index, access)| router.route(access, repeated(index)))
            .collect()
    }

    /// The log on a layout.
    pub(super) fn load(&self, placement: Placement, workload: &Workload) -> Loaded {
        let routes = self.routes(&placement, workload);
        let loads = workload.schedule.as_ref().map(|schedule| {
            Loads::new(
                schedule,
                placement.layout.partition_count(),
                self.scenario.further_partition_charge,
                |event| {
                    let access = workload.log.events[event as usize].access;
                    (
                        &routes[access as usize],
                        workload.charges[event as usize].charge,
                    )
                },
            )
        });
        Loaded {
            placement,
            routes,
            loads,
        }
    }

    /// Measures the candidate on so many physical partitions at a throughput in RU/s.
    pub fn measure(
        &self,
        partitions: u32,
        throughput: Option<u64>,
        workload: Option<&Workload>,
    ) -> Measured {
        let placement = self.place(partitions);
        let Some(workload) = workload else {
            return Measured {
                physical: placement.partitions.into_iter().map(unloaded).collect(),
                routing: None,
                throughput: None,
            };
        };
        let loaded = self.load(placement, workload);
        let (physical, throughput) = self.replayed(&loaded, workload, throughput);
        Measured {
            physical,
            routing: Some(summary(&loaded.routes, workload)),
            throughput: Some(throughput),
        }
    }

    fn replayed(
        &self,
        loaded: &Loaded,
        workload: &Workload,
        throughput: Option<u64>,
    ) -> (Vec<PhysicalLoad>, ThroughputSummary) {
        let mut physical: Vec<PhysicalLoad> = loaded
            .placement
            .partitions
            .iter()
            .cloned()
            .map(unloaded)
            .collect();
        let mut summary = ThroughputSummary {
            hottest_share: None,
            throttled_share: None,
            throttled_share_worst: None,
            overhead: 0,
            hottest_key: hottest_key(&loaded.routes, workload),
            keys_per_window: keys_per_window(&loaded.routes, workload),
            ceiling: ceiling(&loaded.routes, workload, self.scenario.log_share, |route| {
                route.key.as_ref()
            }),
            prefix_ceiling: ceiling(&loaded.routes, workload, self.scenario.log_share, |route| {
                route.prefix.as_ref()
            }),
            heat: None,
        };
        let untimed;
        let loads = if let Some(loads) = &loaded.loads {
            loads
        } else {
            // Without times there are shares and no budgets.
            let schedule = super::schedule::Schedule::untimed(workload.log);
            untimed = Loads::new(
                &schedule,
                physical.len(),
                self.scenario.further_partition_charge,
                |event| {
                    let access = workload.log.events[event as usize].access;
                    (
                        &loaded.routes[access as usize],
                        workload.charges[event as usize].charge,
                    )
                },
            );
            &untimed
        };
        summary.overhead = loads.overhead;
        summary.heat = workload
            .schedule
            .as_ref()
            .and_then(|schedule| HeatMap::new(loads, schedule.windows));
        for (partition, loads) in physical.iter_mut().zip(&loads.partitions) {
            partition.charge = loads.iter().map(|load| u128::from(load.charge)).sum();
            partition.requests = loads.iter().map(|load| u128::from(load.weight)).sum();
        }
        let total: u128 = physical.iter().map(|one| one.charge).sum();
        let hottest = physical.iter().map(|one| one.charge).max();
        summary.hottest_share = hottest
            .filter(|_| total > 0)
            .map(|hottest| hottest as f64 / total as f64);
        if let (Some(schedule), Some(throughput)) = (&workload.schedule, throughput) {
            let budget = Budget::new(
                share_of_throughput(throughput, physical.len()),
                schedule.window_seconds,
                self.scenario.log_share,
                self.scenario.burst,
            );
            let outcomes: Vec<_> = loads
                .partitions
                .iter()
                .map(|loads| replay(loads, budget, schedule.windows))
                .collect();
            let minutes = busy_minutes(&outcomes, schedule.window_seconds);
            let (mut refused, mut weight) = (0, 0);
            for (partition, outcome) in physical.iter_mut().zip(&outcomes) {
                refused += outcome.refused;
                weight += outcome.weight;
                partition.throttled_share = Some(share(outcome.refused, outcome.weight));
                partition.utilization =
                    utilization(&outcome.used, schedule.window_seconds, minutes);
            }
            summary.throttled_share = Some(share(refused, weight));
            summary.throttled_share_worst = physical
                .iter()
                .filter_map(|one| one.throttled_share)
                .max_by(f64::total_cmp);
        }
        (physical, summary)
    }
}

/// RU/s that each of so many physical partitions gets, at most what one can serve.
pub(super) fn share_of_throughput(throughput: u64, partitions: usize) -> f64 {
    (throughput as f64 / partitions.max(1) as f64).min(PARTITION_THROUGHPUT_MAX as f64)
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

/// The minute, or the window where it is longer, that a window belongs to.
fn minute_of(window: u32, window_seconds: u64) -> u64 {
    u64::from(window) * window_seconds / window_seconds.max(60)
}

/// In how many minutes any physical partition used something.
fn busy_minutes(outcomes: &[super::replay::Outcome], window_seconds: u64) -> u64 {
    let mut minutes: Vec<u64> = outcomes
        .iter()
        .flat_map(|outcome| outcome.used.iter())
        .filter(|(_, used)| *used > 0)
        .map(|(window, _)| minute_of(*window, window_seconds))
        .collect();
    minutes.sort_unstable();
    minutes.dedup();
    minutes.len() as u64
}

fn utilization(used: &[(u32, u16)], window_seconds: u64, minutes: u64) -> Option<Utilization> {
    let mut histogram = Histogram::<u64>::new_with_max(u64::from(WHOLE).max(2), 3).ok()?;
    let mut max = 0;
    let mut seen = 0;
    for of_minute in used.chunk_by(|one, other| {
        minute_of(one.0, window_seconds) == minute_of(other.0, window_seconds)
    }) {
        let busiest = of_minute.iter().map(|one| u64::from(one.1)).max()?;
        if busiest > 0 {
            histogram.record(busiest).ok()?;
            max = max.max(busiest);
            seen += 1;
        }
    }
    histogram.record_n(0, minutes.saturating_sub(seen)).ok()?;
    let at = |share: f64| histogram.value_at_quantile(share).min(max) as f64 / f64::from(WHOLE);
    Some(Utilization {
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        max: max as f64 / f64::from(WHOLE),
    })
}

/// The key value that is charged most among operations that name one.
fn hottest_key(routes: &[Route], workload: &Workload) -> Option<(KeyValue, u128)> {
    let mut charges: HashMap<&KeyValue, u128, FxBuildHasher> = HashMap::default();
    for (event, base) in workload.log.events.iter().zip(&workload.charges) {
        if let Some(key) = &routes[event.access as usize].key {
            *charges.entry(key).or_default() += weighted(base.charge, event.weight);
        }
    }
    charges
        .into_iter()
        .max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(one.0)))
        .map(|(key, charge)| (key.clone(), charge))
}

/// Requests of a window from which on its key values are counted.
const BUSY_REQUESTS: u64 = 10;

fn keys_per_window(routes: &[Route], workload: &Workload) -> Option<f64> {
    let slots = &workload
        .schedule
        .as_ref()
        .filter(|schedule| schedule.start.is_some())?
        .slots;
    let (mut keys, mut windows) = (0_u64, 0_u64);
    let mut seen: HashSet<&KeyValue, FxBuildHasher> = HashSet::default();
    for window in slots.chunk_by(|one, other| one.window == other.window) {
        seen.clear();
        let mut requests = 0;
        for slot in window {
            let access = workload.log.events[slot.event as usize].access;
            if let Some(key) = &routes[access as usize].key {
                requests += u64::from(slot.requests);
                seen.insert(key);
            }
        }
        if requests >= BUSY_REQUESTS {
            keys += seen.len() as u64;
            windows += 1;
        }
    }
    (windows > 0).then(|| keys as f64 / windows as f64)
}

fn summary(routes: &[Route], workload: &Workload) -> RoutingSummary {
    let mut summary = RoutingSummary {
        shapes: vec![ShapeRouting::default(); workload.log.shapes.len()],
        ..RoutingSummary::default()
    };
    for (event, base) in workload.log.events.iter().zip(&workload.charges) {
        let weight = u128::from(event.weight);
        let route = &routes[event.access as usize];
        let class = Routing::ALL.iter().position(|class| *class == route.class);
        let class = class.unwrap_or_default();
        summary.weights[class] += weight;
        if route.estimated {
            summary.estimated += weight;
        }
        if route.steps.is_empty() && route.class != Routing::Invalid {
            summary.unattributed += weight;
        }
        let access = workload.access_of(event);
        if route.class == Routing::Single && !access.kind.is_write() && route.key.is_some() {
            summary.single_reads += weight;
            if !route.finds_items {
                summary.empty_reads += weight;
            }
        }
        if route.moves {
            summary.moved += weight;
        }
        if access.kind == OperationKind::Batch && event.transaction.is_none() {
            summary.transactions += weight;
            summary.split_transactions += if route.splits_transaction { weight } else { 0 };
        }
        if !matches!(route.class, Routing::Invalid | Routing::Unknown) {
            *summary.visited.entry(route.visited).or_default() += weight;
        }
        let shape = &mut summary.shapes[access.shape as usize];
        shape.weights[class] += weight;
        shape.visits += weight * u128::from(route.visited);
        shape.visited_max = shape.visited_max.max(route.visited);
        shape.charge += weighted(base.charge, event.weight);
    }
    for transaction in labelled_transactions(routes, workload.log) {
        summary.transactions += transaction.weight;
        summary.split_transactions += if transaction.split {
            transaction.weight
        } else {
            0
        };
    }
    summary
}

/// Rows that share a label: one transaction.
#[derive(Default)]
struct Labelled<'a> {
    weight: u128,
    key: Option<&'a KeyValue>,
    split: bool,
}

/// The transactions whose rows a label ties together. They are split where one row is, or where two
/// have different keys.
fn labelled_transactions<'a>(routes: &'a [Route], log: &Log) -> Vec<Labelled<'a>> {
    let mut labelled: Vec<Labelled> = Vec::new();
    labelled.resize_with(log.transactions.len(), Labelled::default);
    for event in &log.events {
        let Some(label) = event.transaction else {
            continue;
        };
        let route = &routes[event.access as usize];
        let one = &mut labelled[label as usize];
        one.weight = one.weight.max(u128::from(event.weight));
        one.split |= route.splits_transaction;
        if let Some(key) = &route.key {
            one.split |= one.key.is_some_and(|other| other != key);
            one.key = Some(key);
        }
    }
    labelled
}
