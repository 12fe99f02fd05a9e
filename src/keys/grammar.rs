//! How a candidate is written: `/tenantId`, `/tenantId,/userId`, `{/deviceId}-{/date|month}`,
//! `{/date}.{#400}`, `{/date}.{/vin%400}`.

use std::fmt;

use super::candidate::{Candidate, Level, Part, TimeUnit, Transform};
use crate::model::limits::HIERARCHY_LEVELS_MAX;
use crate::model::{KeyKind, KeyVersion, PropertyPath};

/// Why a text is no key, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrammarError {
    /// The text as typed.
    pub text: String,
    /// Byte offset of the trouble.
    pub offset: usize,
    /// What is wrong or was expected there.
    pub message: String,
}

impl std::error::Error for GrammarError {}

impl fmt::Display for GrammarError {
    /// The message, the text, and a mark under the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self
            .text
            .get(..self.offset)
            .unwrap_or(&self.text)
            .chars()
            .count();
        write!(f, "{}\n  {}\n  {:column$}^", self.message, self.text, "")
    }
}

impl Candidate {
    /// Reads a candidate as it is typed. Keys are of version 2 unless `version` says otherwise.
    pub fn parse(text: &str, version: KeyVersion) -> Result<Self, GrammarError> {
        let mut reader = Reader { text, at: 0 };
        let mut levels = Vec::new();
        loop {
            let start = reader.at;
            levels.push(reader.level()?);
            if levels.len() > HIERARCHY_LEVELS_MAX {
                return Err(reader.error_at(
                    start,
                    format!("a hierarchical key has at most {HIERARCHY_LEVELS_MAX} levels"),
                ));
            }
            if !reader.take(",") {
                break;
            }
        }
        if levels.len() == 1 {
            return Ok(Self {
                text: text.to_owned(),
                levels,
                kind: KeyKind::Hash,
                version,
            });
        }
        if version == KeyVersion::V1 {
            return Err(reader.error_at(0, "a hierarchical key is always of version 2"));
        }
        if let Some(twice) = levels
            .iter()
            .enumerate()
            .find(|(index, level)| levels[..*index].contains(level))
        {
            return Err(reader.error_at(0, format!("level {} repeats an earlier one", twice.0 + 1)));
        }
        Ok(Self {
            text: text.to_owned(),
            levels,
            kind: KeyKind::MultiHash,
            version,
        })
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn error_at(&self, offset: usize, message: impl Into<String>) -> GrammarError {
        GrammarError {
            text: self.text.to_owned(),
            offset,
            message: message.into(),
        }
    }

    fn error(&self, message: impl Into<String>) -> GrammarError {
        self.error_at(self.at, message)
    }

    fn level(&mut self) -> Result<Level, GrammarError> {
        if self.rest().is_empty() || self.rest().starts_with(',') {
            return Err(
                self.error("expected a path such as /tenantId or a template such as {/a}-{/b}")
            );
        }
        let start = self.at;
        // What reads as a path up to a comma or the end is one; a brace outside quotes makes a template.
        match PropertyPath::parse_at(self.text, start, &[',', '{', '}']) {
            Ok((path, end)) if !self.text[end..].starts_with(['{', '}']) => {
                self.at = end;
                Ok(Level::Path(path))
            }
            Err(error) if !self.level_has_brace() => {
                Err(if self.rest().starts_with('/') {
                    self.error_at(error.offset, error.message)
                } else {
                    self.error("expected '/': a path starts with it, and a template holds a part in braces")
                })
            }
            _ => self.template(),
        }
    }

    /// Whether a brace stands before the next comma: what cannot be a path is then a template.
    fn level_has_brace(&self) -> bool {
        self.rest()
            .split(',')
            .next()
            .is_some_and(|level| level.contains(['{', '}']))
    }

    fn template(&mut self) -> Result<Level, GrammarError> {
        let start = self.at;
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            let literal = [("{{", '{'), ("}}", '}'), ("{,}", ',')]
                .into_iter()
                .find(|(token, _)| self.take(token));
            if let Some((_, literal)) = literal {
                text.push(literal);
                continue;
            }
            match self.rest().chars().next() {
                None | Some(',') => break,
                Some('{') => {
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.push(self.part()?);
                }
                Some('}') => {
                    return Err(
                        self.error("this brace closes nothing; write }} for a brace in the text")
                    );
                }
                Some(other) => {
                    text.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        if parts.iter().all(|part| matches!(part, Part::Text(_))) {
            return Err(self.error_at(
                start,
                "a template needs a part such as {/path}, {#400} or {/path%400}",
            ));
        }
        Ok(Level::Template(parts))
    }

    fn part(&mut self) -> Result<Part, GrammarError> {
        let open = self.at;
        self.at += 1;
        let part = if self.take("#") {
            Part::RandomSuffix(self.number("the number of suffixes")?)
        } else {
            if !self.rest().starts_with('/') {
                return Err(
                    self.error("expected a path such as {/path}, or {#N} for a random suffix")
                );
            }
            let (path, end) =
                PropertyPath::parse_at(self.text, self.at, &['|', '%', '{', '}', ','])
                    .map_err(|error| self.error_at(error.offset, error.message))?;
            self.at = end;
            if self.take("%") {
                Part::PrecomputedSuffix(path, self.number("the number of suffixes")?)
            } else if self.take("|") {
                Part::Value(path, Some(self.transform()?))
            } else {
                Part::Value(path, None)
            }
        };
        if self.take("}") {
            Ok(part)
        } else if self.rest().is_empty() {
            Err(self.error_at(open, "this brace is not closed"))
        } else {
            Err(self.error("expected '}'"))
        }
    }

    fn number(&mut self, what: &str) -> Result<u32, GrammarError> {
        let digits = self.rest().len()
            - self
                .rest()
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let number = self.rest()[..digits]
            .parse()
            .ok()
            .filter(|number| *number > 0);
        let number = number.ok_or_else(|| {
            self.error(format!(
                "expected {what}, at least 1 and at most {}",
                u32::MAX
            ))
        })?;
        self.at += digits;
        Ok(number)
    }

    fn transform(&mut self) -> Result<Transform, GrammarError> {
        const PLAIN: [(&str, Transform); 7] = [
            ("year", Transform::Time(TimeUnit::Year)),
            ("month", Transform::Time(TimeUnit::Month)),
            ("day", Transform::Time(TimeUnit::Day)),
            ("hour", Transform::Time(TimeUnit::Hour)),
            ("minute", Transform::Time(TimeUnit::Minute)),
            ("lower", Transform::Lower),
            ("upper", Transform::Upper),
        ];
        if self.take("first:") {
            return self.number("a number of characters").map(Transform::First);
        }
        if self.take("last:") {
            return self.number("a number of characters").map(Transform::Last);
        }
        let length = self
            .rest()
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        let found = PLAIN.iter().find(|(known, _)| *known == name);
        let (_, transform) = found.ok_or_else(|| {
            self.error("expected a transform: year, month, day, hour, minute, first:N, last:N, lower or upper")
        })?;
        self.at += length;
        Ok(*transform)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Strategy;
    use proptest::prelude::*;

    fn parse(text: &str) -> Candidate {
        Candidate::parse(text, KeyVersion::V2).expect(text)
    }

    fn error(text: &str) -> GrammarError {
        Candidate::parse(text, KeyVersion::V2).expect_err(text)
    }

    fn path(text: &str) -> PropertyPath {
        PropertyPath::parse(text).expect(text)
    }

    #[test]
    fn each_strategy_is_told_from_its_text() {
        for (text, strategy, paths) in [
            ("/tenantId", Strategy::Single, "/tenantId"),
            (
                "/tenantId,/userId,/sessionId",
                Strategy::Hierarchical,
                "/tenantId /userId /sessionId",
            ),
            ("{/deviceId}-{/date}", Strategy::Synthetic, "/partitionKey"),
            ("{/date}.{#400}", Strategy::RandomSuffix, "/partitionKey"),
            (
                "{/date}.{/vin%400}",
                Strategy::PrecomputedSuffix,
                "/partitionKey",
            ),
            (
                "/tenantId,{/ts|month}",
                Strategy::Hierarchical,
                "/tenantId /partitionKey",
            ),
            (
                "{/a|lower},{/ts|month}",
                Strategy::Hierarchical,
                "/partitionKey1 /partitionKey2",
            ),
        ] {
            let candidate = parse(text);
            assert_eq!(candidate.strategy(), strategy, "{text}");
            let definition: Vec<String> = candidate
                .definition()
                .paths
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(definition.join(" "), paths, "{text}");
        }
    }

    #[test]
    fn parts_are_read_as_written() {
        let parts = vec![
            Part::Text("/x{},".to_owned()),
            Part::Value(path("/a/b"), Some(Transform::First(3))),
            Part::PrecomputedSuffix(path("/v"), 9),
            Part::Text("é".to_owned()),
        ];
        assert_eq!(
            parse("/x{{}}{,}{/a/b|first:3}{/v%9}é").levels,
            [Level::Template(parts)]
        );
    }

    #[test]
    fn quotes_keep_a_brace_or_a_comma_inside_a_path() {
        assert_eq!(
            parse("/\"a{b},c\"").levels,
            [Level::Path(path("/\"a{b},c\""))]
        );
        assert_eq!(parse("{/\"a|b}\"|lower}").sources(), [&path("/\"a|b}\"")]);
    }

    #[test]
    fn errors_point_at_the_place() {
        for (text, offset) in [
            ("", 0),
            ("tenantId", 0),
            ("/a,", 3),
            ("/a,,/b", 3),
            ("/a/", 3),
            ("/a,/b,/c,/d", 9),
            ("/a,/a", 0),
            ("{/a", 0),
            ("{a}", 1),
            ("{/a|weekly}", 4),
            ("{/a|first:0}", 10),
            ("{#}", 2),
            ("{#0}", 2),
            ("{/a%99999999999}", 4),
            ("{/a}}", 4),
            ("{{x}}", 0),
            ("{/a|day x}", 7),
        ] {
            assert_eq!(error(text).offset, offset, "{text}: {}", error(text));
        }
    }

    #[test]
    fn an_error_shows_the_place_under_the_text() {
        assert_eq!(
            error("{/é|day}{#x}")
                .to_string()
                .lines()
                .skip(1)
                .collect::<Vec<_>>(),
            ["  {/é|day}{#x}", "            ^"]
        );
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "\\PC{0,24}|[/{}#%|,:a1\"' ]{0,24}") {
            if let Err(error) = Candidate::parse(&text, KeyVersion::V2) {
                prop_assert!(text.is_char_boundary(error.offset), "{}", error);
            }
        }
    }
}
