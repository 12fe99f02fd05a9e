//! What was not used, or was used with a doubt, and where: data for the report, never errors.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Places that are kept of each reason.
const PLACES_MAX: usize = 5;

/// Why a row, or a whole file, is named.
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
    /// What a query computed, which is stored nowhere.
    QueryResult,
    /// The deletion of an item in a change feed.
    Deletion,
    /// A field of a log row that cannot be read.
    BadField,
    /// An operation that the tool does not know.
    UnknownOperation,
    /// A field of a log row that has no meaning; the row is used without it.
    UnknownField,
    /// Two fields that exclude each other; one of them is used.
    Conflict,
    /// A name that an object holds twice; the last one is used.
    DuplicateName,
    /// A number beyond 2^53, where doubles no longer hold every integer.
    BigNumber,
    /// The name of a .NET type in place of the value.
    TypeName,
    /// Values of `MongoDB` Extended JSON, read as what they stand for.
    ExtendedJson,
    /// Pages of the REST API, of which the items are read.
    Envelope,
    /// An object around one array, of which the items are read.
    Wrapper,
    /// Rows of a page that was still to be sorted, of which the items are read.
    SortedPage,
    /// Rows of a change feed with all versions, of which the current item is read.
    ChangeFeed,
    /// An array of objects beside the one that holds the items; it is not read.
    IgnoredArray,
    /// A table: the types of its cells are guessed.
    LossyTable,
    /// Columns that are read as nested properties.
    NestedColumn,
    /// Cells that say null or undefined in words.
    NullText,
    /// A table whose last line has no line break, so that it may be cut.
    OpenEnd,
    /// A file in UTF-16.
    Utf16,
    /// A byte order mark between values.
    MarkInside,
    /// A file without any item.
    NoItem,
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
    /// A row without a time, or with one that cannot be, in a log that has times.
    NoTime,
    /// A key passed as an array, whose properties are not known.
    KeyArray,
    /// Texts that look like addresses of people.
    PersonalData,
    /// Operations that name no container, where one was chosen.
    UnnamedContainer,
}

/// What there is to say about a reason.
struct Words {
    code: &'static str,
    what: &'static str,
    remedy: &'static str,
}

impl Reason {
    /// All reasons: first those for which a row is left out.
    pub const ALL: [Self; 43] = [
        Self::NotJson,
        Self::NotAnObject,
        Self::CutOff,
        Self::TooLong,
        Self::Ragged,
        Self::NotText,
        Self::QueryResult,
        Self::Deletion,
        Self::BadField,
        Self::UnknownOperation,
        Self::UnknownField,
        Self::Conflict,
        Self::DuplicateName,
        Self::BigNumber,
        Self::TypeName,
        Self::ExtendedJson,
        Self::Envelope,
        Self::Wrapper,
        Self::SortedPage,
        Self::ChangeFeed,
        Self::IgnoredArray,
        Self::LossyTable,
        Self::NestedColumn,
        Self::NullText,
        Self::OpenEnd,
        Self::Utf16,
        Self::MarkInside,
        Self::NoItem,
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
        Self::NoTime,
        Self::KeyArray,
        Self::PersonalData,
        Self::UnnamedContainer,
    ];

