//! What was not used, or was used with a doubt, and where: data for the report, never errors.

use std::collections::BTreeMap;
use std::fmt;

/// Places that are kept of each reason.
const PLACES_MAX: usize = 5;

/// Why a row is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The text is no JSON.
    NotJson,
    /// A JSON value that is no object.
    NotAnObject,
    /// The file ends inside a value.
    CutOff,
    /// A value that is longer than the reader holds.
    TooLong,
    /// A row with another number of cells than the header.
    Ragged,
    /// Bytes that are no UTF-8.
    NotText,
    /// A field of a log row that cannot be read.
    BadField,
    /// An operation that the tool does not know.
    UnknownOperation,
    /// A field of a log row that has no meaning; the row is used without it.
    UnknownField,
    /// Two fields that exclude each other; one of them is used.
    Conflict,
    /// A write that failed because a logical partition has reached its limit.
    PartitionFull,
    /// A request that failed for another reason than its rate: no workload.
    Failed,
    /// A request that reads no items: containers, databases, query plans.
    Metadata,
    /// A row that tells of no access: account changes, other services, other interfaces.
    NotAnAccess,
    /// Text or values that the log hides.
    Hidden,
    /// A row that sums up the requests of some minutes, without ids and keys.
    Aggregated,
    /// A charge of a key value that belongs to no request of the log.
    Unjoined,
    /// Rows of several containers, all of which are used.
    SeveralContainers,
    /// A value whose type the log does not tell.
    Guessed,
    /// Times in a zone that is not known.
    UnknownZone,
    /// The input may have been cut: its last row has no end, or its writer says so.
    Unterminated,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 21] = [
        Self::NotJson,
        Self::NotAnObject,
        Self::CutOff,
        Self::TooLong,
        Self::Ragged,
        Self::NotText,
        Self::BadField,
        Self::UnknownOperation,
        Self::UnknownField,
        Self::Conflict,
        Self::PartitionFull,
        Self::Failed,
        Self::Metadata,
        Self::NotAnAccess,
        Self::Hidden,
        Self::Aggregated,
        Self::Unjoined,
        Self::SeveralContainers,
        Self::Guessed,
        Self::UnknownZone,
        Self::Unterminated,
    ];

    /// The name of the reason in machine-readable reports.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotJson => "not-json",
            Self::NotAnObject => "not-an-object",
            Self::CutOff => "cut-off",
            Self::TooLong => "too-long",
            Self::Ragged => "ragged-row",
            Self::NotText => "not-utf-8",
            Self::BadField => "bad-field",
            Self::UnknownOperation => "unknown-operation",
            Self::UnknownField => "unknown-field",
            Self::Conflict => "conflicting-fields",
            Self::PartitionFull => "partition-full",
            Self::Failed => "failed-request",
            Self::Metadata => "metadata-request",
            Self::NotAnAccess => "not-an-access",
            Self::Hidden => "hidden-values",
            Self::Aggregated => "aggregated-row",
            Self::Unjoined => "unjoined-charge",
            Self::SeveralContainers => "several-containers",
            Self::Guessed => "guessed-type",
            Self::UnknownZone => "unknown-time-zone",
            Self::Unterminated => "perhaps-cut",
        }
    }

    /// Whether the row was left out.
    pub fn rejects(self) -> bool {
        !matches!(
            self,
            Self::UnknownField
                | Self::Conflict
                | Self::PartitionFull
                | Self::Failed
                | Self::Metadata
                | Self::NotAnAccess
                | Self::Hidden
                | Self::Aggregated
                | Self::Unjoined
                | Self::SeveralContainers
                | Self::Guessed
                | Self::UnknownZone
                | Self::Unterminated
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NotJson => "not JSON",
            Self::NotAnObject => "JSON, but no object",
            Self::CutOff => "the file ends inside a value",
            Self::TooLong => "longer than 64 MiB",
            Self::Ragged => "another number of cells than the header",
            Self::NotText => "not UTF-8",
            Self::BadField => "a field that cannot be read",
            Self::UnknownOperation => "an unknown operation",
            Self::UnknownField => "a field without meaning here, ignored",
            Self::Conflict => "fields that exclude each other",
            Self::PartitionFull => "a write that failed: the logical partition is full",
            Self::Failed => "a request that failed",
            Self::Metadata => "a request that reads no items",
            Self::NotAnAccess => "no access to the container",
            Self::Hidden => "text or values that the log hides",
            Self::Aggregated => "a sum over some minutes, without ids and keys",
            Self::Unjoined => "a charge that belongs to no request of the log",
            Self::SeveralContainers => "operations of several containers",
            Self::Guessed => "a value whose type the log does not tell",
            Self::UnknownZone => "times in an unknown zone, taken as UTC",
            Self::Unterminated => "the input may have been cut",
        })
    }
}

/// A row that was not used, or not as it stands, where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    /// Line on which the row starts, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: Reason,
    /// The particulars.
    pub detail: String,
}

impl RowProblem {
    /// A problem of the row that starts on this line.
    pub fn new(line: u64, reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            line,
            reason,
            detail: detail.into(),
        }
    }
}

/// Where a problem was seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the file among the sources.
    pub file: usize,
    /// Line, from 1.
    pub line: u64,
    /// The particulars.
    pub detail: String,
}

/// Problems by reason: how many, and the first places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    groups: BTreeMap<Reason, (u64, Vec<Place>)>,
}

impl Problems {
    /// Adds a problem of a file.
    pub fn add(&mut self, file: usize, problem: RowProblem) {
        let place = Place {
            file,
            line: problem.line,
            detail: problem.detail,
        };
        self.add_group(problem.reason, 1, vec![place]);
    }

    /// Adds the problems of another part of the input; the order of merging does not matter.
    pub fn merge(&mut self, other: Self) {
        for (reason, (count, places)) in other.groups {
            self.add_group(reason, count, places);
        }
    }

    fn add_group(&mut self, reason: Reason, count: u64, places: Vec<Place>) {
        let group = self.groups.entry(reason).or_default();
        group.0 += count;
        group.1.extend(places);
        group.1.sort_unstable();
        group.1.truncate(PLACES_MAX);
    }

    /// Each reason with its number of rows and the first places, in the order of the files.
    pub fn groups(&self) -> impl Iterator<Item = (Reason, u64, &[Place])> {
        self.groups
            .iter()
            .map(|(reason, (count, places))| (*reason, *count, places.as_slice()))
    }

    /// How many rows were left out.
    pub fn rejected(&self) -> u64 {
        let rejecting = self.groups.iter().filter(|(reason, _)| reason.rejects());
        rejecting.map(|(_, (count, _))| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ() {
        let codes: std::collections::BTreeSet<_> =
            Reason::ALL.iter().map(|reason| reason.code()).collect();
        assert_eq!(codes.len(), Reason::ALL.len());
    }

    #[test]
    fn the_first_places_are_kept_whatever_the_order() {
        let problem = |line| RowProblem::new(line, Reason::NotJson, "x");
        let mut forward = Problems::default();
        let mut backward = Problems::default();
        for line in 1..=20 {
            forward.add(0, problem(line));
            backward.add(0, problem(21 - line));
        }
        assert_eq!(forward, backward);
        let (reason, count, places) = forward.groups().next().expect("a group");
        assert_eq!((reason, count, places.len()), (Reason::NotJson, 20, 5));
        assert_eq!(places[4].line, 5);
        assert_eq!(forward.rejected(), 20);
    }
}
