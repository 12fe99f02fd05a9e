//! `pkadvisor route`: where the service would send a query, and why.

use std::io::{BufRead, Write};

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::settings::{read_key, read_layout};
use super::{ExitCode, Failure};
use crate::keys::{Candidate, Layout, VALUES_MAX_DEFAULT};
use crate::model::limits::LAYOUT_PARTITIONS_MAX;
use crate::model::{KeyComponent, KeyVersion, OptionsKey, PropertyPath};
use crate::query::{self, Parameters};
use crate::report::route::{Answer, Asked};
use crate::simulate::QueryRoute;

/// Show where the service sends queries, and why
#[derive(Debug, Args)]
pub(super) struct RouteArguments {
    /// The partition key; repeat to compare several
    #[arg(long = "key", value_name = "SPEC", required = true)]
    keys: Vec<String>,

    /// Version of the hash of a key that is no @file
    #[arg(long, value_name = "1|2", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    key_version: u8,

    /// Physical partitions, of equal ranges
    #[arg(long, value_name = "N", required_unless_present = "layout", value_parser = clap::value_parser!(u32).range(1..=i64::from(LAYOUT_PARTITIONS_MAX)))]
    partitions: Option<u32>,

    /// The ranges of a real container: a JSON file of its pkranges feed
    #[arg(long, value_name = "FILE", conflicts_with = "partitions")]
    layout: Option<String>,

    /// Values of the parameters of the one query: an object, or an array of {name, value}
    #[arg(long, value_name = "JSON")]
    params: Option<String>,

    /// Above this many key values an operation counts as cross-partition
    #[arg(long, value_name = "N", default_value_t = VALUES_MAX_DEFAULT as u64, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    max_values: u64,

    /// How answers are written
    #[arg(long, value_enum, default_value = "terminal")]
    format: Format,

    /// Queries; - reads JSON Lines {"query", "params"?, "pk"?} from standard input
    #[arg(required = true, value_name = "QUERY")]
    queries: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A block of lines for a person
    Terminal,
    /// One JSON object a line
    Json,
}

/// One query with what comes beside it.
struct Question {
    text: String,
    parameters: Parameters,
    options: OptionsKey,
}

/// The keys under which queries are routed, and how answers are written.
struct Router {
    keys: Vec<(Candidate, Layout)>,
    values_max: usize,
    format: Format,
}

pub(super) fn run(
    arguments: &RouteArguments,
    input: impl BufRead,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let router = Router::new(arguments)?;
    if arguments.params.is_some() && (arguments.queries.len() > 1 || arguments.queries[0] == "-") {
        return Err(Failure::new(
            ExitCode::Usage,
            "--params serves one query; give several as JSON Lines with -",
        ));
    }
    let parameters = match &arguments.params {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| error.to_string())
            .and_then(|value| parameters(&value))
            .map_err(|reason| Failure::new(ExitCode::Usage, format!("--params: {reason}")))?,
        None => Parameters::new(),
    };
    let mut input = Some(input);
    for text in &arguments.queries {
        if text != "-" {
            let question = Question {
                text: text.clone(),
                parameters: parameters.clone(),
                options: OptionsKey::None,
            };
            router.answer(&question, out)?;
        } else if let Some(input) = input.take() {
            router.lines(input, out)?;
        }
    }
    Ok(())
}

impl Router {
    fn new(arguments: &RouteArguments) -> Result<Self, Failure> {
        let version = if arguments.key_version == 1 {
            KeyVersion::V1
        } else {
            KeyVersion::V2
        };
        let layout = arguments
            .layout
            .as_ref()
            .map(|file| read_layout(file))
            .transpose()?;
        let keys = arguments
            .keys
            .iter()
            .map(|text| {
                let candidate = read_key("key", text, version)?;
                let equal = || {
                    Layout::equal(
                        arguments.partitions.unwrap_or(1),
                        candidate.kind,
                        candidate.version,
                    )
                };
                let layout = layout.clone().unwrap_or_else(equal);
                Ok((candidate, layout))
            })
            .collect::<Result<_, Failure>>()?;
        Ok(Self {
            keys,
            values_max: arguments.max_values as usize,
            format: arguments.format,
        })
    }

    fn lines(&self, input: impl BufRead, out: &mut impl Write) -> Result<(), Failure> {
        for (index, line) in input.lines().enumerate() {
            let fail = |reason: String| {
                Failure::new(
                    ExitCode::Input,
                    format!("standard input, line {}: {reason}", index + 1),
                )
            };
            let line = line.map_err(|error| fail(error.to_string()))?;
            if line.trim().is_empty() {
                continue;
            }
            self.answer(&question(&line).map_err(fail)?, out)?;
        }
        Ok(())
    }

    fn answer(&self, question: &Question, out: &mut impl Write) -> Result<(), Failure> {
        let checked = check(question);
        let masked = query::is_obfuscated(&question.text);
        for (candidate, layout) in &self.keys {
            let asked = Asked {
                query: &question.text,
                candidate,
                layout,
            };
            let answer = match &checked {
                Ok(_) if masked => Answer::Unknown,
                Ok(condition) => {
                    let route = QueryRoute::new(
                        candidate,
                        &condition.predicate,
                        &question.options,
                        self.values_max,
                    );
                    Answer::Routed(
                        condition.predicate.clone(),
                        condition.notes.clone(),
                        Box::new(route),
                    )
                }
                Err((message, hint)) => Answer::Invalid(message.clone(), *hint),
            };
            match self.format {
                Format::Terminal => answer.write_text(&asked, out),
                Format::Json => answer.write_json(&asked, out),
            }
            .map_err(Failure::output)?;
        }
        Ok(())
    }
}

/// What a query asks for; why the service refuses it, and what helps.
fn check(question: &Question) -> Result<query::Condition, (String, Option<&'static str>)> {
    let parsed = query::parse(&question.text).map_err(|error| (error.to_string(), None))?;
    query::validate(&parsed, &question.parameters).map_err(|error| {
        let code = error
            .code()
            .map_or_else(String::new, |code| format!(" ({code})"));
        (format!("{error}{code}"), error.hint())
    })?;
    Ok(query::analyze(&parsed, &question.parameters))
}

fn question(line: &str) -> Result<Question, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON: {error}"))?;
    let text = value["query"]
        .as_str()
        .ok_or("expected an object with a text 'query'")?;
    Ok(Question {
        text: text.to_owned(),
        parameters: match value.get("params") {
            None | Some(Value::Null) => Parameters::new(),
            Some(value) => parameters(value)?,
        },
        options: match value.get("pk") {
            None | Some(Value::Null) => OptionsKey::None,
            Some(value) => options(value)?,
        },
    })
}

fn parameters(value: &Value) -> Result<Parameters, String> {
    query::parameters_of(value)
        .ok_or_else(|| "params: expected an object, or an array of {name, value}".to_owned())
}

fn options(value: &Value) -> Result<OptionsKey, String> {
    match value {
        Value::Array(values) => Ok(OptionsKey::Components(
            values.iter().map(KeyComponent::from_json).collect(),
        )),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                let path = PropertyPath::named(name)
                    .ok_or_else(|| format!("pk: '{name}' names no property"))?;
                Ok((path, KeyComponent::from_json(value)))
            })
            .collect::<Result<_, String>>()
            .map(OptionsKey::Properties),
        _ => {
            Err("pk: expected an array in key order, or an object of property to value".to_owned())
        }
    }
}
