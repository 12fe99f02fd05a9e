//! An item as far as it is wanted: its size, and what it holds at some paths.

use serde_json::Value;

use super::{KeyComponent, PropertyPath};

/// What an item holds at a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field<'a> {
    /// A step of the path is missing, or leads through no object.
    Missing,
    /// JSON `null`.
    Null,
    /// JSON `true` or `false`.
    Bool(bool),
    /// Any JSON number, as the nearest double.
    Number(f64),
    /// Text, its escapes undone.
    Text(&'a str),
    /// An array or an object.
    Compound,
}

impl<'a> Field<'a> {
    /// The field of an item that holds this value, or nothing, at a path.
    pub fn of(value: Option<&'a Value>) -> Self {
        match value {
            None => Self::Missing,
            Some(Value::Null) => Self::Null,
            Some(Value::Bool(flag)) => Self::Bool(*flag),
            // Integers beyond 2^53 collapse to the nearest double, as in the service.
            Some(Value::Number(number)) => number.as_f64().map_or(Self::Compound, Self::Number),
            Some(Value::String(text)) => Self::Text(text),
            Some(Value::Array(_) | Value::Object(_)) => Self::Compound,
        }
    }

    /// The text, where it is one.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The component of a key that the service sees here.
    pub fn component(self) -> KeyComponent {
        match self {
            Self::Missing | Self::Compound => KeyComponent::Undefined,
            Self::Null => KeyComponent::Null,
            Self::Bool(flag) => KeyComponent::Bool(flag),
            Self::Number(number) => KeyComponent::Number(number),
            Self::Text(text) => KeyComponent::String(text.into()),
        }
    }
}

/// What an item holds at a path; `None` where a step is missing or leads through no object.
pub fn property<'a>(item: &'a Value, path: &PropertyPath) -> Option<&'a Value> {
    path.segments()
        .try_fold(item, |value, name| value.as_object()?.get(name))
}

/// The paths at which items are looked at, each with a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    paths: Vec<PropertyPath>,
    whole: bool,
}

impl Fields {
    /// The number of a path, which is wanted from now on.
    pub fn want(&mut self, path: &PropertyPath) -> usize {
        let known = self.paths.iter().position(|one| one == path);
        known.unwrap_or_else(|| {
            self.paths.push(path.clone());
            self.paths.len() - 1
        })
    }

    /// Wants the whole of items that have no `id` of text.
    pub fn want_whole_without_id(&mut self) {
        self.whole = true;
    }

    /// Whether items without an `id` of text are wanted whole.
    pub fn wants_whole_without_id(&self) -> bool {
        self.whole
    }

    /// What an item holds at the paths, by their numbers.
    pub fn of<'a>(&self, item: &'a Value) -> Vec<Field<'a>> {
        let paths = self.paths.iter();
        paths.map(|path| Field::of(property(item, path))).collect()
    }

    /// The paths, by their numbers.
    pub fn paths(&self) -> &[PropertyPath] {
        &self.paths
    }
}

/// An item as far as it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// What it holds at each of the wanted paths, by their numbers.
    pub fields: &'a [Field<'a>],
    /// UTF-8 bytes of its compact JSON without the system properties.
    pub bytes: u64,
    /// All of it, where it was read whole.
    pub whole: Option<&'a Value>,
}
