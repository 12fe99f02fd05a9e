//! The key values of a candidate that a condition leaves.

use std::ops::Bound;

use pkadvisor::keys::{Candidate, KeySelection};
use pkadvisor::model::property;
use pkadvisor::model::{KeyComponent, KeyVersion, Predicate, PropertyPath};
use proptest::prelude::*;
use serde_json::{Value, json};

fn candidate(text: &str) -> Candidate {
    Candidate::parse(text, KeyVersion::V2).expect(text)
}

fn is_in(path: &str, values: &[Value]) -> Predicate {
    Predicate::In(
        PropertyPath::parse(path).expect(path),
        values.iter().map(KeyComponent::from_json).collect(),
    )
}

fn is(path: &str, value: Value) -> Predicate {
    is_in(path, &[value])
}

/// The selected keys in notation, or the word for another outcome.
fn select(key: &str, condition: &Predicate) -> String {
    match candidate(key).select(condition, 100) {
        KeySelection::Keys(keys) => keys
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
        KeySelection::Nothing => "nothing".to_owned(),
        KeySelection::Unknown { values, whole } => {
            format!("{values} unknown{}", if whole { "" } else { " prefixes" })
        }
        KeySelection::Everything => "everything".to_owned(),
        KeySelection::TooMany => "too many".to_owned(),
    }
}

#[test]
fn equalities_and_lists_on_the_key_are_its_values() {
    assert_eq!(select("/a", &is("/a", json!("x"))), "[\"x\"]");
    assert_eq!(
        select("/a", &is_in("/a", &[json!(2), json!(2.0), json!("2")])),
        "[2] [\"2\"]"
    );
    assert_eq!(select("/a", &is("/b", json!(1))), "everything");
    assert_eq!(
        select(
            "/a",
            &Predicate::And(vec![is("/a", json!(1)), is("/a", json!(2))])
        ),
        "nothing"
    );
    assert_eq!(
        select(
            "/a",
            &Predicate::Or(vec![is("/a", json!(1)), is("/b", json!(2))])
        ),
        "everything"
    );
    assert_eq!(select("/a", &is_in("/a", &[])), "nothing");
}

#[test]
fn a_hierarchy_is_narrowed_by_its_leading_levels_only() {
    let both = Predicate::And(vec![is("/a", json!(1)), is_in("/b", &[json!(2), json!(3)])]);
    assert_eq!(select("/a,/b,/c", &both), "[1,2] [1,3]");
    assert_eq!(select("/a,/b", &is("/b", json!(2))), "everything");
    assert_eq!(
        select(
            "/a,/b,/c",
            &Predicate::And(vec![is("/a", json!(1)), is("/c", json!(2))])
        ),
        "[1]"
    );
    assert_eq!(
        select("/a,/b", &Predicate::Or(vec![both, is("/a", json!(1))])),
        "[1]"
    );
}

#[test]
fn pairs_that_belong_together_are_not_crossed() {
    let pair = |a: i32, b: i32| Predicate::And(vec![is("/a", json!(a)), is("/b", json!(b))]);
    assert_eq!(
        select("/a,/b", &Predicate::Or(vec![pair(1, 2), pair(3, 4)])),
        "[1,2] [3,4]"
    );
}

#[test]
fn a_synthetic_key_is_known_when_all_its_parts_are() {
    let both = Predicate::And(vec![
        is_in("/a", &[json!("x"), json!("y")]),
        is("/b", json!(1.50)),
    ]);
    assert_eq!(select("{/a}-{/b}", &both), "[\"x-1.5\"] [\"y-1.5\"]");
    assert_eq!(select("{/a}-{/b}", &is("/a", json!("x"))), "everything");
    assert_eq!(
        select("{/t|month}", &is("/t", json!("2013-07-08T09:00:00Z"))),
        "[\"2013-07\"]"
    );
}

#[test]
fn a_suffix_costs_all_its_numbers_unless_it_can_be_computed() {
    assert_eq!(
        select("{/a}.{#3}", &is("/a", json!("x"))),
        "[\"x.1\"] [\"x.2\"] [\"x.3\"]"
    );
    assert_eq!(
        select("{/a}.{/b%3}", &is("/a", json!("x"))),
        "[\"x.1\"] [\"x.2\"] [\"x.3\"]"
    );
    let both = Predicate::And(vec![is("/a", json!("x")), is("/b", json!("a"))]);
    assert_eq!(select("{/a}.{/b%400}", &both), "[\"x.193\"]");
    assert_eq!(select("{/a}.{#101}", &is("/a", json!("x"))), "too many");
    assert_eq!(select("{/a}.{#3}", &is("/b", json!("x"))), "everything");
}

fn path(text: &str) -> PropertyPath {
    PropertyPath::parse(text).expect(text)
}

fn component(value: &Value) -> KeyComponent {
    KeyComponent::from_json(value)
}

/// From this on and before that.
fn half_open(at: &str, low: &Value, high: &Value) -> Predicate {
    Predicate::And(vec![
        Predicate::Range(path(at), Bound::Included(component(low)), Bound::Unbounded),
        Predicate::Range(path(at), Bound::Unbounded, Bound::Excluded(component(high))),
    ])
}

