//! What functions of the language give for constants.

use serde_json::Value;

/// The value of a function that depends on nothing but its arguments; `None` of other functions, and of
/// arguments of other types.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    let text = |value: String| Some(Value::String(value));
    let number = |value: f64| serde_json::Number::from_f64(value).map(Value::Number);
    match (name.to_ascii_uppercase().as_str(), arguments) {
        ("LOWER", [Value::String(one)]) => text(one.to_lowercase()),
        ("UPPER", [Value::String(one)]) => text(one.to_uppercase()),
        ("TRIM", [Value::String(one)]) => text(one.trim().to_owned()),
        ("LTRIM", [Value::String(one)]) => text(one.trim_start().to_owned()),
        ("RTRIM", [Value::String(one)]) => text(one.trim_end().to_owned()),
        ("REVERSE", [Value::String(one)]) => text(one.chars().rev().collect()),
        ("LENGTH", [Value::String(one)]) => number(one.encode_utf16().count() as f64),
        ("REPLACE", [Value::String(one), Value::String(from), Value::String(to)])
            if !from.is_empty() =>
        {
            text(one.replace(from.as_str(), to))
        }
        ("CONCAT", [_, _, ..]) => {
            let parts = arguments.iter().map(Value::as_str);
            text(parts.collect::<Option<Vec<_>>>()?.concat())
        }
        ("LEFT" | "RIGHT" | "SUBSTRING", [Value::String(one), ends @ ..]) => {
            let units: Vec<u16> = one.encode_utf16().collect();
            let whole = |value: &Value| {
                let value = value.as_f64()?;
                (value.fract() == 0.0 && value >= 0.0).then_some((value as usize).min(units.len()))
            };
            let (from, to) = match (name.to_ascii_uppercase().as_str(), ends) {
                ("LEFT", [count]) => (0, whole(count)?),
                ("RIGHT", [count]) => (units.len() - whole(count)?, units.len()),
                ("SUBSTRING", [from, count]) => {
                    let from = whole(from)?;
                    (from, (from + whole(count)?).min(units.len()))
                }
                _ => return None,
            };
            String::from_utf16(&units[from..to]).ok().and_then(text)
        }
        ("TOSTRING", [one @ Value::String(_)]) => Some(one.clone()),
        ("TOSTRING", [Value::Bool(flag)]) => text(flag.to_string()),
        ("ABS", [Value::Number(one)]) => number(one.as_f64()?.abs()),
        ("FLOOR", [Value::Number(one)]) => number(one.as_f64()?.floor()),
        ("CEILING", [Value::Number(one)]) => number(one.as_f64()?.ceil()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn functions_of_constants_are_computed() {
        for (name, arguments, value) in [
            ("lower", json!(["A@X.IO"]), json!("a@x.io")),
            ("CONCAT", json!(["a", "-", "b"]), json!("a-b")),
            ("SUBSTRING", json!(["2024-05-01", 0, 7]), json!("2024-05")),
            ("SUBSTRING", json!(["ab", 1, 9]), json!("b")),
            ("LEFT", json!(["abc", 2]), json!("ab")),
            ("RIGHT", json!(["abc", 2]), json!("bc")),
            ("REPLACE", json!(["aXb", "X", "-"]), json!("a-b")),
            ("LENGTH", json!(["a🚀"]), json!(3.0)),
            ("ABS", json!([-2]), json!(2.0)),
            ("ToString", json!([true]), json!("true")),
        ] {
            let arguments = arguments.as_array().expect("arguments");
            assert_eq!(call(name, arguments), Some(value), "{name}");
        }
        for (name, arguments) in [
            ("LOWER", json!([1])),
            ("CONCAT", json!(["a", 1])),
            ("GetCurrentDateTime", json!([])),
            ("LEFT", json!(["a", -1])),
        ] {
            assert_eq!(call(name, arguments.as_array().expect("arguments")), None);
        }
    }
}
