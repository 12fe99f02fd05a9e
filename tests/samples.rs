//! The samples: what the generator makes, and what the tool says of them.

mod common;

use std::fs;
use std::path::PathBuf;

use assert_cmd::cargo::cargo_bin_cmd;
use common::generator;
use serde_json::Value;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("samples")
        .join(name)
}

/// Set this to write the samples anew.
const WRITE: &str = "PKADVISOR_WRITE_SAMPLES";

#[test]
fn the_samples_are_what_the_generator_makes() {
    let samples = [
        ("tenants.jsonl", generator::tenants_data()),
        ("tenants-log.csv", generator::tenants_log()),
        ("telemetry.jsonl", generator::telemetry_data()),
        ("telemetry-log.jsonl", generator::telemetry_log()),
    ];
    for (name, text) in samples {
        if std::env::var_os(WRITE).is_some() {
            fs::write(path(name), &text).expect("the folder");
        }
        let kept = fs::read_to_string(path(name)).expect(name);
        assert!(
            kept == text,
            "{name} differs: run the tests with {WRITE}=1 and look at the change"
        );
    }
}

fn report(arguments: &[&str]) -> Value {
    let mut command = cargo_bin_cmd!("pkadvisor");
    let output = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("analyze")
        .args(arguments)
        .args(["--format", "json"])
        .output()
        .expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn candidate<'a>(report: &'a Value, key: &str) -> &'a Value {
    let candidates = report["candidates"].as_array().expect("candidates");
    candidates.iter().find(|one| one["key"] == key).expect(key)
}

fn codes(candidate: &Value) -> Vec<&str> {
    let findings = candidate["findings"].as_array().expect("findings");
    findings
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .collect()
}

#[test]
fn one_giant_tenant_throttles_its_neighbours_and_another_outgrows_its_partition() {
    // Worked scenario 3.
    let report = report(&[
        "samples/tenants.jsonl",
        "--log",
        "samples/tenants-log.csv",
        "--throughput",
        "30000",
        "--total-size",
        "60GB",
        "--key",
        "/tenantId",
        "--key",
        "{/tenantId}-{/userId}",
    ]);
    let by_tenant = candidate(&report, "/tenantId");
    let partitions = by_tenant["physical_partitions"]
        .as_array()
        .expect("partitions");
    assert_eq!(partitions.len(), 3);
    let throttled = |index: usize| {
        partitions[index]["throttled_share"]
            .as_f64()
            .expect("a share")
    };
    // D and those that share its partition are refused, the others never.
    assert!(throttled(0) > 0.05, "{}", throttled(0));
    assert!(throttled(1) == 0.0 && throttled(2) == 0.0);
    assert!(
        (by_tenant["throughput"]["hottest_key"]["charge"]
            .as_f64()
            .expect("RU")
            / 20.0
            - 10_000.0)
            .abs()
            < 100.0
    );
    assert_eq!(
        by_tenant["throughput"]["hottest_key"]["value"],
        serde_json::json!(["D"])
    );
    assert_eq!(by_tenant["verdict"], "rejected");
    assert!(codes(by_tenant).contains(&"logical-partition-over-limit"));
    assert!(codes(by_tenant).contains(&"hot-partition"));
    assert_eq!(
        by_tenant["logical_partitions"]["top"][0]["value"],
        serde_json::json!(["A"])
    );
    assert_eq!(report["recommendation"]["key"], "{/tenantId}-{/userId}");
    let by_user = candidate(&report, "{/tenantId}-{/userId}");
    assert_eq!(by_user["throughput"]["throttled_share"], 0.0);
}

