//! `replace-under-random-suffix`: an upsert that may write a second copy.

use serde_json::json;

use super::{Check, Page};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::keys::Strategy;
use crate::model::OperationKind;
use crate::model::units::from_micro;

pub(super) struct ReplaceUnderRandomSuffix;

impl Check for ReplaceUnderRandomSuffix {
    fn code(&self) -> &'static str {
        "replace-under-random-suffix"
    }

    fn summary(&self) -> &'static str {
        "upserts or replacements of items whose suffix is drawn at random"
    }

    fn page(&self) -> Page {
        Page {
            what: "The log writes existing items again, and the key has a random suffix.",
            why: "The application draws a new suffix, so the item lands in another logical partition: an upsert writes a second copy, a replacement does not find the first.",
            how: "Upserts and replacements in the log under a candidate with {#N}.",
            example: "{/date}.{#400} with an upsert of the last state of each device.",
            fix: "Use a precomputed suffix ({/vin%400}), which can be computed again from the item.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let strategy = subject.compared.bench.profile.candidate().strategy();
        let Some(log) = subject.log().filter(|_| strategy == Strategy::RandomSuffix) else {
            return Vec::new();
        };
        let writes: u128 = log
            .weighted_forms()
            .filter(|(form, _)| matches!(form.kind, OperationKind::Upsert | OperationKind::Replace))
            .map(|(_, weight)| weight)
            .sum();
        if writes == 0 {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} upserts or replacements draw a new suffix and may write a second copy of the item",
                from_micro(writes)
            ),
            evidence: vec![("operations", json!(from_micro(writes)))],
            remedy: "use a precomputed suffix, which can be computed again from the item"
                .to_owned(),
        }]
    }
}
