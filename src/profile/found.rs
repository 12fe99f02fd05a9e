//! Items that an operation names by id: what is needed of them is kept as the data go by.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::in_order;
use super::part::PartError;
use super::table::{KEY_BYTES, hash_of};
use crate::model::{Field, Fields, Item, PropertyPath, property};

/// The ids to look for, and the properties to keep.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    ids: FxHashSet<Box<str>>,
    /// The properties to keep, with the numbers of their fields.
    paths: Vec<(PropertyPath, usize)>,
    id: usize,
}

impl Wanted {
    /// Looks for these ids and keeps these properties, and the id, of their items.
    pub fn new(
        ids: impl IntoIterator<Item = impl Into<Box<str>>>,
        paths: Vec<PropertyPath>,
        fields: &mut Fields,
    ) -> Self {
        let numbered = paths.into_iter().map(|path| {
            let number = fields.want(&path);
            (path, number)
        });
        Self {
            ids: ids.into_iter().map(Into::into).collect(),
            paths: numbered.collect(),
            id: fields.want(&PropertyPath::of("id")),
        }
    }

    /// How many ids are looked for, and the sum of their hashes, by which the same are known again.
    fn ids_sum(&self) -> (u64, [u8; KEY_BYTES]) {
        let hashes = self
            .ids
            .iter()
            .map(|id| u128::from_be_bytes(hash_of(id.as_bytes())));
        let sum = hashes.fold(0, u128::wrapping_add);
        (self.id_count(), sum.to_be_bytes())
    }

    /// How many distinct ids are looked for.
    pub fn id_count(&self) -> u64 {
        self.ids.len() as u64
    }
}

/// An item that was looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundItem {
    /// The item, with its id and the wanted properties only.
    pub item: Value,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The items that were looked for, by id. An id is unique within a logical partition only, so there
/// may be several of one.
#[derive(Debug, Clone)]
pub struct FoundItems {
    wanted: Arc<Wanted>,
    items: HashMap<Box<str>, Vec<FoundItem>, FxBuildHasher>,
}

impl FoundItems {
    /// None so far.
    pub fn new(wanted: Arc<Wanted>) -> Self {
        Self {
            wanted,
            items: HashMap::default(),
        }
    }

    /// Keeps what is wanted of an item, if its id is.
    pub fn add(&mut self, item: &Item) {
        if self.wanted.ids.is_empty() {
            return;
        }
        let Some(id) = item.fields[self.wanted.id].text() else {
            return;
        };
        if !self.wanted.ids.contains(id) {
            return;
        }
        let mut kept = Map::new();
        kept.insert("id".to_owned(), id.into());
        for (path, number) in &self.wanted.paths {
            if let Some(value) = kept_value(item.fields[*number]) {
                insert(&mut kept, path, value);
            }
        }
        let found = FoundItem {
            item: Value::Object(kept),
            bytes: item.bytes,
        };
        let items = self.items.entry(id.into()).or_default();
        // In an order that does not depend on when each was seen.
        let key = |one: &FoundItem| (one.item.to_string(), one.bytes);
        let at = items.partition_point(|one| key(one) < key(&found));
        items.insert(at, found);
    }

