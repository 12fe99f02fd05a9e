//! Paths of properties in the service's syntax: `/a/b`, `/"a/b"/c`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The place of a property inside an item: the names to walk through JSON objects.
///
/// It has at least one segment. Names are case-sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Vec<String>", try_from = "Vec<String>")]
pub struct PropertyPath {
    segments: Vec<String>,
}

/// Why a text is no path, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at byte {offset} of '{text}'")]
pub struct PathError {
    /// The text as given.
    pub text: String,
    /// Byte offset of the trouble in the text.
    pub offset: usize,
    /// What was expected or found.
    pub message: &'static str,
}

impl PropertyPath {
    /// Reads a whole text as a path.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let fail = |offset, message| PathError {
            text: text.to_owned(),
            offset,
            message,
        };
        let (path, end) = Self::parse_at(text, 0, &[])?;
        if end == text.len() {
            Ok(path)
        } else {
            Err(fail(end, "expected '/' or the end"))
        }
    }

    /// Reads a path that starts at byte `start` and ends at the end of the text or before one of
    /// `stops` outside quotes. Gives the path and the byte offset behind it.
    pub fn parse_at(text: &str, start: usize, stops: &[char]) -> Result<(Self, usize), PathError> {
        let fail = |offset, message| PathError {
            text: text.to_owned(),
            offset,
            message,
        };
        let mut segments = Vec::new();
        let mut at = start;
        while text[at..].starts_with('/') {
            at += 1;
            let rest = &text[at..];
            let lead = rest.len() - rest.trim_start().len();
            let quote = rest[lead..]
                .chars()
                .next()
                .filter(|c| matches!(c, '"' | '\''));
            if let Some(quote) = quote {
                let (name, end) = quoted(text, at + lead, quote)
                    .ok_or_else(|| fail(at + lead, "the quote is not closed"))?;
                segments.push(name);
                at = end + text[end..].len() - text[end..].trim_start_matches(' ').len();
            } else {
                let length = rest
                    .find(|c| c == '/' || stops.contains(&c))
                    .unwrap_or(rest.len());
                let name = rest[..length].trim();
                if name.is_empty() {
                    return Err(fail(at, "expected the name of a property"));
                }
                segments.push(name.to_owned());
                at += length;
            }
        }
        match text[at..].chars().next() {
            _ if segments.is_empty() => Err(fail(at, "expected '/'")),
            Some(next) if !stops.contains(&next) => {
                Err(fail(at, "expected '/' or the end of the path"))
            }
            _ => Ok((Self { segments }, at)),
        }
    }

    /// The path that a log names: `/a/b`, or names with dots between them; `None` where it is none.
    pub fn named(name: &str) -> Option<Self> {
        if name.starts_with('/') {
            return Self::parse(name).ok();
        }
        let names = || name.split('.');
        if names().any(str::is_empty) {
            return None;
        }
        Self::from_names(names())
    }

    /// The path of a property at the top of an item.
    pub fn of(name: &str) -> Self {
        Self {
            segments: vec![name.to_owned()],
        }
    }

    /// The path through these names, outermost first; `None` of no name.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let segments: Vec<String> = names.into_iter().map(str::to_owned).collect();
        (!segments.is_empty()).then_some(Self { segments })
    }

    /// The names to walk, outermost first.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().map(String::as_str)
    }
}

/// Reads a quoted segment whose opening quote stands at `start`; a backslash before the quote keeps
/// both, as the service's own parser does. Gives the name and the offset behind the closing quote.
fn quoted(text: &str, start: usize, quote: char) -> Option<(String, usize)> {
    let body = start + 1;
    let mut escaped = false;
    for (offset, c) in text[body..].char_indices() {
        if c == quote && !escaped {
            return Some((text[body..body + offset].to_owned(), body + offset + 1));
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

impl From<PropertyPath> for Vec<String> {
    fn from(path: PropertyPath) -> Self {
        path.segments
    }
}

impl TryFrom<Vec<String>> for PropertyPath {
    type Error = &'static str;

    fn try_from(segments: Vec<String>) -> Result<Self, Self::Error> {
        if segments.is_empty() {
            return Err("a path has a name at least");
        }
        Ok(Self { segments })
    }
}

impl fmt::Display for PropertyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for segment in &self.segments {
            let plain = !segment.is_empty()
                && segment.trim() == segment
                && !segment.contains(['/', ',', '{', '}'])
                && !segment.starts_with(['"', '\'']);
            // A name with a backslash at its end has no quoted spelling; unquoted it reads back.
            let reads_back = |quote: &&&str| {
                let text = format!("{quote}{segment}{quote}");
                quoted(&text, 0, if ***quote == *"\"" { '"' } else { '\'' })
                    .is_some_and(|(name, end)| &name == segment && end == text.len())
            };
            let quote = ["\"", "'"]
                .iter()
                .find(reads_back)
                .filter(|_| !plain)
                .unwrap_or(&"");
            write!(f, "/{quote}{segment}{quote}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(text: &str) -> Vec<String> {
        PropertyPath::parse(text)
            .expect(text)
            .segments()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn a_quoted_segment_may_hold_anything() {
        assert_eq!(names(r#"/"a/b"/c"#), ["a/b", "c"]);
        assert_eq!(names("/'{x},y'/c"), ["{x},y", "c"]);
        assert_eq!(names(r#"/"a\"b""#), [r#"a\"b"#]);
    }

    #[test]
    fn an_unquoted_segment_is_trimmed_and_keeps_brackets() {
        assert_eq!(names("/ key[0] /b"), ["key[0]", "b"]);
    }

    #[test]
    fn errors_point_at_the_place() {
        assert_eq!(
            PropertyPath::parse("tenantId")
                .expect_err("no slash")
                .offset,
            0
        );
        assert_eq!(
            PropertyPath::parse("/a/")
                .expect_err("trailing slash")
                .offset,
            3
        );
        assert_eq!(
            PropertyPath::parse("/a/\"b")
                .expect_err("open quote")
                .offset,
            3
        );
        assert_eq!(
            PropertyPath::parse("/\"a\"b")
                .expect_err("text behind a quote")
                .offset,
            4
        );
        assert_eq!(PropertyPath::parse("").expect_err("empty").offset, 0);
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics_and_what_parses_prints_back(text in "\\PC{0,20}|[/\"'a, \\\\]{0,12}") {
            if let Ok(path) = PropertyPath::parse(&text) {
                prop_assert_eq!(PropertyPath::parse(&path.to_string()), Ok(path));
            }
        }
    }
}
