//! Rows of resource logs as JSON objects: by themselves, or many in one under `records`.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::columns::{Columns, Field};
use super::row::{Failure, ResourceRow};
use crate::ingest::frame::{Frame, Frames};
use crate::ingest::log::LogSink;
use crate::ingest::problem::{Reason, RowProblem};

/// Reads all rows of a stream of JSON values. Where `none_is_null`, the text `None` means no value, as
/// a tool writes it that turns each value into text.
pub(in crate::ingest::log) fn read_rows(
    input: &mut dyn BufRead,
    sink: &mut dyn LogSink,
    none_is_null: bool,
) -> io::Result<()> {
    let mut frames = Frames::new(input);
    let mut buffer = Vec::new();
    let mut rows = Rows {
        none_is_null,
        ..Rows::default()
    };
    loop {
        match frames.next(&mut buffer)? {
            Frame::End => return Ok(()),
            Frame::Broken(line, reason, detail) => {
                sink.problem(RowProblem::new(line, reason, detail));
                // Of an object of many rows that was cut, the whole ones are used; where lines start
                // with a brace they are read again by themselves.
                let again = buffer.windows(2).any(|pair| pair == b"\n{");
                if reason == Reason::CutOff && !again && rows.read(&buffer).is_err() {
                    rows.hand_over(line, sink);
                }
                rows.read.clear();
            }
            Frame::Value(line) => match rows.read(&buffer) {
                Ok(()) => rows.hand_over(line, sink),
                Err(error) => {
                    let again = frames.reject(&buffer, line);
                    if !again {
                        rows.hand_over(line, sink);
                    }
                    rows.read.clear();
                    let reason = if error.is_data() {
                        Reason::NotAnObject
                    } else {
                        Reason::NotJson
                    };
                    sink.problem(RowProblem::new(line, reason, error.to_string()));
                }
            },
        }
    }
}

/// The rows of the value at hand.
#[derive(Default)]
struct Rows {
    columns: Columns,
    /// Columns that were seen for the first time.
    new: Vec<(Field, String)>,
    none_is_null: bool,
    read: Vec<Result<ResourceRow, Failure>>,
}

impl Rows {
    fn read(&mut self, bytes: &[u8]) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        RecordSeed(self).deserialize(&mut deserializer)?;
        deserializer.end()
    }

    fn hand_over(&mut self, line: u64, sink: &mut dyn LogSink) {
        for (field, column) in self.new.drain(..) {
            sink.column(field.name(), &column);
        }
        for row in self.read.drain(..) {
            match row {
                Ok(row) => sink.resource(row, line),
                Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
            }
        }
    }
}

/// What a name in a record stands for.
enum Key {
    Records,
    Properties,
    Field(Field, u8),
    Ignored,
}

struct KeySeed<'a>(&'a mut Rows);

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        Ok(match name {
            "records" => Key::Records,
            "properties" => Key::Properties,
            _ => {
                let (field, new) = self.0.columns.field(name);
                let Some((field, distance)) = field else {
                    return Ok(Key::Ignored);
                };
                if new {
                    self.0.new.push((field, name.to_owned()));
                }
                Key::Field(field, distance)
            }
        })
    }
}

/// A record, or an object that holds many.
struct RecordSeed<'a>(&'a mut Rows);

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut row = Ok(ResourceRow::default());
        let mut is_row = true;
        while let Some(key) = map.next_key_seed(KeySeed(self.0))? {
            match key {
                Key::Records => {
                    is_row = false;
                    map.next_value_seed(RecordsSeed(self.0))?;
                }
                Key::Properties => map.next_value_seed(PropertiesSeed(self.0, &mut row))?,
                Key::Field(field, distance) => {
                    let text = map.next_value_seed(CellSeed)?;
                    fill(&mut row, (field, distance), &text, self.0.none_is_null);
                }
                Key::Ignored => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if is_row {
            self.0.read.push(row);
        }
        Ok(())
    }
}

fn fill(
    row: &mut Result<ResourceRow, Failure>,
    field: (Field, u8),
    text: &str,
    none_is_null: bool,
) {
    let text = if none_is_null && text == "None" {
        ""
    } else {
        text
    };
    if let Ok(filled) = row
        && let Err(failure) = filled.set(field, text, 0)
    {
        *row = Err(failure);
    }
}

/// The array under `records`.
struct RecordsSeed<'a>(&'a mut Rows);

impl<'de> DeserializeSeed<'de> for RecordsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RecordsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<(), A::Error> {
        while records.next_element_seed(RecordSeed(self.0))?.is_some() {}
        Ok(())
    }
}

/// The object under `properties`.
struct PropertiesSeed<'a>(&'a mut Rows, &'a mut Result<ResourceRow, Failure>);

impl<'de> DeserializeSeed<'de> for PropertiesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PropertiesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of properties")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(KeySeed(self.0))? {
            if let Key::Field(field, distance) = key {
                let text = map.next_value_seed(CellSeed)?;
                fill(self.1, (field, distance), &text, self.0.none_is_null);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The text of a cell, whatever its type; null is empty.
pub(in crate::ingest::log) struct CellSeed;

impl<'de> DeserializeSeed<'de> for CellSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CellSeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(""))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(flag.to_string().into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(number.to_string().into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(number.to_string().into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(number.to_string().into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(text.to_owned().into())
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element::<Value>()? {
            list.push(value);
        }
        Ok(Value::Array(list).to_string().into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut map = serde_json::Map::new();
        while let Some((name, value)) = members.next_entry::<String, Value>()? {
            map.insert(name, value);
        }
        Ok(Value::Object(map).to_string().into())
    }
}
