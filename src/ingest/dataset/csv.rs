//! Items from tables: one row an item, one column a property.

use std::collections::BTreeSet;
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::sync::Arc;

use csv::ByteRecord;
use serde_json::{Map, Value};

use super::csv_types::{ColumnType, Columns, Word, in_words, property};
use super::parse::{Seen, parse};
use super::{Hints, InputFormat, ItemSink, Job};
use crate::ingest::problem::{Reason, RowProblem};
use crate::ingest::table::{Table, json_number, lines_of, separator_of};

/// Rows that are handed on together.
const JOB_ROWS: usize = 2000;

/// Tables with a header. An empty cell is an absent property, a cell with an object or an array in
/// JSON is that, and a column with dots in its name is a nested property.
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

    fn describe(&self, head: &[u8], hints: Hints) -> String {
        let separator = lines_of(head).next().and_then(separator_of);
        let between = match separator.unwrap_or(b',') {
            b'\t' => "tabs".to_owned(),
            other => char::from(other).to_string(),
        };
        let quotes = if hints.backslashes {
            "behind backslashes"
        } else {
            "doubled"
        };
        format!("a table with {between} between the cells, quotes {quotes}")
    }

    fn split(
        &self,
        input: &mut dyn BufRead,
        hints: Hints,
        emit: &mut dyn FnMut(Job) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut table = Table::with_backslashes(input, hints.backslashes)?;
        let header = Arc::new(Header::new(&table.header, hints.columns));
        let mut rows = Rows {
            problems: header.notices(),
            ..Rows::default()
        };
        loop {
            let mut row = ByteRecord::new();
            let Some(line) = table.next(&mut row)? else {
                break;
            };
            if let Some((reason, detail)) = table.broken() {
                rows.problems.push(RowProblem::new(line, reason, detail));
                continue;
            }
            rows.last_line = line;
            rows.cells.push((line, row));
            if rows.cells.len() == JOB_ROWS {
                let full = std::mem::take(&mut rows);
                rows.last_line = line;
                let header = Arc::clone(&header);
                if emit(Box::new(move |sink| full.read(&header, sink))).is_break() {
                    return Ok(());
                }
            }
        }
        if table.is_open_ended() && table.broken().is_none() {
            let notice = RowProblem::new(rows.last_line.max(1), Reason::OpenEnd, "");
            rows.problems.push(notice);
        }
        // The last one; whether more is wanted does not matter.
        let _ = emit(Box::new(move |sink| rows.read(&header, sink)));
        Ok(())
    }
}

/// Rows that were cut out and not yet read.
#[derive(Default)]
struct Rows {
    /// The line on which each starts, and its cells.
    cells: Vec<(u64, ByteRecord)>,
    problems: Vec<RowProblem>,
    last_line: u64,
}

impl Rows {
    fn read(self, header: &Header, sink: &mut dyn ItemSink) {
        for problem in self.problems {
            sink.problem(problem);
        }
        for (line, row) in self.cells {
            let mut reader = RowReader {
                header,
                seen: Seen::default(),
                words: None,
            };
            match reader.item(&row) {
                Ok(item) => {
                    for notice in reader.seen.notices(line) {
                        sink.problem(notice);
                    }
                    if let Some(name) = reader.words {
                        sink.problem(RowProblem::new(line, Reason::NullText, name));
                    }
                    sink.item(item, line);
                }
                Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
            }
        }
    }
}

/// The columns of a table, and where in an item each goes.
struct Header {
    columns: Vec<Column>,
    all_text: bool,
}

struct Column {
    name: String,
    /// The names of the property from the outermost; one unless it is nested.
    path: Vec<String>,
    kind: ColumnType,
}

impl Header {
    fn new(names: &[String], types: &Columns) -> Self {
        let column = |name: &String| Column {
            path: path(name, names),
            name: property(name).to_owned(),
            kind: types.type_of(name),
        };
        Self {
            columns: names.iter().map(column).collect(),
            all_text: types.all_text(),
        }
    }

