//! For a person at a terminal: the comparison first, then each candidate.

mod bars;
mod comparison;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle, Width,
};

use self::bars::bar;
use super::{OutputFormat, Target};
use crate::assess::text::{bytes, percent, quantity, whole};
use crate::report::suffixes;
use crate::report::text::{UNKNOWN, cut, growth_in_words, key_value, visible};
use crate::report::v1::{Candidate, Finding, Log, Problem, Report, SuffixSearch};

/// Heaviest logical partitions that are shown of each candidate.
const TOP_SHOWN: usize = 5;

/// Columns of a terminal from which on there is room for bars.
const BARS_FROM: u16 = 100;

/// Characters of the longest bar.
const BAR_LENGTH: usize = 10;

/// Shapes that are shown of each candidate.
const SHAPES_SHOWN: usize = 8;

/// Physical partitions that are shown of each candidate.
const PARTITIONS_SHOWN: usize = 10;

/// Ranges of throughput that are shown of those that are not enough.
const RANGES_SHOWN: usize = 3;

/// A rule under the header and nothing else.
const RULED: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('-').junction('-'));

/// Text and tables.
pub(super) struct Terminal;

impl OutputFormat for Terminal {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn summary(&self) -> &'static str {
        "tables for a person at a terminal"
    }

    fn render(&self, report: &Report, target: Target, out: &mut dyn Write) -> io::Result<()> {
        let page = Page { report, target };
        page.input(out)?;
        page.recommendation(out)?;
        page.comparison(out)?;
        page.common_findings(out)?;
        for candidate in &report.candidates {
            page.candidate(candidate, out)?;
        }
        for search in &report.suffix_searches {
            page.suffixes(search, out)?;
        }
        Ok(())
    }
}

struct Page<'a> {
    report: &'a Report,
    target: Target,
}

fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn or_unknown<T>(value: Option<T>, write: impl Fn(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), write)
}

/// The key of a candidate, today's with a mark.
fn mark(candidate: &Candidate) -> String {
    let today = if candidate.current { " (today)" } else { "" };
    format!("{}{today}", visible(&candidate.key))
}

/// The end of a line on what was read.
fn rejected(count: u64) -> String {
    if count == 0 {
        String::new()
    } else {
        format!(", {} rows not used", whole(count))
    }
}

