//! Whether ids count up: `order-000123` and `order-000124` are one text with two numbers behind it.

use serde::{Deserialize, Serialize};

/// Longest number at the end of an id that is read, in digits.
const DIGITS_MAX: usize = 18;

/// The ids of items as numbers behind one text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Sequence {
    /// There is no id yet.
    #[default]
    Empty,
    /// All have this form.
    Numbers(Numbered),
    /// Some have another one.
    Other,
}

/// Ids that are one text with different numbers behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered {
    /// What stands before the numbers.
    pub prefix: Box<str>,
    /// How many items have such ids.
    pub items: u64,
    /// The smallest number.
    pub first: u64,
    /// The largest number.
    pub last: u64,
}

impl Numbered {
    /// How many numbers there are from the first to the last.
    pub fn numbers(&self) -> u64 {
        self.last - self.first + 1
    }

    /// The share of these numbers that items have, where each has another one.
    pub fn density(&self) -> f64 {
        self.items as f64 / self.numbers() as f64
    }
}

impl Sequence {
    /// Adds an id.
    pub(super) fn add(&mut self, id: &str) {
        if *self == Self::Other {
            return;
        }
        let Some((prefix, number)) = parted(id) else {
            *self = Self::Other;
            return;
        };
        match self {
            Self::Numbers(all) if *all.prefix == *prefix => {
                all.items += 1;
                all.first = all.first.min(number);
                all.last = all.last.max(number);
            }
            Self::Empty => {
                *self = Self::Numbers(Numbered {
                    prefix: prefix.into(),
                    items: 1,
                    first: number,
                    last: number,
                });
            }
            _ => *self = Self::Other,
        }
    }

    /// Adds the ids of another part of the data.
    pub(super) fn merge(&mut self, other: Self) {
        match (&mut *self, other) {
            (_, Self::Empty) => {}
            (Self::Empty, other) => *self = other,
            (Self::Numbers(mine), Self::Numbers(theirs)) if mine.prefix == theirs.prefix => {
                mine.items += theirs.items;
                mine.first = mine.first.min(theirs.first);
                mine.last = mine.last.max(theirs.last);
            }
            _ => *self = Self::Other,
        }
    }
}

/// The text before the number at the end of an id, and the number.
fn parted(id: &str) -> Option<(&str, u64)> {
    let prefix = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &id[prefix.len()..];
    if digits.is_empty() || digits.len() > DIGITS_MAX {
        return None;
    }
    Some((prefix, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ids: &[&str]) -> Sequence {
        let mut all = Sequence::default();
        for id in ids {
            all.add(id);
        }
        all
    }

    #[test]
    fn ids_count_up_where_one_text_stands_before_their_numbers() {
        let numbered = Numbered {
            prefix: "o-".into(),
            items: 3,
            first: 7,
            last: 10,
        };
        assert!((numbered.density() - 0.75).abs() < 1e-12);
        let all = Sequence::Numbers(numbered);
        assert_eq!(of(&["o-0007", "o-10", "o-008"]), all);
        // The same in parts, in any order.
        for (one, other) in [
            (&["o-10"][..], &["o-0007", "o-008"][..]),
            (&[], &["o-008", "o-10", "o-07"]),
        ] {
            let (mut forth, mut back) = (of(one), of(other));
            forth.merge(of(other));
            back.merge(of(one));
            assert_eq!((&forth, &back), (&all, &all));
        }
        for ids in [
            &["a-1", "b-2"][..],
            &["1", "x"],
            &["1234567890123456789"],
            &[""],
        ] {
            assert_eq!(of(ids), Sequence::Other, "{ids:?}");
        }
    }
}
