//! The flights of a week, recomputed by plain code that calls nothing of the library.
//!
//! It reads other people's data from the folder `real` beside the one that `PKADVISOR_CONFORMANCE`
//! names, so it is ignored in the plain run.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin_cmd;
use common::oracle::{hash, hash_form};
use serde_json::{Map, Value};

/// Rows of the data: every so many.
const ROW_STEP: usize = 7;

/// Physical partitions of 30,000 RU/s.
const PARTITIONS: u128 = 3;

/// Columns with a cell that is no number; the others are numbers.
const TEXT_COLUMNS: [&str; 10] = [
    "dep_time",
    "dep_delay",
    "arr_time",
    "arr_delay",
    "carrier",
    "tailnum",
    "origin",
    "dest",
    "air_time",
    "time_hour",
];

fn real(name: &str) -> String {
    let folder =
        std::env::var_os("PKADVISOR_CONFORMANCE").expect("PKADVISOR_CONFORMANCE names the folder");
    let path = Path::new(&folder).join("../real").join(name);
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(path).expect(name))
        .read_to_string(&mut text)
        .expect(name);
    text
}

/// The six keys of the comparison.
const KEYS: [&str; 6] = [
    "/tailnum",
    "/origin",
    "/carrier,/flight",
    "{/origin}-{/time_hour|day}",
    "{/origin}.{/flight%20}",
    "{/time_hour|day}.{#40}",
];

