//! `logical-partition-over-limit`: a key value that does not fit into a logical partition.

use serde_json::json;

use super::{Check, Page, bytes};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::limits::LOGICAL_PARTITION_BYTES_MAX;

/// The share of the limit at which the service's own alert example warns: 14 of 20 GB
/// ("how-to-alert-on-logical-partition-key-storage-size").
const WARNING_SHARE: f64 = 0.7;

pub(super) struct LogicalPartitionOverLimit;

impl Check for LogicalPartitionOverLimit {
    fn code(&self) -> &'static str {
        "logical-partition-over-limit"
    }

    fn summary(&self) -> &'static str {
        "a key value holds more than the 20 GB of a logical partition, or nearly"
    }

    fn page(&self) -> Page {
        Page {
            what: "The items of one full key value take, or will soon take, more than 20 GB.",
            why: "The service then refuses every write to that key value (403, sub-status 1014). No split helps: a logical partition never spans physical ones.",
            how: "Bytes of each logical partition in the files, divided by the share of the container that the files hold. Certain where the items alone are over 20,000,000,000 bytes; possible where they are only with the overhead of the system properties and the index factor. A warning from 70 % on.",
            example: "/tenantId with one tenant of 25 GB.",
            fix: "Add a level (/tenantId,/userId), a time bucket ({/tenantId}-{/ts|month}) or a suffix, so that the value spreads over several keys.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let share = subject.frame.sample_share;
        let limit = LOGICAL_PARTITION_BYTES_MAX as f64;
        let overhead = subject.scenario.item_overhead_bytes;
        let logical = &subject.compared.bench.logical;
        let bare = |one: &crate::profile::LogicalPartition| {
            one.bytes.saturating_sub(one.items * overhead) as f64 / share
        };
        let full = |one: &crate::profile::LogicalPartition| {
            one.bytes as f64 * subject.scenario.index_factor / share
        };
        let Some(largest) = logical
            .iter()
            .max_by_key(|one| (one.bytes, std::cmp::Reverse(&one.epk)))
        else {
            return Vec::new();
        };
        let size = full(largest);
        if size < WARNING_SHARE * limit {
            return Vec::new();
        }
        let certain = bare(largest) > limit && share >= 1.0;
        let over = size > limit;
        let count = logical.iter().filter(|one| full(one) > limit).count();
        let others = match count {
            0 | 1 => String::new(),
            2 => ", and one more value is over it".to_owned(),
            _ => format!(", and {} more values are over it", count - 1),
        };
        let message = format!(
            "{} holds {} of the {} a logical partition may hold{others}",
            largest.value,
            bytes(size),
            bytes(limit)
        );
        vec![Finding {
            code: self.code(),
            severity: if over { Severity::Error } else { Severity::Warning },
            confidence: if certain || !over { Confidence::Certain } else { Confidence::Possible },
            rejects: over && certain,
            message,
            evidence: vec![
                ("value", json!(largest.value.to_string())),
                ("bytes", json!(size)),
                ("bytes_without_overhead", json!(bare(largest))),
                ("limit_bytes", json!(LOGICAL_PARTITION_BYTES_MAX)),
                ("values_over_limit", json!(count)),
            ],
            remedy: "add a level, a time bucket or a suffix to the key, so that this value spreads over several".to_owned(),
        }]
    }
}
