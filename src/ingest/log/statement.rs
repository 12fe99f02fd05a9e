//! From the text of a query to what it asks for and the name of its shape: the one place that knows
//! both the log and the query language.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use serde_json::Value;

use crate::model::Condition;
use crate::query::{self, Parameters, Query};

/// Texts whose analysis is kept. Applications send few; one that writes values into the text sends
/// many, and analysing one again costs little.
const TEXTS_MAX: usize = 4096;

/// What is known of texts, each analysed once.
#[derive(Default)]
pub(super) struct Statements {
    known: HashMap<String, Statement, FxBuildHasher>,
}

struct Statement {
    meaning: Meaning,
    /// The name of the shape.
    name: String,
}

enum Meaning {
    Query(Box<Query>),
    /// The service would refuse it.
    Invalid(String),
    /// Names and values are masked.
    Obfuscated,
}

impl Statements {
    /// The condition that a text with these parameters puts, the name of its shape, and whether the
    /// text was masked.
    pub(super) fn read(&mut self, text: &str, parameters: &Parameters) -> (Condition, &str, bool) {
        if !self.known.contains_key(text) {
            if self.known.len() >= TEXTS_MAX {
                self.known.clear();
            }
            self.known.insert(text.to_owned(), Statement::of(text));
        }
        let statement = &self.known[text];
        let (condition, masked) = match &statement.meaning {
            Meaning::Query(query) => (Condition::Known(query::condition(query, parameters)), false),
            Meaning::Invalid(message) => (Condition::Invalid(message.clone()), false),
            Meaning::Obfuscated => (Condition::Unknown, true),
        };
        (condition, &statement.name, masked)
    }

    /// The same for a text as resource logs hold it: by itself, or in JSON with its parameters.
    pub(super) fn read_logged(&mut self, text: &str) -> (Condition, String, bool) {
        let text = text.trim();
        let parsed = if text.starts_with('{') {
            statement_of(text)
        } else {
            Some((text.to_owned(), Parameters::new()))
        };
        let Some((text, parameters)) = parsed else {
            // JSON that was cut tells no text for sure.
            return (
                Condition::Unknown,
                "query of unreadable text".to_owned(),
                false,
            );
        };
        let (condition, name, masked) = self.read(&text, &parameters);
        (condition, name.to_owned(), masked)
    }
}

fn statement_of(json: &str) -> Option<(String, Parameters)> {
    let value: Value = serde_json::from_str(json).ok()?;
    let text = value.get("query")?.as_str()?.to_owned();
    let parameters = value.get("parameters").and_then(Value::as_array);
    let parameters = parameters.into_iter().flatten().filter_map(|parameter| {
        let name = parameter.get("name")?.as_str()?.to_owned();
        Some((name, parameter.get("value")?.clone()))
    });
    Some((text, parameters.collect()))
}

impl Statement {
    fn of(text: &str) -> Self {
        let meaning = if is_obfuscated(text) {
            Meaning::Obfuscated
        } else {
            match query::parse(text) {
                Ok(query) => Meaning::Query(Box::new(query)),
                Err(error) => Meaning::Invalid(error.to_string()),
            }
        };
        Self {
            meaning,
            name: text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// Whether a text holds names as the service masks them: `p1__10` for a property, `str1__13` for a
/// text.
fn is_obfuscated(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|word| {
        let Some((front, back)) = word.rsplit_once("__") else {
            return false;
        };
        let letters = front.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() < front.len()
            && !letters.is_empty()
            && letters.chars().all(|c| c.is_ascii_lowercase())
            && !back.is_empty()
            && back.chars().all(|c| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_names_are_recognised() {
        for text in [
            "SELECT * FROM c WHERE (c.p1__10 != true)",
            "SELECT * FROM r1 WHERE r1[\"p1__12\"] = 1",
            "SELECT * FROM c WHERE CONTAINS(c.a, \"str1__13\")",
        ] {
            assert!(is_obfuscated(text), "{text}");
        }
        for text in [
            "SELECT * FROM c WHERE c.tenantId = @t",
            "SELECT * FROM root c WHERE c[\"a\"] = @__t_0",
            "SELECT c.a__b, c.__1, c.p1 FROM c",
        ] {
            assert!(!is_obfuscated(text), "{text}");
        }
    }

    #[test]
    fn more_texts_than_are_kept_are_still_read() {
        let mut statements = Statements::default();
        for value in 0..=TEXTS_MAX {
            let text = format!("SELECT * FROM c WHERE c.a = {value}");
            let (condition, name, _) = statements.read(&text, &Parameters::new());
            assert!(matches!(condition, Condition::Known(_)));
            assert_eq!(name, text);
        }
        assert!(statements.known.len() < TEXTS_MAX);
    }
}
