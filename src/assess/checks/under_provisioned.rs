//! `under-provisioned`: all physical partitions work at their limit.

use serde_json::json;

use super::hot_partition::{HOT_SHARE, p99};
use super::{Check, Page, percent, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct UnderProvisioned;

impl Check for UnderProvisioned {
    fn code(&self) -> &'static str {
        "under-provisioned"
    }

    fn summary(&self) -> &'static str {
        "all physical partitions are at their limit: the throughput is too low"
    }

    fn page(&self) -> Page {
        Page {
            what: "Every physical partition uses 90 % or more of its RU/s.",
            why: "The load is even; there is simply too little throughput for it. Another key does not help.",
            how: "p99 over the minutes with load of each partition's normalized RU consumption, all at or over 90 %.",
            example: "400 RU/s for a load of 900 RU/s.",
            fix: "Raise the throughput to what the report says is required.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let physical = &subject.compared.measured.physical;
        let used: Vec<f64> = physical.iter().filter_map(p99).collect();
        let throttled = subject
            .compared
            .measured
            .throughput
            .as_ref()
            .and_then(|throughput| throughput.throttled_share)
            .unwrap_or(0.0);
        if used.is_empty()
            || used.iter().any(|used| *used < HOT_SHARE)
            || throttled <= crate::simulate::THROTTLED_SHARE_MAX
        {
            return Vec::new();
        }
        let required = subject
            .compared
            .required
            .as_ref()
            .and_then(|required| required.throughput);
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "all {} physical partitions use {} or more of their RU/s (p99) and {} of all requests are refused",
                used.len(),
                percent(HOT_SHARE),
                percent(throttled)
            ),
            evidence: vec![
                ("throughput", json!(subject.frame.throughput)),
                ("required_throughput", json!(required)),
                ("throttled_share", json!(throttled)),
            ],
            remedy: required.map_or_else(
                || "raise the throughput".to_owned(),
                |ru| format!("raise the throughput to {} RU/s", whole(ru)),
            ),
        }]
    }
}
