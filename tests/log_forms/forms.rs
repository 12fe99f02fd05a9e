//! What is understood of each form.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pkadvisor::ingest::LogOptions;
use pkadvisor::ingest::log::{ALL, format_named};

use super::{operations, problems, read, read_parts, read_text, try_read};

#[test]
fn the_native_log_as_lines() {
    let read = read("native.jsonl");
    assert_eq!(read.formats, ["native-jsonl"]);
    assert_eq!(
        operations(&read),
        [
            "batch, 12000000 uRU",
            "create, 6100000 uRU, 812 B",
            "query, /lines/sku in \"A\"|\"B\", 31400000 uRU",
            "query, /tenantId in \"acme\", 2900000 uRU, x25",
            "query, key \"acme\", 3300000 uRU",
            "read, id o-1, key \"acme\", 1000000 uRU",
            "readmany, 2000000 uRU"
        ]
    );
    assert_eq!(read.log.current_key, Some(vec!["/tenantId".to_owned()]));
    // The create that was refused is nowhere carried out.
    assert_eq!(
        (
            read.log.throttled_weight,
            read.log.unmet_weight,
            read.log.throttled_charge
        ),
        (1_000_000, 1_000_000, 400_000)
    );
    assert_eq!(read.containers[0].name(), "orders");
    assert_eq!(problems(&read), []);
}

#[test]
fn the_native_log_as_a_table() {
    let read = read("native.csv");
    assert_eq!(read.formats, ["native-csv"]);
    assert_eq!(
        operations(&read),
        [
            "query, /amount in 10, 31400000 uRU",
            "query, /tenantId in \"acme\", 2900000 uRU",
            "query, /tenantId in \"acme\", 2900000 uRU, x25",
            "read, id o-1, key \"acme\", 1000000 uRU"
        ]
    );
    assert_eq!(problems(&read), []);
}

#[test]
fn categories_of_a_blob_are_joined_to_operations() {
    let read = read("blob_PT1H.json");
    assert_eq!(read.formats, ["azure-records"]);
    assert_eq!(
        operations(&read),
        [
            "query, /tenantId in \"acme\", 2900000 uRU, 1 ranges, 900 B",
            "query, Unknown, 1 ranges",
            "read, id o-1, key \"acme\", 1000000 uRU, 1 ranges, 372 B"
        ]
    );
    assert_eq!(
        read.log.span(),
        Some((1_714_730_400_000_000, 1_714_730_402_000_000))
    );
    assert_eq!(read.key_sizes[0].bytes, 2_048_270 * 1024);
    assert_eq!(read.key_sizes[0].key.to_string(), "[\"acme\"]");
    assert_eq!(problems(&read), [("cut-off", 1), ("hidden-values", 1)]);
    assert_eq!(read.rows, 6);
    let explained = &read.explained[0];
    assert_eq!(
        explained.rows,
        [
            ("DataPlaneRequests", 2),
            ("QueryRuntimeStatistics", 2),
            ("PartitionKeyRUConsumption", 1),
            ("PartitionKeyStatistics", 1)
        ]
    );
    assert!(
        explained
            .columns
            .contains(&("requestcharge", "requestCharge".to_owned()))
    );
    assert_eq!(
        explained.first[0],
        "2024-05-03T10:00:00Z read by id, id o-1, key [\"acme\"], 1 RU, 1 physical partitions"
    );
}

#[test]
fn a_blob_of_old_with_requests_on_a_database_holds_no_access() {
    let read = read("blob_old_records.json");
    assert_eq!(read.formats, ["azure-records"]);
    assert_eq!(operations(&read), [""; 0]);
    assert_eq!(problems(&read), [("metadata-request", 1)]);
}

#[test]
fn records_of_an_event_hub() {
    let read = read("eventhub.json");
    assert_eq!(read.formats, ["azure-records"]);
    assert_eq!(
        operations(&read),
        [
            "query, /tenantId in \"acme\", 2900000 uRU, 1 ranges, 900 B",
            "query, Unknown, 1 ranges",
            "read, id o-1, 1000000 uRU, 1 ranges, 372 B"
        ]
    );
    assert_eq!(problems(&read), [("hidden-values", 1)]);
}

#[test]
fn the_legacy_table_with_its_suffixes() {
    let read = read("azurediagnostics.csv");
    assert_eq!(read.formats, ["log-analytics-csv"]);
    assert_eq!(operations(&read), ["query, 2900000 uRU"]);
    assert_eq!(read.log.shapes[0].name, "SELECT * FROM c");
    assert_eq!(read.containers[0].name(), "shop/orders");
    assert_eq!(problems(&read), [("unjoined-charge", 1)]);
}

