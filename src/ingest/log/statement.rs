//! From the text of a query to what it asks for and the name of its shape: the one place that knows
//! both the log and the query language.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use serde_json::Value;

use crate::model::Condition;
use crate::query::{self, Parameters, Query, parameters_of};

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
            self.known
                .insert(text.to_owned(), Statement::of(text, parameters));
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
    let parameters = value.get("parameters").and_then(parameters_of);
    Some((text, parameters.unwrap_or_default()))
}

impl Statement {
    fn of(text: &str, parameters: &Parameters) -> Self {
        let query = match query::parse(text) {
            Ok(query) => query,
            Err(error) => {
                return Self {
                    meaning: Meaning::Invalid(error.to_string()),
                    name: text.split_whitespace().collect::<Vec<_>>().join(" "),
                };
            }
        };
        let name = query::shape(&query);
        let meaning = if query::is_obfuscated(text) {
            Meaning::Obfuscated
        } else {
            match query::validate(&query, parameters) {
                Ok(()) => Meaning::Query(Box::new(query)),
                Err(error) => Meaning::Invalid(error.to_string()),
            }
        };
        Self { meaning, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_texts_than_are_kept_are_still_read() {
        let mut statements = Statements::default();
        for value in 0..=TEXTS_MAX {
            let text = format!("SELECT * FROM c WHERE c.a = {value}");
            let (condition, name, _) = statements.read(&text, &Parameters::new());
            assert!(matches!(condition, Condition::Known(_)));
            assert_eq!(name, "SELECT * FROM c WHERE c.a = ?");
        }
        assert!(statements.known.len() < TEXTS_MAX);
    }
}
