//! The text that a template makes of a value.

use std::borrow::Cow;
use std::ops::Bound;

use jiff::Span;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

use super::candidate::{TimeUnit, Transform};
use crate::model::time::{MILLISECONDS_FROM, moment_of_number, moment_of_text};
use crate::model::{Field, KeyComponent};

/// The text of a value: a number as JavaScript prints it (RFC 8785), the word for a boolean or null, and
/// none for what is undefined.
pub(super) fn plain(value: Field<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        Field::Missing | Field::Compound => return None,
        Field::Null => "null".into(),
        Field::Bool(true) => "true".into(),
        Field::Bool(false) => "false".into(),
        Field::Number(number) => number_text(number).into(),
        Field::Text(text) => text.into(),
    })
}

/// The text of a value under a transform; none where the transform cannot take the value.
pub(super) fn transformed(value: Field<'_>, transform: Transform) -> Option<String> {
    let text = || plain(value);
    match transform {
        Transform::Time(unit) => moment(value).map(|moment| cut(&moment, unit)),
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

/// RFC 3339 text, a date or a time without zone taken as UTC, or a number since 1970.
fn moment(value: Field<'_>) -> Option<DateTime> {
    let timestamp = match value {
        Field::Number(number) => moment_of_number(number)?,
        Field::Text(text) => moment_of_text(text)?,
        Field::Missing | Field::Compound | Field::Null | Field::Bool(_) => return None,
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

/// The units that moments between two bounds fall in, each as a component that a transform by this
/// unit, or a coarser one, cuts to it: at most `limit` of them and one more.
///
/// `None` where the bounds are no moments of one format: then the order of the values between them
/// need not be that of time. The end of an open range belongs to it unless it starts a unit.
pub(super) fn units_between(
    low: &Bound<KeyComponent>,
    high: &Bound<KeyComponent>,
    unit: TimeUnit,
    limit: usize,
) -> Option<Vec<KeyComponent>> {
    let (Bound::Included(first) | Bound::Excluded(first)) = low else {
        return None;
    };
    let (Bound::Included(last) | Bound::Excluded(last)) = high else {
        return None;
    };
    if !one_format(first, last) {
        return None;
    }
    let (start, end) = (moment(first.field())?, moment(last.field())?);
    let ends_before_end = matches!(high, Bound::Excluded(_)) && is_exact(last);
    let mut at = start_of(start, unit)?;
    let mut units = Vec::new();
    while at < end || (at == end && !ends_before_end) {
        units.push(KeyComponent::String(format!("{at}Z").into()));
        if units.len() > limit {
            break;
        }
        at = at.checked_add(span(unit)).ok()?;
    }
    Some(units)
}

/// Whether the order of values between these two, and like them, is that of time.
fn one_format(one: &KeyComponent, other: &KeyComponent) -> bool {
    match (one, other) {
        (KeyComponent::Number(one), KeyComponent::Number(other)) => {
            (*one < MILLISECONDS_FROM) == (*other < MILLISECONDS_FROM)
        }
        (KeyComponent::String(one), KeyComponent::String(other)) => {
            // The offset from UTC stands behind the time, which a date has not.
            let offset = |text: &str| {
                let sign = text.get(10..)?.rfind(['+', '-'])?;
                Some(text[10 + sign..].to_owned())
            };
            let digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "0");
            digits(one) == digits(other) && offset(one) == offset(other)
        }
        _ => false,
    }
}

/// Whether a moment is read without losing a fraction.
fn is_exact(component: &KeyComponent) -> bool {
    match component {
        KeyComponent::Number(number) if *number < MILLISECONDS_FROM => {
            (number * 1000.0).fract().abs() <= 0.0
        }
        KeyComponent::Number(number) => number.fract().abs() <= 0.0,
        _ => true,
    }
}

fn start_of(moment: DateTime, unit: TimeUnit) -> Option<DateTime> {
    let (year, month, day) = (moment.year(), moment.month(), moment.day());
    let (month, day, hour, minute) = match unit {
        TimeUnit::Year => (1, 1, 0, 0),
        TimeUnit::Month => (month, 1, 0, 0),
        TimeUnit::Day => (month, day, 0, 0),
        TimeUnit::Hour => (month, day, moment.hour(), 0),
        TimeUnit::Minute => (month, day, moment.hour(), moment.minute()),
    };
    let date = Date::new(year, month, day).ok()?;
    Some(date.to_datetime(Time::new(hour, minute, 0, 0).ok()?))
}

fn span(unit: TimeUnit) -> Span {
    match unit {
        TimeUnit::Year => Span::new().years(1),
        TimeUnit::Month => Span::new().months(1),
        TimeUnit::Day => Span::new().days(1),
        TimeUnit::Hour => Span::new().hours(1),
        TimeUnit::Minute => Span::new().minutes(1),
    }
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
        let time =
            |component: &KeyComponent, unit| transformed(component.field(), Transform::Time(unit));
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

    /// The units between two bounds, as the transform writes them.
    fn between(bounds: &[Bound<KeyComponent>; 2], unit: TimeUnit) -> Option<Vec<String>> {
        let [low, high] = bounds;
        let units = units_between(low, high, unit, 100)?;
        let cut = |moment: KeyComponent| {
            transformed(moment.field(), Transform::Time(unit)).expect("a moment")
        };
        Some(units.into_iter().map(cut).collect())
    }

    fn from(text: &str) -> Bound<KeyComponent> {
        Bound::Included(string(text))
    }

    fn before(text: &str) -> Bound<KeyComponent> {
        Bound::Excluded(string(text))
    }

    #[test]
    fn a_closed_range_is_its_units_and_an_open_end_at_the_start_of_one_is_none() {
        let low = || from("2013-07-08T10:00:00Z");
        for (high, days) in [
            (from("2013-07-10T00:00:00Z"), 3),
            (before("2013-07-10T00:00:00Z"), 2),
            (before("2013-07-10T00:00:01Z"), 3),
            (from("2013-07-08T10:00:00Z"), 1),
            (from("2013-07-07T10:00:00Z"), 0),
        ] {
            let found = between(&[low(), high.clone()], TimeUnit::Day);
            let all = ["2013-07-08", "2013-07-09", "2013-07-10"];
            assert_eq!(
                found,
                Some(all[..days].iter().map(ToString::to_string).collect()),
                "{high:?}"
            );
        }
        let months = between(&[from("2013-11-08"), from("2014-01-01")], TimeUnit::Month);
        assert_eq!(
            months.map(|months| months.join(" ")).as_deref(),
            Some("2013-11 2013-12 2014-01")
        );
    }

    #[test]
    fn numbers_are_moments_of_one_unit() {
        let number = |number: f64| Bound::Included(KeyComponent::Number(number));
        let open = |number: f64| Bound::Excluded(KeyComponent::Number(number));
        let midnight = 1373328000.0;
        let days = |low, high| between(&[low, high], TimeUnit::Day).map(|days| days.len());
        assert_eq!(days(number(1373274300.0), number(midnight)), Some(2));
        assert_eq!(days(number(1373274300.0), open(midnight)), Some(1));
        assert_eq!(days(number(1373274300.0), open(midnight + 0.0001)), Some(2));
        assert_eq!(
            days(number(1373274300000.0), open(midnight * 1000.0)),
            Some(1)
        );
        assert_eq!(days(number(1373274300.0), number(midnight * 1000.0)), None);
    }

    #[test]
    fn bounds_of_two_formats_or_no_moments_are_no_units() {
        for (low, high) in [
            ("2013-07-08", "2013-07-09T00:00:00Z"),
            ("2013-07-08T00:00:00Z", "2013-07-09T00:00:00.000Z"),
            ("2013-07-08T00:00:00+02:00", "2013-07-09T00:00:00+01:00"),
            ("a", "b"),
        ] {
            assert_eq!(
                between(&[from(low), from(high)], TimeUnit::Day),
                None,
                "{low}"
            );
        }
        assert_eq!(
            between(&[from("2013-07-08"), Bound::Unbounded], TimeUnit::Day),
            None
        );
        let one_offset = [
            from("2013-07-08T01:00:00+02:00"),
            from("2013-07-08T03:00:00+02:00"),
        ];
        let days = between(&one_offset, TimeUnit::Day).map(|days| days.join(" "));
        assert_eq!(days.as_deref(), Some("2013-07-07 2013-07-08"));
    }

    #[test]
    fn first_and_last_count_characters() {
        assert_eq!(
            transformed(string("äöü").field(), Transform::First(2)).as_deref(),
            Some("äö")
        );
        assert_eq!(
            transformed(string("äöü").field(), Transform::Last(2)).as_deref(),
            Some("öü")
        );
        assert_eq!(
            transformed(string("ab").field(), Transform::Last(9)).as_deref(),
            Some("ab")
        );
        assert_eq!(transformed(Field::Missing, Transform::First(1)), None);
    }
}
