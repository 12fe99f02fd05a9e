//! `small-container`: one physical partition, where the choice hardly matters yet.

use serde_json::json;

use super::{Check, Page};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct SmallContainer;

impl Check for SmallContainer {
    fn code(&self) -> &'static str {
        "small-container"
    }

    fn summary(&self) -> &'static str {
        "the container has one physical partition, so the key hardly matters yet"
    }

    fn page(&self) -> Page {
        Page {
            what: "Throughput and storage fit on one physical partition.",
            why: "Until the container grows beyond 10,000 RU/s or 50 GB every query visits one partition whatever the key. The 20 GB limit of a logical partition and the scope of transactions hold all the same.",
            how: "The number of physical partitions of the scenario is one.",
            example: "2 GB of items and 1,000 RU/s.",
            fix: "Decide for the size that is planned: give --throughput, --total-size or --partitions.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        if !subject.compared.stays_small() {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Info,
            confidence: Confidence::Certain,
            rejects: false,
            message: "one physical partition: fan-out and skew cost nothing yet, so the choice hardly matters".to_owned(),
            evidence: vec![
                ("throughput", json!(subject.frame.throughput)),
                ("container_bytes", json!(subject.frame.container_bytes)),
            ],
            remedy: "give --throughput, --total-size or --partitions for the size that is planned".to_owned(),
        }]
    }
}
