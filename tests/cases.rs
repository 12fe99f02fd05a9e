//! Cases that people met with the service and its tools, one test a case or a group of them, each with
//! data of its own: what the whole program says of them.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Files to run the program on.
struct Case {
    folder: TempDir,
    arguments: Vec<String>,
}

impl Case {
    fn new(data: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("data"), data).expect("a file");
        Self {
            folder,
            arguments: Vec::new(),
        }
    }

    /// Items as JSON.
    fn of(items: &[Value]) -> Self {
        Self::new(&lines(items))
    }

    fn log(mut self, log: &str) -> Self {
        fs::write(self.folder.path().join("log"), log).expect("a file");
        self.arguments
            .extend(["--log".to_owned(), "log".to_owned()]);
        self
    }

    fn queries(self, queries: &[&str]) -> Self {
        let rows: Vec<Value> = queries
            .iter()
            .map(|query| json!({"op": "query", "query": query}))
            .collect();
        self.log(&lines(&rows))
    }

    fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments
            .extend(arguments.iter().map(|text| (*text).to_owned()));
        self
    }

    fn keys(self, keys: &[&str]) -> Self {
        keys.iter()
            .fold(self, |case, key| case.with(&["--key", key]))
    }

    fn output(&self) -> std::process::Output {
        cargo_bin_cmd!("pkadvisor")
            .current_dir(self.folder.path())
            .args(["analyze", "data", "--format", "json"])
            .args(&self.arguments)
            .output()
            .expect("the program")
    }

    fn report(&self) -> Value {
        let output = self.output();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        serde_json::from_slice(&output.stdout).expect("a report")
    }
}

fn lines(values: &[Value]) -> String {
    values.iter().fold(String::new(), |mut text, value| {
        let _ = writeln!(text, "{value}");
        text
    })
}

fn candidate<'a>(report: &'a Value, key: &str) -> &'a Value {
    let candidates = report["candidates"].as_array().expect("candidates");
    candidates.iter().find(|one| one["key"] == key).expect(key)
}

/// The operations of a candidate as single, targeted, fan-out, none, invalid and unknown.
fn routing(report: &Value, key: &str) -> [u64; 6] {
    let routing = &candidate(report, key)["routing"];
    [
        "single", "targeted", "fan_out", "none", "invalid", "unknown",
    ]
    .map(|class| routing[class].as_f64().expect("a number") as u64)
}

fn finding<'a>(report: &'a Value, key: &str, code: &str) -> Option<&'a Value> {
    let findings = candidate(report, key)["findings"].as_array();
    let mut findings = findings.expect("findings").iter();
    findings.find(|finding| finding["code"] == code)
}

fn distinct(report: &Value, key: &str) -> u64 {
    let count = &candidate(report, key)["cardinality"]["distinct"];
    count.as_u64().expect("a number")
}

/// The code of each problem of the data with its count.
fn problems(part: &Value) -> Vec<(&str, u64)> {
    let problems = part["problems"].as_array().expect("problems");
    problems
        .iter()
        .map(|one| {
            (
                one["reason"].as_str().expect("a reason"),
                one["count"].as_u64().expect("a number"),
            )
        })
        .collect()
}

#[test]
fn lists_and_alternatives_of_the_key_stay_on_its_values() {
    let items: Vec<Value> = ["rome", "oslo", "lima", "kyiv", "bonn"]
        .iter()
        .enumerate()
        .map(|(id, city)| json!({"id": id.to_string(), "city": city}))
        .collect();
    let report = Case::of(&items)
        .queries(&[
            "SELECT * FROM c WHERE c.city IN ('rome','oslo','lima')",
            "select * from t where t.city = 'kyiv' or t.city = 'bonn'",
        ])
        .keys(&["/city", "/id"])
        .with(&["--partitions", "10"])
        .report();
    assert_eq!(routing(&report, "/city"), [0, 2, 0, 0, 0, 0]);
    assert_eq!(routing(&report, "/id"), [0, 0, 2, 0, 0, 0]);
    let visited =
        |key: &str| candidate(&report, key)["routing"]["partitions_visited"]["max"].clone();
    assert!(visited("/city").as_f64().expect("a number") <= 3.0);
    assert_eq!(visited("/id"), 10);
}

