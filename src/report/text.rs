//! Numbers and values written for people.

use serde_json::Value;

/// What stands where a number is not known.
pub(super) const UNKNOWN: &str = "?";

/// A whole number with commas between thousands.
pub(super) fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A quantity of operations or of request units: whole where it is, else with two digits.
pub(super) fn quantity(number: f64) -> String {
    if number.fract().abs() < 1e-9 || number >= 1000.0 {
        whole(number.round() as u64)
    } else {
        format!("{number:.2}")
    }
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent >= 99.95 || percent.abs() < 1e-12 {
        format!("{percent:.0} %")
    } else if percent >= 0.1 {
        format!("{percent:.1} %")
    } else {
        "<0.1 %".to_owned()
    }
}

/// Bytes with a decimal unit, as the service counts its limits.
pub(super) fn bytes(bytes: u64) -> String {
    let size = bytes as f64;
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    units
        .into_iter()
        .find(|(_, unit)| size >= *unit)
        .map_or_else(
            || format!("{bytes} B"),
            |(name, unit)| format!("{:.1} {name}", size / unit),
        )
}

/// A key value on one line: its components; text as JSON writes it, so that hostile characters show.
pub(super) fn key_value(value: &Value) -> String {
    let Value::Array(components) = value else {
        return value.to_string();
    };
    let one = |component: &Value| match component {
        Value::Object(_) => "undefined".to_owned(),
        other => visible(&other.to_string()),
    };
    components.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A text without control characters and characters that turn the direction of writing.
pub(super) fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let hidden = c.is_control()
                || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            let escaped = hidden.then(|| format!("\\u{:04x}", u32::from(c)));
            escaped.map_or_else(|| vec![c], |text| text.chars().collect())
        })
        .collect()
}

/// A text of at most so many characters; what is cut bears a mark.
pub(super) fn cut(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(whole(0), "0");
        assert_eq!(whole(336776), "336,776");
        assert_eq!(quantity(2.5), "2.50");
        assert_eq!(quantity(12345.6), "12,346");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0001), "<0.1 %");
        assert_eq!(percent(0.123), "12.3 %");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(20_500_000_000), "20.5 GB");
    }

    #[test]
    fn hostile_values_show_what_they_are() {
        assert_eq!(
            key_value(&json!(["a\u{202e}b\u{1b}[31m", {}, null])),
            "\"a\\u202eb\\u001b[31m\", undefined, null"
        );
        assert_eq!(visible("a\u{9b}b"), "a\\u009bb");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
