//! `pkadvisor render`, `schema`, `completions` and `man`: reports again, and what describes the program.

use std::fs;
use std::io::{self, Read, Write};

use clap::{Args, CommandFactory};

use super::output;
use super::{Arguments, ExitCode, Failure};
use crate::report::v1::{self, Report};

/// Write a saved report in another format
#[derive(Debug, Args)]
pub(super) struct RenderArguments {
    /// A report as JSON; - is standard input
    report: String,

    /// How standard output is written; see 'list output-formats'
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    format: String,

    /// Also write the report to a file, as FORMAT=PATH; repeat for each
    #[arg(long, value_name = "FORMAT=PATH")]
    output: Vec<String>,
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Reads a saved report.
pub(super) fn saved(path: &str) -> Result<Report, Failure> {
    let input = |message: String| Failure::new(ExitCode::Input, message);
    let mut text = String::new();
    let read = if path == "-" {
        io::stdin().lock().read_to_string(&mut text).map(|_| ())
    } else {
        fs::read_to_string(path).map(|all| text = all)
    };
    read.map_err(|error| input(format!("{path} cannot be read: {error}")))?;
    let hint = "it is made by 'pkadvisor analyze --output json=FILE'";
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| input(format!("{path} is no report: {error}\n  hint: {hint}")))?;
    match value.get("schema").and_then(serde_json::Value::as_str) {
        Some(v1::SCHEMA) => {}
        Some(other) => {
            let message = format!(
                "{path} is of schema {other}; this program reads {}",
                v1::SCHEMA
            );
            return Err(input(message));
        }
        None => return Err(input(format!("{path} is no report\n  hint: {hint}"))),
    }
    serde_json::from_value(value).map_err(|error| {
        input(format!(
            "{path} is no report that this version reads: {error}"
        ))
    })
}

pub(super) fn render(arguments: &RenderArguments, out: &mut impl Write) -> Result<(), Failure> {
    let format = output::find(&arguments.format)?;
    let files = output::open_all(&arguments.output)?;
    let report = saved(&arguments.report)?;
    for file in files {
        file.write(&report)?;
    }
    format
        .render(&report, output::standard(), out)
        .map_err(Failure::output)
}

/// The JSON Schema of reports.
pub(super) fn schema(out: &mut impl Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, &v1::json_schema())
        .map_err(|error| Failure::output(error.into()))?;
    writeln!(out).map_err(Failure::output)
}

pub(super) fn completions(
    arguments: &CompletionsArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "pkadvisor",
        &mut script,
    );
    out.write_all(&script).map_err(Failure::output)
}

/// The manual: a page for the program and one for each command.
pub(super) fn man(out: &mut impl Write) -> Result<(), Failure> {
    let command = Arguments::command();
    let mut pages = vec![command.clone()];
    pages.extend(command.get_subcommands().map(|command| {
        let name = format!("pkadvisor {}", command.get_name());
        command.clone().bin_name(name)
    }));
    for page in pages {
        clap_mangen::Man::new(page)
            .render(out)
            .map_err(Failure::output)?;
    }
    Ok(())
}
