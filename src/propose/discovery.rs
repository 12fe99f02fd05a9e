//! What the properties of a bounded part of the items look like.

use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHasher};
use serde_json::Value;

use crate::ingest::SYSTEM_PROPERTIES;
use crate::model::time::moment_of_text;
use crate::model::{KeyComponent, PropertyPath};

/// How deep objects are looked into.
const DEPTH_MAX: usize = 3;

/// One property as the items hold it.
#[derive(Debug, Clone, Default)]
struct Tally {
    items: u64,
    moments: u64,
    /// Values that people read or measure: sentences, and numbers with a fraction.
    unlike_keys: u64,
    nulls: u64,
    values: HashMap<u64, u64, FxBuildHasher>,
}

/// The scalar properties of some items.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    items: u64,
    tallies: BTreeMap<PropertyPath, Tally>,
}

/// What is known of a property.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// Where it stands.
    pub path: PropertyPath,
    /// Share of the items that hold a scalar there that is not null.
    pub present: f64,
    /// Distinct values.
    pub distinct: u64,
    /// Share of the items that hold the most frequent value.
    pub largest: f64,
    /// Whether nearly all values are moments.
    pub is_time: bool,
    /// Whether values are sentences or measures, which nobody looks things up by.
    pub is_unlike_key: bool,
}

/// Blanks from which on a text is a sentence.
const SENTENCE_BLANKS: usize = 3;

/// Whether a value is a sentence, or a number with a fraction.
fn is_unlike_key(value: &Value) -> bool {
    match value {
        Value::String(text) => text.matches(' ').count() >= SENTENCE_BLANKS,
        Value::Number(number) => number
            .as_f64()
            .is_some_and(|number| number.fract().abs() > 0.0),
        _ => false,
    }
}

impl Discovery {
    /// Adds an item.
    pub fn add(&mut self, item: &Value) {
        self.items += 1;
        let mut names = Vec::new();
        self.walk(item, &mut names);
    }

    fn walk<'a>(&mut self, value: &'a Value, names: &mut Vec<&'a str>) {
        if let Value::Object(members) = value {
            if names.len() == DEPTH_MAX {
                return;
            }
            for (name, member) in members {
                if names.is_empty() && SYSTEM_PROPERTIES.contains(&name.as_str()) {
                    continue;
                }
                names.push(name);
                self.walk(member, names);
                names.pop();
            }
            return;
        }
        let component = KeyComponent::from_json(value);
        if let (Some(path), false) = (
            PropertyPath::from_names(names.iter().copied()),
            component == KeyComponent::Undefined,
        ) {
            let tally = self.tallies.entry(path).or_default();
            if component == KeyComponent::Null {
                tally.nulls += 1;
                return;
            }
            tally.items += 1;
            tally.moments += u64::from(
                value
                    .as_str()
                    .is_some_and(|text| moment_of_text(text).is_some()),
            );
            tally.unlike_keys += u64::from(is_unlike_key(value));
            let mut hasher = FxHasher::default();
            component.hash(&mut hasher);
            *tally.values.entry(hasher.finish()).or_default() += 1;
        }
    }

    /// Number of items that were looked at.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// All properties, by path.
    pub fn properties(&self) -> Vec<Property> {
        let of = |(path, tally): (&PropertyPath, &Tally)| {
            let largest = tally.values.values().copied().max().unwrap_or(0);
            Property {
                path: path.clone(),
                present: tally.items as f64 / self.items.max(1) as f64,
                distinct: tally.values.len() as u64,
                largest: largest as f64 / self.items.max(1) as f64,
                is_time: tally.moments * 10 >= tally.items * 9 && tally.items > 0,
                is_unlike_key: tally.unlike_keys * 10 >= tally.items && tally.items > 0,
            }
        };
        self.tallies.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_and_measures_are_told_from_what_things_are_looked_up_by() {
        let mut discovery = Discovery::default();
        discovery.add(&json!({"text": "a frame of light metal", "price": 27.12, "name": "Road Frame", "n": 5}));
        let unlike: Vec<bool> = discovery
            .properties()
            .iter()
            .map(|one| one.is_unlike_key)
            .collect();
        // By path: n, name, price, text.
        assert_eq!(unlike, [false, false, true, true]);
    }

    #[test]
    fn scalars_are_found_inside_objects_and_system_properties_are_not() {
        let mut discovery = Discovery::default();
        for item in [
            json!({"id": "1", "_ts": 1, "a": {"b": 1, "t": "2024-05-01T00:00:00Z"}, "list": [1]}),
            json!({"id": "2", "a": {"b": 1, "t": "2024-05-02"}, "n": null}),
        ] {
            discovery.add(&item);
        }
        let found: Vec<String> = discovery
            .properties()
            .iter()
            .map(|one| {
                format!(
                    "{} {} {} {} {}",
                    one.path, one.present, one.distinct, one.largest, one.is_time
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                "/a/b 1 1 1 false",
                "/a/t 1 2 0.5 true",
                "/id 1 2 0.5 false",
                "/n 0 0 0 false"
            ]
        );
    }
}
