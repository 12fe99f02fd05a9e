//! `pkadvisor analyze` from the outside: streams, exit codes and bad input.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), bytes).expect("a file");
        self
    }
}

/// Runs the program in a folder, without the settings of whoever runs the tests.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("pkadvisor"));
    command
        .current_dir(folder)
        .env_clear()
        .arg("analyze")
        .args(arguments);
    command
}

fn run(folder: &Folder, arguments: &[&str], code: i32) -> Output {
    let output = command(folder.0.path(), arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    output
}

fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let output = run(folder, &[arguments, &["--format", "json"]].concat(), 0);
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn error(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let output = run(folder, arguments, code);
    assert!(output.stdout.is_empty(), "nothing half-written");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const ITEMS: &str = "{\"id\":\"1\",\"a\":\"x\"}\n{\"id\":\"2\",\"a\":\"y\"}\n";

#[test]
fn a_broken_line_is_counted_named_and_the_run_goes_on() {
    let folder = Folder::new();
    folder.write("d", "{\"a\":1}\n{broken\n{\"a\":2}\n7\n");
    let report = report(&folder, &["d", "--key", "/a"]);
    assert_eq!(
        (&report["dataset"]["items"], &report["dataset"]["rejected"]),
        (&2.into(), &2.into())
    );
    let problems = report["dataset"]["problems"].as_array().expect("problems");
    let lines: Vec<_> = problems
        .iter()
        .map(|one| (&one["reason"], &one["places"][0]["line"]))
        .collect();
    assert_eq!(
        format!("{lines:?}"),
        "[(String(\"not-json\"), Number(2)), (String(\"not-an-object\"), Number(4))]"
    );
    let text = run(&folder, &["d", "--key", "/a"], 0).stdout;
    assert!(String::from_utf8_lossy(&text).contains("d, line 2"));
}

#[test]
fn a_file_without_usable_rows_ends_with_3_and_says_why() {
    let folder = Folder::new();
    folder
        .write("d", "{broken\n")
        .write("e", "")
        .write("i", ITEMS)
        .write("log", "{\"op\":\"fly\"}\n");
    assert!(error(&folder, &["d", "--key", "/a"], 3).contains("line 1"));
    assert!(error(&folder, &["e", "--key", "/a"], 3).contains("without any item"));
    assert!(error(&folder, &["i", "--key", "/a", "--log", "log"], 3).contains("fly"));
    assert!(error(&folder, &["i", "--key", "/a", "--log", "i"], 3).contains("no access log"));
}

#[test]
fn inputs_that_cannot_be_read_end_with_3_and_a_remedy() {
    let folder = Folder::new();
    fs::create_dir(folder.path("empty")).expect("a folder");
    assert!(
        error(&folder, &["missing.json", "--key", "/a"], 3).contains("missing.json does not exist")
    );
    assert!(error(&folder, &["empty", "--key", "/a"], 3).contains("holds no data file"));
    assert!(error(&folder, &["no*.json", "--key", "/a"], 3).contains("no file matches"));
    folder.write("p", "PAR1xxxx");
    assert!(error(&folder, &["p", "--key", "/a"], 3).contains("Parquet"));
    folder.write("cut.gz", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2]);
    assert!(error(&folder, &["cut.gz", "--key", "/a"], 3).contains("cut.gz cannot be read"));
    folder.write("i", ITEMS);
    assert!(error(&folder, &["i", "--key", "@missing.json"], 3).contains("missing.json"));
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("d", ITEMS);
    fs::set_permissions(folder.path("d"), fs::Permissions::from_mode(0o000)).expect("permissions");
    // Who may read everything reads this too.
    if fs::read(folder.path("d")).is_err() {
        assert!(error(&folder, &["d", "--key", "/a"], 3).contains("d cannot be read"));
    }
}

#[test]
fn a_path_that_is_in_no_item_is_an_error_finding_and_no_crash() {
    let folder = Folder::new();
    folder.write("d", ITEMS);
    let report = report(&folder, &["d", "--key", "/nope", "--key", "/a"]);
    let candidates = report["candidates"].as_array().expect("candidates");
    let nope = candidates
        .iter()
        .find(|one| one["key"] == "/nope")
        .expect("the candidate");
    assert_eq!(
        (&nope["verdict"], &nope["findings"][0]["code"]),
        (&"rejected".into(), &"missing-key".into())
    );
    assert_eq!(nope["findings"][0]["severity"], "error");
    assert_eq!(nope["cardinality"]["missing_items"], 2);
    assert_eq!(report["recommendation"]["key"], "/a");
}

#[test]
fn bad_arguments_end_with_2_and_point_at_the_place() {
    let folder = Folder::new();
    folder.write("d", ITEMS);
    assert!(error(&folder, &["d", "--key", "{/a"], 2).contains('^'));
    assert!(
        error(&folder, &["d", "--key", "/a", "--format", "yaml"], 2).contains("terminal, json")
    );
    assert!(error(&folder, &["d", "--key", "/a", "--sample-share", "2"], 2).contains("at most 1"));
    assert!(error(&folder, &["d", "--key", "/a", "--output", "json"], 2).contains("FORMAT=PATH"));
    assert!(error(&folder, &["-", "--log", "-", "--key", "/a"], 2).contains("once"));
}

#[test]
fn findings_fail_the_run_only_when_asked() {
    let folder = Folder::new();
    folder.write("d", ITEMS);
    run(&folder, &["d", "--key", "/nope"], 0);
    run(&folder, &["d", "--key", "/nope", "--fail-on", "error"], 1);
    run(&folder, &["d", "--key", "/a", "--fail-on", "error"], 0);
    run(&folder, &["d", "--key", "/a", "--fail-on", "info"], 1);
    for format in ["terminal", "json"] {
        run(
            &folder,
            &[
                "d",
                "--key",
                "/nope",
                "--fail-on",
                "error",
                "--format",
                format,
            ],
            1,
        );
    }
}

#[test]
fn outputs_appear_whole_or_not_at_all() {
    let folder = Folder::new();
    folder.write("d", ITEMS).write("bad", "{broken\n");
    run(
        &folder,
        &[
            "d",
            "--key",
            "/a",
            "--output",
            "json=r.json",
            "--output",
            "terminal=r.txt",
        ],
        0,
    );
    let written: Value =
        serde_json::from_slice(&fs::read(folder.path("r.json")).expect("a file")).expect("JSON");
    assert_eq!(written["schema"], "pkadvisor/report/v1");
    assert!(
        fs::read_to_string(folder.path("r.txt"))
            .expect("a file")
            .contains("Take /a")
    );
    run(
        &folder,
        &["bad", "--key", "/a", "--output", "json=n.json"],
        3,
    );
    assert!(!folder.path("n.json").exists());
    assert!(
        error(
            &folder,
            &["d", "--key", "/a", "--output", "json=no/such/r.json"],
            4
        )
        .contains("no/such")
    );
    // Nothing is left lying about.
    let names = fs::read_dir(folder.0.path()).expect("the folder").count();
    assert_eq!(names, 4);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_a_silent_end() {
    let folder = Folder::new();
    let many: Vec<String> = (0..5000).map(|n| format!("{{\"id\":\"{n}\"}}")).collect();
    folder.write("d", many.join("\n"));
    let mut child = command(
        folder.0.path(),
        &["d", "--key", "/id", "--format", "json", "--top", "5000"],
    )
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("the program");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn standard_input_is_read_as_json_and_as_a_table() {
    let folder = Folder::new();
    for (text, format) in [(ITEMS, "json"), ("id,a,n\n1,x,5\n2,y,6\n", "csv")] {
        let mut child = command(folder.0.path(), &["-", "--key", "/a", "--format", "json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(text.as_bytes())
            .expect("the program reads");
        let output = child.wait_with_output().expect("the program");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["dataset"]["files"][0]["format"], format);
        assert_eq!(report["candidates"][0]["cardinality"]["distinct"], 2);
        let column = &report["dataset"]["columns"]["n"];
        assert_eq!(
            column,
            &if format == "csv" {
                "number".into()
            } else {
                Value::Null
            }
        );
    }
}

#[test]
fn threads_and_the_order_of_rows_change_nothing() {
    let folder = Folder::new();
    let (items, log) = (
        common::generator::telemetry_data(),
        common::generator::telemetry_log(),
    );
    let backward = |text: &str| text.lines().rev().collect::<Vec<_>>().join("\n");
    folder.write("d", &items).write("l", &log);
    let keys = [
        "--key",
        "/vin",
        "--key",
        "/date,/vin",
        "--key",
        "{/date}.{#40}",
        "--key",
        "{/date}.{/vin%40}",
        "--key",
        "/id",
    ];
    let report = |threads: &str| {
        run(
            &folder,
            &[
                &["d", "--log", "l", "--threads", threads, "--format", "json"],
                &keys[..],
            ]
            .concat(),
            0,
        )
        .stdout
    };
    let one = report("1");
    assert!(one == report("4"));
    folder
        .write("d", backward(&items))
        .write("l", backward(&log));
    assert!(one == report("3"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_file_behind() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("pkadvisor"))
        .current_dir(folder.path())
        .args([
            "analyze",
            "-",
            "--key",
            "/a",
            "--output",
            "json=report.json",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    let files = || fs::read_dir(folder.path()).expect("the folder").count();
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"{\"a\":1}\n").expect("a pipe");
    // Until the output is open.
    for _ in 0..600 {
        if files() == 1 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(files(), 1);
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(interrupted.success());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert_eq!(files(), 0);
    drop(input);
}
