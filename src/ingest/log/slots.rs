//! The fields of a native row at fixed places, whatever wrote them: JSON without a tree of all its
//! values, or the cells of a table.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A field of the native log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Ts,
    Op,
    Id,
    Pk,
    Filter,
    Query,
    Params,
    Item,
    Keys,
    Tx,
    Items,
    Ru,
    Bytes,
    Count,
    Rate,
    Status,
    Sub,
    Shape,
    Cid,
    Ranges,
    Kind,
    CurrentKey,
    Container,
    /// Fields that are allowed and not used.
    Unused,
}

impl Name {
    const COUNT: usize = Self::Unused as usize;

    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "ts" => Self::Ts,
            "op" => Self::Op,
            "id" => Self::Id,
            "pk" => Self::Pk,
            "filter" => Self::Filter,
            "query" => Self::Query,
            "params" => Self::Params,
            "item" => Self::Item,
            "keys" => Self::Keys,
            "tx" => Self::Tx,
            "items" => Self::Items,
            "ru" => Self::Ru,
            "bytes" => Self::Bytes,
            "count" => Self::Count,
            "rate" => Self::Rate,
            "status" => Self::Status,
            "sub" => Self::Sub,
            "shape" => Self::Shape,
            "cid" => Self::Cid,
            "ranges" => Self::Ranges,
            "kind" => Self::Kind,
            "current_key" => Self::CurrentKey,
            "container" => Self::Container,
            "rows" | "pages" | "v" => Self::Unused,
            _ => return None,
        })
    }
}

/// What stands in a field.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Slot<'a> {
    /// Nothing, or null.
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(Number),
    /// A boolean, an array or an object.
    Json(Value),
}

impl From<Value> for Slot<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::String(text) => Self::Text(text.into()),
            Value::Number(number) => Self::Number(number),
            value => Self::Json(value),
        }
    }
}

impl Slot<'_> {
    /// The array or object that stands here, or that a text holds, as tables without types write it.
    /// Any other value stands for itself.
    pub(super) fn into_json(self) -> Option<Value> {
        match self {
            Self::Absent => None,
            Self::Text(text) => {
                Some(serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into())))
            }
            Self::Number(number) => Some(Value::Number(number)),
            Self::Json(value) => Some(value),
        }
    }
}

/// The fields of one row.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Slots<'a> {
    slots: [Slot<'a>; Name::COUNT],
    /// Names that mean nothing here.
    pub(super) unknown: Vec<Cow<'a, str>>,
}

impl<'a> Slots<'a> {
    pub(super) fn set(&mut self, name: Name, slot: Slot<'a>) {
        if let Some(place) = self.slots.get_mut(name as usize) {
            *place = slot;
        }
    }

    pub(super) fn take(&mut self, name: Name) -> Slot<'a> {
        self.slots
            .get_mut(name as usize)
            .map(std::mem::take)
            .unwrap_or_default()
    }

    pub(super) fn has(&self, name: Name) -> bool {
        self.slots
            .get(name as usize)
            .is_some_and(|slot| *slot != Slot::Absent)
    }
}

impl<'de> Deserialize<'de> for Slots<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SlotsVisitor)
    }
}

struct SlotsVisitor;

impl<'de> Visitor<'de> for SlotsVisitor {
    type Value = Slots<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut slots = Slots::default();
        while let Some(Text(name)) = map.next_key()? {
            match Name::parse(&name) {
                Some(Name::Unused) => {
                    map.next_value::<IgnoredAny>()?;
                }
                // Of equal names the last wins.
                Some(name) => slots.set(name, map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                    slots.unknown.push(name);
                }
            }
        }
        Ok(slots)
    }
}

/// A text that is borrowed where it can be.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(text.to_owned().into()))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(text.into()))
    }
}

impl<'de> Deserialize<'de> for Slot<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SlotVisitor)
    }
}

struct SlotVisitor;

impl<'de> Visitor<'de> for SlotVisitor {
    type Value = Slot<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Slot::Absent)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Slot::Json(flag.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Slot::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Slot::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(number).map_or(Slot::Absent, Slot::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Slot::Text(text.to_owned().into()))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Slot::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Slot::Json(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, value)) = members.next_entry()? {
            map.insert(name, value);
        }
        Ok(Slot::Json(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_at_their_places_and_the_last_of_equal_names_counts() {
        let text = r#"{"op":"read","op":"query","ru":2.5,"count":3,"id":null,"pk":["a",1],"color":1,"v":1,"item":{"a":"\u00e9"}}"#;
        let mut slots: Slots<'_> = serde_json::from_str(text).expect("a row");
        assert_eq!(slots.take(Name::Op), Slot::Text("query".into()));
        assert_eq!(slots.take(Name::Count), Slot::Number(3.into()));
        assert!(!slots.has(Name::Id) && slots.has(Name::Pk));
        assert_eq!(
            slots.take(Name::Pk),
            Slot::Json(serde_json::json!(["a", 1]))
        );
        assert_eq!(
            slots.take(Name::Item).into_json(),
            Some(serde_json::json!({"a": "é"}))
        );
        assert_eq!(slots.unknown, ["color"]);
    }
}
