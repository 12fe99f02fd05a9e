//! Each check fires with the right evidence, and just does not in the case beside it.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use common::oracle;
use serde_json::{Value, json};

/// One run of the program, and what is expected of one check on the first candidate given.
struct Case {
    code: &'static str,
    data: String,
    log: Option<String>,
    arguments: &'static [&'static str],
    /// Facts of the finding; `None` where there must be none.
    evidence: Option<Value>,
}

fn case(
    code: &'static str,
    data: impl Into<String>,
    arguments: &'static [&'static str],
    evidence: Option<Value>,
) -> Case {
    Case {
        code,
        data: data.into(),
        log: None,
        arguments,
        evidence,
    }
}

fn with_log(
    code: &'static str,
    data: impl Into<String>,
    log: impl Into<String>,
    arguments: &'static [&'static str],
    evidence: Option<Value>,
) -> Case {
    Case {
        log: Some(log.into()),
        ..case(code, data, arguments, evidence)
    }
}

/// So many items with nothing but an id.
fn ids(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "{{\"id\":\"{n}\"}}");
        text
    })
}

fn findings(case: &Case) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("data"), &case.data).expect("a file");
    let mut command = Command::new(cargo_bin!("pkadvisor"));
    command
        .current_dir(folder.path())
        .env_clear()
        .args(["analyze", "data", "--format", "json"])
        .args(case.arguments);
    if let Some(log) = &case.log {
        fs::write(folder.path().join("log"), log).expect("a file");
        command.args(["--log", "log"]);
    }
    let output = command.output().expect("the program");
    assert!(
        output.status.success(),
        "{}: {}",
        case.code,
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let key = case.arguments[1];
    let candidates = report["candidates"].as_array().expect("candidates");
    let candidate = candidates.iter().find(|one| one["key"] == key).expect(key);
    let all = candidate["findings"].as_array().expect("findings");
    all.iter()
        .filter(|finding| finding["code"] == case.code)
        .cloned()
        .collect()
}

