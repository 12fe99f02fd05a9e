//! Real cases that other people met, read from the folder that `PKADVISOR_CONFORMANCE` names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pkadvisor::ingest::LogRead;
use pkadvisor::model::{OperationKind, OptionsKey};
use serde_json::Value;

use super::{operations, problems, read_text};

fn cases() -> Vec<Value> {
    let folder = std::env::var("PKADVISOR_CONFORMANCE")
        .expect("PKADVISOR_CONFORMANCE names the folder of the cases");
    let text = fs::read_to_string(Path::new(&folder).join("cases.jsonl")).expect("the cases");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case is JSON"))
        .collect()
}

fn case(id: &str) -> Value {
    let found = cases().into_iter().find(|case| case["id"] == id);
    found.expect("the case")
}

/// The entries of a log under the properties of a blob's rows of one category.
fn as_blob(case: &Value, category: &str) -> String {
    let entries = case["input"]["log"].as_array().expect("a log");
    let lines = entries.iter().map(|entry| {
        serde_json::json!({
            "category": category,
            "operationName": entry["operationName"],
            "properties": entry,
        })
        .to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The charge under each key, and without one, in millionths.
fn charge_by_key(read: &LogRead) -> Vec<(String, u64)> {
    let mut sums = BTreeMap::new();
    for event in read.log.events.iter() {
        let key = match read.log.accesses.get(event.access).key {
            OptionsKey::Components(values) => values[0].to_string(),
            _ => "none".to_owned(),
        };
        *sums.entry(key).or_default() += event.charge.unwrap_or_default();
    }
    sums.into_iter().collect()
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_charges_by_key_cover_queries_too() {
    let read = read_text(&as_blob(&case("C77"), "PartitionKeyRUConsumption"));
    assert_eq!(charge_by_key(&read), [("\"a\"".to_owned(), 100_000_000)]);
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_charges_without_a_key_stay_unattributed() {
    let read = read_text(&as_blob(&case("C61"), "PartitionKeyRUConsumption"));
    assert_eq!(
        charge_by_key(&read),
        [
            ("\"a\"".to_owned(), 15_000_000),
            ("none".to_owned(), 51_000_000)
        ]
    );
    let read = read_text(&as_blob(&case("C77"), "PartitionKeyRUConsumption"));
    assert_eq!(charge_by_key(&read), [("\"a\"".to_owned(), 100_000_000)]);
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_refused_attempts_are_no_writes() {
    let read = read_text(&as_blob(&case("C63"), "DataPlaneRequests"));
    assert_eq!(operations(&read), ["create, 6100000 uRU"]);
    assert_eq!(read.log.throttled_weight, 2_000_000);
    assert_eq!(6_100_000 + read.log.throttled_charge, 6_860_000);
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_a_request_and_its_charge_are_one_operation() {
    let case = case("C65");
    let lines = case["input"]["log_lines"].as_array().expect("lines");
    let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
    for text in [lines.join("\n"), [lines[1], lines[0]].join("\n")] {
        let read = read_text(&text);
        assert_eq!(
            operations(&read),
            ["read, id o-17, key \"cust_9\", 2000000 uRU, 1 ranges"]
        );
    }
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_spellings_of_a_column_are_one_field() {
    let case = case("C67");
    let rows = case["input"]["log"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row["OperationName"] = "Read".into();
            row["ActivityId"] = "".into();
            row
        });
    let read = read_text(&Value::Array(rows.collect()).to_string());
    let sum: u64 = read
        .log
        .events
        .iter()
        .filter_map(|event| event.charge)
        .sum();
    assert_eq!(sum, 14_000_000);
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_none_as_text_is_no_value_but_may_be_a_key() {
    let read = read_text(&case("C69")["input"]["json"].to_string());
    assert_eq!(read.rows, 2);
    assert_eq!(operations(&read), ["query, Unknown, 3500000 uRU"]);
    assert_eq!(
        (read.log.throttled_weight, read.log.throttled_charge),
        (1_000_000, 2_000_000)
    );
    let done = case("C69")["input"]["json"]
        .to_string()
        .replace("429", "201");
    assert_eq!(
        operations(&read_text(&done)),
        [
            "create, key \"None\", 2000000 uRU",
            "query, Unknown, 3500000 uRU"
        ]
    );
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_every_logged_operation_is_read() {
    let mut read_cases = 0;
    for case in cases() {
        let entries = case["input"]["log"].as_array().cloned().unwrap_or_default();
        if entries.is_empty() || entries[0].get("op").is_none() {
            continue;
        }
        let lines: Vec<String> = entries
            .iter()
            .map(|entry| {
                let mut entry = entry.clone();
                if let Some(hint) = entry["hint"].as_object().cloned() {
                    entry["pk"] = hint.into();
                }
                if let Some(fields) = entry.as_object_mut() {
                    fields.remove("hint");
                }
                entry.to_string()
            })
            .collect();
        let read = read_text(&lines.join("\n"));
        assert_eq!(read.log.events.len(), entries.len(), "{}", case["id"]);
        assert_eq!(problems(&read), [], "{}", case["id"]);
        let hinted = entries
            .iter()
            .filter(|entry| entry.get("hint").is_some())
            .count();
        let keyed = read.log.events.iter().filter(|event| {
            let access = read.log.accesses.get(event.access);
            matches!(access.key, OptionsKey::Properties(_)) && access.kind == OperationKind::Query
        });
        assert_eq!(keyed.count(), hinted, "{}", case["id"]);
        read_cases += 1;
    }
    assert!(read_cases >= 15);
}
