//! What several test files share.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file is a crate of its own and uses a part of it"
)]

pub mod generator;
pub mod oracle;
