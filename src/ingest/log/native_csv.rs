//! The native log as a table: the same names in the header, with types behind a colon.

use std::io::{self, BufRead};

use csv::ByteRecord;
use serde_json::{Map, Value};

use super::fields::row;
use super::slots::{Name, Slot, Slots};
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
        table.each_row(
            |record, line| match record.and_then(|record| fields(&columns, record)) {
                Ok(fields) => row(fields, line, sink),
                Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
            },
        )
    }
}

struct Column {
    name: String,
    field: Option<Name>,
    /// `number`, `bool` or `json`; a cell is text otherwise.
    kind: Option<String>,
}

impl Column {
    fn new(header: &str) -> Self {
        let (name, kind) = match header.rsplit_once(':') {
            Some((name, kind @ ("number" | "bool" | "json" | "string"))) => (name, Some(kind)),
            _ => (header, None),
        };
        Self {
            name: name.to_owned(),
            field: Name::parse(name),
            kind: kind.map(str::to_owned),
        }
    }

    /// The value of a cell; `None` where it is not of the type of its column.
    fn slot<'a>(&self, text: &'a str) -> Option<Slot<'a>> {
        match self.kind.as_deref() {
            Some("number") => json_number(text).map(Slot::Number),
            Some("bool") => text.parse().ok().map(|flag: bool| Slot::Json(flag.into())),
            Some("json") => serde_json::from_str::<Value>(text).ok().map(Slot::from),
            _ => Some(Slot::Text(text.into())),
        }
    }
}

/// The fields of a row; an empty cell is an absent field.
fn fields<'a>(
    columns: &'a [Column],
    record: &'a ByteRecord,
) -> Result<Slots<'a>, (Reason, String)> {
    let mut fields = Slots::default();
    let mut filter = Map::new();
    for (column, cell) in columns.iter().zip(record) {
        let name = &column.name;
        let text = std::str::from_utf8(cell)
            .map_err(|_| (Reason::NotText, format!("the cell of column {name}")))?;
        if text.is_empty() {
            continue;
        }
        let slot = column.slot(text).ok_or_else(|| {
            let kind = column.kind.as_deref().unwrap_or_default();
            (Reason::BadField, format!("{name}: {text} is no {kind}"))
        })?;
        match (name.strip_prefix("filter."), column.field) {
            (Some(path), _) => {
                // An empty cell is absent, and null stands in a cell of JSON.
                let value = match slot {
                    Slot::Text(text) => Value::String(text.into()),
                    slot => slot.into_json().unwrap_or_default(),
                };
                filter.insert(path.to_owned(), value);
            }
            (None, Some(field)) => fields.set(field, slot),
            (None, None) => fields.unknown.push(name.into()),
        }
    }
    if !filter.is_empty() {
        fields.set(Name::Filter, Slot::Json(Value::Object(filter)));
    }
    Ok(fields)
}
