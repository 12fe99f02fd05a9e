//! How a file was understood, for people who want to check it.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use jiff::Timestamp;

use super::resource::Category;
use crate::model::units::{MICRO, from_micro};
use crate::model::{Access, Condition, Event, KeyComponent, Log, OptionsKey};

/// Operations of each file that are shown.
const SHOWN_MAX: usize = 3;

/// Characters of the name of a shape that are shown.
const NAME_MAX: usize = 160;

/// A file of a log and how it was understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFile {
    /// Its name.
    pub name: String,
    /// Its form.
    pub format: &'static str,
    /// How many rows of each category it holds.
    pub rows: Vec<(&'static str, u64)>,
    /// The fields, with the columns that they were read from.
    pub columns: Vec<(&'static str, String)>,
    /// The first operations, in words.
    pub first: Vec<String>,
}

impl fmt::Display for LogFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.format)?;
        for (category, count) in &self.rows {
            write!(f, "\n  rows of {category}: {count}")?;
        }
        for (field, column) in &self.columns {
            write!(f, "\n  {field}: {column}")?;
        }
        for operation in &self.first {
            write!(f, "\n  > {operation}")?;
        }
        Ok(())
    }
}

/// What is noted while a file is read.
#[derive(Default)]
pub(super) struct FileNotes {
    /// Rows that are operations by themselves.
    pub(super) operation_rows: u64,
    categories: BTreeMap<Category, u64>,
    columns: Vec<(&'static str, String)>,
    first: Vec<u32>,
}

impl FileNotes {
    /// Notes a row of a resource log.
    pub(super) fn category(&mut self, category: Category) {
        *self.categories.entry(category).or_default() += 1;
    }

    /// Notes an operation by the index of its event.
    pub(super) fn operation(&mut self, event: u32) {
        if self.first.len() < SHOWN_MAX {
            self.first.push(event);
        }
    }

    /// Notes a column that is used.
    pub(super) fn column(&mut self, field: &'static str, column: &str) {
        let known = |(one, other): &(&str, String)| *one == field && other == column;
        if !self.columns.iter().any(known) {
            self.columns.push((field, column.to_owned()));
        }
    }

    /// Rows of a category.
    pub(super) fn count_of(&self, category: Category) -> u64 {
        self.categories.get(&category).copied().unwrap_or_default()
    }

    /// Whether no row tells of an access.
    pub(super) fn is_without_access(&self) -> bool {
        let mut categories = self.categories.keys();
        self.operation_rows == 0 && !categories.any(|category| category.is_access())
    }

    pub(super) fn into_file(self, name: String, format: &'static str, log: &Log) -> LogFile {
        let operations = (self.operation_rows > 0).then_some(("operations", self.operation_rows));
        let categories = self.categories.into_iter();
        let rows = categories.map(|(category, count)| (category.name(), count));
        LogFile {
            name,
            format,
            rows: operations.into_iter().chain(rows).collect(),
            columns: self.columns,
            first: (self.first.iter())
                .map(|index| in_words(log, &log.events.get(*index)))
                .collect(),
        }
    }
}

/// An operation as it was understood.
fn in_words(log: &Log, event: &Event) -> String {
    let access = &log.accesses.get(event.access);
    let shape = &log.shapes[access.shape as usize];
    let mut text = String::new();
    if let Some(time) = event
        .time
        .and_then(|at| Timestamp::from_microsecond(at).ok())
    {
        let _ = write!(text, "{time} ");
    }
    let name: String = shape.name.chars().take(NAME_MAX).collect();
    text.push_str(access.kind.name());
    if !name.starts_with(access.kind.name()) {
        let _ = write!(text, " [{name}]");
    } else if name.len() > access.kind.name().len() {
        text.push_str(&name[access.kind.name().len()..]);
    }
    text.push_str(&of_access(access));
    if !access.members.is_empty() {
        let _ = write!(text, ", {} items", access.members.len());
    }
    if let Some(charge) = event.charge {
        let _ = write!(text, ", {} RU", from_micro(charge.into()));
    }
    if let Some(ranges) = event.ranges {
        let _ = write!(text, ", {ranges} physical partitions");
    }
    if let Some(rate) = event.rate {
        let _ = write!(text, ", {} each second", from_micro(rate.into()));
    }
    if event.weight != MICRO {
        let _ = write!(text, ", {} times", from_micro(event.weight.into()));
    }
    text
}

fn of_access(access: &Access) -> String {
    let list = |values: &[KeyComponent]| {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        format!("[{}]", values.join(","))
    };
    let mut text = String::new();
    if let Some(id) = &access.id {
        let _ = write!(text, ", id {id}");
    }
    match &access.key {
        OptionsKey::None => {}
        OptionsKey::Components(values) => {
            let _ = write!(text, ", key {}", list(values));
        }
        OptionsKey::Properties(members) => {
            for (path, value) in members {
                let _ = write!(text, ", {path} is {value}");
            }
        }
    }
    match &access.condition {
        Condition::Known(_) => {}
        Condition::Invalid(message) => {
            let _ = write!(text, ", invalid: {message}");
        }
        Condition::Unknown => text.push_str(", text unknown"),
    }
    text
}
