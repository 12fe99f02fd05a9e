//! `prefix-in-options`: queries that name the first levels of a hierarchy beside their text only.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::keys::{Level, fixed_paths};
use crate::model::units::from_micro;
use crate::model::{Access, Condition, KeyKind, OperationKind, Predicate, PropertyPath};

pub(super) struct PrefixInOptions;

impl Check for PrefixInOptions {
    fn code(&self) -> &'static str {
        "prefix-in-options"
    }

    fn summary(&self) -> &'static str {
        "queries pass the first levels of the key as an option and do not filter on them"
    }

    fn page(&self) -> Page {
        Page {
            what: "Queries name the first levels of a hierarchical key in their options, and not all of them in their text.",
            why: "A prefix in the options routes the query to the physical partitions that hold it. It does not filter: items of other prefixes there may be read, and charged, and may come back.",
            how: "Queries whose options fix some first levels and not all, over those levels that the filter does not fix to one value; by executions.",
            example: "SELECT * FROM c with the partition key [\"US\", \"CA\"] under /country,/state,/city.",
            fix: "Put the same properties into the WHERE of the query.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let candidate = subject.compared.bench.profile.candidate();
        let Some(workload) = subject
            .workload
            .filter(|_| candidate.kind == KeyKind::MultiHash)
        else {
            return Vec::new();
        };
        let log = workload.log;
        let relies = |access: &Access| {
            let options = Predicate::And(workload.joins.fixed_by(&access.key));
            relies_on_options(&candidate.levels, &options, &access.condition)
        };
        let (mut weight, mut total) = (0_u128, 0_u128);
        for (access, of_form) in log.weighted_forms() {
            total += of_form;
            if access.kind == OperationKind::Query && relies(access) {
                weight += of_form;
            }
        }
        if weight == 0 {
            return Vec::new();
        }
        let share = weight as f64 / total.max(1) as f64;
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "{} of the operations rely on a prefix passed as an option: without a WHERE on the same properties they may scan the partition and return neighbours",
                percent(share)
            ),
            evidence: vec![
                ("operations", json!(from_micro(weight))),
                ("share", json!(share)),
            ],
            remedy: "filter on the same properties in the text of the query".to_owned(),
        }]
    }
}

/// Whether the options fix some first levels, not all of them, of which the condition leaves one open.
fn relies_on_options(levels: &[Level], options: &Predicate, condition: &Condition) -> bool {
    let fixes = |paths: &[&PropertyPath], level: &Level| {
        level.sources().iter().all(|path| paths.contains(path))
    };
    let in_options = fixed_paths(options);
    let prefix = levels
        .iter()
        .take_while(|level| fixes(&in_options, level))
        .count();
    let in_text = match condition {
        Condition::Known(condition) => fixed_paths(condition),
        _ => return false,
    };
    (1..levels.len()).contains(&prefix)
        && levels[..prefix].iter().any(|level| !fixes(&in_text, level))
}
