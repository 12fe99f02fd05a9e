//! The arguments that name the data and the logs, and what they are read as.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use clap::Args;

use super::{ExitCode, Failure};
use crate::ingest::dataset::{self, InputFormat};
use crate::ingest::log::{self, LogFormat};
use crate::ingest::{
    ColumnType, Dataset, DatasetOptions, Encoding, IngestError, LogOptions, LogRead, Problems,
    Source, read_log,
};
use crate::model::units::MICRO;
use crate::profile::{PART_HEAD_BYTES, is_part};
use crate::report::visible;

/// What is read.
#[derive(Debug, Args)]
pub(super) struct InputArguments {
    /// Items: files, folders or patterns of JSON or CSV, compressed or not; - is standard input
    #[arg(required = true, value_name = "DATA")]
    data: Vec<String>,

    /// Access logs: files, folders or patterns; repeat for each
    #[arg(long, value_name = "LOG")]
    log: Vec<String>,

    /// The form of the data, instead of what their content says; see 'list formats'
    #[arg(long, value_name = "FORMAT", value_parser = input_format)]
    input_format: Option<&'static dyn InputFormat>,

    /// The form of the logs, instead of what their content says; see 'list log-formats'
    #[arg(long, value_name = "FORMAT", value_parser = log_format)]
    log_format: Option<&'static dyn LogFormat>,

    /// Use only the operations on this container, as CONTAINER or DATABASE/CONTAINER
    #[arg(long, value_name = "NAME")]
    container: Option<String>,

    /// Read all columns of tables as text
    #[arg(long)]
    pub(super) csv_strings: bool,

    /// Bytes of memory for key values, such as 512MiB; of candidates with more values a part is kept,
    /// and the report says how exact it is
    #[arg(long, value_name = "BYTES", value_parser = memory, default_value = "2GiB")]
    pub(super) memory: ByteSize,

    /// Show what each file was recognised as and its first items or operations, and stop
    #[arg(long)]
    pub(super) explain_input: bool,

    /// Threads that read items and measure candidates [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Whether a file is the profile of a part; one that cannot be read will be told when it is read.
fn is_profile(path: &Path) -> bool {
    let mut head = [0; PART_HEAD_BYTES];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && is_part(&head)
}

/// The least memory that key values are given.
const MEMORY_MIN: ByteSize = ByteSize::mib(16);

fn memory(text: &str) -> Result<ByteSize, String> {
    let size: ByteSize = text.parse()?;
    if size < MEMORY_MIN {
        return Err(format!("expected at least {MEMORY_MIN}"));
    }
    Ok(size)
}

fn input_format(name: &str) -> Result<&'static dyn InputFormat, String> {
    let names = || dataset::ALL.iter().map(|format| format.name());
    dataset::format_named(name).ok_or_else(|| expected(names()))
}

fn log_format(name: &str) -> Result<&'static dyn LogFormat, String> {
    let names = || log::ALL.iter().map(|format| format.name());
    log::format_named(name).ok_or_else(|| expected(names()))
}

fn expected<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("expected one of {}", names.collect::<Vec<_>>().join(", "))
}

impl InputArguments {
    /// The log, where one is given.
    pub(super) fn log(&self) -> Result<Option<LogRead>, Failure> {
        if self.log.is_empty() {
            return Ok(None);
        }
        let inputs = self.log.iter().chain(&self.data);
        if inputs.filter(|input| *input == "-").count() > 1 {
            let message =
                "standard input can be read once only: give - for the data or for one log";
            return Err(Failure::new(ExitCode::Usage, message));
        }
        let options = LogOptions {
            format: self.log_format,
            container: self.container.clone(),
        };
        let read = read_log(&self.log, &options).map_err(|error| unreadable(&error))?;
        if read.log.events.is_empty() && !self.explain_input {
            let refused = read.log.throttled_weight / MICRO;
            let why = if refused > 0 && read.problems.groups().next().is_none() {
                format!(": all {refused} requests in it were refused (429)")
            } else {
                because(&read.problems, &read.files)
            };
            let message = format!("the log holds no usable row{why}");
            return Err(Failure::new(ExitCode::Input, message));
        }
        Ok(Some(read))
    }

