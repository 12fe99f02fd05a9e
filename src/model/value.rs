//! Partition key values and their components.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde_json::Value;

use super::item::Field;

/// One component of a partition key value, as the service tells them apart.
///
/// Arrays and objects at the path of a key are `Undefined` to the service. Numbers are IEEE 754
/// doubles and compared by their bits, so that `-0` is kept apart from `0`, as the hash does.
#[derive(Debug, Clone)]
pub enum KeyComponent {
    /// The property is missing, or holds an array or an object.
    Undefined,
    /// JSON `null`.
    Null,
    /// JSON `true` or `false`.
    Bool(bool),
    /// Any JSON number.
    Number(f64),
    /// Text, compared exactly: no case folding, trimming or normalisation.
    String(Box<str>),
}

impl KeyComponent {
    /// The component that the service sees where an item holds this JSON value.
    pub fn from_json(value: &Value) -> Self {
        Field::of(Some(value)).component()
    }

    /// The field of an item that holds this component.
    pub fn field(&self) -> Field<'_> {
        match self {
            Self::Undefined => Field::Missing,
            Self::Null => Field::Null,
            Self::Bool(flag) => Field::Bool(*flag),
            Self::Number(number) => Field::Number(*number),
            Self::String(text) => Field::Text(text),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Undefined => 0,
            Self::Null => 1,
            Self::Bool(_) => 2,
            Self::Number(_) => 3,
            Self::String(_) => 4,
        }
    }
}

impl Ord for KeyComponent {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::String(a), Self::String(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for KeyComponent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for KeyComponent {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for KeyComponent {}

impl Hash for KeyComponent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Undefined | Self::Null => {}
            Self::Bool(flag) => flag.hash(state),
            Self::Number(number) => number.to_bits().hash(state),
            Self::String(text) => text.hash(state),
        }
    }
}

impl fmt::Display for KeyComponent {
    /// The service's notation: JSON, with `{}` for undefined.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined => f.write_str("{}"),
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => flag.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::String(text) => Value::from(&**text).fmt(f),
        }
    }
}

/// A partition key value, whole or a prefix: its components in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyValue(pub Vec<KeyComponent>);

/// Why a text is no partition key value in the service's notation.
#[derive(Debug, thiserror::Error)]
pub enum NotationError {
    /// The text is no JSON.
    #[error("not JSON")]
    Json(#[from] serde_json::Error),
    /// The text is JSON, but no array.
    #[error("not a JSON array of components")]
    NotAnArray,
    /// A component is an array or a non-empty object.
    #[error("component {0} is neither a scalar nor {{}}, which means undefined")]
    Component(usize),
}

impl KeyValue {
    /// Reads the service's notation: a JSON array of scalars, with `{}` for undefined.
    pub fn parse(text: &str) -> Result<Self, NotationError> {
        let Value::Array(values) = serde_json::from_str(text)? else {
            return Err(NotationError::NotAnArray);
        };
        let component = |(index, value): (usize, &Value)| match value {
            Value::Array(_) => Err(NotationError::Component(index + 1)),
            Value::Object(members) if !members.is_empty() => {
                Err(NotationError::Component(index + 1))
            }
            _ => Ok(KeyComponent::from_json(value)),
        };
        values
            .iter()
            .enumerate()
            .map(component)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, component) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            component.fmt(f)?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> KeyComponent {
        KeyValue::parse(text).expect(text).0.remove(0)
    }

    #[test]
    fn missing_null_and_empty_are_three_values() {
        assert_ne!(only("[{}]"), only("[null]"));
        assert_ne!(only("[null]"), only("[\"\"]"));
        assert_ne!(only("[{}]"), only("[\"\"]"));
    }

    #[test]
    fn spellings_of_a_number_are_one_value_and_text_is_another() {
        assert_eq!(only("[1]"), only("[1.0e0]"));
        assert_ne!(only("[1]"), only("[\"1\"]"));
        assert_eq!(only("[9007199254740993]"), only("[9007199254740992]"));
        assert_ne!(only("[0]"), only("[-0]"));
    }

    #[test]
    fn a_number_is_read_to_its_last_bit() {
        assert_eq!(
            only("[9007199254740991.0]"),
            KeyComponent::Number(9007199254740991.0)
        );
        assert_eq!(
            only("[-1.8015373035770168e+208]"),
            KeyComponent::Number(-1.8015373035770168e208)
        );
    }

    #[test]
    fn arrays_and_objects_of_an_item_are_undefined_but_no_notation() {
        assert_eq!(
            KeyComponent::from_json(&serde_json::json!([1])),
            KeyComponent::Undefined
        );
        assert!(matches!(
            KeyValue::parse("[1,[2]]"),
            Err(NotationError::Component(2))
        ));
        assert!(matches!(
            KeyValue::parse("{}"),
            Err(NotationError::NotAnArray)
        ));
    }

    #[test]
    fn notation_prints_back() {
        let text = r#"["a\"b",{},null,true,1.5]"#;
        assert_eq!(KeyValue::parse(text).expect(text).to_string(), text);
    }
}
