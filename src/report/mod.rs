//! The report: a versioned document, and what renders it.

mod build;
pub mod diff;
pub mod format;
mod horizon;
mod redact;
pub mod route;
pub mod snippet;
mod suffixes;
mod text;
pub mod v1;

pub use build::{FileInput, Input, LogInput, build};
pub use text::visible;