/// Items with an id and a tenant of so many.
fn items(count: u64, tenants: u64) -> String {
    (0..count).fold(String::new(), |mut out, n| {
        writeln!(out, r#"{{"id":"{n}","a":"t{}","b":"u{n}"}}"#, n % tenants).expect("memory");
        out
    })
}

/// An item of 1 KiB each second.
fn writes(count: u64) -> String {
    (0..count).fold(String::new(), |mut out, n| {
        let start = format!(r#"{{"a":"d","at":{n},"id":"{n}","pad":""#);
        // Items are sized as they stand, and a quote and a brace close them.
        let pad = "x".repeat(1024 - start.len() - 2);
        writeln!(out, "{start}{pad}\"}}").expect("memory");
        out
    })
}

/// 40 items whose values lie in the lower part of the hash space.
fn slice(part: f64) -> String {
    let place = |value: &str| {
        let form = oracle::hash_form(Some(&json!(value)));
        oracle::hash(&form) as f64 / 2_f64.powi(126)
    };
    let values = (0..)
        .map(|n| format!("v{n}"))
        .filter(|value| place(value) < part);
    values.take(40).fold(String::new(), |mut out, value| {
        writeln!(out, r#"{{"id":"{value}","a":"{value}"}}"#).expect("memory");
        out
    })
}

/// A query each millisecond step, fixing these properties.
fn queries(count: u64, step: u64, filter: impl Fn(u64) -> String, ru: u64) -> String {
    (0..count).fold(String::new(), |mut out, n| {
        let time = n * step;
        let (seconds, rest) = (time / 1000, time % 1000);
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        writeln!(out, r#"{{"ts":"2024-05-03T10:{minutes:02}:{seconds:02}.{rest:03}Z","op":"query","filter":{{{}}},"ru":{ru}}}"#, filter(n)).expect("memory");
        out
    })
}

fn of_tenant(tenants: u64) -> impl Fn(u64) -> String {
    move |n| format!(r#""a":"t{}""#, n % tenants)
}

const GROWING: &[&str] = &[
    "--key",
    "/a",
    "--time",
    "/at",
    "--item-overhead",
    "0",
    "--horizon",
    "227d",
];
const NOTEBOOK: &[&str] = &[
    "--key",
    "/a",
    "--partitions",
    "2",
    "--fan-out-limits",
    "advisor-notebook",
];
const BY_A: &[&str] = &["--key", "/a"];

#[expect(clippy::too_many_lines, reason = "it is a table")]
fn data_cases() -> Vec<Case> {
    let long = |length: usize| format!("{{\"id\":\"1\",\"a\":\"{}\"}}\n", "x".repeat(length));
    let beginning = "p".repeat(100);
    let large = |length: usize| format!("{{\"id\":\"1\",\"a\":\"{}\"}}\n", "x".repeat(length - 17));
    vec![
        case(
            "missing-key",
            "{\"id\":\"1\"}\n{\"id\":\"2\",\"a\":1}\n",
            BY_A,
            Some(json!({"missing_items": 1, "share": 0.5})),
        ),
        case("missing-key", "{\"id\":\"2\",\"a\":null}\n", BY_A, None),
        case(
            "missing-key",
            "{\"id\":\"1\",\"type\":\"event\"}\n{\"id\":\"2\",\"a\":1,\"type\":\"order\"}\n",
            BY_A,
            Some(json!({"types_without": ["event"]})),
        ),
        case(
            "mixed-types",
            "{\"a\":1}\n{\"a\":\"1\"}\n",
            BY_A,
            Some(json!({"text": 1, "number": 1})),
        ),
        case("mixed-types", "{\"a\":1}\n{\"a\":2.5}\n{}\n", BY_A, None),
        case(
            "null-missing-empty",
            "{\"a\":null}\n{\"a\":\"\"}\n{\"a\":1}\n",
            BY_A,
            Some(json!({"null": 1, "empty": 1})),
        ),
        case(
            "null-missing-empty",
            "{\"a\":null}\n{\"a\":null}\n{\"a\":1}\n",
            BY_A,
            None,
        ),
        case(
            "number-precision",
            "{\"a\":9007199254740993}\n",
            BY_A,
            Some(json!({"items": 1})),
        ),
        case("number-precision", "{\"a\":9007199254740991}\n", BY_A, None),
        case(
            "key-too-long",
            long(2049),
            BY_A,
            Some(json!({"bytes_max": 2049, "limit_bytes": 2048})),
        ),
        case("key-too-long", long(2048), BY_A, None),
        case(
            "v1-prefix-collision",
            format!("{{\"a\":\"{beginning}1\"}}\n{{\"a\":\"{beginning}2\"}}\n"),
            &["--key", "/a", "--key-version", "1"],
            Some(json!({"logical_partitions": 1})),
        ),
        case(
            "v1-prefix-collision",
            format!("{{\"a\":\"{beginning}1\"}}\n{{\"a\":\"{beginning}2\"}}\n"),
            BY_A,
            None,
        ),
        case(
            "ambiguous-concatenation",
            "{\"a\":\"x-y\",\"b\":\"z\"}\n{\"a\":\"x\",\"b\":\"y-z\"}\n",
            &["--key", "{/a}-{/b}"],
            Some(json!({"values": 1, "free_separator": "|"})),
        ),
        case(
            "ambiguous-concatenation",
            "{\"a\":\"x-y\",\"b\":\"z\"}\n{\"a\":\"x\",\"b\":\"y-z\"}\n",
            &["--key", "{/a}|{/b}"],
            None,
        ),
        case(
            "near-duplicate-values",
            "{\"a\":\"Berlin\"}\n{\"a\":\"berlin \"}\n",
            BY_A,
            Some(json!({"values": 1})),
        ),
        case(
            "near-duplicate-values",
            "{\"a\":\"Berlin\"}\n{\"a\":\"Bern\"}\n",
            BY_A,
            None,
        ),
        case(
            "id-conflict",
            "{\"id\":\"1\",\"a\":1}\n{\"id\":\"1\",\"a\":1}\n",
            BY_A,
            Some(json!({"conflicts": 1})),
        ),
        case(
            "id-conflict",
            "{\"id\":\"1\",\"a\":1}\n{\"id\":\"1\",\"a\":2}\n",
            BY_A,
            None,
        ),
        case(
            "id-invalid",
            "{\"id\":\"a/b\",\"a\":1}\n",
            BY_A,
            Some(json!({"items": 1, "first": "a/b"})),
        ),
        case("id-invalid", "{\"id\":\"a.b\",\"a\":1}\n", BY_A, None),
        case(
            "item-too-large",
            large(2_000_001),
            BY_A,
            Some(json!({"items": 1, "bytes_max": 2_000_001})),
        ),
        case("item-too-large", large(2_000_000), BY_A, None),
        case(
            "logical-partition-over-limit",
            items(100, 1),
            &["--key", "/a", "--total-size", "40GB"],
            Some(json!({"values_over_limit": 1})),
        ),
        case(
            "logical-partition-over-limit",
            items(100, 1),
            &["--key", "/a", "--total-size", "10GB"],
            None,
        ),
        case(
            "low-cardinality",
            items(100, 3),
            &["--key", "/a", "--partitions", "4"],
            Some(json!({"distinct": 3, "partitions": 4})),
        ),
        case(
            "low-cardinality",
            items(100, 40),
            &["--key", "/a", "--partitions", "4"],
            None,
        ),
        case("small-container", items(10, 10), BY_A, Some(json!({}))),
        case(
            "small-container",
            items(10, 10),
            &["--key", "/a", "--partitions", "2"],
            None,
        ),
        case(
            "unique-key-rescoped",
            items(10, 10),
            &["--key", "/a", "--unique-key", "/email"],
            Some(json!({"unique_key": ["/email"]})),
        ),
        case(
            "unique-key-rescoped",
            items(10, 10),
            &["--key", "/a", "--unique-key", "/a,/email"],
            None,
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "it is a table")]
fn log_cases() -> Vec<Case> {
    let hot = |n: u64| {
        format!(
            r#""a":"t{}""#,
            if n.is_multiple_of(10) { n % 100 } else { 1 }
        )
    };
    let batch = |count: usize| {
        let items: Vec<String> = (0..count)
            .map(|n| format!(r#"{{"op":"create","item":{{"id":"n{n}","a":"t1"}}}}"#))
            .collect();
        format!("{{\"op\":\"batch\",\"items\":[{}]}}\n", items.join(","))
    };
    let pair = |other: &str| {
        format!(
            r#"{{"op":"batch","items":[{{"op":"create","item":{{"id":"x","a":"t1"}}}},{{"op":"create","item":{{"id":"y","a":"{other}"}}}}]}}"#
        )
    };
    let labelled = |values: [&str; 2]| {
        let row = |value: &str| {
            format!(r#"{{"op":"create","tx":"l","item":{{"id":"{value}","a":"{value}"}}}}"#)
        };
        format!("{}\n{}\n", row(values[0]), row(values[1]))
    };
    let replace = |a: &str| format!(r#"{{"op":"replace","id":"3","item":{{"id":"3","a":"{a}"}}}}"#);
    let one_in = |every: u64| {
        move |n: u64| {
            if n.is_multiple_of(every) {
                r#""c":1"#.to_owned()
            } else {
                format!(r#""a":"t{}""#, n % 40)
            }
        }
    };
    vec![
        with_log(
            "hot-partition",
            items(100, 100),
            queries(600, 100, hot, 200),
            &["--key", "/a", "--partitions", "4", "--throughput", "4000"],
            Some(json!({"partitions": 4, "partitions_at_limit": 1})),
        ),
        with_log(
            "hot-partition",
            items(100, 100),
            queries(600, 100, hot, 50),
            &["--key", "/a", "--partitions", "4", "--throughput", "4000"],
            None,
        ),
        with_log(
            "under-provisioned",
            items(100, 100),
            queries(600, 100, of_tenant(100), 90),
            &["--key", "/a", "--partitions", "1", "--throughput", "400"],
            Some(json!({"throughput": 400, "required_throughput": 900})),
        ),
        with_log(
            "under-provisioned",
            items(100, 100),
            queries(600, 100, of_tenant(100), 90),
            &["--key", "/a", "--partitions", "1", "--throughput", "1000"],
            None,
        ),
        with_log(
            "hot-key-ceiling",
            items(100, 100),
            queries(2000, 10, of_tenant(1), 110),
            BY_A,
            Some(json!({"value": "[\"t0\"]", "windows_over": 20, "busy_windows": 20})),
        ),
        with_log(
            "hot-key-ceiling",
            items(100, 100),
            queries(2000, 10, of_tenant(1), 100),
            BY_A,
            None,
        ),
        // The trap of a date as the key: many values, but one at a time.
        with_log(
            "low-cardinality",
            items(100, 100),
            queries(600, 10, |n| format!(r#""a":"t{}""#, n / 100), 3),
            &["--key", "/a", "--partitions", "4"],
            Some(json!({"keys_per_window": 1.0, "partitions": 4})),
        ),
        with_log(
            "low-cardinality",
            items(100, 100),
            queries(600, 10, of_tenant(100), 3),
            &["--key", "/a", "--partitions", "4"],
            None,
        ),
        with_log(
            "cross-partition-share",
            items(100, 40),
            queries(100, 10, one_in(4), 3),
            &["--key", "/a", "--partitions", "2"],
            Some(json!({"fan_out_share": 0.25, "partitions": 2})),
        ),
        with_log(
            "cross-partition-share",
            items(100, 40),
            queries(100, 10, one_in(5), 3),
            &["--key", "/a", "--partitions", "2"],
            None,
        ),
        with_log(
            "cross-partition-share",
            items(100, 40),
            queries(
                100,
                10,
                |n| {
                    if n < 30 {
                        r#""b":"u1""#.to_owned()
                    } else {
                        r#""a":"t1""#.to_owned()
                    }
                },
                3,
            ),
            NOTEBOOK,
            Some(json!({"fan_out_share": 0.3})),
        ),
        with_log(
            "cross-partition-share",
            items(100, 40),
            queries(100, 10, one_in(4), 3),
            NOTEBOOK,
            None,
        ),
        with_log(
            "middle-level-filter",
            items(100, 40),
            queries(100, 10, |_| r#""b":"u1""#.to_owned(), 3),
            &["--key", "/a,/b"],
            Some(json!({"share": 1.0})),
        ),
        with_log(
            "middle-level-filter",
            items(100, 40),
            queries(100, 10, |_| r#""a":"t1","b":"u1""#.to_owned(), 3),
            &["--key", "/a,/b"],
            None,
        ),
        case(
            "partition-over-limit",
            items(100, 40),
            &["--key", "/id", "--total-size", "99GB", "--partitions", "1"],
            Some(json!({})),
        ),
        case(
            "partition-over-limit",
            items(100, 40),
            &[
                "--key",
                "/id",
                "--total-size",
                "49GB",
                "--partitions",
                "1",
                "--throughput",
                "10000",
            ],
            None,
        ),
        // 16 MiB hold 174,762 values of 96 bytes.
        case(
            "more-values-than-memory",
            ids(180_000),
            &["--key", "/id", "--memory", "16MiB"],
            Some(json!({"stands_for": 2, "heavy_share": 32.0 / 32_768.0})),
        ),
        case(
            "more-values-than-memory",
            ids(1000),
            &["--key", "/id", "--memory", "16MiB"],
            None,
        ),
        case(
            "number-precision",
            "{\"id\":\"1\",\"a\":0}\n{\"id\":\"2\",\"a\":-0}\n",
            BY_A,
            Some(json!({"negative_zero_items": 1})),
        ),
        case(
            "number-precision",
            "{\"id\":\"1\",\"a\":0}\n{\"id\":\"2\",\"a\":0.0}\n",
            BY_A,
            None,
        ),
        with_log(
            "prefix-in-options",
            items(10, 10),
            "{\"op\":\"query\",\"query\":\"SELECT * FROM c\",\"pk\":{\"a\":\"t1\"}}\n",
            &["--key", "/a,/b"],
            Some(json!({"operations": 1.0})),
        ),
        with_log(
            "prefix-in-options",
            items(10, 10),
            "{\"op\":\"query\",\"query\":\"SELECT * FROM c WHERE c.a = 't1'\",\"pk\":{\"a\":\"t1\"}}\n",
            &["--key", "/a,/b"],
            None,
        ),
        // A level that the options name is no gap.
        with_log(
            "middle-level-filter",
            items(10, 10),
            "{\"op\":\"query\",\"query\":\"SELECT * FROM c WHERE c.b = 'u1'\",\"pk\":{\"a\":\"t1\"}}\n",
            &["--key", "/a,/b"],
            None,
        ),
        // A name is no moment.
        case(
            "missing-key",
            items(10, 10),
            &["--key", "{/a|day}"],
            Some(json!({"values": 10})),
        ),
        // One physical partition that will be more is no small container.
        case(
            "small-container",
            writes(1000),
            &[
                "--key",
                "/a",
                "--time",
                "/at",
                "--item-overhead",
                "0",
                "--horizon",
                "5y",
            ],
            None,
        ),
        // 1 KiB a second is 20 GB after 227 days.
        case(
            "growth-to-limit",
            writes(1000),
            GROWING,
            Some(json!({"days": 227, "over_limit": 1})),
        ),
        case(
            "growth-to-limit",
            writes(1000),
            &[
                "--key",
                "/a",
                "--time",
                "/at",
                "--item-overhead",
                "0",
                "--horizon",
                "226d",
            ],
            None,
        ),
        case(
            "sample-is-slice",
            slice(0.5),
            BY_A,
            Some(json!({"values": 40})),
        ),
        case("sample-is-slice", slice(1.0), BY_A, None),
        with_log(
            "transaction-broken",
            items(10, 10),
            pair("t2"),
            BY_A,
            Some(json!({"broken": 1.0})),
        ),
        with_log("transaction-broken", items(10, 10), pair("t1"), BY_A, None),
        // Rows that share a label are one transaction.
        with_log(
            "transaction-broken",
            items(10, 10),
            labelled(["t1", "t2"]),
            BY_A,
            Some(json!({"broken": 1.0, "transactions": 1.0})),
        ),
        with_log(
            "transaction-broken",
            items(10, 10),
            labelled(["t1", "t1"]),
            BY_A,
            None,
        ),
        with_log(
            "batch-too-large",
            items(10, 10),
            batch(101),
            BY_A,
            Some(json!({"batches": 1.0, "operations_max": 101})),
        ),
        with_log("batch-too-large", items(10, 10), batch(100), BY_A, None),
        with_log(
            "key-updated",
            items(10, 10),
            replace("t4"),
            BY_A,
            Some(json!({"operations": 1.0})),
        ),
        with_log("key-updated", items(10, 10), replace("t3"), BY_A, None),
        with_log(
            "replace-under-random-suffix",
            items(10, 10),
            replace("t3"),
            &["--key", "{/a}.{#5}"],
            Some(json!({"operations": 1.0})),
        ),
        with_log(
            "replace-under-random-suffix",
            items(10, 10),
            replace("t3"),
            &["--key", "{/a}.{/b%5}"],
            None,
        ),
        with_log(
            "log-data-mismatch",
            items(10, 10),
            "{\"op\":\"read\",\"id\":\"x\"}\n{\"op\":\"read\",\"id\":\"y\"}\n{\"op\":\"read\",\"id\":\"1\"}\n",
            BY_A,
            Some(json!({"ids": 3})),
        ),
        with_log(
            "log-data-mismatch",
            items(10, 10),
            "{\"op\":\"read\",\"id\":\"x\"}\n{\"op\":\"read\",\"id\":\"2\"}\n{\"op\":\"read\",\"id\":\"1\"}\n",
            BY_A,
            None,
        ),
    ]
}

/// Items with these ids.
fn numbered(ids: impl Iterator<Item = u64>) -> String {
    ids.fold(String::new(), |mut out, id| {
        writeln!(out, r#"{{"id":"o-{id:06}","a":"t{}"}}"#, id % 7).expect("memory");
        out
    })
}

/// One create each second.
fn creates(count: u64) -> String {
    (0..count).fold(String::new(), |mut out, n| {
        let (minutes, seconds) = (n / 60, n % 60);
        writeln!(out, r#"{{"ts":"2024-05-03T10:{minutes:02}:{seconds:02}Z","op":"create","item":{{"a":"d"}},"ru":6}}"#).expect("memory");
        out
    })
}

const HUNDREDTH: &[&str] = &["--key", "/a", "--sample-share", "0.01"];
const HALF: &[&str] = &["--key", "/a", "--sample-share", "0.5"];
const HUNDREDTH_AT: &[&str] = &["--key", "/a", "--sample-share", "0.01", "--time", "/at"];
const HALF_AT: &[&str] = &["--key", "/a", "--sample-share", "0.5", "--time", "/at"];

const GROWING_SLOWLY: &[&str] = &[
    "--key",
    "/a",
    "--sample-share",
    "0.01",
    "--time",
    "/at",
    "--growth",
    "500MB",
];
const GROWING_FAST: &[&str] = &[
    "--key",
    "/a",
    "--sample-share",
    "0.01",
    "--time",
    "/at",
    "--growth",
    "2GB",
];

/// Samples that are not random.
fn sample_cases() -> Vec<Case> {
    vec![
        case(
            "sample-in-sequence",
            numbered(500..700),
            HUNDREDTH,
            Some(json!({"first": 500, "last": 699, "density": 1.0})),
        ),
        // Every second is half of them, as the share says.
        case(
            "sample-in-sequence",
            numbered((500..900).step_by(2)),
            HALF,
            None,
        ),
        case("sample-in-sequence", numbered(500..700), BY_A, None),
        // Each number stands for two items: these are no numbers of items.
        case(
            "sample-in-sequence",
            numbered((0..400).step_by(2).chain((0..400).step_by(4))),
            HUNDREDTH,
            None,
        ),
        // 100 items a second in all, and the log creates one.
        with_log(
            "sample-of-one-period",
            writes(200),
            creates(100),
            HUNDREDTH_AT,
            Some(json!({"known_per_day": 86_400.0})),
        ),
        with_log(
            "sample-of-one-period",
            writes(200),
            creates(100),
            HALF_AT,
            None,
        ),
        // 100 items of 1,274 bytes a second are 11 GB a day.
        case(
            "sample-of-one-period",
            writes(200),
            GROWING_SLOWLY,
            Some(json!({"known_per_day": 5e8})),
        ),
        case("sample-of-one-period", writes(200), GROWING_FAST, None),
        with_log(
            "sample-of-one-value",
            items(100, 1),
            queries(100, 10, of_tenant(10), 3),
            BY_A,
            Some(json!({"value": "\"t0\"", "elsewhere_share": 0.9})),
        ),
        with_log(
            "sample-of-one-value",
            items(100, 1),
            queries(100, 10, of_tenant(1), 3),
            BY_A,
            None,
        ),
        // Of bodies and of the first level, too.
        with_log(
            "sample-of-one-value",
            items(100, 1),
            creates(100),
            &["--key", "/a,/b"],
            Some(json!({"elsewhere_share": 1.0})),
        ),
    ]
}

#[test]
fn each_check_fires_with_its_evidence_and_just_does_not_beside_it() {
    let cases: Vec<Case> = data_cases()
        .into_iter()
        .chain(log_cases())
        .chain(sample_cases())
        .collect();
    let mut fired: BTreeSet<(&str, bool)> = BTreeSet::new();
    for case in &cases {
        let findings = findings(case);
        match &case.evidence {
            None => assert!(findings.is_empty(), "{}: {findings:?}", case.code),
            Some(expected) => {
                assert_eq!(findings.len(), 1, "{}: {findings:?}", case.code);
                for (name, value) in expected.as_object().expect("facts") {
                    assert_eq!(
                        &findings[0]["evidence"][name], value,
                        "{}: {name}: {}",
                        case.code, findings[0]
                    );
                }
                for field in ["message", "remedy"] {
                    assert!(!findings[0][field].as_str().unwrap_or_default().is_empty());
                }
            }
        }
        fired.insert((case.code, case.evidence.is_some()));
    }
    let output = Command::new(cargo_bin!("pkadvisor"))
        .args(["list", "checks"])
        .output()
        .expect("the program");
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let code = line.split(' ').next().unwrap_or_default();
        // These are made by a policy, and tested with it.
        if ["policy-limit", "unused-ignore"].contains(&code) {
            continue;
        }
        for fires in [true, false] {
            assert!(
                fired.contains(&(code, fires)),
                "no case in which {code} {}",
                if fires { "fires" } else { "does not fire" }
            );
        }
    }
}
