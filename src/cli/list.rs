//! `pkadvisor list` and `pkadvisor explain`: what the program knows.

use std::io::Write;

use clap::{Args, ValueEnum};

use super::{ExitCode, Failure};
use crate::assess::checks;
use crate::ingest::{dataset, log};
use crate::keys::Strategy;
use crate::report::format;

/// List what the program reads, tests, checks and writes
#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    what: Kind,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Forms of datasets
    Formats,
    /// Forms of access logs
    LogFormats,
    /// Ways to build a key
    Strategies,
    /// Checks of a candidate
    Checks,
    /// Ways to write a report
    OutputFormats,
}

/// Explain a check: what it means, how it is computed, how to fix it
#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// The code of the check, such as hot-partition; see 'list checks'
    code: String,
}

pub(super) fn list(arguments: &ListArguments, out: &mut impl Write) -> Result<(), Failure> {
    let rows: Vec<(&str, &str)> = match arguments.what {
        Kind::Formats => dataset::ALL
            .iter()
            .map(|one| (one.name(), one.summary()))
            .collect(),
        Kind::LogFormats => log::ALL
            .iter()
            .map(|one| (one.name(), one.summary()))
            .collect(),
        Kind::Strategies => Strategy::ALL
            .iter()
            .map(|one| (one.name(), one.summary()))
            .collect(),
        Kind::Checks => checks::ALL
            .iter()
            .map(|one| (one.code(), one.summary()))
            .collect(),
        Kind::OutputFormats => format::ALL
            .iter()
            .map(|one| (one.name(), one.summary()))
            .collect(),
    };
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, summary) in rows {
        writeln!(out, "{name:width$}  {summary}").map_err(Failure::output)?;
    }
    Ok(())
}

pub(super) fn explain(arguments: &ExplainArguments, out: &mut impl Write) -> Result<(), Failure> {
    let Some(check) = checks::named(&arguments.code) else {
        let codes: Vec<&str> = checks::ALL.iter().map(|check| check.code()).collect();
        let message = format!(
            "{} is no check; expected one of {}",
            arguments.code,
            codes.join(", ")
        );
        return Err(Failure::new(ExitCode::Usage, message));
    };
    let page = check.page();
    let text = format!(
        "{}: {}\n\nWhat   {}\n\nWhy    {}\n\nHow    {}\n\nFor example: {}\n\nFix    {}\n",
        check.code(),
        check.summary(),
        page.what,
        page.why,
        page.how,
        page.example,
        page.fix
    );
    out.write_all(text.as_bytes()).map_err(Failure::output)
}
