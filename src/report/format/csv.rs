//! CSV: one row a candidate.

use std::io::{self, Write};

use super::{OutputFormat, Target};
use crate::report::v1::{Candidate, Report};

pub(super) struct Csv;

/// Writes rows under a header; an unknown number is an empty cell.
pub(super) fn write_rows<const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.flush()
}

/// A number, or nothing where it is not known.
pub(super) fn known<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

const HEADER: [&str; 28] = [
    "rank",
    "key",
    "strategy",
    "kind",
    "version",
    "verdict",
    "recommended",
    "current",
    "distinct",
    "missing_items",
    "null_items",
    "largest_bytes",
    "over_limit",
    "fullest_bytes",
    "operations",
    "single",
    "targeted",
    "fan_out",
    "none",
    "invalid",
    "unknown",
    "partitions_visited_mean",
    "hottest_share",
    "throttled_share",
    "required",
    "cost",
    "errors",
    "warnings",
];

impl OutputFormat for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn summary(&self) -> &'static str {
        "one row a candidate, for spreadsheets"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        let rows = report.candidates.iter().map(|one| row(report, one));
        write_rows(HEADER, rows, out)
    }
}

fn row(report: &Report, one: &Candidate) -> [String; HEADER.len()] {
    let routing = one.routing.as_ref();
    let throughput = one.throughput.as_ref();
    let severity = |name: &str| {
        let of_it = one.findings.iter().filter(|one| one.severity == name);
        of_it.count().to_string()
    };
    [
        one.rank.to_string(),
        one.key.clone(),
        one.strategy.clone(),
        one.definition.kind.clone(),
        one.definition.version.to_string(),
        one.verdict.clone(),
        (report.recommendation.key.as_ref() == Some(&one.key)).to_string(),
        one.current.to_string(),
        one.cardinality.distinct.to_string(),
        one.cardinality.missing_items.to_string(),
        one.cardinality.null_items.to_string(),
        known(one.logical_partitions.bytes.map(|sizes| sizes.max)),
        one.logical_partitions.over_limit.to_string(),
        known(one.physical_partitions.iter().map(|one| one.bytes).max()),
        known(routing.map(|routing| routing.operations)),
        known(routing.map(|routing| routing.single)),
        known(routing.map(|routing| routing.targeted)),
        known(routing.map(|routing| routing.fan_out)),
        known(routing.map(|routing| routing.none)),
        known(routing.map(|routing| routing.invalid)),
        known(routing.map(|routing| routing.unknown)),
        known(routing.and_then(|routing| Some(routing.partitions_visited?.mean))),
        known(throughput.and_then(|one| one.hottest_share)),
        known(throughput.and_then(|one| one.throttled_share)),
        known(throughput.and_then(|one| one.required)),
        known(one.cost.map(|cost| cost.total)),
        severity("error"),
        severity("warning"),
    ]
}
