//! The types of the values that items hold at one path.

use serde_json::Value;

/// How many items hold which type at a path; the sum is the number of items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTypes {
    /// Items without the property.
    pub missing: u64,
    /// Items that hold null.
    pub null: u64,
    /// Items that hold true or false.
    pub boolean: u64,
    /// Items that hold a number.
    pub number: u64,
    /// Items that hold text.
    pub string: u64,
    /// Items that hold an array or an object, which is undefined to a key.
    pub compound: u64,
}

impl SourceTypes {
    pub(super) fn add(&mut self, value: Option<&Value>) {
        let count = match value {
            None => &mut self.missing,
            Some(Value::Null) => &mut self.null,
            Some(Value::Bool(_)) => &mut self.boolean,
            Some(Value::Number(_)) => &mut self.number,
            Some(Value::String(_)) => &mut self.string,
            Some(Value::Array(_) | Value::Object(_)) => &mut self.compound,
        };
        *count += 1;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.missing += other.missing;
        self.null += other.null;
        self.boolean += other.boolean;
        self.number += other.number;
        self.string += other.string;
        self.compound += other.compound;
    }
}
