//! Query results as the query interface of Log Analytics gives them: tables in one JSON object.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::json_rows::starts_with_member;
use super::resource::{CellSeed, Failure, Field, ResourceRow};
use super::{LogFormat, LogSink};
use crate::ingest::problem::{Reason, RowProblem};

/// `{"tables":[{"name":…,"columns":[{"name":…,"type":…}],"rows":[[…]]}]}`, read row by row, so that an
/// object of any size is read.
pub(super) struct LogAnalyticsJson;

impl LogFormat for LogAnalyticsJson {
    fn name(&self) -> &'static str {
        "log-analytics-json"
    }

    fn summary(&self) -> &'static str {
        "resource logs from the query interface of Log Analytics, as JSON"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let holds = |name: &[u8]| head.windows(name.len()).any(|part| part == name);
        // An error may stand before the tables that came in spite of it.
        starts_with_member(head, b"\"tables\"")
            || (starts_with_member(head, b"\"error\"")
                && holds(b"\"tables\"")
                && holds(b"\"columns\""))
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        let line = Rc::new(Cell::new(1));
        let mut input = Lines {
            input,
            line: Rc::clone(&line),
        };
        while skip_blanks(&mut input)? {
            let mut deserializer = serde_json::Deserializer::from_reader(&mut input);
            let reader = Reader { line: &line, sink };
            match ResultSeed(reader).deserialize(&mut deserializer) {
                Ok(()) => {}
                Err(error) if error.is_io() => return Err(error.into()),
                Err(error) => {
                    // What follows a broken place cannot be told apart from the rows before it.
                    let reason = if error.is_eof() {
                        Reason::CutOff
                    } else {
                        Reason::NotJson
                    };
                    sink.problem(RowProblem::new(line.get(), reason, error.to_string()));
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Counts the lines that are read.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    line: Rc<Cell<u64>>,
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        let ends = buffer[..length].iter().filter(|byte| **byte == b'\n');
        self.line.set(self.line.get() + ends.count() as u64);
        Ok(length)
    }
}

/// Passes over what may stand between objects; whether anything follows.
fn skip_blanks(lines: &mut Lines<'_>) -> io::Result<bool> {
    loop {
        match lines.input.fill_buf()?.first() {
            None => return Ok(false),
            Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | 0xEF | 0xBB | 0xBF) => {
                lines.read_exact(&mut [0])?;
            }
            Some(_) => return Ok(true),
        }
    }
}

/// Where rows go, and the line that is being read.
struct Reader<'a> {
    line: &'a Cell<u64>,
    sink: &'a mut dyn LogSink,
}

impl Reader<'_> {
    fn again(&mut self) -> Reader<'_> {
        Reader {
            line: self.line,
            sink: self.sink,
        }
    }

    fn problem(&mut self, reason: Reason, detail: String) {
        let problem = RowProblem::new(self.line.get(), reason, detail);
        self.sink.problem(problem);
    }
}

/// The whole result.
struct ResultSeed<'a>(Reader<'a>);

impl<'de> DeserializeSeed<'de> for ResultSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ResultSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with tables")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "tables" => map.next_value_seed(TablesSeed(self.0.again()))?,
                "error" => {
                    let error: Value = map.next_value()?;
                    let code = error["code"].as_str().unwrap_or("an error");
                    let detail = format!("the service says that the result is partial: {code}");
                    self.0.problem(Reason::Unterminated, detail);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct TablesSeed<'a>(Reader<'a>);

impl<'de> DeserializeSeed<'de> for TablesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for TablesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of tables")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut tables: A) -> Result<(), A::Error> {
        while tables
            .next_element_seed(TableSeed(self.0.again()))?
            .is_some()
        {}
        Ok(())
    }
}

struct TableSeed<'a>(Reader<'a>);

impl<'de> DeserializeSeed<'de> for TableSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TableSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut columns: Option<Vec<Option<(Field, u8)>>> = None;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "columns" => {
                    let found: Vec<Value> = map.next_value()?;
                    let found = found.iter().map(|column| {
                        let name = column["name"].as_str().unwrap_or_default();
                        let field = Field::of_column(name);
                        if let Some((field, _)) = field {
                            self.0.sink.column(field.name(), name);
                        }
                        field
                    });
                    columns = Some(found.collect());
                }
                "rows" => {
                    let columns: &[_] = columns.as_deref().unwrap_or_default();
                    if columns.is_empty() {
                        let detail = "rows of a table stand before its columns";
                        self.0.problem(Reason::NotJson, detail.to_owned());
                    }
                    map.next_value_seed(RowsSeed(self.0.again(), columns))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The rows of a table with these columns.
struct RowsSeed<'a>(Reader<'a>, &'a [Option<(Field, u8)>]);

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<(), A::Error> {
        while let Some(row) = rows.next_element_seed(CellsSeed(self.1))? {
            match row {
                Ok(row) => self.0.sink.resource(row, self.0.line.get()),
                Err((reason, detail)) => self.0.problem(reason, detail),
            }
        }
        Ok(())
    }
}

/// The cells of a row.
struct CellsSeed<'a>(&'a [Option<(Field, u8)>]);

impl<'de> DeserializeSeed<'de> for CellsSeed<'_> {
    type Value = Result<ResourceRow, Failure>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for CellsSeed<'_> {
    type Value = Result<ResourceRow, Failure>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of cells")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<Self::Value, A::Error> {
        let mut row = Ok(ResourceRow::default());
        let mut count = 0;
        while let Some(text) = cells.next_element_seed(CellSeed)? {
            if let Some(Some(field)) = self.0.get(count)
                && let Ok(filled) = &mut row
                && let Err(failure) = filled.set(*field, &text, 0)
            {
                row = Err(failure);
            }
            count += 1;
        }
        if count != self.0.len() {
            let detail = format!("{count} cells under a header of {}", self.0.len());
            return Ok(Err((Reason::Ragged, detail)));
        }
        Ok(row)
    }
}
