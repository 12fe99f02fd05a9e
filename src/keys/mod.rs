//! Partition keys: hashing and the effective partition key.

mod binary;
mod effective;
mod layout;
mod murmur;

pub use effective::{effective_key, key_range};
pub use layout::{Layout, midpoint};
