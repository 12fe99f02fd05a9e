//! The types of the values that items hold at one path.

use serde::{Deserialize, Serialize};

use crate::model::Field;

/// From here on a double stands for several whole numbers.
const EXACT_BELOW: f64 = (1_u64 << 53) as f64;

/// How many items hold which type at a path; the sum is the number of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Of the items with a number, those with -0.
    pub negative_zero: u64,
    /// Items that hold an array or an object, which is undefined to a key.
    pub compound: u64,
}

impl SourceTypes {
    pub(super) fn add(&mut self, field: Field) {
        let count = match field {
            Field::Missing => &mut self.missing,
            Field::Null => &mut self.null,
            Field::Bool(_) => &mut self.boolean,
            Field::Number(_) => &mut self.number,
            Field::Text(_) => &mut self.string,
            Field::Compound => &mut self.compound,
        };
        *count += 1;
        match field {
            Field::Text("") => self.empty += 1,
            Field::Number(number) => {
                self.imprecise += u64::from(number.abs() >= EXACT_BELOW);
                self.negative_zero += u64::from(number.to_bits() == (-0.0_f64).to_bits());
            }
            _ => {}
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.missing += other.missing;
        self.null += other.null;
        self.boolean += other.boolean;
        self.number += other.number;
        self.string += other.string;
        self.empty += other.empty;
        self.imprecise += other.imprecise;
        self.negative_zero += other.negative_zero;
        self.compound += other.compound;
    }
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
            types.add(Field::of(Some(&value)));
        }
        assert_eq!(
            (types.string, types.empty, types.number, types.imprecise),
            (2, 1, 3, 3)
        );
    }
}
