//! Logs that were cut, and bytes that are no log.

use std::fs;

use pkadvisor::ingest::log::{ALL, format_named};
use pkadvisor::ingest::{LogOptions, LogRead, Reason, read_log};
use proptest::prelude::*;

use super::{file, operations, read, read_parts};

/// The files that are logs.
const LOGS: [&str; 12] = [
    "native.jsonl",
    "native.csv",
    "blob_PT1H.json",
    "blob_old_records.json",
    "eventhub.json",
    "azurediagnostics.csv",
    "loganalytics_portal.csv",
    "la_api.json",
    "azcli.json",
    "cdb_5m.csv",
    "efcore.log",
    "otel_spans.jsonl",
];

/// Whether a reader says that something is missing or broken.
fn says_so(read: &LogRead) -> bool {
    read.problems.groups().any(|(reason, ..)| {
        matches!(
            reason,
            Reason::CutOff
                | Reason::NotJson
                | Reason::Ragged
                | Reason::NotText
                | Reason::Unterminated
                | Reason::OpenEnd
        )
    })
}

#[test]
fn a_log_that_is_cut_anywhere_says_so() {
    for name in LOGS {
        let bytes = fs::read(file(name)).expect("a file");
        let format = format_named(read(name).formats[0]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cut");
        let at = |end: usize| {
            fs::write(&path, &bytes[..end]).expect("a file");
            let options = LogOptions {
                format,
                ..LogOptions::default()
            };
            read_log(&[path.display().to_string()], &options)
        };
        let line_ends = |end: usize| {
            let before = bytes[..end].iter().rposition(|byte| *byte == b'\n');
            let behind = bytes[end..].iter().position(|byte| *byte == b'\n');
            [
                before.map_or(0, |at| at + 1),
                behind.map_or(bytes.len(), |at| end + at + 1),
            ]
        };
        for end in 0..bytes.len() {
            let Ok(read) = at(end) else {
                continue;
            };
            // What is whole rows and nothing else need not say anything.
            let whole = || {
                line_ends(end).into_iter().any(|end| {
                    at(end).map_or(operations(&read).is_empty(), |whole| {
                        operations(&whole) == operations(&read)
                    })
                })
            };
            assert!(
                says_so(&read) || whole(),
                "{name} cut at byte {end}: {:?}",
                operations(&read)
            );
        }
    }
}

/// Reads bytes in every form, and as what they look like.
fn read_in_all_forms(bytes: &[u8]) {
    let _ = read_parts(&[bytes], &LogOptions::default());
    for format in ALL {
        let options = LogOptions {
            format: Some(*format),
            ..LogOptions::default()
        };
        if let Ok(read) = read_parts(&[bytes], &options) {
            let _ = read.explained[0].to_string();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic_any_form(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read_in_all_forms(&bytes);
    }

    #[test]
    fn a_log_with_changed_bytes_never_panics_any_form(
        index in 0..LOGS.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = fs::read(file(LOGS[index])).expect("a file");
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        read_in_all_forms(&bytes);
    }
}
