//! From bytes to items: files, compression and JSON framing, streamed.
//!
//! A value that cannot be used is a [`RowProblem`], never an error: the run goes on.

mod error;
mod frame;
mod item;
mod source;

pub use error::{IngestError, RowProblem};
pub use item::{item_bytes, read_items};
pub use source::Source;