fn closed(at: &str, low: &Value, high: &Value) -> Predicate {
    let (low, high) = (component(low), component(high));
    Predicate::Range(path(at), Bound::Included(low), Bound::Included(high))
}

#[test]
fn a_closed_range_on_a_property_cut_to_days_is_its_days() {
    let range = closed(
        "/ts",
        &json!("2013-07-08T22:00:00Z"),
        &json!("2013-07-10T00:00:00Z"),
    );
    assert_eq!(
        select("{/ts|day}", &range),
        "[\"2013-07-08\"] [\"2013-07-09\"] [\"2013-07-10\"]"
    );
    assert_eq!(select("{/ts|month}", &range), "[\"2013-07\"]");
    assert_eq!(
        select("{/ts|year}/{/ts|day}", &range),
        "[\"2013/2013-07-08\"] [\"2013/2013-07-09\"] [\"2013/2013-07-10\"]"
    );
    let with_tenant = Predicate::And(vec![is("/t", json!("x")), range.clone()]);
    assert_eq!(
        select("/t,{/ts|day}", &with_tenant),
        "[\"x\",\"2013-07-08\"] [\"x\",\"2013-07-09\"] [\"x\",\"2013-07-10\"]"
    );
    assert_eq!(
        select("{/ts|month}.{/ts%2}", &range),
        "[\"2013-07.1\"] [\"2013-07.2\"]"
    );
}

#[test]
fn an_open_end_at_midnight_leaves_the_next_day_out() {
    let (low, high) = (json!("2013-07-08T00:00:00Z"), json!("2013-07-10T00:00:00Z"));
    assert_eq!(
        select("{/ts|day}", &half_open("/ts", &low, &high)),
        "[\"2013-07-08\"] [\"2013-07-09\"]"
    );
    let later = json!("2013-07-10T00:00:01Z");
    assert_eq!(
        select("{/ts|day}", &half_open("/ts", &low, &later)),
        "[\"2013-07-08\"] [\"2013-07-09\"] [\"2013-07-10\"]"
    );
    let (low, high) = (json!(1373241600), json!(1373328000));
    assert_eq!(
        select("{/ts|day}", &half_open("/ts", &low, &high)),
        "[\"2013-07-08\"]"
    );
    assert_eq!(
        select("{/ts|day}", &half_open("/ts", &high, &low)),
        "nothing"
    );
}

#[test]
fn a_range_narrows_nothing_else() {
    let range = closed("/ts", &json!("2013-07-08"), &json!("2013-07-09"));
    for key in [
        "/ts",
        "{/ts}",
        "{/ts|first:10}",
        "{/ts|day}-{/ts|lower}",
        "{/ts|day}-{/a}",
    ] {
        assert_eq!(select(key, &range), "everything", "{key}");
    }
    let from = Predicate::Range(
        path("/ts"),
        Bound::Included(component(&json!("2013-07-08"))),
        Bound::Unbounded,
    );
    assert_eq!(select("{/ts|day}", &from), "everything");
    let mixed = half_open("/ts", &json!("2013-07-08"), &json!("2013-07-09T00:00:00Z"));
    assert_eq!(select("{/ts|day}", &mixed), "everything");
    let long = closed("/ts", &json!("2013-07-08"), &json!("2014-07-08"));
    assert_eq!(select("{/ts|day}", &long), "too many");
    let fixed = Predicate::And(vec![range, is("/ts", json!("2013-07-08"))]);
    assert_eq!(select("{/ts|day}", &fixed), "[\"2013-07-08\"]");
    assert_eq!(select("/ts", &fixed), "[\"2013-07-08\"]");
}

#[test]
fn values_that_are_not_known_are_counted() {
    let one = |at: &str| Predicate::Unknown(path(at), 1);
    assert_eq!(select("/a", &one("/a")), "1 unknown");
    assert_eq!(select("/a,/b", &one("/a")), "1 unknown prefixes");
    let or = Predicate::Or(vec![one("/a"), one("/a"), is("/a", json!(1))]);
    assert_eq!(select("/a", &or), "3 unknown");
    let and = Predicate::And(vec![one("/a"), is_in("/a", &[json!(1), json!(2)])]);
    assert_eq!(select("/a", &and), "1 unknown");
    let and = Predicate::And(vec![one("/a"), is("/a", json!(1))]);
    assert_eq!(select("/a", &and), "[1]");
    let both = Predicate::And(vec![one("/a"), is_in("/b", &[json!(1), json!(2)])]);
    assert_eq!(select("/a,/b", &both), "2 unknown");
    assert_eq!(select("{/a}.{/b%9}.{#3}", &both), "6 unknown");
    assert_eq!(select("{/a}.{/c%5}", &both), "5 unknown");
    assert_eq!(select("/b,/a,/c", &both), "2 unknown prefixes");
    assert_eq!(select("{/a}.{#101}", &one("/a")), "too many");
}

