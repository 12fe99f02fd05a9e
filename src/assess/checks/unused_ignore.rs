//! `unused-ignore`: what a policy accepts and nobody found.

use serde_json::json;

use super::{Check, Page};
use crate::assess::policy::Ignore;
use crate::assess::{Confidence, Finding, Severity, Subject};

const CODE: &str = "unused-ignore";

pub(super) struct UnusedIgnore;

impl Check for UnusedIgnore {
    fn code(&self) -> &'static str {
        CODE
    }

    fn summary(&self) -> &'static str {
        "an ignore of the policy matches nothing, or has run out"
    }

    fn page(&self) -> Page {
        Page {
            what: "The policy accepts a finding that no check reports, or the day until which it does is over.",
            why: "What was accepted once would hide the next finding of the same kind, which nobody has looked at.",
            how: "Each ignore is compared with all findings of all candidates; one that held for none is named, with the first candidate.",
            example: "An ignore of hot-partition for a key that has been changed since.",
            fix: "Take the ignore out of pkadvisor.toml, or correct its check, key or text.",
        }
    }

    /// Nothing: what was used is known only when all candidates were checked, and then the policy makes
    /// the finding.
    fn check(&self, _subject: &Subject) -> Vec<Finding> {
        Vec::new()
    }
}

/// The finding of an ignore that matched nothing, or whose time has run out.
pub(in crate::assess) fn finding(ignore: &Ignore, run_out: bool) -> Finding {
    let of = ignore
        .key
        .as_ref()
        .map_or_else(String::new, |key| format!(" for {key}"));
    let what = match ignore.until {
        Some(until) if run_out => format!("ran out on {until}"),
        _ => "matches nothing".to_owned(),
    };
    Finding {
        code: CODE,
        severity: Severity::Warning,
        confidence: Confidence::Certain,
        rejects: false,
        message: format!(
            "the ignore of {}{of} ({}) {what}",
            ignore.check, ignore.reason
        ),
        evidence: vec![
            ("check", json!(ignore.check)),
            ("reason", json!(ignore.reason)),
        ],
        remedy: "take it out of the policy, or correct it".to_owned(),
    }
}
