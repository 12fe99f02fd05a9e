//! Operations from access logs: which form each file has, and its rows in compact form.
//!
//! To add a form: a file in this folder, and its two lines here.

mod builder;
mod fields;
mod native_csv;
mod native_json;
mod read;
mod time;

pub use read::{LogOptions, LogRead, read_log};

use std::io::{self, BufRead};

use serde_json::Value;

use crate::ingest::problem::RowProblem;
use crate::model::{Member, OperationKind, OptionsKey, Predicate};
use crate::query::Parameters;

/// All forms, in the order in which a file is offered to them.
pub const ALL: &[&dyn LogFormat] = &[&native_json::NativeJson, &native_csv::NativeCsv];

/// A form in which files hold operations.
pub trait LogFormat: Sync {
    /// The word for it on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// Whether a file that starts with these bytes, inflated, is of this form.
    fn recognises(&self, head: &[u8]) -> bool;

    /// Reads all rows of a file.
    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()>;
}

/// Takes rows and problems as they are read.
pub trait LogSink {
    /// A row, read from the line on which it starts.
    fn operation(&mut self, operation: LoggedOperation, line: u64);

    /// The paths of today's key, as a log names them.
    fn current_key(&mut self, paths: Vec<String>);

    /// What could not be used, or not as it stands.
    fn problem(&mut self, problem: RowProblem);
}

/// One row of a log, in the terms that all forms share. Quantities are in millionths.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedOperation {
    /// What it does.
    pub kind: OperationKind,
    /// When it started, in microseconds since 1970.
    pub time: Option<i64>,
    /// The id of its item.
    pub id: Option<String>,
    /// The key passed beside it.
    pub key: OptionsKey,
    /// What it asks for, in terms of properties, with the names of the shape.
    pub filter: Option<(Predicate, String)>,
    /// The statement of a query.
    pub query: Option<String>,
    /// The values of its parameters.
    pub parameters: Parameters,
    /// The body of a write.
    pub item: Option<Value>,
    /// The items of an operation on several.
    pub members: Vec<Member>,
    /// The charge of one operation.
    pub charge: Option<u64>,
    /// How often it ran.
    pub weight: u64,
    /// Size of the item or of the response, in bytes.
    pub bytes: Option<u64>,
    /// The status of HTTP.
    pub status: Option<u16>,
    /// The name of its call site.
    pub shape: Option<String>,
    /// Rows with equal ones are pages of one query.
    pub correlation: Option<String>,
    /// Physical partitions that it visited when it was logged.
    pub ranges: Option<u32>,
}

impl LoggedOperation {
    /// An operation of which nothing else is known.
    pub fn new(kind: OperationKind) -> Self {
        Self {
            kind,
            time: None,
            id: None,
            key: OptionsKey::None,
            filter: None,
            query: None,
            parameters: Parameters::new(),
            item: None,
            members: Vec::new(),
            charge: None,
            weight: crate::model::units::MICRO,
            bytes: None,
            status: None,
            shape: None,
            correlation: None,
            ranges: None,
        }
    }
}
