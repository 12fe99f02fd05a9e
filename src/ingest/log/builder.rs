//! From the rows of a log to its compact form.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::containers::{ContainerCount, Containers};
use super::distinct::Distinct;
use super::explain::FileNotes;
use super::interner::Interner;
use super::outcome::{Outcome, failure};
use super::resource::{Join, KeySize, ResourceRow};
use super::statement::Statements;
use super::{Asked, Correlation, LogSink, LoggedOperation, activity};
use crate::ingest::problem::{Problems, Reason, RowProblem};
use crate::model::units::weighted;
use crate::model::{Access, Condition, Event, Log, OperationKind, OptionsKey, Shape};

/// Moments that a log can tell, in microseconds: from 1970 to 2200.
const TIMES: std::ops::Range<i64> = 0..7_258_118_400_000_000;

/// A moment in words.
fn moment(micros: i64) -> String {
    let moment = jiff::Timestamp::from_microsecond(micros);
    moment.map_or_else(|_| micros.to_string(), |moment| moment.to_string())
}

/// Names of fields without meaning that are told apart.
const NAMES_MAX: usize = 1000;

/// Gathers rows: equal accesses and shapes once, statements parsed once.
pub(super) struct LogBuilder {
    log: Log,
    problems: Problems,
    files: Vec<FileNotes>,
    rows: u64,
    shapes: Shapes,
    accesses: Distinct,
    transactions: Interner<Box<str>>,
    pub(super) statements: Statements,
    correlated: HashMap<u128, Correlated, FxBuildHasher>,
    /// Refused accesses without a correlation, by what they ask for.
    refused: HashMap<u64, u64, FxBuildHasher>,
    pub(super) containers: Containers,
    join: Join,
    fields_named: HashSet<String, FxBuildHasher>,
    key_arrays: Problems,
    /// Rows without a time, which is worth a word where others have one.
    untimed: Problems,
}

/// The rows of one correlation.
#[derive(Default)]
struct Correlated {
    /// Index of its event, one more than that; 0 where all rows so far were refused.
    event: u32,
    /// The weight of a refused row.
    refused: u64,
}

/// What came of all files.
pub(super) struct Built {
    pub(super) log: Log,
    pub(super) problems: Problems,
    pub(super) key_arrays: Problems,
    pub(super) rows: u64,
    pub(super) files: Vec<FileNotes>,
    pub(super) containers: Vec<ContainerCount>,
    pub(super) key_sizes: Vec<KeySize>,
}

impl LogBuilder {
    pub(super) fn new(container: Option<String>) -> Self {
        Self {
            log: Log::default(),
            problems: Problems::default(),
            files: Vec::new(),
            rows: 0,
            shapes: Shapes::default(),
            accesses: Distinct::default(),
            transactions: Interner::default(),
            statements: Statements::default(),
            correlated: HashMap::default(),
            refused: HashMap::default(),
            containers: Containers::new(container),
            join: Join::default(),
            fields_named: HashSet::default(),
            key_arrays: Problems::default(),
            untimed: Problems::default(),
        }
    }

    /// From here on rows belong to the next file.
    pub(super) fn next_file(&mut self) {
        self.files.push(FileNotes::default());
        self.containers.set_default(None);
    }

    fn file(&self) -> usize {
        self.files.len().saturating_sub(1)
    }

    /// What is known of the file that is being read.
    pub(super) fn notes(&mut self) -> &mut FileNotes {
        if self.files.is_empty() {
            self.files.push(FileNotes::default());
        }
        let file = self.file();
        &mut self.files[file]
    }

