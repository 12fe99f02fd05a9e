//! `middle-level-filter`: filters on a later level of a hierarchy without the earlier ones.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::keys::{Level, fixed_paths};
use crate::model::units::from_micro;
use crate::model::{Access, Condition, KeyKind, OperationKind};

/// From this share of the operations on it is a warning.
const SHARE_MIN: f64 = 0.01;

pub(super) struct MiddleLevelFilter;

impl Check for MiddleLevelFilter {
    fn code(&self) -> &'static str {
        "middle-level-filter"
    }

    fn summary(&self) -> &'static str {
        "operations fix a later level of the hierarchical key but not the ones before it"
    }

    fn page(&self) -> Page {
        Page {
            what: "Queries fix the second or third level of the key and leave an earlier one open.",
            why: "Only a prefix routes: a filter on a middle level alone visits all physical partitions, and what it fixes behind a gap does not help.",
            how: "Queries whose filter fixes the properties of a level and not those of all earlier ones, over all operations.",
            example: "/tenantId,/userId and a query by userId alone.",
            fix: "Put the property that is always known first, or add it to the filter.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let candidate = subject.compared.bench.profile.candidate();
        let Some(log) = subject
            .log()
            .filter(|_| candidate.kind == KeyKind::MultiHash)
        else {
            return Vec::new();
        };
        let gap = |access: &Access| {
            let Condition::Known(condition) = &access.condition else {
                return false;
            };
            let options = subject
                .workload
                .map_or_else(Vec::new, |workload| workload.joins.fixed_by(&access.key));
            let mut fixed = fixed_paths(condition);
            fixed.extend(options.iter().flat_map(fixed_paths));
            let known: Vec<bool> = candidate
                .levels
                .iter()
                .map(|level: &Level| level.sources().iter().all(|path| fixed.contains(path)))
                .collect();
            known.windows(2).any(|pair| !pair[0] && pair[1])
                || (known.len() == 3 && !known[0] && known[2])
        };
        let (mut weight, mut total) = (0_u128, 0_u128);
        let mut first = None;
        for (access, of_form) in log.weighted_forms() {
            total += of_form;
            if access.kind == OperationKind::Query && gap(access) {
                weight += of_form;
                let name = log
                    .shapes
                    .get(access.shape as usize)
                    .map(|shape| &shape.name);
                // The first by name, so that the order of rows does not show.
                first = if first.is_none() {
                    name
                } else {
                    first.min(name)
                };
            }
        }
        let share = weight as f64 / total.max(1) as f64;
        if share < SHARE_MIN {
            return Vec::new();
        }
        let about = first.map_or_else(String::new, |shape| format!(", such as {shape}"));
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!(
                "{} of the operations fix a later level of the key and not the ones before it{about}",
                percent(share)
            ),
            evidence: vec![
                ("share", json!(share)),
                ("operations", json!(from_micro(weight))),
                ("shape", json!(first)),
            ],
            remedy: "put the property that is always known first, or add it to the filter"
                .to_owned(),
        }]
    }
}
