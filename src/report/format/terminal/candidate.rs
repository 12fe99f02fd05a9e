//! One candidate: its findings, its price and its tables.

use std::io::{self, Write};

use anstyle::AnsiColor;
use comfy_table::{Cell, ColumnConstraint, Width};

use super::bars::bar;
use super::{Page, right};
use crate::assess::text::{bytes, percent, quantity, whole};
use crate::report::text::{
    cut, growth_in_words, heaviest_cells, heaviest_columns, key_value, or_unknown, visible,
};
use crate::report::v1::{Candidate, Finding};

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

impl Page<'_> {
    pub(super) fn candidate(&self, candidate: &Candidate, out: &mut dyn Write) -> io::Result<()> {
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

    pub(super) fn common_findings(&self, out: &mut dyn Write) -> io::Result<()> {
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
        let logical = &candidate.logical_partitions;
        if logical.top.is_empty() {
            return Ok(());
        }
        let mut header = vec!["heaviest values"];
        header.extend(heaviest_columns(logical));
        let mut table = self.table(&header, 1);
        for top in logical.top.iter().take(TOP_SHOWN) {
            let mut row = vec![Cell::new(cut(&key_value(&top.value), 60))];
            row.extend(heaviest_cells(logical, top).into_iter().map(right));
            table.add_row(row);
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