    /// The log, what was not used, and what was seen on the way.
    pub(super) fn finish(mut self) -> Built {
        let key_sizes = std::mem::take(&mut self.join).finish(&mut self);
        self.log.accesses = self.accesses.finish();
        self.log.events.shrink();
        self.log.transactions = self.transactions.into_values();
        self.log.shapes = self.shapes.list;
        // Of an access that was refused and nowhere carried out, nobody tried again with success.
        if !self.refused.is_empty() {
            for access in self.log.accesses.iter() {
                self.refused.remove(&asks(&access));
            }
        }
        let alone: u64 = self.refused.values().sum();
        let refused_only = self.correlated.values().filter(|rows| rows.event == 0);
        let correlated: u64 = refused_only.map(|rows| rows.refused).sum();
        self.log.unmet_weight += alone + correlated;
        if self.containers.unnamed() > 0 {
            let detail = format!("{} operations", self.containers.unnamed());
            let problem = RowProblem::new(1, Reason::UnnamedContainer, detail);
            self.problems.add(0, problem);
        }
        let all_used = !self.containers.is_chosen();
        let containers = self.containers.into_counts();
        if all_used && containers.len() > 1 {
            for count in &containers {
                let detail = format!("{}: {} operations", count.name(), count.operations);
                let problem = RowProblem::new(1, Reason::SeveralContainers, detail);
                self.problems.add(0, problem);
            }
        }
        if self.log.span().is_some() {
            self.problems.merge(self.untimed);
        }
        Built {
            log: self.log,
            key_arrays: self.key_arrays,
            problems: self.problems,
            rows: self.rows,
            files: self.files,
            containers,
            key_sizes,
        }
    }

    /// A problem of a row of any file.
    pub(super) fn problem_of(&mut self, file: usize, problem: RowProblem) {
        self.problems.add(file, problem);
    }

    /// Weighs refused requests, and what they were charged.
    pub(super) fn refuse(&mut self, weight: u64, charge: u64) {
        self.log.throttled_weight += weight;
        self.log.throttled_charge = self.log.throttled_charge.saturating_add(charge);
    }

    /// Weighs demand that no attempt met.
    pub(super) fn leave_unmet(&mut self, weight: u64) {
        self.log.unmet_weight += weight;
    }

    /// Weighs demand that was met only if the same access was carried out somewhere in the log: nothing
    /// else ties a refused row to another attempt.
    pub(super) fn leave_open(&mut self, access: &Access, weight: u64) {
        *self.refused.entry(asks(access)).or_default() += weight;
    }

    /// Names the place of a masked text.
    pub(super) fn find_masked(&mut self, file: usize, line: u64) {
        let detail = "the text of the query is masked: enable full-text query in the diagnostics";
        self.problem_of(file, RowProblem::new(line, Reason::Hidden, detail));
    }

    /// A problem of a row of the file that is being read.
    pub(super) fn problem_here(&mut self, line: u64, reason: Reason, detail: String) {
        self.problem(RowProblem::new(line, reason, detail));
    }

    /// Weighs writes that a full logical partition refused, and names the place.
    pub(super) fn find_full(&mut self, file: usize, line: u64, weight: u64) {
        self.log.full_weight += weight;
        let detail = "status 403, sub-status 1014: a logical partition has reached its limit";
        self.problem_of(file, RowProblem::new(line, Reason::PartitionFull, detail));
    }

    /// The number of a shape.
    pub(super) fn shape(&mut self, kind: OperationKind, name: &str) -> u32 {
        self.shapes.number(kind, name)
    }

    /// The number of the shape of operations that name no property.
    pub(super) fn plain_shape(&mut self, kind: OperationKind, by_id: bool, unknown: bool) -> u32 {
        self.shapes.plain(kind, by_id, unknown)
    }

    /// Adds an operation that is workload; the index of its event.
    pub(super) fn push(&mut self, file: usize, line: u64, access: Access, event: Event) -> u32 {
        let event = self.with_sane_time(file, line, event);
        if matches!(&access.key, OptionsKey::Components(_)) {
            let detail = "without today's key it is not known which properties these are";
            self.key_arrays
                .add(file, RowProblem::new(line, Reason::KeyArray, detail));
        }
        if event.time.is_none() && event.rate.is_none() {
            self.untimed
                .add(file, RowProblem::new(line, Reason::NoTime, ""));
        }
        let access = self.accesses.intern(access);
        let index = self.log.events.push(Event { access, ..event });
        self.files[file].operation(index);
        index
    }

