//! `missing-key`: items that lack the properties of the key.

use serde_json::json;

use super::{Check, Page, percent};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::{Condition, PropertyPath};

/// Types that are named.
const TYPES_SHOWN: usize = 5;

/// Above this share of items without the property it is an error, below a warning.
const ERROR_SHARE: f64 = 0.01;

pub(super) struct MissingKey;

impl Check for MissingKey {
    fn code(&self) -> &'static str {
        "missing-key"
    }

    fn summary(&self) -> &'static str {
        "items lack a property that the key is made of"
    }

    fn page(&self) -> Page {
        Page {
            what: "Some or all items do not have a property of this key, or hold an array or an object there.",
            why: "The service takes such a property for undefined. All these items share one logical partition, which is limited to 20 GB and 10,000 RU/s, and reads must pass an undefined key to find them.",
            how: "Items without the property, and items with an array or object there, over all items. An error where no item has it or more than 1 % lack it, else a warning.",
            example: "/tenantID instead of /tenantId: no item has it, so the whole container is one logical partition.",
            fix: "Check the spelling and case of the path; fill the property before the import; or take a property that every item has.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let profile = subject.compared.bench.profile;
        // In a container of several types, each must carry the key.
        let totals = &subject.profile.facts().types;
        let bare: Vec<&str> = profile
            .missing_types()
            .iter()
            .filter(|(name, missing)| totals.get(*name) == Some(*missing))
            .map(|(name, _)| &**name)
            .take(TYPES_SHOWN)
            .collect();
        let of_types = if bare.is_empty() || bare.len() == totals.len() {
            String::new()
        } else {
            format!(": no item of type {} has it", bare.join(", "))
        };
        let of_source = |(path, types): &(PropertyPath, crate::profile::SourceTypes)| {
            let lacking = types.missing + types.compound;
            if lacking == 0 || subject.profile.items() == 0 {
                return None;
            }
            let share = lacking as f64 / subject.profile.items() as f64;
            let all = lacking == subject.profile.items();
            let message = if all {
                format!(
                    "no item has {path}: all {} items share one logical partition",
                    subject.profile.items()
                )
            } else {
                format!(
                    "{lacking} items ({}) have no usable {path} and share the key value undefined{of_types}",
                    percent(share)
                )
            };
            Some(Finding {
                code: self.code(),
                severity: if share > ERROR_SHARE {
                    Severity::Error
                } else {
                    Severity::Warning
                },
                confidence: Confidence::Certain,
                rejects: all,
                message,
                evidence: vec![
                    ("path", json!(path.to_string())),
                    ("missing_items", json!(types.missing)),
                    ("compound_items", json!(types.compound)),
                    ("share", json!(share)),
                    ("types_without", json!(bare)),
                ],
                remedy: if all {
                    remedy(path, subject)
                } else {
                    format!("fill {path} before the import, or take a property that every item has")
                },
            })
        };
        let without_text = self.without_text(subject);
        let sources = profile.sources().iter().filter_map(of_source);
        sources.chain(without_text).collect()
    }
}

impl MissingKey {
    /// Values that are there and that a transform cannot take, such as a name where a date must be.
    fn without_text(&self, subject: &Subject) -> Option<Finding> {
        let profile = subject.compared.bench.profile;
        let sources = profile.sources().iter();
        let lacking: u64 = sources
            .map(|(_, types)| types.missing + types.compound)
            .sum();
        let unusable = profile.parts_without_text().saturating_sub(lacking);
        let items = subject.profile.items();
        if unusable == 0 || items == 0 {
            return None;
        }
        let share = (unusable as f64 / items as f64).min(1.0);
        let all = unusable >= items;
        Some(Finding {
            code: self.code(),
            severity: if share > ERROR_SHARE {
                Severity::Error
            } else {
                Severity::Warning
            },
            confidence: Confidence::Certain,
            rejects: all,
            message: format!(
                "{unusable} values make no text, as the template cannot take them: a transform such as |day wants a moment"
            ),
            evidence: vec![("values", json!(unusable)), ("share", json!(share))],
            remedy: "take the transform off, or name a property that holds such values".to_owned(),
        })
    }
}

/// What to look at when no item has a property.
fn remedy(path: &PropertyPath, subject: &Subject) -> String {
    let names = &subject.profile.facts().names;
    if let Some(like) = names.like(path) {
        return format!("did you mean {like}? names are compared with their case");
    }
    let hidden = |name: &str| name.starts_with('_');
    if path.segments().next().is_some_and(hidden) && !names.any_starts_with("_") {
        return "no property of the data starts with '_': the Desktop Data Migration Tool leaves them out, so export again with IncludeMetadataFields=true".to_owned();
    }
    let filters = |condition: &Condition| match condition {
        Condition::Known(predicate) => predicate.properties().contains(&path),
        _ => false,
    };
    let mut forms = subject
        .log()
        .into_iter()
        .flat_map(|log| log.accesses.forms());
    if forms.any(|access| filters(&access.condition)) {
        return "the log filters on it, so the sample may be a projection that leaves it out or renames it: export whole items".to_owned();
    }
    "check the spelling and case of the path".to_owned()
}
