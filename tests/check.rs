//! The gate for pipelines, from end to end.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

/// A repository with a design.
struct Repository(TempDir);

/// Orders of 40 tenants, and reads of one tenant each.
fn repository(configuration: &str) -> Repository {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut data, mut log) = (String::new(), String::new());
    for n in 0..400 {
        let tenant = n % 40;
        let _ = writeln!(
            data,
            r#"{{"id":"o{n}","tenant":"t{tenant}","status":"s{}"}}"#,
            n % 5
        );
        let _ = writeln!(
            log,
            r#"{{"ts":"2024-05-01T10:00:{:02}Z","op":"query","query":"SELECT * FROM c WHERE c.tenant = 't{tenant}'","ru":3}}"#,
            n / 10
        );
    }
    fs::write(folder.path().join("orders.jsonl"), data).expect("a file");
    fs::write(folder.path().join("log.jsonl"), log).expect("a file");
    fs::write(folder.path().join("pkadvisor.toml"), configuration).expect("a file");
    Repository(folder)
}

impl Repository {
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = cargo_bin_cmd!("pkadvisor")
            .current_dir(self.0.path())
            .args(arguments)
            .output()
            .expect("the program");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }

    fn configure(&self, configuration: &str) {
        fs::write(self.0.path().join("pkadvisor.toml"), configuration).expect("a file");
    }

    /// Adds queries that name no tenant.
    fn add_report(&self) {
        let path = self.0.path().join("log.jsonl");
        let mut log = fs::read_to_string(&path).expect("the log");
        for n in 0..200 {
            let _ = writeln!(
                log,
                r#"{{"ts":"2024-05-01T10:00:{:02}Z","op":"query","query":"SELECT * FROM c WHERE c.status = 's{}'","ru":9}}"#,
                n / 5,
                n % 5
            );
        }
        fs::write(path, log).expect("the log");
    }
}

const DESIGN: &str = "data = \"orders.jsonl\"\nlog = [\"log.jsonl\"]\nkey = \"/tenant\"\n\
    [settings]\npartitions = 12\n\n[policy]\nfail-on = \"error\"\n";

