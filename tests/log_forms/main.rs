//! Every form of access log, from small files: what is understood of each, joined over files, cut at
//! every byte, and with any bytes in it.

mod broken;
mod conformance;
mod forms;
mod joins;

use std::fs;
use std::path::{Path, PathBuf};

use pkadvisor::ingest::{IngestError, LogOptions, LogRead, read_log};
use pkadvisor::model::{Access, Condition, Event, KeyComponent, OptionsKey, Predicate};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/logs")
        .join(name)
}

fn try_read(names: &[&str]) -> Result<LogRead, IngestError> {
    let paths: Vec<String> = names
        .iter()
        .map(|name| file(name).display().to_string())
        .collect();
    read_log(&paths, &LogOptions::default())
}

fn read(name: &str) -> LogRead {
    try_read(&[name]).expect("a log")
}

/// Reads bytes as files of their own.
fn read_parts(parts: &[&[u8]], options: &LogOptions) -> Result<LogRead, IngestError> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = Vec::new();
    for (index, bytes) in parts.iter().enumerate() {
        let path = folder.path().join(format!("{index:03}"));
        fs::write(&path, bytes).expect("a file");
        paths.push(path.display().to_string());
    }
    read_log(&paths, options)
}

fn read_text(text: &str) -> LogRead {
    read_parts(&[text.as_bytes()], &LogOptions::default()).expect("a log")
}

/// Property and values of the equalities of a condition, in words; others say nothing.
fn equalities(predicate: &Predicate) -> Vec<String> {
    match predicate {
        Predicate::In(path, values) => {
            let values: Vec<String> = values.iter().map(KeyComponent::to_string).collect();
            vec![format!("{path} in {}", values.join("|"))]
        }
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().flat_map(equalities).collect(),
        _ => Vec::new(),
    }
}

fn in_words(access: &Access, event: &Event) -> String {
    let mut words = vec![access.kind.name().to_owned()];
    words.extend(access.id.as_ref().map(|id| format!("id {id}")));
    if let OptionsKey::Components(values) = &access.key {
        let values: Vec<String> = values.iter().map(KeyComponent::to_string).collect();
        words.push(format!("key {}", values.join(",")));
    }
    match &access.condition {
        Condition::Known(predicate) => words.extend(equalities(predicate)),
        other => words.push(format!("{other:?}")),
    }
    words.extend(event.charge.map(|charge| format!("{charge} uRU")));
    words.extend((event.weight != 1_000_000).then(|| format!("x{}", event.weight / 1_000_000)));
    words.extend(event.ranges.map(|ranges| format!("{ranges} ranges")));
    words.extend(event.bytes.map(|bytes| format!("{bytes} B")));
    words.join(", ")
}

/// The operations of a log in words, in the order of the alphabet.
fn operations(read: &LogRead) -> Vec<String> {
    let events = read.log.events.iter();
    let mut all: Vec<String> = events
        .map(|event| in_words(&read.log.accesses.get(event.access), &event))
        .collect();
    all.sort();
    all
}

/// The codes of the problems, with their counts.
fn problems(read: &LogRead) -> Vec<(&'static str, u64)> {
    let groups = read.problems.groups();
    groups
        .map(|(reason, count, _)| (reason.code(), count))
        .collect()
}
