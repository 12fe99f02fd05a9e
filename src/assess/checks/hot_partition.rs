//! `hot-partition`: one physical partition works at its limit while others idle.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::simulate::PhysicalLoad;

/// A partition is at its limit from this share of its budget on, in 99 of 100 minutes
/// ("monitor-normalized-request-units").
pub(super) const HOT_SHARE: f64 = 0.9;

/// Another is far from it under this share.
const COOL_SHARE: f64 = 0.7;

pub(super) struct HotPartition;

/// The p99 of a partition's use over the minutes with load.
pub(super) fn p99(partition: &PhysicalLoad) -> Option<f64> {
    partition.utilization.map(|use_| use_.p99)
}

impl Check for HotPartition {
    fn code(&self) -> &'static str {
        "hot-partition"
    }

    fn summary(&self) -> &'static str {
        "one physical partition is at its limit while another is far from it"
    }

    fn page(&self) -> Page {
        Page {
            what: "The busiest physical partition uses 90 % or more of its RU/s while another uses less than 70 %.",
            why: "RU/s are divided evenly over physical partitions. What the idle ones do not use does not help the hot one: its requests are refused (429).",
            how: "Normalized RU consumption of each minute is that of its busiest window; its p99 over the minutes with load is compared (\"monitor-normalized-request-units\").",
            example: "/date: all writes of today go to one partition, whatever the throughput.",
            fix: "Take a key whose values are used alike, add a level, or add a suffix for the hot values.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let physical = &subject.compared.measured.physical;
        let used: Vec<(usize, f64)> = physical
            .iter()
            .enumerate()
            .filter_map(|(index, one)| Some((index, p99(one)?)))
            .collect();
        // Of several at their limit the one that refuses most.
        let throttled = |index: usize| physical[index].throttled_share.unwrap_or(0.0);
        let busiest = used.iter().max_by(|one, other| {
            (one.1.total_cmp(&other.1))
                .then_with(|| throttled(one.0).total_cmp(&throttled(other.0)))
        });
        let coolest = used.iter().min_by(|one, other| one.1.total_cmp(&other.1));
        let (Some((index, hot)), Some((_, cool))) = (busiest, coolest) else {
            return Vec::new();
        };
        if *hot < HOT_SHARE || *cool >= COOL_SHARE {
            return Vec::new();
        }
        let partition = &physical[*index];
        let throttled = partition.throttled_share.unwrap_or(0.0);
        let at_limit = used.iter().filter(|one| one.1 >= HOT_SHARE).count();
        vec![Finding {
            code: self.code(),
            severity: if throttled > crate::simulate::THROTTLED_SHARE_MAX { Severity::Error } else { Severity::Warning },
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "physical partition {index} uses {} of its RU/s (p99) and refuses {} of its requests, while the idlest uses {}",
                percent(*hot),
                percent(throttled),
                percent(*cool)
            ),
            evidence: vec![
                ("partition", json!(index)),
                ("utilization_p99", json!(hot)),
                ("utilization_p99_min", json!(cool)),
                ("throttled_share", json!(throttled)),
                ("partitions_at_limit", json!(at_limit)),
                ("partitions", json!(physical.len())),
            ],
            remedy: "take a key whose values are used alike, add a level, or add a suffix for the hot values".to_owned(),
        }]
    }
}
