//! `batch-too-large`: transactional batches beyond the limits.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::OperationKind;
use crate::model::limits::{BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX};
use crate::model::units::from_micro;

pub(super) struct BatchTooLarge;

impl Check for BatchTooLarge {
    fn code(&self) -> &'static str {
        "batch-too-large"
    }

    fn summary(&self) -> &'static str {
        "transactional batches have more than 100 operations or 2 MB"
    }

    fn page(&self) -> Page {
        Page {
            what: "Batches in the log have more than 100 operations or more than 2 MB.",
            why: "The service refuses them, whatever the key (\"transactional-batch\").",
            how: "Operations of each batch, and its bytes where the log tells them.",
            example: "An import that writes 500 items in one batch.",
            fix: "Split the batches, or use bulk execution where no transaction is needed.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(log) = subject.log() else {
            return Vec::new();
        };
        let (mut weight, mut most) = (0_u128, 0);
        for event in log.events.iter() {
            let access = log.accesses.form(event.access);
            if access.kind != OperationKind::Batch {
                continue;
            }
            most = most.max(access.members.len());
            let large = event.bytes.is_some_and(|bytes| bytes > BATCH_BYTES_MAX);
            if large || access.members.len() > BATCH_OPERATIONS_MAX {
                weight += u128::from(event.weight);
            }
        }
        if weight == 0 {
            return Vec::new();
        }
        let count = from_micro(weight);
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} batches have more than {BATCH_OPERATIONS_MAX} operations or 2 MB; the largest has {most} operations",
                whole(count.round() as u64)
            ),
            evidence: vec![("batches", json!(count)), ("operations_max", json!(most))],
            remedy: "split the batches".to_owned(),
        }]
    }
}
