//! The log ready for a replay under any candidate: its schedule, and the base charge of each row.

use super::charge::{BaseCharge, ChargeSource, base_charge};
use super::joins::Joins;
use super::load::Load;
use super::replay::{Budget, replay};
use super::route::Route;
use super::scenario::Scenario;
use super::schedule::{Schedule, Slot};
use super::search::Steps;
use crate::model::limits::{MANUAL_THROUGHPUT_MIN, MANUAL_THROUGHPUT_STEP};
use crate::model::units::weighted;
use crate::model::{Access, Event, Log};

/// The share of requests that may be refused where a throughput counts as enough: 1 %, the lower end
/// of what the service calls healthy ("troubleshoot-request-rate-too-large").
pub const THROTTLED_SHARE_MAX: f64 = 0.01;

/// A log, ready for a replay.
pub struct Workload<'a> {
    /// The log.
    pub log: &'a Log,
    /// The items it names.
    pub joins: &'a Joins<'a>,
    /// When its operations run; `None` where no time is known.
    pub schedule: Option<Schedule>,
    /// The base charge of one operation of each row.
    pub charges: Vec<BaseCharge>,
    /// How often each access runs in all, in millionths.
    pub access_weights: Vec<u64>,
}

impl<'a> Workload<'a> {
    /// Prepares a log. `routes_today` says, by access, where operations went under today's key.
    pub(super) fn new(
        log: &'a Log,
        joins: &'a Joins<'a>,
        scenario: &Scenario,
        routes_today: Option<&[Route]>,
    ) -> Self {
        let charges = log.events.iter().map(|event| {
            let access = &log.accesses[event.access as usize];
            let today = routes_today.map(|routes| routes[event.access as usize].visited);
            let visited = event.ranges.map(u64::from).or(today);
            let bytes = access.id.as_deref().and_then(|id| joins.bytes_of(id));
            base_charge(
                access,
                event,
                visited,
                bytes,
                scenario.further_partition_charge,
            )
        });
        let mut access_weights = vec![0_u64; log.accesses.len()];
        for event in &log.events {
            let weight = &mut access_weights[event.access as usize];
            *weight = weight.saturating_add(event.weight);
        }
        Self {
            log,
            joins,
            schedule: Schedule::new(log, scenario),
            charges: charges.collect(),
            access_weights,
        }
    }

    /// What a row does.
    pub(super) fn access_of(&self, event: &Event) -> &Access {
        &self.log.accesses[event.access as usize]
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

    /// The smallest manual throughput in RU/s at which the base charge, spread perfectly evenly, is
    /// throttled no more than it may be; `None` where no time is known.
    pub fn even_throughput(&self, scenario: &Scenario) -> Option<u64> {
        let schedule = self.schedule.as_ref()?;
        let load = |slot: &Slot| Load {
            window: slot.window,
            requests: slot.requests,
            weight: slot.weight,
            charge: u64::try_from(weighted(
                self.charges[slot.event as usize].charge,
                slot.weight,
            ))
            .unwrap_or(u64::MAX),
        };
        let loads: Vec<Load> = schedule.slots.iter().map(load).collect();
        let steps = Steps {
            min: MANUAL_THROUGHPUT_MIN,
            step: MANUAL_THROUGHPUT_STEP,
        };
        self.even(&loads, scenario, steps)
    }

    /// The smallest throughput in RU/s that is enough for requests as if they were all on one physical
    /// partition without a limit of its own; `None` where no time is known.
    pub(super) fn even(&self, loads: &[Load], scenario: &Scenario, steps: Steps) -> Option<u64> {
        let schedule = self.schedule.as_ref()?;
        let enough = |ru: u64| {
            let budget = Budget::new(
                ru as f64,
                schedule.window_seconds,
                scenario.log_share,
                false,
            );
            let outcome = replay(loads, budget, schedule.windows);
            within(outcome.refused, outcome.weight)
        };
        smallest(steps, enough)
    }
}

/// Whether no more requests were refused than may be.
pub(super) fn within(refused: u128, weight: u128) -> bool {
    refused as f64 <= weight as f64 * THROTTLED_SHARE_MAX
}

/// The smallest of the throughputs that is enough, where all above it are too; `None` where
/// none of a billion RU/s is.
fn smallest(Steps { min, step }: Steps, enough: impl Fn(u64) -> bool) -> Option<u64> {
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
