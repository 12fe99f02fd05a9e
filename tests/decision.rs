//! The decision as a whole: against a plain simulation, under sampling, and in worked scenarios.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use common::generator::Numbers;
use common::oracle::{hash, hash_form};
use serde_json::Value;

fn report(data: &str, log: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("data"), data).expect("a file");
    fs::write(folder.path().join("log"), log).expect("a file");
    let output = Command::new(cargo_bin!("pkadvisor"))
        .current_dir(folder.path())
        .env_clear()
        .args(["analyze", "data", "--log", "log", "--format", "json"])
        .args(arguments)
        .output()
        .expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn candidate<'a>(report: &'a Value, key: &str) -> &'a Value {
    let all = report["candidates"].as_array().expect("candidates");
    all.iter().find(|one| one["key"] == key).expect(key)
}

fn items(tenants: u64) -> String {
    (0..tenants).fold(String::new(), |mut out, n| {
        writeln!(out, r#"{{"id":"{n}","a":"t{n}"}}"#).expect("memory");
        out
    })
}

/// A moment so many milliseconds into the log.
fn moment(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    format!(
        "2024-05-03T{:02}:{:02}:{:02}.{rest:03}Z",
        10 + seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// A read of one tenant: when, which, and how many thousandths of a request unit.
struct Read {
    milliseconds: u64,
    tenant: u64,
    charge: u64,
}

fn log(reads: &[Read]) -> String {
    reads.iter().fold(String::new(), |mut out, read| {
        writeln!(
            out,
            r#"{{"ts":"{}","op":"query","filter":{{"a":"t{}"}},"ranges":1,"ru":{}.{:03}}}"#,
            moment(read.milliseconds),
            read.tenant,
            read.charge / 1000,
            read.charge % 1000
        )
        .expect("memory");
        out
    })
}

#[test]
fn the_replay_agrees_with_a_plain_simulation_to_the_micro_ru() {
    for seed in 0..12_u64 {
        let mut numbers = Numbers::new(seed);
        let partitions = 1 + numbers.below(5);
        let throughput = 400 + 100 * numbers.below(10);
        let mut time = 0;
        let reads: Vec<Read> = (0..400)
            .map(|_| {
                // All times differ, so that their order is the order of the requests.
                time += 1 + numbers.below(40);
                Read {
                    milliseconds: time,
                    tenant: numbers.below(7),
                    charge: 1 + numbers.below(60_000),
                }
            })
            .collect();
        let report = report(
            &items(7),
            &log(&reads),
            &[
                "--key",
                "/a",
                "--partitions",
                &partitions.to_string(),
                "--throughput",
                &throughput.to_string(),
            ],
        );

        // One partition at a time, second by second, request by request; in thousandths.
        let place = |tenant: u64| {
            let hash = hash(&hash_form(Some(&Value::from(format!("t{tenant}")))));
            (hash / (((1_u128 << 126) - 1) / u128::from(partitions)))
                .min(u128::from(partitions) - 1) as u64
        };
        let physical = candidate(&report, "/a")["physical_partitions"]
            .as_array()
            .expect("partitions");
        for partition in 0..partitions {
            let mine: Vec<&Read> = reads
                .iter()
                .filter(|read| place(read.tenant) == partition)
                .collect();
            let (mut refused, mut debt) = (0_u32, 0_i64);
            for second in 0..=time / 1000 {
                // A share of a thousandth of a request unit is lost in no budget here: 600 has none.
                let budget = (throughput * 1_000_000 / partitions) as f64 / 1000.0;
                let mut left = budget - debt as f64;
                for read in mine
                    .iter()
                    .filter(|read| read.milliseconds / 1000 == second)
                {
                    if left > 0.0 {
                        left -= read.charge as f64;
                    } else {
                        refused += 1;
                    }
                }
                debt = if left < 0.0 { -left.floor() as i64 } else { 0 };
            }
            let one = &physical[partition as usize];
            let charge: u64 = mine.iter().map(|read| read.charge).sum();
            let reported = one["charge"].as_f64().expect("RU");
            assert!(
                (reported * 1000.0 - charge as f64).abs() < 1e-6,
                "seed {seed}: {reported}"
            );
            if (1_000_000 * throughput).is_multiple_of(partitions) {
                let share = one["throttled_share"].as_f64().expect("a share");
                let expected = f64::from(refused) / mine.len().max(1) as f64;
                assert!(
                    (share - expected).abs() < 1e-9,
                    "seed {seed}, partition {partition}: {share}, {expected}"
                );
            }
        }
    }
}

#[test]
fn what_fan_out_costs_a_shopping_cart() {
    // Worked scenario 1: 200 requests a second; each further partition costs 3 RU, and a request that
    // the key does not serve visits two more. 12, 30 and 60 % of them cost 144, 360 and 720 RU/s.
    for (percent, expected) in [(12, 144.0), (30, 360.0), (60, 720.0)] {
        let reads: String = (0..2000_u64).fold(String::new(), |mut out, n| {
            let name = if n % 100 < percent { "other" } else { "a" };
            writeln!(
                out,
                r#"{{"ts":"{}","op":"query","filter":{{"{name}":"t{}"}},"ranges":1,"ru":3}}"#,
                moment(n * 5),
                n % 50
            )
            .expect("memory");
            out
        });
        let report = report(
            &items(50),
            &reads,
            &["--key", "/a", "--partitions", "3", "--partition-ru", "3"],
        );
        let overhead = candidate(&report, "/a")["throughput"]["overhead_charge"]
            .as_f64()
            .expect("RU");
        assert!(
            (overhead / 10.0 - expected).abs() < 1e-6,
            "{percent} %: {overhead} in 10 s"
        );
    }
}

#[test]
fn a_hot_value_of_8_000_is_served_at_10_000_and_not_just_above() {
    // 80 RU a hundred times a second, and as much again spread over many values.
    let reads: Vec<Read> = (0..12_000_u64)
        .flat_map(|n| {
            let hot = Read {
                milliseconds: n * 10,
                tenant: 1,
                charge: 80_000,
            };
            let cool = Read {
                milliseconds: n * 10 + 5,
                tenant: 2 + n % 500,
                charge: 19_000,
            };
            [hot, cool]
        })
        .collect();
    let report = report(&items(502), &log(&reads), &["--key", "/a"]);
    let throughput = &candidate(&report, "/a")["throughput"];
    let required = throughput["required"].as_u64().expect("it is enough");
    assert!((9_800..=10_000).contains(&required), "{required}");
    let failing = throughput["failing"][0].as_array().expect("a range");
    assert_eq!(failing[0], 10_100);
    assert!(
        failing[1].as_u64().is_some_and(|high| high >= 15_900),
        "{failing:?}"
    );
}

#[test]
fn a_tenth_of_the_log_gives_the_same_verdicts_or_none() {
    let keys = ["--key", "/a", "--key", "/hot"];
    let data: String = (0..2000).fold(String::new(), |mut out, n| {
        writeln!(out, r#"{{"id":"{n}","a":"t{n}","hot":"h{}"}}"#, n % 2).expect("memory");
        out
    });
    // 12,000 RU/s, half of it on each of two values of /hot for a while.
    let mut numbers = Numbers::new(7);
    let rows: Vec<String> = (0..60_000_u64)
        .map(|n| {
            let tenant = numbers.below(2000);
            let hot = u8::from(n % 20 != 0);
            format!(r#"{{"ts":"{}","op":"query","filter":{{"a":"t{tenant}","hot":"h{hot}"}},"ranges":1,"ru":24}}"#, moment(n * 2))
        })
        .collect();
    let sample: Vec<String> = rows
        .iter()
        .filter(|_| numbers.below(10) == 0)
        .cloned()
        .collect();
    let whole = report(&data, &rows.join("\n"), &keys);
    let part = report(
        &data,
        &sample.join("\n"),
        &[&keys[..], &["--log-share", "0.1"]].concat(),
    );
    for key in ["/a", "/hot"] {
        let verdict = |report: &Value| {
            candidate(report, key)["verdict"]
                .as_str()
                .expect("a verdict")
                .to_owned()
        };
        let sampled = verdict(&part);
        assert!(
            sampled == "cannot-tell" || sampled == verdict(&whole),
            "{key}: {sampled} and {}",
            verdict(&whole)
        );
    }
    assert_eq!(candidate(&whole, "/hot")["verdict"], "rejected");
}

#[test]
fn the_horizon_is_what_a_run_with_the_bytes_of_then_shows() {
    let items = (0..2000).fold(String::new(), |mut out, n| {
        let (day, tenant, user) = (1 + n / 72, n * 7 % 60, n % 7);
        writeln!(
            out,
            r#"{{"id":"i{n}","a":"t{tenant}","b":"u{user}","at":"2024-04-{day:02}T00:00:00Z"}}"#
        )
        .expect("memory");
        out
    });
    let queries = (0..4000_u64).fold(String::new(), |mut out, n| {
        let (time, filter) = match n % 5 {
            0 => (moment(n * 10), r#"{"b":"u3"}"#.to_owned()),
            _ => (moment(n * 10), format!(r#"{{"a":"t{}"}}"#, n * n % 60)),
        };
        writeln!(
            out,
            r#"{{"ts":"{time}","op":"query","filter":{filter},"ru":40}}"#
        )
        .expect("memory");
        out
    });
    let run = |size: &str, more: &[&str]| {
        let arguments = ["--key", "/a", "--key", "/a,/id", "--key", "/b"];
        let of = ["--total-size", size, "--time", "/at"];
        report(
            &items,
            &queries,
            &[arguments.as_slice(), &of, more].concat(),
        )
    };
    let compared = |today: &Value, then: &Value, key: &str| {
        let horizon = &candidate(today, key)["growth"]["horizon"];
        let of = candidate(then, key);
        let physical = of["physical_partitions"].as_array().expect("partitions");
        assert_eq!(horizon["partitions"], physical.len(), "{key}");
        let over = &of["logical_partitions"]["over_limit"];
        assert_eq!(&horizon["over_limit"], over, "{key}");
        let load = &horizon["load"];
        assert_eq!(load["throughput"], then["scenario"]["throughput"], "{key}");
        for measure in ["hottest_share", "throttled_share", "required"] {
            assert_eq!(load[measure], of["throughput"][measure], "{key} {measure}");
        }
        let visits = &of["routing"]["partitions_visited"]["mean"];
        assert_eq!(&load["partitions_visited_mean"], visits, "{key}");
        (horizon.clone(), load["required"].as_u64())
    };

    for more in [[].as_slice(), &["--throughput", "30000"]] {
        let today = run("90GB", more);
        let bytes = candidate(&today, "/a")["growth"]["horizon"]["bytes"].to_string();
        let then = run(&bytes, more);
        for key in ["/a", "/a,/id", "/b"] {
            let (horizon, required) = compared(&today, &then, key);
            assert!(horizon["partitions"].as_u64() > Some(20), "{horizon}");
            // A fan-out costs more where there are more partitions to visit.
            let now = candidate(&today, key)["throughput"]["required"].as_u64();
            assert!(now.is_some() && required > now, "{now:?} {required:?}");
        }
    }
}
