//! `cross-partition-share`: operations that visit all physical partitions.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::units::from_micro;
use crate::simulate::Routing;

pub(super) struct CrossPartitionShare;

impl Check for CrossPartitionShare {
    fn code(&self) -> &'static str {
        "cross-partition-share"
    }

    fn summary(&self) -> &'static str {
        "too many operations visit every physical partition"
    }

    fn page(&self) -> Page {
        Page {
            what: "A share of the operations fixes too little of the key, so the service asks every physical partition.",
            why: "Each further partition costs about 2.5 RU and time, and the cost grows with the container: what is cheap on 2 partitions is not on 50.",
            how: "Operations that fan out over all operations, by executions. A warning above 20 % from 2 partitions on, 5 % from 10 and 1 % from 50; an error above 30 % from 10 and 10 % from 50. Fan-out matters above 30,000 RU/s or 100 GB (\"how-to-query-container\"). With --fan-out-limits advisor-notebook the limits of the Partition Key Advisor notebook: warning and error from 30 % and 50 % on 2 to 5 partitions, 25 % and 40 % up to 50, 20 % and 30 % beyond.",
            example: "The key is /id and the application lists the orders of a customer.",
            fix: "Take a key that the frequent queries fix by equality, or give the query the key in its filter or options.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(routing) = &subject.compared.measured.routing else {
            return Vec::new();
        };
        let partitions = subject.compared.measured.physical.len();
        let (warning, error) = subject.scenario.fan_out_limits.shares(partitions);
        let fan_out = Routing::ALL
            .iter()
            .position(|class| *class == Routing::FanOut)
            .unwrap_or(0);
        let total: u128 = routing.weights.iter().sum();
        let share = routing.weights[fan_out] as f64 / total.max(1) as f64;
        let limits = subject.scenario.fan_out_limits;
        if !limits.reached(warning, share) {
            return Vec::new();
        }
        let shapes = subject.log().map(|log| &log.shapes);
        let worst = routing
            .shapes
            .iter()
            .enumerate()
            .max_by_key(|(index, shape)| (shape.weights[fan_out], std::cmp::Reverse(*index)));
        let name = worst.and_then(|(index, _)| Some(shapes?.get(index)?.name.clone()));
        let about = name
            .as_ref()
            .map_or_else(String::new, |name| format!("; most of them are: {name}"));
        vec![Finding {
            code: self.code(),
            severity: if limits.reached(error, share) {
                Severity::Error
            } else {
                Severity::Warning
            },
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} of the operations visit all {partitions} physical partitions{about}",
                percent(share)
            ),
            evidence: vec![
                ("fan_out_share", json!(share)),
                ("operations", json!(from_micro(routing.weights[fan_out]))),
                ("partitions", json!(partitions)),
                ("shape", json!(name)),
            ],
            remedy: "take a key that these operations fix by equality, or let them pass it"
                .to_owned(),
        }]
    }
}
