//! `number-precision`: whole numbers that a double cannot hold.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct NumberPrecision;

impl Check for NumberPrecision {
    fn code(&self) -> &'static str {
        "number-precision"
    }

    fn summary(&self) -> &'static str {
        "numbers in the key are beyond 2^53, where neighbours become one"
    }

    fn page(&self) -> Page {
        Page {
            what: "A property of the key holds whole numbers beyond 9,007,199,254,740,992.",
            why: "The service takes numbers for IEEE 754 doubles: neighbours beyond 2^53 are one key value.",
            how: "Items with such a number at a path of the key.",
            example: "/accountId with 9007199254740993, which is 9007199254740992 to the service.",
            fix: "Write the number as text.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let sources = subject.compared.bench.profile.sources().iter();
        let imprecise = sources.filter(|(_, types)| types.imprecise > 0);
        imprecise
            .map(|(path, types)| Finding {
                code: self.code(),
                severity: Severity::Warning,
                confidence: Confidence::Certain,
                rejects: false,
                message: format!("{path} holds whole numbers beyond 2^53 in {} items: neighbours become one value", whole(types.imprecise)),
                evidence: vec![("path", json!(path.to_string())), ("items", json!(types.imprecise))],
                remedy: format!("write {path} as text"),
            })
            .collect()
    }
}
