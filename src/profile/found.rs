//! Items that an operation names by id: what is needed of them is kept as the data go by.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashSet};
use serde_json::{Map, Value};

use crate::keys::property;
use crate::model::PropertyPath;

/// The ids to look for, and the properties to keep.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    ids: FxHashSet<Box<str>>,
    paths: Vec<PropertyPath>,
}

impl Wanted {
    /// Looks for these ids and keeps these properties, and the id, of their items.
    pub fn new<'a>(ids: impl IntoIterator<Item = &'a str>, paths: Vec<PropertyPath>) -> Self {
        Self {
            ids: ids.into_iter().map(Into::into).collect(),
            paths,
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
    pub fn add(&mut self, item: &Value, bytes: u64) {
        let Some(id) = item.get("id").and_then(Value::as_str) else {
            return;
        };
        if !self.wanted.ids.contains(id) {
            return;
        }
        let mut kept = Map::new();
        kept.insert("id".to_owned(), id.into());
        for path in &self.wanted.paths {
            if let Some(value) = property(item, path) {
                insert(&mut kept, path, value);
            }
        }
        let found = FoundItem {
            item: Value::Object(kept),
            bytes,
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

/// Puts a value at a path, making the objects on the way.
fn insert(object: &mut Map<String, Value>, path: &PropertyPath, value: &Value) {
    let names: Vec<&str> = path.segments().collect();
    let Some((last, steps)) = names.split_last() else {
        return;
    };
    let mut at = object;
    for step in steps {
        let next = at
            .entry((*step).to_owned())
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(inner) = next else {
            return;
        };
        at = inner;
    }
    at.insert((*last).to_owned(), value.clone());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wanted_items_keep_the_wanted_properties_whatever_the_order() {
        let path = |text| PropertyPath::parse(text).expect(text);
        let wanted = Arc::new(Wanted::new(["1"], vec![path("/a/b"), path("/c")]));
        let items = [
            json!({"id": "1", "a": {"b": 2, "x": 3}, "c": [1], "d": 4}),
            json!({"id": "1", "c": 0}),
            json!({"id": "2", "c": 1}),
            json!({"c": 1}),
        ];
        let mut forward = FoundItems::new(Arc::clone(&wanted));
        for item in &items {
            forward.add(item, 10);
        }
        let mut parts = FoundItems::new(Arc::clone(&wanted));
        for item in items.iter().rev() {
            let mut part = FoundItems::new(Arc::clone(&wanted));
            part.add(item, 10);
            parts.merge(part);
        }
        assert_eq!(forward.of("1"), parts.of("1"));
        assert_eq!(
            forward.of("1")[0].item,
            json!({"id": "1", "a": {"b": 2}, "c": [1]})
        );
        assert_eq!((forward.id_count(), forward.of("2").len()), (1, 0));
    }
}
