//! Profiles of parts: put together they make the report of all the data at once, and what cannot make it
//! is refused with the reason.

use std::fs;
use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    path.join(name).display().to_string()
}

fn run(folder: &TempDir, arguments: &[&str]) -> (i32, String, String) {
    let output = cargo_bin_cmd!("pkadvisor")
        .current_dir(folder.path())
        .args(arguments)
        .output()
        .expect("a run");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("a code");
    (code, text(output.stdout), text(output.stderr))
}

fn done(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, out, error) = run(folder, arguments);
    assert_eq!(code, 0, "{arguments:?}: {error}");
    out
}

/// Lines of numbers.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |text, n| text + &line(n) + "\n")
}

/// Runs something that is refused, and gives the message.
fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, _, error) = run(folder, arguments);
    assert_eq!(code, 3, "{arguments:?}: {error}");
    assert!(error.contains("\n  hint: "), "{error}");
    error
}

/// Writes lines into files of about so many, and profiles each of them.
fn profiled(folder: &TempDir, text: &str, each: usize, arguments: &[&str]) -> Parts {
    let lines: Vec<&str> = text.lines().collect();
    let mut parts = Parts::default();
    for (number, lines) in lines.chunks(each).enumerate() {
        let (file, profile) = (format!("{number}.jsonl"), format!("{number}.pkp"));
        fs::write(folder.path().join(&file), lines.join("\n") + "\n").expect("written");
        let command = [&["profile", &*file, "-o", &*profile], arguments].concat();
        assert_eq!(done(folder, &command), "");
        parts.files.push(file);
        parts.profiles.push(profile);
    }
    parts
}

#[derive(Default)]
struct Parts {
    files: Vec<String>,
    profiles: Vec<String>,
}

/// The same report from the files and from their profiles.
fn compare(folder: &TempDir, parts: &Parts, arguments: &[&str]) {
    for format in ["json", "terminal"] {
        let report = |inputs: &[String]| {
            let inputs = inputs.iter().map(String::as_str);
            let command = ["analyze", "--format", format].into_iter().chain(inputs);
            let command: Vec<&str> = command.chain(arguments.iter().copied()).collect();
            done(folder, &command)
        };
        let (whole, together) = (report(&parts.files), report(&parts.profiles));
        assert!(
            whole == together,
            "{format} {arguments:?}\n{whole}\n{together}"
        );
    }
}

const TENANTS: [&str; 8] = [
    "--key",
    "/tenantId",
    "--key",
    "/tenantId,/userId",
    "--key",
    "{/tenantId}-{/userId}",
    "--key",
    "{/tenantId}.{#5}",
];

#[test]
fn profiles_make_the_report_of_all_the_data_at_once() {
    let folder = TempDir::new().expect("a folder");
    let text = fs::read_to_string(sample("tenants.jsonl")).expect("the sample");
    let log = sample("tenants-log.csv");
    let same = [
        &["--log", &*log],
        &TENANTS[..],
        &["--current-key", "/tenantId"],
    ]
    .concat();
    let parts = profiled(&folder, &text, 230, &same);
    assert!(parts.files.len() > 2);
    compare(&folder, &parts, &same);
    // What says nothing of the items can change.
    let others = [
        "--total-size",
        "1TB",
        "--throughput",
        "20000",
        "--horizon",
        "1y",
    ];
    compare(&folder, &parts, &[&same[..], &others].concat());
    // So can the keys, as long as they are some of those that were profiled.
    let fewer = [
        "--log",
        &log,
        "--key",
        "/tenantId,/userId",
        "--current-key",
        "/tenantId",
    ];
    compare(&folder, &parts, &fewer);
}

