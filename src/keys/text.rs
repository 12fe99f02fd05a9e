//! The text that a template makes of a value.

use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::candidate::{TimeUnit, Transform};
use crate::model::KeyComponent;
use crate::model::time::{moment_of_number, moment_of_text};

/// The text of a component: a number as JavaScript prints it (RFC 8785), the word for a boolean or
/// null, and none for what is undefined.
pub(super) fn plain(component: &KeyComponent) -> Option<String> {
    Some(match component {
        KeyComponent::Undefined => return None,
        KeyComponent::Null => "null".to_owned(),
        KeyComponent::Bool(flag) => flag.to_string(),
        KeyComponent::Number(number) => number_text(*number),
        KeyComponent::String(text) => text.to_string(),
    })
}

/// The text of a component under a transform; none where the transform cannot take the value.
pub(super) fn transformed(component: &KeyComponent, transform: Transform) -> Option<String> {
    let text = || plain(component);
    match transform {
        Transform::Time(unit) => moment(component).map(|moment| cut(&moment, unit)),
        Transform::First(count) => text().map(|text| text.chars().take(count as usize).collect()),
        Transform::Last(count) => text().map(|text| {
            text.chars()
                .skip(text.chars().count().saturating_sub(count as usize))
                .collect()
        }),
        Transform::Lower => text().map(|text| text.to_lowercase()),
        Transform::Upper => text().map(|text| text.to_uppercase()),
    }
}

/// The moment that a component names, in UTC.
fn moment(component: &KeyComponent) -> Option<DateTime> {
    let timestamp = match component {
        KeyComponent::Number(number) => moment_of_number(*number)?,
        KeyComponent::String(text) => moment_of_text(text)?,
        KeyComponent::Undefined | KeyComponent::Null | KeyComponent::Bool(_) => return None,
    };
    Some(Offset::UTC.to_datetime(timestamp))
}

fn cut(moment: &DateTime, unit: TimeUnit) -> String {
    let pattern = match unit {
        TimeUnit::Year => "%Y",
        TimeUnit::Month => "%Y-%m",
        TimeUnit::Day => "%Y-%m-%d",
        TimeUnit::Hour => "%Y-%m-%dT%H",
        TimeUnit::Minute => "%Y-%m-%dT%H:%M",
    };
    moment.strftime(pattern).to_string()
}

/// A number as JavaScript prints it (`Number::toString` of ECMA-262; RFC 8785, section 3.2.2.3).
fn number_text(number: f64) -> String {
    if number.abs() < f64::MIN_POSITIVE && number.to_bits() << 1 == 0 {
        return "0".to_owned();
    }
    // The shortest digits that read back, as d.ddde[-]x.
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-6..21).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { "" } else { "+" };
    format!("{mantissa}e{sign}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> KeyComponent {
        KeyComponent::String(text.into())
    }

    #[test]
    fn numbers_are_printed_as_javascript_prints_them() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (-12.5, "-12.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.25e-7, "1.25e-7"),
            (9007199254740993.0, "9007199254740992"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn moments_are_cut_in_utc() {
        let time = |component: &KeyComponent, unit| transformed(component, Transform::Time(unit));
        let local = string("2013-07-08T00:05:00+02:00");
        assert_eq!(time(&local, TimeUnit::Day).as_deref(), Some("2013-07-07"));
        assert_eq!(
            time(&local, TimeUnit::Minute).as_deref(),
            Some("2013-07-07T22:05")
        );
        assert_eq!(
            time(&string("2013-07-08"), TimeUnit::Hour).as_deref(),
            Some("2013-07-08T00")
        );
        assert_eq!(
            time(&KeyComponent::Number(1373274300.0), TimeUnit::Month).as_deref(),
            Some("2013-07")
        );
        assert_eq!(
            time(&KeyComponent::Number(1373274300000.0), TimeUnit::Minute).as_deref(),
            Some("2013-07-08T09:05")
        );
        assert_eq!(time(&string("soon"), TimeUnit::Year), None);
        assert_eq!(time(&KeyComponent::Number(f64::MAX), TimeUnit::Year), None);
        assert_eq!(time(&KeyComponent::Null, TimeUnit::Year), None);
    }

    #[test]
    fn first_and_last_count_characters() {
        assert_eq!(
            transformed(&string("äöü"), Transform::First(2)).as_deref(),
            Some("äö")
        );
        assert_eq!(
            transformed(&string("äöü"), Transform::Last(2)).as_deref(),
            Some("öü")
        );
        assert_eq!(
            transformed(&string("ab"), Transform::Last(9)).as_deref(),
            Some("ab")
        );
        assert_eq!(
            transformed(&KeyComponent::Undefined, Transform::First(1)),
            None
        );
    }
}
