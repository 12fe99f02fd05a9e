//! JSON numbers, and how long they are as `serde_json` writes them.

use serde_json::Number;

use super::super::parse::Seen;

/// Digits that a double always keeps.
const EXACT_DIGITS: usize = 15;

/// Zeros behind the point from which on a number is written with an exponent.
const ZEROS_MAX: usize = 4;

/// A number at the front of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Its bytes.
    pub(super) length: usize,
    /// Whether it stands as `serde_json` writes it, and is none beyond 2^53.
    pub(super) is_compact: bool,
}

/// The number that a text starts with.
pub(super) fn read(text: &str) -> Option<Found> {
    let bytes = text.as_bytes();
    let digits_from = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        let count = rest.iter().position(|byte| !byte.is_ascii_digit());
        count.unwrap_or(rest.len())
    };
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits_from(sign);
    if whole == 0 || (whole > 1 && bytes[sign] == b'0') {
        return None;
    }
    let mut length = sign + whole;
    let mut is_compact = whole <= EXACT_DIGITS && !(sign == 1 && &bytes[1..length] == b"0");
    if bytes.get(length) == Some(&b'.') {
        let fraction = digits_from(length + 1);
        if fraction == 0 {
            return None;
        }
        let digits = &bytes[length + 1..][..fraction];
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        is_compact = whole + fraction <= EXACT_DIGITS
            && (fraction == 1 || digits[fraction - 1] != b'0')
            && (bytes[sign] != b'0' || zeros < ZEROS_MAX);
        length += 1 + fraction;
    }
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits_from(length + 1 + sign);
        if exponent == 0 {
            return None;
        }
        is_compact = false;
        length += 1 + sign + exponent;
    }
    Some(Found { length, is_compact })
}

/// Bytes of a number as `serde_json` writes it, what is to be said of it noted.
pub(super) fn noted(text: &str, seen: &mut Seen) -> Option<u64> {
    let number: Number = serde_json::from_str(text).ok()?;
    seen.number(&number);
    Some(number.to_string().len() as u64)
}