    /// The profiles of parts of the data, where such files are given and nothing else.
    pub(super) fn profiles(&self) -> Result<Option<Vec<PathBuf>>, Failure> {
        let mut profiles = Vec::new();
        for source in Source::expand_all(&self.data).map_err(|error| unreadable(&error))? {
            match source {
                Source::File(path) if is_profile(&path) => profiles.push(path),
                _ => return Ok(None),
            }
        }
        Ok(Some(profiles))
    }

    /// How many threads work.
    pub(super) fn threads(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.threads.map_or(processors, usize::from)
    }

    /// The files of the data, which are read more than once where they are also looked at.
    pub(super) fn dataset(&self, looked_at: bool) -> Result<Dataset, Failure> {
        let options = DatasetOptions {
            csv_strings: self.csv_strings,
            threads: self.threads(),
            keep_standard_input: looked_at,
            format: self.input_format,
        };
        Dataset::open(&self.data, options).map_err(|error| unreadable(&error))
    }
}

/// Shows what each file was recognised as, with its first items or operations.
pub(super) fn explain(
    dataset: &Dataset,
    log: Option<&LogRead>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let files = dataset.explain().map_err(|error| unreadable(&error))?;
    let mut text = Vec::new();
    for file in files {
        let mut packing: Vec<&str> = file.compression.clone();
        packing.extend((file.encoding != Encoding::Utf8).then(|| file.encoding.name()));
        let packed = if packing.is_empty() {
            String::new()
        } else {
            format!(", in {}", packing.join(" in "))
        };
        text.push(format!(
            "{}: {} ({}){packed}",
            file.file, file.format, file.description
        ));
        for (reason, _, places) in file.problems.groups() {
            let detail = places.first().map_or("", |place| place.detail.as_str());
            let colon = if detail.is_empty() { "" } else { ": " };
            text.push(format!("  note: {reason}{colon}{detail}"));
        }
        text.extend(file.items.iter().map(|item| format!("  > {item}")));
    }
    for (name, kind) in dataset.columns().iter() {
        let kind = match kind {
            ColumnType::Number => "numbers",
            ColumnType::Text => "text",
        };
        text.push(format!("  column {name}: {kind}"));
    }
    for file in log.iter().flat_map(|read| &read.explained) {
        text.extend(file.to_string().lines().map(str::to_owned));
    }
    if let Some(read) = log {
        for (reason, count, places) in read.problems.groups() {
            let first = places.first().map_or_else(String::new, |place| {
                format!(" (first: line {} {})", place.line, place.detail)
            });
            text.push(format!("  note: {count} x {reason}{first}"));
        }
        for container in &read.containers {
            text.push(format!(
                "  container {}: {} operations",
                container.name(),
                container.operations
            ));
        }
    }
    for line in text {
        writeln!(out, "{}", visible(&line)).map_err(Failure::output)?;
    }
    Ok(())
}

/// An input that cannot be read, with the way out.
pub(super) fn unreadable(error: &IngestError) -> Failure {
    Failure::new(
        ExitCode::Input,
        format!("{}\n  hint: {}", super::chain(error), error.hint()),
    )
}

/// Why rows were not used, for the end of a sentence.
pub(super) fn because(problems: &Problems, files: &[String]) -> String {
    let reasons: Vec<String> = problems
        .groups()
        .map(|(reason, count, places)| {
            let first = places.first().map_or_else(String::new, |place| {
                let file = files.get(place.file).map_or("", String::as_str);
                let detail = if place.detail.is_empty() {
                    String::new()
                } else {
                    format!(": {}", place.detail)
                };
                format!(" (first: {file}, line {}{detail})", place.line)
            });
            format!("\n  {count} x {reason}{first}")
        })
        .collect();
    if reasons.is_empty() {
        ": the files are empty".to_owned()
    } else {
        format!(":{}", reasons.concat())
    }
}
