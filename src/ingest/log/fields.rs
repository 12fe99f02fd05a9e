//! The fields of the native log, whatever writes them: one JSON object an operation.

use std::ops::Bound;

use serde_json::{Map, Value};

use super::time::micros;
use super::{LogSink, LoggedOperation};
use crate::ingest::problem::{Reason, RowProblem};
use crate::model::units::{MICRO, to_micro};
use crate::model::{KeyComponent, Member, OperationKind, OptionsKey, Predicate, PropertyPath};
use crate::query::{Parameters, parameters_of};

/// The `kind` of a header line.
pub(super) const HEADER_KIND: &str = "cosmos-access-log";

/// Fields that have a meaning.
const KNOWN: [&str; 22] = [
    "ts", "op", "id", "pk", "filter", "query", "params", "item", "keys", "tx", "items", "ru",
    "bytes", "rows", "pages", "count", "status", "sub", "shape", "cid", "ranges", "v",
];

type Fields = Map<String, Value>;

/// Hands a row, or a header, to the sink; a row that cannot be read is a problem.
pub(super) fn row(fields: &Fields, line: u64, sink: &mut dyn LogSink) {
    if fields.get("kind").and_then(Value::as_str) == Some(HEADER_KIND) {
        if let Some(Value::Array(paths)) = fields.get("current_key") {
            let paths = paths.iter().filter_map(Value::as_str).map(str::to_owned);
            sink.current_key(paths.collect());
        }
        return;
    }
    for name in fields.keys() {
        if !KNOWN.contains(&name.as_str()) {
            sink.problem(RowProblem::new(line, Reason::UnknownField, name));
        }
    }
    if fields.contains_key("filter") && fields.contains_key("query") {
        let detail = "filter and query: the query is used";
        sink.problem(RowProblem::new(line, Reason::Conflict, detail));
    }
    match operation(fields) {
        Ok(operation) => sink.operation(operation, line),
        Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
    }
}

type Failure = (Reason, String);

fn bad(name: &str, expected: &str) -> Failure {
    (Reason::BadField, format!("{name}: expected {expected}"))
}

fn operation(fields: &Fields) -> Result<LoggedOperation, Failure> {
    let name = text(fields, "op")?.ok_or_else(|| bad("op", "the name of an operation"))?;
    let kind = OperationKind::from_name(&name).ok_or((Reason::UnknownOperation, name))?;
    let query = text(fields, "query")?;
    let filter = match structured(fields, "filter") {
        Some(filter) if query.is_none() => Some(condition(&filter)?),
        _ => None,
    };
    let time = match fields.get("ts") {
        None | Some(Value::Null) => None,
        Some(value) => Some(micros(value).ok_or_else(|| bad("ts", "a moment"))?),
    };
    Ok(LoggedOperation {
        time,
        id: text(fields, "id")?,
        key: options_key(structured(fields, "pk").as_ref())?,
        filter,
        query,
        parameters: parameters(structured(fields, "params").as_ref())?,
        item: object(fields, "item")?,
        members: members(fields)?,
        charge: micro(fields, "ru")?,
        weight: match micro(fields, "count")? {
            None => MICRO,
            Some(0) => return Err(bad("count", "a number above 0")),
            Some(weight) => weight,
        },
        bytes: whole(fields, "bytes")?,
        status: whole(fields, "status")?.and_then(|status| u16::try_from(status).ok()),
        shape: text(fields, "shape")?,
        correlation: text(fields, "cid")?,
        ranges: whole(fields, "ranges")?.and_then(|ranges| u32::try_from(ranges).ok()),
        ..LoggedOperation::new(kind)
    })
}

fn text(fields: &Fields, name: &str) -> Result<Option<String>, Failure> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(bad(name, "text")),
    }
}

/// A number, or text that is one, as tables without types write it.
fn number(fields: &Fields, name: &str) -> Result<Option<f64>, Failure> {
    let value = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(_) => None,
    };
    value.map(Some).ok_or_else(|| bad(name, "a number"))
}

fn micro(fields: &Fields, name: &str) -> Result<Option<u64>, Failure> {
    number(fields, name)?
        .map(|value| to_micro(value).ok_or_else(|| bad(name, "a number from 0")))
        .transpose()
}

fn whole(fields: &Fields, name: &str) -> Result<Option<u64>, Failure> {
    number(fields, name)?
        .map(|value| {
            (0.0..1e18)
                .contains(&value)
                .then_some(value as u64)
                .ok_or_else(|| bad(name, "a number from 0"))
        })
        .transpose()
}

/// An array or object, or text that holds one, as tables without types write it; null is none.
fn structured(fields: &Fields, name: &str) -> Option<Value> {
    match fields.get(name)? {
        Value::Null => None,
        Value::String(text) => {
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())))
        }
        value => Some(value.clone()),
    }
}

