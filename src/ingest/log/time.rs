//! The moments that logs write.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::Offset;

use crate::model::time::{moment_of_number, moment_of_text};

/// The ways in which portals and programs write a moment without a zone, the month first.
const FORMS: [&str; 5] = [
    "%m/%d/%Y, %I:%M:%S%.f %p",
    "%m/%d/%Y %I:%M:%S%.f %p",
    "%m/%d/%Y %H:%M:%S%.f",
    // Where the month cannot be one, the day stands first.
    "%d/%m/%Y %H:%M:%S%.f",
    "%d.%m.%Y %H:%M:%S%.f",
];

/// Numbers from here on are microseconds, and from a thousand times that on nanoseconds.
const MICROSECONDS_FROM: f64 = 1e14;

/// The moment in microseconds since 1970 that a text names; `None` where it names none.
///
/// RFC 3339, RFC 1123, the month-first forms of portals, or a number since 1970: seconds,
/// milliseconds, microseconds or nanoseconds, by its size. A month-first form is in a zone that is
/// `zone` microseconds ahead of UTC.
pub(super) fn micros_of_text(text: &str, zone: i64) -> Option<i64> {
    let text = text.trim();
    let moment = moment_of_text(text).or_else(|| rfc1123(text));
    if let Some(moment) = moment {
        return Some(moment.as_microsecond());
    }
    if let Ok(number) = text.parse() {
        return micros_of_number(number);
    }
    // The blank before AM and PM may be a narrow one.
    let text = text.replace('\u{202f}', " ");
    let local = FORMS
        .iter()
        .find_map(|form| DateTime::strptime(form, &text).ok())?;
    let moment = Offset::UTC.to_timestamp(local).ok()?;
    Some(moment.as_microsecond() - zone)
}

/// The moment in microseconds since 1970 that a number names, by its size.
pub(super) fn micros_of_number(number: f64) -> Option<i64> {
    let micros = if number >= MICROSECONDS_FROM * 1000.0 {
        number / 1000.0
    } else if number >= MICROSECONDS_FROM {
        number
    } else {
        if !number.is_finite() {
            return None;
        }
        return moment_of_number(number).map(Timestamp::as_microsecond);
    };
    let moment = Timestamp::from_microsecond(micros as i64).ok()?;
    Some(moment.as_microsecond())
}

/// A moment as HTTP writes it, with or without a fraction of the second.
fn rfc1123(text: &str) -> Option<Timestamp> {
    if !text.contains(", ") {
        return None;
    }
    let Some((front, back)) = text.split_once('.') else {
        return rfc2822::parse(text).ok().map(|zoned| zoned.timestamp());
    };
    let digits = back.len() - back.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let whole = rfc1123(&format!("{front}{}", &back[digits..]))?;
    let fraction: f64 = format!("0.{}", &back[..digits]).parse().ok()?;
    whole
        .checked_add(jiff::SignedDuration::from_micros((fraction * 1e6) as i64))
        .ok()
}

/// A column's name without the zone that portals put behind it, and the zone.
pub(super) fn split_zone(column: &str) -> (&str, Option<&str>) {
    let zone = column.trim_end().strip_suffix(']');
    match zone.and_then(|front| front.rsplit_once(" [")) {
        Some((name, zone)) => (name.trim_end(), Some(zone)),
        None => (column, None),
    }
}

/// How many microseconds a zone is ahead of UTC; `None` for one that is known by name only.
pub(super) fn zone_offset(zone: &str) -> Option<i64> {
    let zone = zone.trim();
    let zone = (zone
        .strip_prefix("UTC")
        .or_else(|| zone.strip_prefix("GMT")))
    .unwrap_or(zone);
    let (sign, rest) = match zone.chars().next() {
        None | Some('Z') => return Some(0),
        Some('+') => (1, &zone[1..]),
        Some('-') => (-1, &zone[1..]),
        Some(_) => return None,
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let known = (0..=14).contains(&hours) && (0..60).contains(&minutes);
    known.then_some(sign * (hours * 60 + minutes) * 60_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: i64 = 1_714_730_400_123_000;

    #[test]
    fn every_spelling_of_a_moment_is_the_same() {
        for text in [
            "2024-05-03T10:00:00.123Z",
            "2024-05-03T12:00:00.123+02:00",
            "2024-05-03T10:00:00.1230000Z",
            "2024-05-03T10:00:00.123000000Z",
            "2024-05-03 10:00:00.123",
            "Fri, 03 May 2024 10:00:00.123 GMT",
            "5/3/2024, 10:00:00.123 AM",
            "5/3/2024, 10:00:00.123\u{202f}AM",
            "5/3/2024 10:00:00.123",
            "03.05.2024 10:00:00.123",
            "1714730400123",
            "1714730400123000",
            "1714730400123000000",
        ] {
            assert_eq!(micros_of_text(text, 0), Some(EXPECTED), "{text}");
        }
        for text in [
            "Fri, 03 May 2024 10:00:00 GMT",
            "2024-05-03 10:00:00",
            "5/3/2024, 10:00:00 AM",
            "1714730400",
        ] {
            assert_eq!(
                micros_of_text(text, 0),
                Some(1_714_730_400_000_000),
                "{text}"
            );
        }
        assert_eq!(
            micros_of_text("25/3/2024 10:00:00", 0),
            micros_of_text("2024-03-25 10:00:00", 0)
        );
        for nonsense in [
            "",
            "soon",
            "2024-13-01",
            "13/13/2024 10:00:00",
            "1e300",
            "NaN",
            "-1e30",
            ", .",
        ] {
            assert_eq!(micros_of_text(nonsense, 0), None, "{nonsense}");
        }
    }

    #[test]
    fn the_zone_of_a_column_moves_times_without_one() {
        let (name, zone) = split_zone("TimeGenerated [UTC+02:00]");
        assert_eq!(name, "TimeGenerated");
        let zone = zone_offset(zone.expect("a zone")).expect("a known one");
        assert_eq!(
            micros_of_text("5/3/2024, 12:00:00.123 PM", zone),
            Some(EXPECTED)
        );
        assert_eq!(
            micros_of_text("2024-05-03T10:00:00.123Z", zone),
            Some(EXPECTED)
        );
        assert_eq!(split_zone("OperationName"), ("OperationName", None));
        assert_eq!(zone_offset("UTC"), Some(0));
        assert_eq!(zone_offset("UTC-5"), Some(-5 * 3_600_000_000));
        for unknown in ["Local Time", "UTC+99", "UTC+é"] {
            assert_eq!(zone_offset(unknown), None, "{unknown}");
        }
    }
}
