//! Markdown: readable in a pull request, long tables folded.

use std::fmt::Display;
use std::io::{self, Write};

use super::{OutputFormat, Target};
use crate::assess::text::{bytes, percent, quantity, whole};
use crate::report::text::{
    cut, distinct, growth_in_words, heaviest_cells, heaviest_columns, key_value, or_unknown,
    partitions, visible,
};
use crate::report::v1::{Candidate, Problem, Report};
use crate::report::{horizon, suffixes};

/// Longest text of a cell, in characters.
const CELL_MAX: usize = 400;

pub(super) struct Markdown;

impl OutputFormat for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn summary(&self) -> &'static str {
        "Markdown for pull requests and wikis, long tables folded"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# Partition key design\n")?;
        recommendation(report, out)?;
        comparison(report, out)?;
        horizon(report, out)?;
        input(report, out)?;
        for candidate in &report.candidates {
            self::candidate(candidate, out)?;
        }
        for search in &report.suffix_searches {
            writeln!(out, "## Suffixes on {}\n", code(&search.key))?;
            writeln!(out, "{}.\n", plain(&suffixes::conclusion(search)))?;
            header(&suffixes::COLUMNS, suffixes::TEXT_COLUMNS, out)?;
            for cells in suffixes::rows(search) {
                writeln!(out, "| {} |", cells.join(" | "))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Text that means itself, on one line.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in cut(&visible(text), CELL_MAX).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A key or a value in the type of code, whole.
fn code(text: &str) -> String {
    let text = visible(text).replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn row(cells: &[&dyn Display], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "|")?;
    for cell in cells {
        write!(out, " {cell} |")?;
    }
    writeln!(out)
}

/// A header, its first columns of text and the others of numbers.
fn header(names: &[&str], texts: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| {} |", names.join(" | "))?;
    let rule = |index: usize| if index < texts { "---" } else { "---:" };
    let rules: Vec<&str> = (0..names.len()).map(rule).collect();
    writeln!(out, "| {} |", rules.join(" | "))
}

fn recommendation(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let one = &report.recommendation;
    match &one.key {
        Some(key) => writeln!(out, "**Take {}** ({})\n", code(key), one.confidence)?,
        None => writeln!(out, "**No candidate is acceptable**\n")?,
    }
    for reason in &one.reasons {
        writeln!(out, "- {}", plain(reason))?;
    }
    for next in &one.next {
        writeln!(out, "- Next: {}", plain(next))?;
    }
    writeln!(out)
}

fn comparison(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let names = [
        "key", "verdict", "values", "largest", "single", "visits", "hottest", "429", "RU/s",
        "month", "errors", "warnings",
    ];
    header(&names, 2, out)?;
    for one in &report.candidates {
        let routing = one.routing.as_ref();
        let throughput = one.throughput.as_ref();
        let count = |severity: &str| {
            let of_it = one.findings.iter().filter(|one| one.severity == severity);
            of_it.count()
        };
        let key = format!(
            "{}{}",
            code(&one.key),
            if one.current { " (today)" } else { "" }
        );
        row(
            &[
                &key,
                &one.verdict,
                &distinct(&one.cardinality),
                &or_unknown(one.logical_partitions.top.first(), |top| bytes(top.bytes)),
                &or_unknown(routing, |routing| {
                    percent(routing.single / routing.operations.max(1e-9))
                }),
                &or_unknown(
                    routing.and_then(|routing| routing.partitions_visited),
                    |visited| format!("{:.2}", visited.mean),
                ),
                &or_unknown(throughput.and_then(|one| one.hottest_share), percent),
                &or_unknown(throughput.and_then(|one| one.throttled_share), percent),
                &or_unknown(throughput.and_then(|one| one.required), whole),
                &or_unknown(one.cost, |cost| quantity(cost.total.round())),
                &count("error"),
                &count("warning"),
            ],
            out,
        )?;
    }
    writeln!(out)
}

/// The candidates at the horizon, where that is not the same as today.
fn horizon(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Some(heading) = horizon::heading(report) else {
        return Ok(());
    };
    writeln!(out, "{heading}:\n")?;
    let mut names = vec!["key"];
    names.extend(horizon::columns(report));
    header(&names, 1, out)?;
    for one in &report.candidates {
        let cells = horizon::cells(report, one);
        writeln!(out, "| {} | {} |", code(&one.key), cells.join(" | "))?;
    }
    writeln!(out)
}

fn input(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let dataset = &report.dataset;
    writeln!(
        out,
        "Data: {} items, {}, {} rows not used.",
        whole(dataset.items),
        bytes(dataset.bytes),
        whole(dataset.rejected)
    )?;
    problems(&dataset.problems, out)?;
    match &report.log {
        Some(log) => {
            writeln!(
                out,
                "\nLog: {} operations, {} RU, {} rows not used.",
                quantity(log.weight),
                quantity(log.charge),
                whole(log.rejected)
            )?;
            problems(&log.problems, out)?;
        }
        None => writeln!(out, "\nNo log: storage and values only.")?,
    }
    let scenario = &report.scenario;
    writeln!(
        out,
        "\nScenario: {} RU/s, {}, {}.\n",
        or_unknown(scenario.throughput, whole),
        bytes(scenario.container_bytes),
        partitions(scenario.partitions)
    )
}

fn problems(problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    for problem in problems {
        let first = problem.places.first().map_or_else(String::new, |place| {
            format!(", first {} line {}", plain(&place.file), place.line)
        });
        writeln!(
            out,
            "- {} x {}{first}",
            whole(problem.count),
            plain(&problem.message)
        )?;
    }
    Ok(())
}

fn candidate(one: &Candidate, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "## {}. {} — {}, {}\n",
        one.rank,
        code(&one.key),
        one.strategy,
        one.verdict
    )?;
    findings(one, out)?;
    tables(one, out)
}

fn findings(one: &Candidate, out: &mut dyn Write) -> io::Result<()> {
    for (what, text) in [("Proposed", &one.proposed), ("Not taken", &one.lost)] {
        if let Some(text) = text {
            writeln!(out, "{what}: {}\n", plain(text))?;
        }
    }
    for finding in &one.findings {
        writeln!(
            out,
            "- **{}** `{}` ({}): {} — {}",
            finding.severity,
            finding.code,
            finding.confidence,
            plain(&finding.message),
            plain(&finding.remedy)
        )?;
    }
    if let Some(growth) = &one.growth {
        writeln!(out, "Growth: {}\n", plain(&growth_in_words(growth)))?;
    }
    for ignored in &one.ignored {
        writeln!(
            out,
            "- ignored `{}`: {} — {}",
            ignored.finding.code,
            plain(&ignored.finding.message),
            plain(&ignored.reason)
        )?;
    }
    if !one.findings.is_empty() || !one.ignored.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// The long tables, folded.
fn tables(one: &Candidate, out: &mut dyn Write) -> io::Result<()> {
    let logical = &one.logical_partitions;
    if !logical.top.is_empty() {
        folded("Heaviest values", out, |out| {
            let mut columns = vec!["value"];
            columns.extend(heaviest_columns(logical));
            header(&columns, 1, out)?;
            for top in &logical.top {
                let value = code(&cut(&key_value(&top.value), CELL_MAX));
                let cells = heaviest_cells(logical, top);
                let mut of_row: Vec<&dyn Display> = vec![&value];
                of_row.extend(cells.iter().map(|cell| cell as &dyn Display));
                row(&of_row, out)?;
            }
            Ok(())
        })?;
    }
    folded("Physical partitions", out, |out| {
        header(
            &[
                "partition",
                "values",
                "items",
                "bytes",
                "RU",
                "share",
                "use p99",
                "429",
            ],
            0,
            out,
        )?;
        for (index, part) in one.physical_partitions.iter().enumerate() {
            row(
                &[
                    &index,
                    &whole(part.logical_partitions),
                    &whole(part.items),
                    &bytes(part.bytes),
                    &or_unknown(part.charge, quantity),
                    &or_unknown(part.charge_share, percent),
                    &or_unknown(part.utilization, |used| percent(used.p99)),
                    &or_unknown(part.throttled_share, percent),
                ],
                out,
            )?;
        }
        Ok(())
    })?;
    let Some(routing) = &one.routing else {
        return Ok(());
    };
    folded("Operations", out, |out| {
        header(
            &["operations", "goes to", "runs", "partitions", "RU"],
            2,
            out,
        )?;
        for shape in &routing.shapes {
            row(
                &[
                    &plain(&shape.name),
                    &shape.routing,
                    &quantity(shape.operations),
                    &format!("{:.2}", shape.partitions_visited_mean),
                    &quantity(shape.charge),
                ],
                out,
            )?;
        }
        Ok(())
    })
}

/// A part that is shown on request.
fn folded(
    title: &str,
    out: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    writeln!(out, "<details><summary>{title}</summary>\n")?;
    content(out)?;
    writeln!(out, "\n</details>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(plain("a|b <img> `x`"), "a\\|b &lt;img> \\`x\\`");
        assert_eq!(code("{/a}`|"), "`` {/a}`\\| ``");
        assert_eq!(code("/a"), "`/a`");
    }
}