#[test]
fn ranges_and_patterns_over_a_common_prefix_fan_out() {
    let report = Case::of(&[
        json!({"id": "1", "pk": "p7_001"}),
        json!({"id": "2", "pk": "p8_001"}),
    ])
    .queries(&[
        "SELECT * FROM c WHERE c.pk LIKE 'p7_%'",
        "SELECT * FROM c WHERE c.pk BETWEEN 'p7_001' AND 'p7_999'",
    ])
    .keys(&["/pk"])
    .with(&["--partitions", "20"])
    .report();
    assert_eq!(routing(&report, "/pk")[2], 2);
    let visited = &candidate(&report, "/pk")["routing"]["partitions_visited"];
    assert_eq!(
        (&visited["mean"], &visited["max"]),
        (&json!(20.0), &json!(20))
    );
}

#[test]
fn a_key_passed_in_options_counts_like_one_in_the_text() {
    let report = Case::of(&[json!({"id": "1", "deviceId": "A1", "type": 1})])
        .log(&lines(&[
            json!({"op": "query", "query": "SELECT * FROM d WHERE d.type = 1", "pk": {"deviceId": "A1"}}),
            json!({"op": "query", "query": "SELECT * FROM d WHERE d.type = 1"}),
        ]))
        .keys(&["/deviceId", "/type"])
        .with(&["--partitions", "5"])
        .report();
    assert_eq!(routing(&report, "/deviceId")[..3], [1, 0, 1]);
    assert_eq!(routing(&report, "/type")[..3], [2, 0, 0]);
}

#[test]
fn levels_of_a_hierarchy_count_from_the_first() {
    let report = Case::of(&[json!({"id": "1", "t": "a", "u": "u1", "s": "s1"})])
        .queries(&[
            "SELECT * FROM c WHERE c.t IN ('a','b') AND c.u = 'u1'",
            "SELECT * FROM c WHERE c.t = 'a' AND c.s = 's1'",
            "SELECT * FROM c WHERE c.t = 'a' AND c.u > 'u1'",
            "SELECT * FROM c WHERE 'u1' = c.u AND 'a' = c.t AND c.s = 's1'",
            "SELECT * FROM c WHERE c.t = 'a' OR c.u = 'u1'",
            "SELECT * FROM c WHERE c.u = 'u1'",
        ])
        .keys(&["/t,/u,/s", "/u"])
        .with(&["--partitions", "16"])
        .report();
    assert_eq!(routing(&report, "/t,/u,/s")[..3], [1, 3, 2]);
    assert_eq!(routing(&report, "/u")[..3], [3, 0, 3]);
    // A prefix that only options name routes like one in the text.
    let passed = Case::of(&[json!({"id": "1", "t": "a", "u": "u1", "s": "s1"})])
        .log(&lines(&[
            json!({"op": "query", "query": "SELECT * FROM c", "pk": {"t": "a", "u": "u1"}}),
            json!({"op": "query", "query": "SELECT * FROM c WHERE c.t = 'a' AND c.u = 'u1'"}),
        ]))
        .keys(&["/t,/u,/s"])
        .with(&["--partitions", "4"])
        .report();
    assert_eq!(routing(&passed, "/t,/u,/s")[..3], [0, 2, 0]);
    let relies = finding(&passed, "/t,/u,/s", "prefix-in-options").expect("a finding");
    assert_eq!(relies["evidence"]["operations"], 1.0);
}

