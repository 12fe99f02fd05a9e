//! `logical-partition-over-limit`: a key value that does not fit into a logical partition.

use serde_json::json;

use super::{Check, Page, bytes};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::limits::LOGICAL_PARTITION_BYTES_MAX;
use crate::profile::LogicalPartition;

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
            how: "Bytes of each logical partition in the files, divided by the share of the container that the files hold. Certain where the lower end of the 95 % interval, of the items alone, is over 20,000,000,000 bytes; possible where the upper end is, with the overhead of the system properties and the index factor. A warning from 70 % on.",
            example: "/tenantId with one tenant of 25 GB.",
            fix: "Add a level (/tenantId,/userId), a time bucket ({/tenantId}-{/ts|month}) or a suffix, so that the value spreads over several keys.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let limit = LOGICAL_PARTITION_BYTES_MAX as f64;
        let size = |one: &LogicalPartition| {
            let scenario = subject.scenario;
            scenario.size_of(one, subject.frame.sample_share)
        };
        let logical = &subject.compared.bench.logical;
        let sized = logical.iter().filter_map(|one| Some((one, size(&one)?)));
        let largest = sized.clone().max_by(|(one, its), (other, theirs)| {
            its.bytes
                .total_cmp(&theirs.bytes)
                .then_with(|| other.epk_bytes().cmp(one.epk_bytes()))
        });
        let Some((largest, size)) = largest.filter(|(_, size)| size.high >= WARNING_SHARE * limit)
        else {
            return Vec::new();
        };
        let over = sized.filter(|(_, size)| size.bytes > limit);
        let count: u64 = over.map(|(one, _)| one.stands_for).sum();
        let others = match count {
            0 | 1 => String::new(),
            2 => ", and one more value is over it".to_owned(),
            _ => format!(", and {} more values are over it", count - 1),
        };
        let (certain, possible) = (size.low > limit, size.high > limit);
        let range = if subject.frame.sample_share < 1.0 {
            format!(
                " ({} to {} at 95 %)",
                bytes(size.low as u64),
                bytes(size.high as u64)
            )
        } else {
            String::new()
        };
        let message = format!(
            "{} holds {}{range} of the {} that a logical partition may hold{others}",
            named(&largest),
            bytes(size.bytes as u64),
            bytes(LOGICAL_PARTITION_BYTES_MAX)
        );
        vec![Finding {
            code: self.code(),
            severity: if possible { Severity::Error } else { Severity::Warning },
            confidence: if possible && !certain { Confidence::Possible } else { Confidence::Certain },
            rejects: certain,
            message,
            evidence: vec![
                ("value", json!(named(&largest))),
                ("bytes", json!(size.bytes)),
                ("bytes_low", json!(size.low)),
                ("bytes_high", json!(size.high)),
                ("limit_bytes", json!(LOGICAL_PARTITION_BYTES_MAX)),
                ("values_over_limit", json!(count)),
            ],
            remedy: "add a level, a time bucket or a suffix to the key, so that this value spreads over several".to_owned(),
        }]
    }
}

/// The value of a logical partition: one so heavy is always known.
fn named(one: &LogicalPartition) -> String {
    one.value()
        .map_or_else(|| one.epk().to_string(), |value| value.to_string())
}
