//! What an operation costs on one partition, free of any candidate: the recorded charge, cleaned of
//! the fan-out it had, or a model.

use crate::model::units::MICRO;
use crate::model::{Access, Event, OperationKind};

/// The name of the model that fills in charges which the log does not tell.
pub const CHARGE_MODEL: &str = "list-2026";

/// Each further physical partition that an operation visits, in millionths of a request unit: about
/// 2.5 RU ("how-to-query-container").
pub const FURTHER_PARTITION_CHARGE: u64 = 2_500_000;

/// The smallest query on one partition: about 2.8 RU ("how-to-query-container"); also a lookup by id.
pub const QUERY_CHARGE_MIN: u64 = 2_800_000;

/// A query of which nothing is known: 10 RU ("estimate-ru-with-capacity-planner").
const QUERY_CHARGE: u64 = 10 * MICRO;

/// A point read of 1 KB and of 100 KB: 1 and 10 RU ("optimize-cost-reads-writes",
/// "key-value-store-cost").
const READ_CHARGES: (u64, u64) = (MICRO, 10 * MICRO);

/// A write of 1 KB with default indexing, "for planning" about 10 RU; a write of 100 KB costs ten
/// times that of 1 KB in the tables without indexing ("key-value-store-cost").
const WRITE_CHARGES: (u64, u64) = (10 * MICRO, 100 * MICRO);

/// A replacement costs twice an insert ("optimize-cost-reads-writes").
const REPLACE_FACTOR: u64 = 2;

/// Where the charge of an operation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChargeSource {
    /// The log, and nothing of it is due to fan-out.
    Recorded,
    /// The log; how many partitions it visited then is not known, so today's fan-out may be in it.
    RecordedWithFanOut,
    /// The model.
    Modelled,
}

/// A charge on one partition, in millionths of a request unit, and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaseCharge {
    /// Millionths of a request unit.
    pub charge: u64,
    /// Where it comes from.
    pub source: ChargeSource,
}

/// The base charge of an operation.
///
/// A recorded charge of a query loses 2.5 RU for each partition after the first that it visited then,
/// but falls no lower than 2.8 RU for it. `visited` is that number, from the row itself or from the
/// routing under today's key; `item_bytes` the size of its item, where it is known.
pub(super) fn base_charge(
    access: &Access,
    event: &Event,
    visited: Option<u64>,
    item_bytes: Option<u64>,
    further_partition_charge: u64,
) -> BaseCharge {
    let Some(recorded) = event.charge else {
        return BaseCharge {
            charge: modelled(access, event.bytes.or(item_bytes)),
            source: ChargeSource::Modelled,
        };
    };
    if access.kind.is_point()
        || matches!(access.kind, OperationKind::Batch | OperationKind::Execute)
    {
        return BaseCharge {
            charge: recorded,
            source: ChargeSource::Recorded,
        };
    }
    let Some(visited) = visited else {
        return BaseCharge {
            charge: recorded,
            source: ChargeSource::RecordedWithFanOut,
        };
    };
    let overhead = further_partition_charge.saturating_mul(visited.saturating_sub(1));
    let least = recorded.min(QUERY_CHARGE_MIN);
    BaseCharge {
        charge: recorded.saturating_sub(overhead).max(least),
        source: ChargeSource::Recorded,
    }
}

fn modelled(access: &Access, bytes: Option<u64>) -> u64 {
    let one = |kind: OperationKind, bytes: Option<u64>| match kind {
        OperationKind::Read => by_size(READ_CHARGES, bytes),
        OperationKind::Create | OperationKind::Delete => by_size(WRITE_CHARGES, bytes),
        OperationKind::Upsert | OperationKind::Replace | OperationKind::Patch => {
            REPLACE_FACTOR * by_size(WRITE_CHARGES, bytes)
        }
        _ => QUERY_CHARGE,
    };
    match access.kind {
        OperationKind::ReadMany => {
            let keys = access.members.len().max(1) as u64;
            keys * one(OperationKind::Read, None)
        }
        OperationKind::Batch if !access.members.is_empty() => access
            .members
            .iter()
            .map(|member| one(member.kind, None))
            .sum(),
        kind => one(kind, bytes),
    }
}

