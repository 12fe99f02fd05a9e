//! `--show-config`: each setting with its value and where that comes from.

use std::io::Write;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::{Failure, command, variable};

/// Prints the settings of `analyze`. Those named in `from_file` were given on a line of a configuration
/// file.
pub(super) fn show(
    matches: &ArgMatches,
    from_file: &[(String, usize)],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let command = command();
    let arguments = command
        .find_subcommand("analyze")
        .into_iter()
        .flat_map(clap::Command::get_arguments);
    let mut rows = Vec::new();
    for argument in arguments {
        let id = argument.get_id().as_str();
        if ["help", "show_config"].contains(&id) {
            continue;
        }
        let name = argument.get_long().unwrap_or(id);
        let values: Vec<String> = matches
            .get_raw(id)
            .into_iter()
            .flatten()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        let line = from_file.iter().find(|(known, _)| known == name);
        let origin = match (matches.value_source(id), line) {
            (Some(ValueSource::CommandLine), Some((_, line))) => format!("file, line {line}"),
            (Some(ValueSource::CommandLine), None) => "flag".to_owned(),
            (Some(ValueSource::EnvVariable), _) => format!("environment, {}", variable(name)),
            _ => "default".to_owned(),
        };
        let value = if values.is_empty() {
            "none".to_owned()
        } else {
            values.join(" ")
        };
        rows.push((name.to_owned(), value, origin));
    }
    let width = |of: fn(&(String, String, String)) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (names, values) = (width(|row| row.0.len()), width(|row| row.1.len().min(40)));
    for (name, value, origin) in &rows {
        let value = crate::report::visible(value);
        writeln!(out, "{name:names$}  {value:values$}  {origin}").map_err(Failure::output)?;
    }
    Ok(())
}
