//! The charge of a log on each physical partition, worked out request by request as it is needed.

use std::collections::HashMap;
use std::ops::Range;

use rustc_hash::FxBuildHasher;

use super::charge::QUERY_CHARGE_MIN;
use super::route::{Route, Spread, Step, StepCharge};
use super::routes::Routes;
use super::schedule::{Schedule, Slot};
use super::workload::Workload;
use crate::model::units::{MICRO, weighted};

/// Parts of requests on several partitions that are kept, because many requests are equal.
const PARTS_MAX: usize = 1 << 20;

/// Some equal requests on one physical partition in one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) requests: u32,
    /// Their weight together, in millionths of an operation.
    pub(super) weight: u64,
    /// Their charge together, in millionths of a request unit.
    pub(super) charge: u64,
}

/// What some equal requests put on one physical partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) partition: u32,
    /// In millionths of an operation.
    pub(super) weight: u64,
    /// In millionths of a request unit.
    pub(super) charge: u64,
}

/// Requests in their order, with what they put on physical partitions.
pub(super) trait Loading {
    /// How many physical partitions there are.
    fn partitions(&self) -> usize;

    /// Calls `on` for each of some slots of one window with the number of its requests and their parts.
    fn each(&mut self, slots: Range<usize>, on: impl FnMut(u32, &[Part]));
}

/// The load of a log on the physical partitions that its routes name.
pub(super) struct Loads<'a> {
    schedule: &'a Schedule,
    workload: &'a Workload<'a>,
    routes: &'a Routes,
    /// By way: the one partition that its only step goes to with the base charge.
    narrow: Vec<Option<u32>>,
    partitions: usize,
    further_partition_charge: u64,
    /// The parts of equal requests that go elsewhere, by way, base charge and weight.
    known: HashMap<(u32, u64, u64), Range<usize>, FxBuildHasher>,
    parts: Vec<Part>,
}

impl<'a> Loads<'a> {
    pub(super) fn new(
        workload: &'a Workload<'a>,
        routes: &'a Routes,
        partitions: usize,
        further_partition_charge: u64,
    ) -> Self {
        Self {
            schedule: workload.order(),
            workload,
            routes,
            narrow: routes.ways.iter().map(narrow).collect(),
            partitions,
            further_partition_charge,
            known: HashMap::default(),
            parts: Vec::new(),
        }
    }

    /// What is spent on partitions after the first, in millionths of a request unit.
    pub(super) fn overhead(&self) -> u128 {
        let of_slot = |slot: &Slot| -> u128 {
            let way = self.routes.way(self.workload.access_at(slot.event));
            let steps = way.steps.iter();
            steps.map(|step| self.overhead_of(step, slot.weight)).sum()
        };
        self.schedule.slots.iter().map(of_slot).sum()
    }

    /// What requests of this weight spend in a step on partitions after the first.
    fn overhead_of(&self, step: &Step, weight: u64) -> u128 {
        match step.spread {
            Spread::OneOf => 0,
            Spread::Visits => {
                let further = step.shares.len() as u64 - 1;
                weighted(self.further_partition_charge * further, weight)
            }
        }
    }

    /// Appends the parts of a step for requests of this base charge and weight.
    fn append(&self, step: &Step, base: u64, weight: u64, parts: &mut Vec<Part>) {
        let base = match step.charge {
            StepCharge::Base => base,
            StepCharge::Delete => base / 2,
            StepCharge::Create => base - base / 2,
            StepCharge::Lookup => QUERY_CHARGE_MIN,
        };
        let charge = clamp(weighted(base, weight));
        if let [(partition, _)] = step.shares[..] {
            parts.push(Part {
                partition,
                weight,
                charge,
            });
            return;
        }
        let shares = || step.shares.iter().map(|share| share.1);
        let partitions = step.shares.iter().map(|share| share.0);
        let charges = split(charge, shares());
        match step.spread {
            Spread::Visits => {
                let overhead = clamp(self.overhead_of(step, weight));
                let overheads = split(overhead, step.shares.iter().map(|_| 1));
                let rows = partitions.zip(charges).zip(overheads);
                parts.extend(rows.map(|((partition, charge), overhead)| Part {
                    partition,
                    weight,
                    charge: charge + overhead,
                }));
            }
            Spread::OneOf => {
                let rows = partitions.zip(charges).zip(split(weight, shares()));
                parts.extend(rows.map(|((partition, charge), weight)| Part {
                    partition,
                    weight,
                    charge,
                }));
            }
        }
    }

