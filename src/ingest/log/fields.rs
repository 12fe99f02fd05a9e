//! The fields of the native log, whatever writes them: one operation a row.

use std::ops::Bound;

use serde_json::{Map, Value};

use super::slots::{Name, Slot, Slots};
use super::time::{micros_of_number, micros_of_text};
use super::{Asked, Correlation, LogSink, LoggedOperation};
use crate::ingest::problem::{Reason, RowProblem};
use crate::model::units::{MICRO, to_micro};
use crate::model::{KeyComponent, Member, OperationKind, OptionsKey, Predicate, PropertyPath};
use crate::query::{Parameters, parameters_of};

/// The `kind` of a header line.
pub(super) const HEADER_KIND: &str = "cosmos-access-log";

/// Hands a row, or a header, to the sink; a row that cannot be read is a problem.
pub(super) fn row(mut fields: Slots<'_>, line: u64, sink: &mut dyn LogSink) {
    if fields.take(Name::Kind) == Slot::Text(HEADER_KIND.into()) {
        header(fields, sink);
        return;
    }
    for name in &fields.unknown {
        sink.problem(RowProblem::new(line, Reason::UnknownField, &**name));
    }
    for (one, other, detail) in [
        (
            Name::Filter,
            Name::Query,
            "filter and query: the query is used",
        ),
        (Name::Rate, Name::Count, "rate and count: the rate is used"),
    ] {
        if fields.has(one) && fields.has(other) {
            sink.problem(RowProblem::new(line, Reason::Conflict, detail));
        }
    }
    match operation(fields) {
        Ok(operation) => sink.operation(operation, line),
        Err((reason, detail)) => sink.problem(RowProblem::new(line, reason, detail)),
    }
}

fn header(mut fields: Slots<'_>, sink: &mut dyn LogSink) {
    if let Slot::Json(Value::Array(paths)) = fields.take(Name::CurrentKey) {
        let paths = paths.iter().filter_map(Value::as_str).map(str::to_owned);
        sink.current_key(paths.collect());
    }
    if let Slot::Text(container) = fields.take(Name::Container) {
        sink.container(&container);
    }
}

type Failure = (Reason, String);

fn bad(name: &str, expected: &str) -> Failure {
    (Reason::BadField, format!("{name}: expected {expected}"))
}

fn operation(mut fields: Slots<'_>) -> Result<LoggedOperation, Failure> {
    let fields = &mut fields;
    let name = text(fields.take(Name::Op), "op")?;
    let name = name.ok_or_else(|| bad("op", "the name of an operation"))?;
    let kind = OperationKind::from_name(&name).ok_or((Reason::UnknownOperation, name))?;
    let parameters = parameters(fields.take(Name::Params).into_json())?;
    let filter = fields.take(Name::Filter).into_json();
    let asked = match (text(fields.take(Name::Query), "query")?, filter) {
        (Some(text), _) => Asked::Text(text, parameters),
        (None, Some(filter)) => {
            let (predicate, names) = condition(&filter)?;
            Asked::Filter(predicate, names)
        }
        (None, None) => Asked::Nothing,
    };
    let rate = positive(fields.take(Name::Rate), "rate")?;
    let count = positive(fields.take(Name::Count), "count")?;
    let members = members(fields)?;
    let transaction = text(fields.take(Name::Tx), "tx")?;
    Ok(LoggedOperation {
        time: time(fields.take(Name::Ts))?,
        id: text(fields.take(Name::Id), "id")?,
        key: options_key(fields.take(Name::Pk).into_json())?,
        asked,
        item: object(fields.take(Name::Item), "item")?,
        charge: micro(fields.take(Name::Ru), "ru")?,
        weight: count.filter(|_| rate.is_none()).unwrap_or(MICRO),
        rate,
        bytes: whole(fields.take(Name::Bytes), "bytes")?,
        status: whole(fields.take(Name::Status), "status")?.and_then(|it| it.try_into().ok()),
        sub_status: whole(fields.take(Name::Sub), "sub")?.and_then(|it| it.try_into().ok()),
        shape: text(fields.take(Name::Shape), "shape")?,
        correlation: text(fields.take(Name::Cid), "cid")?.map(Correlation::Logged),
        // The members of a batch in one row are together as they stand.
        transaction: transaction.filter(|_| members.is_empty()),
        members,
        ranges: whole(fields.take(Name::Ranges), "ranges")?.and_then(|it| it.try_into().ok()),
        ..LoggedOperation::new(kind)
    })
}

