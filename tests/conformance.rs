//! Hashing and layouts against published vectors and captured containers.
//!
//! The vectors belong to other projects and are read from the folder that the environment variable
//! `PKADVISOR_CONFORMANCE` names; without it these tests are ignored, visibly.

use std::path::PathBuf;

use pkadvisor::keys::{Layout, effective_key, midpoint};
use pkadvisor::model::{Epk, KeyComponent, KeyKind, KeyValue, KeyVersion};
use serde_json::Value;

fn rows(file: &str) -> Vec<Value> {
    let folder = std::env::var("PKADVISOR_CONFORMANCE")
        .expect("PKADVISOR_CONFORMANCE names the folder of the vectors");
    let text =
        std::fs::read_to_string(PathBuf::from(folder).join(file)).expect("the vectors can be read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a row is JSON"))
        .collect()
}

fn component(row: &Value) -> KeyComponent {
    let value = &row["value"];
    match row["kind"].as_str().expect("a kind") {
        "undefined" => KeyComponent::Undefined,
        "null" => KeyComponent::Null,
        "bool" => KeyComponent::Bool(value.as_bool().expect("a boolean")),
        "string" => KeyComponent::String(value.as_str().expect("a string").into()),
        "number" => KeyComponent::Number(match value.as_str() {
            Some("NaN") => f64::from_bits(0xFFF8_0000_0000_0000),
            Some(text) => text.parse().expect("a number"),
            None => value.as_f64().expect("a number"),
        }),
        kind => panic!("unknown kind {kind}"),
    }
}

/// Compares every effective key that the rows give, and says how many there were.
fn check_vectors(file: &str) -> usize {
    let fields = [
        ("v1_epk", KeyKind::Hash, KeyVersion::V1),
        ("v2_epk", KeyKind::Hash, KeyVersion::V2),
        ("multihash_epk", KeyKind::MultiHash, KeyVersion::V2),
    ];
    let mut compared = 0;
    for row in rows(file) {
        let key = KeyValue(
            row["components"]
                .as_array()
                .expect("components")
                .iter()
                .map(component)
                .collect(),
        );
        for (field, kind, version) in fields {
            for expected in [&row[field], &row["computed"][field]]
                .into_iter()
                .filter_map(Value::as_str)
            {
                assert_eq!(
                    effective_key(&key, kind, version).to_string(),
                    expected,
                    "{field} of {row}"
                );
                compared += 1;
            }
        }
    }
    compared
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_published_hash_vectors() {
    assert!(check_vectors("hash_vectors.jsonl") >= 3 * 151);
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_random_hash_vectors() {
    assert!(check_vectors("hash_vectors_random.jsonl") >= 2 * 720);
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_partition_layouts_and_midpoints() {
    let rows = rows("partition_layout.jsonl");
    assert!(rows.len() >= 34);
    for row in rows {
        let kinds: &[(KeyKind, KeyVersion)] = match row["kind"].as_str().expect("a kind") {
            "Hash v1" => &[(KeyKind::Hash, KeyVersion::V1)],
            "Hash v2" => &[(KeyKind::Hash, KeyVersion::V2)],
            "Hash v2 / MultiHash" => &[
                (KeyKind::Hash, KeyVersion::V2),
                (KeyKind::MultiHash, KeyVersion::V2),
            ],
            kind => panic!("unknown kind {kind}"),
        };
        let count = u32::try_from(row["n"].as_u64().expect("a count")).expect("a small count");
        for (kind, version) in kinds {
            let expected = row["ranges"].as_array().expect("ranges");
            let layout = Layout::equal(count, *kind, *version);
            assert_eq!(layout.partition_count(), expected.len());
            for ((min, max), expected) in layout.ranges().zip(expected) {
                assert_eq!(
                    min.to_string(),
                    expected["min"].as_str().expect("min"),
                    "{kind:?} {count}"
                );
                assert_eq!(
                    max.to_string(),
                    expected["max"].as_str().expect("max"),
                    "{kind:?} {count}"
                );
                if let Some(middle) = expected["split_midpoint"].as_str() {
                    assert_eq!(
                        midpoint(&min, &max, *kind, *version),
                        Epk::from_hex(middle),
                        "{kind:?} {count}"
                    );
                }
            }
        }
    }
}
