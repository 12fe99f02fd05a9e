//! The table of a search for suffixes, for all formats that show tables.

use super::text::UNKNOWN;
use super::v1::{SuffixNumbers, SuffixSearch};
use crate::assess::text::{percent, quantity, whole};

/// The names of the columns.
pub(super) const COLUMNS: [&str; 9] = [
    "suffixes",
    "kind",
    "hottest/mean",
    "429",
    "one value",
    "visits",
    "over 20 GB",
    "RU/s",
    "month",
];

/// Columns of text before those of numbers.
pub(super) const TEXT_COLUMNS: usize = 2;

/// The rows: of each number the drawn and the computed suffixes.
pub(super) fn rows(search: &SuffixSearch) -> Vec<[String; COLUMNS.len()]> {
    let rows = search.rows.iter();
    rows.flat_map(|row| {
        [("random", &row.random), ("computed", &row.computed)]
            .map(|(kind, numbers)| cells(row.count, kind, numbers))
    })
    .collect()
}

fn cells(count: u32, kind: &str, one: &SuffixNumbers) -> [String; COLUMNS.len()] {
    let known = |value: Option<f64>, write: fn(f64) -> String| {
        value.map_or_else(|| UNKNOWN.to_owned(), write)
    };
    [
        whole(count.into()),
        kind.to_owned(),
        known(one.hottest_over_mean, |value| format!("{value:.2}")),
        known(one.throttled_share, percent),
        known(one.single_share, percent),
        known(one.partitions_visited, |value| format!("{value:.2}")),
        whole(one.over_limit),
        one.required.map_or_else(|| "none".to_owned(), whole),
        known(one.cost, |value| quantity(value.round())),
    ]
}

/// What the search comes to, in sentences.
pub(super) fn conclusion(search: &SuffixSearch) -> String {
    let of = |kind: &str, smallest: Option<u32>, knee: Option<u32>| {
        let knee = knee.map_or_else(String::new, |count| {
            format!(
                ", and beyond {} more save next to nothing",
                whole(count.into())
            )
        });
        match smallest {
            Some(count) => format!(
                "{} {kind} suffixes are the fewest that work{knee}",
                whole(count.into())
            ),
            None => format!("no number of {kind} suffixes works"),
        }
    };
    format!(
        "{}. {}. A read that knows the key alone asks all numbers; one that knows {} too asks one computed number",
        of("drawn", search.smallest_random, search.knee_random),
        of("computed", search.smallest_computed, search.knee_computed),
        search.by
    )
}
