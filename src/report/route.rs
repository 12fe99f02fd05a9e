//! Where a query goes, in words and as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::text::visible;
use crate::assess::text::whole;
use crate::keys::{Candidate, Layout};
use crate::model::{EpkRange, Predicate, PropertyPath};
use crate::query::{Note, Unused};
use crate::simulate::{QueryRoute, Routing, Why};

/// Key values and ranges that are shown to a person.
const SHOWN: usize = 5;

/// A query and what came of it under a candidate.
pub enum Answer {
    /// It is routed.
    Routed(Predicate, Vec<Note>, Box<QueryRoute>),
    /// The service refuses it: why, and what helps.
    Invalid(String, Option<&'static str>),
    /// Its text cannot be used.
    Unknown,
}

/// Where an answer is told of: the query, the key and the layout.
pub struct Asked<'a> {
    /// The text of the query.
    pub query: &'a str,
    /// The key.
    pub candidate: &'a Candidate,
    /// The physical partitions.
    pub layout: &'a Layout,
}

impl Answer {
    /// How far the query reaches.
    fn routing(&self) -> Routing {
        match self {
            Self::Routed(_, _, route) => route.routing,
            Self::Invalid(..) => Routing::Invalid,
            Self::Unknown => Routing::Unknown,
        }
    }

    /// One JSON object on a line.
    pub fn write_json(&self, asked: &Asked, out: &mut impl Write) -> io::Result<()> {
        let (values, ranges, visited) = match self {
            Self::Routed(_, _, route) => (
                route.values,
                route
                    .ranges
                    .as_ref()
                    .map(|ranges| ranges.iter().map(Range::from).collect::<Vec<_>>()),
                Some(route.visited(asked.candidate, asked.layout)),
            ),
            Self::Invalid(..) => (None, None, Some(0)),
            Self::Unknown => (None, None, None),
        };
        let line = Line {
            query: asked.query,
            key: &asked.candidate.text,
            routing: self.routing().name(),
            values,
            ranges,
            physical_partitions: visited,
            reason: self.reason(asked),
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }

    /// A block of lines for a person.
    pub fn write_text(&self, asked: &Asked, out: &mut impl Write) -> io::Result<()> {
        let mut line = |name: &str, text: &str| writeln!(out, "{name:8} {}", visible(text));
        line(
            "query",
            &asked.query.split_whitespace().collect::<Vec<_>>().join(" "),
        )?;
        line("key", &asked.candidate.text)?;
        if let Self::Routed(condition, _, route) = self {
            line("finds", &condition.to_string())?;
            if !route.keys.is_empty() && route.ranges.is_some() {
                line("values", &list(&route.keys, ToString::to_string))?;
            }
            if let Some(ranges) = &route.ranges {
                line("ranges", &list(ranges, range_text))?;
            }
            let total = asked.layout.partition_count();
            let visited = route.visited(asked.candidate, asked.layout);
            let indexes = route
                .partitions(asked.candidate, asked.layout)
                .unwrap_or_default();
            let which = if indexes.is_empty() || indexes.len() == total {
                String::new()
            } else {
                format!(": {}", list(&indexes, ToString::to_string))
            };
            line(
                "visits",
                &format!(
                    "{} of {} physical partitions{which}",
                    whole(visited),
                    whole(total as u64)
                ),
            )?;
        }
        line("routing", self.routing().name())?;
        line("why", &self.reason(asked))?;
        writeln!(out)
    }

    /// Why the query goes where it goes, in one sentence.
    fn reason(&self, asked: &Asked) -> String {
        let Self::Routed(_, notes, route) = self else {
            return match self {
                Self::Invalid(message, Some(hint)) => format!("{message}; {hint}"),
                Self::Invalid(message, None) => message.clone(),
                _ => "the text cannot be used, as its names are masked: export the log with full-text query on".to_owned(),
            };
        };
        let total = asked.layout.partition_count() as u64;
        let visited = route.visited(asked.candidate, asked.layout);
        let of_all = format!("{} of {} physical partitions", whole(visited), whole(total));
        let names = |paths: &[PropertyPath]| {
            paths
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" and ")
        };
        match &route.why {
            Why::Nothing if visited > 1 => {
                "the query reads no item; as an empty prefix of a hierarchical key it is still sent to all partitions".to_owned()
            }
            Why::Nothing => "the query reads no item; it is still sent to the first partition".to_owned(),
            Why::Options => format!("the options pass the key: {of_all} hold it"),
            Why::WholeKey(paths) => {
                let count = route.keys.len();
                let values = if count == 1 { "one value".to_owned() } else { format!("{} values", whole(count as u64)) };
                format!("the filter fixes {} to {values} of the key, on {of_all}", names(paths))
            }
            Why::Prefix { fixed, missing, level, levels } => format!(
                "the filter fixes {} but not {missing}, the {} of {} levels: {of_all} hold this prefix",
                names(fixed),
                ["first", "second", "third"].get(level - 1).copied().unwrap_or("last"),
                ["one", "two", "three"].get(levels - 1).copied().unwrap_or("its"),
            ),
            Why::RandomSuffix(numbers) => {
                format!("the suffix is drawn at random, so all {} numbers are asked, on {of_all}", whole(u64::from(*numbers)))
            }
            Why::ComputedSuffix(numbers, path) => format!(
                "the filter does not fix {path}, from which the suffix is computed, so all {} numbers are asked, on {of_all}",
                whole(u64::from(*numbers))
            ),
            Why::Missing(path) => format!("the filter does not fix {path}, which the key needs{}: all {} physical partitions are asked", unused(notes, path), whole(total)),
            Why::Open => format!("a branch of the filter leaves the key open: all {} physical partitions are asked", whole(total)),
            Why::TooMany(limit) => format!("the filter leaves more than {} key values, so all {} physical partitions are asked", whole(*limit as u64), whole(total)),
            Why::Unbound => format!("a parameter of the key has no value: at most {of_all}, which one is not known"),
        }
    }
}

