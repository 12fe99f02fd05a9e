//! Renderings of a report. To add one: a file in this folder, and its two lines here.

mod csv;
mod csv_partitions;
mod csv_shapes;
mod github;
mod html;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod sarif;
mod svg;
mod terminal;

use std::io::{self, Write};

use super::v1::Report;

/// All renderings.
pub const ALL: &[&dyn OutputFormat] = &[
    &terminal::Terminal,
    &json::Json,
    &jsonl::JsonLines,
    &csv::Csv,
    &csv_partitions::CsvPartitions,
    &csv_shapes::CsvShapes,
    &markdown::Markdown,
    &html::Html,
    &svg::Svg,
    &junit::Junit,
    &sarif::Sarif,
    &github::Github,
];

/// What a rendering must know of where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Columns of the terminal.
    pub width: u16,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether blocks may be drawn; plain characters stand for them elsewhere.
    pub blocks: bool,
}

/// A way to render a report.
pub trait OutputFormat: Sync {
    /// The word for it on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn summary(&self) -> &'static str;

    /// Writes a report.
    fn render(&self, report: &Report, target: Target, out: &mut dyn Write) -> io::Result<()>;
}

/// The rendering with a name.
pub fn named(name: &str) -> Option<&'static dyn OutputFormat> {
    ALL.iter().copied().find(|format| format.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let names: std::collections::BTreeSet<_> = ALL.iter().map(|one| one.name()).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|one| !one.summary().ends_with('.')));
        assert_eq!(named("json").map(OutputFormat::name), Some("json"));
    }
}
