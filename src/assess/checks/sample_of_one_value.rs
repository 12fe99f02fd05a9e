//! `sample-of-one-value`: items of one value of a property of which the log names more.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::keys::{Level, fixed_values};
use crate::model::{Access, Condition, Field, KeyComponent, PropertyPath, property};
use crate::simulate::Workload;

/// From this share of the operations on that ask for other values, the items are those of one.
const ELSEWHERE_SHARE_MIN: f64 = 0.1;

/// Items from which on it says something that all have one value.
const ITEMS_MIN: u64 = 20;

pub(super) struct SampleOfOneValue;

impl Check for SampleOfOneValue {
    fn code(&self) -> &'static str {
        "sample-of-one-value"
    }

    fn summary(&self) -> &'static str {
        "all items have one value of a property, and the log names others"
    }

    fn page(&self) -> Page {
        Page {
            what: "All items have the same value of the first property of the key, while operations in the log name other values of it.",
            why: "The files are then the items of one tenant, or of one type, and no sample of the container: nothing follows for the others.",
            how: "Operations that fix the property to other values, over those that fix it, in filters, keys and bodies; a finding from one tenth on.",
            example: "An export of one customer for a test, with the log of all customers.",
            fix: "Take items of all values, at random.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let bench = &subject.compared.bench;
        let is_one = bench.profile.level_counts().first() == Some(&1);
        let (Some(workload), true) = (
            subject.workload,
            is_one && subject.profile.items() >= ITEMS_MIN,
        ) else {
            return Vec::new();
        };
        let Some(Level::Path(path)) = bench.profile.candidate().levels.first() else {
            return Vec::new();
        };
        let known = bench.logical.iter().find_map(|one| {
            let components = one.components()?;
            components.first().map(|field| field.component())
        });
        let Some(value) = known.filter(|value| *value != KeyComponent::Undefined) else {
            return Vec::new();
        };
        let (mut named, mut elsewhere) = (0_u128, 0_u128);
        for (access, weight) in workload.log.accesses.iter().zip(&workload.access_weights) {
            let values = values_in(&access, path, workload);
            if !values.is_empty() {
                named += u128::from(*weight);
                if !values.contains(&value) {
                    elsewhere += u128::from(*weight);
                }
            }
        }
        let share = elsewhere as f64 / named.max(1) as f64;
        if share < ELSEWHERE_SHARE_MIN {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "all items have the {path} {value}, and {} of the operations that name a {path} name another: the files look like those of one value, no sample of the container",
                percent(share)
            ),
            evidence: vec![
                ("value", json!(value.to_string())),
                ("elsewhere_share", json!(share)),
            ],
            remedy: "take items of all values, at random".to_owned(),
        }]
    }
}

/// The values that an operation names of a property.
fn values_in(access: &Access, path: &PropertyPath, workload: &Workload) -> Vec<KeyComponent> {
    let body = access.item.as_ref().and_then(|item| property(item, path));
    let mut values: Vec<KeyComponent> = body
        .map(|value| Field::of(Some(value)).component())
        .into_iter()
        .collect();
    let of_key = workload.joins.fixed_by(&access.key);
    let condition = match &access.condition {
        Condition::Known(condition) => Some(condition),
        Condition::Invalid(_) | Condition::Unknown => None,
    };
    for condition in condition.into_iter().chain(&of_key) {
        values.extend(fixed_values(condition, path).iter().cloned());
    }
    values
}
