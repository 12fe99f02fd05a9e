//! `id-invalid`: ids that the service refuses.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct IdInvalid;

impl Check for IdInvalid {
    fn code(&self) -> &'static str {
        "id-invalid"
    }

    fn summary(&self) -> &'static str {
        "ids are too long, hold / or \\\\, or are no text"
    }

    fn page(&self) -> Page {
        Page {
            what: "Some ids are empty, longer than 1,023 bytes, hold a slash or a backslash, or are no text.",
            why: "The service refuses such items, or cannot address them (\"concepts-limits\").",
            how: "Items with such an id.",
            example: "An address such as docs/2024 as id.",
            fix: "Encode the ids, for example in base64url.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let facts = subject.profile.facts();
        let Some(first) = facts
            .id_invalid_first
            .as_ref()
            .filter(|_| facts.id_invalid > 0)
        else {
            return Vec::new();
        };
        let shown: String = first.chars().take(60).collect();
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} ids would be refused, such as \"{shown}\"",
                whole(facts.id_invalid)
            ),
            evidence: vec![("items", json!(facts.id_invalid)), ("first", json!(first))],
            remedy: "ids are text of at most 1,023 bytes without / and \\; encode the others"
                .to_owned(),
        }]
    }
}
