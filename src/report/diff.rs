//! Two reports side by side: what got better or worse beyond noise.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;

use super::text::visible;
use super::v1::{Candidate, Report};
use crate::assess::text::{percent, quantity};

/// A number changes when it does so by more than this share of itself.
const NOISE: f64 = 0.05;

/// A share changes when it does so by more than this.
const SHARE_NOISE: f64 = 0.01;

/// Whether a change is for the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// It is worse.
    Worse,
    /// It is neither.
    Changed,
    /// It is better.
    Better,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Changed => "changed",
            Self::Better => "better",
        }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Whether it is for the better.
    pub direction: Direction,
    /// The candidate; `null` where it is of the whole report.
    pub key: Option<String>,
    /// What changed: the name of a number, or the code of a check.
    pub what: String,
    /// As it was, in words.
    pub before: String,
    /// As it is.
    pub after: String,
}

/// How a number is written and compared.
#[derive(Clone, Copy)]
enum Kind {
    /// Less is better.
    Number,
    /// A share of which less is better.
    Share,
    /// A share of which more is better.
    GoodShare,
    /// Neither.
    Neutral,
}

/// All changes beyond noise, the worst first.
pub fn diff(old: &Report, new: &Report) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut whole = |what: &str, before: String, after: String| {
        if before != after {
            changes.push(Change {
                direction: Direction::Changed,
                key: None,
                what: what.to_owned(),
                before,
                after,
            });
        }
    };
    let key = |report: &Report| {
        report
            .recommendation
            .key
            .clone()
            .unwrap_or_else(|| "none".to_owned())
    };
    whole("recommendation", key(old), key(new));
    let partitions = |report: &Report| report.scenario.partitions.to_string();
    whole("physical partitions", partitions(old), partitions(new));
    let throughput = |report: &Report| {
        let known = report.scenario.throughput;
        known.map_or_else(|| "unknown".to_owned(), |ru| ru.to_string())
    };
    whole("throughput", throughput(old), throughput(new));
    let names: BTreeSet<&String> = new.settings.keys().chain(old.settings.keys()).collect();
    for name in names {
        // What these come to is told above.
        if ["throughput", "partitions"].contains(&name.as_str()) {
            continue;
        }
        let of = |report: &Report| {
            let value = report.settings.get(name);
            value.map_or_else(|| "not there".to_owned(), ToString::to_string)
        };
        whole(name, of(old), of(new));
    }
    let by_key: BTreeMap<&str, &Candidate> = old
        .candidates
        .iter()
        .map(|one| (one.key.as_str(), one))
        .collect();
    for candidate in &new.candidates {
        match by_key.get(candidate.key.as_str()) {
            Some(before) => compare(before, candidate, &mut changes),
            None => changes.push(presence(&candidate.key, "not there", "compared")),
        }
    }
    let still = |key: &str| new.candidates.iter().any(|one| one.key == key);
    for candidate in old.candidates.iter().filter(|one| !still(&one.key)) {
        changes.push(presence(&candidate.key, "compared", "not there"));
    }
    changes.sort_by_key(|one| one.direction);
    changes
}

fn presence(key: &str, before: &str, after: &str) -> Change {
    Change {
        direction: Direction::Changed,
        key: Some(key.to_owned()),
        what: "candidate".to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
    }
}

/// The numbers of a candidate that are compared.
fn numbers(one: &Candidate) -> Vec<(&'static str, Kind, Option<f64>)> {
    let routing = one.routing.as_ref();
    let throughput = one.throughput.as_ref();
    let share = |weight: f64| {
        let all = routing.map_or(0.0, |routing| routing.operations);
        (all > 0.0).then(|| weight / all)
    };
    vec![
        (
            "RU/s needed",
            Kind::Number,
            throughput.and_then(|one| one.required).map(|ru| ru as f64),
        ),
        (
            "cost a month",
            Kind::Number,
            one.cost.map(|cost| cost.total),
        ),
        (
            "partitions visited",
            Kind::Number,
            routing.and_then(|routing| Some(routing.partitions_visited?.mean)),
        ),
        (
            "operations to one value",
            Kind::GoodShare,
            routing.and_then(|routing| share(routing.single)),
        ),
        (
            "operations that fan out",
            Kind::Share,
            routing.and_then(|routing| share(routing.fan_out)),
        ),
        (
            "hottest partition",
            Kind::Share,
            throughput.and_then(|one| one.hottest_share),
        ),
        (
            "refused requests",
            Kind::Share,
            throughput.and_then(|one| one.throttled_share),
        ),
        (
            "largest logical partition",
            Kind::Number,
            one.logical_partitions.bytes.map(|sizes| sizes.max as f64),
        ),
        (
            "logical partitions over 20 GB",
            Kind::Number,
            Some(one.logical_partitions.over_limit as f64),
        ),
        (
            "distinct values",
            Kind::Neutral,
            Some(one.cardinality.distinct as f64),
        ),
        (
            "items without the key",
            Kind::Number,
            Some(one.cardinality.missing_items as f64),
        ),
    ]
}

