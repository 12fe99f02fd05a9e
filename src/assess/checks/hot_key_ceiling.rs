//! `hot-key-ceiling`: no throughput is enough, because one key value needs more than one partition
//! can give.

use serde_json::json;

use super::{Check, Page, percent, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::limits::PARTITION_THROUGHPUT_MAX;
use crate::simulate::{CEILING_SHARE_MAX, Ceiling};

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
            how: "A key value that needs more than 10,000 RU/s in more than 1 % of the busy windows is over the ceiling; so is the first level of a hierarchy as long as no split parts it. Else the replay is repeated with more and more RU/s and partitions, up to four times what an even load needs; none of them brings the refused share to 1 % or less, over all and on each partition.",
            example: "/date when all devices write 25,000 RU/s into today.",
            fix: "Add a suffix or a level to the key, so that the load of the hot value spreads over several key values.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let measured = subject.compared.measured.throughput.as_ref();
        let over = |ceiling: Option<&Ceiling>| {
            ceiling
                .filter(|one| one.share() > CEILING_SHARE_MAX)
                .cloned()
        };
        let mut findings = Vec::new();
        let key = over(measured.and_then(|one| one.ceiling.as_ref()));
        if let Some(ceiling) = &key {
            findings.push(self.of_value(ceiling, true));
        } else if let Some(ceiling) = over(measured.and_then(|one| one.prefix_ceiling.as_ref())) {
            findings.push(self.of_value(&ceiling, false));
        }
        let required = subject.compared.required.as_ref();
        if let Some(required) = required.filter(|one| one.throughput.is_none() && key.is_none()) {
            let fixed = subject.scenario.fixed_partitions();
            let most = fixed.map(|count| u64::from(count) * PARTITION_THROUGHPUT_MAX);
            let even = subject.frame.even_throughput;
            // Then no key could do better.
            let too_few = even.zip(most).filter(|(even, most)| even > most);
            findings.push(Finding {
                code: self.code(),
                severity: Severity::Error,
                confidence: Confidence::Likely,
                rejects: too_few.is_none(),
                message: match too_few {
                    Some((even, most)) => format!(
                        "the partitions given serve {} RU/s at most, and even a perfectly even load needs {}",
                        whole(most),
                        whole(even)
                    ),
                    None => format!(
                        "no throughput up to {} RU/s brings the refused requests to 1% or less",
                        whole(required.tried)
                    ),
                },
                evidence: vec![("throughput_tried", json!(required.tried))],
                remedy: if too_few.is_some() {
                    "give more physical partitions".to_owned()
                } else {
                    REMEDY.to_owned()
                },
            });
        }
        findings
    }
}

const REMEDY: &str =
    "add a suffix or a level to the key, so that the hot value spreads over several key values";

impl HotKeyCeiling {
    /// A full key value rejects the candidate; a prefix of a hierarchy can still be split for storage.
    fn of_value(&self, ceiling: &Ceiling, full: bool) -> Finding {
        let what = if full {
            "needs"
        } else {
            "as a first level needs"
        };
        let hope = if full {
            ""
        } else {
            "; splits for storage may spread it later"
        };
        Finding {
            code: self.code(),
            severity: Severity::Error,
            confidence: Confidence::Likely,
            rejects: full,
            message: format!(
                "{} {what} up to {} RU/s, and more than the {} of a physical partition in {} of the busy windows{hope}",
                ceiling.value,
                whole(ceiling.peak.round() as u64),
                whole(PARTITION_THROUGHPUT_MAX),
                percent(ceiling.share())
            ),
            evidence: vec![
                ("value", json!(ceiling.value.to_string())),
                ("peak", json!(ceiling.peak)),
                ("windows_over", json!(ceiling.windows_over)),
                ("busy_windows", json!(ceiling.busy_windows)),
                ("partition_throughput_max", json!(PARTITION_THROUGHPUT_MAX)),
            ],
            remedy: REMEDY.to_owned(),
        }
    }
}
