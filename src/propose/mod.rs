//! Candidates that are worth a test, from a look at the data and at the shapes of the log.
//!
//! Nothing is replayed here: a proposal is a guess with a reason, and the simulation decides.

mod discovery;
mod filters;
mod proposal;

pub use discovery::{Discovery, Property};
pub use filters::Filters;
pub use proposal::{Proposal, propose, why_not};
