//! `ambiguous-concatenation`: different parts that make the same text.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::KeyVersion;

/// Separators to offer, the usual first.
const SEPARATORS: [u8; 10] = *b"|~^#;:!+@$";

pub(super) struct AmbiguousConcatenation;

impl Check for AmbiguousConcatenation {
    fn code(&self) -> &'static str {
        "ambiguous-concatenation"
    }

    fn summary(&self) -> &'static str {
        "different values are concatenated to the same key"
    }

    fn page(&self) -> Page {
        Page {
            what: "Two items with different properties get the same synthetic key, because the separator also stands in the values, or because a number and a text look alike.",
            why: "They share a logical partition, its 20 GB and its unique ids, although the application takes them for two.",
            how: "The parts of each key value are compared; a separator is offered that stands in none of them.",
            example: "{/a}-{/b} with x-y and z, and with x and y-z.",
            fix: "Use a separator that the values do not contain.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let profile = subject.compared.bench.profile;
        if profile.candidate().version == KeyVersion::V1 {
            return Vec::new();
        }
        let collisions = profile.collisions();
        let Some(first) = collisions.first() else {
            return Vec::new();
        };
        let free = SEPARATORS
            .into_iter()
            .find(|one| !profile.has_character(*one))
            .map(char::from);
        let remedy = free.map_or_else(
            || "escape the separator in the values".to_owned(),
            |free| format!("use {free} between the parts: it stands in none of the values"),
        );
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} key values are made of different parts, such as {} from {} and from {}",
                whole(collisions.len() as u64),
                first.value,
                first.first,
                first.last
            ),
            evidence: vec![
                ("values", json!(collisions.len())),
                ("value", json!(first.value.to_string())),
                ("first", json!(first.first.to_string())),
                ("last", json!(first.last.to_string())),
                ("free_separator", json!(free)),
            ],
            remedy,
        }]
    }
}