#[test]
fn a_table_that_a_portal_exported() {
    let read = read("loganalytics_portal.csv");
    assert_eq!(read.formats, ["log-analytics-csv"]);
    assert_eq!(
        operations(&read),
        [
            "query, key \"a,b\", /tenantId in \"acme\", 2900000 uRU, 1 ranges",
            "read, key \"acme\", 1000000 uRU, 1 ranges"
        ]
    );
    assert_eq!(
        read.log.span(),
        Some((1_714_730_400_123_000, 1_714_739_400_000_000))
    );
    assert_eq!(problems(&read), []);
}

#[test]
fn results_of_the_query_interface_and_of_the_command_line() {
    for (name, format) in [
        ("la_api.json", "log-analytics-json"),
        ("azcli.json", "azure-cli"),
    ] {
        let read = read(name);
        assert_eq!(read.formats, [format]);
        assert_eq!(
            operations(&read),
            ["query, 2900000 uRU", "read, key \"acme\", 1000000 uRU"]
        );
        assert_eq!(
            read.log.span(),
            Some((1_714_730_400_123_456, 1_714_730_401_000_000))
        );
        assert_eq!(problems(&read), [], "{name}");
    }
}

#[test]
fn sums_over_minutes_are_a_mix_of_operations_without_ids() {
    let read = read("cdb_5m.csv");
    assert_eq!(
        operations(&read),
        ["create, 6000000 uRU, x10", "read, 1000000 uRU, x5000"]
    );
    assert_eq!(problems(&read), [("aggregated-row", 2)]);
}

#[test]
fn commands_of_ef_core() {
    let read = read("efcore.log");
    assert_eq!(read.formats, ["ef-core"]);
    assert_eq!(
        operations(&read),
        [
            "query, /tenantId in \"acme\", /n in 7, 2790000 uRU",
            "query, key \"acme\",\"eu\",7, /Discriminator in \"Order\", 3100000 uRU",
            "read, id o-1, key \"acme\", 1000000 uRU",
        ]
    );
    assert_eq!(problems(&read), [("guessed-type", 1), ("perhaps-cut", 1)]);
    assert_eq!(read.containers[0].name(), "Orders");
    let times: Vec<_> = read.log.events.iter().map(|event| event.time).collect();
    assert_eq!(times[0], Some(1_714_730_400_123_000));
    // Values that are not logged are missed, not invented.
    let masked = read_text(
        "info: x\n      Executed ReadNext (1 ms, 2 RU) ActivityId='a', Container='O', Partition='?', Parameters=[@t=?]\n      SELECT VALUE c FROM root c WHERE c[\"t\"] = @t\ninfo: y\n",
    );
    assert_eq!(operations(&masked), ["query, 2000000 uRU"]);
    assert_eq!(problems(&masked), [("hidden-values", 1)]);
}

#[test]
fn spans_of_opentelemetry() {
    let read = read("otel_spans.jsonl");
    assert_eq!(read.formats, ["opentelemetry"]);
    assert_eq!(operations(&read), ["query, 2900000 uRU"]);
    assert_eq!(
        read.log.shapes[0].name,
        "SELECT * FROM c WHERE c.tenantId = ?"
    );
    assert_eq!(read.containers[0].name(), "shop/orders");
    // As a collector writes them, with pairs for attributes; pages of one query, a call of another
    // system, and one that reads no items.
    let span = |attributes: &str| {
        let pairs: Vec<String> = attributes
            .split(' ')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| {
                let value = if name.ends_with("text") {
                    value.replace('_', " ")
                } else {
                    value.to_owned()
                };
                format!("{{\"key\":\"{name}\",\"value\":{{\"stringValue\":\"{value}\"}}}}")
            })
            .collect();
        format!(
            "{{\"name\":\"s\",\"startTimeUnixNano\":\"1714730400123000000\",\"attributes\":[{}]}}",
            pairs.join(",")
        )
    };
    let query = span(
        "db.system=cosmosdb db.operation=query_items db.query.text=SELECT_*_FROM_c_WHERE_c.t=@t db.query.parameter.@t=5 db.cosmosdb.request_charge=3 db.cosmosdb.correlated_activity_id=q",
    );
    let read = read_text(&format!(
        "{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{query},{query},{},{},{}]}}]}}]}}",
        span("db.system=cosmosdb db.operation=ReadItemAsync db.cosmosdb.status_code=200"),
        span("db.system=postgresql db.operation=SELECT"),
        span("db.system=cosmosdb db.operation=create_container_if_not_exists"),
    ));
    assert_eq!(operations(&read), ["query, /t in 5, 6000000 uRU", "read"]);
    assert_eq!(
        problems(&read),
        [
            ("metadata-request", 1),
            ("not-an-access", 1),
            ("guessed-type", 2)
        ]
    );
    assert_eq!(read.log.events.time(0), Some(1_714_730_400_123_000));
}

