//! Moments as items and logs write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// Numbers below this are seconds since 1970, others milliseconds.
pub const MILLISECONDS_FROM: f64 = 1e11;

/// The moment that a text names: RFC 3339; a date or a time without zone is taken as UTC.
pub fn moment_of_text(text: &str) -> Option<Timestamp> {
    text.parse::<Timestamp>()
        .or_else(|_| {
            text.parse::<DateTime>()
                .and_then(|at| Offset::UTC.to_timestamp(at))
        })
        .or_else(|_| {
            text.parse::<Date>()
                .and_then(|date| Offset::UTC.to_timestamp(date.into()))
        })
        .ok()
}

/// The moment of a number since 1970: seconds below 1e11, else milliseconds.
pub fn moment_of_number(number: f64) -> Option<Timestamp> {
    let milliseconds = if number < MILLISECONDS_FROM {
        number * 1000.0
    } else {
        number
    };
    // The cast saturates, and what is out of range is no moment.
    Timestamp::from_millisecond(milliseconds.floor() as i64).ok()
}