#[test]
fn items_that_the_log_names_by_id_are_found_in_profiles() {
    let folder = TempDir::new().expect("a folder");
    let items = lines(300, |n| {
        format!(
            "{{\"id\":\"{n}\",\"a\":{{\"b\":{}}},\"c\":[{n}],\"d\":\"x\"}}",
            n % 7
        )
    });
    let log = lines(400, |n| {
        format!("{{\"op\":\"read\",\"id\":\"{n}\",\"ru\":1,\"filter\":{{\"/d\":\"x\"}}}}")
    });
    fs::write(folder.path().join("log.jsonl"), log).expect("written");
    let same = [
        "--log",
        "log.jsonl",
        "--key",
        "/a/b",
        "--key",
        "/a",
        "--key",
        "/id",
    ];
    let parts = profiled(&folder, &items, 100, &same);
    compare(&folder, &parts, &same);
    compare(&folder, &parts, &["--log", "log.jsonl", "--key", "/a"]);

    fs::write(
        folder.path().join("more.jsonl"),
        "{\"op\":\"read\",\"id\":\"1\",\"ru\":1}\n",
    )
    .expect("written");
    let error = refused(
        &folder,
        &["analyze", "0.pkp", "--log", "more.jsonl", "--key", "/a"],
    );
    assert!(
        error.contains("0.pkp: it was made without this log"),
        "{error}"
    );
    let always = ["--always", "/e"];
    let error = refused(
        &folder,
        &[&["analyze", "0.pkp"], &same[..], &always].concat(),
    );
    assert!(error.contains("without /e of the items"), "{error}");
}

#[test]
fn proposals_searches_and_their_reasons_are_kept() {
    let folder = TempDir::new().expect("a folder");
    let text = fs::read_to_string(sample("telemetry.jsonl")).expect("the sample");
    let log = fs::read_to_string(sample("telemetry-log.jsonl")).expect("the log");
    let log: Vec<&str> = log.lines().take(100).collect();
    fs::write(folder.path().join("log.jsonl"), log.join("\n")).expect("written");
    let same = [
        "--log",
        "log.jsonl",
        "--suffix-search",
        "/date",
        "--suffix-by",
        "/vin",
        "--time",
        "/ts",
    ];
    let whole = text.lines().count();
    let parts = profiled(&folder, &text, whole, &same);
    assert_eq!(parts.files.len(), 1);
    compare(&folder, &parts, &same);
    let error = run(&folder, &["analyze", "0.pkp", "--why-not", "/vin"]);
    assert_eq!(error.0, 2, "{}", error.2);
    assert!(error.2.contains("pkadvisor profile"), "{}", error.2);
}

/// A value of which no part has more than one item is known by its text when all of them have several.
#[test]
fn values_that_are_there_once_in_each_part_are_named() {
    let folder = TempDir::new().expect("a folder");
    let items: String = ["a", "b"]
        .iter()
        .flat_map(|part| {
            let id = move |n| {
                if n >= 69_995 {
                    format!("both {n}")
                } else {
                    format!("{part} {n}")
                }
            };
            (0..70_000).map(move |n| format!("{{\"id\":\"{part}{n}\",\"k\":\"{}\"}}\n", id(n)))
        })
        .collect();
    let same = ["--key", "/k", "--threads", "2"];
    let parts = profiled(&folder, &items, 70_000, &same);
    compare(&folder, &parts, &same);
    let out = done(&folder, &["analyze", "0.pkp", "1.pkp", "--key", "/k"]);
    assert!(out.contains("\"both 69999\""), "{out}");
}

#[test]
fn tables_and_problems_keep_their_files() {
    let folder = TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("a.csv", "id,k,n\n1,x,1\n2,y,2\n");
    write("b.csv", "id,k,n\n3,x,3\n4\n");
    write("c.csv", "id,k,n\n5,x,none\n");
    let key = ["--key", "/k", "--key", "/n"];
    let mut parts = Parts::default();
    for name in ["a", "b", "c"] {
        let (file, profile) = (format!("{name}.csv"), format!("{name}.pkp"));
        done(
            &folder,
            &[&["profile", &*file, "-o", &*profile], &key[..]].concat(),
        );
        parts.files.push(file);
        parts.profiles.push(profile);
    }
    // In the third one a column is text that was numbers in the others.
    let together = [&["analyze", "a.pkp", "b.pkp", "c.pkp"], &key[..]].concat();
    let error = refused(&folder, &together);
    assert!(error.contains("c.pkp: its column n holds text"), "{error}");
    assert!(error.contains("--csv-strings"), "{error}");
    parts.files.pop();
    parts.profiles.pop();
    compare(&folder, &parts, &key);
    let (_, out, _) = run(&folder, &["analyze", "a.pkp", "b.pkp", "--format", "json"]);
    assert!(out.contains("\"b.csv\""), "{out}");
}

