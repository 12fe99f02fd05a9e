//! The values of the parameters of a query, as calls and logs write them.

use serde_json::Value;

use super::analysis::Parameters;

/// Reads an object of name to value, or an array of `{name, value}`; names with or without the `@`.
/// `None` where the JSON is neither.
pub fn parameters_of(value: &Value) -> Option<Parameters> {
    let with_mark = |name: &str| {
        if name.starts_with('@') {
            name.to_owned()
        } else {
            format!("@{name}")
        }
    };
    match value {
        Value::Object(members) => Some(
            members
                .iter()
                .map(|(name, value)| (with_mark(name), value.clone()))
                .collect(),
        ),
        Value::Array(entries) => entries
            .iter()
            .map(|entry| Some((with_mark(entry["name"].as_str()?), entry["value"].clone())))
            .collect(),
        _ => None,
    }
}