    /// The name of the reason in machine-readable reports.
    pub fn code(self) -> &'static str {
        self.words().code
    }

    /// What to do about it, in one line.
    pub fn remedy(self) -> &'static str {
        self.words().remedy
    }

    /// Whether the row was left out; the other reasons are notices of what was used with a doubt.
    pub fn rejects(self) -> bool {
        self <= Self::UnknownOperation
    }

    #[expect(clippy::too_many_lines, reason = "one table, three lines a reason")]
    fn words(self) -> Words {
        let (code, what, remedy) = match self {
            Self::NotJson => (
                "not-json",
                "not JSON",
                "mend the line, or leave it out; NaN, Infinity, comments and single quotes are no JSON",
            ),
            Self::NotAnObject => (
                "not-an-object",
                "JSON, but no object",
                "export whole items: an item is an object in braces",
            ),
            Self::CutOff => (
                "cut-off",
                "the file ends inside a value",
                "copy or export the file again: it was cut, or is still being written",
            ),
            Self::TooLong => (
                "too-long",
                "longer than 64 MiB",
                "look for a brace or a quote that is never closed; the service takes items of 2 MB",
            ),
            Self::Ragged => (
                "ragged-row",
                "another number of cells than the header",
                "export as JSON: some tools write the properties of each item in its own order, so doubt the other rows too",
            ),
            Self::NotText => (
                "not-utf-8",
                "not UTF-8",
                "convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8 in.csv > out.csv",
            ),
            Self::QueryResult => (
                "query-result",
                "the result of a query, no item",
                "export whole items: SELECT * FROM c, without VALUE, GROUP BY or aggregates",
            ),
            Self::Deletion => (
                "deletion",
                "the deletion of an item",
                "nothing to do: an item that was deleted takes no storage",
            ),
            Self::BadField => (
                "bad-field",
                "a field that cannot be read",
                "compare the field with the description of the log format",
            ),
            Self::UnknownOperation => (
                "unknown-operation",
                "an unknown operation",
                "leave the row out, or name the operation as the service does",
            ),
            Self::UnknownField => (
                "unknown-field",
                "a field without meaning here, ignored",
                "check the spelling of the field, or leave it out",
            ),
            Self::Conflict => (
                "conflicting-fields",
                "fields that exclude each other",
                "leave one of the fields out",
            ),
            Self::DuplicateName => (
                "duplicate-name",
                "a name twice in one object, the last one used",
                "name each property once",
            ),
            Self::BigNumber => (
                "number-beyond-2-53",
                "a number beyond 2^53, a key only as its nearest double",
                "store identifiers of more than 15 digits as text",
            ),
            Self::TypeName => (
                "dotnet-type-name",
                "the name of a .NET type in place of a value",
                "export again with a newer version of the migration tool: old ones lost nested values",
            ),
            Self::ExtendedJson => (
                "extended-json",
                "MongoDB Extended JSON, read as plain values",
                "check that the migration will store the values like this; _id stays _id and is not the id of the service",
            ),
            Self::Envelope => (
                "feed-envelope",
                "pages of the REST API, their items read",
                "make sure that all pages are there: one page is a slice of the container, no sample",
            ),
            Self::Wrapper => (
                "wrapper-object",
                "an object around one array, the items in it read",
                "if the object is itself an item, give it an id or use --input-format json-plain",
            ),
            Self::SortedPage => (
                "sorted-page",
                "rows of an ORDER BY page, their payload read",
                "export without ORDER BY if properties are missing",
            ),
            Self::ChangeFeed => (
                "change-feed-versions",
                "versions from a change feed, each counted as an item",
                "keep the last version of each item only",
            ),
            Self::IgnoredArray => (
                "ignored-array",
                "a further array of objects, not read",
                "cut the array of items out, for example: jq '.items[]' in.json > out.jsonl",
            ),
            Self::LossyTable => (
                "lossy-table",
                "a table: null, missing and empty are one, 5 and \"5\" too",
                "export as JSON; or keep all cells text",
            ),
            Self::NestedColumn => (
                "nested-column",
                "columns with dots, read as nested properties",
                "if the dots belong to the names, export as JSON",
            ),
            Self::NullText => (
                "null-text",
                "cells that say null or undefined, read as that",
                "if the words are meant as text, export as JSON; or keep all cells text",
            ),
            Self::OpenEnd => (
                "open-end",
                "the last line has no line break",
                "check that the last row is whole: many tools end like this, and so does a cut file",
            ),
            Self::Utf16 => (
                "utf-16",
                "a file in UTF-16",
                "nothing to do: it was converted",
            ),
            Self::MarkInside => (
                "byte-order-mark-inside",
                "a byte order mark between values, passed over",
                "nothing to do: files were put together with their marks",
            ),
            Self::NoItem => (
                "no-item",
                "a file without any item",
                "check that it is the right file and that the export was finished",
            ),
            Self::PartitionFull => (
                "partition-full",
                "a write that failed: the logical partition is full",
                "today's key cannot hold the data: choose one with more values for the items of the full ones",
            ),
            Self::Failed => (
                "failed-request",
                "a request that failed, no workload",
                "nothing to do, unless the application repeats such requests often: they are charged too",
            ),
            Self::Metadata => (
                "metadata-request",
                "a request that reads no items",
                "nothing to do: requests on containers, databases and query plans reach no partition of the data",
            ),
            Self::NotAnAccess => (
                "not-an-access",
                "no access to the container",
                "nothing to do: the row is of another interface, service or kind",
            ),
            Self::Hidden => (
                "hidden-values",
                "text or values that the log hides",
                "turn full-text query on in the diagnostics of the account, and log again",
            ),
            Self::Aggregated => (
                "aggregated-row",
                "a sum over some minutes, without ids and keys",
                "log CDBDataPlaneRequests itself, not the tables that sum it up",
            ),
            Self::Unjoined => (
                "unjoined-charge",
                "a charge that belongs to no request of the log",
                "export the tables over the same time, with all rows",
            ),
            Self::SeveralContainers => (
                "several-containers",
                "operations of several containers, all used",
                "choose one with --container",
            ),
            Self::Guessed => (
                "guessed-type",
                "a value whose type the log does not tell",
                "check with --explain-input that the value is read as the type that the items hold",
            ),
            Self::UnknownZone => (
                "unknown-time-zone",
                "times in an unknown zone, taken as UTC",
                "export times in UTC",
            ),
            Self::Unterminated => (
                "perhaps-cut",
                "the input may have been cut",
                "check that the last row is whole and that the export was not limited",
            ),
            Self::PersonalData => (
                "personal-data",
                "items with what looks like an address of e-mail",
                "keep the files and the report where such data may be, or write the report with --redact",
            ),
            Self::UnnamedContainer => (
                "unnamed-container",
                "operations that name no container, used",
                "leave --container out, or give only logs that name the container",
            ),
            Self::NoTime => (
                "no-time",
                "a row without a usable time, spread over the log",
                "log the time of each operation",
            ),
            Self::KeyArray => (
                "unused-key-array",
                "a key passed as an array, not used",
                "name the key of the container with --current-key, or write the key as an object of property to value",
            ),
        };
        Words { code, what, remedy }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words().what)
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Index of the file among the sources.
    pub file: usize,
    /// Line, from 1.
    pub line: u64,
    /// The particulars.
    pub detail: String,
}

