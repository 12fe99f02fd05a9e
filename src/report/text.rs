//! Values and texts of users written for people.

use serde_json::Value;

use super::v1::{Cardinality, Growth, Interval, LogicalPartition, LogicalPartitions, Scenario};
use crate::assess::text::{bytes, percent, whole};

/// What stands where a number is not known.
pub(super) const UNKNOWN: &str = "?";

/// A value written, or what stands for one that is not known.
pub(super) fn or_unknown<T>(value: Option<T>, write: impl Fn(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), write)
}

/// The RU/s that a candidate needs; without times in the log that is not known.
pub(super) fn needed(required: Option<u64>, scenario: &Scenario) -> String {
    match required {
        Some(ru) => whole(ru),
        None if scenario.window_seconds.is_some() => "none".to_owned(),
        None => UNKNOWN.to_owned(),
    }
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
pub fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let hidden = c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
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

/// A number of physical partitions.
pub(super) fn partitions(count: u32) -> String {
    match count {
        1 => "1 physical partition".to_owned(),
        count => format!("{} physical partitions", whole(count.into())),
    }
}

/// The number of distinct key values; one that is estimated bears a mark.
pub(super) fn distinct(cardinality: &Cardinality) -> String {
    let mark = if cardinality.exact { "" } else { "~" };
    format!("{mark}{}", whole(cardinality.distinct))
}

/// What is told of the heaviest values beside their names, by column. Of a sample also where their shares
/// and sizes in the container lie.
pub(super) fn heaviest_columns(logical: &LogicalPartitions) -> Vec<&'static str> {
    let mut columns = vec!["items", "bytes", "share"];
    if are_of_sample(logical) {
        columns.extend(["in the container", "share at 95%"]);
    }
    columns
}

/// The cells of one of the heaviest values in these columns.
pub(super) fn heaviest_cells(logical: &LogicalPartitions, one: &LogicalPartition) -> Vec<String> {
    let mut cells = vec![whole(one.items), bytes(one.bytes), percent(one.share)];
    if are_of_sample(logical) {
        cells.push(interval(one.bytes_interval, |size| bytes(size as u64)));
        cells.push(interval(one.share_interval, percent));
    }
    cells
}

fn are_of_sample(logical: &LogicalPartitions) -> bool {
    let mut named = logical.top.iter();
    named.any(|one| one.share_interval.is_some())
}

/// Where a number lies.
fn interval(interval: Option<Interval>, number: impl Fn(f64) -> String) -> String {
    let Some(Interval { low, high }) = interval else {
        return UNKNOWN.to_owned();
    };
    let (low, high) = (number(low), number(high));
    if low == high {
        return low;
    }
    format!("{low} to {high}")
}

/// How the data grow, in a sentence.
pub(super) fn growth_in_words(growth: &Growth) -> String {
    let rate = format!("{} a day", bytes(growth.bytes_per_day as u64));
    let breach = match (&growth.breach, &growth.never) {
        (Some(breach), _) => {
            let latest = breach.latest.as_deref().unwrap_or("never");
            format!(
                "{} reaches 20 GB on {} ({} to {latest})",
                key_value(&breach.value),
                breach.day,
                breach.earliest
            )
        }
        (None, Some(never)) => format!("no value reaches 20 GB: {}", visible(never)),
        (None, None) => "no value reaches 20 GB".to_owned(),
    };
    let splits = growth.splits.first().map_or_else(String::new, |first| {
        format!(
            "; physical partition {} splits first, on {}",
            first.partition, first.day
        )
    });
    let horizon = &growth.horizon;
    format!(
        "{rate}; {breach}{splits}; on {} {} on {}",
        horizon.day,
        bytes(horizon.bytes),
        partitions(horizon.partitions)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
