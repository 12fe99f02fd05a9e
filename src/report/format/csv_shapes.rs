//! CSV: one row a shape of operations under each candidate.

use std::io::{self, Write};

use super::csv::write_rows;
use super::{OutputFormat, Target};
use crate::report::v1::Report;

pub(super) struct CsvShapes;

const HEADER: [&str; 11] = [
    "key",
    "shape",
    "kind",
    "routing",
    "operations",
    "single",
    "targeted",
    "fan_out",
    "partitions_visited_mean",
    "partitions_visited_max",
    "charge",
];

impl OutputFormat for CsvShapes {
    fn name(&self) -> &'static str {
        "csv-shapes"
    }

    fn summary(&self) -> &'static str {
        "one row a shape of operations under each candidate"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        let rows = report.candidates.iter().flat_map(|candidate| {
            let routing = candidate.routing.iter();
            let shapes = routing.flat_map(|routing| &routing.shapes);
            shapes.map(|one| {
                [
                    candidate.key.clone(),
                    one.name.clone(),
                    one.kind.clone(),
                    one.routing.clone(),
                    one.operations.to_string(),
                    one.single.to_string(),
                    one.targeted.to_string(),
                    one.fan_out.to_string(),
                    one.partitions_visited_mean.to_string(),
                    one.partitions_visited_max.to_string(),
                    one.charge.to_string(),
                ]
            })
        });
        write_rows(HEADER, rows, out)
    }
}
