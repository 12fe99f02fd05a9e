//! `pkadvisor profile`: what an analysis needs of the data, as a small file.

use std::io::Write;

use clap::Args;

use super::data::{Pass, Sought, explain_profiles};
use super::inputs::{InputArguments, explain};
use super::new_file::NewFile;
use super::progress::Progress;
use super::settings::{ItemArguments, KeyArguments};
use super::{ExitCode, Failure};
use crate::profile::Part;

/// Read a part of the data once, and keep what an analysis needs of it
///
/// 'analyze' takes one or more profiles in place of the data, such as those of the files of an export
/// that were read on different machines, and gives the same report as from all the data at once. Keys,
/// log and settings of items must be the same in both; prices and the container can change.
#[derive(Debug, Args)]
pub(super) struct ProfileArguments {
    #[command(flatten)]
    inputs: InputArguments,

    #[command(flatten)]
    keys: KeyArguments,

    #[command(flatten)]
    items: ItemArguments,

    /// The file to write; key values stand in it as they are
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: String,

    /// The most of the largest logical partitions that a report can name
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    top: usize,

    /// Show no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

pub(super) fn run(arguments: &ProfileArguments, out: &mut impl Write) -> Result<ExitCode, Failure> {
    let inputs = &arguments.inputs;
    if let Some(profiles) = inputs.profiles()? {
        if inputs.explain_input {
            explain_profiles(&profiles, out)?;
            return Ok(ExitCode::Done);
        }
        let message = "these are profiles already\n  hint: give all of them to 'pkadvisor analyze'";
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let log = inputs.log()?;
    if inputs.explain_input {
        explain(&inputs.dataset(false)?, log.as_ref(), out)?;
        return Ok(ExitCode::Done);
    }
    let (given, current_key) = arguments.keys.candidates()?;
    let searches = arguments.keys.suffix_searches()?;
    let file = NewFile::open(&arguments.output)?;
    let progress = Progress::start(arguments.quiet);
    let sought = Sought {
        inputs,
        keys: &arguments.keys,
        items: &arguments.items,
        top: arguments.top,
        given,
        current_key: current_key.as_ref(),
        searches: &searches,
        log: log.as_ref(),
    };
    let settings = sought.settings(true);
    let Pass {
        keys,
        profiler,
        found,
        source,
    } = Pass::over(&sought, true, &progress)?;
    let part = Part::new(profiler, &settings, keys, source, &found);
    drop(progress);
    file.write(|out| part.write(out))?;
    Ok(ExitCode::Done)
}
