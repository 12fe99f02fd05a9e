//! `unique-key-rescoped`: unique keys that hold within another scope.

use serde_json::json;

use super::{Check, Page};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct UniqueKeyRescoped;

impl Check for UniqueKeyRescoped {
    fn code(&self) -> &'static str {
        "unique-key-rescoped"
    }

    fn summary(&self) -> &'static str {
        "a unique key of the container would hold within each value of this key only"
    }

    fn page(&self) -> Page {
        Page {
            what: "The container has unique keys, which the service enforces within a logical partition only.",
            why: "With another partition key the same constraint allows what it forbade, or forbids what it allowed.",
            how: "Each --unique-key against the properties of the candidate: where the key is made of more than the properties of the constraint, equal values may stand in several logical partitions.",
            example: "Unique /email with the key /tenantId: one address per tenant, not per container.",
            fix: "Take a partition key that is part of the unique key, or check uniqueness in the application.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let candidate = subject.compared.bench.profile.candidate();
        let sources = candidate.sources();
        let rescoped = subject
            .scenario
            .unique_keys
            .iter()
            .filter(|unique| !sources.iter().all(|path| unique.contains(path)));
        let today = subject.scenario.current_key.as_ref();
        rescoped
            .filter(|_| today != Some(candidate))
            .map(|unique| {
                let paths: Vec<String> = unique.iter().map(ToString::to_string).collect();
                Finding {
                    code: self.code(),
                    severity: Severity::Warning,
                    confidence: Confidence::Certain,
                    rejects: false,
                    message: format!("the unique key {} would hold within each value of {} only", paths.join(","), candidate.text),
                    evidence: vec![("unique_key", json!(paths))],
                    remedy: "take a partition key that is part of the unique key, or check uniqueness in the application".to_owned(),
                }
            })
            .collect()
    }
}
