//! The rows of a log in little room: what many have in common once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rustc_hash::FxHasher;

use super::Event;

/// Stands for no time: no log is as old.
const NO_TIME: i64 = i64::MIN;

/// Rows, each known by the number of its place.
#[derive(Debug, Clone, Default)]
pub struct Events {
    times: Vec<i64>,
    accesses: Vec<u32>,
    /// What else a row says, by its number in `kinds`.
    kind_of: Vec<u32>,
    kinds: Vec<Event>,
    numbers: HashMap<Event, u32, BuildHasherDefault<FxHasher>>,
}

impl Events {
    /// Adds a row; its number.
    pub fn push(&mut self, event: Event) -> u32 {
        self.times.push(event.time.unwrap_or(NO_TIME));
        self.accesses.push(event.access);
        let kind = self.kind(event);
        self.kind_of.push(kind);
        self.times.len() as u32 - 1
    }

    /// Puts another row in place of one.
    pub fn set(&mut self, number: u32, event: Event) {
        let place = number as usize;
        self.times[place] = event.time.unwrap_or(NO_TIME);
        self.accesses[place] = event.access;
        self.kind_of[place] = self.kind(event);
    }

    /// The number of what a row says besides its time and its access.
    fn kind(&mut self, event: Event) -> u32 {
        let kind = Event {
            time: None,
            access: 0,
            ..event
        };
        let next = self.kinds.len() as u32;
        let number = *self.numbers.entry(kind).or_insert(next);
        if number == next {
            self.kinds.push(kind);
        }
        number
    }

    /// Gives back what only more rows would need.
    pub fn shrink(&mut self) {
        self.numbers = HashMap::default();
        self.times.shrink_to_fit();
        self.accesses.shrink_to_fit();
        self.kind_of.shrink_to_fit();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The row of a number.
    pub fn get(&self, number: u32) -> Event {
        Event {
            time: self.time(number),
            access: self.access(number),
            ..self.kinds[self.kind_number(number)]
        }
    }

    /// The access of a row.
    pub fn access(&self, number: u32) -> u32 {
        self.accesses[number as usize]
    }

    /// When a row started, in microseconds since 1970.
    pub fn time(&self, number: u32) -> Option<i64> {
        let time = self.times[number as usize];
        (time != NO_TIME).then_some(time)
    }

    /// The number, among [`Self::kinds`], of what a row says besides its time and its access.
    pub fn kind_number(&self, number: u32) -> usize {
        self.kind_of[number as usize] as usize
    }

    /// What rows say besides their times and accesses, each once.
    pub fn kinds(&self) -> &[Event] {
        &self.kinds
    }

    /// All rows.
    pub fn iter(&self) -> impl Iterator<Item = Event> {
        (0..self.len() as u32).map(|number| self.get(number))
    }
}

impl PartialEq for Events {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Events {}

impl FromIterator<Event> for Events {
    fn from_iter<T: IntoIterator<Item = Event>>(rows: T) -> Self {
        let mut events = Self::default();
        for row in rows {
            events.push(row);
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::units::MICRO;

    #[test]
    fn rows_read_back_as_they_were_or_as_they_were_set() {
        let row = |time, charge| Event {
            time,
            access: 7,
            weight: MICRO,
            charge,
            ranges: None,
            bytes: Some(5),
            rate: None,
            transaction: None,
        };
        let rows = [
            row(None, Some(1)),
            row(Some(-4), Some(1)),
            row(Some(9), None),
        ];
        let mut events: Events = rows.into_iter().collect();
        assert_eq!(events.iter().collect::<Vec<_>>(), rows);
        assert_eq!(events.kinds().len(), 2);
        events.shrink();
        events.set(1, row(Some(3), Some(2)));
        assert_eq!(events.get(1), row(Some(3), Some(2)));
        assert_eq!(events.get(2), rows[2]);
    }
}
