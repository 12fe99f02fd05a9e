//! Single requests, and rows that sum up many.

use super::address::Address;
use super::row::{Failure, ResourceRow};
use crate::ingest::log::builder::LogBuilder;
use crate::ingest::log::{Asked, LoggedOperation};
use crate::ingest::problem::Reason;
use crate::model::OperationKind;
use crate::model::units::MICRO;

/// Adds a row that sums up the requests of some minutes: an operation that ran often.
pub(super) fn add_sum(
    row: &ResourceRow,
    line: u64,
    builder: &mut LogBuilder,
) -> Result<(), Failure> {
    let name = row.operation.clone().unwrap_or_default();
    let kind = OperationKind::from_name(&name);
    if let Some(metadata) = metadata(row, None, &name, kind) {
        builder.problem_here(line, Reason::Metadata, metadata);
        return Ok(());
    }
    let kind = kind.ok_or((Reason::UnknownOperation, name))?;
    let weight = row.count.unwrap_or(MICRO);
    if weight == 0 {
        return Ok(());
    }
    let total = row.total_charge.or(row.charge);
    let mean = total.map(|total| {
        let mean = u128::from(total) * u128::from(MICRO) / u128::from(weight);
        u64::try_from(mean).unwrap_or(u64::MAX)
    });
    builder.problem_here(
        line,
        Reason::Aggregated,
        "its ids, keys and texts are not told".to_owned(),
    );
    let asked = if kind == OperationKind::Query {
        Asked::Unknown
    } else {
        Asked::Nothing
    };
    let operation = LoggedOperation {
        time: row.time,
        database: row.database.clone(),
        container: row.container.clone(),
        asked,
        charge: row.average_charge.or(mean),
        weight,
        status: row.status,
        sub_status: row.sub_status,
        ..LoggedOperation::new(kind)
    };
    builder.add(operation, line);
    Ok(())
}

/// Why a request reads no items, if it does not.
pub(super) fn metadata(
    row: &ResourceRow,
    address: Option<&Address>,
    name: &str,
    kind: Option<OperationKind>,
) -> Option<String> {
    let executes = kind == Some(OperationKind::Execute);
    if name.eq_ignore_ascii_case("queryplan") {
        return Some(name.to_owned());
    }
    match (row.resource_type.as_deref(), address) {
        (Some(of), _) if of.eq_ignore_ascii_case("document") => None,
        (Some(of), _) if of.eq_ignore_ascii_case("storedprocedure") && executes => None,
        (Some(of), _) => Some(format!("{name} of {of}")),
        (None, Some(address)) if address.other && !executes => {
            Some(format!("{name} of a part of the container"))
        }
        (None, Some(address)) if !address.items => {
            // What goes to one item has `docs` in its address; queries may not.
            let of_one = matches!(
                kind,
                Some(OperationKind::Read | OperationKind::Replace | OperationKind::Delete)
            );
            of_one.then(|| format!("{name} of a container or database"))
        }
        (None, _) => None,
    }
}
