//! `near-duplicate-values`: values that differ only in case, blanks or Unicode form.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHasher};
use serde_json::json;
use unicode_normalization::UnicodeNormalization;

use super::{Check, Page, whole};
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::{Field, KeyValue};

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
            how: "All key values are trimmed, put into lower case and into normal form C; those that then agree are counted. Values that look like dates are compared by their form, the digits left out.",
            example: "Berlin, berlin and Berlin with a blank behind it.",
            fix: "Even out the values when they are written, for example with {/city|lower}.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Looked { twice, spellings } = Looked::at(subject);
        let mut groups: BTreeMap<Vec<String>, Vec<KeyValue>> = BTreeMap::new();
        // Of very many values few are alike: the others are not put in order.
        for one in subject.compared.bench.logical.iter() {
            let Some(value) = one.components() else {
                continue;
            };
            let evened = || value.iter().copied().map(evened);
            if !twice.is_empty() && twice.contains(&hash_of(evened())) {
                let group = groups.entry(evened().map(Cow::into_owned).collect());
                group.or_default().extend(one.value());
            }
        }
        let spelt = (spellings.len() > 1).then(|| self.moments(&spellings));
        let mut alike = groups.into_values().filter(|group| group.len() > 1);
        let Some(mut first) = alike.next() else {
            return spelt.into_iter().collect();
        };
        first.sort_unstable();
        let count = 1 + alike.count();
        let alike = Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!("{} values are written in several ways, such as {} and {}", whole(count as u64), first[0], first[1]),
            evidence: vec![
("values", json!(count)), ("first", json!(first[0].to_string())), ("second", json!(first[1].to_string()))],
            remedy: "even out case and blanks when the values are written, or with a transform such as |lower".to_owned(),
        };
        std::iter::once(alike).chain(spelt).collect()
    }
}

impl NearDuplicateValues {
    /// The finding that dates are written in several ways, with one of each.
    fn moments(&self, spellings: &BTreeMap<String, String>) -> Finding {
        let examples: Vec<&String> = spellings.values().take(3).collect();
        let list = examples.iter().map(|one| format!("\"{one}\""));
        Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Likely,
            rejects: false,
            message: format!(
                "dates are written in {} ways, such as {}",
                spellings.len(),
                list.collect::<Vec<_>>().join(" and ")
            ),
            evidence: vec![
                ("spellings", json!(spellings.len())),
                ("examples", json!(examples)),
            ],
            remedy:
                "write dates in one form, and compare with the source: export tools rewrite them"
                    .to_owned(),
        }
    }
}

/// What one look at all values tells; of very many values at those that several items have, and at the
/// heaviest.
#[derive(Default)]
struct Looked {
    /// Hashes of evened values that came more than once.
    twice: HashSet<u64, FxBuildHasher>,
    /// The ways in which values that look like dates are written, the digits left out, with the first
    /// value of each.
    spellings: BTreeMap<String, String>,
}

impl Looked {
    fn at(subject: &Subject) -> Self {
        let mut looked = Self::default();
        let mut once: HashSet<u64, FxBuildHasher> = HashSet::default();
        for one in subject.compared.bench.logical.iter() {
            let Some(value) = one.components() else {
                continue;
            };
            let hash = hash_of(value.iter().copied().map(evened));
            if !once.insert(hash) {
                looked.twice.insert(hash);
            }
            value
                .iter()
                .filter_map(|field| field.text())
                .for_each(|text| looked.add_date(text));
        }
        looked
    }

    fn add_date(&mut self, text: &str) {
        let Some(form) = form_of_date(text) else {
            return;
        };
        let first = self
            .spellings
            .entry(form)
            .or_insert_with(|| text.to_owned());
        if text < first.as_str() {
            text.clone_into(first);
        }
    }
}

/// How a date is written: each run of digits as one; `None` of other texts.
fn form_of_date(text: &str) -> Option<String> {
    let (front, _) = text.split_at_checked(10)?;
    if front.bytes().filter(u8::is_ascii_digit).count() != 8 {
        return None;
    }
    let digits: Vec<&str> = front.split(['-', '/', '.']).collect();
    let [first, second, third] = digits[..] else {
        return None;
    };
    let is_date = matches!(
        (first.len(), second.len(), third.len()),
        (4, 2, 2) | (2, 2, 4)
    );
    if !is_date || text.len() > 40 {
        return None;
    }
    let mut form = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_digit() { '9' } else { c };
        if c != '9' || !form.ends_with('9') {
            form.push(c);
        }
    }
    Some(form)
}

fn evened(field: Field) -> Cow<str> {
    match field {
        Field::Text(text) => {
            let text = text.trim();
            if !text.is_ascii() {
                Cow::from(text.nfc().collect::<String>().to_lowercase())
            } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
                Cow::from(text.to_ascii_lowercase())
            } else {
                Cow::from(text)
            }
        }
        // Apart from any text.
        other => Cow::from(format!("\u{0}{}", other.component())),
    }
}

fn hash_of<'a>(evened: impl Iterator<Item = Cow<'a, str>>) -> u64 {
    let mut hasher = FxHasher::default();
    evened.for_each(|text| text.hash(&mut hasher));
    hasher.finish()
}