#[test]
fn a_suffix_that_can_be_computed_spreads_the_writes_of_a_day_and_still_finds_a_vehicle() {
    let (day, random, computed) = ("/date", "{/date}.{#40}", "{/date}.{/vin%40}");
    let report = report(&[
        "samples/telemetry.jsonl",
        "--log",
        "samples/telemetry-log.jsonl",
        "--key",
        day,
        "--key",
        random,
        "--key",
        computed,
    ]);
    let required = |key: &str| candidate(&report, key)["throughput"]["required"].as_u64();
    // The writes of today are more than one partition serves, whatever is bought.
    assert_eq!(required(day), None);
    assert!(codes(candidate(&report, day)).contains(&"hot-key-ceiling"));
    assert_eq!(candidate(&report, day)["verdict"], "rejected");
    // A random suffix spreads them, but a vehicle's day is then spread as well.
    let routing = |key: &str| candidate(&report, key)["routing"].clone();
    let reads = routing(computed)["operations"].as_f64().expect("a number") / 4.0;
    assert_eq!(routing(random)["targeted"], reads);
    assert_eq!(routing(computed)["single"], routing(computed)["operations"]);
    assert!(required(random) > required(computed));
    assert_eq!(report["recommendation"]["key"], computed);
}

#[test]
fn a_search_for_suffixes_shows_what_each_number_comes_to() {
    let report = report(&[
        "samples/telemetry.jsonl",
        "--log",
        "samples/telemetry-log.jsonl",
        "--key",
        "/date",
        "--key",
        "{/date}.{#40}",
        "--key",
        "{/date}.{/vin%40}",
        "--suffix-search",
        "/date",
        "--suffix-by",
        "/vin",
    ]);
    let search = &report["suffix_searches"][0];
    let rows = search["rows"].as_array().expect("rows");
    let of = |count: u64| {
        rows.iter()
            .find(|row| row["count"] == count)
            .expect("a row")
    };
    // Two values take 10,000 RU/s each at most, which is too little at any price.
    assert_eq!(of(2)["random"]["required"], Value::Null);
    assert_eq!(
        (&search["smallest_random"], &search["smallest_computed"]),
        (&5.into(), &5.into())
    );
    // The numbers are those of the candidates themselves.
    for (kind, key) in [
        ("random", "{/date}.{#40}"),
        ("computed", "{/date}.{/vin%40}"),
    ] {
        let throughput = &candidate(&report, key)["throughput"];
        assert_eq!(of(40)[kind]["required"], throughput["required"], "{kind}");
        assert_eq!(
            of(40)[kind]["throttled_share"],
            throughput["throttled_share"],
            "{kind}"
        );
    }
    assert!(
        of(40)["computed"]["single_share"].as_f64() > of(40)["random"]["single_share"].as_f64()
    );
    // What is searched is no candidate.
    assert_eq!(
        report["candidates"].as_array().expect("candidates").len(),
        3
    );
}

/// The recommendation in words: the key, how sure, and the reasons.
fn recommendation(report: &Value) -> String {
    let one = &report["recommendation"];
    let reasons = one["reasons"].as_array().expect("reasons");
    let lines = reasons.iter().map(|reason| reason.as_str().expect("text"));
    let first = format!(
        "{} ({})",
        one["key"].as_str().expect("a key"),
        one["confidence"].as_str().expect("a word")
    );
    std::iter::once(first.as_str())
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_is_recommended_without_any_candidate_and_why() {
    let tenants = report(&["samples/tenants.jsonl", "--log", "samples/tenants-log.csv"]);
    insta::assert_snapshot!("tenants", recommendation(&tenants));
    let telemetry = report(&[
        "samples/telemetry.jsonl",
        "--log",
        "samples/telemetry-log.jsonl",
    ]);
    insta::assert_snapshot!("telemetry", recommendation(&telemetry));
}

#[test]
#[ignore = "needs the conformance data (PKADVISOR_CONFORMANCE)"]
fn conformance_what_is_recommended_for_the_flights_and_why() {
    let folder = std::env::var("PKADVISOR_CONFORMANCE").expect("PKADVISOR_CONFORMANCE");
    let real = |name: &str| format!("{folder}/../real/{name}");
    let flights = report(&[
        &real("flights.csv.gz"),
        "--log",
        &real("flights-access.jsonl.gz"),
        "--throughput",
        "30000",
    ]);
    insta::assert_snapshot!("flights", recommendation(&flights));
}
