//! What went wrong once, from the outside.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = cargo_bin_cmd!("pkadvisor")
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// A folder with 1,000 items, 20 for each of 50 values of `t`.
fn items() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut data = String::new();
    for n in 0..1000 {
        let _ = writeln!(
            data,
            r#"{{"id":"i{n}","t":"t{}","u":"u{}"}}"#,
            n % 50,
            n % 7
        );
    }
    fs::write(folder.path().join("d"), data).expect("a file");
    folder
}

fn report(folder: &Path, log: &str, arguments: &[&str]) -> Value {
    fs::write(folder.join("log"), log).expect("a file");
    let base = [
        "analyze", "d", "--log", "log", "--key", "/t", "--format", "json",
    ];
    let (code, out, errors) = run(folder, &[&base[..], arguments].concat());
    assert_eq!(code, Some(0), "{errors}");
    serde_json::from_str(&out).expect("a report")
}

#[test]
fn half_a_log_needs_twice_what_it_shows() {
    let folder = items();
    let log = (0..60).fold(String::new(), |mut log, n| {
        let _ = writeln!(
            log,
            r#"{{"ts":"2024-05-03T10:00:{:02}Z","op":"query","filter":{{"t":"t{}"}},"ru":100}}"#,
            n % 6,
            n % 50
        );
        log
    });
    let report = report(
        folder.path(),
        &log,
        &["--log-share", "0.5", "--partitions", "3"],
    );
    assert_eq!(report["scenario"]["even_throughput"], 2000);
}

#[test]
fn rows_without_a_time_are_spread_and_counted() {
    let folder = items();
    let mut log = String::new();
    for _ in 0..5 {
        log.push_str("{\"op\":\"query\",\"filter\":{\"t\":\"t1\"},\"ru\":900}\n");
    }
    for n in 0..10 {
        let _ = writeln!(
            log,
            r#"{{"ts":"2024-05-03T10:00:0{n}Z","op":"query","filter":{{"t":"t2"}},"ru":10}}"#
        );
    }
    log.push_str(
        "{\"ts\":\"0001-01-01T00:00:00Z\",\"op\":\"query\",\"filter\":{\"t\":\"t1\"},\"ru\":1}\n",
    );
    let report = report(folder.path(), &log, &[]);
    assert!(
        report["scenario"]["even_throughput"].as_u64() < Some(1500),
        "{}",
        report["scenario"]
    );
    let problems = report["log"]["problems"].as_array().expect("problems");
    let untimed = problems
        .iter()
        .find(|one| one["reason"] == "no-time")
        .expect("a problem");
    assert!(untimed["count"].as_u64() >= Some(6), "{untimed}");
}

#[test]
fn keys_as_arrays_are_named_where_nothing_tells_their_properties() {
    let folder = items();
    let log = "{\"op\":\"query\",\"query\":\"SELECT * FROM c\",\"pk\":[\"t1\"],\"ru\":3}\n";
    let without = report(folder.path(), log, &[]);
    assert_eq!(without["log"]["problems"][0]["reason"], "unused-key-array");
    let with = report(folder.path(), log, &["--current-key", "/t"]);
    assert_eq!(with["log"]["problems"].as_array().map(Vec::len), Some(0));
    assert_eq!(with["candidates"][0]["routing"]["single"], 1.0);
}

#[test]
fn what_no_throughput_serves_is_rejected_and_too_few_partitions_are_named() {
    let folder = items();
    let log = (0..400).fold(String::new(), |mut log, n| {
        let _ = writeln!(
            log,
            r#"{{"ts":"2024-05-03T10:00:{:02}Z","op":"query","filter":{{"t":"t{}"}},"ru":1000}}"#,
            n / 40,
            n % 50
        );
        log
    });
    let report = report(folder.path(), &log, &["--partitions", "2"]);
    let findings = report["candidates"][0]["findings"].to_string();
    assert!(
        findings.contains("the partitions given serve 20,000 RU/s at most"),
        "{findings}"
    );
}