/// What the condition says of a property without narrowing anything, in words.
fn unused(notes: &[Note], path: &PropertyPath) -> String {
    let Some(note) = notes
        .iter()
        .find(|note| note.property.as_ref() == Some(path))
    else {
        return String::new();
    };
    let why = match &note.unused {
        Unused::Negation => "a negation leaves all other values".to_owned(),
        Unused::Range => "a range does not narrow a hashed key".to_owned(),
        Unused::Function(name) => format!("{name} changes it before it is compared"),
        Unused::UserFunction(name) => format!("nobody knows what udf.{name} does with it"),
        Unused::Operator(operator) => format!("{operator} changes it before it is compared"),
        Unused::Choice => "it stands in a choice".to_owned(),
        Unused::Wildcard => "LIKE with a wildcard leaves many values".to_owned(),
        Unused::Undefined => "a comparison with undefined is not known to narrow".to_owned(),
        Unused::NotConstant => "it is compared with what is no constant".to_owned(),
        Unused::Element(name) => format!("the condition is on {name}, an element of an array"),
        Unused::Subquery => "the condition stands in a subquery".to_owned(),
        Unused::UnknownParameter => "a parameter without a value decides it".to_owned(),
    };
    let bound = if note.unused.is_established() {
        ""
    } else {
        ", an upper bound"
    };
    format!(" ({why}{bound})")
}

fn list<T>(values: &[T], write: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = values.iter().take(SHOWN).map(write).collect();
    let more = values.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

fn range_text(range: &EpkRange) -> String {
    let close = if range.max_inclusive { ']' } else { ')' };
    if range.min == range.max && !range.min.as_bytes().is_empty() {
        return format!("[{}]", range.min);
    }
    format!("[\"{}\", \"{}\"{close}", range.min, range.max)
}

/// One answer as other programs read it.
#[derive(Serialize)]
struct Line<'a> {
    query: &'a str,
    key: &'a str,
    routing: &'static str,
    values: Option<u64>,
    ranges: Option<Vec<Range>>,
    physical_partitions: Option<u64>,
    reason: String,
}

#[derive(Serialize)]
struct Range {
    min: String,
    max: String,
    min_inclusive: bool,
    max_inclusive: bool,
}

impl From<&EpkRange> for Range {
    fn from(range: &EpkRange) -> Self {
        Self {
            min: range.min.to_string(),
            max: range.max.to_string(),
            min_inclusive: range.min_inclusive,
            max_inclusive: range.max_inclusive,
        }
    }
}
