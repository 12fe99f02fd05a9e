//! What a sample says of the whole container.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use pkadvisor::model::Epk;
use pkadvisor::profile::{Given, LogicalPartitions};
use pkadvisor::simulate::{Whole, size_of};
use serde_json::Value;

/// Numbers from a seed (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// How often the 95 % interval of a value holds its true size, over 1,000 samples of this share.
fn coverage(sizes: &[u64], share: f64) -> f64 {
    let truth: u64 = sizes.iter().sum();
    let mut held = 0;
    for seed in 0..1000 {
        let mut numbers = Numbers(seed);
        let taken: Vec<u64> = sizes
            .iter()
            .copied()
            .filter(|_| numbers.share() < share)
            .collect();
        let partition = LogicalPartitions::given([Given {
            items: taken.len() as u64,
            bytes: taken.iter().sum(),
            squared_bytes: taken.iter().map(|size| size * size).sum(),
            ..Given::default()
        }]);
        let one = partition.iter().next().expect("one");
        let size = size_of(&one, share, 0, 1.0).expect("items");
        held += u64::from(size.low <= truth as f64 && truth as f64 <= size.high);
    }
    held as f64 / 1000.0
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let mut numbers = Numbers(7);
    let even = vec![1000; 8000];
    let skewed: Vec<u64> = (0..8000)
        .map(|_| (200.0 / (numbers.share() + 0.01)) as u64)
        .collect();
    for (sizes, share) in [(&even, 0.1), (&even, 0.03), (&skewed, 0.1), (&skewed, 0.3)] {
        let held = coverage(sizes, share);
        assert!((0.935..=0.97).contains(&held), "{held} at {share}");
    }
}

/// How often the 95 % intervals of shares hold the true ones, over 1,000 samples of this share: for the
/// first values of a container, each given by its items and the sizes that they take turns in.
fn coverage_of_shares(values: &[(u64, [u64; 4])], told: usize, share: f64) -> f64 {
    let bytes = |(items, sizes): &(u64, [u64; 4])| items / 4 * sizes.iter().sum::<u64>();
    let all: u64 = values.iter().map(bytes).sum();
    let (mut held, mut of) = (0, 0);
    for seed in 0..1000 {
        let mut numbers = Numbers(seed);
        let given = values.iter().enumerate().map(|(index, (items, sizes))| {
            let mut given = Given {
                epk: Some(Epk::from_bytes((index as u128).to_be_bytes().to_vec())),
                ..Given::default()
            };
            for item in 0..*items {
                if numbers.share() < share {
                    let size = sizes[item as usize % 4];
                    given.items += 1;
                    given.bytes += size;
                    given.squared_bytes += size * size;
                }
            }
            given
        });
        let logical = LogicalPartitions::given(given);
        let whole = Whole::of(&logical);
        for (one, value) in logical.iter().zip(&values[..told]) {
            if let Some(interval) = whole.share_of(&one, share) {
                let truth = bytes(value) as f64 / all as f64;
                held += u64::from(interval.low <= truth && truth <= interval.high);
                of += 1;
            }
        }
    }
    assert!(of > 900 * told, "{of}");
    held as f64 / of as f64
}

#[test]
fn intervals_of_shares_hold_the_truth_as_often_as_they_say() {
    let even: Vec<_> = (0..40).map(|_| (400, [1000; 4])).collect();
    // The items of the heavy values are larger, and of very different sizes.
    let skewed: Vec<_> = (1..=200)
        .map(|rank| (4 * (1000 / rank), [100, 200, 300, 400 + 4000 / rank]))
        .collect();
    for (values, told, share) in [
        (&even, 10, 0.1),
        (&even, 10, 0.5),
        (&skewed, 5, 0.02),
        (&skewed, 5, 0.1),
        (&skewed, 5, 0.5),
    ] {
        let held = coverage_of_shares(values, told, share);
        assert!((0.935..=0.97).contains(&held), "{held} at {share}");
    }
}

fn analyze(data: &str, log: Option<&str>, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("data"), data).expect("a file");
    let mut command = cargo_bin_cmd!("pkadvisor");
    command
        .current_dir(folder.path())
        .args(["analyze", "data", "--format", "json"])
        .args(arguments);
    if let Some(log) = log {
        fs::write(folder.path().join("log"), log).expect("a file");
        command.args(["--log", "log"]);
    }
    let output = command.output().expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("a report")
}

