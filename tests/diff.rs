//! Two reports side by side.

use std::fs;
use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;

fn analyze(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let output = cargo_bin_cmd!("pkadvisor")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["analyze", "samples/tenants.jsonl", "--format", "json"])
        .args(arguments)
        .output()
        .expect("the program");
    let path = folder.join(name);
    fs::write(&path, output.stdout).expect("a file");
    path.display().to_string()
}

fn diff(arguments: &[&str]) -> (Option<i32>, String) {
    let output = cargo_bin_cmd!("pkadvisor")
        .arg("diff")
        .args(arguments)
        .output()
        .expect("the program");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn equal_inputs_give_no_change_and_worse_ones_fail_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = ["--log", "samples/tenants-log.csv", "--throughput", "30000"];
    let keys = ["--key", "/tenantId", "--key", "{/tenantId}-{/userId}"];
    let old = analyze(folder.path(), "old", &[&log[..], &keys].concat());
    let again = analyze(folder.path(), "again", &[&log[..], &keys].concat());
    let (code, text) = diff(&[&old, &again, "--fail-on", "worse"]);
    assert_eq!(
        (code, text.as_str()),
        (Some(0), "nothing changed beyond noise\n")
    );
    assert_eq!(diff(&[&old, &again, "--format", "json"]).1.trim(), "[]");

    let size = ["--total-size", "60GB", "--key", "/userId"];
    let new = analyze(folder.path(), "new", &[&log[..], &keys, &size].concat());
    let (code, text) = diff(&[&old, &new, "--fail-on", "worse"]);
    assert_eq!(code, Some(1));
    for line in [
        "worse   /tenantId verdict: ",
        "worse   /tenantId logical-partition-over-limit: none -> error: ",
        "changed total-size: null -> 60000000000",
        "changed /userId candidate: not there -> compared",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // The other way round the same is better.
    let (code, text) = diff(&[&new, &old]);
    assert_eq!(code, Some(0));
    assert!(
        text.contains("better  /tenantId verdict: rejected -> "),
        "{text}"
    );
    let (_, table) = diff(&[&old, &new, "--format", "markdown"]);
    assert!(
        table.contains("| worse | `/tenantId` | verdict |"),
        "{table}"
    );
    let (_, json) = diff(&[&old, &new, "--format", "json"]);
    let changes: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    assert_eq!(changes[0]["direction"], "worse");
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad");
    for text in [
        "",
        "{}",
        "{\"schema\":\"pkadvisor/report/v9\"}",
        "{\"schema\":\"pkadvisor/report/v1\"}",
    ] {
        fs::write(&bad, text).expect("a file");
        let path = bad.display().to_string();
        assert_eq!(diff(&[&path, &path]).0, Some(3), "{text}");
    }
    assert_eq!(diff(&["-", "-"]).0, Some(2));
}
