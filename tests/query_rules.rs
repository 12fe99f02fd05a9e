//! From `WHERE` to key values: one test for each rule of the service that surprises people.

use pkadvisor::keys::{Candidate, KeySelection};
use pkadvisor::model::KeyVersion;
use pkadvisor::query::{Parameters, condition, parse};
use serde_json::{Value, json};

/// The key values that a query leaves of a key, in notation, or the word for another outcome.
fn keys(key: &str, query: &str) -> String {
    with(key, query, &[("@p", json!("x")), ("@q", json!("a%"))])
}

fn with(key: &str, query: &str, parameters: &[(&str, Value)]) -> String {
    let candidate = Candidate::parse(key, KeyVersion::V2).expect(key);
    let parameters: Parameters = (parameters.iter())
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let query = parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    match candidate.select(&condition(&query, &parameters), 100) {
        KeySelection::Keys(keys) => {
            let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
            keys.join(" ")
        }
        KeySelection::Unknown { values, .. } => format!("{values} unknown"),
        KeySelection::Nothing => "nothing".to_owned(),
        KeySelection::Everything => "everything".to_owned(),
        KeySelection::TooMany => "too many".to_owned(),
    }
}

/// The key values that a condition leaves of `/key`.
fn of(condition: &str) -> String {
    keys("/key", &format!("SELECT * FROM c WHERE {condition}"))
}

fn all(conditions: &[&str], expected: &str) {
    for condition in conditions {
        assert_eq!(of(condition), expected, "{condition}");
    }
}

#[test]
fn an_equality_with_a_scalar_is_one_value() {
    for (condition, value) in [
        ("c.key = 5", "[5]"),
        ("c.key = 5.0", "[5]"),
        ("c.key = -5e-1", "[-0.5]"),
        ("c.key = -0", "[0]"),
        ("c.key = 'x'", "[\"x\"]"),
        ("c.key = \"\"", "[\"\"]"),
        ("c.key = true", "[true]"),
        ("c.key = null", "[null]"),
        ("c.key = '2013-07-08'", "[\"2013-07-08\"]"),
        ("c.key = 'こにちわ'", "[\"こにちわ\"]"),
        ("c.key = 9007199254740993", "[9007199254740992]"),
    ] {
        assert_eq!(of(condition), value, "{condition}");
    }
}

#[test]
fn a_number_and_its_text_are_two_values_and_case_counts() {
    assert_eq!(
        of("c.key IN (1, '1', 'A', 'a', 1.0)"),
        "[1] [\"1\"] [\"A\"] [\"a\"]"
    );
    assert_eq!(of("c.Key = 1"), "everything");
    assert_eq!(keys("/Key", "SELECT * FROM c WHERE c.Key = 1"), "[1]");
}

#[test]
fn arrays_and_objects_are_the_undefined_value() {
    all(
        &[
            "c.key = []",
            "c.key = {}",
            "c.key = [1]",
            "c.key IN ([], {a: 1})",
        ],
        "[{}]",
    );
}

#[test]
fn either_side_a_parameter_and_a_bracket_are_the_same_equality() {
    all(
        &[
            "c.key = 'x'",
            "'x' = c.key",
            "c.key = @p",
            "@p = c[\"key\"]",
            "c['key'] IN (@p)",
        ],
        "[\"x\"]",
    );
    let nested = "SELECT * FROM c WHERE c['a'].b[\"c d\"] = 1";
    assert_eq!(keys("/a/b/c d", nested), "[1]");
}

#[test]
fn alternatives_are_united_and_conditions_intersected() {
    assert_eq!(of("c.key = 1 OR c.key = 2"), "[1] [2]");
    assert_eq!(of("c.key IN (1, 2) AND c.key IN (2, 3)"), "[2]");
    all(
        &[
            "c.key = 1 AND c.key = 2",
            "ARRAY_CONTAINS([1, 2], c.key) AND c.key = 4",
        ],
        "nothing",
    );
    assert_eq!(of("(c.key = 1 AND c.key = 2) OR c.key = 3"), "[3]");
}

#[test]
fn other_conditions_beside_the_key_change_nothing() {
    all(
        &[
            "c.key = 1 AND c.a > 5 AND STARTSWITH(c.b, 'x')",
            "c.key = 1 AND udf.f(c.a)",
            "c.key = 1 AND EXISTS(SELECT VALUE t FROM t IN c.tags)",
            "(c.key = 1 AND c.a > 1) OR (c.key = 1 AND c.b < 1)",
        ],
        "[1]",
    );
}