#[test]
fn contradictions_and_constants_reach_nothing() {
    let report = Case::of(&[json!({"id": "1", "k": 1}), json!({"id": "2", "k": 2})])
        .queries(&[
            "SELECT * FROM c WHERE c.k = 1 AND c.k = 2",
            "SELECT * FROM c WHERE c.k IN (1,2,3) AND c.k = 4",
            "SELECT * FROM c WHERE (c.k = 1 AND c.k = 2) OR c.k = 3",
            "SELECT 5",
            "SELECT VALUE GetCurrentDateTime()",
            "SELECT * FROM c WHERE false",
            "SELECT * FROM c WHERE true",
        ])
        .keys(&["/k"])
        .with(&["--partitions", "5"])
        .report();
    assert_eq!(routing(&report, "/k"), [1, 0, 1, 5, 0, 0]);
}

#[test]
fn tests_of_types_and_the_bare_key_are_equalities() {
    let report = Case::of(&[json!({"id": "1", "k": null}), json!({"id": "2", "k": true})])
        .queries(&[
            "SELECT * FROM c WHERE IS_NULL(c.k)",
            "SELECT * FROM c WHERE IS_BOOL(c.k)",
            "SELECT * FROM c WHERE c.k",
            "SELECT * FROM c WHERE NOT c.k",
            "SELECT * FROM c WHERE IS_DEFINED(c.k)",
            "SELECT * FROM c WHERE c.k IS NULL",
        ])
        .keys(&["/k"])
        .with(&["--partitions", "5"])
        .report();
    assert_eq!(routing(&report, "/k"), [3, 1, 1, 0, 1, 0]);
}

#[test]
fn a_parameter_without_a_value_is_one_value_that_is_not_known() {
    let report = Case::of(&[json!({"id": "1", "d": "d1"}), json!({"id": "2", "d": "d2"})])
        .log("{\"op\":\"query\",\"query\":\"SELECT * FROM c WHERE c.d = @d\",\"count\":500}\n")
        .keys(&["/d"])
        .with(&["--partitions", "4"])
        .report();
    assert_eq!(routing(&report, "/d")[0], 500);
    // Where it goes is told by the data, and said to be an estimate.
    assert_eq!(candidate(&report, "/d")["routing"]["estimated"], 500.0);
}

#[test]
fn groups_functions_and_reserved_words() {
    let report = Case::of(&[json!({"id": "1", "Group": "API", "email": "A@x.io"})])
        .queries(&[
            "SELECT c.Group, COUNT(1) AS n FROM c WHERE c[\"Group\"] = 'k1' GROUP BY c.Group",
            "SELECT COUNT(1) AS n FROM c",
            "SELECT * FROM c WHERE c[\"Group\"] = \"API\"",
            "SELECT * FROM c WHERE LOWER(c.email) = 'a@x.io'",
            "SELECT * FROM c WHERE udf.norm(c.email) = 'a@x.io'",
            "SELECT * FROM c WHERE STRINGEQUALS(c.email,'a@x.io',true)",
            "SELECT * FROM c WHERE c.email = LOWER('A@X.IO')",
        ])
        .keys(&["/Group", "/email"])
        .with(&["--partitions", "6"])
        .report();
    let email = routing(&report, "/email");
    assert_eq!((email[0], email[2]), (1, 6 - email[4]));
    let group = routing(&report, "/Group");
    assert!(group[0] >= 1 && group[0] + group[4] == 2, "{group:?}");
}

#[test]
fn a_property_that_no_item_has() {
    let items: Vec<Value> = (0..6)
        .map(|id| json!({"id": id.to_string(), "kind": "a"}))
        .collect();
    let report = Case::of(&items)
        .log("{\"op\":\"create\",\"count\":600}\n")
        .keys(&["/_partitionKey", "/id"])
        .with(&["--partitions", "4"])
        .report();
    let lost = candidate(&report, "/_partitionKey");
    assert_eq!(distinct(&report, "/_partitionKey"), 1);
    assert_eq!(lost["cardinality"]["missing_items"], 6);
    assert_eq!(distinct(&report, "/id"), 6);
    let missing = finding(&report, "/_partitionKey", "missing-key").expect("a finding");
    assert_eq!(missing["severity"], "error");
    // An export that leaves such properties out is the usual reason.
    let words = missing.to_string();
    assert!(words.contains("IncludeMetadataFields"), "{words}");
}

