//! Every way to write a report: golden files over both samples, and what must hold for all.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin_cmd;
use pkadvisor::report::format;
use serde_json::Value;

/// Set this to write the golden files anew.
const WRITE: &str = "PKADVISOR_WRITE_GOLDEN";

const TENANTS: &[&str] = &[
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
    "/tenantId,/userId",
    "--key",
    "{/tenantId}-{/userId}",
];

const TELEMETRY: &[&str] = &[
    "samples/telemetry.jsonl",
    "--log",
    "samples/telemetry-log.jsonl",
    "--key",
    "/date",
    "--key",
    "{/date}.{#40}",
    "--key",
    "{/date}.{/vin%40}",
];

fn analyze(arguments: &[&str], format: &str) -> String {
    let output = cargo_bin_cmd!("pkadvisor")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("analyze")
        .args(arguments)
        .args(["--format", format])
        .output()
        .expect("the program");
    // A format never changes the code.
    assert_eq!(output.status.code(), Some(0), "{format}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

fn assert_golden(name: &str, text: &str) {
    let path = golden(name);
    if std::env::var_os(WRITE).is_some() {
        fs::write(&path, text).expect("a golden file");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{name} differs: run the tests with {WRITE}=1 and look at the change"
    );
}

#[test]
fn every_format_over_both_samples() {
    for (sample, arguments) in [("tenants", TENANTS), ("telemetry", TELEMETRY)] {
        for format in format::ALL {
            let text = analyze(arguments, format.name());
            assert_golden(&format!("{sample}.{}", format.name()), &text);
        }
    }
}

#[test]
fn the_pictures_of_the_readme_are_what_the_program_draws() {
    for (sample, arguments) in [("tenants", TENANTS), ("telemetry", TELEMETRY)] {
        let drawn = analyze(arguments, "svg");
        assert_golden(&format!("../../samples/{sample}.svg"), &drawn);
    }
}

#[test]
fn a_saved_report_is_written_as_the_run_would_write_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("report.json");
    fs::write(&saved, analyze(TENANTS, "json")).expect("a file");
    for format in format::ALL {
        let output = cargo_bin_cmd!("pkadvisor")
            .arg("render")
            .arg(&saved)
            .args(["--format", format.name()])
            .output()
            .expect("the program");
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(text, analyze(TENANTS, format.name()), "{}", format.name());
    }
}

/// A text as it comes out of each format, without what only that format writes.
fn letters(text: &str) -> String {
    let text = text
        .replace("&quot;", "")
        .replace("&gt;", ">")
        .replace("&lt;", "<")
        .replace("&amp;", "&");
    text.chars()
        .filter(|c| c.is_alphanumeric() || *c == '%')
        .collect::<String>()
        .replace("%25", "%")
}

#[test]
fn findings_are_the_same_in_every_format_that_carries_them() {
    for arguments in [TENANTS, TELEMETRY] {
        let report: Value = serde_json::from_str(&analyze(arguments, "json")).expect("JSON");
        for format in [
            "terminal", "jsonl", "markdown", "html", "junit", "sarif", "github",
        ] {
            let text = letters(&analyze(arguments, format));
            for candidate in report["candidates"].as_array().expect("candidates") {
                for finding in candidate["findings"].as_array().expect("findings") {
                    let message = finding["message"].as_str().expect("a message");
                    // Long texts of queries are cut in tables.
                    let start: String = letters(message).chars().take(60).collect();
                    assert!(text.contains(&start), "{format} lacks {message}");
                    let code = letters(finding["code"].as_str().expect("a code"));
                    assert!(text.contains(&code), "{format} lacks {code}");
                }
            }
        }
    }
}

#[test]
fn tables_and_documents_hold_equal_numbers() {
    let report: Value = serde_json::from_str(&analyze(TELEMETRY, "json")).expect("JSON");
    let rows = |format: &str| -> Vec<Value> {
        let text = analyze(TELEMETRY, format);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let header = reader.headers().expect("a header").clone();
        let records = reader.records().map(|record| {
            let record = record.expect("a row");
            let cells = header.iter().zip(&record).map(|(name, cell)| {
                let value = serde_json::from_str(cell).unwrap_or_else(|_| cell.into());
                (
                    name.to_owned(),
                    if cell.is_empty() { Value::Null } else { value },
                )
            });
            Value::Object(cells.collect())
        });
        records.collect()
    };
    let candidates = report["candidates"].as_array().expect("candidates");
    for (row, one) in rows("csv").iter().zip(candidates) {
        assert_eq!(row["key"], one["key"]);
        assert_eq!(row["distinct"], one["cardinality"]["distinct"]);
        assert_eq!(row["required"], one["throughput"]["required"]);
        assert_eq!(
            row["hottest_share"].as_f64(),
            one["throughput"]["hottest_share"].as_f64()
        );
        assert_eq!(row["cost"].as_f64(), one["cost"]["total"].as_f64());
        assert_eq!(row["single"].as_f64(), one["routing"]["single"].as_f64());
    }
    let charge =
        |rows: &[Value]| -> f64 { rows.iter().filter_map(|row| row["charge"].as_f64()).sum() };
    let of_report: f64 = candidates
        .iter()
        .flat_map(|one| one["physical_partitions"].as_array().expect("partitions"))
        .filter_map(|one| one["charge"].as_f64())
        .sum();
    assert!((charge(&rows("csv-partitions")) - of_report).abs() < 1e-6);
    assert_eq!(rows("csv-shapes").len(), candidates.len() * 2);
    for (line, one) in analyze(TELEMETRY, "jsonl").lines().zip(candidates) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["throughput"], one["throughput"]);
    }
}

