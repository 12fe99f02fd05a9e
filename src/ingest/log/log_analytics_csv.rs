//! Query results as a portal exports them to a table.

use std::io::{self, BufRead};

use csv::ByteRecord;

use super::azure_cli::is_resource_log;
use super::resource::{Failure, Field, ResourceRow};
use super::time::{split_zone, zone_offset};
use super::{LogFormat, LogSink};
use crate::ingest::problem::{Reason, RowProblem};
use crate::ingest::table::{Table, lines_of};

/// A table whose columns are those of a resource-specific table, or of `AzureDiagnostics`. The name of
/// a column of times may have their zone behind it, in brackets.
pub(super) struct LogAnalyticsCsv;

/// A column that is used.
struct Column {
    index: usize,
    field: (Field, u8),
    /// How far its times are ahead of UTC.
    zone: i64,
}

impl LogFormat for LogAnalyticsCsv {
    fn name(&self) -> &'static str {
        "log-analytics-csv"
    }

    fn summary(&self) -> &'static str {
        "resource logs exported from Log Analytics, as CSV"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let header = lines_of(head).next().unwrap_or_default();
        Table::new(header).is_ok_and(|table| {
            let columns = table.header.iter();
            let fields: Vec<_> = columns
                .filter_map(|name| Field::of_column(split_zone(name).0))
                .collect();
            is_resource_log(&fields)
        })
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        let mut table = Table::new(input)?;
        let columns = columns(&table.header, sink);
        table.each_row(
            |record, line| match record.and_then(|record| row(&columns, record)) {
                Ok(row) => sink.resource(row, line),
                Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
            },
        )
    }
}

fn columns(header: &[String], sink: &mut dyn LogSink) -> Vec<Column> {
    let mut columns = Vec::new();
    for (index, name) in header.iter().enumerate() {
        let (plain, zone) = split_zone(name);
        let Some(field) = Field::of_column(plain) else {
            continue;
        };
        sink.column(field.0.name(), name);
        let offset = zone.map_or(Some(0), zone_offset);
        if offset.is_none() && field.0 == Field::Time {
            sink.problem(RowProblem::new(1, Reason::UnknownZone, name.as_str()));
        }
        columns.push(Column {
            index,
            field,
            zone: offset.unwrap_or_default(),
        });
    }
    columns
}

fn row(columns: &[Column], record: &ByteRecord) -> Result<ResourceRow, Failure> {
    let mut row = ResourceRow::default();
    for column in columns {
        let text = std::str::from_utf8(&record[column.index]).map_err(|_| {
            let name = column.field.0.name();
            (Reason::NotText, format!("the cell of column {name}"))
        })?;
        row.set(column.field, text, column.zone)?;
    }
    Ok(row)
}