#[test]
fn a_path_in_another_case_names_the_one_that_is_meant() {
    let report = Case::of(&[
        json!({"id": "1", "tenantId": "a"}),
        json!({"id": "2", "tenantId": "b"}),
    ])
    .keys(&["/TenantId"])
    .report();
    let missing = finding(&report, "/TenantId", "missing-key").expect("a finding");
    assert!(missing.to_string().contains("/tenantId"), "{missing}");
}

#[test]
fn a_sample_that_is_a_projection_is_told_by_the_filters_of_the_log() {
    let report = Case::of(&[json!({"id": "1", "meta": {"pk": "a"}, "x": 1})])
        .queries(&["SELECT * FROM c WHERE c.PartitionKey = 'a'"])
        .keys(&["/PartitionKey", "/meta/pk"])
        .report();
    assert_eq!(
        candidate(&report, "/PartitionKey")["cardinality"]["missing_items"],
        1
    );
    assert_eq!(routing(&report, "/meta/pk")[2], 1);
    let missing = finding(&report, "/PartitionKey", "missing-key").expect("a finding");
    assert!(missing.to_string().contains("projection"), "{missing}");
}

#[test]
fn integers_beyond_2_53_collapse_to_doubles() {
    let data = "{\"id\":\"1\",\"pk\":9007199254740992}\n{\"id\":\"2\",\"pk\":9007199254740993}\n\
                {\"id\":\"3\",\"pk\":1797796965460091904}\n{\"id\":\"4\",\"pk\":1797796965460091905}\n";
    let report = Case::new(data)
        .queries(&["SELECT * FROM c WHERE c.pk = 9007199254740993"])
        .keys(&["/pk"])
        .with(&["--partitions", "3"])
        .report();
    assert_eq!(distinct(&report, "/pk"), 2);
    assert_eq!(routing(&report, "/pk")[0], 1);
    let imprecise = finding(&report, "/pk", "number-precision").expect("a finding");
    assert_eq!(imprecise["evidence"]["items"], 4);
}

#[test]
fn zeros_extremes_and_what_is_no_number() {
    let data = "{\"id\":\"1\",\"pk\":0}\n{\"id\":\"2\",\"pk\":-0}\n{\"id\":\"3\",\"pk\":-0.0}\n\
                {\"id\":\"4\",\"pk\":5e-324}\n{\"id\":\"5\",\"pk\":1e400}\n{\"id\":\"6\",\"pk\":NaN}\n\
                {\"id\":\"7\",\"pk\":\"NaN\"}\n";
    let report = Case::new(data).keys(&["/pk"]).report();
    assert_eq!(report["dataset"]["items"], 5);
    assert_eq!(problems(&report["dataset"])[0], ("not-json", 2));
    // 0 and -0 hash differently and stay apart, and that is said.
    assert_eq!(distinct(&report, "/pk"), 4);
    let zeros = finding(&report, "/pk", "number-precision").expect("a finding");
    assert_eq!(zeros["evidence"]["negative_zero_items"], 2);
}

#[test]
fn nested_paths_with_and_without_the_slashes_at_their_ends() {
    let items = [
        json!({"id": "1", "address": {"zip": "10115"}}),
        json!({"id": "2", "address": {}}),
        json!({"id": "3", "address": null}),
        json!({"id": "4"}),
        json!({"id": "5", "address": "none"}),
    ];
    let queries = [
        "SELECT * FROM c WHERE c.address.zip = '10115'",
        "SELECT * FROM c WHERE c[\"address\"][\"zip\"] = '10115'",
    ];
    let report = Case::of(&items)
        .queries(&queries)
        .keys(&["/address/zip"])
        .report();
    assert_eq!(distinct(&report, "/address/zip"), 2);
    assert_eq!(
        candidate(&report, "/address/zip")["cardinality"]["missing_items"],
        4
    );
    assert_eq!(routing(&report, "/address/zip")[0], 2);
    for (key, hint) in [
        ("address/zip", "a path starts with it"),
        ("/address/zip/", "expected the name of a property"),
    ] {
        let output = Case::of(&items).keys(&[key]).output();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(hint));
    }
}

