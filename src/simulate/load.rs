//! The charge of a log on each physical partition, request by request.

use super::charge::QUERY_CHARGE_MIN;
use super::route::{Route, Spread, Step, StepCharge};
use super::schedule::{Schedule, Slot};
use crate::model::units::weighted;

/// Some equal requests on one physical partition in one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) window: u32,
    pub(super) requests: u32,
    /// Their weight together, in millionths of an operation.
    pub(super) weight: u64,
    /// Their charge together, in millionths of a request unit.
    pub(super) charge: u64,
}

/// The requests on each physical partition, in the order in which they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loads {
    pub(super) partitions: Vec<Vec<Load>>,
    /// What is spent on partitions after the first, in millionths of a request unit.
    pub(super) overhead: u128,
    further_partition_charge: u64,
}

impl Loads {
    /// The load of a schedule over so many physical partitions. `of_row` gives the route and the base
    /// charge of one operation of a row.
    pub(super) fn new<'a>(
        schedule: &Schedule,
        partition_count: usize,
        further_partition_charge: u64,
        of_row: impl Fn(u32) -> (&'a Route, u64),
    ) -> Self {
        let mut loads = Self {
            partitions: vec![Vec::new(); partition_count],
            overhead: 0,
            further_partition_charge,
        };
        for slot in &schedule.slots {
            let (route, base) = of_row(slot.event);
            for step in &route.steps {
                loads.add(slot, step, base);
            }
        }
        loads
    }

    fn add(&mut self, slot: &Slot, step: &Step, base: u64) {
        let base = match step.charge {
            StepCharge::Base => base,
            StepCharge::Delete => base / 2,
            StepCharge::Create => base - base / 2,
            StepCharge::Lookup => QUERY_CHARGE_MIN,
        };
        let charge = clamp(weighted(base, slot.weight));
        if let [(partition, _)] = step.shares[..] {
            self.push(partition, slot, slot.weight, charge);
            return;
        }
        let parts = split(charge, step.shares.iter().map(|share| share.1));
        match step.spread {
            Spread::Visits => {
                let further = step.shares.len() as u64 - 1;
                let overhead = weighted(self.further_partition_charge * further, slot.weight);
                self.overhead += overhead;
                let overheads = split(clamp(overhead), step.shares.iter().map(|_| 1));
                for (((partition, _), charge), overhead) in
                    step.shares.iter().zip(parts).zip(overheads)
                {
                    self.push(*partition, slot, slot.weight, charge + overhead);
                }
            }
            Spread::OneOf => {
                let weights = split(slot.weight, step.shares.iter().map(|share| share.1));
                for (((partition, _), charge), weight) in step.shares.iter().zip(parts).zip(weights)
                {
                    self.push(*partition, slot, weight, charge);
                }
            }
        }
    }

    fn push(&mut self, partition: u32, slot: &Slot, weight: u64, charge: u64) {
        if let Some(loads) = self.partitions.get_mut(partition as usize) {
            loads.push(Load {
                window: slot.window,
                requests: slot.requests,
                weight,
                charge,
            });
        }
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
