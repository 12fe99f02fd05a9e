//! From bytes to items and operations: files, compression and the forms they come in, streamed.
//!
//! A row that cannot be used is a [`RowProblem`], never an error: the run goes on.

pub mod dataset;
mod error;
mod frame;
pub mod log;
mod problem;
mod source;
mod table;

pub use dataset::{
    ColumnType, Columns, Dataset, DatasetOptions, DatasetRead, FileExplanation, PropertyNames,
    SYSTEM_PROPERTIES, item_bytes,
};
pub use error::IngestError;
pub use log::{LogOptions, LogRead, read_log};
pub use problem::{Place, Problems, Reason, RowProblem};
pub use source::{Encoding, Source, ZipEntry, bytes_read};