#[test]
fn version_1_compares_the_first_101_bytes_of_a_text() {
    let items: Vec<Value> = (0..10)
        .map(|n| json!({"id": n.to_string(), "url": format!("https://shop.example/{}/{n}", "p".repeat(90))}))
        .collect();
    let first = Case::of(&items)
        .keys(&["/url"])
        .with(&["--key-version", "1"])
        .report();
    assert_eq!(distinct(&first, "/url"), 1);
    assert!(finding(&first, "/url", "v1-prefix-collision").is_some());
    assert_eq!(
        distinct(&Case::of(&items).keys(&["/url"]).report(), "/url"),
        10
    );
}

#[test]
fn texts_that_look_alike_are_different_values() {
    let data = "{\"id\":\"1\",\"n\":\"Zo\\u00eb\"}\n{\"id\":\"2\",\"n\":\"Zoe\\u0308\"}\n\
                {\"id\":\"3\",\"n\":\"\\u4f60\\u597d\"}\n{\"id\":\"4\",\"n\":\"\\ud83d\\ude80\"}\n";
    let report = Case::new(data)
        .queries(&["SELECT * FROM c WHERE c.n = '你好'"])
        .keys(&["/n"])
        .report();
    assert_eq!(distinct(&report, "/n"), 4);
    assert_eq!(routing(&report, "/n")[0], 1);
    assert!(finding(&report, "/n", "near-duplicate-values").is_some());
}

#[test]
fn one_moment_in_several_spellings_is_several_values() {
    let days = [
        "2021-04-22T16:24:40.739451Z",
        "22/04/2021 16:24:40",
        "2021-04-22T16:24:40Z",
        "2021-04-22T16:24:40.0000000Z",
    ];
    let items: Vec<Value> = days
        .iter()
        .map(|day| json!({"id": day, "day": day}))
        .collect();
    let report = Case::of(&items).keys(&["/day"]).report();
    assert_eq!(distinct(&report, "/day"), 4);
    let near = finding(&report, "/day", "near-duplicate-values").expect("a finding");
    assert!(near.to_string().contains("date"), "{near}");
}

#[test]
fn what_is_over_20_gb_and_what_is_near_it() {
    // A sample of a fourhundredth; the largest tenant holds 35 %.
    let items: Vec<Value> = (0..1000)
        .map(|n| {
            let tenant = if n % 20 < 7 { "big".to_owned() } else { format!("t{}", n % 500) };
            json!({"id": n.to_string(), "tenant": tenant, "user": format!("u{n}"), "pad": "x".repeat(1650)})
        })
        .collect();
    let report = Case::of(&items)
        .keys(&["/tenant", "/tenant,/user", "/id"])
        .with(&["--total-items", "40000000"])
        .report();
    let over = |key: &str| candidate(&report, key)["logical_partitions"]["over_limit"].clone();
    assert_eq!(
        (over("/tenant"), over("/tenant,/user"), over("/id")),
        (json!(1), json!(0), json!(0))
    );
    let breach = finding(&report, "/tenant", "logical-partition-over-limit").expect("a finding");
    assert!(breach.to_string().contains("big"), "{breach}");
    // 20.5 GB is over the limit of today and 19.5 GB near it; 10 GB, the limit of old texts, is none.
    let devices = [("a", 12_000), ("b", 19_500), ("c", 20_500)]
        .into_iter()
        .flat_map(|(device, count)| {
            (0..count)
                .map(move |n| json!({"id": format!("{device}{n:05}"), "d": device, "pad": "x"}))
        });
    let items: Vec<Value> = devices.collect();
    let report = Case::of(&items)
        .keys(&["/d"])
        .with(&["--total-size", "52GB"])
        .report();
    let sizes = &candidate(&report, "/d")["logical_partitions"];
    assert_eq!(sizes["over_limit"], 1, "{sizes}");
    // Without the one that is over, the next is near the limit and the smallest is not.
    let near = |device: &str| {
        let kept: Vec<Value> = items
            .iter()
            .filter(|item| item["d"].as_str() <= Some(device))
            .cloned()
            .collect();
        let size = format!("{}MB", kept.len());
        let report = Case::of(&kept)
            .keys(&["/d"])
            .with(&["--total-size", &size])
            .report();
        let found = finding(&report, "/d", "logical-partition-over-limit");
        found.map(|one| one["severity"].clone())
    };
    assert_eq!((near("b"), near("a")), (Some(json!("warning")), None));
}

