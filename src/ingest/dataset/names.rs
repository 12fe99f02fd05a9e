//! The names of the properties that the items have, so that a misspelt one finds its like.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::PropertyPath;

/// Levels of nesting that are known.
pub(super) const DEPTH_MAX: usize = 3;

/// Names that are kept of each object, the first in the order of text. Objects with more are rather
/// maps, whose names are values.
const NAMES_MAX: usize = 256;

/// What becomes of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    /// It is kept already.
    Known,
    /// It would be kept.
    New,
    /// There are enough before it.
    No,
}

/// The names of properties, and of those inside them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PropertyNames {
    inside: BTreeMap<Box<str>, Self>,
}

impl PropertyNames {
    /// Adds the names of an item.
    pub fn add(&mut self, item: &Value) {
        self.add_level(item, DEPTH_MAX);
    }

    fn add_level(&mut self, value: &Value, depth: usize) {
        let (Value::Object(members), Some(depth)) = (value, depth.checked_sub(1)) else {
            return;
        };
        for (name, value) in members {
            if let Some(known) = self.inside.get_mut(name.as_str()) {
                known.add_level(value, depth);
            } else {
                let mut new = Self::default();
                new.add_level(value, depth);
                self.insert(name.as_str().into(), new);
            }
        }
    }

    /// Adds a name in the object at a place, without those inside it.
    pub(super) fn add_at(&mut self, path: &[Box<str>], name: &str) {
        let Some((outer, rest)) = path.split_first() else {
            if !self.inside.contains_key(name) {
                self.insert(name.into(), Self::default());
            }
            return;
        };
        if !self.inside.contains_key(outer) {
            self.insert(outer.clone(), Self::default());
        }
        if let Some(inside) = self.inside.get_mut(outer) {
            inside.add_at(rest, name);
        }
    }

    /// What becomes of a name in the object at a place.
    pub(super) fn keeping(&self, path: &[Box<str>], name: &str) -> Keeping {
        let Some((outer, rest)) = path.split_first() else {
            return self.keeping_here(name);
        };
        match self.inside.get(outer) {
            Some(object) => object.keeping(rest, name),
            None => self.keeping_here(outer),
        }
    }

    fn keeping_here(&self, name: &str) -> Keeping {
        if self.inside.contains_key(name) {
            return Keeping::Known;
        }
        let last = self.inside.last_key_value();
        if self.inside.len() < NAMES_MAX || last.is_some_and(|(last, _)| name < &**last) {
            Keeping::New
        } else {
            Keeping::No
        }
    }

    /// Keeps the first names whatever the order in which they come.
    fn insert(&mut self, name: Box<str>, names: Self) {
        let is_full = self.inside.len() >= NAMES_MAX;
        if is_full
            && self
                .inside
                .last_key_value()
                .is_some_and(|(last, _)| *last < name)
        {
            return;
        }
        self.inside.insert(name, names);
        if is_full {
            self.inside.pop_last();
        }
    }

    /// Adds the names of another part of the data.
    pub fn merge(&mut self, other: Self) {
        for (name, theirs) in other.inside {
            match self.inside.get_mut(&name) {
                Some(mine) => mine.merge(theirs),
                None => self.insert(name, theirs),
            }
        }
    }

    /// Whether some item has a property whose name starts like this.
    pub fn any_starts_with(&self, start: &str) -> bool {
        self.inside.keys().any(|name| name.starts_with(start))
    }

    /// A path that some item has and that `path` may mean: the same but for case and for `_` and `-`,
    /// or one that ends with the same name.
    pub fn like(&self, path: &PropertyPath) -> Option<PropertyPath> {
        let wanted: Vec<String> = path.segments().map(evened).collect();
        let mut found = self.paths();
        found.sort_by_key(Vec::len);
        let evened_path =
            |names: &[&str]| names.iter().map(|name| evened(name)).collect::<Vec<_>>();
        let same = found.iter().find(|names| evened_path(names) == wanted);
        let ends = || {
            let last = |names: &&Vec<&str>| names.last().map(|name| evened(name));
            found
                .iter()
                .find(|names| last(names).as_ref() == wanted.last())
        };
        PropertyPath::from_names(same.or_else(ends)?.iter().copied())
    }

    fn paths(&self) -> Vec<Vec<&str>> {
        let mut all = Vec::new();
        for (name, inside) in &self.inside {
            let name: &str = name;
            let below = inside.paths();
            all.push(vec![name]);
            all.extend(below.into_iter().map(|rest| [vec![name], rest].concat()));
        }
        all
    }
}

fn evened(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(items: &[Value]) -> PropertyNames {
        let mut names = PropertyNames::default();
        for item in items {
            names.add(item);
        }
        names
    }

    #[test]
    fn a_path_finds_its_like() {
        let names = names(&[json!({"tenantId": 1, "meta": {"pk": 2, "deep": {"x": 1}}})]);
        for (wanted, like) in [
            ("TenantID", Some("/tenantId")),
            ("tenant_id", Some("/tenantId")),
            ("pk", Some("/meta/pk")),
            ("other", None),
        ] {
            let found = names.like(&PropertyPath::of(wanted));
            assert_eq!(found.map(|path| path.to_string()).as_deref(), like);
        }
        assert!(names.any_starts_with("te") && !names.any_starts_with("_"));
    }

    #[test]
    fn of_many_names_the_same_are_kept_whatever_the_order() {
        let items: Vec<Value> = (0..1000)
            .map(|n| json!({format!("p{n:03}"): {"a": 1}}))
            .collect();
        let forward = names(&items);
        let mut parts = names(&items[500..]);
        parts.merge(names(&items[..500]));
        assert_eq!(forward.paths(), parts.paths());
        assert_eq!(forward.inside.len(), NAMES_MAX);
    }
}
