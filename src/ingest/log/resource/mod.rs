//! A row of a resource log of Azure as fields of one set, whatever file and container form it came in.

mod address;
mod columns;
mod join;
mod json;
mod operation;
mod request;
mod row;

pub(super) use columns::Field;
pub(super) use join::Join;
pub use join::KeySize;
pub(super) use json::{CellSeed, read_rows};
pub(super) use row::Failure;
pub use row::{Category, ResourceRow};
