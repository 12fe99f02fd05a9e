//! `pkadvisor diff`: what changed between two reports.

use std::io::Write;

use clap::{Args, ValueEnum};

use super::render::saved;
use super::{ExitCode, Failure};
use crate::report::diff::{Direction, diff, write_markdown, write_text};

/// Compare two saved reports: what got better or worse beyond noise
///
/// Numbers count from a change of 5 % on, shares from one of 1 point.
#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// The report before, as JSON
    old: String,

    /// The report after
    new: String,

    /// How the changes are written
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,

    /// End with code 1 when something is worse
    #[arg(long, value_enum, default_value = "never")]
    fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// One line a change
    Terminal,
    /// A table
    Markdown,
    /// One document
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Not at all
    Never,
    /// When something is worse
    Worse,
}

pub(super) fn run(arguments: &DiffArguments, out: &mut impl Write) -> Result<ExitCode, Failure> {
    if arguments.old == "-" && arguments.new == "-" {
        let message = "standard input can be read once only";
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let (old, new) = (saved(&arguments.old)?, saved(&arguments.new)?);
    let changes = diff(&old, &new);
    match arguments.format {
        Format::Terminal => write_text(&changes, out),
        Format::Markdown => write_markdown(&changes, out),
        Format::Json => serde_json::to_writer_pretty(&mut *out, &changes)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(out)),
    }
    .map_err(Failure::output)?;
    let worse = changes
        .iter()
        .any(|change| change.direction == Direction::Worse);
    Ok(if worse && arguments.fail_on == FailOn::Worse {
        ExitCode::Findings
    } else {
        ExitCode::Done
    })
}
