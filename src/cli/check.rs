//! `pkadvisor check`: the gate for pipelines. The files and the policy stand in `pkadvisor.toml`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};
use jiff::civil::Date;

use super::analyze::FailOn;
use super::config::{self, Design};
use super::origin;
use super::output;
use super::study::study;
use super::{Command, ExitCode, Failure, command};
use crate::assess::text::percent;
use crate::report::v1::{Candidate, Finding, Report};
use crate::report::visible;

/// Check the design of containers against a policy; ends with 1 when something is wrong
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The file with containers and policy
    #[arg(long, value_name = "FILE", default_value = "pkadvisor.toml")]
    config: PathBuf,

    /// Check only this container of the file; repeat for each
    #[arg(long, value_name = "NAME")]
    container: Vec<String>,

    /// How standard output is written; a few lines without it, or see 'list output-formats'
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// Also write the report to a file, as FORMAT=PATH; {container} in the path is the name of the container
    #[arg(long, value_name = "FORMAT=PATH")]
    output: Vec<String>,

    /// End with code 1 when a finding is at least this bad, whatever the file says
    #[arg(long, value_enum)]
    fail_on: Option<FailOn>,

    /// The day on which ignores run out or not [default: today]
    #[arg(long, value_name = "DATE")]
    today: Option<Date>,

    /// Print each setting of each container with where it comes from, and stop
    #[arg(long)]
    show_config: bool,

    /// Say only what failed
    #[arg(long, short)]
    quiet: bool,
}

/// Formats of which one may stand behind the other.
const IN_A_ROW: [&str; 4] = ["terminal", "jsonl", "markdown", "github"];

pub(super) fn run(arguments: &CheckArguments, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let path = arguments.config.display();
    let text = fs::read_to_string(&arguments.config).map_err(|error| {
        let message =
            format!("{path} cannot be read: {error}\n  hint: 'pkadvisor init DATA' writes one");
        Failure::new(ExitCode::Usage, message)
    })?;
    let usage = |message: String| Failure::new(ExitCode::Usage, message);
    let designs = config::read(&text).map_err(|mistakes| {
        let lines: Vec<String> = mistakes
            .lines()
            .iter()
            .map(|line| format!("  {path}, {line}"))
            .collect();
        usage(format!(
            "the configuration has mistakes:\n{}",
            lines.join("\n")
        ))
    })?;
    let designs = config::chosen(designs, &arguments.container).map_err(usage)?;
    let several = designs.len() > 1;
    if several
        && arguments
            .output
            .iter()
            .any(|path| !path.contains("{container}"))
    {
        let message = "several containers are checked: give --output a path with {container}, or choose one with --container";
        return Err(usage(message.to_owned()));
    }
    let format = arguments.format.as_deref().map(output::find).transpose()?;
    if let Some(format) = format.filter(|format| several && !IN_A_ROW.contains(&format.name())) {
        let message = format!(
            "several containers are checked, and their reports as {} are no document in a row: choose one with --container, or write files with --output",
            format.name()
        );
        return Err(usage(message));
    }
    let mut failed = false;
    for design in &designs {
        let name = design.name.as_deref().unwrap_or("container");
        if arguments.show_config {
            let matches = command().try_get_matches_from(words(arguments, design));
            let matches = matches.map_err(|error| refused(arguments, &error))?;
            writeln!(out, "{}", visible(name)).map_err(Failure::output)?;
            let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
            let settings = design.settings.iter();
            let lines: Vec<(String, usize)> = settings
                .map(|(name, _, at)| (name.clone(), line(*at)))
                .collect();
            if let Some((_, analyze)) = matches.subcommand() {
                origin::show(analyze, &lines, out)?;
            }
            continue;
        }
        let named: Vec<String> = arguments
            .output
            .iter()
            .map(|text| text.replace("{container}", name))
            .collect();
        let files = output::open_all(&named)?;
        let report = report(arguments, design)?;
        let fail_on = arguments.fail_on.unwrap_or_else(|| fail_on(design));
        let outcome = Outcome::of(&report, design, fail_on);
        failed |= outcome.failed();
        for file in files {
            file.write(&report)?;
        }
        match format {
            Some(format) => format.render(&report, output::standard(), out),
            None => outcome.write(name, arguments.quiet, out),
        }
        .map_err(Failure::output)?;
    }
    Ok(if failed {
        ExitCode::Findings
    } else {
        ExitCode::Done
    })
}

fn fail_on(design: &Design) -> FailOn {
    match design.fail_on.as_deref() {
        Some("never") => FailOn::Never,
        Some("info") => FailOn::Info,
        Some("warning") => FailOn::Warning,
        _ => FailOn::Error,
    }
}

