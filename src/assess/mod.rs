//! From measurements to a decision: findings, verdicts, rank and recommendation.

pub mod checks;
mod finding;
pub mod policy;
pub(crate) mod text;
mod verdict;

pub use finding::{Confidence, Evidence, Finding, Severity};
pub use policy::{Ignored, Policy};
pub(crate) use verdict::visited_mean;
pub use verdict::{Assessed, Recommendation, Verdict, assess};

use crate::model::Log;
use crate::profile::Profile;
use crate::simulate::{Compared, Frame, Scenario, Workload};

/// What holds for all candidates.
#[derive(Clone, Copy)]
pub struct Basis<'a> {
    /// The layout and the throughput.
    pub frame: &'a Frame,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The log, where there is one.
    pub workload: Option<&'a Workload<'a>>,
    /// The data under all candidates.
    pub profile: &'a Profile,
    /// How many threads run the checks.
    pub threads: usize,
}

/// What a check looks at: one candidate, and what holds for all.
pub struct Subject<'a> {
    /// The candidate, measured.
    pub compared: &'a Compared<'a>,
    /// What holds for all candidates.
    pub frame: &'a Frame,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The log, where there is one.
    pub workload: Option<&'a Workload<'a>>,
    /// The data under all candidates.
    pub profile: &'a Profile,
    /// Which of its candidates this is.
    pub index: usize,
}

impl Subject<'_> {
    /// The log itself.
    pub fn log(&self) -> Option<&Log> {
        self.workload.map(|workload| workload.log)
    }
}