#[test]
fn a_new_shape_that_fans_out_fails_and_an_ignore_with_a_reason_lets_it_pass() {
    let repository = repository(DESIGN);
    let (code, out, _) = repository.run(&["check"]);
    assert_eq!((code, out.lines().count()), (Some(0), 1), "{out}");
    assert!(
        out.starts_with("container: passed /tenant: 0 failing"),
        "{out}"
    );

    repository.add_report();
    let (code, out, _) = repository.run(&["check"]);
    assert_eq!(code, Some(1), "{out}");
    let line = out.lines().next().expect("a line");
    for part in [
        "cross-partition-share",
        "/tenant",
        "12 physical partitions",
        "c.status",
    ] {
        assert!(line.contains(part), "{line}");
    }
    // A format never changes the code.
    for format in ["json", "sarif", "junit", "github", "html"] {
        assert_eq!(repository.run(&["check", "--format", format]).0, Some(1));
    }

    let ignore = "[[policy.ignore]]\ncheck = \"cross-partition-share\"\ncontains = \"c.status\"\n\
        reason = \"the nightly report\"\nuntil = 2030-01-01\n";
    repository.configure(&format!("{DESIGN}{ignore}"));
    let (code, out, _) = repository.run(&["check", "--today", "2029-12-31"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("1 ignored"), "{out}");
    let (_, report, _) = repository.run(&["check", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("a report");
    let ignored = &report["candidates"][0]["ignored"][0];
    assert_eq!(ignored["reason"], "the nightly report");
    assert_eq!(ignored["finding"]["code"], "cross-partition-share");
    for format in ["terminal", "markdown", "html"] {
        let (_, text, _) = repository.run(&["check", "--format", format]);
        assert!(text.contains("the nightly report"), "{format}");
    }
    // When its day is over it holds no longer.
    let (code, out, _) = repository.run(&["check", "--today", "2030-01-02"]);
    assert_eq!(code, Some(1), "{out}");
    let (_, out, _) = repository.run(&["check", "--today", "2030-01-02", "--fail-on", "warning"]);
    assert!(out.contains("ran out on 2030-01-01"), "{out}");
}

#[test]
fn severities_limits_and_unused_ignores_decide_too() {
    let repository = repository(DESIGN);
    let with = |policy: &str, arguments: &[&str]| {
        repository.configure(&format!("{DESIGN}{policy}"));
        repository.run(&[&["check"], arguments].concat())
    };
    let (code, out, _) = with("[policy.limits]\nthroughput = 100\n", &[]);
    assert_eq!(code, Some(1));
    assert!(out.contains("policy-limit"), "{out}");
    assert_eq!(
        with("[policy.limits]\nthroughput = 100000\n", &[]).0,
        Some(0)
    );
    let unused = "[[policy.ignore]]\ncheck = \"hot-partition\"\nreason = \"old\"\n";
    let (code, out, _) = with(unused, &["--fail-on", "warning"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("unused-ignore"), "{out}");
    repository.add_report();
    let (code, out, _) = with("[policy.severity]\ncross-partition-share = \"info\"\n", &[]);
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(
        with("[policy.severity]\ncross-partition-share = \"off\"\n", &[]).0,
        Some(0)
    );
    let threshold = "[policy.threshold.cross-partition-share]\nfan_out_share = 0.5\n";
    assert_eq!(with(threshold, &[]).0, Some(0));
}

#[test]
fn a_file_with_mistakes_is_refused_with_all_of_them() {
    let repository = repository(
        "data = \"orders.jsonl\"\nkee = \"/a\"\n[settings]\nthroughput = \"much\"\nwindows = 5\n",
    );
    let (code, _, errors) = repository.run(&["check"]);
    assert_eq!(code, Some(2));
    for part in [
        "pkadvisor.toml, line 2, column 1",
        "kee",
        "line 5, column 1",
        "window",
    ] {
        assert!(errors.contains(part), "{errors}");
    }
    repository.configure("data = \"orders.jsonl\"\n[settings]\nthroughput = \"much\"\n");
    let (code, _, errors) = repository.run(&["check"]);
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("throughput") && errors.contains("much"),
        "{errors}"
    );
    repository.configure("data = [");
    assert_eq!(repository.run(&["check"]).0, Some(2));
    fs::remove_file(repository.0.path().join("pkadvisor.toml")).expect("the file");
    let (code, _, errors) = repository.run(&["check"]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("pkadvisor init"), "{errors}");
}

#[test]
fn several_containers_share_settings_and_are_judged_one_by_one() {
    let repository = repository(
        "[settings]\npartitions = 12\n[container.orders]\ndata = \"orders.jsonl\"\nlog = \"log.jsonl\"\nkey = \"/tenant\"\n\
         [container.broken]\ndata = \"orders.jsonl\"\nkey = \"/lost\"\n",
    );
    let (code, out, _) = repository.run(&["check"]);
    assert_eq!(code, Some(1));
    assert!(
        out.contains("orders: passed") && out.contains("broken: error missing-key /lost"),
        "{out}"
    );
    assert_eq!(
        repository.run(&["check", "--container", "orders"]).0,
        Some(0)
    );
    assert_eq!(repository.run(&["check", "--container", "none"]).0, Some(2));
    assert_eq!(
        repository.run(&["check", "--output", "json=r.json"]).0,
        Some(2)
    );
    assert_eq!(repository.run(&["check", "--format", "json"]).0, Some(2));
    assert_eq!(repository.run(&["check", "--format", "github"]).0, Some(1));
    repository.run(&["check", "--output", "json={container}.json"]);
    assert!(repository.0.path().join("broken.json").is_file());
}

#[test]
fn init_writes_a_file_that_check_reads() {
    let repository = repository("");
    let (code, _, errors) = repository.run(&["init", "orders.jsonl", "--log", "log.jsonl"]);
    assert_eq!(code, Some(4));
    assert!(errors.contains("--force"), "{errors}");
    let (code, _, errors) =
        repository.run(&["init", "orders.jsonl", "--log", "log.jsonl", "--force"]);
    assert_eq!(code, Some(0), "{errors}");
    let (code, out, errors) = repository.run(&["check"]);
    assert_eq!(code, Some(0), "{out}{errors}");
    assert!(out.contains("/tenant"), "{out}");
}

#[test]
fn flags_go_before_the_environment_and_that_before_the_file() {
    let repository = repository(DESIGN);
    let partitions = |variable: Option<&str>, arguments: &[&str]| {
        let mut command = cargo_bin_cmd!("pkadvisor");
        command.current_dir(repository.0.path()).args(arguments);
        if let Some(value) = variable {
            command.env("PKADVISOR_PARTITIONS", value);
        }
        let output = command.output().expect("the program");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        report["scenario"]["partitions"].as_u64().expect("a number")
    };
    let check = ["check", "--format", "json"];
    assert_eq!(partitions(None, &check), 12);
    assert_eq!(partitions(Some("7"), &check), 7);
    let analyze = [
        "analyze",
        "orders.jsonl",
        "--key",
        "/tenant",
        "--format",
        "json",
    ];
    assert_eq!(partitions(Some("7"), &analyze), 7);
    assert_eq!(
        partitions(Some("7"), &[&analyze[..], &["--partitions", "5"]].concat()),
        5
    );
}
