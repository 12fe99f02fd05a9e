//! Items from tables: one row an item, one column a property.

use std::io::{self, BufRead};
use std::sync::Arc;

use csv::ByteRecord;
use serde_json::{Map, Value};

use super::csv_types::{ColumnType, Columns};
use super::{InputFormat, Job};
use crate::ingest::problem::{Reason, RowProblem};
use crate::ingest::table::{Table, json_number, lines_of, separator_of};

/// Rows that are handed on together.
const JOB_ROWS: usize = 2000;

/// Tables with a header. An empty cell is an absent property.
pub(super) struct Csv;

impl InputFormat for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn summary(&self) -> &'static str {
        "a table with a header; , ; tab or | between the cells"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let mut lines = lines_of(head);
        let Some(header) = lines.next() else {
            return false;
        };
        let one_name = || {
            let name = header.trim_ascii();
            name.first().is_some_and(u8::is_ascii_alphabetic)
                && name
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                && lines.clone().next().is_some()
        };
        let like_json = |line: &[u8]| matches!(line.trim_ascii().first(), Some(b'{' | b'['));
        std::str::from_utf8(header).is_ok()
            && !like_json(header)
            && !lines.clone().any(like_json)
            && (separator_of(header).is_some() || one_name())
    }

    fn has_columns(&self) -> bool {
        true
    }

    fn split(
        &self,
        input: &mut dyn BufRead,
        columns: &Columns,
        emit: &mut dyn FnMut(Job),
    ) -> io::Result<()> {
        let mut table = Table::new(input)?;
        let header: Vec<(String, ColumnType)> = table
            .header
            .iter()
            // Some tools head the columns of the key with the path.
            .map(|name| {
                (
                    name.trim_start_matches('/').to_owned(),
                    columns.type_of(name),
                )
            })
            .collect();
        let header = Arc::new(header);
        let mut rows = Vec::new();
        loop {
            let mut row = ByteRecord::new();
            let Some(line) = table.next(&mut row)? else {
                break;
            };
            rows.push((line, row));
            if rows.len() == JOB_ROWS {
                emit(job(&header, std::mem::take(&mut rows)));
            }
        }
        emit(job(&header, rows));
        Ok(())
    }
}

fn job(header: &Arc<Vec<(String, ColumnType)>>, rows: Vec<(u64, ByteRecord)>) -> Job {
    let header = Arc::clone(header);
    Box::new(move |sink| {
        for (line, row) in rows {
            match item(&header, &row) {
                Ok(item) => sink.item(item, line),
                Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
            }
        }
    })
}

fn item(header: &[(String, ColumnType)], row: &ByteRecord) -> Result<Value, (Reason, String)> {
    if row.len() != header.len() {
        let detail = format!("{} cells under a header of {}", row.len(), header.len());
        return Err((Reason::Ragged, detail));
    }
    let mut members = Map::new();
    for ((name, kind), cell) in header.iter().zip(row) {
        let text = std::str::from_utf8(cell)
            .map_err(|_| (Reason::NotText, format!("the cell of column {name}")))?;
        if text.is_empty() {
            continue;
        }
        let value = match kind {
            ColumnType::Number => json_number(text).map(Value::Number),
            ColumnType::Text => None,
        };
        members.insert(name.clone(), value.unwrap_or_else(|| text.into()));
    }
    Ok(Value::Object(members))
}

#[cfg(test)]
mod tests {
    use super::super::Collected;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(text: &[u8]) -> Collected {
        let mut columns = Columns::default();
        columns.add(&mut &text[..], false).expect("memory");
        let mut read = Collected::default();
        Csv.split(&mut &text[..], &columns, &mut |job| job(&mut read))
            .expect("memory");
        read
    }

    #[test]
    fn cells_are_typed_by_column_and_empty_ones_are_absent() {
        let read = read(b"id,n,t\n1,2,x\n2,,\"\"\n");
        let items: Vec<_> = read.items.into_iter().map(|one| one.0).collect();
        assert_eq!(
            items,
            [json!({"id": "1", "n": 2, "t": "x"}), json!({"id": "2"})]
        );
    }

    #[test]
    fn a_row_of_another_length_is_named_and_not_used() {
        let read = read(b"a,b\n1,2\n3\n4,5,6\n7,8\n");
        assert_eq!(read.items.len(), 2);
        let lines: Vec<_> = read
            .problems
            .iter()
            .map(|one| (one.line, one.reason))
            .collect();
        assert_eq!(lines, [(3, Reason::Ragged), (4, Reason::Ragged)]);
    }

    #[test]
    fn tables_are_told_from_json_by_content() {
        for table in [
            "a,b\n1,2",
            "sep=,\n\"a\";\"b\"\n",
            "\u{feff}a\tb\n",
            "tenant\nacme\n",
        ] {
            assert!(Csv.recognises(table.as_bytes()), "{table}");
        }
        for other in [
            "{\"a\":1}",
            "[\n{}",
            "",
            "nonsense",
            "5\n6\n",
            "broken, line\n{\"a\":1}\n",
        ] {
            assert!(!Csv.recognises(other.as_bytes()), "{other}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }
    }
}
