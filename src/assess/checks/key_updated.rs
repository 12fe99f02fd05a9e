//! `key-updated`: writes that change the key value of an item.

use serde_json::json;

use super::{Check, Page, percent, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::units::from_micro;

pub(super) struct KeyUpdated;

impl Check for KeyUpdated {
    fn code(&self) -> &'static str {
        "key-updated"
    }

    fn summary(&self) -> &'static str {
        "writes change the key value of an item, which the service does not allow"
    }

    fn page(&self) -> Page {
        Page {
            what: "Upserts or replacements in the log give an item another key value than it has in the data.",
            why: "A key value cannot be changed: the application must delete the item and create it elsewhere, in two calls without a transaction.",
            how: "The key value of the body against that of the item in the data with the same id; the replay charges a delete there and a create here.",
            example: "/status as the key of orders that go from open to closed.",
            fix: "Take a property that never changes.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(routing) = subject
            .compared
            .measured
            .routing
            .as_ref()
            .filter(|routing| routing.moved > 0)
        else {
            return Vec::new();
        };
        let total: u128 = routing.weights.iter().sum();
        let share = routing.moved as f64 / total.max(1) as f64;
        let count = from_micro(routing.moved);
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} writes ({} of the operations) change the key value of their item",
                whole(count.round() as u64),
                percent(share)
            ),
            evidence: vec![("operations", json!(count)), ("share", json!(share))],
            remedy: "take a property that never changes".to_owned(),
        }]
    }
}
