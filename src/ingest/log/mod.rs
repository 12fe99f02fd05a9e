//! Operations from access logs: which form each file has, and its rows in compact form.
//!
//! To add a form: a file in this folder, and its two lines here.

mod activity;
mod azure_cli;
mod azure_records;
mod builder;
mod containers;
mod distinct;
mod ef_core;
mod explain;
mod fields;
mod interner;
mod json_rows;
mod log_analytics_csv;
mod log_analytics_json;
mod native_csv;
mod native_json;
mod open_telemetry;
mod outcome;
mod read;
mod refused;
mod resource;
mod slots;
mod statement;
mod time;

pub use containers::ContainerCount;
pub use explain::LogFile;
pub use read::{LogOptions, LogRead, read_log};
pub use resource::{Category, KeySize, ResourceRow};

use std::fmt;
use std::io::{self, BufRead};

use serde_json::Value;

use crate::ingest::problem::RowProblem;
use crate::model::{Member, OperationKind, OptionsKey, Predicate};
use crate::query::Parameters;

/// All forms, in the order in which a file is offered to them.
pub const ALL: &[&dyn LogFormat] = &[
    &native_json::NativeJson,
    &native_csv::NativeCsv,
    &azure_records::AzureRecords,
    &log_analytics_json::LogAnalyticsJson,
    &azure_cli::AzureCli,
    &log_analytics_csv::LogAnalyticsCsv,
    &open_telemetry::OpenTelemetry,
    &ef_core::EfCore,
];

/// The form of this name, as it is given on the command line.
pub fn format_named(name: &str) -> Option<&'static dyn LogFormat> {
    ALL.iter().copied().find(|format| format.name() == name)
}

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

impl fmt::Debug for dyn LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Takes rows and problems as they are read.
pub trait LogSink {
    /// An operation, read from the line on which it starts.
    fn operation(&mut self, operation: LoggedOperation, line: u64);

    /// A row of a resource log, which is joined with others when all files are read.
    fn resource(&mut self, row: ResourceRow, line: u64);

    /// The paths of today's key, as a log names them.
    fn current_key(&mut self, paths: Vec<String>);

    /// The container of all rows of the file that follow and name none.
    fn container(&mut self, name: &str);

    /// The column from which a field is read.
    fn column(&mut self, field: &'static str, column: &str);

    /// What could not be used, or not as it stands.
    fn problem(&mut self, problem: RowProblem);
}

/// What a row says about the items that it asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Asked {
    /// Nothing but its id and key.
    #[default]
    Nothing,
    /// A condition on properties, and the names of these for the shape.
    Filter(Predicate, String),
    /// The statement of a query, and the values of its parameters.
    Text(String, Parameters),
    /// A statement that the log does not tell.
    Unknown,
}

/// What ties rows to one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Correlation {
    /// An identifier in the log.
    Logged(String),
    /// A number that the reader gave within this file.
    InFile(u64),
}

/// One row of a log, in the terms that all forms share. Quantities are in millionths.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedOperation {
    /// What it does.
    pub kind: OperationKind,
    /// When it started, in microseconds since 1970.
    pub time: Option<i64>,
    /// The database of its container.
    pub database: Option<String>,
    /// Its container.
    pub container: Option<String>,
    /// The id of its item.
    pub id: Option<String>,
    /// The key passed beside it.
    pub key: OptionsKey,
    /// Which items it asks for, besides key and id.
    pub asked: Asked,
    /// The body of a write.
    pub item: Option<Value>,
    /// The items of an operation on several.
    pub members: Vec<Member>,
    /// The charge of one operation.
    pub charge: Option<u64>,
    /// How often it ran.
    pub weight: u64,
    /// How often it runs each second.
    pub rate: Option<u64>,
    /// Size of the item or of the response, in bytes.
    pub bytes: Option<u64>,
    /// The status of HTTP.
    pub status: Option<u16>,
    /// The sub-status.
    pub sub_status: Option<u32>,
    /// The name of its call site.
    pub shape: Option<String>,
    /// Rows with equal ones are pages, or attempts, of one operation.
    pub correlation: Option<Correlation>,
    /// The label of the transaction that it is part of.
    pub transaction: Option<String>,
    /// Physical partitions that it visited when it was logged.
    pub ranges: Option<u32>,
}

impl LoggedOperation {
    /// An operation of which nothing else is known.
    pub fn new(kind: OperationKind) -> Self {
        Self {
            kind,
            time: None,
            database: None,
            container: None,
            id: None,
            key: OptionsKey::None,
            asked: Asked::Nothing,
            item: None,
            members: Vec::new(),
            charge: None,
            weight: crate::model::units::MICRO,
            rate: None,
            bytes: None,
            status: None,
            sub_status: None,
            shape: None,
            correlation: None,
            transaction: None,
            ranges: None,
        }
    }
}
