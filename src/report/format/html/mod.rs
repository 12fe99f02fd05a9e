//! HTML: one file that needs nothing else, to read, print and pass on.

mod charts;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{OutputFormat, Target};
use crate::assess::text::{bytes, percent, quantity, whole};
use crate::report::text::{
    distinct, growth_in_words, heaviest_cells, heaviest_columns, key_value, or_unknown, partitions,
    visible,
};
use crate::report::v1::{Candidate, Finding, Problem, Report};
use crate::report::{horizon, suffixes};

const STYLE: &str = include_str!("page.css");

pub(super) struct Html;

impl OutputFormat for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn summary(&self) -> &'static str {
        "one self-contained page with pictures"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(page(report).into_string().as_bytes())
    }
}

fn page(report: &Report) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                title { "Partition key design" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Partition key design" }
                    (recommendation(report))
                    (comparison(report))
                    (horizon(report))
                    (input(report))
                    @for one in &report.candidates { (candidate(one)) }
                    @for search in &report.suffix_searches {
                        section class="candidate" {
                            h2 { "Suffixes on " code { (visible(&search.key)) } }
                            p { (suffixes::conclusion(search)) "." }
                            (charts::suffixes(search))
                            (table("Suffixes", &suffixes::COLUMNS, suffixes::TEXT_COLUMNS, suffixes::rows(search)
                                .into_iter().map(|cells| cells.into_iter().map(text).collect()).collect()))
                        }
                    }
                }
                (assumptions(report))
            }
        }
    }
}

fn recommendation(report: &Report) -> Markup {
    let one = &report.recommendation;
    html! {
        div class={ "take" @if one.key.is_none() { " none" } } {
            @match &one.key {
                Some(key) => { strong { "Take " code { (visible(key)) } } span class="soft" { " " (one.confidence) } }
                None => strong { "No candidate is acceptable" },
            }
            ul { @for reason in &one.reasons { li { (visible(reason)) } } }
            @for next in &one.next { p class="soft" { "Next: " (visible(next)) } }
        }
    }
}

/// A table that scrolls by itself where it is wider than the page.
fn table(label: &str, names: &[&str], texts: usize, rows: Vec<Vec<Markup>>) -> Markup {
    html! {
        div class="wide" role="region" aria-label=(label) tabindex="0" {
            table {
                thead { tr {
                    @for (index, name) in names.iter().enumerate() {
                        th scope="col" class=[(index >= texts).then_some("number")] { (name) }
                    }
                } }
                tbody {
                    @for row in rows { tr {
                        @for (index, cell) in row.into_iter().enumerate() {
                            td class=[(index >= texts).then_some("number")] { (cell) }
                        }
                    } }
                }
            }
        }
    }
}

fn text(value: impl std::fmt::Display) -> Markup {
    html! { (value) }
}

fn comparison(report: &Report) -> Markup {
    let row = |one: &Candidate| {
        let routing = one.routing.as_ref();
        let throughput = one.throughput.as_ref();
        vec![
            html! {
                a href={ "#c" (one.rank) } { code { (visible(&one.key)) } }
                @if one.current { " (today)" }
            },
            html! { span class=(one.verdict) { (one.verdict) } },
            text(distinct(&one.cardinality)),
            text(or_unknown(one.logical_partitions.top.first(), |top| {
                bytes(top.bytes)
            })),
            text(or_unknown(routing, |routing| {
                percent(routing.single / routing.operations.max(1e-9))
            })),
            text(or_unknown(
                routing.and_then(|one| one.partitions_visited),
                |one| format!("{:.2}", one.mean),
            )),
            text(or_unknown(
                throughput.and_then(|one| one.hottest_share),
                percent,
            )),
            text(or_unknown(
                throughput.and_then(|one| one.throttled_share),
                percent,
            )),
            text(or_unknown(throughput.and_then(|one| one.required), whole)),
            text(or_unknown(one.cost, |cost| quantity(cost.total.round()))),
        ]
    };
    let names = [
        "key",
        "verdict",
        "values",
        "largest",
        "one value",
        "partitions visited",
        "hottest",
        "refused",
        "RU/s needed",
        "a month",
    ];
    // Without a log the rest is not known.
    let columns = if report.log.is_some() { names.len() } else { 4 };
    html! {
        h2 { "Comparison" }
        (table("Comparison of candidates", &names[..columns], 2, report.candidates.iter().map(|one| {
            let mut cells = row(one);
            cells.truncate(columns);
            cells
        }).collect()))
        @if report.log.is_some() { p class="soft" {
            "one value: operations that go to one key value; hottest: share of the charge on the busiest physical partition; "
            "refused: requests over the throughput of the scenario; RU/s needed: the smallest at which at most 1% are refused."
        } }
    }
}

/// The candidates at the horizon, where that is not the same as today.
fn horizon(report: &Report) -> Markup {
    let Some(heading) = horizon::heading(report) else {
        return html! {};
    };
    let mut names = vec!["key"];
    names.extend(horizon::columns(report));
    let row = |one: &Candidate| {
        let mut row = vec![html! { code { (visible(&one.key)) } }];
        row.extend(horizon::cells(report, one).into_iter().map(text));
        row
    };
    html! {
        h2 { (heading) }
        (table(&heading, &names, 1, report.candidates.iter().map(row).collect()))
    }
}