#[test]
fn samples_of_a_container_lead_to_its_best_key_or_to_none() {
    // 2,000,000 items of 100 GB. A tenant holds 30 % of them and its limit; users are many and each
    // query names one, so that /user is best.
    let log = (0..8000).fold(String::new(), |mut log, n| {
        let _ = writeln!(
            log,
            r#"{{"ts":"2024-05-01T10:00:{:02}Z","op":"query","filter":{{"user":"u{}"}},"ru":3}}"#,
            n / 200,
            n * 37 % 20_000
        );
        log
    });
    for share in [0.1, 0.01, 0.001] {
        let mut numbers = Numbers(11);
        let data = (0..2_000_000_u64).fold(String::new(), |mut data, n| {
            if numbers.share() < share {
                let tenant = if n % 10 < 3 { 0 } else { n % 50 };
                let _ = writeln!(
                    data,
                    r#"{{"id":"{n}","tenant":"t{tenant}","user":"u{}","country":"c{}"}}"#,
                    n % 20_000,
                    n % 7
                );
            }
            data
        });
        let keys = ["--key", "/tenant", "--key", "/user", "--key", "/country"];
        let report = analyze(
            &data,
            Some(&log),
            &[&keys[..], &["--total-size", "100GB"]].concat(),
        );
        let taken = &report["recommendation"]["key"];
        assert!(*taken == "/user" || taken.is_null(), "{share}: {taken}");
        let verdict = |key: &str| {
            let candidates = report["candidates"].as_array().expect("candidates");
            let one = candidates.iter().find(|one| one["key"] == key).expect(key);
            one["verdict"].as_str().expect("a verdict").to_owned()
        };
        assert_ne!(verdict("/tenant"), "acceptable", "{share}");
    }
}

#[test]
fn data_and_share_together_change_no_estimate() {
    let items = |copies: u64| {
        (0..600 * copies).fold(String::new(), |mut data, n| {
            let one = n % 600;
            let _ = writeln!(
                data,
                r#"{{"id":"{:04}-{}","t":"t{}"}}"#,
                one,
                n / 600,
                one * one % 23
            );
            data
        })
    };
    let of = |copies: u64, share: &str| {
        analyze(
            &items(copies),
            None,
            &["--key", "/t", "--sample-share", share, "--top", "23"],
        )
    };
    let (one, two) = (of(1, "0.001"), of(2, "0.002"));
    assert_eq!(one["dataset"]["scaled"], two["dataset"]["scaled"]);
    assert_eq!(
        one["scenario"]["container_bytes"],
        two["scenario"]["container_bytes"]
    );
    let sizes = |report: &Value| {
        let top = report["candidates"][0]["logical_partitions"]["top"]
            .as_array()
            .expect("values")
            .clone();
        let mut sizes: Vec<String> = top
            .iter()
            .map(|one| format!("{} {}", one["value"], one["scaled"]))
            .collect();
        sizes.sort();
        sizes
    };
    assert_eq!(sizes(&one), sizes(&two));
    let partitions =
        |report: &Value| report["candidates"][0]["physical_partitions"][0]["bytes"].clone();
    assert_eq!(partitions(&one), partitions(&two));
}

#[test]
fn what_is_proposed_is_at_least_as_good_as_what_was_written_by_hand() {
    for (sample, log, keys) in [
        (
            "tenants.jsonl",
            "tenants-log.csv",
            &["/tenantId", "/tenantId,/userId", "{/tenantId}-{/userId}"][..],
        ),
        (
            "telemetry.jsonl",
            "telemetry-log.jsonl",
            &["/date", "{/date}.{#40}", "{/date}.{/vin%40}"],
        ),
    ] {
        let mut command = cargo_bin_cmd!("pkadvisor");
        let sample_path = format!("samples/{sample}");
        let log_path = format!("samples/{log}");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args([
            "analyze",
            &sample_path,
            "--log",
            &log_path,
            "--propose",
            "--format",
            "json",
        ]);
        for key in keys {
            command.args(["--key", key]);
        }
        let output = command.output().expect("the program");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let candidates = report["candidates"].as_array().expect("candidates");
        let first = candidates
            .iter()
            .position(|one| one["verdict"] == "acceptable");
        let best = &candidates[first.expect("an acceptable one")];
        let by_hand = keys.contains(&best["key"].as_str().expect("a key"));
        // Where both name the same key it stands as given.
        assert!(!by_hand || best["proposed"].is_null(), "{}", best["key"]);
        let required = |one: &Value| one["throughput"]["required"].as_u64().unwrap_or(u64::MAX);
        let least = candidates
            .iter()
            .filter(|one| keys.contains(&one["key"].as_str().expect("a key")))
            .map(required)
            .min();
        assert!(
            required(best) as f64 <= least.expect("a key") as f64 * 1.05,
            "{}",
            best["key"]
        );
    }
}

#[test]
fn coverage_and_the_least_number_of_values_follow_from_what_was_seen_once() {
    let data = (0..10).fold(String::new(), |mut data, n| {
        let value = if n < 8 {
            "a".to_owned()
        } else {
            format!("once{n}")
        };
        let _ = writeln!(data, r#"{{"id":"{n}","t":"{value}"}}"#);
        data
    });
    let report = analyze(&data, None, &["--key", "/t", "--sample-share", "0.1"]);
    let cardinality = &report["candidates"][0]["cardinality"];
    assert_eq!(cardinality["coverage"], 0.8);
    assert_eq!(cardinality["at_least"], 4);
    let whole = analyze(&data, None, &["--key", "/t"]);
    assert!(whole["candidates"][0]["cardinality"]["coverage"].is_null());
}