impl Page<'_> {
    fn styled(&self, text: &str, style: Style) -> String {
        if self.target.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    fn heading(&self, text: &str) -> String {
        self.styled(text, Style::new().bold())
    }

    fn table(&self, header: &[&str], numbers_from: usize) -> Table {
        let mut table = Table::new();
        table
            .load_style(RULED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.target.width);
        table.set_header(header.iter().enumerate().map(|(index, name)| {
            if index >= numbers_from {
                right(name)
            } else {
                Cell::new(name)
            }
        }));
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 1));
            // A number that goes on in the next line is none.
            if index >= numbers_from {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }

    fn print(table: &Table, out: &mut dyn Write) -> io::Result<()> {
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn input(&self, out: &mut dyn Write) -> io::Result<()> {
        let (dataset, scenario) = (&self.report.dataset, &self.report.scenario);
        let files = |count: usize| {
            if count == 1 {
                "1 file".to_owned()
            } else {
                format!("{count} files")
            }
        };
        writeln!(
            out,
            "data      {} items, {}, in {}{}",
            whole(dataset.items),
            bytes(dataset.bytes),
            files(dataset.files.len()),
            rejected(dataset.rejected)
        )?;
        self.problems(&dataset.problems, out)?;
        let as_numbers: Vec<&str> = dataset
            .columns
            .iter()
            .filter(|(_, kind)| *kind == "number")
            .map(|(name, _)| name.as_str())
            .collect();
        if !dataset.columns.is_empty() {
            let list = if as_numbers.is_empty() {
                "none".to_owned()
            } else {
                visible(&as_numbers.join(", "))
            };
            self.wrapped(
                "columns   ",
                &format!("read as numbers: {list}; the others as text"),
                out,
            )?;
        }
        self.log(out)?;
        let throughput = scenario.throughput.map_or_else(
            || "throughput unknown".to_owned(),
            |ru| {
                let derived = scenario.throughput_source.as_deref() == Some("derived");
                let source = if derived {
                    " (derived from the log)"
                } else {
                    ""
                };
                format!("{} RU/s{source}", whole(ru))
            },
        );
        let partitions = if scenario.partitions == 1 {
            "1 physical partition".to_owned()
        } else {
            format!("{} physical partitions", scenario.partitions)
        };
        let window = scenario
            .window_seconds
            .map_or_else(String::new, |seconds| format!(", windows of {seconds} s"));
        self.wrapped(
            "scenario  ",
            &format!(
                "{throughput}, {} in the container, {partitions}{window}",
                bytes(scenario.container_bytes)
            ),
            out,
        )?;
        writeln!(out)
    }

    /// What the container refused when the log was taken.
    fn refused(&self, log: &Log, out: &mut dyn Write) -> io::Result<()> {
        let mut parts = Vec::new();
        if log.throttled > 0.0 {
            parts.push(format!(
                "{} requests for their rate (429)",
                quantity(log.throttled)
            ));
        }
        if log.unmet > 0.0 {
            parts.push(format!(
                "{} operations never succeeded, so what a key needs is a lower bound",
                quantity(log.unmet)
            ));
        }
        if log.full > 0.0 {
            parts.push(format!(
                "{} writes as a logical partition was full (403/1014)",
                quantity(log.full)
            ));
        }
        if parts.is_empty() {
            return Ok(());
        }
        self.wrapped("refused   ", &parts.join("; "), out)
    }

    fn log(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(log) = &self.report.log {
            let span = match (&log.first, &log.last) {
                (Some(first), Some(last)) if first != last => format!(", {first} to {last}"),
                (Some(first), _) => format!(", all at {first}"),
                _ => ", without times".to_owned(),
            };
            let timed = self.report.scenario.window_seconds.is_some();
            let span = if timed {
                span
            } else {
                format!("{span} (--log-duration tells how long it took, for RU/s)")
            };
            let line = format!(
                "{} operations, {} RU{span}{}",
                quantity(log.weight),
                quantity(log.charge),
                rejected(log.rejected)
            );
            self.wrapped("log       ", &line, out)?;
            self.problems(&log.problems, out)?;
            if log.ids.named > 0 {
                let unknown = log.ids.named - log.ids.in_dataset - log.ids.created_in_log;
                let line = format!(
                    "{} named: {} in the data, {} created in the log, {} unknown",
                    whole(log.ids.named),
                    whole(log.ids.in_dataset),
                    whole(log.ids.created_in_log),
                    whole(unknown)
                );
                self.wrapped("ids       ", &line, out)?;
            }
            self.refused(log, out)?;
            if let Some(seconds) = log.rates_seconds {
                let line = format!("taken over {} s", whole(seconds));
                self.wrapped("rates     ", &line, out)?;
            }
            if log.charges.recorded < 1.0 {
                let parts = [
                    (log.charges.recorded, "recorded"),
                    (
                        log.charges.recorded_with_fan_out,
                        "recorded, today's fan-out perhaps included (--current-key takes it off)",
                    ),
                    (log.charges.modelled, "by the model"),
                ];
                let parts = parts.iter().filter(|(share, _)| *share > 0.0);
                let line = parts
                    .map(|(share, what)| format!("{} {what}", percent(*share)))
                    .collect::<Vec<_>>()
                    .join("; ");
                self.wrapped("charges   ", &line, out)?;
            }
        } else {
            self.wrapped("log       ", "none: storage and cardinality only; with --log the report shows routing, hot partitions and RU/s", out)?;
        }
        Ok(())
    }

    fn problems(&self, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
        for problem in problems {
            let place = problem.places.first().map_or_else(String::new, |place| {
                format!(
                    "; first {}, line {}: {}",
                    visible(&place.file),
                    place.line,
                    visible(&place.detail)
                )
            });
            self.wrapped(
                "          ",
                &format!("{} x {}{place}", whole(problem.count), problem.message),
                out,
            )?;
        }
        Ok(())
    }

    /// A paragraph behind a label, its further lines under its first.
    fn wrapped(&self, label: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let width = usize::from(self.target.width)
            .saturating_sub(label.len())
            .max(20);
        let mut line = String::new();
        let mut label = label.to_owned();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                writeln!(out, "{label}{line}")?;
                label = " ".repeat(label.chars().count());
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        writeln!(out, "{label}{line}")
    }

    fn recommendation(&self, out: &mut dyn Write) -> io::Result<()> {
        let recommendation = &self.report.recommendation;
        let key = recommendation
            .key
            .as_deref()
            .map_or_else(|| "none of these".to_owned(), visible);
        writeln!(
            out,
            "{}  ({})",
            self.heading(&format!("Take {key}")),
            recommendation.confidence
        )?;
        for reason in &recommendation.reasons {
            self.wrapped("  - ", &visible(reason), out)?;
        }
        for next in &recommendation.next {
            self.wrapped("  next: ", &visible(next), out)?;
        }
        writeln!(out)
    }

    fn verdict(&self, candidate: &Candidate) -> String {
        let colour = match candidate.verdict.as_str() {
            "acceptable" => AnsiColor::Green,
            "rejected" => AnsiColor::Red,
            _ => AnsiColor::Yellow,
        };
        self.styled(&candidate.verdict, colour.on_default())
    }

    /// What numbers of suffixes come to.
    fn suffixes(&self, search: &SuffixSearch, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}",
            self.heading(&format!("Suffixes on {}", visible(&search.key)))
        )?;
        self.wrapped("  ", &suffixes::conclusion(search), out)?;
        writeln!(out)?;
        let mut table = self.table(&suffixes::COLUMNS, suffixes::TEXT_COLUMNS);
        for row in suffixes::rows(search) {
            let cells = row.into_iter().enumerate();
            table.add_row(cells.map(|(index, cell)| {
                if index < suffixes::TEXT_COLUMNS {
                    Cell::new(cell)
                } else {
                    right(cell)
                }
            }));
        }
        Self::print(&table, out)?;
        writeln!(out)
    }

    fn candidate(&self, candidate: &Candidate, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}  {}, {}",
            self.heading(&format!("{}. {}", candidate.rank, visible(&candidate.key))),
            candidate.strategy,
            self.verdict(candidate)
        )?;
        if let Some(reason) = &candidate.proposed {
            self.wrapped("  proposed: ", &visible(reason), out)?;
        }
        if let Some(lost) = &candidate.lost {
            self.wrapped("  not taken: ", &visible(lost), out)?;
        }
        for finding in candidate.findings.iter().filter(|one| !self.is_common(one)) {
            self.finding(finding, out)?;
        }
        for one in &candidate.ignored {
            let line = format!("{} [{}]", visible(&one.finding.message), one.finding.code);
            self.wrapped(
                "  ignored ",
                &format!("{line}: {}", visible(&one.reason)),
                out,
            )?;
        }
        self.price(candidate, out)?;
        // What the files hold nearly all of needs no word.
        let coverage = candidate.cardinality.coverage;
        if let Some(coverage) = coverage.filter(|share| *share < 0.9995) {
            let least = candidate.cardinality.at_least.unwrap_or(0);
            let line = format!(
                "holds the values of {} of the container's items; these have at least about {} values",
                percent(coverage),
                whole(least)
            );
            self.wrapped("  sample: ", &line, out)?;
        }
        if let Some(growth) = &candidate.growth {
            self.wrapped("  growth: ", &growth_in_words(growth), out)?;
        }
        let cardinality = &candidate.cardinality;
        if cardinality.levels.len() > 1 {
            let levels: Vec<String> = cardinality
                .levels
                .iter()
                .map(|count| whole(*count))
                .collect();
            writeln!(out, "  distinct values by level: {}", levels.join(" / "))?;
        }
        if let Some(throughput) = candidate
            .throughput
            .as_ref()
            .filter(|one| !one.failing.is_empty())
        {
            let more = throughput.failing.len().saturating_sub(RANGES_SHOWN);
            let more = if more > 0 {
                format!(" and {more} more ranges")
            } else {
                String::new()
            };
            let ranges: Vec<String> = throughput
                .failing
                .iter()
                .take(RANGES_SHOWN)
                .map(|(low, high)| format!("{} to {}", whole(*low), whole(*high)))
                .collect();
            self.wrapped(
                "  ",
                &format!(
                    "not enough again: {} RU/s{more}, as more partitions get less each",
                    ranges.join(", ")
                ),
                out,
            )?;
        }
        writeln!(out)?;
        self.logical(candidate, out)?;
        self.physical(candidate, out)?;
        self.shapes(candidate, out)
    }

    /// Whether a finding holds for every candidate in the same words.
    fn is_common(&self, finding: &Finding) -> bool {
        let candidates = &self.report.candidates;
        candidates.len() > 1 && candidates.iter().all(|one| one.findings.contains(finding))
    }

    fn common_findings(&self, out: &mut dyn Write) -> io::Result<()> {
        let all = self
            .report
            .candidates
            .first()
            .map_or(&[][..], |first| &first.findings);
        let common: Vec<&Finding> = all.iter().filter(|one| self.is_common(one)).collect();
        if common.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", self.heading("Whatever the key"))?;
        for finding in common {
            self.finding(finding, out)?;
        }
        writeln!(out)
    }

    fn finding(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let colour = match finding.severity.as_str() {
            "error" => AnsiColor::Red,
            "warning" => AnsiColor::Yellow,
            _ => AnsiColor::Cyan,
        };
        // Coloured text must not be measured, so only the label is.
        let label = format!("  {:7} ", finding.severity);
        let line = format!(
            "{} [{}]: {}",
            visible(&finding.message),
            finding.code,
            visible(&finding.remedy)
        );
        let mut text = Vec::new();
        self.wrapped(&label, &line, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let coloured = self.styled(&finding.severity, colour.on_default());
        out.write_all(text.replacen(&finding.severity, &coloured, 1).as_bytes())
    }

    fn price(&self, candidate: &Candidate, out: &mut dyn Write) -> io::Result<()> {
        let Some(cost) = &candidate.cost else {
            return Ok(());
        };
        let money = |amount: f64| quantity((amount * 100.0).round() / 100.0);
        let line = format!(
            "{}: {} for an even load, {} for fan-out, {} for skew, {} for storage",
            money(cost.total),
            money(cost.even),
            money(cost.fan_out),
            money(cost.skew),
            money(cost.storage)
        );
        self.wrapped("  a month ", &line, out)
    }

    fn logical(&self, candidate: &Candidate, out: &mut dyn Write) -> io::Result<()> {
        let mut table = self.table(&["heaviest values", "items", "bytes", "share"], 1);
        for top in candidate.logical_partitions.top.iter().take(TOP_SHOWN) {
            let value = cut(&key_value(&top.value), 60);
            table.add_row(vec![
                Cell::new(value),
                right(whole(top.items)),
                right(bytes(top.bytes)),
                right(percent(top.share)),
            ]);
        }
        Self::print(&table, out)?;
        writeln!(out)
    }

    fn physical(&self, candidate: &Candidate, out: &mut dyn Write) -> io::Result<()> {
        let with_bars = self.target.width >= BARS_FROM;
        let with_log = self.report.log.is_some();
        let mut header = vec!["partition", "values", "items", "bytes"];
        if with_log {
            header.extend(["RU", "share", "use p99", "throttled"]);
            header.extend(with_bars.then_some("load"));
        }
        let mut table = self.table(&header, 0);
        let partitions = &candidate.physical_partitions;
        let shares = partitions.iter().filter_map(|one| one.charge_share);
        let most = shares.fold(0.0, f64::max);
        // Of many the busiest, then the fullest, are worth a look.
        let mut shown: Vec<usize> = (0..partitions.len()).collect();
        if partitions.len() > PARTITIONS_SHOWN {
            let weight = |index: &usize| {
                let one = &partitions[*index];
                (one.charge.unwrap_or(0.0), one.bytes)
            };
            shown.sort_by(|one, other| {
                let (one, other) = (weight(one), weight(other));
                other.0.total_cmp(&one.0).then(other.1.cmp(&one.1))
            });
            shown.truncate(PARTITIONS_SHOWN);
            shown.sort_unstable();
        }
        for index in &shown {
            let one = &partitions[*index];
            let mut row = vec![
                Cell::new(index),
                right(whole(one.logical_partitions)),
                right(whole(one.items)),
                right(bytes(one.bytes)),
            ];
            if with_log {
                row.push(right(or_unknown(one.charge, quantity)));
                row.push(right(or_unknown(one.charge_share, percent)));
                row.push(right(or_unknown(one.utilization, |used| percent(used.p99))));
                row.push(right(or_unknown(one.throttled_share, percent)));
                if with_bars {
                    let load = one.charge_share.unwrap_or(0.0) / f64::max(most, 1e-12);
                    row.push(Cell::new(bar(load, BAR_LENGTH, self.target.blocks)));
                }
            }
            table.add_row(row);
        }
        Self::print(&table, out)?;
        if shown.len() < partitions.len() {
            writeln!(
                out,
                "the {} busiest of {} physical partitions",
                shown.len(),
                partitions.len()
            )?;
        }
        writeln!(out)
    }

    fn shapes(&self, candidate: &Candidate, out: &mut dyn Write) -> io::Result<()> {
        let Some(routing) = &candidate.routing else {
            return Ok(());
        };
        let mut table = self.table(&["operations", "goes to", "runs", "partitions", "RU"], 2);
        if let Some(column) = table.column_mut(0) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(20)));
        }
        for shape in routing.shapes.iter().take(SHAPES_SHOWN) {
            let reach = match shape.routing.as_str() {
                "single" => "one value",
                "targeted" => "some values",
                "fan-out" => "all partitions",
                other => other,
            };
            table.add_row(vec![
                Cell::new(cut(&visible(&shape.name), 120)),
                Cell::new(reach),
                right(quantity(shape.operations)),
                right(format!("{:.2}", shape.partitions_visited_mean)),
                right(quantity(shape.charge)),
            ]);
        }
        Self::print(&table, out)?;
        if routing.shapes.len() > SHAPES_SHOWN {
            writeln!(
                out,
                "{} rarer shapes are in the JSON report",
                routing.shapes.len() - SHAPES_SHOWN
            )?;
        }
        writeln!(out)
    }
}