fn compare(before: &Candidate, after: &Candidate, changes: &mut Vec<Change>) {
    let key = Some(after.key.clone());
    let mut push = |direction, what: &str, before: String, after: String| {
        changes.push(Change {
            direction,
            key: key.clone(),
            what: what.to_owned(),
            before,
            after,
        });
    };
    if before.verdict != after.verdict {
        let order = |verdict: &str| {
            ["rejected", "cannot-tell", "acceptable"]
                .iter()
                .position(|one| *one == verdict)
        };
        let direction = match order(&after.verdict).cmp(&order(&before.verdict)) {
            std::cmp::Ordering::Less => Direction::Worse,
            std::cmp::Ordering::Equal => Direction::Changed,
            std::cmp::Ordering::Greater => Direction::Better,
        };
        push(
            direction,
            "verdict",
            before.verdict.clone(),
            after.verdict.clone(),
        );
    }
    for ((what, kind, was), (.., is)) in numbers(before).into_iter().zip(numbers(after)) {
        if let Some((direction, was, is)) = changed(kind, was, is) {
            push(direction, what, was, is);
        }
    }
    let severity = |one: &Candidate, code: &str| {
        let of_it = one.findings.iter().filter(|finding| finding.code == code);
        let order = |severity: &str| {
            ["info", "warning", "error"]
                .iter()
                .position(|one| *one == severity)
        };
        of_it
            .map(|finding| {
                (
                    order(&finding.severity),
                    finding.severity.clone(),
                    finding.message.clone(),
                )
            })
            .max()
    };
    let mut codes: Vec<&str> = before
        .findings
        .iter()
        .chain(&after.findings)
        .map(|finding| finding.code.as_str())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    for code in codes {
        let (was, is) = (severity(before, code), severity(after, code));
        let order =
            |one: &Option<(Option<usize>, String, String)>| one.as_ref().and_then(|one| one.0);
        if order(&was) == order(&is) {
            continue;
        }
        let words = |one: Option<(Option<usize>, String, String)>| {
            one.map_or_else(
                || "none".to_owned(),
                |(_, severity, message)| format!("{severity}: {message}"),
            )
        };
        let direction = if order(&is) > order(&was) {
            Direction::Worse
        } else {
            Direction::Better
        };
        push(direction, code, words(was), words(is));
    }
}

/// Whether a number changed beyond noise, and how both are written.
fn changed(kind: Kind, was: Option<f64>, is: Option<f64>) -> Option<(Direction, String, String)> {
    let words = |value: Option<f64>| match (value, kind) {
        (None, _) => "unknown".to_owned(),
        (Some(value), Kind::Share | Kind::GoodShare) => percent(value),
        (Some(value), _) => quantity(value),
    };
    let direction = match (was, is) {
        (Some(was), Some(is)) => {
            let beyond = match kind {
                Kind::Share | Kind::GoodShare => (is - was).abs() > SHARE_NOISE,
                Kind::Number | Kind::Neutral => (is - was).abs() > NOISE * was.abs().max(is.abs()),
            };
            if !beyond {
                return None;
            }
            match kind {
                Kind::Neutral => Direction::Changed,
                Kind::GoodShare if is > was => Direction::Better,
                Kind::Number | Kind::Share if is < was => Direction::Better,
                _ => Direction::Worse,
            }
        }
        (None, None) => return None,
        _ => Direction::Changed,
    };
    Some((direction, words(was), words(is)))
}

/// The changes for a person.
pub fn write_text(changes: &[Change], out: &mut dyn Write) -> io::Result<()> {
    if changes.is_empty() {
        return writeln!(out, "nothing changed beyond noise");
    }
    for change in changes {
        let key = change
            .key
            .as_deref()
            .map_or_else(String::new, |key| format!("{} ", visible(key)));
        writeln!(
            out,
            "{:8}{key}{}: {} -> {}",
            change.direction.name(),
            change.what,
            visible(&change.before),
            visible(&change.after)
        )?;
    }
    Ok(())
}

/// The same as Markdown.
pub fn write_markdown(changes: &[Change], out: &mut dyn Write) -> io::Result<()> {
    if changes.is_empty() {
        return writeln!(out, "Nothing changed beyond noise.");
    }
    writeln!(
        out,
        "| | key | what | before | after |\n| --- | --- | --- | --- | --- |"
    )?;
    let cell = |text: &str| visible(text).replace('|', "\\|").replace('<', "&lt;");
    for change in changes {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            change.direction.name(),
            change
                .key
                .as_deref()
                .map_or_else(String::new, |key| format!("`{}`", cell(key))),
            cell(&change.what),
            cell(&change.before),
            cell(&change.after)
        )?;
    }
    Ok(())
}
