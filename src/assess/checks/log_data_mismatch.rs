//! `log-data-mismatch`: a log that does not belong to the data.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};

/// Above this share of unknown ids, or of values without items, log and data do not fit.
const UNKNOWN_SHARE_MAX: f64 = 0.5;

pub(super) struct LogDataMismatch;

impl Check for LogDataMismatch {
    fn code(&self) -> &'static str {
        "log-data-mismatch"
    }

    fn summary(&self) -> &'static str {
        "the log names items or values that the data do not hold"
    }

    fn page(&self) -> Page {
        Page {
            what: "Most ids in the log are neither in the data nor created by the log, or most key values that operations ask for hold no item.",
            why: "What the log does to each candidate is then guesswork: it may be of another container, of another time, or the data a small sample.",
            how: "Ids that are unknown over all ids named, and operations to one key value without any item over all such reads. A warning above one half.",
            example: "The log of the test system with the data of production.",
            fix: "Take log and data from the same container and time, or say what share the files are (--sample-share).",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(workload) = subject.workload else {
            return Vec::new();
        };
        let ids = workload.joins.counts(workload.log);
        let known = ids.in_dataset + ids.created_in_log;
        let unknown = (ids.named - known) as f64 / ids.named.max(1) as f64;
        let routing = subject.compared.measured.routing.as_ref();
        let empty = routing.map_or(0.0, |routing| {
            routing.empty_reads as f64 / routing.single_reads.max(1) as f64
        });
        if unknown <= UNKNOWN_SHARE_MAX && empty <= UNKNOWN_SHARE_MAX {
            return Vec::new();
        }
        let message = if unknown > UNKNOWN_SHARE_MAX {
            format!(
                "{} of the ids in the log are not in the data",
                percent(unknown)
            )
        } else {
            format!(
                "{} of the reads of one key value ask for a value without items in the data",
                percent(empty)
            )
        };
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: if subject.frame.sample_share < 1.0 {
                Confidence::Possible
            } else {
                Confidence::Likely
            },
            rejects: false,
            message,
            evidence: vec![("unknown_ids_share", json!(unknown)), ("empty_values_share", json!(empty)), ("ids", json!(ids.named))],
            remedy: "take log and data from the same container and time, or say what share the files are (--sample-share)".to_owned(),
        }]
    }
}