    /// What is to be said of the table as a whole.
    fn notices(&self) -> Vec<RowProblem> {
        let names = |of: &dyn Fn(&Column) -> bool| {
            let columns = self.columns.iter().filter(|column| of(column));
            let names: Vec<_> = columns.map(|column| column.name.as_str()).collect();
            names.join(", ")
        };
        let numbers = names(&|column| column.kind == ColumnType::Number);
        let lossy = if numbers.is_empty() {
            "all cells are read as text".to_owned()
        } else {
            format!("read as numbers: {numbers}")
        };
        let mut notices = vec![RowProblem::new(1, Reason::LossyTable, lossy)];
        let nested = names(&|column| column.path.len() > 1);
        if !nested.is_empty() {
            notices.push(RowProblem::new(1, Reason::NestedColumn, nested));
        }
        let mut seen = BTreeSet::new();
        for column in &self.columns {
            if !seen.insert(&column.path) {
                let name = column.name.as_str();
                notices.push(RowProblem::new(1, Reason::DuplicateName, name));
            }
        }
        notices
    }
}

/// The names of the property that a column holds, from the outermost: behind a slash the names of a
/// path, otherwise those between dots. A column whose outer property has a column too is not nested.
fn path(name: &str, columns: &[String]) -> Vec<String> {
    let text = property(name);
    let separator = if text.len() < name.len() { '/' } else { '.' };
    let is_name = |part: &str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let has_column = |at: usize| columns.iter().any(|other| property(other) == &text[..at]);
    let outer_columns = text.match_indices(separator).any(|(at, _)| has_column(at));
    if outer_columns || !text.split(separator).all(is_name) {
        return vec![text.to_owned()];
    }
    text.split(separator).map(str::to_owned).collect()
}

/// Reads one row.
struct RowReader<'a> {
    header: &'a Header,
    seen: Seen,
    /// The first column with a cell that says null or undefined in words.
    words: Option<String>,
}

impl RowReader<'_> {
    fn item(&mut self, row: &ByteRecord) -> Result<Value, (Reason, String)> {
        let columns = &self.header.columns;
        if row.len() != columns.len() {
            let detail = format!("{} cells under a header of {}", row.len(), columns.len());
            return Err((Reason::Ragged, detail));
        }
        let mut members = Map::new();
        for (column, cell) in columns.iter().zip(row) {
            let text = std::str::from_utf8(cell).map_err(|_| {
                (
                    Reason::NotText,
                    format!("the cell of column {}", column.name),
                )
            })?;
            if let Some(value) = self.value(column, text) {
                self.seen.name(&column.name);
                insert(&mut members, &column.path, value);
            }
        }
        Ok(Value::Object(members))
    }

    /// The value of a cell; none where it is empty.
    fn value(&mut self, column: &Column, text: &str) -> Option<Value> {
        if text.is_empty() {
            return None;
        }
        if !self.header.all_text {
            if let Some(word) = in_words(text.as_bytes()) {
                self.words.get_or_insert_with(|| column.name.clone());
                return (word == Word::Null).then_some(Value::Null);
            }
            if column.kind == ColumnType::Number
                && let Some(number) = json_number(text)
            {
                self.seen.number(&number);
                return Some(Value::Number(number));
            }
            // Some tools write nested values as JSON.
            if text.starts_with(['{', '['])
                && let Ok((value, seen)) = parse(text.as_bytes())
            {
                self.seen.merge(seen);
                return Some(value);
            }
        }
        self.seen.text(text);
        Some(text.into())
    }
}

