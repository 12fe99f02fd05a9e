//! `hot-key-ceiling`: no throughput is enough, because one key value needs more than one partition
//! can give.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::limits::PARTITION_THROUGHPUT_MAX;

pub(super) struct HotKeyCeiling;

impl Check for HotKeyCeiling {
    fn code(&self) -> &'static str {
        "hot-key-ceiling"
    }

    fn summary(&self) -> &'static str {
        "no throughput is enough: what one key value needs is more than a physical partition serves"
    }

    fn page(&self) -> Page {
        Page {
            what: "However much throughput is bought, more than 1 % of the requests stay refused.",
            why: "All requests for one key value go to one physical partition, and that serves 10,000 RU/s at most. More partitions do not share this load.",
            how: "The replay is repeated with more and more RU/s and partitions, up to four times what an even load needs; none of them brings the refused share to 1 % or less, over all and on each partition.",
            example: "/date when all devices write 25,000 RU/s into today.",
            fix: "Add a suffix or a level to the key, so that the load of the hot value spreads over several key values.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(required) = &subject.compared.required else {
            return Vec::new();
        };
        if required.throughput.is_some() {
            return Vec::new();
        }
        let fixed = subject.scenario.fixed_partitions().is_some();
        let hottest = subject
            .compared
            .measured
            .throughput
            .as_ref()
            .and_then(|throughput| throughput.hottest_key.as_ref());
        let value = hottest.map(|(value, _)| value.to_string());
        let about = value.as_ref().map_or_else(String::new, |value| {
            format!("; the busiest key value is {value}")
        });
        let scope = if fixed {
            " on the partitions given"
        } else {
            ""
        };
        vec![Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Likely,
            rejects: !fixed,
            message: format!(
                "no throughput up to {} RU/s{scope} brings the refused requests to 1 %{about}",
                whole(required.tried)
            ),
            evidence: vec![
                ("throughput_tried", json!(required.tried)),
                ("partition_throughput_max", json!(PARTITION_THROUGHPUT_MAX)),
                ("value", json!(value)),
            ],
            remedy: "add a suffix or a level to the key, so that the hot value spreads over several key values".to_owned(),
        }]
    }
}
