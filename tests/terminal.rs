//! The report on terminals of several widths, in a pipe, without colours, and with keys of all kinds.

use std::fs;
use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;

fn run(folder: &Path, columns: &str, arguments: &[&str]) -> String {
    let output = cargo_bin_cmd!("pkadvisor")
        .current_dir(folder)
        .env("COLUMNS", columns)
        .env("NO_COLOR", "1")
        .arg("analyze")
        .args(arguments)
        .output()
        .expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

const TENANTS: [&str; 13] = [
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

#[test]
fn snapshots_at_three_widths() {
    for columns in ["80", "120", "200"] {
        let text = run(Path::new(env!("CARGO_MANIFEST_DIR")), columns, &TENANTS);
        insta::assert_snapshot!(format!("terminal-{columns}"), text);
        // Numbers stay whole, and lines that can be wrapped stay within the width.
        let width: usize = columns.parse().expect("a number");
        for line in text.lines() {
            assert!(line.chars().count() <= width + 1, "{columns}: {line}");
        }
        assert!(!text.contains('\u{1b}'), "{columns}");
    }
}

#[test]
fn long_and_wide_keys_and_values_break_no_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "property".repeat(12);
    let item = |n: usize| {
        let mut item = serde_json::Map::new();
        item.insert("id".to_owned(), n.to_string().into());
        item.insert(long.clone(), format!("{}{n}", "value".repeat(40)).into());
        item.insert("租户".to_owned(), format!("你好世界{}", n % 3).into());
        item.insert("e".to_owned(), "👩\u{200d}👧".repeat(30).into());
        serde_json::Value::Object(item).to_string()
    };
    let items: Vec<String> = (0..40).map(item).collect();
    fs::write(folder.path().join("d"), items.join("\n")).expect("a file");
    let long_key = format!("/{long}");
    for columns in ["40", "80", "120"] {
        let arguments = ["d", "--key", &long_key, "--key", "/租户", "--key", "/e"];
        let text = run(folder.path(), columns, &arguments);
        assert!(text.contains("租户"), "{text}");
        // What is cut bears a mark, and nothing joins characters unseen.
        assert!(text.contains('…') && !text.contains('\u{200d}'), "{text}");
    }
}