    /// Where the parts of requests stand that go to several partitions.
    fn wide(&mut self, way: usize, base: u64, weight: u64) -> Range<usize> {
        let key = (way as u32, base, weight);
        if let Some(range) = self.known.get(&key) {
            return range.clone();
        }
        if self.parts.len() >= PARTS_MAX {
            self.known.clear();
            self.parts.clear();
        }
        let start = self.parts.len();
        let mut parts = std::mem::take(&mut self.parts);
        for step in &self.routes.ways[way].steps {
            self.append(step, base, weight, &mut parts);
        }
        self.parts = parts;
        let range = start..self.parts.len();
        self.known.insert(key, range.clone());
        range
    }
}

impl Loading for Loads<'_> {
    fn partitions(&self) -> usize {
        self.partitions
    }

    fn each(&mut self, slots: Range<usize>, mut on: impl FnMut(u32, &[Part])) {
        let schedule = self.schedule;
        for slot in &schedule.slots[slots] {
            let way = self.routes.way_number(self.workload.access_at(slot.event));
            let base = self.workload.base_charge(slot.event);
            if let Some(partition) = self.narrow[way] {
                let part = Part {
                    partition,
                    weight: slot.weight,
                    charge: charge_of(base, slot.weight),
                };
                on(slot.requests, &[part]);
            } else {
                let range = self.wide(way, base, slot.weight);
                on(slot.requests, &self.parts[range]);
            }
        }
    }
}

/// The base charge of a log on one physical partition.
pub(super) struct Even<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) workload: &'a Workload<'a>,
}

impl Loading for Even<'_> {
    fn partitions(&self) -> usize {
        1
    }

    fn each(&mut self, slots: Range<usize>, mut on: impl FnMut(u32, &[Part])) {
        for slot in &self.schedule.slots[slots] {
            let part = Part {
                partition: 0,
                weight: slot.weight,
                charge: charge_of(self.workload.base_charge(slot.event), slot.weight),
            };
            on(slot.requests, &[part]);
        }
    }
}

/// The load of all physical partitions as if it were on one: in each window that of the first, then
/// that of the next.
pub(super) struct Pooled<'a, L>(pub(super) &'a mut L);

impl<L: Loading> Loading for Pooled<'_, L> {
    fn partitions(&self) -> usize {
        1
    }

    fn each(&mut self, slots: Range<usize>, mut on: impl FnMut(u32, &[Part])) {
        let mut all: Vec<(u32, Part)> = Vec::new();
        self.0.each(slots, |requests, parts| {
            all.extend(parts.iter().map(|part| (requests, *part)));
        });
        all.sort_by_key(|(_, part)| part.partition);
        for (requests, part) in all {
            let part = Part {
                partition: 0,
                ..part
            };
            on(requests, &[part]);
        }
    }
}

/// The one partition of a way whose only step puts the base charge there.
fn narrow(way: &Route) -> Option<u32> {
    let [step] = &way.steps[..] else {
        return None;
    };
    match step.shares[..] {
        [(partition, _)] if step.charge == StepCharge::Base => Some(partition),
        _ => None,
    }
}

/// The charge of requests of this weight, of which one is charged `base`.
fn charge_of(base: u64, weight: u64) -> u64 {
    if weight == MICRO {
        base
    } else {
        clamp(weighted(base, weight))
    }
}

fn clamp(charge: u128) -> u64 {
    u64::try_from(charge).unwrap_or(u64::MAX)
}

/// Splits a whole number by shares so that the parts sum to it.
fn split(whole: u64, shares: impl Iterator<Item = u64> + Clone) -> impl Iterator<Item = u64> {
    let total: u128 = shares.clone().map(u128::from).sum::<u128>().max(1);
    let mut before = 0_u128;
    let mut given = 0_u64;
    shares.map(move |share| {
        before += u128::from(share);
        let until = (u128::from(whole) * before / total) as u64;
        let part = until - given;
        given = until;
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_sum_to_the_whole_and_follow_the_shares(whole in any::<u64>(), shares in proptest::collection::vec(0..1_000_000_000_000_u64, 1..40)) {
            prop_assume!(shares.iter().any(|share| *share > 0));
            let total: u128 = shares.iter().map(|share| u128::from(*share)).sum();
            let parts: Vec<u64> = split(whole, shares.iter().copied()).collect();
            prop_assert_eq!(parts.iter().map(|part| u128::from(*part)).sum::<u128>(), u128::from(whole));
            for (part, share) in parts.iter().zip(&shares) {
                let exact = u128::from(whole) * u128::from(*share) / total;
                prop_assert!(u128::from(*part).abs_diff(exact) <= 1);
            }
        }
    }
}
