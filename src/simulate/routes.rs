//! Where the accesses of a log go under a candidate: each distinct way once, each key value once.

use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::route::Route;
use crate::model::encoded;
use crate::model::{Field, KeyComponent, KeyValue};

/// Stands for no value.
const NONE: u32 = u32::MAX;

/// Where one access goes, by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) way: u32,
    key: u32,
    prefix: u32,
}

/// The routes of all accesses of a log, in the order of the accesses.
#[derive(Default)]
pub(super) struct Routes {
    /// The distinct routes, their key values taken out.
    pub(super) ways: Vec<Route>,
    way_numbers: HashMap<Route, u32, FxBuildHasher>,
    way_of: Vec<u32>,
    /// The key values that all of the base charge of an access goes to.
    pub(super) keys: Values,
    /// The same for the first level of a hierarchy.
    pub(super) prefixes: Values,
}

/// Key values by access, each distinct one once.
#[derive(Default)]
pub(super) struct Values {
    /// The distinct values as bytes, one behind the other.
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    /// Numbers, found by the hash of their value.
    table: HashTable<u32>,
    number_of: Vec<u32>,
    /// The value at hand.
    buffer: Vec<u8>,
}

impl Routes {
    /// Adds the place of the next access.
    pub(super) fn push(&mut self, placed: Placed) {
        self.way_of.push(placed.way);
        self.keys.number_of.push(placed.key);
        self.prefixes.number_of.push(placed.prefix);
    }

    /// Gives back what only more accesses would need.
    pub(super) fn complete(&mut self) {
        self.keys.table = HashTable::new();
        self.prefixes.table = HashTable::new();
    }

    /// The place that a route is.
    pub(super) fn place(&mut self, mut route: Route) -> Placed {
        let fields = |value: KeyValue| value.0;
        let key = route.key.take().map(fields);
        let prefix = route.prefix.take().map(fields);
        let number = |values: &mut Values, value: Option<Vec<KeyComponent>>| {
            value.map_or(NONE, |value| {
                values.number(value.iter().map(KeyComponent::field))
            })
        };
        Placed {
            key: number(&mut self.keys, key),
            prefix: number(&mut self.prefixes, prefix),
            way: self.way_of_route(route),
        }
    }

    /// The place of a way that goes to one key value.
    pub(super) fn place_key(&mut self, way: u32, levels: &[Field], has_prefix: bool) -> Placed {
        Placed {
            way,
            key: self.keys.number(levels.iter().copied()),
            prefix: if has_prefix {
                self.prefixes.number(levels[..1].iter().copied())
            } else {
                NONE
            },
        }
    }

    /// The number of a route without key values.
    pub(super) fn way_of_route(&mut self, mut route: Route) -> u32 {
        for step in &mut route.steps {
            // The share of one partition is the whole, in whatever it was counted.
            if let [(_, share)] = &mut step.shares[..] {
                *share = 1;
            }
        }
        if let Some(number) = self.way_numbers.get(&route) {
            return *number;
        }
        let number = self.ways.len() as u32;
        self.ways.push(route.clone());
        self.way_numbers.insert(route, number);
        number
    }

    /// The number of the way of an access.
    pub(super) fn way_number(&self, access: u32) -> usize {
        self.way_of[access as usize] as usize
    }

    /// The way of an access.
    pub(super) fn way(&self, access: u32) -> &Route {
        &self.ways[self.way_number(access)]
    }
}

impl Values {
    fn number<'a>(&mut self, components: impl ExactSizeIterator<Item = Field<'a>>) -> u32 {
        let Self {
            bytes,
            ends,
            table,
            buffer,
            number_of: _,
        } = self;
        buffer.clear();
        encoded::append(components, buffer);
        let hash = FxBuildHasher.hash_one(&*buffer);
        let found = table.find(hash, |number| {
            slice(bytes, ends, *number as usize) == buffer
        });
        if let Some(number) = found {
            return *number;
        }
        let number = ends.len() as u32;
        bytes.extend_from_slice(buffer);
        ends.push(bytes.len());
        table.insert_unique(hash, number, |number| {
            FxBuildHasher.hash_one(slice(bytes, ends, *number as usize))
        });
        number
    }

    /// The number of the value of an access.
    pub(super) fn of(&self, access: u32) -> Option<usize> {
        let number = self.number_of[access as usize];
        (number != NONE).then_some(number as usize)
    }

    /// How many distinct values there are.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The value of a number.
    pub(super) fn get(&self, number: usize) -> KeyValue {
        encoded::value(&mut slice(&self.bytes, &self.ends, number))
            .expect("these bytes were made of a value")
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], number: usize) -> &'a [u8] {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &bytes[start..ends[number]]
}
