//! What an operation says about the items it wants, in terms of properties.

use super::{KeyComponent, PropertyPath};

/// A condition on the properties of items, free of any candidate key.
///
/// It is an upper bound: an item that the operation wants always meets it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Predicate {
    /// Any item: no condition, or one that says nothing usable.
    Any,
    /// No item at all: the condition contradicts itself.
    Nothing,
    /// The property holds one of these values.
    In(PropertyPath, Vec<KeyComponent>),
    /// All of these hold.
    And(Vec<Predicate>),
    /// At least one of these holds.
    Or(Vec<Predicate>),
}
