//! From text to tokens.

use super::error::ParseError;
use super::hints;

/// Longest text of a query, in characters (the limit of the service's engine).
pub(super) const TEXT_CHARS_MAX: usize = 262_144;

/// A token, borrowed from the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    /// With its `@`.
    Parameter(&'a str),
    Number(&'a str),
    /// What stands between the quotes, escapes as they are; all of them are known.
    Text(&'a str),
    Symbol(&'static str),
    End,
}

/// A token with its byte offset.
pub(super) type Placed<'a> = (Token<'a>, usize);

pub(super) fn error_at(
    text: &str,
    offset: usize,
    found: String,
    expected: &'static str,
    hint: Option<&'static str>,
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
        hint,
    }
}

/// The tokens of a text, the last of them [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, ParseError> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 2);
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let fail = |expected, hint| error_at(text, at, format!("'{first}'"), expected, hint);
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/");
            at += 4 + end.ok_or_else(|| fail("the end of the comment, '*/'", None))?;
            continue;
        }
        let (token, length) = match first {
            '"' | '\'' => {
                let raw = string(&rest[1..], first).map_err(|(expected, hint)| {
                    let hint = hint.or_else(|| Some(hints::open_string(&text[..at], first)));
                    fail(expected, hint)
                })?;
                (Token::Text(raw), raw.len() + 2)
            }
            '@' => match word_length(&rest[1..]) {
                0 => return Err(fail("the name of a parameter", None)),
                length => (Token::Parameter(&rest[..=length]), length + 1),
            },
            _ if starts_number(rest) => {
                let length = number_length(rest);
                if rest[length..].starts_with(is_word) {
                    return Err(fail("a number, with a blank behind it", None));
                }
                (Token::Number(&rest[..length]), length)
            }
            _ if is_word(first) => {
                let length = word_length(rest);
                (Token::Word(&rest[..length]), length)
            }
            _ => {
                let symbol = symbol(rest.as_bytes()).ok_or_else(|| {
                    fail("a name, a value or an operator", hints::character(first))
                })?;
                (Token::Symbol(symbol), symbol.len())
            }
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
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    rest.bytes().take_while(|byte| word(byte)).count()
}

