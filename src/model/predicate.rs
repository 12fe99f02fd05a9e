//! What an operation says about the items it wants, in terms of properties.

use std::ops::Bound;

use super::{KeyComponent, PropertyPath};

/// A condition on the properties of items, free of any candidate key.
///
/// It is an upper bound: an item that the operation wants always meets it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// Any item: no condition, or one that says nothing usable.
    Any,
    /// No item at all: the condition contradicts itself.
    Nothing,
    /// The property holds one of these values.
    In(PropertyPath, Vec<KeyComponent>),
    /// The property holds one of this many values, which are not known: parameters without a value.
    Unknown(PropertyPath, usize),
    /// The property lies between these bounds, in the order of values of their type.
    Range(PropertyPath, Bound<KeyComponent>, Bound<KeyComponent>),
    /// All of these hold.
    And(Vec<Predicate>),
    /// At least one of these holds.
    Or(Vec<Predicate>),
}

impl Predicate {
    /// All of these hold, without what says nothing.
    pub fn all(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for condition in conditions {
            match condition {
                Self::Any => {}
                Self::Nothing => return Self::Nothing,
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::Any,
            1 => kept.remove(0),
            _ => Self::And(kept),
        }
    }

    /// At least one of these holds, without those that cannot.
    pub fn any(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for condition in conditions {
            match condition {
                Self::Any => return Self::Any,
                Self::Nothing => {}
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Self::Nothing,
            1 => kept.remove(0),
            _ => Self::Or(kept),
        }
    }

    /// The properties that it says something about, in order of appearance, with repetitions.
    pub fn properties(&self) -> Vec<&PropertyPath> {
        match self {
            Self::Any | Self::Nothing => Vec::new(),
            Self::In(path, _) | Self::Unknown(path, _) | Self::Range(path, ..) => vec![path],
            Self::And(conditions) | Self::Or(conditions) => {
                conditions.iter().flat_map(Self::properties).collect()
            }
        }
    }
}
