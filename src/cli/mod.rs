//! The command line: arguments, streams and exit codes.
//!
//! The only layer that knows of clap, the terminal and the process.

mod analyze;
mod check;
mod config;
mod data;
mod diff;
mod exit;
mod hash;
mod init;
mod inputs;
mod interrupt;
mod list;
mod new_file;
mod origin;
mod output;
mod profile;
mod progress;
mod render;
mod route;
mod settings;
mod snippet;
mod study;
mod values;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use exit::ExitCode;

use crate::report::visible;

/// Partition-key design advisor, offline, from files
#[derive(Debug, Parser)]
#[command(
    name = "pkadvisor",
    version,
    about = "Partition-key design advisor for Azure Cosmos DB for NoSQL, offline, from files",
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Analyze(Box<analyze::AnalyzeArguments>),
    Check(check::CheckArguments),
    Diff(diff::DiffArguments),
    Hash(hash::HashArguments),
    Init(init::InitArguments),
    Profile(Box<profile::ProfileArguments>),
    Route(route::RouteArguments),
    Explain(list::ExplainArguments),
    List(list::ListArguments),
    Render(render::RenderArguments),
    /// Print the JSON Schema of reports
    Schema,
    Snippet(snippet::SnippetArguments),
    Completions(render::CompletionsArguments),
    /// Print the manual in roff, for man
    Man,
}

/// Runs the program with these arguments, the first being its name, and gives the code to exit with.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    guarded(move || run_command(arguments))
}

/// Turns a panic, which is a mistake in the program, into its own exit code. The panic itself has been
/// printed by then.
fn guarded(work: impl FnOnce() -> ExitCode + std::panic::UnwindSafe) -> ExitCode {
    std::panic::catch_unwind(work).unwrap_or_else(|_| {
        let message =
            "this is a mistake in pkadvisor, not in your files: please report the lines above";
        let _ = writeln!(io::stderr(), "internal error: {message}");
        ExitCode::Internal
    })
}

fn run_command(arguments: Vec<OsString>) -> ExitCode {
    let parsed = command()
        .try_get_matches_from(arguments)
        .and_then(|matches| {
            let parsed = Arguments::from_arg_matches(&matches)?;
            Ok((parsed.command, matches))
        });
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are no errors; clap sends each to its stream. A closed stream is no
            // reason to fail.
            let plain = error.render().to_string();
            let harmless = plain.lines().all(|line| visible(line) == line);
            let _ = if harmless {
                error.print()
            } else {
                let lines: Vec<String> = plain.lines().map(visible).collect();
                writeln!(io::stderr(), "{}", lines.join("\n"))
            };
            return if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Done
            };
        }
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let outcome = match &command {
        Command::Analyze(arguments) if arguments.show_config => {
            let analyze = matches.subcommand().map(|(_, analyze)| analyze);
            let shown = analyze.map(|analyze| origin::show(analyze, &[], &mut out));
            shown.unwrap_or(Ok(())).map(|()| ExitCode::Done)
        }
        Command::Analyze(arguments) => analyze::run(arguments, &mut out),
        Command::Check(arguments) => check::run(arguments, &mut out),
        Command::Diff(arguments) => diff::run(arguments, &mut out),
        Command::Init(arguments) => init::run(arguments, &mut out),
        Command::Profile(arguments) => profile::run(arguments, &mut out),
        Command::Hash(arguments) => {
            hash::run(arguments, io::stdin().lock(), &mut out).map(|()| ExitCode::Done)
        }
        Command::Route(arguments) => {
            route::run(arguments, io::stdin().lock(), &mut out).map(|()| ExitCode::Done)
        }
        Command::Explain(arguments) => list::explain(arguments, &mut out).map(|()| ExitCode::Done),
        Command::List(arguments) => list::list(arguments, &mut out).map(|()| ExitCode::Done),
        Command::Render(arguments) => render::render(arguments, &mut out).map(|()| ExitCode::Done),
        Command::Snippet(arguments) => snippet::run(arguments, &mut out).map(|()| ExitCode::Done),
        Command::Schema => render::schema(&mut out).map(|()| ExitCode::Done),
        Command::Completions(arguments) => {
            render::completions(arguments, &mut out).map(|()| ExitCode::Done)
        }
        Command::Man => render::man(&mut out).map(|()| ExitCode::Done),
    };
    let outcome = outcome.and_then(|code| match out.flush() {
        Ok(()) => Ok(code),
        Err(error) => Err(Failure::output(error)),
    });
    match outcome {
        Ok(code)
        | Err(Failure {
            message: None,
            code,
        }) => code,
        Err(Failure {
            message: Some(message),
            code,
        }) => {
            let lines: Vec<String> = message.lines().map(visible).collect();
            let _ = writeln!(io::stderr(), "error: {}", lines.join("\n"));
            code
        }
    }
}

/// The variable of the environment that a flag can be given by.
fn variable(flag: &str) -> String {
    format!("PKADVISOR_{}", flag.to_uppercase().replace('-', "_"))
}

/// The program's arguments; each flag of `analyze` can be given by a variable of the environment, too.
fn command() -> clap::Command {
    Arguments::command().mut_subcommand("analyze", |analyze| {
        analyze.mut_args(|arg| match arg.get_long() {
            Some(long) if long != "help" => {
                let name = variable(long);
                arg.env(name).hide_env(true)
            }
            _ => arg,
        })
    })
}

/// An error with its causes behind it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Why a command ends early: what to tell the user, and the code to exit with.
#[derive(Debug)]
struct Failure {
    message: Option<String>,
    code: ExitCode,
}

impl Failure {
    fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self {
            message: Some(message.into()),
            code,
        }
    }

    /// The output cannot be written. A reader that has read enough is a normal, silent end.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it stands in map_err, which passes by value"
    )]
    fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self {
                message: None,
                code: ExitCode::Done,
            }
        } else {
            Self::new(
                ExitCode::Output,
                format!("the output cannot be written: {error}"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_panic_is_an_internal_error() {
        assert_eq!(guarded(|| panic!("on purpose")), ExitCode::Internal);
        assert_eq!(guarded(|| ExitCode::Done), ExitCode::Done);
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
