//! Distinct values, each held once and known by a number.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

/// Numbers for values, in the order in which they are first seen.
///
/// The table holds hashes only, so that a value is held once, in the list.
#[derive(Debug)]
pub(super) struct Interner<T> {
    values: Vec<T>,
    numbers: HashMap<u64, u32, FxBuildHasher>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            numbers: HashMap::default(),
        }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// The number of a value.
    pub(super) fn intern(&mut self, value: T) -> u32 {
        let mut hash = FxBuildHasher.hash_one(&value);
        loop {
            match self.place(hash, &value) {
                Place::Found(number) => return number,
                Place::Free => return self.insert(hash, value),
                // Another value with the same hash: the next place is tried.
                Place::Taken => hash = hash.wrapping_add(1),
            }
        }
    }

    /// The number of a value that is made only when it is new.
    pub(super) fn intern_as<Q>(&mut self, key: &Q) -> u32
    where
        T: Borrow<Q> + for<'a> From<&'a Q>,
        Q: Hash + Eq + ?Sized,
    {
        let mut hash = FxBuildHasher.hash_one(key);
        loop {
            match self.place(hash, key) {
                Place::Found(number) => return number,
                Place::Free => return self.insert(hash, key.into()),
                Place::Taken => hash = hash.wrapping_add(1),
            }
        }
    }

    fn place<Q>(&mut self, hash: u64, key: &Q) -> Place
    where
        T: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        match self.numbers.entry(hash) {
            Entry::Vacant(_) => Place::Free,
            Entry::Occupied(found) if self.values[*found.get() as usize].borrow() == key => {
                Place::Found(*found.get())
            }
            Entry::Occupied(_) => Place::Taken,
        }
    }

    fn insert(&mut self, hash: u64, value: T) -> u32 {
        let number = self.values.len() as u32;
        self.numbers.insert(hash, number);
        self.values.push(value);
        number
    }

    /// The value of a number that this table gave.
    pub(super) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    /// The values in the order of their numbers.
    pub(super) fn into_values(self) -> Vec<T> {
        self.values
    }
}

enum Place {
    Found(u32),
    Free,
    Taken,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::Hasher;

    /// A value whose hash is always the same.
    #[derive(PartialEq, Eq, Debug)]
    struct Same(u32);

    impl Hash for Same {
        fn hash<H: Hasher>(&self, state: &mut H) {
            0.hash(state);
        }
    }

    #[test]
    fn equal_values_share_a_number_whatever_their_hash() {
        let mut table = Interner::default();
        assert_eq!(
            [1, 2, 1, 3, 2].map(|n| table.intern(Same(n))),
            [0, 1, 0, 2, 1]
        );
        assert_eq!(table.get(2), &Same(3));
        let mut names: Interner<Box<str>> = Interner::default();
        assert_eq!(["a", "b", "a"].map(|name| names.intern_as(name)), [0, 1, 0]);
        assert_eq!(names.intern("b".into()), 1);
        assert_eq!(names.into_values(), ["a".into(), "b".into()]);
    }
}
