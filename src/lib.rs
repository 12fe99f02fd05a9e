//! Partition-key design advisor for Azure Cosmos DB for `NoSQL`, offline, from files.
//!
//! The layers import only themselves and those listed before them; `tests/tidy.rs` enforces it.

pub mod assess;
pub mod cli;
pub mod ingest;
pub mod keys;
pub mod model;
pub mod profile;
pub mod propose;
pub mod query;
pub mod report;
pub mod simulate;
