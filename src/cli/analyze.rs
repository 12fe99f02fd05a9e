//! `pkadvisor analyze`: items and a log in, a ranked comparison of candidate keys out.

use std::io::Write;

use clap::{Args, ValueEnum};

use super::data::explain_profiles;
use super::inputs::{InputArguments, explain};
use super::output;
use super::settings::{KeyArguments, PriceArguments, ScenarioArguments};
use super::study::study;
use super::{ExitCode, Failure};
use crate::assess::{Policy, Severity};

/// Compare partition keys on a sample of the items and a log of the accesses
///
/// Each candidate is laid out over physical partitions with the service's own hash, and the log is
/// replayed over them. The report says for each how many values it has and how large they are, how far
/// operations reach, which physical partitions are hot, and what throughput it takes.
#[derive(Debug, Args)]
pub(super) struct AnalyzeArguments {
    #[command(flatten)]
    pub(super) inputs: InputArguments,

    #[command(flatten)]
    pub(super) keys: KeyArguments,

    #[command(flatten)]
    pub(super) scenario: ScenarioArguments,

    #[command(flatten)]
    pub(super) prices: PriceArguments,

    /// How standard output is written; see 'list output-formats'
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "terminal",
        help_heading = "Output"
    )]
    format: String,

    /// Also write the report to a file, as FORMAT=PATH; repeat for each
    #[arg(long, value_name = "FORMAT=PATH", help_heading = "Output")]
    output: Vec<String>,

    /// How many of the largest logical partitions the report names
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    pub(super) top: usize,

    /// Show no progress
    #[arg(long, short, help_heading = "Output")]
    pub(super) quiet: bool,

    /// Print each setting with where it comes from, and stop
    #[arg(long, help_heading = "Output")]
    pub(super) show_config: bool,

    /// Put tokens in place of key values and other texts of the data; equal values have equal tokens
    #[arg(long, help_heading = "Output")]
    pub(super) redact: bool,

    /// End with code 1 when a finding is at least this bad
    #[arg(long, value_enum, default_value = "never", help_heading = "Output")]
    fail_on: FailOn,
}

/// When findings make the program fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Not at all
    Never,
    /// From information on
    Info,
    /// From warnings on
    Warning,
    /// On errors
    Error,
}

impl FailOn {
    /// Whether a finding of this severity, by its name in reports, is bad enough.
    pub(super) fn reached_by(self, severity: &str) -> bool {
        let least = match self {
            Self::Never => return false,
            Self::Info => Severity::Info,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        };
        Severity::named(severity).is_some_and(|severity| severity >= least)
    }
}

pub(super) fn run(arguments: &AnalyzeArguments, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let format = output::find(&arguments.format)?;
    let files = output::open_all(&arguments.output)?;
    if arguments.inputs.explain_input {
        if let Some(profiles) = arguments.inputs.profiles()? {
            explain_profiles(&profiles, out)?;
            return Ok(ExitCode::Done);
        }
        let log = arguments.inputs.log()?;
        let dataset = arguments.inputs.dataset(false)?;
        explain(&dataset, log.as_ref(), out)?;
        return Ok(ExitCode::Done);
    }
    let report = study(arguments, &Policy::default())?;
    for file in files {
        file.write(&report)?;
    }
    format
        .render(&report, output::standard(), out)
        .map_err(Failure::output)?;
    let mut findings = report.candidates.iter().flat_map(|one| &one.findings);
    let failed = findings.any(|finding| arguments.fail_on.reached_by(&finding.severity));
    Ok(if failed {
        ExitCode::Findings
    } else {
        ExitCode::Done
    })
}
