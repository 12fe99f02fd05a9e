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
use crate::ingest::table::{Block, Blocks, json_number, lines_of, separator_of};

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
        let mut blocks = Blocks::new(input, hints.backslashes)?;
        let mut header: Option<Arc<Header>> = None;
        while let Some(block) = blocks.next()? {
            let mut notices = Vec::new();
            let header = if let Some(header) = &header {
                Arc::clone(header)
            } else {
                let new = Header::new(&block.table()?.header, hints.columns);
                notices = new.notices();
                Arc::clone(header.insert(Arc::new(new)))
            };
            let job: Job = Box::new(move |sink| {
                for notice in notices {
                    sink.problem(notice);
                }
                // Memory can be read.
                let read = read(&block, &header, sink);
                debug_assert!(read.is_ok());
            });
            if emit(job).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Reads the rows of a block.
fn read(block: &Block, header: &Header, sink: &mut dyn ItemSink) -> io::Result<()> {
    let mut table = block.table()?;
    let (mut row, mut text) = (ByteRecord::new(), Vec::new());
    let mut last_line = 1;
    while let Some(line) = table.next(&mut row)? {
        if let Some((reason, detail)) = table.broken() {
            sink.problem(RowProblem::new(line, reason, detail));
            continue;
        }
        last_line = line;
        if header.write(&row, &mut text).is_some() && sink.text(&text, line) {
            if let Some(column) = header.in_words(&row) {
                let name = column.name.as_str();
                sink.problem(RowProblem::new(line, Reason::NullText, name));
            }
            continue;
        }
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
    if table.is_open_ended() && table.broken().is_none() {
        sink.problem(RowProblem::new(last_line, Reason::OpenEnd, ""));
    }
    Ok(())
}

/// The columns of a table, and where in an item each goes.
struct Header {
    columns: Vec<Column>,
    /// How a row is written as JSON; `None` where columns have the same name.
    members: Option<Vec<Member>>,
    all_text: bool,
}

/// A property that columns hold, or one inside it.
struct Member {
    /// The name in JSON, with its colon.
    name: Vec<u8>,
    holds: Holds,
}

enum Holds {
    /// The cell of the column with this index.
    Cell(usize),
    /// An object around further ones.
    Object(Vec<Member>),
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
        let columns: Vec<Column> = names.iter().map(column).collect();
        let paths: BTreeSet<&[String]> = columns.iter().map(|one| &*one.path).collect();
        let each = columns.iter().map(|column| &*column.path).enumerate();
        Self {
            members: (paths.len() == columns.len()).then(|| members(&each.collect::<Vec<_>>())),
            all_text: types.all_text(),
            columns,
        }
    }

    /// Writes a row as the JSON of its item, to be read as that; `None` where it is to be read cell by cell.
    fn write(&self, row: &ByteRecord, text: &mut Vec<u8>) -> Option<()> {
        let members = self.members.as_ref()?;
        if row.len() != self.columns.len() {
            return None;
        }
        text.clear();
        text.push(b'{');
        self.write_members(members, row, text)?;
        text.push(b'}');
        Some(())
    }

    /// The first column with a cell that says null or undefined in words.
    fn in_words(&self, row: &ByteRecord) -> Option<&Column> {
        let mut cells = self.columns.iter().zip(row);
        let found = cells.find(|(_, cell)| in_words(cell).is_some());
        found.map(|(column, _)| column).filter(|_| !self.all_text)
    }

    /// Writes members with commas between them, of which at least one must have a value to be written.
    fn write_members(
        &self,
        members: &[Member],
        row: &ByteRecord,
        text: &mut Vec<u8>,
    ) -> Option<()> {
        let start = text.len();
        for member in members {
            let before = text.len();
            if before > start {
                text.push(b',');
            }
            text.extend_from_slice(&member.name);
            let is_there = match &member.holds {
                Holds::Cell(index) => {
                    let cell = std::str::from_utf8(row.get(*index)?).ok()?;
                    self.write_cell(&self.columns[*index], cell, text)?
                }
                Holds::Object(inside) => {
                    text.push(b'{');
                    let empty = text.len();
                    self.write_members(inside, row, text)?;
                    let is_there = text.len() > empty;
                    text.push(b'}');
                    is_there
                }
            };
            if !is_there {
                text.truncate(before);
            }
        }
        Some(())
    }

    /// Writes a cell as a value; whether it holds one. `None` for nested values.
    fn write_cell(&self, column: &Column, cell: &str, text: &mut Vec<u8>) -> Option<bool> {
        if cell.is_empty() {
            return Some(false);
        }
        if !self.all_text {
            match in_words(cell.as_bytes()) {
                Some(Word::Null) => {
                    text.extend_from_slice(b"null");
                    return Some(true);
                }
                Some(Word::Undefined) => return Some(false),
                None => {}
            }
            if column.kind == ColumnType::Number && json_number(cell).is_some() {
                text.extend_from_slice(cell.as_bytes());
                return Some(true);
            }
            if cell.starts_with(['{', '[']) {
                return None;
            }
        }
        serde_json::to_writer(text, cell).ok()?;
        Some(true)
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

/// The members of an object that columns make up, each with its index and the path from there.
fn members(columns: &[(usize, &[String])]) -> Vec<Member> {
    let mut names: Vec<&String> = Vec::new();
    for (_, path) in columns {
        names.extend(path.first().filter(|name| !names.contains(name)));
    }
    let member = |name: &String| {
        let of_name = columns
            .iter()
            .filter(|(_, path)| path.first() == Some(name));
        let inside: Vec<(usize, &[String])> =
            of_name.map(|(index, path)| (*index, &path[1..])).collect();
        Member {
            name: format!("{}:", Value::from(name.as_str())).into_bytes(),
            holds: match inside[..] {
                [(index, [])] => Holds::Cell(index),
                _ => Holds::Object(members(&inside)),
            },
        }
    };
    names.into_iter().map(member).collect()
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
                // As in JSON, by the name of the innermost property.
                self.seen.name(column.path.last().unwrap_or(&column.name));
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
        let mut table = TableColumns::of(&mut &text[..], false, 1).expect("memory");
        let backslashes = table.backslashes;
        if backslashes {
            table = TableColumns::of(&mut &text[..], true, 1).expect("memory");
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

    /// Takes each row as the text of its item.
    #[derive(Default)]
    struct AsText {
        read: Collected,
        taken: usize,
    }

    impl ItemSink for AsText {
        fn item(&mut self, item: Value, line: u64) {
            self.read.item(item, line);
        }

        fn text(&mut self, text: &[u8], line: u64) -> bool {
            let (item, seen) = parse(text).expect("JSON");
            seen.notices(line).for_each(|notice| self.problem(notice));
            self.read.item(item, line);
            self.taken += 1;
            true
        }

        fn problem(&mut self, problem: RowProblem) {
            self.read.problem(problem);
        }
    }

    /// The rows of a table as values and as text, which must be the same; how many were taken as text.
    fn compare(text: &[u8], all_text: bool) -> usize {
        let whole = read_as(text, all_text);
        let mut columns = Columns::new(all_text);
        columns.add(TableColumns::of(&mut &text[..], false, 2).expect("memory"));
        let mut as_text = AsText::default();
        let mut job = |job: Job| {
            job(&mut as_text);
            ControlFlow::Continue(())
        };
        Csv.split(&mut &text[..], Hints::of(&columns), &mut job)
            .expect("memory");
        let shown = String::from_utf8_lossy(text);
        assert_eq!(as_text.read.items, whole.items, "{shown}");
        let sorted = |mut problems: Vec<RowProblem>| {
            problems.sort_by_key(|one| (one.line, one.reason));
            problems
        };
        let (one, other) = (sorted(as_text.read.problems), sorted(whole.problems));
        assert_eq!(one, other, "{shown}");
        as_text.taken
    }

    #[test]
    fn rows_as_text_are_those_as_values() {
        for (text, taken) in [
            ("id,a.x,n,a.y\n1,\"x\"\"\ny\",1.50,\n2,,null,z\n3,,,\n", 3),
            ("id,a\n1,{\"\"x\"\":1}\n2,y\n", 1),
            ("id,a,a\n1,2,3\n", 0),
            (
                "id,a\n1,undefined\n2,me@example.com\n3,12345678901234567890\n",
                3,
            ),
            ("id,a\n1\n2,System.Collections.Generic.List\n", 1),
            ("$id,é\n1,é\n", 1),
        ] {
            assert_eq!(compare(text.as_bytes(), false), taken, "{text}");
            compare(text.as_bytes(), true);
        }
    }

    proptest! {
        #[test]
        fn arbitrary_rows_as_text_are_those_as_values(text in "id,(a\\.x|b),(a\\.y|n)\n((1|2|\"x\"\"\n\"|null|),(\\PC{0,6}|-?1\\.[05]e9|[1-9]{1,20}),(\"[^\\\\\"]{0,9}\"|undefined)\n){0,4}", all_text in any::<bool>()) {
            // What stands behind backslashes is read another way.
            prop_assume!(!text.contains("\\\""));
            compare(text.as_bytes(), all_text);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }
    }
}