#[test]
fn profiles_that_do_not_fit_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let text = fs::read_to_string(sample("tenants.jsonl")).expect("the sample");
    profiled(
        &folder,
        &text,
        usize::MAX,
        &["--key", "/tenantId", "--key", "/userId"],
    );
    for (arguments, part) in [
        (&["--seed", "7"][..], "--seed 1, and here it is 7"),
        (
            &["--item-overhead", "0"],
            "--item-overhead 250, and here it is 0",
        ),
        (&["--time", "/ts"], "--time /_ts, and here it is /ts"),
        (
            &["--csv-strings"],
            "--csv-strings false, and here it is true",
        ),
        (&["--top", "20"], "--top 10, and here it is 20"),
        (
            &["--key", "/other"],
            "without the key /other; it has /tenantId /userId",
        ),
        (
            &["--key", "/userId", "--key-version", "1"],
            "without the key /userId",
        ),
        (
            &["--suffix-search", "/userId"],
            "without the key {/userId}.{#2}",
        ),
    ] {
        let error = refused(&folder, &[&["analyze", "0.pkp"], arguments].concat());
        assert!(error.contains(part), "{error}");
    }
    done(&folder, &["analyze", "0.pkp", "--top", "5"]);
    let error = refused(&folder, &["analyze", "0.pkp", "0.jsonl"]);
    assert!(error.contains("without other data"), "{error}");
    let (code, _, error) = run(&folder, &["profile", "0.pkp", "-o", "x.pkp"]);
    assert_eq!(
        (code, folder.path().join("x.pkp").exists()),
        (2, false),
        "{error}"
    );
    let shown = done(&folder, &["analyze", "0.pkp", "--explain-input"]);
    assert!(
        shown.contains("0.pkp: profile of 500 items\n  of 0.jsonl\n  under /tenantId /userId\n"),
        "{shown}"
    );
}

#[test]
fn damaged_profiles_are_refused_wherever_the_damage_is() {
    let folder = TempDir::new().expect("a folder");
    let text = fs::read_to_string(sample("tenants.jsonl")).expect("the sample");
    profiled(&folder, &text, usize::MAX, &["--key", "/tenantId"]);
    let whole = fs::read(folder.path().join("0.pkp")).expect("the profile");
    let refused_as = |bytes: &[u8]| {
        let part = pkadvisor::profile::Part::read(bytes);
        part.expect_err("damaged").to_string()
    };
    pkadvisor::profile::Part::read(&*whole).expect("whole");
    for cut in (0..whole.len()).step_by(whole.len() / 60) {
        refused_as(&whole[..cut]);
        let mut flipped = whole.clone();
        flipped[cut] ^= 0x10;
        refused_as(&flipped);
    }
    let later = [b"pkadvisor profile 9\n", &whole[20..]].concat();
    let error = refused_as(&later);
    assert!(error.contains("version 9"), "{error}");
    fs::write(folder.path().join("later.pkp"), later).expect("written");
    refused(&folder, &["analyze", "later.pkp"]);
}

#[test]
fn more_values_than_memory_are_put_together_within_the_margins() {
    let folder = TempDir::new().expect("a folder");
    let items = lines(240_000, |n| format!("{{\"id\":\"{n}\",\"k\":{}}}", n % 3));
    let same = ["--key", "/id", "--key", "/k", "--memory", "16MiB"];
    let parts = profiled(&folder, &items, 120_000, &same);
    let inputs = parts.profiles.iter().map(String::as_str);
    let command: Vec<&str> = ["analyze", "--format", "json"]
        .into_iter()
        .chain(inputs)
        .collect();
    let out = done(&folder, &[&command[..], &same].concat());
    let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let of = |key: &str| {
        let all = report["candidates"].as_array().expect("candidates");
        let one = all.iter().find(|one| one["key"] == key).expect("the key");
        one["cardinality"].clone()
    };
    let (ids, few) = (of("/id"), of("/k"));
    assert_eq!((&few["exact"], &few["distinct"]), (&true.into(), &3.into()));
    let (values, margin) = (ids["distinct"].as_f64(), ids["margin"].as_f64());
    let (values, margin) = (values.expect("values"), margin.expect("a margin"));
    assert_eq!(ids["exact"], false);
    assert!((values - 240_000.0).abs() <= 2.0 * margin * values, "{ids}");
    // Under another bound the sums of both do not go together.
    let error = refused(
        &folder,
        &[
            "analyze", "0.pkp", "1.pkp", "--key", "/id", "--memory", "1GiB",
        ],
    );
    assert!(
        error.contains("memory did not hold all values of /id"),
        "{error}"
    );
}
