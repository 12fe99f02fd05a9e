//! Code that builds a synthetic key exactly as it was simulated: numbers as JavaScript prints them,
//! moments in UTC, suffixes by FNV-1a.

use crate::keys::{Candidate, Level, Part, TimeUnit, Transform};
use crate::model::PropertyPath;

const JAVASCRIPT: &str = include_str!("helpers.js");
const PYTHON: &str = include_str!("helpers.py");
const JAVA: &str = include_str!("Helpers.java");
const DOTNET: &str = include_str!("Helpers.cs");

/// How a language writes a call.
struct Style {
    /// An array of these names.
    names: fn(&str) -> String,
    join: &'static str,
}

/// The templates of a key, with the names of the properties that hold them.
fn templates(candidate: &Candidate) -> Option<Vec<(String, &[Part])>> {
    let definition = candidate.definition();
    let templates: Vec<(String, &[Part])> = candidate
        .levels
        .iter()
        .zip(&definition.paths)
        .filter_map(|(level, path)| match level {
            Level::Path(_) => None,
            Level::Template(parts) => {
                let name = path.segments().last().unwrap_or_default().to_owned();
                Some((name, parts.as_slice()))
            }
        })
        .collect();
    (!templates.is_empty()).then_some(templates)
}

/// Text in double quotes; JSON's escapes are those of all four languages.
fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

fn names(path: &PropertyPath) -> String {
    path.segments().map(quoted).collect::<Vec<_>>().join(", ")
}

/// The expression that makes the text of a template.
fn expression(parts: &[Part], style: &Style) -> String {
    let get = |path: &PropertyPath| format!("get(item, {})", (style.names)(&names(path)));
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => quoted(text),
            Part::Value(path, None) => format!("text({})", get(path)),
            Part::Value(path, Some(Transform::Time(unit))) => {
                let length = match unit {
                    TimeUnit::Year => 4,
                    TimeUnit::Month => 7,
                    TimeUnit::Day => 10,
                    TimeUnit::Hour => 13,
                    TimeUnit::Minute => 16,
                };
                format!("moment({}, {length})", get(path))
            }
            Part::Value(path, Some(Transform::First(count))) => {
                format!("first(text({}), {count})", get(path))
            }
            Part::Value(path, Some(Transform::Last(count))) => {
                format!("last(text({}), {count})", get(path))
            }
            Part::Value(path, Some(Transform::Lower)) => format!("lower(text({}))", get(path)),
            Part::Value(path, Some(Transform::Upper)) => format!("upper(text({}))", get(path)),
            Part::RandomSuffix(count) => format!("randomSuffix({count})"),
            Part::PrecomputedSuffix(path, count) => format!("suffix({}, {count})", get(path)),
        })
        .collect();
    parts.join(style.join)
}

/// Puts the expressions of all templates in place of the mark in the helpers.
fn fill(
    helpers: &str,
    candidate: &Candidate,
    style: &Style,
    statement: impl Fn(&str, &str) -> String,
) -> Option<String> {
    let templates = templates(candidate)?;
    let lines: Vec<String> = templates
        .iter()
        .map(|(name, parts)| statement(&quoted(name), &expression(parts, style)))
        .collect();
    let key = candidate.text.replace(['\n', '\r'], " ");
    Some(
        helpers
            .replace("@KEY@", &key)
            .replace("@LINES@", lines.join("\n").trim_start()),
    )
}

pub(super) fn javascript(candidate: &Candidate) -> Option<String> {
    let style = Style {
        names: |names| format!("[{names}]"),
        join: " + ",
    };
    fill(JAVASCRIPT, candidate, &style, |name, value| {
        format!("  item[{name}] = {value};")
    })
}

pub(super) fn python(candidate: &Candidate) -> Option<String> {
    let style = Style {
        names: |names| format!("[{names}]"),
        join: " + ",
    };
    fill(PYTHON, candidate, &style, |name, value| {
        format!("    item[{name}] = {value}")
    })
}

pub(super) fn java(candidate: &Candidate) -> Option<String> {
    let style = Style {
        names: str::to_owned,
        join: " + ",
    };
    fill(JAVA, candidate, &style, |name, value| {
        format!("        item.put({name}, {value});")
    })
}

pub(super) fn dotnet(candidate: &Candidate) -> Option<String> {
    let style = Style {
        names: str::to_owned,
        join: " + ",
    };
    fill(DOTNET, candidate, &style, |name, value| {
        format!("        item[{name}] = {value};")
    })
}
