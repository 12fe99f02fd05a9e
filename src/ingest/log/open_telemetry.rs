//! Spans of OpenTelemetry that the SDKs write, one JSON object a span or many in one export.

use std::io::{self, BufRead};

use serde_json::{Map, Value};

use super::ef_core::value_of;
use super::json_rows::{any_object, each_value, starts_with_member};
use super::time::{micros_of_number, micros_of_text};
use super::{Asked, Correlation, LogFormat, LogSink, LoggedOperation};
use crate::ingest::problem::{Reason, RowProblem};
use crate::model::OperationKind;
use crate::model::units::to_micro;
use crate::query::Parameters;

/// Spans with `db.*` attributes: by themselves, or as a collector writes them, under `resourceSpans`.
pub(super) struct OpenTelemetry;

/// The names of an attribute over the versions of the SDKs, the newest first.
const SYSTEM: &[&str] = &["db.system.name", "db.system"];
const OPERATION: &[&str] = &["db.operation.name", "db.operation"];
const DATABASE: &[&str] = &["db.namespace", "db.name"];
const CONTAINER: &[&str] = &["db.collection.name", "db.cosmosdb.container"];
const TEXT: &[&str] = &["db.query.text", "db.statement"];
const CHARGE: &[&str] = &[
    "azure.cosmosdb.operation.request_charge",
    "azure.cosmosdb.request_charge",
    "db.cosmosdb.request_charge",
];
const STATUS: &[&str] = &["db.response.status_code", "db.cosmosdb.status_code"];
const SUB_STATUS: &[&str] = &[
    "azure.cosmosdb.response.sub_status_code",
    "db.cosmosdb.sub_status_code",
];
const CORRELATION: &[&str] = &[
    "azure.cosmosdb.correlated_activity_id",
    "db.cosmosdb.correlated_activity_id",
];
const PARAMETER: &str = "db.query.parameter.";

impl LogFormat for OpenTelemetry {
    fn name(&self) -> &'static str {
        "opentelemetry"
    }

    fn summary(&self) -> &'static str {
        "spans of the SDKs as JSON, with db.* attributes (text and charge, rarely values)"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        any_object(head, |span| {
            spans(span).any(|span| {
                let attributes = attributes(span);
                attributes.keys().any(|name| name.starts_with("db."))
            })
        }) || starts_with_member(head, b"\"resourceSpans\"")
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        each_value(input, sink, |bytes, line, sink| {
            let value: Map<String, Value> = serde_json::from_slice(bytes)?;
            for span in spans(&Value::Object(value)) {
                read_span(span, line, sink);
            }
            Ok(())
        })
    }
}

/// The spans in a value: itself, or all that an export holds.
fn spans(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    if value.get("resourceSpans").is_none() {
        return Box::new(std::iter::once(value));
    }
    let scopes = members(value, "resourceSpans").flat_map(|of| members(of, "scopeSpans"));
    Box::new(scopes.flat_map(|of| members(of, "spans")))
}

fn members<'a>(value: &'a Value, name: &str) -> std::slice::Iter<'a, Value> {
    match value.get(name) {
        Some(Value::Array(members)) => members.iter(),
        _ => [].iter(),
    }
}

/// The attributes of a span by name, whether they are written as an object or as pairs.
fn attributes(span: &Value) -> Map<String, Value> {
    match span.get("attributes") {
        Some(Value::Object(members)) => members.clone(),
        Some(Value::Array(pairs)) => pairs
            .iter()
            .filter_map(|pair| {
                let name = pair.get("key")?.as_str()?.to_owned();
                let value = pair.get("value")?.as_object()?.values().next()?;
                Some((name, value.clone()))
            })
            .collect(),
        _ => Map::new(),
    }
}

fn text(attributes: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match attributes.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

fn number<T: std::str::FromStr>(attributes: &Map<String, Value>, names: &[&str]) -> Option<T> {
    text(attributes, names)?.trim().parse().ok()
}

/// When a span started.
fn time(span: &Value) -> Option<i64> {
    let names = [
        "startTimeUnixNano",
        "timestamp",
        "startTime",
        "start_time",
        "time",
    ];
    names.iter().find_map(|name| match span.get(name)? {
        Value::String(text) => micros_of_text(text, 0),
        Value::Number(number) => micros_of_number(number.as_f64()?),
        _ => None,
    })
}

fn read_span(span: &Value, line: u64, sink: &mut dyn LogSink) {
    let attributes = attributes(span);
    let system = text(&attributes, SYSTEM).unwrap_or_default();
    if !system.to_ascii_lowercase().contains("cosmos") {
        let name = span.get("name").and_then(Value::as_str).unwrap_or_default();
        sink.problem(RowProblem::new(line, Reason::NotAnAccess, name));
        return;
    }
    let name = text(&attributes, OPERATION).unwrap_or_default();
    let plain: String = name.chars().filter(|c| *c != '_' && *c != '-').collect();
    let plain = plain.to_ascii_lowercase();
    let Some(kind) = OperationKind::from_name(plain.trim_end_matches("async")) else {
        let metadata = ["container", "database", "throughput", "user", "permission"];
        let reason = if metadata.iter().any(|word| plain.contains(word)) {
            Reason::Metadata
        } else {
            Reason::UnknownOperation
        };
        sink.problem(RowProblem::new(line, reason, name));
        return;
    };
    let asked = match (text(&attributes, TEXT), kind) {
        (Some(statement), _) => Asked::Text(statement, parameters(&attributes, line, sink)),
        (None, OperationKind::Query) => {
            let detail = "no query text: let the SDK record it, and log again";
            sink.problem(RowProblem::new(line, Reason::Hidden, detail));
            Asked::Unknown
        }
        (None, _) => Asked::Nothing,
    };
    let operation = LoggedOperation {
        time: time(span),
        database: text(&attributes, DATABASE),
        container: text(&attributes, CONTAINER),
        asked,
        charge: number(&attributes, CHARGE).and_then(to_micro),
        status: number(&attributes, STATUS),
        sub_status: number(&attributes, SUB_STATUS),
        correlation: text(&attributes, CORRELATION).map(Correlation::Logged),
        ..LoggedOperation::new(kind)
    };
    sink.operation(operation, line);
}

/// The values of parameters, where a span tells them; they are text whatever they were.
fn parameters(attributes: &Map<String, Value>, line: u64, sink: &mut dyn LogSink) -> Parameters {
    let mut parameters = Parameters::new();
    for (name, value) in attributes {
        let Some(name) = name.strip_prefix(PARAMETER) else {
            continue;
        };
        let value = match value {
            Value::String(text) => value_of(text),
            other => other.clone(),
        };
        if value.is_number() {
            let detail = format!("{name} is read as a number");
            sink.problem(RowProblem::new(line, Reason::Guessed, detail));
        }
        parameters.insert(format!("@{}", name.trim_start_matches('@')), value);
    }
    parameters
}
