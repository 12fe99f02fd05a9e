//! Routing of queries against the plans of the service's engine.

use std::collections::BTreeSet;

use pkadvisor::keys::{Candidate, KeySelection, VALUES_MAX_DEFAULT, key_range};
use pkadvisor::model::{Epk, KeyVersion};
use pkadvisor::query::{Parameters, condition, parse};
use serde_json::{Value, json};

/// A range as the rows write it.
type Range = (String, String, bool, bool);

fn rows(file: &str) -> Vec<Value> {
    let folder = std::env::var("PKADVISOR_CONFORMANCE")
        .expect("PKADVISOR_CONFORMANCE names the folder of the rows");
    let text = std::fs::read_to_string(format!("{folder}/{file}")).expect("the rows can be read");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a row is JSON"))
        .collect()
}

/// The ranges of a row's query in a container with the row's key, of this version.
fn ranges(row: &Value, version: u8) -> Result<BTreeSet<Range>, String> {
    let query =
        parse(row["query"].as_str().expect("a query")).map_err(|error| error.to_string())?;
    let parameters: Parameters = (row["parameters"].as_array().into_iter().flatten())
        .map(|one| {
            (
                one["name"].as_str().expect("a name").to_owned(),
                one["value"].clone(),
            )
        })
        .collect();
    let full = (String::new(), "FF".to_owned(), true, false);
    if row["pk_paths"].as_array().is_none_or(Vec::is_empty) {
        return Ok(BTreeSet::from([full]));
    }
    let definition = json!({"partitionKey": {"paths": row["pk_paths"], "kind": row["pk_kind"], "version": version}});
    let candidate = Candidate::from_container("", &definition.to_string())
        .map_err(|error| error.to_string())?;
    let version = if version == 1 {
        KeyVersion::V1
    } else {
        KeyVersion::V2
    };
    Ok(
        match candidate.select(&condition(&query, &parameters), VALUES_MAX_DEFAULT) {
            KeySelection::Nothing => {
                BTreeSet::from([(Epk::MIN.to_string(), Epk::MIN.to_string(), true, true)])
            }
            KeySelection::Everything | KeySelection::TooMany | KeySelection::Unknown { .. } => {
                BTreeSet::from([full])
            }
            KeySelection::Keys(keys) => keys
                .iter()
                .map(|key| key_range(key, candidate.kind, version, candidate.levels.len()))
                .map(|range| {
                    (
                        range.min.to_string(),
                        range.max.to_string(),
                        range.min_inclusive,
                        range.max_inclusive,
                    )
                })
                .collect(),
        },
    )
}

fn expected(ranges: &Value) -> BTreeSet<Range> {
    serde_json::from_value::<Vec<Range>>(ranges.clone())
        .expect("ranges")
        .into_iter()
        .collect()
}

/// Rows whose ranges are not those expected, with what came out.
fn check(rows: &[Value], compared: impl Fn(&Value) -> Vec<(u8, Value)>) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    for row in rows {
        for (version, ranges_expected) in compared(row) {
            count += 1;
            let found = ranges(row, version);
            if found != Ok(expected(&ranges_expected)) {
                wrong.push(format!(
                    "{} {} V{version}: {found:?}, expected {ranges_expected}",
                    row["query"], row["pk_paths"]
                ));
            }
        }
    }
    (count, wrong)
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_live_plans_of_the_engine() {
    let (count, wrong) = check(&rows("query_ranges.jsonl"), |row| {
        if row["status"] != "live" || row["pk_kind"] != "Hash" || row["class"] == "error" {
            return Vec::new();
        }
        vec![
            (1, row["epk_ranges_v1"].clone()),
            (2, row["epk_ranges_v2"].clone()),
        ]
    });
    assert!(count > 200, "{count} compared");
    // Distances between constant shapes are not computed: all partitions are the upper bound.
    let (known, wrong): (Vec<_>, Vec<_>) = wrong
        .into_iter()
        .partition(|text| text.contains("WHERE ST_DISTANCE({"));
    assert!(known.len() <= 2, "{known:?}");
    assert!(
        wrong.is_empty(),
        "{} of {count} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_plans_of_hierarchical_keys() {
    let (count, wrong) = check(&rows("query_ranges_hpk.jsonl"), |row| {
        vec![(
            row["pk_version"].as_u64().expect("a version") as u8,
            row["epk_ranges"].clone(),
        )]
    });
    assert!(count >= 5, "{count} compared");
    assert!(
        wrong.is_empty(),
        "{} of {count} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
