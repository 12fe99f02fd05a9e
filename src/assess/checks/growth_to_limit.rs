//! `growth-to-limit`: a logical partition that will be full.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::simulate::DAY;

pub(super) struct GrowthToLimit;

impl Check for GrowthToLimit {
    fn code(&self) -> &'static str {
        "growth-to-limit"
    }

    fn summary(&self) -> &'static str {
        "a logical partition reaches 20 GB before the horizon"
    }

    fn page(&self) -> Page {
        Page {
            what: "If items keep coming as they do, a key value holds 20 GB before the horizon (--horizon, three years by default).",
            why: "Writes to a logical partition that is full fail with status 403, and the key of a container cannot be changed in place.",
            how: "Bytes of the value over the time between its first and last item, scaled to the whole container; values that get nothing for long are closed, keys of time buckets close with their bucket, and a time to live caps what is held. The times stand in _ts, the last write, which overstates recent growth where items are updated: name the time of creation with --time.",
            example: "A device that writes 1 KiB a second under /deviceId is full on day 243.",
            fix: "Add a level or a time bucket to the key, or let items expire.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(growth) = &subject.compared.growth else {
            return Vec::new();
        };
        let horizon = subject.scenario.growth.horizon_seconds;
        let Some(breach) = &growth.breach else {
            return Vec::new();
        };
        let wait = (breach.at - growth.span.1) as f64;
        // What is over the limit already is the finding of another check.
        if wait <= 0.0 || wait > horizon {
            return Vec::new();
        }
        let days = (wait / DAY).ceil() as u64;
        let full = match growth.horizon.over_limit {
            1 => "no other does".to_owned(),
            full => format!("{} do in all", whole(full)),
        };
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "{} reaches 20 GB {} days after the last item; {full} before the horizon",
                breach.value,
                whole(days)
            ),
            evidence: vec![
                ("value", json!(breach.value.to_string())),
                ("days", json!(days)),
                ("over_limit", json!(growth.horizon.over_limit)),
            ],
            remedy: "add a level or a time bucket to the key, or let items expire (--ttl)"
                .to_owned(),
        }]
    }
}
