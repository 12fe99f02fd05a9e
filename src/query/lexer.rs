//! From text to tokens.

use super::error::ParseError;

/// Longest text of a query, in characters (the limit of the service's engine).
const TEXT_CHARS_MAX: usize = 262_144;

/// Operators and punctuation, the longer before their beginnings.
const SYMBOLS: [&str; 33] = [
    ">>>", "<=", ">=", "!=", "<>", "<<", ">>", "||", "??", "(", ")", "[", "]", "{", "}", ",", ".",
    ":", "?", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", ";",
];

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(String),
    Parameter(String),
    Number(String),
    Text(String),
    Symbol(&'static str),
    End,
}

/// A token with its byte offset.
pub(super) type Placed = (Token, usize);

pub(super) fn error_at(
    text: &str,
    offset: usize,
    found: String,
    expected: &'static str,
) -> ParseError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let (line, column) = (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    );
    ParseError {
        offset,
        line,
        column,
        found,
        expected,
        hint: None,
    }
}

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, ParseError> {
    if text.chars().count() > TEXT_CHARS_MAX {
        return Err(error_at(
            text,
            0,
            "more".to_owned(),
            "at most 262,144 characters",
        ));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let fail = |expected| error_at(text, at, format!("'{first}'"), expected);
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest
                .find("*/")
                .ok_or_else(|| fail("the end of the comment, '*/'"))?
                + 2;
            continue;
        }
        let (token, length) = if matches!(first, '"' | '\'') {
            string(rest, first).ok_or_else(|| fail("a closed string with known escapes"))?
        } else if first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            let length = number_length(rest);
            if rest[length..].starts_with(is_word) {
                return Err(fail("a number, with a blank behind it"));
            }
            (Token::Number(rest[..length].to_owned()), length)
        } else if first == '@' {
            let length = 1 + word_length(&rest[1..]);
            if length == 1 {
                return Err(fail("the name of a parameter"));
            }
            (Token::Parameter(rest[..length].to_owned()), length)
        } else if is_word(first) {
            let length = word_length(rest);
            (Token::Word(rest[..length].to_owned()), length)
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol.ok_or_else(|| fail("a name, a value or an operator"))?;
            (Token::Symbol(symbol), symbol.len())
        };
        tokens.push((token, at));
        at += length;
    }
    tokens.push((Token::End, text.len()));
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word_length(rest: &str) -> usize {
    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
}

fn number_length(rest: &str) -> usize {
    let digits = |at: usize| {
        rest[at..].len()
            - rest[at..]
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len()
    };
    let mut at = digits(0);
    if rest[at..].starts_with('.') {
        at += 1 + digits(at + 1);
    }
    if rest[at..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[at + 1..].starts_with(['+', '-']));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

/// A string with its escapes resolved, and its length in the text.
fn string(rest: &str, quote: char) -> Option<(Token, usize)> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((Token::Text(out), at + 1));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (at, escape) = chars.next()?;
        out.push(match escape {
            '"' | '\'' | '\\' | '/' => escape,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let unit = |at: usize| {
                    rest.get(at + 1..at + 5)
                        .and_then(|hex| u16::from_str_radix(hex, 16).ok())
                };
                let high = unit(at)?;
                chars.nth(3)?;
                let pair = (0xD800..0xDC00).contains(&high) && rest[at + 5..].starts_with("\\u");
                let low = if pair { unit(at + 6) } else { None }
                    .filter(|low| (0xDC00..0xE000).contains(low));
                if low.is_some() {
                    chars.nth(5)?;
                }
                let units: Vec<u16> = [Some(high), low].into_iter().flatten().collect();
                // Half of a pair alone is no character.
                char::decode_utf16(units)
                    .next()?
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return None,
        });
    }
    None
}
