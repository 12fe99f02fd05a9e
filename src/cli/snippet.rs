//! `pkadvisor snippet`: how to create a container with a key, and code that builds its value.

use std::io::Write;

use clap::Args;

use super::settings::read_key;
use super::{ExitCode, Failure};
use crate::model::KeyVersion;
use crate::report::snippet::Snippet;

/// Print commands that create a container with a key, and code that builds its value
#[derive(Debug, Args)]
pub(super) struct SnippetArguments {
    /// The key, written as for analyze
    #[arg(long, value_name = "SPEC")]
    key: String,

    /// What to print: az, bicep, terraform, dotnet, java, javascript or python; repeat for each [default: all]
    #[arg(long = "for", value_name = "TOOL", value_parser = snippet)]
    tools: Vec<Snippet>,
}

fn snippet(name: &str) -> Result<Snippet, String> {
    let mut all = Snippet::ALL.into_iter();
    all.find(|one| one.name() == name).ok_or_else(|| {
        let names = Snippet::ALL.map(Snippet::name).join(", ");
        format!("expected one of {names}")
    })
}

pub(super) fn run(arguments: &SnippetArguments, out: &mut impl Write) -> Result<(), Failure> {
    let candidate = read_key("key", &arguments.key, KeyVersion::V2)?;
    let wanted = if arguments.tools.is_empty() {
        Snippet::ALL.to_vec()
    } else {
        arguments.tools.clone()
    };
    let mut printed = 0;
    for tool in &wanted {
        let Some(text) = tool.text(&candidate) else {
            continue;
        };
        if wanted.len() > 1 {
            let blank = if printed > 0 { "\n" } else { "" };
            writeln!(out, "{blank}--- {}", tool.name()).map_err(Failure::output)?;
        }
        out.write_all(text.as_bytes()).map_err(Failure::output)?;
        printed += 1;
    }
    if printed == 0 {
        let message = format!(
            "{} needs no code: the service takes the key from the properties of the item",
            arguments.key
        );
        return Err(Failure::new(ExitCode::Usage, message));
    }
    Ok(())
}
