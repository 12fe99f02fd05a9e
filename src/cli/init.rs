//! `pkadvisor init`: a commented `pkadvisor.toml` from the data.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, FromArgMatches};

use super::study::study;
use super::{Arguments, Command, ExitCode, Failure, command};
use crate::assess::Policy;
use crate::report::v1::Report;
use crate::report::visible;

/// Write a commented pkadvisor.toml from the data
#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// Items: files, folders or patterns
    #[arg(required = true, value_name = "DATA")]
    data: Vec<String>,

    /// Access logs; repeat for each
    #[arg(long, value_name = "LOG")]
    log: Vec<String>,

    /// The key of the container [default: the one that is recommended]
    #[arg(long, value_name = "SPEC")]
    key: Option<String>,

    /// The file to write; - is standard output
    #[arg(long, value_name = "FILE", default_value = "pkadvisor.toml")]
    config: PathBuf,

    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &InitArguments, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let mut words = vec!["pkadvisor".to_owned(), "analyze".to_owned()];
    for log in &arguments.log {
        words.extend(["--log".to_owned(), log.clone()]);
    }
    words.extend(arguments.key.iter().map(|key| format!("--key={key}")));
    words.push("--".to_owned());
    words.extend(arguments.data.iter().cloned());
    let parsed = command()
        .try_get_matches_from(words)
        .and_then(|matches| Arguments::from_arg_matches(&matches))
        .map_err(|error| Failure::new(ExitCode::Usage, error.render().to_string()))?;
    let Command::Analyze(analyze) = parsed.command else {
        return Err(Failure::new(ExitCode::Internal, "no analysis"));
    };
    let report = study(&analyze, &Policy::default())?;
    let text = configuration(arguments, &report);
    if arguments.config.as_os_str() == "-" {
        out.write_all(text.as_bytes()).map_err(Failure::output)?;
        return Ok(ExitCode::Done);
    }
    let mut options = OpenOptions::new();
    let file = if arguments.force {
        options.write(true).create(true).truncate(true)
    } else {
        options.write(true).create_new(true)
    };
    let written = file
        .open(&arguments.config)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let hint = if error.kind() == io::ErrorKind::AlreadyExists {
            "\n  hint: --force writes over it"
        } else {
            ""
        };
        let path = arguments.config.display();
        Failure::new(
            ExitCode::Output,
            format!("{path} cannot be written: {error}{hint}"),
        )
    })?;
    // A closed stream is no reason to fail.
    let _ = writeln!(
        io::stderr(),
        "wrote {}; 'pkadvisor check' reads it",
        arguments.config.display()
    );
    Ok(ExitCode::Done)
}

fn configuration(arguments: &InitArguments, report: &Report) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("[{}]", texts.join(", "))
    };
    let mut text = String::from(
        "# The design of a container, for 'pkadvisor check'. Paths are relative to this file.\n\n",
    );
    let _ = writeln!(text, "data = {}", list(&arguments.data));
    if arguments.log.is_empty() {
        text.push_str("# Access logs: without one there is nothing to say of queries and RU/s.\n");
        text.push_str("# log = [\"log/*.jsonl\"]\n");
    } else {
        let _ = writeln!(text, "log = {}", list(&arguments.log));
    }
    let key = arguments
        .key
        .as_ref()
        .or(report.recommendation.key.as_ref());
    text.push_str("\n# The key that is judged. Without it, the best of the candidates is.\n");
    match key {
        Some(key) => {
            let _ = writeln!(text, "key = {}", quoted(key));
        }
        None => text.push_str("# key = \"/tenantId\"\n"),
    }
    if arguments.key.is_none() {
        for reason in &report.recommendation.reasons {
            let _ = writeln!(text, "#   {}", visible(reason));
        }
    }
    let others: Vec<String> = report
        .candidates
        .iter()
        .map(|one| one.key.clone())
        .filter(|one| Some(one) != key)
        .take(3)
        .collect();
    text.push_str("# Keys to compare with.\n");
    let _ = writeln!(text, "# candidates = {}", list(&others));
    let throughput = report.scenario.throughput.unwrap_or(400);
    let _ = write!(
        text,
        "
# Settings are the flags of 'pkadvisor analyze' without their dashes.
[settings]
# throughput = {throughput}          # RU/s that are provisioned
# autoscale = true
# total-size = \"100GB\"       # the whole container, where the data are a sample
# log-share = 0.1            # the log holds a tenth of the operations
# regions = 2

[policy]
# From which severity on a finding fails: info, warning, error or never.
fail-on = \"error\"

# Other severities: off, info, warning, error; 'pkadvisor list checks' names the checks.
[policy.severity]
# cross-partition-share = \"error\"

# What must not be exceeded: throughput, cost, fan-out-share, partitions-visited,
# throttled-share, hottest-share.
[policy.limits]
# throughput = {throughput}
# fan-out-share = 0.05

# A finding of a check counts only above this number of its evidence.
# [policy.threshold.missing-key]
# share = 0.001

# What is accepted, and why. One that matches nothing is a finding itself.
# [[policy.ignore]]
# check = \"cross-partition-share\"
# contains = \"monthly report\"
# reason = \"runs once a month\"
# until = 2027-12-31
"
    );
    text
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