#[test]
fn an_or_with_a_free_branch_fans_out() {
    all(
        &[
            "c.key = 1 OR c.a = 2",
            "c.key = 1 OR IS_DEFINED(c.a)",
            "c.key = 1 OR true",
        ],
        "everything",
    );
    assert_eq!(of("c.key = 1 OR false"), "[1]");
}

#[test]
fn a_range_on_the_key_fans_out() {
    all(
        &[
            "c.key > 1",
            "c.key >= 1 AND c.key <= 1",
            "5 < c.key",
            "c.key <> 1",
            "c.key < 'x'",
        ],
        "everything",
    );
}

#[test]
fn between_on_the_key_fans_out() {
    all(
        &["c.key BETWEEN 2 AND 3", "c.key BETWEEN 'a_001' AND 'a_999'"],
        "everything",
    );
    assert_eq!(of("(c.key BETWEEN 2 AND 3) AND c.key = 2"), "[2]");
}

#[test]
fn abs_is_undone() {
    assert_eq!(of("ABS(c.key) = 1"), "[-1] [1]");
    assert_eq!(of("0 = abs(c.key)"), "[0]");
    all(
        &["ABS(c.key) > 1", "ABS(ABS(c.key)) = 1", "ABS(c.key) = 'x'"],
        "everything",
    );
}

#[test]
fn an_array_of_constants_that_holds_the_key_is_its_values() {
    assert_eq!(of("ARRAY_CONTAINS([1, 'a'], c.key)"), "[1] [\"a\"]");
    assert_eq!(of("_TRY_ARRAY_CONTAINS([1], c.key)"), "[1]");
    let list = "SELECT * FROM c WHERE ARRAY_CONTAINS(@list, c.key)";
    assert_eq!(with("/key", list, &[("@list", json!([1, 2]))]), "[1] [2]");
    all(
        &["ARRAY_CONTAINS(c.key, 1)", "ARRAY_CONTAINS([c.a], c.key)"],
        "everything",
    );
}

#[test]
fn two_tests_of_types_leave_few_values_and_the_others_leave_any() {
    assert_eq!(of("IS_BOOL(c.key)"), "[false] [true]");
    assert_eq!(of("IS_NULL(c.key)"), "[null]");
    all(
        &[
            "IS_DEFINED(c.key)",
            "IS_NUMBER(c.key)",
            "IS_STRING(c.key)",
            "IS_ARRAY(c.key)",
            "IS_OBJECT(c.key)",
            "IS_PRIMITIVE(c.key)",
            "LENGTH(c.key) = 1",
        ],
        "everything",
    );
}

#[test]
fn a_bare_property_is_true_and_not_before_it_is_false() {
    assert_eq!(of("c.key"), "[true]");
    assert_eq!(of("NOT c.key"), "[false]");
    assert_eq!(of("not c.key AND c.a"), "[false]");
}

#[test]
fn not_before_an_equality_negates_the_property_alone() {
    // (NOT c.key) = 5, which no item meets; NOT (c.key = 5) is the negation.
    all(
        &[
            "NOT c.key = 5",
            "NOT (c.key = 5)",
            "c.key != 5",
            "c.key NOT IN (5)",
        ],
        "everything",
    );
}

#[test]
fn like_without_a_wildcard_is_an_equality() {
    assert_eq!(of("c.key LIKE 'a!%' ESCAPE '!'"), "[\"a%\"]");
    assert_eq!(of("c.key LIKE @p"), "[\"x\"]");
    all(
        &[
            "c.key LIKE 'a%'",
            "c.key LIKE 'p_1'",
            "c.key LIKE '[a]'",
            "c.key LIKE @q",
        ],
        "everything",
    );
}

#[test]
fn functions_and_operators_on_the_key_fan_out() {
    all(
        &[
            "STARTSWITH(c.key, '2')",
            "LOWER(c.key) = 'x'",
            "STRINGEQUALS(c.key, 'x', true)",
            "c.key || '' = 'x'",
            "c.key + 1 = 2",
            "udf.f(c.key) = 1",
            "ST_DISTANCE(c.key, {'type': 'Point', 'coordinates': [1, 2]}) < 5",
            "(c.key ?? 1) = 1",
            "c.key = 'x' ? true : false",
            "IIF(c.key = 'x', true, false)",
            "c.key = c.other",
            "c.key = undefined",
            "c.key IN (1, c.other)",
        ],
        "everything",
    );
}

