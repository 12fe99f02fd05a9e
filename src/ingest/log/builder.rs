//! From the rows of a log to its compact form.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxBuildHasher;

use super::{LogSink, LoggedOperation};
use crate::ingest::problem::{Problems, Reason, RowProblem};
use crate::model::{Access, Condition, Event, Log, OperationKind, Shape};
use crate::query::{self, Parameters, Query};

/// The status of a refused request.
const TOO_MANY_REQUESTS: u16 = 429;

/// Gathers rows: equal accesses and shapes once, statements parsed once.
#[derive(Default)]
pub(super) struct LogBuilder {
    log: Log,
    problems: Problems,
    /// Index of the file that is being read.
    pub(super) file: usize,
    rows: u64,
    shapes: HashMap<Shape, u32, FxBuildHasher>,
    accesses: HashMap<Access, u32, FxBuildHasher>,
    statements: HashMap<String, Statement, FxBuildHasher>,
    correlated: HashMap<String, usize, FxBuildHasher>,
    fields_named: Vec<String>,
}

/// A statement, parsed and checked once however often it runs.
struct Statement {
    /// The query; what is to be said of each row where it is none.
    query: Result<Query, Condition>,
    /// Its shape; of a text that is no query the text.
    shape: String,
}

impl Statement {
    fn new(text: &str, parameters: &Parameters) -> Self {
        let as_it_stands = || text.split_whitespace().collect::<Vec<_>>().join(" ");
        let query = match query::parse(text) {
            Ok(query) => query,
            Err(error) => {
                return Self {
                    query: Err(Condition::Invalid(error.to_string())),
                    shape: as_it_stands(),
                };
            }
        };
        let shape = query::shape(&query);
        let query = if query::is_obfuscated(text) {
            Err(Condition::Unknown)
        } else {
            match query::validate(&query, parameters) {
                Ok(()) => Ok(query),
                Err(error) => Err(Condition::Invalid(error.to_string())),
            }
        };
        Self { query, shape }
    }
}

impl LogBuilder {
    /// The log, what was not used, and the number of rows that were.
    pub(super) fn finish(mut self) -> (Log, Problems, u64) {
        let mut accesses: Vec<(Access, u32)> = self.accesses.into_iter().collect();
        accesses.sort_unstable_by_key(|(_, index)| *index);
        self.log.accesses = accesses.into_iter().map(|(access, _)| access).collect();
        (self.log, self.problems, self.rows)
    }

    fn shape(&mut self, shape: Shape) -> u32 {
        let next = self.log.shapes.len() as u32;
        match self.shapes.entry(shape) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(place) => {
                self.log.shapes.push(place.key().clone());
                *place.insert(next)
            }
        }
    }

    /// What an operation asks for, and the name of its shape where none is given.
    fn condition(&mut self, operation: &mut LoggedOperation) -> (Condition, String) {
        let kind = operation.kind.name();
        if let Some((predicate, names)) = operation.filter.take() {
            let by_id = if operation.id.is_some() { "id, " } else { "" };
            return (
                Condition::Known(predicate),
                format!("{kind} by {by_id}{names}"),
            );
        }
        let Some(text) = &operation.query else {
            let name = match (operation.kind, operation.id.is_some()) {
                (OperationKind::Query, false) => "query without filter".to_owned(),
                (_, true) => format!("{kind} by id"),
                (_, false) => kind.to_owned(),
            };
            return (Condition::default(), name);
        };
        let statement = self
            .statements
            .entry(text.clone())
            .or_insert_with(|| Statement::new(text, &operation.parameters));
        let condition = match &statement.query {
            Ok(query) => Condition::Known(query::condition(query, &operation.parameters)),
            Err(unusable) => unusable.clone(),
        };
        (condition, statement.shape.clone())
    }

    /// Adds a page to the query it belongs to; whether there was one.
    fn joins_page(&mut self, operation: &LoggedOperation) -> bool {
        let Some(correlation) = &operation.correlation else {
            return false;
        };
        let next = self.log.events.len();
        match self.correlated.entry(correlation.clone()) {
            Entry::Vacant(place) => {
                place.insert(next);
                false
            }
            Entry::Occupied(found) => {
                let event = &mut self.log.events[*found.get()];
                event.charge = match (event.charge, operation.charge) {
                    (Some(sum), Some(page)) => Some(sum.saturating_add(page)),
                    (one, other) => one.or(other),
                };
                event.time = match (event.time, operation.time) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                };
                event.ranges = event.ranges.max(operation.ranges);
                true
            }
        }
    }
}

impl LogSink for LogBuilder {
    fn operation(&mut self, mut operation: LoggedOperation, _line: u64) {
        self.rows += 1;
        if operation.status == Some(TOO_MANY_REQUESTS) {
            self.log.throttled_weight += operation.weight;
            return;
        }
        if self.joins_page(&operation) {
            return;
        }
        let (condition, name) = self.condition(&mut operation);
        let shape = self.shape(Shape {
            kind: operation.kind,
            name: operation.shape.unwrap_or(name),
        });
        let access = Access {
            kind: operation.kind,
            shape,
            condition,
            id: operation.id.map(Into::into),
            key: operation.key,
            item: operation.item,
            members: operation.members,
        };
        let next = self.accesses.len() as u32;
        let access = *self.accesses.entry(access).or_insert(next);
        self.log.events.push(Event {
            time: operation.time,
            access,
            weight: operation.weight,
            charge: operation.charge,
            ranges: operation.ranges,
            bytes: operation.bytes,
        });
    }

    fn current_key(&mut self, paths: Vec<String>) {
        self.log.current_key = Some(paths);
    }

    fn problem(&mut self, problem: RowProblem) {
        // A field that means nothing is named once, not on each line.
        if problem.reason == Reason::UnknownField {
            if self.fields_named.contains(&problem.detail) {
                return;
            }
            self.fields_named.push(problem.detail.clone());
        }
        self.problems.add(self.file, problem);
    }
}