fn starts_number(rest: &str) -> bool {
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

fn number_length(rest: &str) -> usize {
    let digits = |at: usize| {
        let behind = rest.as_bytes().get(at..).unwrap_or_default();
        behind
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
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

/// The operator or mark that a text starts with, the longest there is.
fn symbol(rest: &[u8]) -> Option<&'static str> {
    let [second, third] = [1, 2].map(|at| rest.get(at).copied().unwrap_or(0));
    Some(match (*rest.first()?, second, third) {
        (b'>', b'>', b'>') => ">>>",
        (b'>', b'>', _) => ">>",
        (b'>', b'=', _) => ">=",
        (b'>', ..) => ">",
        (b'<', b'<', _) => "<<",
        (b'<', b'=', _) => "<=",
        (b'<', b'>', _) => "<>",
        (b'<', ..) => "<",
        (b'!', b'=', _) => "!=",
        (b'!', ..) => "!",
        (b'|', b'|', _) => "||",
        (b'|', ..) => "|",
        (b'?', b'?', _) => "??",
        (b'?', ..) => "?",
        (b'(', ..) => "(",
        (b')', ..) => ")",
        (b'[', ..) => "[",
        (b']', ..) => "]",
        (b'{', ..) => "{",
        (b'}', ..) => "}",
        (b',', ..) => ",",
        (b'.', ..) => ".",
        (b':', ..) => ":",
        (b'=', ..) => "=",
        (b'+', ..) => "+",
        (b'-', ..) => "-",
        (b'*', ..) => "*",
        (b'/', ..) => "/",
        (b'%', ..) => "%",
        (b'&', ..) => "&",
        (b'^', ..) => "^",
        (b'~', ..) => "~",
        (b';', ..) => ";",
        _ => return None,
    })
}

/// What stands before the closing quote, or what was expected and a hint.
fn string(body: &str, quote: char) -> Result<&str, (&'static str, Option<&'static str>)> {
    let mut from = 0;
    loop {
        let found = body[from..].find([quote, '\\']);
        let at = from + found.ok_or(("the end of the string, a quote", None))?;
        if body[at..].starts_with(quote) {
            return Ok(&body[..at]);
        }
        let length = escape_length(&body.as_bytes()[at..]);
        from = at + length.ok_or(("a known escape in the string", Some(hints::ESCAPE)))?;
    }
}

/// The length of the escape that a text starts with; `None` where it is no known one.
fn escape_length(rest: &[u8]) -> Option<usize> {
    match rest.get(1)? {
        b'"' | b'\'' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let digits = rest.get(2..6)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(6)
        }
        _ => None,
    }
}

/// The text that stands for a string token, its escapes resolved.
pub(super) fn unescaped(raw: &str) -> String {
    let mut parts = raw.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    // A part that is empty stands before an escaped backslash, whose own part is plain text.
    let mut high = None;
    while let Some(part) = parts.next() {
        let escape = part.chars().next();
        let unit = match escape {
            Some('u') => part
                .get(1..5)
                .and_then(|hex| u16::from_str_radix(hex, 16).ok()),
            _ => None,
        };
        if let Some(unit) = unit {
            let rest = &part[5..];
            let pair = high.take().filter(|_| (0xDC00..0xE000).contains(&unit));
            if pair.is_some() {
                // The half that stood there alone so far.
                out.pop();
            }
            let units = pair.into_iter().chain([unit]);
            // Half of a pair alone is no character.
            let c = char::decode_utf16(units).next().and_then(Result::ok);
            out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
            let waits = (0xD800..0xDC00).contains(&unit) && rest.is_empty();
            high = waits.then_some(unit);
            out.push_str(rest);
            continue;
        }
        high = None;
        let rest = escape.map_or("", |c| &part[c.len_utf8()..]);
        match escape {
            None => {
                out.push('\\');
                out.push_str(parts.next().unwrap_or_default());
            }
            Some(c) => {
                out.push(match c {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                });
                out.push_str(rest);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Option<Token<'_>> {
        tokens(text).ok().map(|tokens| tokens[0].0)
    }

    fn read(text: &str) -> Option<String> {
        match token(text)? {
            Token::Text(raw) => Some(unescaped(raw)),
            _ => None,
        }
    }

    #[test]
    fn a_comment_ends_behind_its_own_beginning() {
        assert!(tokens("/*/").is_err());
        assert!(tokens("/*").is_err());
        assert_eq!(tokens("/**/").map(|tokens| tokens.len()), Ok(1));
        assert_eq!(tokens("/*/ */ 1 -- */").map(|tokens| tokens.len()), Ok(2));
    }

    #[test]
    fn an_escape_has_four_hexadecimal_digits_and_no_sign() {
        assert_eq!(read(r"'\u00e9'").as_deref(), Some("é"));
        for text in [r"'\u+0ab'", r"'\u00e'", r"'\u00g0'", r"'\x'", "'\\u00é'"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn escapes_stand_for_their_characters_and_halves_of_pairs_for_none() {
        for (text, meant) in [
            (r#"'a\\b\\\\c\"\'\/'"#, r#"a\b\\c"'/"#),
            (r"'\\u00e9'", r"\u00e9"),
            (r"'\b\f\n\r\t'", "\u{8}\u{c}\n\r\t"),
            (r"'\ud83d\ude00!'", "😀!"),
            (r"'\ud83d!\ude00'", "\u{fffd}!\u{fffd}"),
            (r"'\ud83d\ud83d\ude00'", "\u{fffd}😀"),
            (r"'\ud83d\\ude00'", "\u{fffd}\\ude00"),
            ("''", ""),
        ] {
            assert_eq!(read(text).as_deref(), Some(meant), "{text}");
        }
    }

    #[test]
    fn the_longest_symbol_wins() {
        for text in [">>>", ">>", ">=", "<>", "<<", "!=", "||", "??", "!", "~"] {
            assert_eq!(token(text), Some(Token::Symbol(text)));
        }
    }
}