#[test]
fn refused_requests_are_no_rows_that_were_used() {
    let folder = items();
    let refused = "{\"op\":\"query\",\"filter\":{\"t\":\"t2\"},\"status\":429}\n";
    let served = "{\"op\":\"query\",\"filter\":{\"t\":\"t1\"},\"ru\":3}\n";
    let both = report(folder.path(), &format!("{served}{refused}{refused}"), &[]);
    assert_eq!(both["log"]["operations"], 1);
    assert_eq!(
        (&both["log"]["throttled"], &both["log"]["unmet"]),
        (&2.0.into(), &2.0.into())
    );
    fs::write(folder.path().join("log"), refused).expect("a file");
    let (code, _, errors) = run(
        folder.path(),
        &["analyze", "d", "--log", "log", "--key", "/t"],
    );
    assert_eq!(code, Some(3));
    assert!(
        errors.contains("all 1 requests in it were refused (429)"),
        "{errors}"
    );
}

#[test]
fn a_log_may_start_with_a_long_row() {
    let folder = items();
    let values: Vec<String> = (0..7000).map(|n| format!("{n:09}")).collect();
    let log = format!(
        "{{\"op\":\"query\",\"ru\":3,\"query\":\"SELECT * FROM c WHERE c.t IN ({})\"}}\n",
        values.join(",")
    );
    assert_eq!(report(folder.path(), &log, &[])["log"]["operations"], 1);
}

#[test]
fn messages_show_hostile_characters() {
    let folder = items();
    let evil = "x\u{1b}[31m\u{202e}";
    for arguments in [
        &["hash", evil][..],
        &["explain", evil],
        &["analyze", evil, "--key", "/t"],
        &["analyze", "d", "--key", evil],
        &["analyze", "d", "--key", "/t", "--format", evil],
        &["analyze", "d", "--key", "/t", "--throughput", evil],
        &["list", evil],
        &[evil],
    ] {
        let (code, _, errors) = run(folder.path(), arguments);
        assert_ne!(code, Some(0));
        assert!(
            !errors.contains('\u{202e}') && !errors.contains('\u{1b}'),
            "{arguments:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn outputs_follow_links_keep_devices_and_can_be_read_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let folder = items();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("real"), "old").expect("a file");
    std::os::unix::fs::symlink(path("real"), path("link")).expect("a link");
    let analyze = |output: &str| {
        run(
            folder.path(),
            &["analyze", "d", "--key", "/t", "--output", output],
        )
    };
    assert_eq!(analyze("json=link").0, Some(0));
    assert!(path("link").is_symlink());
    assert!(
        fs::read_to_string(path("real"))
            .expect("a report")
            .starts_with('{')
    );
    assert_eq!(analyze("json=new").0, Some(0));
    let mode = path("new").metadata().expect("a file").permissions().mode();
    assert_ne!(mode & 0o044, 0, "{mode:o}");
    let (code, out, _) = analyze("jsonl=-");
    assert_eq!(code, Some(0));
    assert!(out.contains("\"recommended\":true"), "{out}");
    let twice = [
        "analyze", "d", "--key", "/t", "--output", "json=a", "--output", "csv=a",
    ];
    assert_eq!(run(folder.path(), &twice).0, Some(2));
    let (code, ..) = analyze("json=/dev/full");
    assert_eq!(code, Some(4));
    assert!(
        !Path::new("/dev/full")
            .metadata()
            .expect("the device")
            .is_file()
    );
}

#[test]
fn sizes_beyond_all_reason_end_at_once() {
    let folder = items();
    for arguments in [
        ["--total-size", "1EB"],
        ["--sample-share", "1e-300"],
        ["--total-items", "18446744073709551615"],
    ] {
        let (code, _, errors) = run(
            folder.path(),
            &[&["analyze", "d", "--key", "/t"][..], &arguments].concat(),
        );
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(errors.contains("physical partitions"), "{errors}");
    }
}

#[test]
fn rows_of_no_container_are_named_where_one_was_chosen() {
    let folder = items();
    let log = "{\"op\":\"query\",\"filter\":{\"t\":\"t1\"},\"ru\":3}\n";
    let chosen = report(folder.path(), log, &["--container", "orders"]);
    assert_eq!(chosen["log"]["problems"][0]["reason"], "unnamed-container");
    assert_eq!(
        report(folder.path(), log, &[])["log"]["problems"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
}

#[test]
fn a_key_that_cannot_be_read_is_blamed_on_its_own_flag() {
    let folder = items();
    for flag in ["--key", "--current-key", "--why-not", "--suffix-search"] {
        let (code, _, errors) = run(folder.path(), &["analyze", "d", flag, "bogus"]);
        assert_eq!(code, Some(2));
        assert!(
            errors.starts_with(&format!("error: {flag} bogus: ")),
            "{errors}"
        );
    }
}
