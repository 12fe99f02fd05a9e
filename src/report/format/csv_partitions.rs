//! CSV: one row a physical partition of each candidate.

use std::io::{self, Write};

use super::csv::{known, write_rows};
use super::{OutputFormat, Target};
use crate::report::v1::Report;

pub(super) struct CsvPartitions;

const HEADER: [&str; 14] = [
    "key",
    "partition",
    "min",
    "max",
    "items",
    "bytes",
    "logical_partitions",
    "charge",
    "charge_share",
    "utilization_p50",
    "utilization_p95",
    "utilization_p99",
    "utilization_max",
    "throttled_share",
];

impl OutputFormat for CsvPartitions {
    fn name(&self) -> &'static str {
        "csv-partitions"
    }

    fn summary(&self) -> &'static str {
        "one row a physical partition of each candidate"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        let rows = report.candidates.iter().flat_map(|candidate| {
            let partitions = candidate.physical_partitions.iter().enumerate();
            partitions.map(|(index, one)| {
                [
                    candidate.key.clone(),
                    index.to_string(),
                    one.min.clone(),
                    one.max.clone(),
                    one.items.to_string(),
                    one.bytes.to_string(),
                    one.logical_partitions.to_string(),
                    known(one.charge),
                    known(one.charge_share),
                    known(one.utilization.map(|used| used.p50)),
                    known(one.utilization.map(|used| used.p95)),
                    known(one.utilization.map(|used| used.p99)),
                    known(one.utilization.map(|used| used.max)),
                    known(one.throttled_share),
                ]
            })
        });
        write_rows(HEADER, rows, out)
    }
}