    /// A moment that cannot be one of a log would stretch the log over centuries.
    fn with_sane_time(&mut self, file: usize, line: u64, event: Event) -> Event {
        let Some(time) = event.time.filter(|time| !TIMES.contains(time)) else {
            return event;
        };
        let detail = format!(
            "{} is no time of a log; the row is used without it",
            moment(time)
        );
        self.problem_of(file, RowProblem::new(line, Reason::NoTime, detail));
        Event {
            time: None,
            ..event
        }
    }

    /// What an operation asks for, the number of its shape, and whether its text is masked.
    fn condition(&mut self, operation: &mut LoggedOperation) -> (Condition, u32, bool) {
        let kind = operation.kind;
        let given = operation.shape.take();
        let by_id = operation.id.is_some();
        let Self {
            shapes, statements, ..
        } = self;
        match std::mem::take(&mut operation.asked) {
            Asked::Text(text, parameters) => {
                let (condition, name, masked) = statements.read(&text, &parameters);
                let shape = shapes.number(kind, given.as_deref().unwrap_or(name));
                (condition, shape, masked)
            }
            Asked::Filter(predicate, names) => {
                let shape = match given {
                    Some(given) => shapes.number(kind, &given),
                    None if by_id => {
                        shapes.number(kind, &format!("{} by id, {names}", kind.name()))
                    }
                    None if names.is_empty() => shapes.plain(kind, by_id, false),
                    None => shapes.number(kind, &format!("{} by {names}", kind.name())),
                };
                (Condition::Known(predicate), shape, false)
            }
            asked => {
                let unknown = asked == Asked::Unknown;
                let shape = match given {
                    Some(given) => shapes.number(kind, &given),
                    None => shapes.plain(kind, by_id, unknown),
                };
                let condition = if unknown {
                    Condition::Unknown
                } else {
                    Condition::default()
                };
                (condition, shape, false)
            }
        }
    }

    /// Adds a page to the query it belongs to.
    fn add_page(&mut self, index: u32, operation: &LoggedOperation) {
        let mut event = self.log.events.get(index);
        event.charge = match (event.charge, operation.charge) {
            (Some(sum), Some(page)) => Some(sum.saturating_add(page)),
            (one, other) => one.or(other),
        };
        event.time = match (event.time, operation.time) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        event.ranges = event.ranges.max(operation.ranges);
        self.log.events.set(index, event);
    }

    /// The access of a row, and whether its text is masked.
    fn access(&mut self, operation: &mut LoggedOperation) -> (Access, bool) {
        let (condition, shape, masked) = self.condition(operation);
        let access = Access {
            kind: operation.kind,
            shape,
            condition,
            id: operation.id.take().map(Into::into),
            key: std::mem::take(&mut operation.key),
            item: operation.item.take(),
            members: std::mem::take(&mut operation.members),
        };
        (access, masked)
    }

    /// Deals with a row by its status; whether it is workload.
    fn is_workload(&mut self, operation: &mut LoggedOperation, line: u64) -> bool {
        let (weight, file) = (operation.weight, self.file());
        match Outcome::of(operation.status, operation.sub_status) {
            Outcome::Done => return true,
            Outcome::Full => self.find_full(file, line, weight),
            Outcome::Failed => {
                let detail = failure(operation.status, operation.sub_status);
                self.problem(RowProblem::new(line, Reason::Failed, detail));
            }
            Outcome::Refused => {
                let charge = operation
                    .charge
                    .map_or(0, |charge| weighted(charge, weight));
                self.refuse(weight, u64::try_from(charge).unwrap_or(u64::MAX));
                if let Some(number) = correlation_number(operation.correlation.as_ref(), file) {
                    let rows = self.correlated.entry(number).or_default();
                    rows.refused = rows.refused.max(weight);
                } else {
                    let (access, _) = self.access(operation);
                    self.leave_open(&access, weight);
                }
            }
        }
        false
    }