    /// Adds what was found in another part of the data.
    pub fn merge(&mut self, other: Self) {
        #[expect(
            clippy::iter_over_hash_type,
            reason = "the items of each id are kept in order"
        )]
        for (id, items) in other.items {
            let mine = self.items.entry(id).or_default();
            mine.extend(items);
            mine.sort_by_cached_key(|one| (one.item.to_string(), one.bytes));
        }
    }

    /// What is stored of them.
    pub(super) fn part(&self) -> FoundPart {
        let paths = self.wanted.paths.iter();
        FoundPart {
            ids: self.wanted.ids_sum(),
            paths: paths.map(|(path, _)| path.clone()).collect(),
            items: self.items.clone(),
        }
    }

    /// Adds what was found in a part of the data when the same ids were looked for.
    pub(super) fn add_part(&mut self, part: FoundPart) -> Result<(), PartError> {
        if self.wanted.ids.is_empty() {
            return Ok(());
        }
        if self.wanted.ids_sum() != part.ids {
            return Err(PartError::OtherLog);
        }
        let paths = || self.wanted.paths.iter().map(|(path, _)| path);
        if let Some(path) = paths().find(|path| !part.paths.contains(path)) {
            return Err(PartError::NoProperty(path.clone()));
        }
        let again = |one: FoundItem| {
            let mut kept = Map::new();
            if let Some(id) = one.item.get("id") {
                kept.insert("id".to_owned(), id.clone());
            }
            for path in paths() {
                match property(&one.item, path) {
                    Some(Value::Object(_)) => insert(&mut kept, path, Value::Array(Vec::new())),
                    Some(value) => insert(&mut kept, path, value.clone()),
                    None => {}
                }
            }
            FoundItem {
                item: Value::Object(kept),
                bytes: one.bytes,
            }
        };
        let items = part.items.into_iter();
        let items = items.map(|(id, items)| (id, items.into_iter().map(again).collect()));
        let found = Self {
            wanted: Arc::clone(&self.wanted),
            items: items.collect(),
        };
        self.merge(found);
        Ok(())
    }

    /// The items with an id.
    pub fn of(&self, id: &str) -> &[FoundItem] {
        self.items.get(id).map_or(&[], Vec::as_slice)
    }

    /// How many distinct ids were found.
    pub fn id_count(&self) -> u64 {
        self.items.len() as u64
    }
}

/// What of the items of a part is stored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FoundPart {
    /// How many ids were looked for, and the sum of their hashes.
    ids: (u64, [u8; KEY_BYTES]),
    /// The properties that were kept, beside the id.
    paths: Vec<PropertyPath>,
    #[serde(with = "in_order")]
    items: HashMap<Box<str>, Vec<FoundItem>, FxBuildHasher>,
}

/// A value that stands for a field: of an array or an object only that it is one is kept.
fn kept_value(field: Field) -> Option<Value> {
    Some(match field {
        Field::Missing => return None,
        Field::Null => Value::Null,
        Field::Bool(flag) => flag.into(),
        Field::Number(number) => Number::from_f64(number)?.into(),
        Field::Text(text) => text.into(),
        Field::Compound => Value::Array(Vec::new()),
    })
}

/// Puts a value at a path, making the objects on the way.
fn insert(object: &mut Map<String, Value>, path: &PropertyPath, value: Value) {
    let names: Vec<&str> = path.segments().collect();
    let Some((last, steps)) = names.split_last() else {
        return;
    };
    let mut at = object;
    for step in steps {
        let next = at
            .entry((*step).to_owned())
            .or_insert_with(|| Value::Object(Map::new()));
        if !next.is_object() {
            // A shorter path is wanted too, and said that there is something.
            *next = Value::Object(Map::new());
        }
        let Value::Object(inner) = next else {
            return;
        };
        at = inner;
    }
    at.entry((*last).to_owned()).or_insert(value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wanted_items_keep_the_wanted_properties_whatever_the_order() {
        let path = |text| PropertyPath::parse(text).expect(text);
        let mut fields = Fields::default();
        let wanted = Wanted::new(["1"], vec![path("/a/b"), path("/c")], &mut fields);
        let wanted = Arc::new(wanted);
        let items = [
            json!({"id": "1", "a": {"b": 2, "x": 3}, "c": [1], "d": 4}),
            json!({"id": "1", "c": 0}),
            json!({"id": "2", "c": 1}),
            json!({"c": 1}),
        ];
        let add = |found: &mut FoundItems, item: &Value| {
            let values = fields.of(item);
            found.add(&Item {
                fields: &values,
                bytes: 10,
                whole: None,
            });
        };
        let mut forward = FoundItems::new(Arc::clone(&wanted));
        for item in &items {
            add(&mut forward, item);
        }
        let mut parts = FoundItems::new(Arc::clone(&wanted));
        for item in items.iter().rev() {
            let mut part = FoundItems::new(Arc::clone(&wanted));
            add(&mut part, item);
            parts.merge(part);
        }
        assert_eq!(forward.of("1"), parts.of("1"));
        assert_eq!(
            forward.of("1")[0].item,
            json!({"id": "1", "a": {"b": 2.0}, "c": []})
        );
        assert_eq!((forward.id_count(), forward.of("2").len()), (1, 0));
    }
}