#[test]
fn alternatives_for_one_property_are_one_list() {
    let many = Predicate::Or((0..2000).map(|n| is("/a", json!(n))).collect());
    match candidate("/a").select(&many, 16_000) {
        KeySelection::Keys(keys) => assert_eq!(keys.len(), 2000),
        other => panic!("{other:?}"),
    }
    assert_eq!(select("/a", &many), "too many");
}

/// Moments of three days, in order.
fn moments() -> Vec<Value> {
    let times = ["00:00:00", "00:00:01", "09:30:00", "23:59:59"];
    (8..11)
        .flat_map(|day| times.map(|time| json!(format!("2013-07-{day:02}T{time}Z"))))
        .collect()
}

/// The same in seconds since 1970.
fn seconds() -> Vec<Value> {
    let times = [0, 1, 34_200, 86_399];
    (0..3)
        .flat_map(|day| times.map(|time| json!(1_373_241_600 + day * 86_400 + time)))
        .collect()
}

fn ranges(at: &'static str, values: Vec<Value>) -> impl Strategy<Value = Predicate> {
    let bound = move || {
        let value = prop::sample::select(values.clone());
        (value, 0..3_u8).prop_map(|(value, kind)| match kind {
            0 => Bound::Included(component(&value)),
            1 => Bound::Excluded(component(&value)),
            _ => Bound::Unbounded,
        })
    };
    (bound(), bound()).prop_map(move |(low, high)| Predicate::Range(path(at), low, high))
}

fn conditions() -> impl Strategy<Value = Predicate> {
    let leaf = prop_oneof![
        Just(Predicate::Any),
        Just(Predicate::Nothing),
        ("/[abc]", proptest::collection::vec(0..3_u8, 0..3)).prop_map(|(path, values)| is_in(
            &path,
            &values.into_iter().map(|n| json!(n)).collect::<Vec<_>>()
        )),
        prop::sample::subsequence(moments(), 1..4).prop_map(|values| is_in("/t", &values)),
        ("/[abct]", 0..3_usize).prop_map(|(at, count)| Predicate::Unknown(path(&at), count)),
        ranges("/t", moments()),
        ranges("/n", seconds()),
        ranges("/a", vec![json!(0), json!(1), json!("x")]),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Predicate::And),
            proptest::collection::vec(inner, 0..3).prop_map(Predicate::Or),
        ]
    })
}

fn meets(condition: &Predicate, item: &Value) -> bool {
    let value = |path| property(item, path).map_or(KeyComponent::Undefined, component);
    match condition {
        Predicate::Any => true,
        Predicate::Nothing => false,
        Predicate::In(path, values) => values.contains(&value(path)),
        Predicate::Unknown(_, count) => *count > 0,
        Predicate::Range(path, low, high) => {
            let value = value(path);
            let same_type = |bound: &KeyComponent| {
                std::mem::discriminant(bound) == std::mem::discriminant(&value)
            };
            let above = match low {
                Bound::Included(bound) => same_type(bound) && value >= *bound,
                Bound::Excluded(bound) => same_type(bound) && value > *bound,
                Bound::Unbounded => true,
            };
            let below = match high {
                Bound::Included(bound) => same_type(bound) && value <= *bound,
                Bound::Excluded(bound) => same_type(bound) && value < *bound,
                Bound::Unbounded => true,
            };
            above && below
        }
        Predicate::And(conditions) => conditions.iter().all(|one| meets(one, item)),
        Predicate::Or(conditions) => conditions.iter().any(|one| meets(one, item)),
    }
}

const KEYS: [&str; 14] = [
    "/a",
    "/b,/a",
    "/a,/b,/c",
    "/t",
    "{/a}-{/c}",
    "{/b}.{#4}",
    "{/a}.{/c%5}",
    "{/c%2},{/a|first:1}",
    "{/t|day}",
    "{/t|hour}-{/a}",
    "/a,{/t|month},{/n|minute}",
    "{/t|day}.{/t%3}",
    "{/t|year}/{/t|day}",
    "{/n|day}",
];

proptest! {
    /// The rule behind every count of partitions: no wanted item is ever missed.
    #[test]
    fn the_key_of_every_item_that_meets_the_condition_is_selected(
        condition in conditions(),
        (a, b, c) in (0..3_u8, 0..3_u8, 0..3_u8),
        t in prop::sample::select(moments()),
        n in prop::sample::select(seconds()),
    ) {
        let item = json!({"a": a, "b": b, "c": c, "t": t, "n": n, "id": "1"});
        for key in KEYS {
            let candidate = candidate(key);
            let value = candidate.key_of(&item, 7).value;
            let selected = match candidate.select(&condition, 100) {
                KeySelection::Nothing => false,
                KeySelection::Keys(keys) => keys.iter().any(|key| value.0.starts_with(&key.0)),
                KeySelection::Unknown { .. } | KeySelection::Everything | KeySelection::TooMany => true,
            };
            prop_assert!(selected || !meets(&condition, &item), "{} of {}", key, item);
        }
    }
}
