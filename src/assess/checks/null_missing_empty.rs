//! `null-missing-empty`: null, missing and empty side by side.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};

pub(super) struct NullMissingEmpty;

impl Check for NullMissingEmpty {
    fn code(&self) -> &'static str {
        "null-missing-empty"
    }

    fn summary(&self) -> &'static str {
        "null, missing and empty values of the key are three logical partitions"
    }

    fn page(&self) -> Page {
        Page {
            what: "A property of the key is null in some items, missing in others, or the empty text.",
            why: "The service keeps them in different logical partitions, and a read must pass the right one. Many exports turn one into another.",
            how: "Items by what they hold at each path of the key; two of the three kinds are there.",
            example: "/region is null in old items and missing in new ones.",
            fix: "Write one of them everywhere, better a value of its own such as none.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let sources = subject.compared.bench.profile.sources().iter();
        sources
            .filter_map(|(path, types)| {
                let kinds = [
                    ("null", types.null),
                    ("missing", types.missing),
                    ("empty", types.empty),
                ];
                let held: Vec<_> = kinds.into_iter().filter(|(_, count)| *count > 0).collect();
                if held.len() < 2 {
                    return None;
                }
                let list: Vec<String> = held
                    .iter()
                    .map(|(name, count)| format!("{name} in {}", whole(*count)))
                    .collect();
                Some(Finding {
                    code: self.code(),
                    severity: Severity::Warning,
                    confidence: Confidence::Certain,
                    rejects: false,
                    message: format!(
                        "{path} is {} items: each is a key value of its own",
                        list.join(", ")
                    ),
                    evidence: std::iter::once(("path", json!(path.to_string())))
                        .chain(held.iter().map(|(name, count)| (*name, json!(count))))
                        .collect(),
                    remedy: format!("write {path} in one way where there is no value"),
                })
            })
            .collect()
    }
}