#[test]
fn constants_are_computed_first() {
    all(&["true", "1 = 1", "'a' < 'b'", "[1] = [1.0]"], "everything");
    all(
        &[
            "false",
            "null",
            "1 + 1 > 2",
            "c.key = 1 AND 'a' = 'b'",
            "NOT true",
            "5",
            "[1] = [2]",
        ],
        "nothing",
    );
    assert_eq!(of("c.key = 'a' || '-' || @p"), "[\"a-x\"]");
    assert_eq!(of("c.key = 2 * 3 - 1"), "[5]");
    assert_eq!(
        of("c.key = 1e999"),
        "everything",
        "a number beyond all doubles"
    );
}

#[test]
fn a_query_without_from_reads_nothing_and_one_without_where_everything() {
    for query in ["SELECT 5", "SELECT VALUE ABS(42)", "SELECT 5 WHERE 1 = 1"] {
        assert_eq!(keys("/key", query), "nothing", "{query}");
    }
    assert_eq!(keys("/key", "SELECT * FROM c"), "everything");
}

#[test]
fn what_is_done_with_the_rows_changes_no_routing() {
    for query in [
        "SELECT TOP 5 * FROM c WHERE c.key = 1",
        "SELECT DISTINCT c.a FROM c WHERE c.key = 1 ORDER BY c.a OFFSET 1 LIMIT 2",
        "SELECT c.a, COUNT(1) FROM c WHERE c.key = 1 GROUP BY c.a",
        "SELECT VALUE AVG(c.a + 1) FROM c WHERE c.key = 1",
    ] {
        assert_eq!(keys("/key", query), "[1]", "{query}");
    }
}

#[test]
fn an_element_of_an_array_is_no_key() {
    assert_eq!(
        keys("/key[0]", "SELECT * FROM c WHERE c.key[0] = 'x'"),
        "everything"
    );
    assert_eq!(
        keys("/key", "SELECT * FROM c WHERE c.key[0] = 'x'"),
        "everything"
    );
    let elements = "SELECT * FROM c IN c.children WHERE c.key = 5";
    assert_eq!(keys("/key", elements), "everything");
}

#[test]
fn a_filter_on_the_child_of_a_join_fans_out_and_one_on_the_item_does_not() {
    let child = "SELECT t FROM c JOIN t IN c.lines WHERE t.key = 'x'";
    assert_eq!(keys("/key", child), "everything");
    let both = "SELECT t FROM c JOIN t IN c.lines WHERE t.key = 'x' AND c.key = 'a'";
    assert_eq!(keys("/key", both), "[\"a\"]");
    let hidden = "SELECT VALUE c FROM Root r JOIN c IN r.children WHERE c.key = 1";
    assert_eq!(keys("/key", hidden), "everything");
}

#[test]
fn a_filter_in_a_subquery_is_ignored_unless_it_is_compared() {
    let projected = "SELECT (SELECT * FROM c WHERE c.key = 42) FROM c";
    assert_eq!(keys("/key", projected), "everything");
    all(
        &[
            "EXISTS(SELECT VALUE t FROM t IN c.items WHERE t.key = 'x')",
            "EXISTS(SELECT * FROM c WHERE c.key = 42)",
            "NOT (c.a = (SELECT * FROM c WHERE c.key = 42))",
        ],
        "everything",
    );
    let compared = "c.a = (SELECT * FROM c WHERE c.key = 42 AND c.id = 5)";
    assert_eq!(of(compared), "[42]");
    assert_eq!(of(&format!("({compared}) AND c.key = 32")), "nothing");
    // The number of no rows is a value, which an item of any key can equal.
    assert_eq!(
        of("c.n = (SELECT VALUE COUNT(1) FROM c WHERE c.key = 42)"),
        "everything"
    );
    let from = "SELECT * FROM (SELECT * FROM c WHERE c.key = 1) s WHERE s.key = 1";
    assert_eq!(keys("/key", from), "everything");
}

#[test]
fn the_alias_is_the_item_whatever_the_container_is_called() {
    for from in ["root c", "Families AS c", "c"] {
        let query = format!("SELECT * FROM {from} WHERE c.key = 1");
        assert_eq!(keys("/key", &query), "[1]", "{query}");
    }
    assert_eq!(keys("/a/key", "SELECT * FROM c.a WHERE a.key = 1"), "[1]");
    assert_eq!(keys("/a/key", "SELECT * FROM c.a x WHERE x.key = 1"), "[1]");
}

