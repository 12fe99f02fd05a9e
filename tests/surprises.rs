//! What surprises people who come from other dialects of SQL, one test each.

use pkadvisor::keys::{Candidate, Layout};
use pkadvisor::model::{KeyVersion, OptionsKey};
use pkadvisor::query::{Parameters, condition, parse, validate};
use pkadvisor::simulate::QueryRoute;

/// How far a query reaches under a key, with the number of values and of partitions of 50.
fn goes(key: &str, query: &str) -> (&'static str, Option<u64>, u64) {
    let parameters = Parameters::new();
    let Ok(parsed) = parse(query) else {
        return ("invalid", None, 0);
    };
    if validate(&parsed, &parameters).is_err() {
        return ("invalid", None, 0);
    }
    let candidate = Candidate::parse(key, KeyVersion::V2).expect(key);
    let route = QueryRoute::new(
        &candidate,
        &condition(&parsed, &parameters),
        &OptionsKey::None,
        1000,
    );
    let layout = Layout::equal(50, candidate.kind, candidate.version);
    (
        route.routing.name(),
        route.values,
        route.visited(&candidate, &layout),
    )
}

fn filter(condition: &str) -> (&'static str, Option<u64>) {
    let (routing, values, _) = goes("/key", &format!("SELECT * FROM c WHERE {condition}"));
    (routing, values)
}

const ONE: (&str, Option<u64>) = ("single", Some(1));
const ALL: (&str, Option<u64>) = ("fan-out", None);
const NONE: (&str, Option<u64>) = ("none", Some(0));
const INVALID: (&str, Option<u64>) = ("invalid", None);

macro_rules! surprises {
    ($($name:ident: $($filter:literal => $expected:expr),+;)+) => {
        $(#[test]
        fn $name() {
            $(assert_eq!(filter($filter), $expected, "{}", $filter);)+
        })+
    };
}

surprises! {
    not_binds_tighter_than_equals: "NOT c.key = 5" => ALL, "NOT (c.key = 5)" => ALL, "NOT c.key" => ONE;
    a_bare_property_is_the_value_true: "c.key" => ONE, "c.key AND c.other = 1" => ONE;
    double_quotes_make_strings: "c.key = \"x\"" => ONE, "\"key\" = 'x'" => NONE;
    null_is_compared_with_equals_and_is_null_is_no_syntax: "c.key = null" => ONE, "IS_NULL(c.key)" => ONE, "c.key IS NULL" => INVALID, "c.key IS NOT NULL" => INVALID;
    ranges_on_the_key_fan_out: "c.key > 5" => ALL, "c.key BETWEEN 1 AND 2" => ALL, "c.key >= 5 AND c.key <= 5" => ALL;
    prefixes_of_text_fan_out: "STARTSWITH(c.key, 'a')" => ALL, "c.key LIKE 'a%'" => ALL;
    a_pattern_without_wildcards_is_one_value: "c.key LIKE 'a'" => ONE, "c.key LIKE 'a!%' ESCAPE '!'" => ONE;
    lists_are_one_value_for_each_distinct_member: "c.key IN (1, 2, 2.0)" => ("targeted", Some(2)), "c.key IN ('x')" => ONE, "c.key NOT IN (1)" => ALL;
    numbers_and_text_are_different_values: "c.key IN (1, '1')" => ("targeted", Some(2)), "c.key IN (1, 1.0, 1e0)" => ONE;
    text_is_compared_with_its_case: "c.key IN ('A', 'a')" => ("targeted", Some(2)), "LOWER(c.key) = 'a'" => ALL;
    arrays_and_objects_are_the_undefined_value: "c.key IN ([], {}, [1])" => ONE, "c.key = []" => ONE;
    unequal_is_no_value: "c.key != 1" => ALL, "c.key <> 1" => ALL, "c.key = undefined" => ALL;
    an_or_with_a_free_branch_fans_out: "c.key = 1 OR c.other = 2" => ALL, "c.key = 1 OR c.key = 2" => ("targeted", Some(2));
    contradictions_find_nothing: "c.key = 1 AND c.key = 2" => NONE, "false" => NONE, "1 = 2" => NONE, "ARRAY_CONTAINS([1, 2], c.key) AND c.key = 4" => NONE;
    either_side_of_an_equality_may_be_the_value: "5 = c.key" => ONE, "c[\"key\"] = 5" => ONE;
    absolute_values_are_two_values: "ABS(c.key) = 1" => ("targeted", Some(2));
    booleans_are_two_values: "IS_BOOL(c.key)" => ("targeted", Some(2)), "IS_DEFINED(c.key)" => ALL, "IS_STRING(c.key)" => ALL;
    user_defined_functions_fan_out: "udf.f(c.key)" => ALL, "udf.f(c.key) = 1" => ALL;
    names_of_properties_have_their_case: "c.Key = 1" => ALL;
    a_doubled_quote_is_no_escape: "c.key = 'it''s'" => INVALID, "c.key = 'it\\'s'" => ONE;
    comparisons_with_other_properties_fan_out: "c.key = c.other" => ALL;
    an_exclamation_mark_is_no_operator: "!c.key" => INVALID;
}

