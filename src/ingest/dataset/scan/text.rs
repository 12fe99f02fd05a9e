//! Where a JSON string ends, and how long it is once its escapes are undone.

use super::super::parse::TYPE_NAME;

/// A byte in each of eight.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each of eight bytes.
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A string that was followed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// The place of the quote behind it.
    pub(super) end: usize,
    /// Bytes of it as `serde_json` writes it.
    pub(super) compact_bytes: u64,
    /// How many bytes stand before the first escape.
    pub(super) first_escape: Option<usize>,
    /// Whether it holds an `@`.
    pub(super) has_sign: bool,
}

/// A high bit for each byte that equals this one; bits above the lowest may be wrong.
fn equal(word: u64, byte: u8) -> u64 {
    let zeroed = word ^ (ONES * u64::from(byte));
    zeroed.wrapping_sub(ONES) & !zeroed & HIGHS
}

/// A high bit for each byte below a blank; bits above the lowest may be wrong.
fn control(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x20) & !word & HIGHS
}

/// The next byte from a place on that means something in a string: a quote, a backslash, a control
/// character, or an `@` where that is looked for.
fn next_mark<const SIGNS: bool>(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(block) = bytes.get(at..)?.first_chunk::<8>() {
        let word = u64::from_le_bytes(*block);
        let mut marks = equal(word, b'"') | equal(word, b'\\') | control(word);
        if SIGNS {
            marks |= equal(word, b'@');
        }
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let is_mark = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F) || (SIGNS && *byte == b'@');
    bytes[at..].iter().position(is_mark).map(|found| at + found)
}

/// The end of a string without escapes that starts here.
pub(super) fn plain_end(bytes: &[u8], start: usize) -> Option<usize> {
    next_mark::<false>(bytes, start).filter(|end| bytes[*end] == b'"')
}

/// The end of a string that starts here, behind its quote; `None` where it is none.
pub(super) fn end(bytes: &[u8], start: usize) -> Option<Found> {
    let mut at = start;
    // Bytes that the escapes have more than what they stand for.
    let mut saved = 0;
    let (mut first_escape, mut has_sign) = (None, false);
    loop {
        at = next_mark::<true>(bytes, at)?;
        match bytes[at] {
            b'"' => {
                return Some(Found {
                    end: at,
                    compact_bytes: (at - start - saved) as u64,
                    first_escape,
                    has_sign,
                });
            }
            b'@' => {
                has_sign = true;
                at += 1;
            }
            b'\\' => {
                first_escape.get_or_insert(at - start);
                let (length, compact) = escape(&bytes[at..])?;
                has_sign |= bytes[at..at + length].eq_ignore_ascii_case(b"\\u0040");
                saved += length - compact;
                at += length;
            }
            _ => return None,
        }
    }
}

/// How many bytes an escape has, and how many it has as `serde_json` writes it.
fn escape(bytes: &[u8]) -> Option<(usize, usize)> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => Some((2, 2)),
        b'/' => Some((2, 1)),
        b'u' => unicode(bytes),
        _ => None,
    }
}

fn unicode(bytes: &[u8]) -> Option<(usize, usize)> {
    let code = |at: usize| {
        let digits = bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |code, digit| {
            Some(code << 4 | char::from(*digit).to_digit(16)?)
        })
    };
    Some(match code(2)? {
        0x08 | 0x09 | 0x0A | 0x0C | 0x0D | 0x22 | 0x5C | 0x80..0x800 => (6, 2),
        0..0x20 => (6, 6),
        0x20..0x80 => (6, 1),
        0xD800..0xDC00 => {
            let is_pair = bytes.get(6..8)? == b"\\u" && (0xDC00..0xE000).contains(&code(8)?);
            return is_pair.then_some((12, 4));
        }
        0xDC00..0xE000 => return None,
        _ => (6, 3),
    })
}

/// Whether a text may start with the name of a .NET type once its escapes are undone, the first of
/// which stands behind so many bytes.
pub(super) fn may_be_type_name(raw: &str, first_escape: Option<usize>) -> bool {
    let plain = first_escape.unwrap_or(raw.len()).min(TYPE_NAME.len());
    // Most texts differ in their first byte.
    raw.as_bytes()
        .first()
        .is_none_or(|byte| matches!(byte, b'S' | b'\\'))
        && TYPE_NAME.as_bytes().starts_with(&raw.as_bytes()[..plain])
}