#[test]
fn diagnostics_of_the_sdks_are_refused_by_name() {
    for (name, form) in [
        ("dotnet_diagnostics.json", ".NET SDK"),
        ("java_diagnostics.json", "Java SDK"),
    ] {
        let error = try_read(&[name]).expect_err("a refusal");
        assert!(error.to_string().contains(form), "{error}");
        assert!(error.hint().contains("full-text query"), "{error}");
    }
}

#[test]
fn account_changes_other_interfaces_and_avro_are_refused_by_name() {
    let refusal = |bytes: &[u8]| {
        let error = read_parts(&[bytes], &LogOptions::default()).expect_err("a refusal");
        error.to_string()
    };
    let changes = r#"{"time":"2024-05-03T10:00:00Z","category":"ControlPlaneRequests","operationName":"Update","properties":{"activityId":"a"}}"#;
    assert!(refusal(changes.as_bytes()).contains("account changes"));
    let table = "TimeGenerated,OperationName,HttpStatusCode,ActivityId,ApiKind\n2024-05-03T10:00:00Z,Update,200,a,Sql\n";
    assert!(refusal(table.as_bytes()).contains("account changes"));
    let mongo = r#"{"time":"2024-05-03T10:00:00Z","category":"MongoRequests","operationName":"ping","properties":{"activityId":"a"}}"#;
    assert!(refusal(mongo.as_bytes()).contains("another interface"));
    assert!(refusal(b"Obj\x01\x04\x16").contains("Avro"));
    // Among requests they are named, and left out.
    let request = r#"{"time":"2024-05-03T10:00:00Z","category":"DataPlaneRequests","operationName":"Read","properties":{"statusCode":"200"}}"#;
    let read = read_text(&format!("{changes}\n{request}\n"));
    assert_eq!(
        (operations(&read).len(), problems(&read)),
        (1, vec![("not-an-access", 1)])
    );
}

#[test]
fn all_forms_may_stand_side_by_side() {
    let names = [
        "native.jsonl",
        "native.csv",
        "blob_PT1H.json",
        "eventhub.json",
        "azurediagnostics.csv",
        "cdb_5m.csv",
    ];
    let read = try_read(&names).expect("a log");
    assert_eq!(read.explained.len(), names.len());
    // The blob and the event hub tell of the same activities.
    assert_eq!(read.log.events.len(), 7 + 4 + 3 + 1 + 2);
    let several = problems(&read)
        .iter()
        .any(|(code, _)| *code == "several-containers");
    assert!(several);
    let explained = read.explained[2].to_string();
    assert!(
        explained.contains("rows of DataPlaneRequests: 2\n"),
        "{explained}"
    );
}

#[test]
fn a_file_can_be_read_in_the_form_that_a_user_names() {
    let options = LogOptions {
        format: format_named("log-analytics-csv"),
        ..LogOptions::default()
    };
    let read = read_parts(&[b"op,RequestCharge\nRead,1\n"], &options).expect("a log");
    assert_eq!(read.formats, ["log-analytics-csv"]);
    assert!(format_named("no-such-form").is_none());
}

#[test]
fn forms_have_names_of_their_own_and_each_file_of_the_folder_is_registered() {
    let names: BTreeSet<_> = ALL.iter().map(|format| format.name()).collect();
    assert_eq!(names.len(), ALL.len());
    for format in ALL {
        assert!(!format.summary().contains('\n') && format.summary().len() < 90);
        assert!(format_named(format.name()).is_some());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ingest/log");
    let registry = fs::read_to_string(folder.join("mod.rs")).expect("the registry");
    let mut found = 0;
    for entry in fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).unwrap_or_default();
        for implemented in text.split("impl LogFormat for ").skip(1) {
            let name: String = implemented
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let module = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .expect("a name");
            assert!(
                registry.contains(&format!("&{module}::{name},")),
                "{name} is not registered"
            );
            found += 1;
        }
    }
    assert_eq!(found, ALL.len());
}
