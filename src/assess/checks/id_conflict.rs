//! `id-conflict`: items that agree in key and id.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct IdConflict;

impl Check for IdConflict {
    fn code(&self) -> &'static str {
        "id-conflict"
    }

    fn summary(&self) -> &'static str {
        "items have the same id and the same key value, so only one of them can be there"
    }

    fn page(&self) -> Page {
        Page {
            what: "Several items have the same id and, under this key, the same key value.",
            why: "An id is unique within a logical partition: the service refuses the second item, or an upsert overwrites the first.",
            how: "Items by id and key value. Of more than 65,536 ids a part is looked at that is chosen by a hash.",
            example: "Orders numbered from 1 in each shop, and the key is /country.",
            fix: "Take a key that tells these items apart, or make the ids unique.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let shared = subject.profile.facts().shared_ids(subject.index);
        if shared.conflicts == 0 {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!("{} of {} ids looked at stand in several items with the same key value", whole(shared.conflicts), whole(shared.ids)),
            evidence: vec![("conflicts", json!(shared.conflicts)), ("ids", json!(shared.ids))],
            remedy: "take a key that tells these items apart, or make the ids unique; the files may also hold items twice".to_owned(),
        }]
    }
}
