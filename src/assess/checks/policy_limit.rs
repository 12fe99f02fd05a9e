//! `policy-limit`: a number over what the policy allows.

use super::{Check, Page};
use crate::assess::{Finding, Subject};

pub(in crate::assess) const CODE: &str = "policy-limit";

pub(super) struct PolicyLimit;

impl Check for PolicyLimit {
    fn code(&self) -> &'static str {
        CODE
    }

    fn summary(&self) -> &'static str {
        "a number is over a limit of the policy"
    }

    fn page(&self) -> Page {
        Page {
            what: "A number of the candidate is over the limit that pkadvisor.toml sets for it.",
            why: "The project has decided what a design may cost; the service would accept more.",
            how: "RU/s needed, price of a month, share of operations that fan out, partitions visited on average, share of refused requests and share of the charge on the busiest partition, each against [policy.limits].",
            example: "throughput = 20000 and a new query shape that makes the key need 24,000 RU/s.",
            fix: "Take a key that stays below, change the operations, or change the limit.",
        }
    }

    /// Nothing: limits are part of the policy, which makes the finding.
    fn check(&self, _subject: &Subject) -> Vec<Finding> {
        Vec::new()
    }
}
