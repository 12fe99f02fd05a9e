//! Items that an operation names by id: what is needed of them is kept as the data go by.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashSet};
use serde_json::{Map, Number, Value};

use crate::model::{Field, Fields, Item, PropertyPath};

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

    /// How many distinct ids are looked for.
    pub fn id_count(&self) -> u64 {
        self.ids.len() as u64
    }
}

/// An item that was looked for.
#[derive(Debug, Clone, PartialEq)]
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

    /// The items with an id.
    pub fn of(&self, id: &str) -> &[FoundItem] {
        self.items.get(id).map_or(&[], Vec::as_slice)
    }

    /// How many distinct ids were found.
    pub fn id_count(&self) -> u64 {
        self.items.len() as u64
    }
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
