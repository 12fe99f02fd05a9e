//! `MongoDB` Extended JSON: values that say their type, read as what they stand for.
//!
//! Both forms are read, relaxed and canonical, and the older one of dates and binary data. What has no
//! counterpart in JSON stays as it stands.

use jiff::Timestamp;
use serde_json::{Map, Number, Value};

use super::parse::Seen;

/// Reads all that says its type inside a value, and notes the numbers that appear; whether there was
/// any.
pub(super) fn unwrap(value: &mut Value, seen: &mut Seen) -> bool {
    match value {
        Value::Array(elements) => elements
            .iter_mut()
            .fold(false, |any, element| unwrap(element, seen) | any),
        Value::Object(members) => {
            if let Some(plain) = plain(members) {
                if let Value::Number(number) = &plain {
                    seen.number(number);
                }
                *value = plain;
                return true;
            }
            if members.keys().any(|name| name.starts_with('$')) {
                return false;
            }
            let count = members.len();
            members.retain(|_, member| !is_undefined(member));
            let gone = members.len() < count;
            members.iter_mut().fold(gone, |any, (name, member)| {
                let unwrapped = unwrap(member, seen);
                seen.name(name);
                unwrapped | any
            })
        }
        _ => false,
    }
}

/// An undefined property is none.
fn is_undefined(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|members| members.len() == 1 && members.contains_key("$undefined"))
}

/// What an object of one or two members that start with `$` stands for.
fn plain(members: &Map<String, Value>) -> Option<Value> {
    let (name, value) = members.iter().next()?;
    if let (2, Some(kind)) = (members.len(), members.get("$type")) {
        // Binary data of the older form.
        return binary(members.get("$binary")?.as_str()?, kind.as_str()?);
    }
    if members.len() != 1 {
        return None;
    }
    match name.as_str() {
        "$oid" | "$uuid" | "$symbol" => value.as_str().map(Value::from),
        "$numberInt" | "$numberLong" => integer(value).map(Value::from),
        "$numberDouble" | "$numberDecimal" => {
            let number = value.as_str()?.parse().ok()?;
            Number::from_f64(number).map(Value::Number)
        }
        "$date" => date(value),
        "$binary" => {
            let base64 = value.get("base64")?.as_str()?;
            binary(base64, value.get("subType")?.as_str()?)
        }
        "$undefined" => Some(Value::Null),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i64> {
    value.as_str()?.parse().ok()
}

/// A date as the text of RFC 3339, from that text or from milliseconds since 1970.
fn date(value: &Value) -> Option<Value> {
    let milliseconds = match value {
        Value::String(_) => return Some(value.clone()),
        Value::Number(number) => number.as_i64()?,
        _ => integer(value.get("$numberLong")?)?,
    };
    let time = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(time.to_string().into())
}

/// Binary data as a UUID where it is one, otherwise as its base64.
fn binary(base64: &str, kind: &str) -> Option<Value> {
    if kind.trim_start_matches('0') != "4" {
        return Some(base64.into());
    }
    let bytes: [u8; 16] = decoded(base64)?.try_into().ok()?;
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    Some(parts.join("-").into())
}

fn decoded(base64: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut bit_count) = (Vec::new(), 0_u32, 0);
    for digit in base64.trim_end_matches('=').bytes() {
        let value = DIGITS.iter().position(|one| *one == digit)?;
        bits = (bits << 6) | value as u32;
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_type_is_read_as_what_it_stands_for() {
        for (wrapped, plain) in [
            (
                json!({"$oid": "5f1d7f3e9d1e8a0001a1b2c3"}),
                json!("5f1d7f3e9d1e8a0001a1b2c3"),
            ),
            (json!({"$numberInt": "7"}), json!(7)),
            (
                json!({"$numberLong": "9007199254740993"}),
                json!(9007199254740993_i64),
            ),
            (json!({"$numberDouble": "1.5"}), json!(1.5)),
            (json!({"$numberDecimal": "0.10"}), json!(0.1)),
            (
                json!({"$date": "2024-05-01T00:00:00Z"}),
                json!("2024-05-01T00:00:00Z"),
            ),
            (
                json!({"$date": {"$numberLong": "1714521600123"}}),
                json!("2024-05-01T00:00:00.123Z"),
            ),
            (
                json!({"$date": 1714521600000_i64}),
                json!("2024-05-01T00:00:00Z"),
            ),
            (
                json!({"$binary": {"base64": "PyUE4E+JEdOaDAMF6Cwz0Q==", "subType": "04"}}),
                json!("3f2504e0-4f89-11d3-9a0c-0305e82c33d1"),
            ),
            (
                json!({"$binary": "PyUE4E+JEdOaDAMF6Cwz0Q==", "$type": "04"}),
                json!("3f2504e0-4f89-11d3-9a0c-0305e82c33d1"),
            ),
            (
                json!({"$binary": {"base64": "AQI=", "subType": "00"}}),
                json!("AQI="),
            ),
            (json!([{"a": {"$uuid": "x"}}]), json!([{"a": "x"}])),
            (json!({"a": {"$undefined": true}, "b": 1}), json!({"b": 1})),
        ] {
            let mut value = wrapped.clone();
            assert!(unwrap(&mut value, &mut Seen::default()), "{wrapped}");
            assert_eq!(value, plain);
        }
    }

    #[test]
    fn what_has_no_counterpart_stays_as_it_stands() {
        for value in [
            json!({"$numberDouble": "NaN"}),
            json!({"$numberLong": "x"}),
            json!({"$date": {"$numberLong": "9223372036854775807"}}),
            json!({"$timestamp": {"t": 1, "i": 1}}),
            json!({"$ref": "a", "$id": "b"}),
            json!({"$oid": 5}),
            json!({"a": 1}),
        ] {
            let mut same = value.clone();
            assert!(!unwrap(&mut same, &mut Seen::default()));
            assert_eq!(same, value);
        }
    }
}
