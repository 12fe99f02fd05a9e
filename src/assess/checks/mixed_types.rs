//! `mixed-types`: a property of the key that is text in some items and something else in others.

use serde_json::json;

use super::{Check, Page};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct MixedTypes;

impl Check for MixedTypes {
    fn code(&self) -> &'static str {
        "mixed-types"
    }

    fn summary(&self) -> &'static str {
        "a property of the key has values of several types"
    }

    fn page(&self) -> Page {
        Page {
            what: "A property of the key holds text in some items and numbers, booleans or null in others.",
            why: "5 and \"5\" are two key values in two logical partitions: a read that passes the wrong one finds nothing.",
            how: "Items by type of the value at each path of the key; null counts as a type, a missing property does not.",
            example: "customerId is 17 in items of the old system and \"17\" in those of the new one.",
            fix: "Write the property as one type everywhere, text for identifiers.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let sources = subject.compared.bench.profile.sources().iter();
        sources
            .filter_map(|(path, types)| {
                let counts = [
                    ("text", types.string),
                    ("number", types.number),
                    ("boolean", types.boolean),
                    ("null", types.null),
                ];
                let held: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
                if held.len() < 2 {
                    return None;
                }
                let list: Vec<String> = held
                    .iter()
                    .map(|(name, count)| format!("{name} in {count}"))
                    .collect();
                Some(Finding {
                    code: self.code(),
                    severity: Severity::Warning,
                    confidence: Confidence::Certain,
                    rejects: false,
                    message: format!(
                        "{path} is {} items: each type is a key value of its own",
                        list.join(", ")
                    ),
                    evidence: std::iter::once(("path", json!(path.to_string())))
                        .chain(held.iter().map(|(name, count)| (*name, json!(count))))
                        .collect(),
                    remedy: format!("write {path} as one type in all items"),
                })
            })
            .collect()
    }
}