/// Problems and notices by reason: how many, and the first places.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<Group>", try_from = "Vec<Group>")]
pub struct Problems {
    groups: BTreeMap<Reason, (u64, Vec<Place>)>,
}

/// The code of a reason, how many, and the first places.
type Group = (String, u64, Vec<Place>);

impl From<Problems> for Vec<Group> {
    fn from(problems: Problems) -> Self {
        let groups = problems.groups.into_iter();
        groups
            .map(|(reason, (count, places))| (reason.code().to_owned(), count, places))
            .collect()
    }
}

impl TryFrom<Vec<Group>> for Problems {
    type Error = String;

    fn try_from(groups: Vec<Group>) -> Result<Self, Self::Error> {
        let mut problems = Self::default();
        for (code, count, places) in groups {
            let reason = Reason::ALL.into_iter().find(|one| one.code() == code);
            let reason = reason.ok_or_else(|| format!("{code} is no reason"))?;
            problems.add_group(reason, count, places);
        }
        Ok(problems)
    }
}

impl Problems {
    /// The same where so many files stand before those of these problems.
    #[must_use]
    pub fn behind(mut self, files: usize) -> Self {
        let places = self.groups.values_mut().flat_map(|(_, places)| places);
        places.for_each(|place| place.file = place.file.saturating_add(files));
        self
    }

    /// Adds a problem of a file.
    pub fn add(&mut self, file: usize, problem: RowProblem) {
        let group = self.groups.entry(problem.reason).or_default();
        // Most come in the order of their lines: behind the places that are kept they only count.
        if let [.., last] = group.1.as_slice()
            && group.1.len() == PLACES_MAX
            && (last.file, last.line) < (file, problem.line)
        {
            group.0 += 1;
            return;
        }
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

    /// How often a reason was seen.
    pub fn count(&self, reason: Reason) -> u64 {
        self.groups.get(&reason).map_or(0, |group| group.0)
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
    fn words_are_one_line_without_a_full_stop() {
        for reason in Reason::ALL {
            for text in [reason.to_string(), reason.remedy().to_owned()] {
                assert!(!text.is_empty() && !text.contains('\n'), "{text}");
                assert!(!text.ends_with('.'), "{text}");
            }
        }
        assert!(Reason::ALL.is_sorted());
    }

    #[test]
    fn notices_are_kept_beside_what_was_left_out_and_reject_nothing() {
        let mut problems = Problems::default();
        problems.add(0, RowProblem::new(1, Reason::BigNumber, "n"));
        problems.add(0, RowProblem::new(2, Reason::CutOff, ""));
        assert_eq!(problems.rejected(), 1);
        assert_eq!(problems.count(Reason::BigNumber), 1);
        assert_eq!(problems.count(Reason::Wrapper), 0);
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
