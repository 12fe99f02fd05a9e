//! Items from files: which form each file has, and all their items in one pass.
//!
//! To add a form: a file in this folder, and its two lines here.

mod csv;
mod csv_types;
mod json;
mod read;
mod size;

pub use csv_types::{ColumnType, Columns};
pub use read::{Dataset, DatasetOptions, DatasetRead};
pub use size::{SYSTEM_PROPERTIES, item_bytes};

use std::io::{self, BufRead};

use serde_json::Value;

use super::problem::RowProblem;

/// All forms, in the order in which a file is offered to them.
pub const ALL: &[&dyn InputFormat] = &[&csv::Csv, &json::Json];

/// Takes items and problems as they are read.
pub trait ItemSink {
    /// An item and the line on which it starts.
    fn item(&mut self, item: Value, line: u64);

    /// What could not be used.
    fn problem(&mut self, problem: RowProblem);
}

/// A part of a file that was cut off and waits to be read, by any thread.
pub type Job = Box<dyn FnOnce(&mut dyn ItemSink) + Send>;

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

    /// Cuts a file into jobs; those of one file may be run in any order.
    fn split(
        &self,
        input: &mut dyn BufRead,
        columns: &Columns,
        emit: &mut dyn FnMut(Job),
    ) -> io::Result<()>;
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
