//! Items from files: which form each file has, and all their items in one pass.
//!
//! To add a form: a file in this folder, and its two lines here.

mod csv;
mod csv_types;
mod explain;
mod extended;
mod foreign;
mod json;
mod names;
mod pages;
mod parse;
mod read;
mod scan;
mod size;

pub use csv_types::{ColumnType, Columns};
pub use explain::FileExplanation;
pub use names::PropertyNames;
pub use read::{Dataset, DatasetOptions, DatasetRead};
pub use size::{SYSTEM_PROPERTIES, item_bytes};

use std::fmt;
use std::io::{self, BufRead};
use std::ops::ControlFlow;

use serde_json::Value;

use super::problem::RowProblem;

/// All forms, in the order in which a file is offered to them.
pub const ALL: &[&dyn InputFormat] = &[&csv::Csv, &json::JSON, &json::PLAIN];

/// The form of this name.
pub fn format_named(name: &str) -> Option<&'static dyn InputFormat> {
    ALL.iter().copied().find(|format| format.name() == name)
}

/// Takes items and problems as they are read.
pub trait ItemSink {
    /// An item and the line on which it starts.
    fn item(&mut self, item: Value, line: u64);

    /// Takes an item by the text that holds it and nothing else; whether it did. What it does not take
    /// is to be read in full.
    fn text(&mut self, _text: &[u8], _line: u64) -> bool {
        false
    }

    /// What could not be used, or was used with a doubt.
    fn problem(&mut self, problem: RowProblem);
}

/// A part of a file that was cut off and waits to be read, by any thread.
pub type Job = Box<dyn FnOnce(&mut dyn ItemSink) + Send>;

/// What is known of a file and the dataset that it is part of before its items are read.
#[derive(Debug, Clone, Copy)]
pub struct Hints<'a> {
    /// The types of the columns of all tables.
    pub columns: &'a Columns,
    /// Whether the quotes in the cells of this table stand behind backslashes.
    pub backslashes: bool,
}

impl<'a> Hints<'a> {
    /// Hints of a file of which nothing more is known.
    pub fn of(columns: &'a Columns) -> Self {
        Self {
            columns,
            backslashes: false,
        }
    }
}

/// A form in which files hold items.
pub trait InputFormat: Sync {
    /// The word for it on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// Whether a file that starts with these bytes, inflated, is of this form.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Whether the types of its cells are told by the whole column, which takes a pass before.
    fn has_columns(&self) -> bool {
        false
    }

    /// How a file that starts with these bytes is written, in a few words.
    fn describe(&self, head: &[u8], hints: Hints) -> String;

    /// Cuts a file into jobs until no more are wanted; those of one file may be run in any order.
    fn split(
        &self,
        input: &mut dyn BufRead,
        hints: Hints,
        emit: &mut dyn FnMut(Job) -> ControlFlow<()>,
    ) -> io::Result<()>;
}

impl fmt::Debug for dyn InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Keeps all that is read, for tests.
#[cfg(test)]
#[derive(Default)]
struct Collected {
    items: Vec<(Value, u64)>,
    problems: Vec<RowProblem>,
}

#[cfg(test)]
impl ItemSink for Collected {
    fn item(&mut self, item: Value, line: u64) {
        self.items.push((item, line));
    }

    fn problem(&mut self, problem: RowProblem) {
        self.problems.push(problem);
    }
}

#[cfg(test)]
impl Collected {
    /// Reads a job.
    fn run(&mut self, job: Job) -> ControlFlow<()> {
        job(self);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn forms_have_names_of_their_own_and_summaries_of_one_line() {
        let names: BTreeSet<_> = ALL.iter().map(|format| format.name()).collect();
        assert_eq!(names.len(), ALL.len());
        for format in ALL {
            let summary = format.summary();
            assert!(!summary.is_empty() && !summary.contains('\n'), "{summary}");
            assert!(!summary.ends_with('.'), "{summary}");
            let found = format_named(format.name()).expect("a form");
            assert_eq!(found.summary(), summary);
        }
        assert!(format_named("no-such-form").is_none());
    }
}
