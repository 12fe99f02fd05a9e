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
    /// Of them, those that hold the empty text.
    pub empty: u64,
    /// Of the items with a number, those with one from 2^53 on, which a double cannot tell from its
    /// neighbours.
    pub imprecise: u64,
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
        self.empty += u64::from(value.and_then(Value::as_str) == Some(""));
        self.imprecise += u64::from(value.is_some_and(is_imprecise));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.missing += other.missing;
        self.null += other.null;
        self.boolean += other.boolean;
        self.number += other.number;
        self.string += other.string;
        self.empty += other.empty;
        self.imprecise += other.imprecise;
        self.compound += other.compound;
    }
}

/// Whether a value is a number from 2^53 on, where a double stands for several whole numbers.
fn is_imprecise(value: &Value) -> bool {
    const EXACT_BELOW: f64 = (1_u64 << 53) as f64;
    value
        .as_f64()
        .is_some_and(|number| number.abs() >= EXACT_BELOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn empty_texts_and_imprecise_numbers_are_counted_beside_their_types() {
        let mut types = SourceTypes::default();
        for value in [
            json!(""),
            json!("x"),
            json!(9007199254740993_i64),
            json!(9007199254740992_i64),
            json!(1e300),
        ] {
            types.add(Some(&value));
        }
        assert_eq!(
            (types.string, types.empty, types.number, types.imprecise),
            (2, 1, 3, 3)
        );
    }
}
