//! Files that are no dataset, though they can be read as one: access logs, diagnostics of the SDKs,
//! and lists of what is no item. Told by the first value, by the header of a table, or by the text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::ingest::table::Table;
use crate::model::OperationKind;

/// What a file is, and the way out.
type Form = (&'static str, &'static str);

const LOG: Form = (
    "an access log",
    "give it as the log: --log FILE; if it is a dataset all the same, name its form with --input-format",
);

const DIAGNOSTICS: Form = (
    "diagnostics of an SDK",
    "they hold neither items nor keys: export the items, and log the operations of the application",
);

const RANGES: Form = (
    "the list of the partition key ranges of a container",
    "give it as the layout: --layout FILE; for a dataset export the items",
);

const METADATA: Form = (
    "a list of databases or containers",
    "export the items of one container",
);

const MARKUP: Form = (
    "XML or HTML",
    "export the items as JSON; a web page may be an error or a login in place of the download",
);

/// What a file that starts with these bytes is, if it is known to be no dataset.
pub(super) fn form(head: &[u8]) -> Option<Form> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    match head.trim_ascii_start().first()? {
        b'{' | b'[' => json_form(&first_value(head)),
        b'<' => Some(MARKUP),
        _ => text_form(head).or_else(|| table_form(head)),
    }
}

fn json_form(value: &Value) -> Option<Form> {
    let first = value.get(0).unwrap_or(value);
    let has = |names: &[&str]| names.iter().all(|name| first.get(name).is_some());
    let text = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
    if has(&["PartitionKeyRanges"]) {
        return Some(RANGES);
    }
    if ["DocumentCollections", "Databases", "Offers"]
        .iter()
        .any(|name| has(&[name, "_rid"]))
    {
        return Some(METADATA);
    }
    // Logs and diagnostics that are kept in a container are its items.
    if has(&["_rid"]) || has(&["_ts"]) {
        return None;
    }
    if has(&["responseStatisticsList"])
        || has(&["Summary", "children"])
        || has(&["start datetime", "duration in milliseconds"])
    {
        return Some(DIAGNOSTICS);
    }
    let resource_log = |row: &Value| {
        let has = |name: &str| row.get(name).is_some();
        has("category") && has("properties") && (has("operationName") || has("time"))
    };
    let inner = |name: &str| first.get(name).and_then(|array| array.get(0));
    let spans = first.get("attributes").and_then(Value::as_object);
    let is_native = OperationKind::from_name(text("op")).is_some()
        && ["ru", "query", "filter", "pk", "keys", "tx"]
            .iter()
            .any(|name| has(&[name]));
    let is_log = text("kind") == "cosmos-access-log"
        || is_native
        || has(&["TableName", "TimeGenerated"])
        || resource_log(first)
        || inner("records").is_some_and(resource_log)
        || inner("tables").is_some_and(|table| table.get("columns").is_some())
        || spans.is_some_and(|names| names.keys().any(|name| name.starts_with("db.")));
    is_log.then_some(LOG)
}

/// The log of Entity Framework Core.
fn text_form(head: &[u8]) -> Option<Form> {
    let text = String::from_utf8_lossy(head);
    ["Executed ", "Executing "]
        .iter()
        .any(|verb| {
            [
                "ReadNext",
                "ReadItem",
                "CreateItem",
                "ReplaceItem",
                "DeleteItem",
                "SQL query",
            ]
            .iter()
            .any(|what| text.contains(&format!("{verb}{what}")))
        })
        .then_some(LOG)
}

fn table_form(head: &[u8]) -> Option<Form> {
    let table = Table::new(head).ok()?;
    let has = |name: &str| table.header.iter().any(|one| one == name);
    let starts = |start: &str| table.header.iter().any(|one| one.starts_with(start));
    let is_azure = starts("TimeGenerated")
        && [
            "OperationName",
            "RequestCharge",
            "requestCharge_s",
            "QueryText",
            "querytext_s",
        ]
        .iter()
        .any(|name| has(name));
    let is_native = has("op")
        && ["ru", "query", "filter.", "pk:json"]
            .iter()
            .any(|name| starts(name));
    (is_azure || is_native).then_some(LOG)
}

/// The first JSON value, as far as it is there: of each array the first element, of objects the
/// members up to where the bytes end.
fn first_value(head: &[u8]) -> Value {
    let mut value = Value::Null;
    let mut reader = serde_json::Deserializer::from_slice(head);
    // An error is where the bytes end, or where they are broken; what stands before it is enough.
    let _ = Outline(&mut value).deserialize(&mut reader);
    value
}

/// Writes what it reads into a value at once, so that it is there when an error ends the reading.
struct Outline<'a>(&'a mut Value);

impl<'de> DeserializeSeed<'de> for Outline<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Outline<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        *self.0 = value.into();
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        *self.0 = Value::Array(vec![Value::Null]);
        elements.next_element_seed(Outline(&mut self.0[0]))?;
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        *self.0 = Value::Object(Map::new());
        while let Some(name) = members.next_key::<String>()? {
            members.next_value_seed(Outline(&mut self.0[name]))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_diagnostics_and_lists_are_no_datasets() {
        for (head, is) in [
            ("{\"v\":1,\"kind\":\"cosmos-access-log\"}\n", LOG),
            (
                "{\"ts\":1,\"op\":\"Read\",\"id\":\"1\",\"pk\":[\"a\"]}\n{",
                LOG,
            ),
            ("[{\"TableName\":\"P\",\"TimeGenerated\":\"x\",\"Op", LOG),
            (
                "{\"time\":\"x\",\"category\":\"C\",\"properties\":{\"a",
                LOG,
            ),
            (
                "{\"records\":[{\"time\":\"x\",\"category\":\"C\",\"properties\":{}},{",
                LOG,
            ),
            ("{\"tables\":[{\"name\":\"P\",\"columns\":[{", LOG),
            ("{\"attributes\":{\"db.namespace\":\"x\"", LOG),
            ("\u{feff}\"TimeGenerated [UTC]\",OperationName\n", LOG),
            ("ts,op,ru:number\n", LOG),
            ("info: x\n  Executed ReadNext (2 ms, 2.79 RU)", LOG),
            ("{\"Summary\":{},\"name\":\"x\",\"children\":[", DIAGNOSTICS),
            ("{\"responseStatisticsList\":[", DIAGNOSTICS),
            ("{\"_rid\":\"x\",\"PartitionKeyRanges\":[{", RANGES),
            ("{\"_rid\":\"x\",\"DocumentCollections\":[{", METADATA),
            ("<html>", MARKUP),
        ] {
            assert_eq!(form(head.as_bytes()), Some(is), "{head}");
        }
    }

    #[test]
    fn items_with_such_names_are_a_dataset() {
        for head in [
            "{\"id\":\"1\",\"op\":\"read\",\"ts\":1}",
            "{\"id\":\"1\",\"op\":\"weld\",\"ru\":1}",
            "{\"id\":\"1\",\"category\":\"C\",\"properties\":{}}",
            "{\"time\":1,\"category\":\"C\",\"properties\":{},\"_rid\":\"x\"}",
            "{\"records\":[{\"id\":\"1\"}]}",
            "id,op\n",
            "",
            "[",
            "nonsense",
        ] {
            assert_eq!(form(head.as_bytes()), None, "{head}");
        }
    }
}
