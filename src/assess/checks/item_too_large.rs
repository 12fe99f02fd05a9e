//! `item-too-large`: items beyond 2 MB.

use serde_json::json;

use super::{Check, Page, bytes, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::limits::ITEM_BYTES_MAX;

pub(super) struct ItemTooLarge;

impl Check for ItemTooLarge {
    fn code(&self) -> &'static str {
        "item-too-large"
    }

    fn summary(&self) -> &'static str {
        "items are larger than the 2 MB that the service takes"
    }

    fn page(&self) -> Page {
        Page {
            what: "Some items have more than 2,000,000 bytes of compact JSON.",
            why: "The service refuses them, whatever the key (\"concepts-limits\").",
            how: "UTF-8 bytes of the compact JSON without the system properties.",
            example: "A document with an image in base64.",
            fix: "Keep large parts in blob storage, or split the item.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let facts = subject.profile.facts();
        if facts.too_large == 0 {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} items are larger than {}; the largest has {}",
                whole(facts.too_large),
                bytes(ITEM_BYTES_MAX),
                bytes(facts.bytes_max)
            ),
            evidence: vec![
                ("items", json!(facts.too_large)),
                ("bytes_max", json!(facts.bytes_max)),
                ("limit_bytes", json!(ITEM_BYTES_MAX)),
            ],
            remedy: "keep large parts in blob storage, or split the item".to_owned(),
        }]
    }
}
