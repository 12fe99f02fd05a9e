//! The comparison: a line a candidate, as many columns as there is room for.

use std::io::{self, Write};

use comfy_table::{Cell, ColumnConstraint, Width};

use super::bars::sparkline;
use super::{Page, mark, right};
use crate::assess::text::{bytes, percent, quantity};
use crate::report::horizon;
use crate::report::text::{distinct, needed, or_unknown};
use crate::report::v1::Candidate;

/// Columns of text before those of numbers.
const TEXT_COLUMNS: usize = 2;

/// The narrowest column of keys.
const KEY_MIN: usize = 14;

/// Columns that are left out where there is no room, the first first.
const OPTIONAL: [&str; 7] = [
    "load", "fullest", "hottest", "largest", "visits", "429", "month",
];

impl Page<'_> {
    pub(super) fn comparison(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut columns = self.columns();
        let width = usize::from(self.target.width);
        let mut left_out = Vec::new();
        for name in OPTIONAL {
            if width_of(&columns) <= width {
                break;
            }
            if let Some(at) = columns.iter().position(|column| column.0 == name) {
                columns.remove(at);
                left_out.push(name);
            }
        }
        let header: Vec<&str> = columns.iter().map(|column| column.0).collect();
        let mut table = self.table(&header, TEXT_COLUMNS);
        let others = width_of(&columns) - KEY_MIN;
        let longest = columns[0].1.iter().map(|key| key.chars().count()).max();
        let room = width.saturating_sub(others).max(KEY_MIN);
        for (index, wanted) in [
            longest.unwrap_or(0).min(room) + 1,
            longest_of(&columns[1]) + 1,
        ]
        .into_iter()
        .enumerate()
        {
            if let Some(column) = table.column_mut(index) {
                let width = Width::Fixed(wanted as u16);
                column.set_constraint(ColumnConstraint::LowerBoundary(width));
            }
        }
        for row in 0..self.report.candidates.len() {
            let cells = columns.iter().enumerate().map(|(index, (_, cells))| {
                if index < TEXT_COLUMNS {
                    Cell::new(&cells[row])
                } else {
                    right(&cells[row])
                }
            });
            table.add_row(cells);
        }
        Self::print(&table, out)?;
        if !left_out.is_empty() {
            writeln!(out, "no room for: {}", left_out.join(", "))?;
        }
        writeln!(out)
    }

    /// The candidates at the horizon, where that is not the same as today.
    pub(super) fn horizon(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(heading) = horizon::heading(self.report) else {
            return Ok(());
        };
        writeln!(out, "{}", self.heading(&heading))?;
        let mut header = vec!["key"];
        header.extend(horizon::columns(self.report));
        let mut table = self.table(&header, 1);
        for one in &self.report.candidates {
            let mut row = vec![Cell::new(mark(one))];
            row.extend(horizon::cells(self.report, one).into_iter().map(right));
            table.add_row(row);
        }
        Self::print(&table, out)?;
        writeln!(out)
    }

    /// The columns with the cells of all candidates.
    fn columns(&self) -> Vec<(&'static str, Vec<String>)> {
        let of = |cell: &dyn Fn(&Candidate) -> String| -> Vec<String> {
            self.report.candidates.iter().map(cell).collect()
        };
        let total = self.report.dataset.scaled.bytes.max(1);
        let fullest = |one: &Candidate| {
            let largest = one.physical_partitions.iter().map(|part| part.bytes).max();
            or_unknown(largest, |largest| percent(largest as f64 / total as f64))
        };
        let largest = |one: &Candidate| {
            let sizes = one.logical_partitions.bytes;
            or_unknown(sizes, |sizes| bytes(sizes.max))
        };
        let mut columns = vec![
            ("key", of(&mark)),
            ("verdict", of(&|one| one.verdict.clone())),
            ("values", of(&|one| distinct(&one.cardinality))),
            ("largest", of(&largest)),
            ("fullest", of(&fullest)),
        ];
        if self.report.log.is_none() {
            return columns;
        }
        let routing = |one: &Candidate| {
            let routing = one.routing.as_ref();
            or_unknown(routing, |routing| {
                percent(routing.single / routing.operations.max(1e-9))
            })
        };
        let visits = |one: &Candidate| {
            let visited = one
                .routing
                .as_ref()
                .and_then(|routing| routing.partitions_visited);
            or_unknown(visited, |visited| format!("{:.2}", visited.mean))
        };
        let share = |one: &Candidate, of: fn(&crate::report::v1::Throughput) -> Option<f64>| {
            or_unknown(one.throughput.as_ref().and_then(of), percent)
        };
        let load = |one: &Candidate| {
            let parts = one.physical_partitions.iter();
            let shares: Vec<f64> = parts.filter_map(|part| part.charge_share).collect();
            sparkline(&shares, self.target.blocks)
        };
        let needs = |one: &Candidate| {
            let required = one.throughput.as_ref().and_then(|one| one.required);
            needed(required, &self.report.scenario)
        };
        columns.extend([
            ("load", of(&load)),
            ("single", of(&routing)),
            ("visits", of(&visits)),
            ("hottest", of(&|one| share(one, |of| of.hottest_share))),
            ("429", of(&|one| share(one, |of| of.throttled_share))),
            ("RU/s", of(&needs)),
            (
                "month",
                of(&|one| or_unknown(one.cost, |cost| quantity(cost.total.round()))),
            ),
        ]);
        columns
    }
}

/// The widest cell of a column, its name included.
fn longest_of((name, cells): &(&str, Vec<String>)) -> usize {
    let cells = cells.iter().map(|cell| cell.chars().count());
    cells.max().unwrap_or(0).max(name.len())
}

/// The width that columns take with the narrowest key.
fn width_of(columns: &[(&str, Vec<String>)]) -> usize {
    let others = columns.iter().skip(1).map(|column| longest_of(column) + 2);
    KEY_MIN + others.sum::<usize>()
}