    /// Adds a row that is an operation by itself; whether it is workload.
    pub(super) fn add(&mut self, mut operation: LoggedOperation, line: u64) -> bool {
        let database = operation.database.as_deref();
        let container = self
            .containers
            .number(database, operation.container.as_deref());
        if !self.containers.take(container) || !self.is_workload(&mut operation, line) {
            return false;
        }
        let file = self.file();
        let number = correlation_number(operation.correlation.as_ref(), file);
        if let Some(rows) = number.and_then(|number| self.correlated.get(&number))
            && let Some(index) = rows.event.checked_sub(1)
        {
            self.add_page(index, &operation);
            return true;
        }
        let (access, masked) = self.access(&mut operation);
        if masked {
            self.find_masked(file, line);
        }
        let transaction = operation.transaction.as_deref();
        let event = Event {
            time: operation.time,
            access: 0,
            weight: operation.weight,
            charge: operation.charge,
            ranges: operation.ranges,
            bytes: operation.bytes,
            rate: operation.rate,
            transaction: transaction.map(|label| self.transactions.intern_as(label)),
        };
        let index = self.push(file, line, access, event);
        if let Some(number) = number {
            self.correlated.entry(number).or_default().event = index + 1;
        }
        true
    }
}

impl LogSink for LogBuilder {
    fn operation(&mut self, operation: LoggedOperation, line: u64) {
        self.notes().operation_rows += 1;
        self.rows += u64::from(self.add(operation, line));
    }

    fn resource(&mut self, row: ResourceRow, line: u64) {
        let mut join = std::mem::take(&mut self.join);
        let file = self.file();
        match join.add(row, file, line, self) {
            Ok(()) => self.rows += 1,
            Err((reason, detail)) => self.problem(RowProblem::new(line, reason, detail)),
        }
        self.join = join;
    }

    fn current_key(&mut self, paths: Vec<String>) {
        self.log.current_key = Some(paths);
    }

    fn container(&mut self, name: &str) {
        self.containers.set_default(Some(name));
    }

    fn column(&mut self, field: &'static str, column: &str) {
        self.notes().column(field, column);
    }

    fn problem(&mut self, problem: RowProblem) {
        // A field that means nothing is named once, not on each line.
        if problem.reason == Reason::UnknownField {
            if self.fields_named.len() >= NAMES_MAX || self.fields_named.contains(&problem.detail) {
                return;
            }
            self.fields_named.insert(problem.detail.clone());
        }
        let file = self.file();
        self.problems.add(file, problem);
    }
}

fn correlation_number(correlation: Option<&Correlation>, file: usize) -> Option<u128> {
    match correlation? {
        Correlation::Logged(text) => activity::number(text),
        Correlation::InFile(number) => {
            Some(0xFE << 120 | (file as u128) << 64 | u128::from(*number))
        }
    }
}

/// A hash of what an access asks for, whatever its shape is called.
fn asks(access: &Access) -> u64 {
    let Access {
        kind,
        shape: _,
        condition,
        id,
        key,
        item,
        members,
    } = access;
    FxBuildHasher.hash_one((kind, condition, id, key, item, members))
}

/// The shapes, looked up without a copy of the name.
#[derive(Default)]
struct Shapes {
    list: Vec<Shape>,
    numbers: [HashMap<Box<str>, u32, FxBuildHasher>; OperationKind::ALL.len()],
    plain: [[Option<u32>; 3]; OperationKind::ALL.len()],
}

impl Shapes {
    fn number(&mut self, kind: OperationKind, name: &str) -> u32 {
        let numbers = &mut self.numbers[kind as usize];
        if let Some(number) = numbers.get(name) {
            return *number;
        }
        let number = self.list.len() as u32;
        numbers.insert(name.into(), number);
        self.list.push(Shape {
            kind,
            name: name.to_owned(),
        });
        number
    }

    /// The shape of operations that name no property.
    fn plain(&mut self, kind: OperationKind, by_id: bool, unknown: bool) -> u32 {
        let case = if by_id { 0 } else { 1 + usize::from(unknown) };
        if let Some(number) = self.plain[kind as usize][case] {
            return number;
        }
        let name = match (kind, case) {
            (_, 0) => format!("{} by id", kind.name()),
            (_, 2) => format!("{} of unknown text", kind.name()),
            (OperationKind::Query, _) => "query without filter".to_owned(),
            _ => kind.name().to_owned(),
        };
        let number = self.number(kind, &name);
        self.plain[kind as usize][case] = Some(number);
        number
    }
}