#[test]
fn a_date_is_even_in_total_and_hot_at_every_instant() {
    let mut log = String::new();
    let mut items = Vec::new();
    for n in 0..3000 {
        let (day, device) = (n / 100 + 1, (n * 7) % 300);
        let item = json!({"id": n.to_string(), "day": format!("2024-06-{day:02}"), "device": format!("d{device}")});
        let at = format!("2024-06-{day:02}T10:00:{:02}Z", n % 100 / 20);
        let _ = writeln!(
            log,
            "{}",
            json!({"ts": at, "op": "create", "item": item, "ru": 6})
        );
        items.push(item);
    }
    let report = Case::of(&items)
        .log(&log)
        .keys(&["/day", "/device"])
        .with(&["--partitions", "10"])
        .report();
    assert_eq!(distinct(&report, "/day"), 30);
    let top = &candidate(&report, "/day")["logical_partitions"]["top"][0]["share"];
    assert!((top.as_f64().expect("a share") - 1.0 / 30.0).abs() < 0.002);
    assert!(finding(&report, "/day", "low-cardinality").is_some());
    assert!(finding(&report, "/device", "low-cardinality").is_none());
}

#[test]
fn many_values_do_not_help_queries_that_ask_for_another_property() {
    let items: Vec<Value> = (0..9)
        .map(|n| json!({"id": format!("o{n}"), "customer": format!("c{}", n % 3), "status": "new"}))
        .collect();
    let report = Case::of(&items)
        .log(&lines(&[
            json!({"op": "read", "id": "o1", "count": 100}),
            json!({"op": "query", "query": "SELECT * FROM c WHERE c.customer = 'c1'", "count": 900}),
        ]))
        .keys(&["/id", "/customer", "/status"])
        .with(&["--partitions", "8", "--always", "/customer", "--always", "/status"])
        .report();
    assert_eq!(routing(&report, "/id")[..3], [100, 0, 900]);
    assert_eq!(routing(&report, "/customer")[..3], [1000, 0, 0]);
    assert_eq!(routing(&report, "/status")[..3], [100, 0, 900]);
    assert_eq!(distinct(&report, "/status"), 1);
}

#[test]
fn a_key_that_changes_is_a_delete_and_a_create() {
    let item = |status: &str| json!({"id": "1", "status": status, "customer": "a"});
    let report = Case::of(&[item("open")])
        .log(&lines(&[
            json!({"op": "upsert", "id": "1", "item": item("open")}),
            json!({"op": "upsert", "id": "1", "item": item("closed")}),
        ]))
        .keys(&["/status", "/customer"])
        .report();
    assert!(finding(&report, "/status", "key-updated").is_some());
    assert!(finding(&report, "/customer", "key-updated").is_none());
}

#[test]
fn a_suffix_that_can_be_computed_is_ten_values_and_a_stored_one_none() {
    let report = Case::of(&[
        json!({"id": "1", "device": "d1", "sfx": "d1-3"}),
        json!({"id": "2", "device": "d1", "sfx": "d1-7"}),
    ])
    .queries(&["SELECT * FROM c WHERE c.device = 'd1'"])
    .keys(&["/sfx", "{/device}-{#10}", "/device"])
    .with(&["--partitions", "50"])
    .report();
    assert_eq!(routing(&report, "/sfx")[..3], [0, 0, 1]);
    assert_eq!(routing(&report, "{/device}-{#10}")[..3], [0, 1, 0]);
    assert_eq!(routing(&report, "/device")[..3], [1, 0, 0]);
}