fn input(report: &Report) -> Markup {
    let scenario = &report.scenario;
    let dataset = &report.dataset;
    html! {
        h2 { "What was read" }
        p { (whole(dataset.items)) " items, " (bytes(dataset.bytes)) ", " (whole(dataset.rejected)) " rows not used." }
        (problems(&dataset.problems))
        @match &report.log {
            Some(log) => {
                p {
                    (quantity(log.weight)) " operations, " (quantity(log.charge)) " RU, " (whole(log.rejected)) " rows not used"
                    @if let (Some(first), Some(last)) = (&log.first, &log.last) { ", " (first) " to " (last) }
                    "."
                }
                (problems(&log.problems))
            }
            None => p { "No log: storage and values only." },
        }
        p {
            "Scenario: " (or_unknown(scenario.throughput, whole)) " RU/s, " (bytes(scenario.container_bytes)) " in the container, "
            (partitions(scenario.partitions)) "."
        }
    }
}

fn problems(problems: &[Problem]) -> Markup {
    html! {
        @if !problems.is_empty() {
            ul { @for one in problems {
                li {
                    (whole(one.count)) " x " (one.message)
                    @if let Some(place) = one.places.first() {
                        span class="soft" { ", first " (visible(&place.file)) " line " (place.line) " " (visible(&place.detail)) }
                    }
                }
            } }
        }
    }
}

fn finding(one: &Finding) -> Markup {
    html! {
        div class={ "finding " (one.severity) } {
            p {
                b class=(one.severity) { (one.severity) } " " code { (one.code) } " "
                span class="soft" { (one.confidence) }
                br;
                (visible(&one.message))
            }
            p class="soft" { (visible(&one.remedy)) }
        }
    }
}

fn candidate(one: &Candidate) -> Markup {
    html! {
        section class="candidate" id={ "c" (one.rank) } aria-label={ "Candidate " (one.rank) } {
            h2 { (one.rank) ". " code { (visible(&one.key)) } }
            p { (one.strategy) ", " span class=(one.verdict) { (one.verdict) }
                span class="soft" { "; created with " code { (one.definition.paths.join(", ")) } ", " (one.definition.kind) " version " (one.definition.version) }
            }
            @if let Some(reason) = &one.proposed { p { "Proposed: " (visible(reason)) } }
            @if let Some(lost) = &one.lost { p { "Not taken: " (visible(lost)) } }
            @if let Some(growth) = &one.growth { p { "Growth: " (growth_in_words(growth)) } }
            @for found in &one.findings { (finding(found)) }
            @for ignored in &one.ignored {
                p class="soft" { "Ignored " code { (ignored.finding.code) } ": " (visible(&ignored.finding.message)) " (" (visible(&ignored.reason)) ")" }
            }
            div class="charts" {
                (charts::partitions(one))
                @if let Some(heat) = one.throughput.as_ref().and_then(|one| one.heat.as_ref()) { (charts::heat(heat)) }
                (charts::sizes(&one.logical_partitions.histogram))
                (charts::price(one))
                @if let Some(growth) = &one.growth { (charts::growth(growth)) }
            }
            (details(one))
        }
    }
}

fn details(one: &Candidate) -> Markup {
    let logical = &one.logical_partitions;
    let mut columns = vec!["value"];
    columns.extend(heaviest_columns(logical));
    let values = logical.top.iter().map(|top| {
        let mut cells = vec![html! { code { (key_value(&top.value)) } }];
        cells.extend(heaviest_cells(logical, top).into_iter().map(text));
        cells
    });
    let partitions = one
        .physical_partitions
        .iter()
        .enumerate()
        .map(|(index, part)| {
            vec![
                text(index),
                text(whole(part.logical_partitions)),
                text(whole(part.items)),
                text(bytes(part.bytes)),
                text(or_unknown(part.charge, quantity)),
                text(or_unknown(part.utilization, |used| percent(used.p99))),
                text(or_unknown(part.throttled_share, percent)),
            ]
        });
    html! {
        @if values.len() > 0 {
            details {
                summary { "Heaviest values" }
                (table("Heaviest values", &columns, 1, values.collect()))
            }
        }
        details {
            summary { "Physical partitions" }
            (table("Physical partitions", &["partition", "values", "items", "bytes", "RU", "use p99", "refused"], 0, partitions.collect()))
        }
        @if let Some(routing) = &one.routing {
            @let shapes = routing.shapes.iter().map(|shape| vec![
                text(visible(&shape.name)),
                text(&shape.routing),
                text(quantity(shape.operations)),
                text(format!("{:.2}", shape.partitions_visited_mean)),
                text(quantity(shape.charge)),
            ]);
            details {
                summary { "Operations" }
                (table("Operations", &["operations", "go to", "runs", "partitions", "RU"], 2, shapes.collect()))
            }
        }
    }
}

/// What the numbers rest on.
fn assumptions(report: &Report) -> Markup {
    html! {
        footer {
            h2 { "Assumptions and sources" }
            ul {
                li { "A logical partition holds at most 20 GB and serves at most 10,000 RU/s; a physical partition holds 50 GB and serves 10,000 RU/s (service limits, learn.microsoft.com/azure/cosmos-db/concepts-limits)." }
                li { "Keys are hashed and routed as the service does; ranges of physical partitions are equal unless a layout was given." }
                @if let Some(log) = &report.log {
                    li { (percent(log.charges.recorded)) " of the operations have recorded charges, " (percent(log.charges.recorded_with_fan_out))
                        " recorded ones that may include today's fan-out, " (percent(log.charges.modelled)) " are charged by the model " (log.charges.model) "." }
                }
            }
            details {
                summary { "Settings" }
                (table("Settings", &["setting", "value"], 2, report.settings.iter().map(|(name, value)| vec![
                    html! { code { (name) } }, text(visible(&value.to_string())),
                ]).collect()))
            }
            p class="soft" { (report.tool.name) " " (report.tool.version) }
        }
    }
}
