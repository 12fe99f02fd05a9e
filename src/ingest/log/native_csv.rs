//! The native log as a table: the same names in the header, with types behind a colon.

use std::io::{self, BufRead};

use csv::ByteRecord;
use serde_json::{Map, Value};

use super::fields::row;
use super::{LogFormat, LogSink};
use crate::ingest::problem::{Reason, RowProblem};
use crate::ingest::table::{Table, json_number, lines_of};

/// A table with a column `op`.
pub(super) struct NativeCsv;

impl LogFormat for NativeCsv {
    fn name(&self) -> &'static str {
        "native-csv"
    }

    fn summary(&self) -> &'static str {
        "a table with the same names in its header; types as in ru:number, filter.tenantId"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let header = lines_of(head).next().unwrap_or_default();
        Table::new(header).is_ok_and(|table| {
            table
                .header
                .iter()
                .any(|name| Column::new(name).name == "op")
        })
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        let mut table = Table::new(input)?;
        let columns: Vec<Column> = table.header.iter().map(|name| Column::new(name)).collect();
        let mut record = ByteRecord::new();
        while let Some(line) = table.next(&mut record)? {
            match fields(&columns, &record) {
                Ok(fields) => row(&fields, line, sink),
                Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
            }
        }
        Ok(())
    }
}

struct Column {
    name: String,
    /// `number`, `bool` or `json`; a cell is text otherwise.
    kind: Option<String>,
}

impl Column {
    fn new(header: &str) -> Self {
        match header.rsplit_once(':') {
            Some((name, kind @ ("number" | "bool" | "json" | "string"))) => Self {
                name: name.to_owned(),
                kind: Some(kind.to_owned()),
            },
            _ => Self {
                name: header.to_owned(),
                kind: None,
            },
        }
    }

    /// The value of a cell; `None` where it is not of the type of its column.
    fn value(&self, text: &str) -> Option<Value> {
        match self.kind.as_deref() {
            Some("number") => json_number(text).map(Value::Number),
            Some("bool") => text.parse().ok().map(Value::Bool),
            Some("json") => serde_json::from_str(text).ok(),
            _ => Some(text.into()),
        }
    }
}

/// The row as the object that the other native form has; an empty cell is an absent field.
fn fields(columns: &[Column], record: &ByteRecord) -> Result<Map<String, Value>, (Reason, String)> {
    if record.len() != columns.len() {
        let detail = format!("{} cells under a header of {}", record.len(), columns.len());
        return Err((Reason::Ragged, detail));
    }
    let mut fields = Map::new();
    let mut filter = Map::new();
    for (column, cell) in columns.iter().zip(record) {
        let name = &column.name;
        let text = std::str::from_utf8(cell)
            .map_err(|_| (Reason::NotText, format!("the cell of column {name}")))?;
        if text.is_empty() {
            continue;
        }
        let value = column.value(text).ok_or_else(|| {
            let kind = column.kind.as_deref().unwrap_or_default();
            (Reason::BadField, format!("{name}: {text} is no {kind}"))
        })?;
        match name.strip_prefix("filter.") {
            Some(path) => filter.insert(path.to_owned(), value),
            None => fields.insert(name.clone(), value),
        };
    }
    if !filter.is_empty() {
        fields.insert("filter".to_owned(), Value::Object(filter));
    }
    Ok(fields)
}
