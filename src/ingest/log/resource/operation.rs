//! The rows of one activity, or of all activities of one operation.

use crate::ingest::log::builder::LogBuilder;
use crate::ingest::log::containers::UNNAMED;
use crate::ingest::log::interner::Interner;
use crate::ingest::log::outcome::failure;
use crate::ingest::problem::{Reason, RowProblem};
use crate::model::units::MICRO;
use crate::model::{Access, Condition, Event, KeyValue, OperationKind, OptionsKey};

/// Nothing is known of a field that holds the number of something.
pub(super) const NONE: u32 = u32::MAX;

/// Several values are known, and none of them holds for all.
pub(super) const SEVERAL: u32 = u32::MAX - 1;

/// Marks the number of a physical partition, as opposed to a partition key range.
pub(super) const PHYSICAL: u32 = 1 << 31;

/// The rows of one activity.
#[derive(Debug, Default)]
pub(super) struct Activity {
    pub(super) correlated: Option<u128>,
    pub(super) file: u32,
    pub(super) line: u64,
    pub(super) container: u32,
    pub(super) kind: Option<OperationKind>,
    pub(super) time: Option<i64>,
    /// Numbers of the id, the key value and the text.
    pub(super) id: u32,
    pub(super) key: u32,
    pub(super) text: u32,
    pub(super) charge: Option<u64>,
    pub(super) key_charge: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) refused: u32,
    pub(super) refused_charge: u64,
    pub(super) failed: Option<(u16, Option<u32>)>,
    pub(super) full: u32,
    /// Whether an identifier ties it to other rows.
    pub(super) is_named: bool,
    /// Rows of requests, and how many of them did work.
    pub(super) requests: u32,
    pub(super) done: u32,
    pub(super) masked: bool,
    /// Numbers of the partition key ranges and physical partitions.
    pub(super) places: Vec<u32>,
}

/// What a query asks for, and the name of its shape.
pub(super) type Text = (String, Condition);

/// What the numbers in activities stand for.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) ids: Interner<Box<str>>,
    pub(super) keys: Interner<KeyValue>,
    pub(super) texts: Interner<Text>,
}

impl Activity {
    /// Adds the rows of another activity of the same operation.
    pub(super) fn merge(&mut self, other: Self) {
        self.time = earlier(self.time, other.time);
        self.key = agreed(self.key, other.key);
        if self.container == UNNAMED {
            self.container = other.container;
        }
        if self.text == NONE {
            self.text = other.text;
        }
        if self.id == NONE {
            self.id = other.id;
        }
        self.kind = self.kind.or(other.kind);
        sum(&mut self.charge, other.charge);
        sum(&mut self.key_charge, other.key_charge);
        sum(&mut self.bytes, other.bytes);
        self.refused += other.refused;
        self.refused_charge = self.refused_charge.saturating_add(other.refused_charge);
        self.failed = self.failed.or(other.failed);
        self.full += other.full;
        self.is_named |= other.is_named;
        self.requests += other.requests;
        self.done += other.done;
        self.masked |= other.masked;
        for place in other.places {
            if !self.places.contains(&place) {
                self.places.push(place);
            }
        }
    }

    /// How many physical partitions it visited, as far as its rows tell.
    fn ranges(&self) -> Option<u32> {
        let physical = self.places.iter().filter(|place| **place & PHYSICAL != 0);
        let physical = physical.count();
        let visited = physical.max(self.places.len() - physical);
        (visited > 0).then_some(visited as u32)
    }

    fn kind(&self) -> OperationKind {
        // A charge whose operation is not told can be that of anything: a query of unknown text says
        // no more than its key.
        self.kind.unwrap_or(OperationKind::Query)
    }

    fn access(&self, tables: &Tables, builder: &mut LogBuilder) -> Access {
        let kind = self.kind();
        let id = (self.id != NONE).then(|| tables.ids.get(self.id).clone());
        // A key that an application passed is known only of what stayed on one range with one key.
        let one_place = self.ranges().is_none_or(|ranges| ranges == 1);
        let key = if self.key < SEVERAL && one_place {
            OptionsKey::Components(tables.keys.get(self.key).0.clone())
        } else {
            OptionsKey::None
        };
        let (condition, shape) = if self.text == NONE {
            let unknown = kind == OperationKind::Query;
            let condition = if unknown {
                Condition::Unknown
            } else {
                Condition::default()
            };
            (condition, builder.plain_shape(kind, id.is_some(), unknown))
        } else {
            let (name, condition) = tables.texts.get(self.text);
            (condition.clone(), builder.shape(kind, name))
        };
        Access {
            kind,
            shape,
            condition,
            id,
            key,
            item: None,
            members: Vec::new(),
        }
    }

    /// Hands over what is workload of it, and names the rest.
    pub(super) fn hand_over(&self, tables: &Tables, builder: &mut LogBuilder) {
        let file = self.file as usize;
        if self.full > 0 {
            builder.find_full(file, self.line, u64::from(self.full) * MICRO);
        }
        if let Some((status, sub)) = self.failed {
            let detail = failure(Some(status), sub);
            builder.problem_of(file, RowProblem::new(self.line, Reason::Failed, detail));
        }
        // A row of another category stands for a request whose own row is not in the log.
        let done = self.done > 0 || self.requests == 0;
        if self.refused > 0 {
            builder.refuse(u64::from(self.refused) * MICRO, self.refused_charge);
            // However often it was tried, it is one operation that was wanted.
            if !done && self.is_named {
                builder.leave_unmet(MICRO);
            } else if !done {
                let access = self.access(tables, builder);
                builder.leave_open(&access, MICRO);
            }
        }
        if !done {
            return;
        }
        if self.masked {
            builder.find_masked(file, self.line);
        }
        let access = self.access(tables, builder);
        let event = Event {
            time: self.time,
            access: 0,
            weight: MICRO,
            charge: self.charge.or(self.key_charge),
            ranges: self.ranges(),
            bytes: self.bytes,
            rate: None,
            transaction: None,
        };
        builder.push(file, self.line, access, event);
    }
}

/// Adds to a total what is known.
pub(super) fn sum(total: &mut Option<u64>, part: Option<u64>) {
    if let Some(part) = part {
        *total = Some(total.unwrap_or_default().saturating_add(part));
    }
}

/// The earlier of two moments, as far as they are known.
pub(super) fn earlier(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The value that all rows agree on.
pub(super) fn agreed(one: u32, other: u32) -> u32 {
    match (one, other) {
        (NONE, value) | (value, NONE) => value,
        (one, other) if one == other => one,
        _ => SEVERAL,
    }
}
