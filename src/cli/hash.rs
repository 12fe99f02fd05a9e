//! `pkadvisor hash`: the effective partition key of values, and where it lies.

use std::io::{self, BufRead, Write};

use clap::{Args, ValueEnum};

use super::{ExitCode, Failure};
use crate::keys::{Layout, key_range};
use crate::model::limits::{HIERARCHY_LEVELS_MAX, LAYOUT_PARTITIONS_MAX};
use crate::model::{KeyKind, KeyValue, KeyVersion};

/// Print the effective partition key of key values, as the service computes it
///
/// One line for each value: the key in upper-case hexadecimal; for a prefix of a hierarchical key the
/// start and the end of its range; with --partitions a tab and the index of the physical partition.
#[derive(Debug, Args)]
pub(super) struct HashArguments {
    /// How the components of a value are hashed: together, or each level by itself (hierarchical)
    #[arg(long, value_enum, default_value = "hash")]
    kind: Kind,

    /// Version of the partition key; new containers are of version 2
    #[arg(long = "version", value_name = "1|2", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    version: u8,

    /// Levels of the hierarchical key; a value with fewer components is a prefix [default: as many as the value has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=HIERARCHY_LEVELS_MAX as i64))]
    levels: Option<u8>,

    /// Also print the index, from 0, of the physical partition among N equal ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LAYOUT_PARTITIONS_MAX)))]
    partitions: Option<u32>,

    /// JSON arrays of components, such as '["acme",1,null]', with {} for undefined; - reads one a line
    /// from standard input
    #[arg(required = true, value_name = "VALUES")]
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// All components together
    Hash,
    /// Each level by itself
    Multihash,
}

/// What turns a text into a line of output.
struct Hasher {
    kind: KeyKind,
    version: KeyVersion,
    levels: Option<usize>,
    layout: Option<Layout>,
}

pub(super) fn run(
    arguments: &HashArguments,
    input: impl BufRead,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let hasher = Hasher::new(arguments)?;
    // Arguments are all looked at before anything is written.
    let lines = arguments
        .values
        .iter()
        .filter(|text| *text != "-")
        .map(|text| {
            hasher
                .line(text)
                .map_err(|reason| Failure::new(ExitCode::Usage, format!("{text}: {reason}")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut lines = lines.iter();
    let mut input = Some(input);
    for text in &arguments.values {
        if text != "-" {
            let line = lines.next().map_or("", String::as_str);
            writeln!(out, "{line}").map_err(Failure::output)?;
        } else if let Some(input) = input.take() {
            hash_lines(&hasher, input, out)?;
        }
    }
    Ok(())
}

fn hash_lines(hasher: &Hasher, input: impl BufRead, out: &mut impl Write) -> Result<(), Failure> {
    for (index, text) in input.lines().enumerate() {
        let fail = |reason: &dyn std::fmt::Display| {
            Failure::new(
                ExitCode::Input,
                format!("standard input, line {}: {reason}", index + 1),
            )
        };
        let text = text.map_err(|error: io::Error| fail(&error))?;
        let line = hasher.line(&text).map_err(|reason| fail(&reason))?;
        writeln!(out, "{line}").map_err(Failure::output)?;
    }
    Ok(())
}

impl Hasher {
    fn new(arguments: &HashArguments) -> Result<Self, Failure> {
        let usage = |message: &str| Err(Failure::new(ExitCode::Usage, message));
        let kind = match arguments.kind {
            Kind::Hash if arguments.levels.is_some() => {
                return usage("--levels goes with --kind multihash");
            }
            Kind::Hash => KeyKind::Hash,
            Kind::Multihash if arguments.version == 1 => {
                return usage("a hierarchical key is always of version 2");
            }
            Kind::Multihash => KeyKind::MultiHash,
        };
        let version = if arguments.version == 1 {
            KeyVersion::V1
        } else {
            KeyVersion::V2
        };
        let layout = arguments
            .partitions
            .map(|count| Layout::equal(count, kind, version));
        Ok(Self {
            kind,
            version,
            levels: arguments.levels.map(usize::from),
            layout,
        })
    }

    /// The line of output for a value; the reason where it is none.
    fn line(&self, text: &str) -> Result<String, String> {
        let value =
            KeyValue::parse(text).map_err(|error| match std::error::Error::source(&error) {
                Some(cause) => format!("{error}: {cause}; write a value as '[\"acme\",1]'"),
                None => error.to_string(),
            })?;
        let components = value.0.len();
        let most = self.levels.unwrap_or(HIERARCHY_LEVELS_MAX);
        if self.kind == KeyKind::MultiHash && components > most {
            return Err(format!(
                "{components} components, but the key has at most {most} levels"
            ));
        }
        let range = key_range(
            &value,
            self.kind,
            self.version,
            self.levels.unwrap_or(components.max(1)),
        );
        let mut line = range.min.to_string();
        if range.max != range.min {
            line = format!("{line} {}", range.max);
        }
        if let Some(layout) = &self.layout {
            let (first, last) = (
                layout.partition_of(&range.min),
                layout.partition_of(&range.max),
            );
            let indexes: Vec<String> = (first..=last).map(|index| index.to_string()).collect();
            line = format!("{line}\t{}", indexes.join(","));
        }
        Ok(line)
    }
}
