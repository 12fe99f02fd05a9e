//! The table of the candidates at the horizon, for all formats that show tables.

use super::text::{needed, or_unknown};
use super::v1::{Candidate, Horizon, HorizonLoad, Report};
use crate::assess::text::{bytes, percent, quantity, whole};

/// The names of the columns behind the one of keys.
pub(super) fn columns(report: &Report) -> &'static [&'static str] {
    const OF_DATA: usize = 2;
    const ALL: &[&str] = &[
        "partitions",
        "over 20 GB",
        "visits",
        "hottest",
        "429",
        "RU/s",
        "month",
    ];
    if is_loaded(report) {
        ALL
    } else {
        &ALL[..OF_DATA]
    }
}

/// Whether the load of a candidate was measured over the physical partitions of then.
fn is_loaded(report: &Report) -> bool {
    let mut then = report.candidates.iter().filter_map(of);
    then.any(|then| then.load.is_some())
}

/// What the table shows; `None` where everything but the bytes is as it is today, so that there is nothing
/// to show beside the comparison.
pub(super) fn heading(report: &Report) -> Option<String> {
    let mut candidates = report.candidates.iter();
    let changed = candidates.find_map(|one| of(one).filter(|then| is_other(one, then)))?;
    let load = match (&report.log, is_loaded(report)) {
        (None, _) => "",
        (Some(_), true) => " and the load of today",
        (Some(_), false) => ", too many physical partitions to measure the load over",
    };
    Some(format!(
        "On {}, with {} in the container{load}",
        changed.day,
        bytes(changed.bytes)
    ))
}

fn of(candidate: &Candidate) -> Option<&Horizon> {
    candidate.growth.as_ref().map(|growth| &growth.horizon)
}

/// Whether more than the storage is other than today.
fn is_other(one: &Candidate, then: &Horizon) -> bool {
    let required = one.throughput.as_ref().and_then(|now| now.required);
    then.partitions as usize != one.physical_partitions.len()
        || then.over_limit != one.logical_partitions.over_limit
        || then.load.is_some_and(|load| load.required != required)
}

/// The cells of a candidate, without its key.
pub(super) fn cells(report: &Report, candidate: &Candidate) -> Vec<String> {
    let then = of(candidate);
    let load = then.and_then(|then| then.load);
    let share = |of: fn(HorizonLoad) -> Option<f64>| or_unknown(load.and_then(of), percent);
    let visits = load.and_then(|load| load.partitions_visited_mean);
    let cost = load.and_then(|load| load.cost);
    let mut cells = vec![
        or_unknown(then, |then| whole(then.partitions.into())),
        or_unknown(then, |then| whole(then.over_limit)),
        or_unknown(visits, |mean| format!("{mean:.2}")),
        share(|load| load.hottest_share),
        share(|load| load.throttled_share),
        or_unknown(load, |load| needed(load.required, &report.scenario)),
        or_unknown(cost, |cost| quantity(cost.round())),
    ];
    cells.truncate(columns(report).len());
    cells
}
