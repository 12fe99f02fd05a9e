//! The accesses of a log, each distinct one once.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::interner::Interner;
use crate::model::{Access, Accesses, Texts, each_text};

/// Gathers accesses.
#[derive(Default)]
pub(super) struct Distinct {
    forms: Interner<Access>,
    texts: TextNumbers,
    rows: Rows,
    /// The texts of the access at hand, kept to save allocations.
    numbers: Vec<u32>,
}

/// Numbers for texts.
#[derive(Default)]
struct TextNumbers {
    texts: Texts,
    /// Numbers, found by the hash of their text.
    table: HashTable<u32>,
}

/// The rows of [`Accesses`] with a table to find them.
#[derive(Default)]
struct Rows {
    accesses: Accesses,
    table: HashTable<u32>,
}

impl Distinct {
    /// The number of an access.
    pub(super) fn intern(&mut self, mut access: Access) -> u32 {
        self.numbers.clear();
        let (texts, numbers) = (&mut self.texts, &mut self.numbers);
        each_text(&mut access, &mut |text| {
            numbers.push(texts.number(text));
            *text = Box::default();
        });
        let form = self.forms.intern(access);
        self.rows.number(form, &self.numbers)
    }

    /// The accesses in the order of their numbers.
    pub(super) fn finish(self) -> Accesses {
        let mut accesses = self.rows.accesses;
        accesses.complete(self.forms.into_values(), self.texts.texts);
        accesses
    }
}

impl TextNumbers {
    fn number(&mut self, text: &str) -> u32 {
        let Self { texts, table } = self;
        let hash = |text: &str| FxBuildHasher.hash_one(text);
        let found = table.find(hash(text), |number| texts.get(*number) == text);
        if let Some(number) = found {
            return *number;
        }
        let number = texts.push(text);
        table.insert_unique(hash(text), number, |number| hash(texts.get(*number)));
        number
    }
}

impl Rows {
    fn number(&mut self, form: u32, texts: &[u32]) -> u32 {
        let Self { accesses, table } = self;
        let hash = |form: u32, texts: &[u32]| FxBuildHasher.hash_one((form, texts));
        let is_same = |number: &u32| {
            accesses.form_number(*number) == form && accesses.texts_of(*number) == texts
        };
        if let Some(number) = table.find(hash(form, texts), is_same) {
            return *number;
        }
        let number = accesses.push_row(form, texts);
        table.insert_unique(hash(form, texts), number, |number| {
            hash(accesses.form_number(*number), accesses.texts_of(*number))
        });
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Condition, KeyComponent, OperationKind, OptionsKey};

    #[test]
    fn equal_accesses_share_a_number() {
        let access = |id: &str, key: &str, shape| Access {
            kind: OperationKind::Read,
            shape,
            condition: Condition::default(),
            id: Some(id.into()),
            key: OptionsKey::Components(vec![KeyComponent::String(key.into())]),
            item: None,
            members: Vec::new(),
        };
        let given = [
            access("a", "b", 0),
            access("b", "a", 0),
            access("a", "b", 0),
            access("a", "b", 1),
        ];
        let mut distinct = Distinct::default();
        let numbers = given.clone().map(|access| distinct.intern(access));
        assert_eq!(numbers, [0, 1, 0, 2]);
        let accesses = distinct.finish();
        assert_eq!(accesses.forms().len(), 2);
        for (number, access) in numbers.into_iter().zip(given) {
            assert_eq!(accesses.get(number), access);
        }
    }
}
