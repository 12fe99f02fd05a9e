//! The log joined with the data: items by id, and the properties that options name.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rustc_hash::FxBuildHasher;
use serde_json::Value;

use crate::keys::meets;
use crate::model::{KeyComponent, Log, OptionsKey, Predicate, PropertyPath};
use crate::profile::FoundItems;

/// The items that a log names by id: those of the dataset, and those that the log creates itself.
pub struct Joins<'a> {
    found: &'a FoundItems,
    created: HashMap<&'a str, Vec<&'a Value>, FxBuildHasher>,
    current_key: Option<&'a [PropertyPath]>,
    /// For each access of the log whether no item with its id is known.
    finds_none: Vec<bool>,
}

/// The distinct ids that a log names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinCounts {
    /// All.
    pub named: u64,
    /// Those of items in the dataset.
    pub in_dataset: u64,
    /// Of the others, those that the log itself creates.
    pub created_in_log: u64,
}

impl<'a> Joins<'a> {
    /// The items of the dataset that were found, and the bodies in the log.
    pub fn new(
        found: &'a FoundItems,
        log: &'a Log,
        current_key: Option<&'a [PropertyPath]>,
    ) -> Self {
        let mut created: HashMap<&str, Vec<&Value>, FxBuildHasher> = HashMap::default();
        let numbers = 0..log.accesses.len() as u32;
        let bodies = numbers.flat_map(|number| {
            let access = log.accesses.form(number);
            let members = access.members.iter().map(|one| (one.kind, &one.item));
            std::iter::once((access.kind, &access.item)).chain(members)
        });
        for (kind, item) in bodies {
            if let (true, Some(item)) = (kind.holds_item(), item)
                && let Some(id) = item.get("id").and_then(Value::as_str)
            {
                created.entry(id).or_default().push(item);
            }
        }
        let is_known = |id: &str| !found.of(id).is_empty() || created.contains_key(id);
        let finds_none = (0..log.accesses.len() as u32)
            .map(|number| !log.accesses.id(number).is_some_and(is_known))
            .collect();
        Self {
            found,
            created,
            current_key,
            finds_none,
        }
    }

    /// The items with an id that meet a condition, or all with the id where none does.
    pub(super) fn of(&self, id: &str, condition: &Predicate) -> Vec<&'a Value> {
        let mut items: Vec<&Value> = self.found.of(id).iter().map(|one| &one.item).collect();
        if items.is_empty() {
            items = self.created.get(id).cloned().unwrap_or_default();
        }
        let fitting: Vec<&Value> = items
            .iter()
            .copied()
            .filter(|item| meets(condition, item))
            .collect();
        if fitting.is_empty() { items } else { fitting }
    }

    /// Whether no item with the id of an access is known, or it names none.
    pub(super) fn finds_none(&self, access: u32) -> bool {
        self.finds_none[access as usize]
    }

    /// The items of the dataset with an id.
    pub(super) fn in_dataset(&self, id: &str) -> impl Iterator<Item = &'a Value> {
        self.found.of(id).iter().map(|one| &one.item)
    }

    /// The size of the item with an id, in bytes, where it is in the dataset.
    pub(super) fn bytes_of(&self, id: &str) -> Option<u64> {
        self.found.of(id).first().map(|one| one.bytes)
    }

    /// How many distinct ids a log names, and where their items are.
    pub fn counts(&self, log: &Log) -> JoinCounts {
        let ids: HashSet<Cow<str>, FxBuildHasher> = log.ids().collect();
        let in_dataset = ids
            .iter()
            .filter(|id| !self.found.of(id).is_empty())
            .count();
        let created = ids
            .iter()
            .filter(|id| self.found.of(id).is_empty() && self.created.contains_key(&***id));
        JoinCounts {
            named: ids.len() as u64,
            in_dataset: in_dataset as u64,
            created_in_log: created.count() as u64,
        }
    }

    /// The properties that a key in the options fixes, each to one value.
    pub fn fixed_by(&self, key: &OptionsKey) -> Vec<Predicate> {
        let fix = |path: &PropertyPath, value: &KeyComponent| {
            Predicate::In(path.clone(), vec![value.clone()])
        };
        match key {
            OptionsKey::None => Vec::new(),
            OptionsKey::Properties(values) => values
                .iter()
                .map(|(path, value)| fix(path, value))
                .collect(),
            // Components say nothing where today's key is not known.
            OptionsKey::Components(values) => {
                let paths = self.current_key.unwrap_or_default();
                paths
                    .iter()
                    .zip(values)
                    .map(|(path, value)| fix(path, value))
                    .collect()
            }
        }
    }
}