/// Between the charges of 1 KB and of 100 KB along a line, and on beyond; at least that of 1 KB.
/// What copying items into a new container is charged, in millionths of a request unit: each is read
/// once and created once, at their mean size.
pub fn copy_charge(items: u64, bytes: u64) -> u128 {
    let mean = Some(bytes / items.max(1));
    let each = by_size(READ_CHARGES, mean) + by_size(WRITE_CHARGES, mean);
    u128::from(items) * u128::from(each)
}

fn by_size((small, large): (u64, u64), bytes: Option<u64>) -> u64 {
    let beyond = bytes.unwrap_or(0).saturating_sub(1000);
    let slope = u128::from(large - small) * u128::from(beyond) / 99_000;
    small.saturating_add(u64::try_from(slope).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Condition, OptionsKey};

    fn access(kind: OperationKind) -> Access {
        Access {
            kind,
            shape: 0,
            condition: Condition::default(),
            id: None,
            key: OptionsKey::None,
            item: None,
            members: Vec::new(),
        }
    }

    fn event(charge: Option<u64>) -> Event {
        Event {
            time: None,
            access: 0,
            weight: MICRO,
            charge,
            ranges: None,
            bytes: None,
            rate: None,
            transaction: None,
        }
    }

    fn of(
        kind: OperationKind,
        charge: Option<u64>,
        visited: Option<u64>,
        bytes: Option<u64>,
    ) -> BaseCharge {
        base_charge(
            &access(kind),
            &event(charge),
            visited,
            bytes,
            FURTHER_PARTITION_CHARGE,
        )
    }

    #[test]
    fn a_recorded_query_loses_the_partitions_after_the_first_and_keeps_at_least_its_minimum() {
        let query = |charge, visited| of(OperationKind::Query, Some(charge), visited, None);
        assert_eq!(query(20 * MICRO, Some(3)).charge, 15 * MICRO);
        assert_eq!(query(20 * MICRO, Some(1)).charge, 20 * MICRO);
        assert_eq!(query(20 * MICRO, Some(100)).charge, QUERY_CHARGE_MIN);
        // A charge below the minimum is a fact, and is not raised to it.
        assert_eq!(query(2 * MICRO, Some(4)).charge, 2 * MICRO);
        assert_eq!(
            query(20 * MICRO, None),
            BaseCharge {
                charge: 20 * MICRO,
                source: ChargeSource::RecordedWithFanOut
            }
        );
    }

    #[test]
    fn a_copy_reads_and_writes_each_item() {
        let each = by_size(READ_CHARGES, Some(1000)) + by_size(WRITE_CHARGES, Some(1000));
        assert_eq!(copy_charge(10, 10_000), u128::from(10 * each));
        assert_eq!(copy_charge(0, 0), 0);
    }

    #[test]
    fn the_model_follows_the_tables() {
        let modelled = |kind, bytes| of(kind, None, None, bytes).charge;
        assert_eq!(modelled(OperationKind::Read, Some(1000)), MICRO);
        assert_eq!(modelled(OperationKind::Read, Some(100_000)), 10 * MICRO);
        assert_eq!(modelled(OperationKind::Read, None), MICRO);
        assert_eq!(modelled(OperationKind::Create, None), 10 * MICRO);
        assert_eq!(modelled(OperationKind::Replace, Some(100_000)), 200 * MICRO);
        assert_eq!(modelled(OperationKind::Query, None), 10 * MICRO);
        assert_eq!(
            of(OperationKind::Read, Some(7), None, None).source,
            ChargeSource::Recorded
        );
    }
}
