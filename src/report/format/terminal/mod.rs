//! For a person at a terminal: the comparison first, then each candidate.

mod bars;
mod candidate;
mod comparison;
mod input;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};

use super::{OutputFormat, Target};
use crate::report::suffixes;
use crate::report::text::visible;
use crate::report::v1::{Candidate, Report, SuffixSearch};

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
        page.horizon(out)?;
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

/// The key of a candidate, today's with a mark.
fn mark(candidate: &Candidate) -> String {
    let today = if candidate.current { " (today)" } else { "" };
    format!("{}{today}", visible(&candidate.key))
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
}
