//! The moments that logs write.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::Offset;
use serde_json::Value;

use crate::model::time::{moment_of_number, moment_of_text};

/// The way in which a query portal writes a moment, in UTC.
const PORTAL_FORMS: [&str; 2] = ["%m/%d/%Y, %I:%M:%S%.f %p", "%m/%d/%Y %I:%M:%S%.f %p"];

/// The moment in microseconds since 1970; `None` where the value names none.
///
/// RFC 3339, RFC 1123, the portal's month-first form (UTC), or seconds or milliseconds since 1970 as a
/// number or as text.
pub(super) fn micros(value: &Value) -> Option<i64> {
    let moment = match value {
        Value::Number(number) => moment_of_number(number.as_f64()?)?,
        Value::String(text) => moment(text)?,
        _ => return None,
    };
    Some(moment.as_microsecond())
}

fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    moment_of_text(text)
        .or_else(|| text.parse().ok().and_then(moment_of_number))
        .or_else(|| rfc2822::parse(text).ok().map(|zoned| zoned.timestamp()))
        .or_else(|| {
            // The blank before AM and PM may be a narrow one.
            let text = text.replace('\u{202f}', " ");
            let forms = PORTAL_FORMS.iter();
            forms
                .filter_map(|form| DateTime::strptime(form, &text).ok())
                .find_map(|at| Offset::UTC.to_timestamp(at).ok())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_moment_is_the_same() {
        let expected = 1_714_730_400_123_000;
        for text in [
            "2024-05-03T10:00:00.123Z",
            "2024-05-03T12:00:00.123+02:00",
            "2024-05-03T10:00:00.1230000Z",
            "2024-05-03 10:00:00.123",
            "5/3/2024, 10:00:00.123 AM",
            "5/3/2024, 10:00:00.123\u{202f}AM",
            "1714730400123",
        ] {
            assert_eq!(micros(&text.into()), Some(expected), "{text}");
        }
        assert_eq!(micros(&1_714_730_400_123_i64.into()), Some(expected));
        assert_eq!(
            micros(&"Fri, 03 May 2024 10:00:00 GMT".into()),
            Some(1_714_730_400_000_000)
        );
        assert_eq!(micros(&1_714_730_400.into()), Some(1_714_730_400_000_000));
        for nonsense in ["", "soon", "2024-13-01"] {
            assert_eq!(micros(&nonsense.into()), None, "{nonsense}");
        }
    }
}