#[test]
fn a_hierarchy_is_routed_by_its_leading_levels() {
    let of = |condition: &str| keys("/l1,/l2,/l3", &format!("SELECT * FROM c WHERE {condition}"));
    assert_eq!(of("c.l1 = 't'"), "[\"t\"]");
    assert_eq!(of("c.l1 = 't' AND c.l2 = 'u'"), "[\"t\",\"u\"]");
    assert_eq!(
        of("c.l3 = 1 AND c.l2 = 'u' AND c.l1 = 't'"),
        "[\"t\",\"u\",1]"
    );
    for condition in ["c.l2 = 'u'", "c.l3 = 1", "c.l2 = 'u' AND c.l3 = 1"] {
        assert_eq!(of(condition), "everything", "{condition}");
    }
    assert_eq!(of("c.l1 = 't' AND c.l3 = 1"), "[\"t\"]", "a gap");
    assert_eq!(of("c.l1 = 't' OR (c.l1 = 't' AND c.l2 = 'u')"), "[\"t\"]");
    assert_eq!(
        of("c.l1 IN ('a', 'b') AND c.l2 IN (1, 2)"),
        "[\"a\",1] [\"a\",2] [\"b\",1] [\"b\",2]"
    );
    assert_eq!(of("c.l1 = 't' OR c.l2 = 'u'"), "everything");
    assert_eq!(of("c.l1 = 1 AND c.l1 = 2"), "nothing");
}

#[test]
fn an_old_key_of_several_paths_needs_all_of_them() {
    let old = r#"{"partitionKey": {"paths": ["/a", "/b"], "kind": "Hash", "version": 2}}"#;
    let candidate = Candidate::from_container("@old", old).expect("a definition");
    let select = |text: &str| {
        let query = parse(text).expect(text);
        candidate.select(&condition(&query, &Parameters::new()), 100)
    };
    assert!(matches!(
        select("SELECT * FROM c WHERE c.b = false AND c.a = null"),
        KeySelection::Keys(keys) if keys.len() == 1
    ));
    assert_eq!(
        select("SELECT * FROM c WHERE c.a = null"),
        KeySelection::Everything
    );
}

#[test]
fn parameters_without_a_value_leave_a_number_of_values() {
    let none = |condition: &str| with("/key", &format!("SELECT * FROM c WHERE {condition}"), &[]);
    assert_eq!(none("c.key = @a"), "1 unknown");
    assert_eq!(none("c.key = @a || '-' || @b"), "1 unknown");
    assert_eq!(none("c.key IN (@a, @b, @c)"), "3 unknown");
    assert_eq!(none("c.key IN (@a, 'x')"), "2 unknown");
    assert_eq!(none("c.key = @a AND c.b = @b"), "1 unknown");
    for condition in [
        "c.key LIKE @a",
        "@a",
        "c.key = @a OR @b",
        "ARRAY_CONTAINS(@a, c.key)",
    ] {
        assert_eq!(none(condition), "everything", "{condition}");
    }
    assert_eq!(none("c.key = 1 AND @a = 2"), "[1]");
}

#[test]
fn a_range_of_time_is_a_set_of_days_where_the_key_is_cut_to_days() {
    let of = |condition: &str| keys("{/ts|day}", &format!("SELECT * FROM c WHERE {condition}"));
    let two = "[\"2013-07-08\"] [\"2013-07-09\"]";
    assert_eq!(of("c.ts BETWEEN '2013-07-08' AND '2013-07-09'"), two);
    assert_eq!(
        of("c.ts >= '2013-07-08' AND c.a = 1 AND '2013-07-10' > c.ts"),
        two
    );
    assert_eq!(of("c.ts >= '2013-07-08'"), "everything");
    assert_eq!(
        of("c.ts NOT BETWEEN '2013-07-08' AND '2013-07-09'"),
        "everything"
    );
    assert_eq!(
        of("c.ts >= 1373241600 AND c.ts < 1373328000"),
        "[\"2013-07-08\"]"
    );
    assert_eq!(
        keys("/ts", "SELECT * FROM c WHERE c.ts BETWEEN 1 AND 2"),
        "everything"
    );
}
