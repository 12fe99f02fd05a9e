//! How fast the parts are, each by itself: `cargo bench`.

mod data;

use std::hint::black_box;
use std::io::Write;
use std::ops::ControlFlow;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use pkadvisor::ingest::dataset::{Hints, ItemSink, Job, format_named};
use pkadvisor::ingest::log::{LogSink, LoggedOperation, ResourceRow};
use pkadvisor::ingest::{Dataset, DatasetOptions, PropertyNames, RowProblem, item_bytes, log};
use pkadvisor::keys::{Candidate, effective_key, random_seed_of};
use pkadvisor::model::{Fields, KeyComponent, KeyKind, KeyValue, KeyVersion};
use pkadvisor::profile::{ProfileSettings, Profiler};
use pkadvisor::query::{Parameters, analyze, parse, validate};
use serde_json::Value;

use data::{Data, ItemForm, LogForm, write_small};

const ITEMS: u64 = 10_000;

const KEYS: [&str; 8] = [
    "/id",
    "/tenantId",
    "/userId",
    "/address/zip",
    "/deviceId",
    "{/tenantId}_{/date}",
    "{/tenantId}-{/id%10}",
    "/tenantId,/userId,/sessionId",
];

const QUERIES: [(&str, &str); 4] = [
    ("all", "SELECT * FROM c"),
    (
        "point",
        "SELECT * FROM c WHERE c.tenantId = 'acme' AND c.userId = @user",
    ),
    (
        "nested",
        "SELECT VALUE {id: c.id, sum: c.amount * 2} FROM c JOIN l IN c.lines WHERE (c.tenantId IN ('a', 'b', 'c') OR c.address.zip = '01234') AND l.count >= 3 ORDER BY c.ts DESC OFFSET 0 LIMIT 20",
    ),
    (
        "groups",
        "SELECT c.type, COUNT(1) AS n, SUM(c.amount) AS amount FROM c WHERE (c.date BETWEEN '2024-05-01' AND '2024-05-07') AND STARTSWITH(c.userId, 'u0') GROUP BY c.type",
    ),
];

fn items_as(form: ItemForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = Data::new(1, ITEMS).write_items(form, &mut bytes);
    written.expect("memory takes all");
    bytes
}

fn items() -> Vec<Value> {
    let lines = items_as(ItemForm::Lines);
    let items = serde_json::Deserializer::from_slice(&lines).into_iter();
    items.map(|item| item.expect("an item")).collect()
}

fn candidates(keys: &[&str]) -> Vec<Candidate> {
    keys.iter()
        .map(|key| Candidate::parse(key, KeyVersion::V2).expect(key))
        .collect()
}

/// Counts what is read, and keeps it from being left out.
#[derive(Default)]
struct Counted(u64);

impl ItemSink for Counted {
    fn item(&mut self, item: Value, _: u64) {
        black_box(&item);
        self.0 += 1;
    }

    fn problem(&mut self, problem: RowProblem) {
        black_box(&problem);
    }
}

impl LogSink for Counted {
    fn operation(&mut self, operation: LoggedOperation, _: u64) {
        black_box(&operation);
        self.0 += 1;
    }

    fn resource(&mut self, _: ResourceRow, _: u64) {}

    fn current_key(&mut self, _: Vec<String>) {}

    fn container(&mut self, _: &str) {}

    fn column(&mut self, _: &'static str, _: &str) {}

    fn problem(&mut self, problem: RowProblem) {
        black_box(&problem);
    }
}

fn read_items(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read items");
    let mut small = Vec::new();
    write_small(1, ITEMS, &mut small).expect("memory takes all");
    for (name, bytes) in [
        ("lines", items_as(ItemForm::Lines)),
        ("array", items_as(ItemForm::Array)),
        ("csv", items_as(ItemForm::Csv)),
        ("small lines", small),
    ] {
        // What a dataset tells before it is read; the reading itself is from memory.
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&bytes).expect("a file that can be written");
        let path = file.path().to_str().expect("a name in UTF-8").to_owned();
        let dataset = Dataset::open(&[path], DatasetOptions::default()).expect("a dataset");
        let format = format_named(dataset.formats()[0]).expect("a form of items");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut counted = Counted::default();
                let mut run = |job: Job| {
                    job(&mut counted);
                    ControlFlow::Continue(())
                };
                let hints = Hints::of(dataset.columns());
                let read = format.split(&mut &bytes[..], hints, &mut run);
                read.expect("memory can be read");
                assert_eq!(counted.0, ITEMS);
            });
        });
    }
}