#[test]
fn an_alias_hides_the_name_of_the_container() {
    assert_eq!(
        goes("/key", "SELECT * FROM Items AS i WHERE i.key = 1").0,
        "single"
    );
    assert_eq!(
        goes("/key", "SELECT * FROM Items AS i WHERE Items.key = 1").0,
        "invalid"
    );
    assert_eq!(
        goes("/key", "SELECT * FROM root r WHERE c.key = 1").0,
        "invalid"
    );
}

#[test]
fn a_filter_inside_a_projected_subquery_does_not_route() {
    let query = "SELECT (SELECT VALUE 1 FROM t IN c.tags WHERE c.key = 1) FROM c";
    assert_eq!(goes("/key", query).0, "fan-out");
}

#[test]
fn a_filter_on_a_joined_child_does_not_route_and_one_on_the_root_does() {
    assert_eq!(
        goes("/key", "SELECT t.x FROM c JOIN t IN c.tags WHERE t.key = 1").0,
        "fan-out"
    );
    assert_eq!(
        goes("/key", "SELECT t.x FROM c JOIN t IN c.tags WHERE c.key = 1").0,
        "single"
    );
}

#[test]
fn top_order_and_groups_change_no_range() {
    assert_eq!(
        goes("/key", "SELECT TOP 1 * FROM c ORDER BY c.x").0,
        "fan-out"
    );
    assert_eq!(
        goes(
            "/key",
            "SELECT COUNT(1) AS n FROM c WHERE c.key = 1 GROUP BY c.x"
        )
        .0,
        "single"
    );
}

#[test]
fn what_reads_no_item_is_sent_to_one_partition_of_a_hash_and_to_all_of_a_hierarchy() {
    assert_eq!(goes("/key", "SELECT 1"), ("none", Some(0), 1));
    assert_eq!(goes("/a,/b", "SELECT 1"), ("none", Some(0), 50));
}

#[test]
fn a_hierarchy_is_narrowed_from_its_first_level_on() {
    let of = |filter: &str| goes("/a,/b,/c", &format!("SELECT * FROM c WHERE {filter}")).0;
    assert_eq!(of("c.a = 1"), "targeted");
    assert_eq!(of("c.a = 1 AND c.c = 3"), "targeted");
    assert_eq!(of("c.b = 2 AND c.c = 3"), "fan-out");
    assert_eq!(of("c.a = 1 AND c.b = 2 AND c.c = 3"), "single");
    let product = goes(
        "/a,/b,/c",
        "SELECT * FROM c WHERE c.a IN (1, 2) AND c.b IN (1, 2) AND c.c = 3",
    );
    assert_eq!((product.0, product.1), ("targeted", Some(4)));
}

#[test]
fn more_values_than_an_application_would_ask_for_are_all() {
    let list: Vec<String> = (0..1001).map(|n| n.to_string()).collect();
    assert_eq!(filter(&format!("c.key IN ({})", list.join(","))), ALL);
    assert_eq!(
        filter(&format!("c.key IN ({})", list[..1000].join(","))),
        ("targeted", Some(1000))
    );
}
