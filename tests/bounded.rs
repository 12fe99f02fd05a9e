//! Candidates with more values than memory holds: what is kept is exact, what it stands for is conserved,
//! heavy values are known, and nothing depends on the order of the items.

use std::collections::BTreeMap;

use pkadvisor::ingest::PropertyNames;
use pkadvisor::keys::Candidate;
use pkadvisor::model::{Fields, KeyVersion};
use pkadvisor::profile::{Profile, ProfileSettings, Profiler};
use serde_json::{Value, json};

const KEYS: [&str; 5] = [
    "/id",
    "/user",
    "/tenant,/user",
    "{/tenant}-{/user}",
    "/tenant",
];

/// Bytes for each candidate: some thousand values.
const MEMORY: u64 = 1 << 20;

const ITEMS: usize = 60_000;

fn candidates() -> Vec<Candidate> {
    let key = |key: &&str| Candidate::parse(key, KeyVersion::V2).expect("a key");
    KEYS.iter().map(key).collect()
}

fn settings(memory: u64) -> ProfileSettings {
    ProfileSettings {
        memory: memory * KEYS.len() as u64,
        ..ProfileSettings::default()
    }
}

/// Every tenth item is of one user, and the others of users that have two or three.
fn items() -> Vec<(Value, u64)> {
    let item = |n: usize| {
        let user = match n % 10 {
            0 => "heavy".to_owned(),
            _ => format!("user {}", n * 7 % (ITEMS / 2)),
        };
        let item = json!({"id": n.to_string(), "user": user, "tenant": n % 7});
        (item, 500 + (n as u64 * 31) % 1000)
    };
    (0..ITEMS).map(item).collect()
}

fn profile(memory: u64, items: &[(Value, u64)]) -> Profile {
    let items = items.iter().map(|(item, bytes)| (item, *bytes));
    Profile::of_sized(&candidates(), &settings(memory), items)
}

/// The profile of parts that were read apart.
fn merged(parts: &[&[(Value, u64)]]) -> Profile {
    let profiler = |part: &&[(Value, u64)]| {
        let mut fields = Fields::default();
        let mut profiler = Profiler::new(&candidates(), &settings(MEMORY), &mut fields);
        for (item, bytes) in *part {
            profiler.add_whole(item, *bytes, &fields);
        }
        profiler
    };
    let all = parts.iter().map(profiler).reduce(Profiler::merge);
    all.expect("parts").finish(PropertyNames::default())
}

fn content(profile: &Profile) -> Vec<String> {
    let of = |candidate: &pkadvisor::profile::CandidateProfile| {
        let logical = candidate.logical_partitions();
        let all: Vec<_> = logical
            .iter()
            .map(|one| {
                (
                    one.epk(),
                    one.value(),
                    one.items,
                    one.bytes,
                    one.all_items,
                    one.all_bytes,
                )
            })
            .collect();
        format!(
            "{all:?} {:?} {:?}",
            candidate.level_counts(),
            logical.approximation()
        )
    };
    profile.candidates().iter().map(of).collect()
}

#[test]
fn order_and_parts_change_nothing() {
    let items = items();
    let whole = content(&profile(MEMORY, &items));
    let reversed: Vec<_> = items.iter().rev().cloned().collect();
    let (first, second) = items.split_at(ITEMS / 30);
    let (second, third) = second.split_at(ITEMS / 3);
    for other in [
        profile(MEMORY, &reversed),
        merged(&[first, second, third]),
        merged(&[third, first, second]),
    ] {
        for (one, other) in whole.iter().zip(content(&other)) {
            // The whole texts are too long for a message.
            assert!(
                *one == other,
                "{} and {}",
                &one[one.len() - 300..],
                &other[other.len() - 300..]
            );
        }
    }
}

#[test]
fn what_is_kept_is_exact_and_stands_for_all() {
    let items = items();
    let (exact, bounded) = (
        profile(u64::from(u32::MAX), &items),
        profile(MEMORY, &items),
    );
    for (exact, bounded) in exact.candidates().iter().zip(bounded.candidates()) {
        let key = &bounded.candidate().text;
        let truth: BTreeMap<_, _> = exact
            .logical_partitions()
            .iter()
            .map(|one| (one.epk(), (one.items, one.bytes, one.squared_bytes)))
            .collect();
        let logical = bounded.logical_partitions();
        assert_eq!(
            logical.iter().map(|one| one.all_items).sum::<u64>(),
            ITEMS as u64,
            "{key}"
        );
        let bytes: u64 = items.iter().map(|one| one.1).sum();
        assert_eq!(
            logical.iter().map(|one| one.all_bytes).sum::<u64>(),
            bytes,
            "{key}"
        );
        assert_eq!(exact.logical_partitions().approximation(), None);
        let Some(known) = logical.approximation() else {
            assert_eq!(key, "/tenant");
            continue;
        };
        assert!(
            logical.len() * 4 < exact.logical_partitions().len(),
            "{key} has few values"
        );
        for one in logical.iter().filter(|one| one.stands_for > 1) {
            assert_eq!(
                truth[&one.epk()],
                (one.items, one.bytes, one.squared_bytes),
                "{key}"
            );
        }
        for (estimate, truth) in bounded.level_counts().iter().zip(exact.level_counts()) {
            let error = (*estimate as f64 / *truth as f64 - 1.0).abs();
            assert!(
                error < 2.0 * known.count_margin,
                "{key}: {estimate} for {truth}"
            );
        }
        if key == "/user" {
            let heavy = logical
                .iter()
                .find(|one| one.items as f64 >= known.heavy_share * ITEMS as f64);
            let heavy = heavy.expect("a heavy value");
            assert_eq!(heavy.value().expect("its name").to_string(), "[\"heavy\"]");
            let error = (heavy.items as f64 - ITEMS as f64 / 10.0).abs() / ITEMS as f64;
            assert!(error < known.heavy_error, "{}", heavy.items);
            assert_eq!(heavy.stands_for, 1);
        }
    }
}

#[test]
fn the_load_of_ranges_of_keys_is_that_of_all_values() {
    let items = items();
    let (exact, bounded) = (
        profile(u64::from(u32::MAX), &items),
        profile(MEMORY, &items),
    );
    let by_sixteenth = |profile: &Profile, index: usize| {
        let mut loads = [0; 16];
        for one in profile.candidates()[index].logical_partitions().iter() {
            loads[usize::from(one.epk_bytes()[0] >> 2)] += one.all_items;
        }
        loads
    };
    for (index, key) in KEYS.iter().enumerate().take(2) {
        for (exact, bounded) in by_sixteenth(&exact, index)
            .into_iter()
            .zip(by_sixteenth(&bounded, index))
        {
            // What the last range before can leave to the next.
            assert!(
                exact.abs_diff(bounded) <= ITEMS as u64 / 2000,
                "{key}: {bounded} for {exact}"
            );
        }
    }
}