fn time(slot: Slot<'_>) -> Result<Option<i64>, Failure> {
    let micros = match slot {
        Slot::Absent => return Ok(None),
        Slot::Text(text) => micros_of_text(&text, 0),
        Slot::Number(number) => number.as_f64().and_then(micros_of_number),
        Slot::Json(_) => None,
    };
    micros.map(Some).ok_or_else(|| bad("ts", "a moment"))
}

fn text(slot: Slot<'_>, name: &str) -> Result<Option<String>, Failure> {
    match slot {
        Slot::Absent => Ok(None),
        Slot::Text(text) => Ok(Some(text.into_owned())),
        Slot::Number(number) => Ok(Some(number.to_string())),
        Slot::Json(_) => Err(bad(name, "text")),
    }
}

/// A number, or text that is one, as tables without types write it.
fn number(slot: Slot<'_>, name: &str) -> Result<Option<f64>, Failure> {
    let value = match slot {
        Slot::Absent => return Ok(None),
        Slot::Number(number) => number.as_f64(),
        Slot::Text(text) => text.trim().parse().ok(),
        Slot::Json(_) => None,
    };
    value.map(Some).ok_or_else(|| bad(name, "a number"))
}

fn micro(slot: Slot<'_>, name: &str) -> Result<Option<u64>, Failure> {
    number(slot, name)?
        .map(|value| to_micro(value).ok_or_else(|| bad(name, "a number from 0")))
        .transpose()
}

fn positive(slot: Slot<'_>, name: &str) -> Result<Option<u64>, Failure> {
    match micro(slot, name)? {
        Some(0) => Err(bad(name, "a number above 0")),
        number => Ok(number),
    }
}

fn whole(slot: Slot<'_>, name: &str) -> Result<Option<u64>, Failure> {
    number(slot, name)?
        .map(|value| {
            (0.0..1e18)
                .contains(&value)
                .then_some(value as u64)
                .ok_or_else(|| bad(name, "a number from 0"))
        })
        .transpose()
}

fn object(slot: Slot<'_>, name: &str) -> Result<Option<Value>, Failure> {
    match slot.into_json() {
        None | Some(Value::Null) => Ok(None),
        Some(item @ Value::Object(_)) => Ok(Some(item)),
        Some(_) => Err(bad(name, "a JSON object")),
    }
}

fn path(name: &str) -> Result<PropertyPath, Failure> {
    PropertyPath::named(name)
        .ok_or_else(|| (Reason::BadField, format!("'{name}' names no property")))
}

fn options_key(value: Option<Value>) -> Result<OptionsKey, Failure> {
    Ok(match value {
        None | Some(Value::Null) => OptionsKey::None,
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
        Some(value) => OptionsKey::Components(vec![KeyComponent::from_json(&value)]),
    })
}

fn parameters(value: Option<Value>) -> Result<Parameters, Failure> {
    match value {
        None | Some(Value::Null) => Ok(Parameters::new()),
        Some(value) => parameters_of(&value)
            .ok_or_else(|| bad("params", "an object, or an array of {name, value}")),
    }
}

fn members(fields: &mut Slots<'_>) -> Result<Vec<Member>, Failure> {
    let mut members = Vec::new();
    for (slot, name, default) in [
        (Name::Keys, "keys", OperationKind::Read),
        (Name::Items, "items", OperationKind::Upsert),
    ] {
        match fields.take(slot).into_json() {
            None | Some(Value::Null) => {}
            Some(Value::Array(entries)) => {
                for entry in entries {
                    members.push(member(entry, name, default)?);
                }
            }
            Some(_) => return Err(bad(name, "an array")),
        }
    }
    Ok(members)
}

fn member(entry: Value, name: &str, default: OperationKind) -> Result<Member, Failure> {
    let Value::Object(mut fields) = entry else {
        return Err(bad(name, "objects in the array"));
    };
    let mut take = |name: &str| Slot::from(fields.remove(name).unwrap_or_default());
    let kind = match text(take("op"), "op")? {
        Some(name) => OperationKind::from_name(&name).ok_or((Reason::UnknownOperation, name))?,
        None => default,
    };
    Ok(Member {
        kind,
        id: text(take("id"), "id")?.map(Into::into),
        key: options_key(take("pk").into_json())?,
        item: object(take("item"), "item")?,
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
    bounds: &Map<String, Value>,
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
