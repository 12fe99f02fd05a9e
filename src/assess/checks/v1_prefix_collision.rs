//! `v1-prefix-collision`: values that version 1 of the hash takes for one.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::KeyVersion;

pub(super) struct V1PrefixCollision;

impl Check for V1PrefixCollision {
    fn code(&self) -> &'static str {
        "v1-prefix-collision"
    }

    fn summary(&self) -> &'static str {
        "values with the same beginning are one logical partition under version 1"
    }

    fn page(&self) -> Page {
        Page {
            what: "Several key values start with the same 100 characters, and the container is of version 1.",
            why: "Version 1 looks at the first 100 UTF-16 units only: these values share one logical partition with its 20 GB and its unique ids.",
            how: "Key values with equal effective partition keys under version 1.",
            example: "/url with a long common beginning.",
            fix: "Create the container with version 2 of the partition key.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let profile = subject.compared.bench.profile;
        if profile.candidate().version != KeyVersion::V1 {
            return Vec::new();
        }
        let collisions = profile.collisions();
        let Some(first) = collisions.first() else {
            return Vec::new();
        };
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} logical partitions hold several values that version 1 takes for one, such as {} and {}",
                whole(collisions.len() as u64),
                first.first,
                first.last
            ),
            evidence: vec![
                ("logical_partitions", json!(collisions.len())),
                ("first", json!(first.first.to_string())),
                ("last", json!(first.last.to_string())),
            ],
            remedy: "create the container with version 2 of the partition key".to_owned(),
        }]
    }
}
