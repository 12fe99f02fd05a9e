//! `number-precision`: whole numbers that a double cannot hold.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::keys::Level;

pub(super) struct NumberPrecision;

impl Check for NumberPrecision {
    fn code(&self) -> &'static str {
        "number-precision"
    }

    fn summary(&self) -> &'static str {
        "numbers in the key are beyond 2^53, where neighbours become one"
    }

    fn page(&self) -> Page {
        Page {
            what: "A property of the key holds whole numbers beyond 9,007,199,254,740,992.",
            why: "The service takes numbers for IEEE 754 doubles: neighbours beyond 2^53 are one key value.",
            how: "Items with such a number at a path of the key.",
            example: "/accountId with 9007199254740993, which is 9007199254740992 to the service.",
            fix: "Write the number as text.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let sources = subject.compared.bench.profile.sources().iter();
        let imprecise = sources.filter(|(_, types)| types.imprecise > 0);
        let negative_zero = self.negative_zero(subject);
        imprecise
            .map(|(path, types)| Finding {
                code: self.code(),
                severity: Severity::Warning,
                confidence: Confidence::Certain,
                rejects: false,
                message: format!(
                    "{path} holds numbers from 2^53 on in {} items: neighbours become one value",
                    whole(types.imprecise)
                ),
                evidence: vec![
                    ("path", json!(path.to_string())),
                    ("items", json!(types.imprecise)),
                ],
                remedy: format!("write {path} as text"),
            })
            .chain(negative_zero)
            .collect()
    }
}

impl NumberPrecision {
    /// A key value of -0, which JSON tells from 0 and people do not.
    fn negative_zero(&self, subject: &Subject) -> Option<Finding> {
        let profile = subject.compared.bench.profile;
        // A template makes the text 0 of it.
        let levels = profile
            .candidate()
            .levels
            .iter()
            .filter_map(|level| match level {
                Level::Path(path) => Some(path),
                Level::Template(_) => None,
            });
        let zeros = levels.filter_map(|path| {
            let source = profile.sources().iter().find(|(source, _)| source == path);
            source.map(|(_, types)| types.negative_zero)
        });
        let items = zeros.max().unwrap_or(0);
        (items > 0).then(|| Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Possible,
            rejects: false,
            message: format!("{} items hold -0, which is kept apart from 0: the two hash differently, and how the service reads -0 is not known in public", whole(items)),
            evidence: vec![("negative_zero_items", json!(items))],
            remedy: "write 0".to_owned(),
        })
    }
}
