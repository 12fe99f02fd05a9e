//! What of a condition narrows nothing, and why.

use pkadvisor::model::PropertyPath;
use pkadvisor::query::{Note, Parameters, Unused, analyze, parse};

/// The notes on a condition.
fn notes(condition: &str) -> Vec<Note> {
    let query = parse(&format!(
        "SELECT * FROM c JOIN t IN c.tags WHERE {condition}"
    ));
    analyze(&query.expect(condition), &Parameters::new()).notes
}

#[test]
fn notes_say_what_narrows_nothing_and_why() {
    let key = || PropertyPath::parse("/key").ok();
    let function = |name: &str| Unused::Function(name.to_owned());
    for (condition, property, unused) in [
        ("c.key != 1", key(), Unused::Negation),
        ("c.key NOT IN (1)", key(), Unused::Negation),
        ("NOT (c.key = 1)", key(), Unused::Negation),
        ("c.key > 1", key(), Unused::Range),
        ("c.key BETWEEN 1 AND 2", key(), Unused::Range),
        ("LOWER(c.key) = 'x'", key(), function("LOWER")),
        ("STARTSWITH(c.key, 'x')", key(), function("STARTSWITH")),
        ("udf.f(c.key)", key(), Unused::UserFunction("f".to_owned())),
        ("c.key + 1 = 2", key(), Unused::Operator("+")),
        ("(c.key ?? 1) = 2", key(), Unused::Choice),
        ("c.key LIKE 'x%'", key(), Unused::Wildcard),
        ("c.key LIKE @p", key(), Unused::UnknownParameter),
        ("c.key = undefined", key(), Unused::Undefined),
        ("c.key IN (c.a)", key(), Unused::NotConstant),
        (
            "t.key = 1 AND t = 5",
            None,
            Unused::Element("t.key".to_owned()),
        ),
        ("c.key[0] = 1", None, Unused::Element("c.key[0]".to_owned())),
        (
            "EXISTS(SELECT 1 FROM c WHERE c.key = 1)",
            None,
            Unused::Subquery,
        ),
    ] {
        let notes = notes(condition);
        let found = notes.first().map(|note| (&note.property, &note.unused));
        assert_eq!(found, Some((&property, &unused)), "{condition}");
    }
    assert_eq!(notes("c.key = 1 AND c.a IN (1, 2)"), []);
    let many: Vec<String> = (0..100).map(|n| format!("c.p{n} > 1")).collect();
    assert_eq!(notes(&many.join(" AND ")).len(), 32);
}

#[test]
fn notes_tell_what_is_known_from_what_is_not_established() {
    let open = |condition: &str| {
        let notes = notes(condition);
        notes.iter().any(|note| !note.unused.is_established())
    };
    for condition in [
        "c.key != 1",
        "c.key = undefined",
        "NOT IS_DEFINED(c.key)",
        "LOWER(c.key) = 'x'",
        "c.key || '' = 'x'",
        "IIF(c.key = 1, true, false)",
        "(c.key ?? 1) = 1",
    ] {
        assert!(open(condition), "{condition}");
    }
    for condition in [
        "c.key > 1",
        "IS_DEFINED(c.key)",
        "c.key LIKE 'a%'",
        "c.key = c.a",
    ] {
        assert!(!open(condition), "{condition}");
    }
}