fn read_operations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read operations");
    group.throughput(Throughput::Elements(ITEMS));
    for (name, form) in [
        ("native-csv", LogForm::Csv),
        ("native-jsonl", LogForm::Jsonl),
    ] {
        let mut bytes = Vec::new();
        let written = Data::new(1, ITEMS).write_log(ITEMS, form, &mut bytes);
        written.expect("memory takes all");
        let format = log::format_named(name).expect("a form of logs");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut counted = Counted::default();
                let read = format.read(&mut &bytes[..], &mut counted);
                read.expect("memory can be read");
                assert_eq!(counted.0, ITEMS);
            });
        });
    }
}

fn hash_values(criterion: &mut Criterion) {
    let text = |text: &str| KeyComponent::String(text.into());
    let values = [
        ("id", KeyKind::Hash, vec![text("329f07ba99")]),
        (
            "uuid",
            KeyKind::Hash,
            vec![text("0f8fad5b-d9cb-469f-a165-70867728950e")],
        ),
        (
            "number",
            KeyKind::Hash,
            vec![KeyComponent::from_json(&Value::from(12.5))],
        ),
        (
            "three levels",
            KeyKind::MultiHash,
            vec![text("t0001"), text("u072159"), text("e5feaa8d54")],
        ),
    ];
    let mut group = criterion.benchmark_group("hash");
    group.throughput(Throughput::Elements(1));
    for (name, kind, components) in values {
        let value = KeyValue(components);
        group.bench_function(name, |bencher| {
            bencher.iter(|| effective_key(black_box(&value), kind, KeyVersion::V2));
        });
    }
    let items = items();
    group.throughput(Throughput::Elements(ITEMS));
    for key in KEYS {
        let [candidate] = &candidates(&[key])[..] else {
            panic!("one key, one candidate");
        };
        let definition = candidate.definition();
        group.bench_function(BenchmarkId::new("of items", key), |bencher| {
            bencher.iter(|| {
                for item in &items {
                    let key = candidate.key_of(item, random_seed_of(item, 1));
                    black_box(effective_key(
                        &key.value,
                        definition.kind,
                        definition.version,
                    ));
                }
            });
        });
    }
}

fn queries(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("query");
    let parameters = Parameters::from([("@user".to_owned(), Value::from("u072159"))]);
    for (name, text) in QUERIES {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("parse", name), |bencher| {
            bencher.iter(|| parse(black_box(text)).expect(text));
        });
        let query = parse(text).expect(text);
        group.bench_function(BenchmarkId::new("validate", name), |bencher| {
            bencher.iter(|| validate(black_box(&query), &parameters).expect(text));
        });
        group.bench_function(BenchmarkId::new("analyze", name), |bencher| {
            bencher.iter(|| analyze(black_box(&query), &parameters));
        });
    }
}

fn profiles(criterion: &mut Criterion) {
    let items: Vec<(Value, u64)> = items()
        .into_iter()
        .map(|item| {
            let bytes = item_bytes(&item);
            (item, bytes)
        })
        .collect();
    let mut group = criterion.benchmark_group("profile");
    group.throughput(Throughput::Elements(ITEMS));
    for count in [1, 2, KEYS.len()] {
        let candidates = candidates(&KEYS[..count]);
        let settings = ProfileSettings::default();
        group.bench_function(BenchmarkId::new("add", count), |bencher| {
            bencher.iter_batched(
                || {
                    let mut wanted = Fields::default();
                    let profiler = Profiler::new(&candidates, &settings, &mut wanted);
                    (profiler, wanted)
                },
                |(mut profiler, wanted)| {
                    for (item, bytes) in &items {
                        profiler.add_whole(item, *bytes, &wanted);
                    }
                    profiler.finish(PropertyNames::default())
                },
                BatchSize::LargeInput,
            );
        });
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    read_items(&mut criterion);
    read_operations(&mut criterion);
    hash_values(&mut criterion);
    queries(&mut criterion);
    profiles(&mut criterion);
    criterion.final_summary();
}