fn object(fields: &Fields, name: &str) -> Result<Option<Value>, Failure> {
    match structured(fields, name) {
        None => Ok(None),
        Some(item @ Value::Object(_)) => Ok(Some(item)),
        Some(_) => Err(bad(name, "a JSON object")),
    }
}

fn path(name: &str) -> Result<PropertyPath, Failure> {
    PropertyPath::named(name)
        .ok_or_else(|| (Reason::BadField, format!("'{name}' names no property")))
}

fn options_key(value: Option<&Value>) -> Result<OptionsKey, Failure> {
    Ok(match value {
        None => OptionsKey::None,
        Some(Value::Object(members)) => OptionsKey::Properties(
            members
                .iter()
                .map(|(name, value)| Ok((path(name)?, KeyComponent::from_json(value))))
                .collect::<Result<_, Failure>>()?,
        ),
        Some(Value::Array(values)) => {
            OptionsKey::Components(values.iter().map(KeyComponent::from_json).collect())
        }
        // Some call sites log the one value of the key by itself.
        Some(value) => OptionsKey::Components(vec![KeyComponent::from_json(value)]),
    })
}

fn parameters(value: Option<&Value>) -> Result<Parameters, Failure> {
    value.map_or_else(
        || Ok(Parameters::new()),
        |value| {
            parameters_of(value)
                .ok_or_else(|| bad("params", "an object, or an array of {name, value}"))
        },
    )
}

fn members(fields: &Fields) -> Result<Vec<Member>, Failure> {
    let of = |name: &str, default: OperationKind| {
        let entries = match structured(fields, name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err(bad(name, "an array")),
        };
        entries
            .iter()
            .map(|entry| member(entry, name, default))
            .collect()
    };
    let mut members: Vec<Member> = of("keys", OperationKind::Read)?;
    members.extend(of("items", OperationKind::Upsert)?);
    Ok(members)
}

fn member(entry: &Value, name: &str, default: OperationKind) -> Result<Member, Failure> {
    let Value::Object(fields) = entry else {
        return Err(bad(name, "objects in the array"));
    };
    let kind = match text(fields, "op")? {
        Some(name) => OperationKind::from_name(&name).ok_or((Reason::UnknownOperation, name))?,
        None => default,
    };
    Ok(Member {
        kind,
        id: text(fields, "id")?.map(Into::into),
        key: options_key(structured(fields, "pk").as_ref())?,
        item: object(fields, "item")?,
    })
}

/// The condition of a `filter`, and the properties it names, for the shape.
fn condition(filter: &Value) -> Result<(Predicate, String), Failure> {
    let Value::Object(members) = filter else {
        return Err(bad("filter", "an object of property to value"));
    };
    let mut conditions = Vec::new();
    let mut names = Vec::new();
    for (name, value) in members {
        let path = path(name)?;
        let (condition, operator) = match value {
            Value::Array(values) => {
                let values = values.iter().map(KeyComponent::from_json).collect();
                (Predicate::In(path, values), " in")
            }
            Value::Object(bounds) => comparison(name, path, bounds)?,
            value => (
                Predicate::In(path, vec![KeyComponent::from_json(value)]),
                "",
            ),
        };
        conditions.push(condition);
        names.push(format!("{name}{operator}"));
    }
    Ok((Predicate::And(conditions), names.join(", ")))
}

/// A comparison other than equality. A range narrows a key that cuts moments to units, and nothing
/// else.
fn comparison(
    name: &str,
    path: PropertyPath,
    bounds: &Fields,
) -> Result<(Predicate, &'static str), Failure> {
    let known = ["lt", "le", "gt", "ge", "ne", "prefix", "undefined"];
    if let Some(key) = bounds.keys().find(|key| !known.contains(&key.as_str())) {
        let detail = format!("filter of {name}: {key} is none of {}", known.join(", "));
        return Err((Reason::BadField, detail));
    }
    if bounds.is_empty() {
        return Err(bad(&format!("filter of {name}"), "a comparison"));
    }
    let end = |inside: &str, outside: &str| {
        let of = |name: &str| bounds.get(name).map(KeyComponent::from_json);
        of(inside)
            .map(Bound::Included)
            .or_else(|| of(outside).map(Bound::Excluded))
            .unwrap_or(Bound::Unbounded)
    };
    let (low, high) = (end("ge", "gt"), end("le", "lt"));
    let predicate = match (&low, &high) {
        (Bound::Unbounded, Bound::Unbounded) => Predicate::Any,
        _ => Predicate::Range(path, low, high),
    };
    Ok((predicate, " compared"))
}