fn insert(members: &mut Map<String, Value>, path: &[String], value: Value) {
    let [name, inner @ ..] = path else {
        return;
    };
    if inner.is_empty() {
        members.insert(name.clone(), value);
        return;
    }
    let outer = members
        .entry(name.clone())
        .or_insert_with(|| Value::Object(Map::new()));
    // No column holds the outer property itself, so that it is an object.
    if let Value::Object(outer) = outer {
        insert(outer, inner, value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Collected;
    use super::super::csv_types::TableColumns;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read_as(text: &[u8], all_text: bool) -> Collected {
        let mut columns = Columns::new(all_text);
        let mut table = TableColumns::of(&mut &text[..], false).expect("memory");
        let backslashes = table.backslashes;
        if backslashes {
            table = TableColumns::of(&mut &text[..], true).expect("memory");
        }
        columns.add(table);
        let hints = Hints {
            columns: &columns,
            backslashes,
        };
        let mut read = Collected::default();
        Csv.split(&mut &text[..], hints, &mut |job| read.run(job))
            .expect("memory");
        read
    }

    fn read(text: &[u8]) -> Collected {
        read_as(text, false)
    }

    fn items(text: &str) -> Vec<Value> {
        let read = read(text.as_bytes());
        read.items.into_iter().map(|one| one.0).collect()
    }

    fn notices(text: &str) -> Vec<(Reason, u64, String)> {
        let read = read(text.as_bytes());
        let notices = read.problems.into_iter();
        notices
            .filter(|one| one.reason != Reason::LossyTable)
            .map(|one| (one.reason, one.line, one.detail))
            .collect()
    }

    #[test]
    fn cells_are_typed_by_column_and_empty_ones_are_absent() {
        assert_eq!(
            items("id,n,t\n1,2,x\n2,,\"\"\n"),
            [json!({"id": "1", "n": 2, "t": "x"}), json!({"id": "2"})]
        );
        let lossy = &read(b"id,n\n1,2\n").problems[0];
        assert_eq!(
            (lossy.reason, lossy.detail.as_str()),
            (Reason::LossyTable, "read as numbers: n")
        );
    }

    #[test]
    fn nested_values_are_cells_in_json_or_columns_with_dots() {
        let text =
            "id,lines,address.zipCode,address.city,a.b,a\n1,\"[{\"\"sku\"\":1}]\",8000,,x,y\n";
        assert_eq!(
            items(text),
            [
                json!({"id": "1", "lines": [{"sku": 1}], "address": {"zipCode": 8000}, "a.b": "x", "a": "y"})
            ]
        );
        let nested = "address.zipCode, address.city".to_owned();
        assert_eq!(notices(text), [(Reason::NestedColumn, 1, nested)]);
        assert_eq!(
            items("/id,/a/b,v. 1\n1,[not json,{\n"),
            [json!({"id": "1", "a": {"b": "[not json"}, "v. 1": "{"})]
        );
    }

    #[test]
    fn backslashes_before_quotes_are_told_on_sight() {
        let text = "id,t\n\"1\",\"say \\\"hi\\\", \\\\o/\"\n\"2\",\"x\"\n";
        assert_eq!(
            items(text),
            [
                json!({"id": "1", "t": "say \"hi\", \\o/"}),
                json!({"id": "2", "t": "x"})
            ]
        );
    }

    #[test]
    fn null_and_undefined_in_words_are_read_as_that_and_said() {
        let text = "id,n\n1,null\n2,5\n3,undefined\n4,\\N\n";
        assert_eq!(
            items(text),
            [
                json!({"id": "1", "n": null}),
                json!({"id": "2", "n": 5}),
                json!({"id": "3"}),
                json!({"id": "4", "n": null})
            ]
        );
        let said = |line| (Reason::NullText, line, "n".to_owned());
        assert_eq!(notices(text), [said(2), said(4), said(5)]);
        let text = read_as(b"id,n,j\n1,null,{}\n", true);
        assert_eq!(text.items[0].0, json!({"id": "1", "n": "null", "j": "{}"}));
    }

    #[test]
    fn what_is_lost_or_cut_is_said() {
        for (text, reason, line, detail) in [
            ("id,n\n1,9007199254740993\n", Reason::BigNumber, 2, "n"),
            ("id,t,t\n1,2,3\n", Reason::DuplicateName, 1, "t"),
            (
                "id,t\n1,System.Collections.Generic.List\n",
                Reason::TypeName,
                2,
                "t",
            ),
            ("id,t\n1,2\n3,4", Reason::OpenEnd, 3, ""),
            (
                "id,t\n1,\"2\"\n3,\"4",
                Reason::CutOff,
                3,
                "the file ends inside quotes",
            ),
        ] {
            assert_eq!(notices(text), [(reason, line, detail.to_owned())]);
        }
    }

    #[test]
    fn a_row_of_another_length_is_named_and_not_used() {
        let read = read(b"a,b\n1,2\n3\n4,5,6\n7,8\n");
        assert_eq!(read.items.len(), 2);
        let lines: Vec<_> = read
            .problems
            .iter()
            .filter(|one| one.reason.rejects())
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
