//! `partition-over-limit`: physical partitions that hold or serve more than the service gives one.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::text::bytes;
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::limits::{PARTITION_THROUGHPUT_MAX, PHYSICAL_PARTITION_BYTES_MAX};

pub(super) struct PartitionOverLimit;

impl Check for PartitionOverLimit {
    fn code(&self) -> &'static str {
        "partition-over-limit"
    }

    fn summary(&self) -> &'static str {
        "the physical partitions given cannot hold the data or the throughput"
    }

    fn page(&self) -> Page {
        Page {
            what: "With --partitions or --layout, a physical partition would hold more than 50 GB or serve more than 10,000 RU/s.",
            why: "The service splits a partition before that, so the numbers are those of a container that cannot be.",
            how: "Bytes of the whole container on each partition given, and the throughput divided by their number (\"partitioning\").",
            example: "--total-size 1TB --partitions 4.",
            fix: "Give as many partitions as the container will have, or leave them out.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(partitions) = subject.scenario.fixed_partitions() else {
            return Vec::new();
        };
        let scale = subject.scenario.index_factor / subject.frame.sample_share;
        let physical = &subject.compared.measured.physical;
        let fullest = physical.iter().map(|one| one.data.bytes as f64 * scale);
        let fullest = fullest.fold(0.0, f64::max);
        let share = subject
            .frame
            .throughput
            .unwrap_or(0)
            .div_ceil(u64::from(partitions.max(1)));
        let finding = |message: String, evidence| Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Certain,
            rejects: false,
            message,
            evidence: vec![evidence],
            remedy: "give more physical partitions, or leave --partitions out".to_owned(),
        };
        let mut findings = Vec::new();
        if fullest > PHYSICAL_PARTITION_BYTES_MAX as f64 {
            findings.push(finding(
                format!(
                    "a physical partition would hold {}, and splits at {}",
                    bytes(fullest as u64),
                    bytes(PHYSICAL_PARTITION_BYTES_MAX)
                ),
                ("bytes", json!(fullest)),
            ));
        }
        if share > PARTITION_THROUGHPUT_MAX {
            findings.push(finding(
                format!(
                    "each physical partition would get {} RU/s, and serves {} at most",
                    whole(share),
                    whole(PARTITION_THROUGHPUT_MAX)
                ),
                ("throughput", json!(share)),
            ));
        }
        findings
    }
}
