//! `near-duplicate-values`: values that differ only in case, blanks or Unicode form.

use serde_json::json;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use crate::model::{KeyComponent, KeyValue};

pub(super) struct NearDuplicateValues;

impl Check for NearDuplicateValues {
    fn code(&self) -> &'static str {
        "near-duplicate-values"
    }

    fn summary(&self) -> &'static str {
        "key values differ only in case, blanks or Unicode form"
    }

    fn page(&self) -> Page {
        Page {
            what: "Several key values become one when case, leading and trailing blanks and the Unicode form are evened out.",
            why: "The service compares exactly, so what is one tenant or city to people lies in several logical partitions, and a read finds a part.",
            how: "All key values are trimmed, put into lower case and into normal form C; those that then agree are counted.",
            example: "Berlin, berlin and Berlin with a blank behind it.",
            fix: "Even out the values when they are written, for example with {/city|lower}.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let mut groups: BTreeMap<Vec<String>, Vec<&KeyValue>> = BTreeMap::new();
        for one in &subject.compared.bench.logical {
            groups
                .entry(evened(&one.value))
                .or_default()
                .push(&one.value);
        }
        let mut alike = groups.into_values().filter(|group| group.len() > 1);
        let Some(mut first) = alike.next() else {
            return Vec::new();
        };
        first.sort_unstable();
        let count = 1 + alike.count();
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!("{} values are written in several ways, such as {} and {}", whole(count as u64), first[0], first[1]),
            evidence: vec![
("values", json!(count)), ("first", json!(first[0].to_string())), ("second", json!(first[1].to_string()))],
            remedy: "even out case and blanks when the values are written, or with a transform such as |lower".to_owned(),
        }]
    }
}

fn evened(value: &KeyValue) -> Vec<String> {
    let component = |component: &KeyComponent| match component {
        KeyComponent::String(text) => text.trim().nfc().collect::<String>().to_lowercase(),
        // Apart from any text.
        other => format!("\u{0}{other}"),
    };
    value.0.iter().map(component).collect()
}
