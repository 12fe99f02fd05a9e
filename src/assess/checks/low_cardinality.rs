//! `low-cardinality`: too few key values to spread over the physical partitions.

use serde_json::json;

use super::{Check, Page};
use crate::assess::{Confidence, Finding, Severity, Subject};

/// Key values that should be there for each physical partition, so that hashing evens them out.
const VALUES_PER_PARTITION: u64 = 10;

pub(super) struct LowCardinality;

impl Check for LowCardinality {
    fn code(&self) -> &'static str {
        "low-cardinality"
    }

    fn summary(&self) -> &'static str {
        "the key, or its first level, has few distinct values for the physical partitions"
    }

    fn page(&self) -> Page {
        Page {
            what: "There are fewer than ten distinct values of the key, or of the first level of a hierarchical key, for each physical partition.",
            why: "A hash spreads many values evenly and few badly: some partitions get several of them and some none, and the container cannot grow beyond as many partitions as there are values.",
            how: "Distinct values in the files over physical partitions. An error where there are fewer values than partitions, else a warning. Of a hierarchical key the first level counts, as its items stay together until they split (\"hierarchical-partition-keys\").",
            example: "/country with 12 values on 5 physical partitions.",
            fix: "Take a property with more values, or put a second property into the key.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let partitions = subject.compared.measured.physical.len() as u64;
        let profile = subject.compared.bench.profile;
        let levels = profile.level_counts();
        let Some(first) = levels
            .first()
            .copied()
            .filter(|_| partitions > 1 && subject.profile.items() > 0)
        else {
            return Vec::new();
        };
        let mut findings = Vec::new();
        let measured = subject.compared.measured.throughput.as_ref();
        if let Some(keys) = measured
            .and_then(|one| one.keys_per_window)
            .filter(|keys| *keys < partitions as f64)
            && first >= partitions
        {
            findings.push(Finding {
                code: self.code(),
                severity: Severity::Warning,
                confidence: Confidence::Likely,
                rejects: false,
                message: format!(
                    "in a busy window the operations go to {keys:.1} key values on average, so most of the {partitions} physical partitions wait"
                ),
                evidence: vec![("keys_per_window", json!(keys)), ("partitions", json!(partitions))],
                remedy: REMEDY.to_owned(),
            });
        }
        if first >= VALUES_PER_PARTITION * partitions {
            return findings;
        }
        let what = if levels.len() > 1 {
            "the first level"
        } else {
            "the key"
        };
        let sampled = subject.frame.sample_share < 1.0;
        findings.push(Finding {
            code: self.code(),
            severity: if first < partitions {
                Severity::Error
            } else {
                Severity::Warning
            },
            confidence: if sampled {
                Confidence::Possible
            } else {
                Confidence::Certain
            },
            rejects: false,
            message: format!(
                "{what} has {first} distinct values for {partitions} physical partitions"
            ),
            evidence: vec![
                ("distinct", json!(first)),
                ("partitions", json!(partitions)),
            ],
            remedy: REMEDY.to_owned(),
        });
        findings
    }
}

const REMEDY: &str = "take a property with more values, or put a second property into the key";