/// Properties that must be known to know the key, or each of its levels.
fn sources(key: &str) -> &'static [&'static str] {
    match key {
        "/tailnum" => &["tailnum"],
        "/origin" => &["origin"],
        "/carrier,/flight" => &["carrier", "flight"],
        "{/origin}-{/time_hour|day}" => &["origin", "time_hour"],
        "{/origin}.{/flight%20}" => &["origin", "flight"],
        _ => &["time_hour"],
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The suffix that an application computes from a text.
fn suffix(text: &str, count: u32) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    for byte in text.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    1 + (hash ^ hash >> 16) % count
}

/// The suffix that is drawn for an item with seed 1.
fn drawn(item: &Value, count: u64) -> u64 {
    let name = item
        .get("id")
        .and_then(Value::as_str)
        .map_or_else(|| item.to_string(), str::to_owned);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in 1_u64.to_le_bytes().into_iter().chain(name.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    1 + (hash ^ hash >> 31) % count
}

/// The levels of an item's key, each as the bytes that are hashed.
fn key_of(key: &str, item: &Value) -> Vec<Vec<u8>> {
    let of = |name: &str| item.get(name);
    let day = || text(of("time_hour"))[..10].to_owned();
    let whole = |text: String| vec![hash_form(Some(&Value::String(text)))];
    match key {
        "/carrier,/flight" => vec![hash_form(of("carrier")), hash_form(of("flight"))],
        "{/origin}-{/time_hour|day}" => whole(format!("{}-{}", text(of("origin")), day())),
        "{/origin}.{/flight%20}" => whole(format!(
            "{}.{}",
            text(of("origin")),
            suffix(&text(of("flight")), 20)
        )),
        "{/time_hour|day}.{#40}" => whole(format!("{}.{}", day(), drawn(item, 40))),
        single => vec![hash_form(of(&single[1..]))],
    }
}

/// Items of a slice of the data, from the text of the table.
fn items(table: &str) -> Vec<Value> {
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines
        .map(|line| {
            let mut item = Map::new();
            for (name, cell) in header.iter().zip(line.split(',')) {
                let value = if TEXT_COLUMNS.contains(name) {
                    Value::from(cell)
                } else {
                    Value::from(cell.parse::<i64>().expect("a number"))
                };
                if !cell.is_empty() {
                    item.insert((*name).to_owned(), value);
                }
            }
            Value::Object(item)
        })
        .collect()
}

/// How far an operation reaches under a key, from the properties it fixes: one value, some, or all.
fn reach(key: &str, operation: &Value) -> &'static str {
    if operation["op"] == "create" {
        return "single";
    }
    let mut fixed: BTreeSet<&str> = BTreeSet::new();
    let names = ["origin", "time_hour", "carrier", "flight", "tailnum"];
    for name in names {
        let in_query = operation["query"]
            .as_str()
            .is_some_and(|query| query.contains(&format!("c.{name} = @")));
        if in_query || operation["filter"].get(name).is_some() {
            fixed.insert(name);
        }
    }
    let sources = sources(key);
    let known = sources.iter().filter(|name| fixed.contains(**name)).count();
    match key {
        "/carrier,/flight" if fixed.contains("carrier") && known == 1 => "targeted",
        // Of a suffix whose property is not known, and of a drawn one, all numbers are asked.
        "{/origin}.{/flight%20}" if fixed.contains("origin") && known == 1 => "targeted",
        "{/time_hour|day}.{#40}" if known == 1 => "targeted",
        _ if known == sources.len() => "single",
        _ => "fan_out",
    }
}

struct Slice {
    folder: tempfile::TempDir,
    items: Vec<Value>,
    operations: Vec<Value>,
}

impl Slice {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let table = real("flights.csv.gz");
        let mut lines = table.lines();
        let mut slice = format!("{}\n", lines.next().expect("a header"));
        for line in lines.step_by(ROW_STEP) {
            writeln!(slice, "{line}").expect("memory");
        }
        let log = real("flights-access.jsonl.gz");
        let log: String = log
            .lines()
            .step_by(3)
            .fold(String::new(), |all, line| all + line + "\n");
        fs::write(folder.path().join("flights.csv"), &slice).expect("a file");
        fs::write(folder.path().join("log.jsonl"), &log).expect("a file");
        let operations = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        Self {
            items: items(&slice),
            operations,
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn report(&self) -> Value {
        let mut command = cargo_bin_cmd!("pkadvisor");
        command
            .arg("analyze")
            .arg(self.path("flights.csv"))
            .arg("--log")
            .arg(self.path("log.jsonl"));
        for key in KEYS {
            command.args(["--key", key]);
        }
        let output = command
            .args(["--throughput", "30000", "--format", "json"])
            .output()
            .expect("the program");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).expect("a report")
    }
}

#[test]
#[ignore = "needs the folder of PKADVISOR_CONFORMANCE"]
fn conformance_of_the_flights_with_a_plain_recount() {
    let slice = Slice::new();
    let report = slice.report();
    assert_eq!(report["recommendation"]["key"], "/origin");
    assert_eq!(report["dataset"]["items"], slice.items.len());
    for key in KEYS {
        let candidates = report["candidates"].as_array().expect("candidates");
        let candidate = candidates.iter().find(|one| one["key"] == key).expect(key);

        let mut values: BTreeMap<Vec<Vec<u8>>, u64> = BTreeMap::new();
        let mut of_partition = [0_u64; PARTITIONS as usize];
        for item in &slice.items {
            let levels = key_of(key, item);
            // The first level decides, as no boundary of a new container lies inside one.
            let partition = hash(&levels[0]) / (((1_u128 << 126) - 1) / PARTITIONS);
            of_partition[partition.min(PARTITIONS - 1) as usize] += 1;
            *values.entry(levels).or_default() += 1;
        }
        assert_eq!(candidate["cardinality"]["distinct"], values.len(), "{key}");
        let largest = values.values().max().expect("values");
        assert_eq!(
            candidate["logical_partitions"]["items"]["max"], *largest,
            "{key}"
        );
        let partitions = candidate["physical_partitions"]
            .as_array()
            .expect("partitions");
        let reported: Vec<u64> = partitions
            .iter()
            .filter_map(|one| one["items"].as_u64())
            .collect();
        assert_eq!(reported, of_partition, "{key}");

        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        for operation in &slice.operations {
            *counts.entry(reach(key, operation)).or_default() += 1.0;
        }
        for class in ["single", "targeted", "fan_out"] {
            let expected = counts.get(class).copied().unwrap_or(0.0);
            assert_eq!(candidate["routing"][class], expected, "{key}: {class}");
        }
        assert_eq!(
            candidate["routing"]["operations"],
            slice.operations.len() as f64
        );
    }
}