#[test]
fn reports_are_of_the_schema_that_the_program_prints() {
    let output = cargo_bin_cmd!("pkadvisor")
        .arg("schema")
        .output()
        .expect("the program");
    let schema: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for arguments in [TENANTS, TELEMETRY, &["samples/tenants.jsonl"]] {
        let mut report: Value = serde_json::from_str(&analyze(arguments, "json")).expect("JSON");
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new());
        report["candidates"][0]["rank"] = "first".into();
        assert!(!validator.is_valid(&report));
    }
}

#[test]
fn the_scenario_at_the_horizon_is_shown_where_it_is_another() {
    let growing = ["--time", "/ts", "--total-size", "100GB", "--horizon"];
    for format in ["terminal", "markdown", "html"] {
        let at = |horizon| analyze(&[TELEMETRY, &growing, &[horizon]].concat(), format);
        let shown = |page: &str| {
            let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
            words.contains("in the container and the load of today")
        };
        assert!(shown(&at("3y")), "{format}");
        // In a day the same physical partitions serve the same load.
        assert!(!shown(&at("1d")), "{format}");
    }
}

#[test]
fn the_page_needs_nothing_from_outside_and_hostile_text_stays_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let name = "<img src=http://x onerror=alert(1)>";
    let item = serde_json::json!({"id": "1", name: "</script><b>\u{1b}[31m\u{202e}"});
    fs::write(&data, format!("{item}\n")).expect("a file");
    let path = data.display().to_string();
    let key = format!("/\"{name}\"");
    for format in format::ALL {
        let text = analyze(&[&path, "--key", &key], format.name());
        assert!(
            !text.contains('\u{202e}')
                || format.name().contains("json")
                || format.name().contains("csv")
        );
        assert!(!text.contains('\u{1b}'), "{}", format.name());
        if format.name() == "html" {
            assert!(
                !text.contains("<img") && !text.contains("</script>"),
                "{text}"
            );
            for outside in ["src=\"http", "href=\"http", "url(", "@import", "<script"] {
                assert!(!text.contains(outside), "{outside}");
            }
        }
    }
}

#[test]
fn a_redacted_report_holds_no_value_of_the_data_in_any_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut data, mut log) = (String::new(), String::new());
    for n in 0..60 {
        let tenant = ["secret-a", "Secret-a", "secret-b"][n % 3];
        let _ = writeln!(
            data,
            "{{\"id\":\"secret{n}\",\"t\":\"{tenant}\",\"n\":{}}}",
            7_654_321 + n % 2
        );
        let _ = writeln!(
            log,
            "{{\"op\":\"query\",\"query\":\"SELECT * FROM c WHERE c.t = 'secret-a' AND c.n IN (7654321)\",\"ts\":{n}}}"
        );
        log.push_str(
            "{\"op\":\"query\",\"query\":\"SELECT * FROM c WHERE c.t IS 'secret-b'\",\"ts\":1}\n",
        );
    }
    data.push_str("{\"id\":\"secret\", broken secret}\n");
    let (data_path, log_path) = (folder.path().join("data"), folder.path().join("log"));
    fs::write(&data_path, data).expect("a file");
    fs::write(&log_path, log).expect("a file");
    let (data_path, log_path) = (
        data_path.display().to_string(),
        log_path.display().to_string(),
    );
    for format in format::ALL {
        let arguments = [
            &data_path,
            "--log",
            &log_path,
            "--key",
            "/t",
            "--key",
            "/n",
            "--key",
            "{/t}-{/n}",
            "--redact",
        ];
        let text = analyze(&arguments, format.name());
        let shown = text.to_lowercase();
        assert!(!shown.contains("secret"), "{}: {text}", format.name());
        assert!(
            !shown.contains("7654321") && !shown.contains("7,654,321"),
            "{}",
            format.name()
        );
    }
}
