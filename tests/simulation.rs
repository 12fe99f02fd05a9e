//! Candidates measured as a whole: worked scenarios, and what must hold for any data and log.

use std::sync::Arc;

use pkadvisor::keys::{Candidate, Layout};
use pkadvisor::model::units::{MICRO, from_micro};
use pkadvisor::model::{
    Access, Condition, Epk, Event, Fields, Item, KeyComponent, KeyKind, KeyVersion, Log,
    OperationKind, OptionsKey, Predicate, PropertyPath, Shape,
};
use pkadvisor::profile::{FoundItems, Profile, ProfileSettings, Wanted};
use pkadvisor::simulate::{
    Compared, FURTHER_PARTITION_CHARGE, Frame, Joins, QUERY_CHARGE_MIN, Scenario, compare, frame,
    workload,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const SECOND: i64 = 1_000_000;

fn candidate(text: &str) -> Candidate {
    Candidate::parse(text, KeyVersion::V2).expect(text)
}

fn profile(keys: &[&str], items: &[Value]) -> Profile {
    let candidates: Vec<Candidate> = keys.iter().map(|key| candidate(key)).collect();
    let sized = items.iter().map(|item| (item, 1000));
    Profile::of_sized(&candidates, &ProfileSettings::default(), sized)
}

/// One row of a log: time, operation, and how often.
#[derive(Debug, Clone)]
struct Row {
    time: i64,
    kind: OperationKind,
    id: Option<String>,
    fixed: Vec<(&'static str, String)>,
    item: Option<Value>,
    charge: u64,
    count: u64,
}

fn query(time: i64, fixed: &[(&'static str, &str)], charge: u64) -> Row {
    Row {
        time,
        kind: OperationKind::Query,
        id: None,
        fixed: fixed
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect(),
        item: None,
        charge: charge * MICRO,
        count: 1,
    }
}

fn log(rows: &[Row]) -> Log {
    let mut log = Log {
        shapes: vec![Shape {
            kind: OperationKind::Query,
            name: "all".to_owned(),
        }],
        ..Log::default()
    };
    for (index, row) in rows.iter().enumerate() {
        let equal = |(name, value): &(&str, String)| {
            Predicate::In(
                PropertyPath::of(name),
                vec![KeyComponent::String(value.as_str().into())],
            )
        };
        log.accesses.push(Access {
            kind: row.kind,
            shape: 0,
            condition: Condition::Known(Predicate::And(row.fixed.iter().map(equal).collect())),
            id: row.id.as_deref().map(Into::into),
            key: OptionsKey::None,
            item: row.item.clone(),
            members: Vec::new(),
        });
        log.events.push(Event {
            time: Some(row.time),
            access: index as u32,
            weight: row.count * MICRO,
            charge: Some(row.charge),
            ranges: Some(1),
            bytes: None,
            rate: None,
            transaction: None,
        });
    }
    log
}

/// Measures candidates, and hands each to a function with what holds for all.
fn measured<T>(
    keys: &[&str],
    items: &[Value],
    rows: &[Row],
    scenario: &Scenario,
    read: impl Fn(&Compared, &Frame) -> T,
) -> Vec<T> {
    let (profile, log) = (profile(keys, items), log(rows));
    let mut fields = Fields::default();
    let paths = ["/id", "/a", "/b"].map(|path| PropertyPath::parse(path).expect(path));
    let wanted = Wanted::new(log.ids(), paths.to_vec(), &mut fields);
    let mut found = FoundItems::new(Arc::new(wanted));
    for item in items {
        found.add(&Item {
            fields: &fields.of(item),
            bytes: 1000,
            whole: None,
        });
    }
    let joins = Joins::new(&found, &log, None);
    let workload = workload(&log, &joins, &profile, scenario);
    let frame = frame(&profile, Some(&workload), scenario);
    let compared = compare(&profile, Some(&workload), scenario, &frame, 2);
    compared.iter().map(|one| read(one, &frame)).collect()
}

fn tenants() -> Vec<Value> {
    (0..300)
        .map(|n| json!({"id": n.to_string(), "a": format!("t{}", n % 30), "b": n.to_string()}))
        .collect()
}

#[test]
fn throughput_is_divided_evenly_over_partitions() {
    // Worked scenario 2: 18,000 RU/s over 3 partitions are 6,000 for each. One value uses its share up.
    let scenario = Scenario {
        throughput: Some(18_000),
        partitions: Some(3),
        ..Scenario::default()
    };
    let used = |charge: u64| {
        let rows = [query(0, &[("a", "t1")], charge)];
        measured(&["/a"], &tenants(), &rows, &scenario, |one, _| {
            let uses = one
                .measured
                .physical
                .iter()
                .filter_map(|one| one.utilization.map(|used| used.max));
            uses.fold(0.0, f64::max)
        })[0]
    };
    assert!((used(6000) - 1.0).abs() < 1e-9);
    assert!((used(3000) - 0.5).abs() < 1e-9);
}

#[test]
fn a_prefix_visits_the_partitions_that_hold_it_and_no_other() {
    // Worked scenario 8: of 1,000 physical partitions a tenant lies on 5.
    let key = candidate("/a,/b");
    let point = |user: u32| {
        let value = pkadvisor::model::KeyValue(vec![
            KeyComponent::String("t1".into()),
            KeyComponent::String(user.to_string().into()),
        ]);
        pkadvisor::keys::effective_key(&value, key.kind, key.version)
    };
    let mut users: Vec<Epk> = (0..50).map(point).collect();
    users.sort();
    let cuts = [10, 20, 30, 40].map(|index| users[index].clone()).to_vec();
    let layout = Layout::equal(996, KeyKind::MultiHash, KeyVersion::V2).split_at(cuts);
    let scenario = Scenario {
        layout: Some(layout),
        ..Scenario::default()
    };
    let items: Vec<Value> = (0..50)
        .map(|user| json!({"a": "t1", "b": user.to_string()}))
        .collect();
    let rows = [
        query(0, &[("a", "t1")], 5),
        query(1, &[("a", "t1"), ("b", "7")], 5),
        query(2, &[("b", "7")], 5),
    ];
    let visited = |row: usize| {
        measured(&["/a,/b"], &items, &rows[row..=row], &scenario, |one, _| {
            let routing = one.measured.routing.as_ref().expect("a log");
            assert_eq!(one.measured.physical.len(), 1000);
            routing.visited.keys().copied().max()
        })[0]
    };
    assert_eq!(
        [visited(0), visited(1), visited(2)],
        [Some(5), Some(1), Some(1000)]
    );
}

#[test]
fn a_point_operation_without_its_key_is_a_lookup_and_then_its_own() {
    let row = |kind, fixed: &[(&'static str, &str)]| Row {
        kind,
        id: Some("7".to_owned()),
        ..query(0, fixed, 10)
    };
    let scenario = Scenario {
        throughput: Some(40_000),
        partitions: Some(4),
        ..Scenario::default()
    };
    let outcome = |key: &str, row: Row| {
        measured(&[key], &tenants(), &[row], &scenario, |one, _| {
            let charge: u128 = one.measured.physical.iter().map(|one| one.charge).sum();
            let visited = one
                .measured
                .routing
                .as_ref()
                .expect("a log")
                .visited
                .keys()
                .copied()
                .max();
            (from_micro(charge), visited.expect("a row"))
        })[0]
    };
    let lookup = from_micro(u128::from(QUERY_CHARGE_MIN + 3 * FURTHER_PARTITION_CHARGE));
    // The id is the key, the filter is the key, and neither is.
    assert_eq!(outcome("/id", row(OperationKind::Read, &[])), (10.0, 1));
    assert_eq!(
        outcome("/a", row(OperationKind::Patch, &[("a", "t7")])),
        (10.0, 1)
    );
    assert_eq!(outcome("/a", row(OperationKind::Read, &[])), (lookup, 4));
    assert_eq!(
        outcome("/a", row(OperationKind::Patch, &[])),
        (lookup + 10.0, 4)
    );
    // What the application has always at hand is taken from the item.
    let always = Scenario {
        always: vec![PropertyPath::of("a")],
        ..scenario.clone()
    };
    let visited = measured(
        &["/a"],
        &tenants(),
        &[row(OperationKind::Read, &[])],
        &always,
        |one, _| {
            one.measured
                .routing
                .as_ref()
                .expect("a log")
                .visited
                .clone()
        },
    );
    assert_eq!(visited[0].keys().copied().collect::<Vec<_>>(), [1]);
}

#[test]
fn more_throughput_can_be_less_for_a_hot_value() {
    // A value of 8,000 RU/s passes at 8,000 on one partition; with more than 10,000 RU/s it gets half.
    let rows: Vec<Row> = (0..200 * 60)
        .map(|n| query(n * SECOND / 200, &[("a", "t1")], 40))
        .collect();
    let outcome = measured(
        &["/a"],
        &tenants(),
        &rows,
        &Scenario::default(),
        |one, _| one.required.clone(),
    );
    let required = outcome[0].as_ref().expect("times");
    // One request of 200 a second may be refused in two: 1 % of 8,000 RU/s.
    let smallest = required.throughput.expect("it is enough");
    assert!((7_900..=8_000).contains(&smallest), "{smallest}");
    let (low, high) = required.failing[0];
    assert_eq!(low, 10_100);
    assert!((15_700..=15_900).contains(&high), "{high}");
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (
        0..10 * SECOND,
        0..6_usize,
        0..40_u32,
        0..40_u32,
        1..60_u64,
        1..4_u64,
    );
    proptest::collection::vec(row, 1..40).prop_map(|rows| {
        let row = |(time, kind, a, b, charge, count): (i64, usize, u32, u32, u64, u64)| {
            let (a, b) = (format!("t{a}"), b.to_string());
            let fixed = match kind {
                0 => vec![("a", a.clone())],
                1 => vec![("a", a.clone()), ("b", b.clone())],
                2 => vec![("b", b.clone())],
                _ => Vec::new(),
            };
            let point = kind >= 4;
            Row {
                time,
                kind: if kind == 4 {
                    OperationKind::Create
                } else if point {
                    OperationKind::Delete
                } else {
                    OperationKind::Query
                },
                id: (kind == 5).then(|| b.clone()),
                fixed,
                item: (kind == 4).then(|| json!({"id": b, "a": a})),
                charge: charge * MICRO,
                count,
            }
        };
        rows.into_iter().map(row).collect()
    })
}

const KEYS: [&str; 6] = [
    "/a",
    "/a,/b",
    "/id",
    "{/a}-{/b}",
    "{/a}.{#7}",
    "{/a}.{/b%5}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn charge_and_bytes_are_conserved_from_input_to_partitions(rows in rows(), partitions in 1..9_u32) {
        let scenario = Scenario { partitions: Some(partitions), throughput: Some(1000), ..Scenario::default() };
        let items = tenants();
        for (charge, base, overhead, lookups, bytes) in measured(&KEYS, &items, &rows, &scenario, |one, _| {
            let measured = &one.measured;
            let charge: u128 = measured.physical.iter().map(|one| one.charge).sum();
            let bytes: u64 = measured.physical.iter().map(|one| one.data.bytes).sum();
            let throughput = measured.throughput.as_ref().expect("a log");
            let base: u128 = rows.iter().map(|row| u128::from(row.charge) * u128::from(row.count)).sum();
            // A delete whose key is not known looks its item up first.
            let looked_up = |row: &&Row| row.kind == OperationKind::Delete && one.bench.profile.candidate().text != "/id";
            let lookups: u64 = rows.iter().filter(looked_up).map(|row| row.count).sum();
            (charge, base, throughput.overhead, u128::from(lookups * QUERY_CHARGE_MIN), bytes)
        }) {
            prop_assert_eq!(charge, base + overhead + lookups);
            prop_assert_eq!(bytes, 1000 * items.len() as u64);
        }
    }

    #[test]
    fn other_candidates_change_no_number_of_one(rows in rows()) {
        let scenario = Scenario { throughput: Some(20_000), ..Scenario::default() };
        let read = |one: &Compared, _: &Frame| (one.measured.clone(), one.required.clone());
        let together = measured(&KEYS, &tenants(), &rows, &scenario, read);
        for (key, of_all) in KEYS.iter().zip(together) {
            prop_assert_eq!(&measured(&[key], &tenants(), &rows, &scenario, read)[0], &of_all);
        }
    }

    #[test]
    fn the_order_of_rows_changes_nothing(rows in rows()) {
        let mut backward = rows.clone();
        backward.reverse();
        let scenario = Scenario { throughput: Some(400), ..Scenario::default() };
        let read = |one: &Compared, _: &Frame| (one.measured.clone(), one.required.clone());
        let (one, other) = (measured(&KEYS, &tenants(), &rows, &scenario, read), measured(&KEYS, &tenants(), &backward, &scenario, read));
        prop_assert_eq!(one, other);
    }

    #[test]
    fn a_count_is_as_good_as_so_many_rows(charge in 1..600_u64, count in 1..40_u64) {
        // Each second `count` requests: once as one row a second, once as one row for each request.
        let counted: Vec<Row> = (0..30).map(|second| Row { count, ..query(second * SECOND, &[("a", "t1")], charge) }).collect();
        let single: Vec<Row> = (0..30 * count as i64)
            .map(|n| query(n * SECOND / count as i64, &[("a", "t1")], charge))
            .collect();
        let required = |rows: &[Row]| {
            measured(&["/a"], &tenants(), rows, &Scenario::default(), |one, _| one.required.clone())[0].clone().expect("times")
        };
        let (counted, single) = (required(&counted), required(&single));
        let (Some(one), Some(other)) = (counted.throughput, single.throughput) else {
            prop_assert_eq!(counted.throughput, single.throughput);
            return Ok(());
        };
        prop_assert!(one.abs_diff(other) <= 100, "{} and {}", one, other);
    }
}