#[test]
fn a_recorded_charge_loses_what_the_fan_out_of_today_added() {
    let report = Case::of(&[json!({"id": "1", "customer": "c1", "label": "x"})])
        .log("{\"op\":\"query\",\"query\":\"SELECT COUNT(1) FROM a WHERE a.customer = 'c1'\",\"ru\":73.2}\n")
        .keys(&["/customer", "/customer,/label"])
        .with(&["--partitions", "3"])
        .report();
    // Without the key of today nothing is known of the fan-out, and that is said.
    assert_eq!(report["log"]["charges"]["recorded_with_fan_out"], 1.0);
}

#[test]
fn requests_are_joined_with_the_data_by_the_id_in_their_address() {
    let log = [
        json!({"time": "2026-04-02T16:38:38.1234567Z", "category": "DataPlaneRequests", "operationName": "Read",
            "properties": {"activityId": "a1", "statusCode": "404", "requestCharge": "2.000000", "databaseName": "db",
                "collectionName": "orders", "requestResourceId": "/dbs/db/colls/orders/docs/o-17"}}),
        json!({"time": "2026-04-02T16:38:38Z", "activityId": "a1", "category": "PartitionKeyRUConsumption",
            "properties": {"databaseName": "db", "collectionName": "orders", "partitionKeyRangeId": "1",
                "requestCharge": "2.000000", "partitionKey": "[\"cust_9\"]"}}),
    ];
    let report = Case::of(&[json!({"id": "o-17", "customer": "cust_9", "region": "eu"})])
        .log(&lines(&log))
        .keys(&["/region"])
        .with(&["--current-key", "/customer", "--always", "/region"])
        .report();
    assert_eq!(report["log"]["weight"], 1.0);
    assert_eq!(report["log"]["charge"], 2.0);
    assert_eq!(report["log"]["ids"]["in_dataset"], 1);
    assert_eq!(routing(&report, "/region")[0], 1);
}

#[test]
fn tables_that_lie_and_arrays_in_a_row() {
    let report =
        Case::new("sep=,\n\"id\";\"/pk\";\"amount\"\n\"1\";\"a;b\";\"5\"\n\"2\";\"\";\"\"\n")
            .keys(&["/pk"])
            .report();
    assert_eq!(report["dataset"]["items"], 2);
    assert_eq!(
        candidate(&report, "/pk")["logical_partitions"]["top"]
            .as_array()
            .expect("values")
            .len(),
        2
    );
    assert_eq!(candidate(&report, "/pk")["cardinality"]["missing_items"], 1);
    let report = Case::new("[{\"id\":\"1\",\"pk\":\"a\"}][{\"id\":\"2\",\"pk\":\"b\"}]")
        .keys(&["/pk"])
        .report();
    assert_eq!(report["dataset"]["items"], 2);
    let report = Case::new("id,pk\n1,a\n2,b,extra\n3\n")
        .keys(&["/pk"])
        .report();
    assert_eq!(report["dataset"]["items"], 1);
    let ragged = &report["dataset"]["problems"][0];
    assert_eq!(
        (&ragged["reason"], &ragged["count"]),
        (&json!("ragged-row"), &json!(2))
    );
    assert_eq!(
        (&ragged["places"][0]["line"], &ragged["places"][1]["line"]),
        (&json!(3), &json!(4))
    );
}

#[test]
fn both_forms_of_extended_json_in_one_file() {
    let report = Case::of(&[
        json!({"_id": {"$oid": "5f1d7f3e9d1e8a0001a1b2c3"}, "n": {"$numberLong": "9007199254740993"}}),
        json!({"_id": {"$oid": "5f1d7f3e9d1e8a0001a1b2c4"}, "n": 7, "d": {"$date": "2021-04-22T16:24:40.739Z"}}),
    ])
    .keys(&["/n", "/_id"])
    .report();
    assert_eq!((distinct(&report, "/n"), distinct(&report, "/_id")), (2, 2));
    assert_eq!(candidate(&report, "/n")["cardinality"]["missing_items"], 0);
}
