//! A report without the values of the data: equal values become equal tokens.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use serde_json::Value;

use super::v1::{Candidate, Finding, Problem, Report};

/// Evidence that holds names and no values of the data.
const NAMES: [&str; 4] = ["path", "shape", "check", "limit"];

impl Report {
    /// The report with tokens in place of key values, ids and other texts of the data. Names of
    /// properties, files and shapes stay, the constants in the latter do not.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        problems(&mut self.dataset.problems);
        if let Some(log) = &mut self.log {
            problems(&mut log.problems);
        }
        for reason in &mut self.recommendation.reasons {
            *reason = text(reason);
        }
        for one in &mut self.candidates {
            candidate(one);
        }
        self.settings.insert("redact".to_owned(), Value::Bool(true));
        self
    }
}

/// Particulars of problems can hold anything.
fn problems(problems: &mut [Problem]) {
    for place in problems.iter_mut().flat_map(|one| &mut one.places) {
        place.detail.clear();
    }
}

fn candidate(one: &mut Candidate) {
    for top in &mut one.logical_partitions.top {
        value(&mut top.value);
    }
    let throughput = one.throughput.as_mut();
    if let Some(hottest) = throughput.and_then(|one| one.hottest_key.as_mut()) {
        value(&mut hottest.value);
    }
    let growth = one.growth.as_mut();
    if let Some(breach) = growth.and_then(|one| one.breach.as_mut()) {
        value(&mut breach.value);
    }
    for shape in one.routing.iter_mut().flat_map(|one| &mut one.shapes) {
        shape.name = text(&shape.name);
    }
    for words in [&mut one.proposed, &mut one.lost].into_iter().flatten() {
        *words = text(words);
    }
    let ignored = one.ignored.iter_mut().map(|one| &mut one.finding);
    for found in one.findings.iter_mut().chain(ignored) {
        finding(found);
    }
}

fn finding(one: &mut Finding) {
    one.message = text(&one.message);
    one.remedy = text(&one.remedy);
    for (name, fact) in &mut one.evidence {
        if NAMES.contains(&name.as_str()) {
            if let Value::String(words) = fact {
                *words = text(words);
            }
        } else {
            texts(fact);
        }
    }
}

/// A token for what is hidden.
fn token(hidden: &impl Hash) -> String {
    let mut hasher = FxHasher::default();
    hidden.hash(&mut hasher);
    format!("#{:08x}", hasher.finish() as u32)
}

/// Hides the components of a key value; that one is undefined or null stays.
fn value(value: &mut Value) {
    match value {
        Value::Array(components) => components.iter_mut().for_each(self::value),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => {
            *value = Value::String(token(&plain(value)));
        }
        Value::Null | Value::Object(_) => {}
    }
}

/// A value as it stands in sentences, so that both have one token.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Hides the texts in a piece of evidence; its numbers count things.
fn texts(fact: &mut Value) {
    match fact {
        Value::String(words) => *words = token(words),
        Value::Array(all) => all.iter_mut().for_each(texts),
        Value::Object(members) => members.values_mut().for_each(texts),
        _ => {}
    }
}

/// Hides what stands in quotes and in brackets of a sentence: key values and constants.
fn text(sentence: &str) -> String {
    let mut out = String::new();
    let mut rest = sentence;
    while let Some(at) = rest.find(['"', '\'', '[']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = if from.starts_with('[') {
            from.find(']').map(|end| end + 1)
        } else {
            quoted_end(from)
        };
        let Some(end) = end else {
            // An apostrophe, or a bracket that stands alone.
            out.push_str(&from[..1]);
            rest = &from[1..];
            continue;
        };
        let hidden = &from[..end];
        let code = hidden.trim_matches(['[', ']']);
        let is_code = hidden.starts_with('[')
            && !code.is_empty()
            && code
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if is_code {
            out.push_str(hidden);
        } else if let Ok(mut parsed @ Value::Array(_)) = serde_json::from_str::<Value>(hidden) {
            value(&mut parsed);
            out.push_str(&parsed.to_string());
        } else {
            let inside: String = serde_json::from_str(hidden)
                .unwrap_or_else(|_| hidden[1..hidden.len() - 1].to_owned());
            out.push_str(&token(&inside));
        }
        rest = &from[end..];
    }
    out.push_str(rest);
    out
}

/// Where a quoted text ends that starts here.
fn quoted_end(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_values_have_equal_tokens_wherever_they_stand() {
        let mut key = json!(["acme", 5, null, {}]);
        value(&mut key);
        let acme = token(&"acme".to_owned());
        assert_eq!(key[0], json!(acme));
        assert_eq!((&key[2], &key[3]), (&json!(null), &json!({})));
        let hidden =
            text("[\"acme\"] holds 30 GB of /tenantId; c.t = 'acme' and today's \"a\\\"b\"");
        assert!(!hidden.contains("acme"), "{hidden}");
        assert_eq!(hidden.matches(&acme).count(), 2, "{hidden}");
        assert!(hidden.contains("holds 30 GB of /tenantId"));
        assert!(text("[5]").starts_with("[\"#"));
        assert_eq!(text("see [hot-partition]"), "see [hot-partition]");
    }
}
