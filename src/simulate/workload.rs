//! The log ready for a replay under any candidate: its schedule, and the base charge of each row.

use super::charge::{BaseCharge, ChargeSource, base_charge};
use super::joins::Joins;
use super::load::{Even, Loading};
use super::replay::Budget;
use super::routes::Routes;
use super::scenario::Scenario;
use super::schedule::Schedule;
use super::steps::Steps;
use super::tally::{is_enough, tally};
use crate::model::Log;
use crate::model::limits::{MANUAL_THROUGHPUT_MIN, MANUAL_THROUGHPUT_STEP};
use crate::model::units::weighted;

/// The share of requests that may be refused where a throughput counts as enough: 1 %, the lower end
/// of what the service calls healthy ("troubleshoot-request-rate-too-large").
pub const THROTTLED_SHARE_MAX: f64 = 0.01;

/// A log, ready for a replay.
pub struct Workload<'a> {
    /// The log.
    pub log: &'a Log,
    /// The items it names.
    pub joins: &'a Joins<'a>,
    /// The order in which its operations run.
    order: Schedule,
    /// Whether it is known when they run.
    is_timed: bool,
    /// The base charge of one operation of each row.
    pub charges: Vec<BaseCharge>,
    /// How often each access runs in all, in millionths.
    pub access_weights: Vec<u64>,
    /// The smallest manual throughput in RU/s at which the base charge, spread perfectly evenly, is
    /// throttled no more than it may be; `None` where no time is known.
    pub even_throughput: Option<u64>,
    /// The largest base charge of a window, in millionths of a request unit.
    pub(super) window_charge_max: u64,
}

impl<'a> Workload<'a> {
    /// Prepares a log. `routes_today` says, by access, where operations went under today's key.
    pub(super) fn new(
        log: &'a Log,
        joins: &'a Joins<'a>,
        scenario: &Scenario,
        routes_today: Option<&Routes>,
    ) -> Self {
        let charges = log.events.iter().map(|event| {
            let access = log.accesses.form(event.access);
            let today = routes_today.map(|routes| routes.way(event.access).visited);
            let visited = event.ranges.map(u64::from).or(today);
            let bytes = log
                .accesses
                .id(event.access)
                .and_then(|id| joins.bytes_of(id));
            base_charge(
                access,
                &event,
                visited,
                bytes,
                scenario.further_partition_charge,
            )
        });
        let mut access_weights = vec![0_u64; log.accesses.len()];
        for event in log.events.iter() {
            let weight = &mut access_weights[event.access as usize];
            *weight = weight.saturating_add(event.weight);
        }
        let schedule = Schedule::new(log, scenario);
        let mut workload = Self {
            log,
            joins,
            is_timed: schedule.is_some(),
            order: schedule.unwrap_or_else(|| Schedule::untimed(log)),
            charges: charges.collect(),
            access_weights,
            even_throughput: None,
            window_charge_max: 0,
        };
        if let Some((throughput, charge)) = workload.even(scenario) {
            workload.even_throughput = throughput;
            workload.window_charge_max = charge;
        }
        workload
    }

    /// When its operations run; `None` where no time is known.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.is_timed.then_some(&self.order)
    }

    /// The order in which its operations run, with windows that mean nothing where no time is known.
    pub(super) fn order(&self) -> &Schedule {
        &self.order
    }

    /// The number of the access of a row.
    pub(super) fn access_at(&self, event: u32) -> u32 {
        self.log.events.access(event)
    }

    /// The base charge of one operation of a row, in millionths of a request unit.
    pub(super) fn base_charge(&self, event: u32) -> u64 {
        self.charges[event as usize].charge
    }

    /// How often all operations run, in millionths.
    pub fn weight(&self) -> u128 {
        self.log
            .events
            .iter()
            .map(|event| u128::from(event.weight))
            .sum()
    }

    /// The base charge of all operations, in millionths of a request unit.
    pub fn charge(&self) -> u128 {
        let rows = self.log.events.iter().zip(&self.charges);
        rows.map(|(event, base)| weighted(base.charge, event.weight))
            .sum()
    }

    /// The share of the operations whose charge has this source.
    pub fn share_of(&self, source: ChargeSource) -> f64 {
        let rows = self.log.events.iter().zip(&self.charges);
        let weight: u128 = rows
            .filter(|(_, base)| base.source == source)
            .map(|(event, _)| u128::from(event.weight))
            .sum();
        weight as f64 / self.weight().max(1) as f64
    }

    /// The throughput that an even load needs, and the largest charge of a window.
    fn even(&self, scenario: &Scenario) -> Option<(Option<u64>, u64)> {
        let schedule = self.schedule()?;
        let mut even = Even {
            schedule,
            workload: self,
        };
        let sums = tally(&mut even, schedule, |_, _, _| {});
        let steps = Steps {
            min: MANUAL_THROUGHPUT_MIN,
            step: MANUAL_THROUGHPUT_STEP,
        };
        let known = (&sums.peaks[..], &sums.weights[..]);
        let throughput = enough_for(&mut even, schedule, known, scenario, steps);
        Some((throughput, sums.peaks.into_iter().max().unwrap_or(0)))
    }
}

/// The smallest throughput in RU/s that is enough for a load on one physical partition without a limit
/// of its own. `peaks` and `weights` are those of its tally.
pub(super) fn enough_for<L: Loading>(
    loading: &mut L,
    schedule: &Schedule,
    (peaks, weights): (&[u64], &[u128]),
    scenario: &Scenario,
    steps: Steps,
) -> Option<u64> {
    smallest(steps, |ru| {
        let budget = Budget::new(
            ru as f64,
            schedule.window_seconds,
            scenario.log_share,
            false,
        );
        is_enough(loading, schedule, (peaks, weights), budget)
    })
}

/// Whether no more requests were refused than may be.
pub(super) fn within(refused: u128, weight: u128) -> bool {
    refused as f64 <= weight as f64 * THROTTLED_SHARE_MAX
}

/// The smallest of the throughputs that is enough, where all above it are too; `None` where
/// none of a billion RU/s is.
fn smallest(Steps { min, step }: Steps, mut enough: impl FnMut(u64) -> bool) -> Option<u64> {
    if enough(min) {
        return Some(min);
    }
    let at = |steps: u64| min + steps * step;
    let mut high = 1;
    while !enough(at(high)) {
        high *= 2;
        if at(high) > 1_000_000_000 {
            return None;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if enough(at(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(at(high))
}