/// A container as arguments of `analyze`; paths in the file are relative to it.
fn words(arguments: &CheckArguments, design: &Design) -> Vec<String> {
    let folder = arguments.config.parent().unwrap_or(Path::new(""));
    let relative = |path: &String| folder.join(path).display().to_string();
    let mut words: Vec<String> = vec!["pkadvisor".to_owned(), "analyze".to_owned()];
    for log in &design.log {
        words.extend(["--log".to_owned(), relative(log)]);
    }
    for key in design.key.iter().chain(&design.candidates) {
        let key = match key.strip_prefix('@') {
            Some(file) => format!("@{}", relative(&file.to_owned())),
            None => key.clone(),
        };
        words.push(format!("--key={key}"));
    }
    for (name, values, _) in &design.settings {
        // A variable of the environment goes before the file.
        if std::env::var_os(super::variable(name)).is_some() {
            continue;
        }
        if values.is_empty() {
            words.push(format!("--{name}"));
        }
        let is_file = name == "layout";
        let value = |value: &String| {
            if is_file {
                relative(value)
            } else {
                value.clone()
            }
        };
        words.extend(values.iter().map(|one| format!("--{name}={}", value(one))));
    }
    words.push("--".to_owned());
    words.extend(design.data.iter().map(relative));
    words
}

fn refused(arguments: &CheckArguments, error: &clap::Error) -> Failure {
    let message = error.render().to_string();
    let first = message.lines().next().unwrap_or_default();
    let first = first.trim_start_matches("error: ");
    let place = arguments.config.display();
    Failure::new(ExitCode::Usage, format!("{place}: {first}"))
}

/// Analyses a container as the file says.
fn report(arguments: &CheckArguments, design: &Design) -> Result<Report, Failure> {
    let parsed = command()
        .try_get_matches_from(words(arguments, design))
        .and_then(|matches| super::Arguments::from_arg_matches(&matches));
    let parsed = parsed.map_err(|error| refused(arguments, &error))?;
    let Command::Analyze(analyze) = parsed.command else {
        return Err(Failure::new(ExitCode::Internal, "no analysis"));
    };
    let mut policy = design.policy.clone();
    policy.today = Some(arguments.today.unwrap_or_else(|| {
        let now = jiff::Timestamp::now();
        jiff::tz::Offset::UTC.to_datetime(now).date()
    }));
    study(&analyze, &policy)
}

/// What a check comes to.
struct Outcome<'a> {
    /// The candidate that is judged; none where nothing is acceptable.
    judged: Option<&'a Candidate>,
    failing: Vec<&'a Finding>,
    others: usize,
    ignored: usize,
}

impl<'a> Outcome<'a> {
    /// Judges the key of the design; where it names none, the recommended one.
    fn of(report: &'a Report, design: &Design, fail_on: FailOn) -> Self {
        let candidates = || report.candidates.iter();
        let judged = if let Some(key) = &design.key {
            // An @file goes by its name in the report.
            let file = key.strip_prefix('@');
            candidates()
                .find(|one| one.key == *key || file.is_some_and(|file| one.key.ends_with(file)))
        } else {
            let taken = report.recommendation.key.as_ref();
            candidates().find(|one| Some(&one.key) == taken)
        };
        // An unused ignore stands with the first candidate, whichever is judged.
        let everywhere = report
            .candidates
            .iter()
            .filter(|one| judged.is_none_or(|judged| judged.key != one.key))
            .flat_map(|one| &one.findings)
            .filter(|finding| finding.code == "unused-ignore");
        let findings: Vec<&Finding> = judged
            .iter()
            .flat_map(|one| &one.findings)
            .chain(everywhere)
            .collect();
        let (failing, others): (Vec<&Finding>, Vec<&Finding>) = findings
            .into_iter()
            .partition(|finding| fail_on.reached_by(&finding.severity));
        Self {
            judged,
            failing,
            others: others.len(),
            ignored: judged.map_or(0, |one| one.ignored.len()),
        }
    }

    fn failed(&self) -> bool {
        self.judged.is_none() || !self.failing.is_empty()
    }

    fn write(&self, name: &str, quiet: bool, out: &mut impl Write) -> std::io::Result<()> {
        let name = visible(name);
        let Some(judged) = self.judged else {
            return writeln!(out, "{name}: FAILED, no candidate is acceptable");
        };
        let key = visible(&judged.key);
        for finding in &self.failing {
            writeln!(
                out,
                "{name}: {} {} {key}: {}; {} (pkadvisor explain {})",
                finding.severity,
                finding.code,
                visible(&finding.message),
                visible(&finding.remedy),
                finding.code
            )?;
        }
        if quiet && !self.failed() {
            return Ok(());
        }
        let single = judged.routing.as_ref().map_or_else(String::new, |routing| {
            let share = routing.single / routing.operations.max(1e-9);
            format!(", {} of the operations go to one value", percent(share))
        });
        writeln!(
            out,
            "{name}: {} {key}: {} failing, {} other findings, {} ignored{single}",
            if self.failed() { "FAILED" } else { "passed" },
            self.failing.len(),
            self.others,
            self.ignored
        )
    }
}
