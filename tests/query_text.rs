//! The language from text to tree and back: what is accepted, what is refused with which hint, and
//! that every tree reads back from its own text.

use pkadvisor::query::{
    BinaryOperator, Count, Expression, Literal, Query, Selected, Selection, Source, SourceRoot,
    SubqueryKind, UnaryOperator, parse,
};
use proptest::prelude::*;

fn filter(condition: &str) -> Expression {
    let query = parse(&format!("SELECT * FROM c WHERE {condition}")).expect(condition);
    query.filter.expect("a condition")
}

fn printed(condition: &str) -> String {
    filter(condition).to_string()
}

/// Whether two conditions are one tree.
fn same(one: &str, other: &str) -> bool {
    filter(one) == filter(other)
}

fn reads_back(text: &str) {
    let query = parse(text).unwrap_or_else(|error| panic!("{error}: {text:.200}"));
    let printed = query.to_string();
    match parse(&printed) {
        Ok(again) => assert!(again == query, "{text:.200}\n{printed:.200}"),
        Err(error) => panic!("{error}: {text:.200}\n{printed:.200}"),
    }
}

#[test]
fn not_binds_tighter_than_equals() {
    assert!(same("NOT c.a = 5", "(NOT c.a) = 5"));
    assert!(!same("NOT c.a = 5", "NOT (c.a = 5)"));
    assert!(same("NOT c.a IN (1)", "(NOT c.a) IN (1)"));
    assert!(same("NOT c.a AND c.b", "(NOT c.a) AND c.b"));
}

#[test]
fn and_binds_tighter_than_or_and_coalesce_is_looser_than_both() {
    assert!(same("a OR b AND c ?? d", "(a OR (b AND c)) ?? d"));
    assert!(same("a ?? b ?? c", "a ?? (b ?? c)"));
    assert!(same("a ?? b ? c : d", "(a ?? b) ? c : d"));
    assert!(same("1 + 2 * 3 = 7 || ''", "(1 + (2 * 3)) = (7 || '')"));
}

#[test]
fn comparisons_chain_from_left_to_right_and_bits_stand_with_sums() {
    assert!(same("a = b = c", "(a = b) = c"));
    assert!(same("a < b << c", "(a < b) << c"));
    assert!(same("1 | 2 + 3 & 4", "((1 | 2) + 3) & 4"));
}

#[test]
fn a_test_takes_a_comparison_and_is_no_operand_of_one() {
    assert!(same("a = 1 IN (true)", "(a = 1) IN (true)"));
    assert!(same(
        "a IN (1) AND b LIKE 'x'",
        "(a IN (1)) AND (b LIKE 'x')"
    ));
    for condition in [
        "a IN (1) = 5",
        "a LIKE 'x' || 'y' IN (1)",
        "a IN (1) IN (true)",
        "a IN (1) BETWEEN 1 AND 2",
    ] {
        assert!(
            parse(&format!("SELECT * FROM c WHERE {condition}")).is_err(),
            "{condition}"
        );
    }
}

#[test]
fn double_quotes_make_strings() {
    assert!(same("c.a = \"it's\"", "c.a = 'it\\'s'"));
    assert!(same("c[\"a\"] = 1", "c['a'] = 1"));
    assert_eq!(
        filter("\"c.a\" = 1"),
        Expression::Binary(
            BinaryOperator("="),
            Box::new(Expression::Literal(Literal::String("c.a".to_owned()))),
            Box::new(Expression::Literal(Literal::Number("1".to_owned()))),
        )
    );
}

#[test]
fn no_parentheses_are_printed_that_can_be_left_out() {
    for condition in [
        "NOT c.a = 5",
        "a OR b AND c = 1",
        "(a OR b) AND c = 1",
        "a - (b - c) - d",
        "a BETWEEN 1 AND 2",
        "a AND b BETWEEN 1 AND 2",
        "(a BETWEEN 1 AND 2) AND b",
        "(a BETWEEN 1 AND 2) OR b",
        "a AND (b BETWEEN 1 AND 2) OR c",
        "-(-a.b)[0]",
        "- -a",
        "a - -1",
        "(1).a",
        "(1.5)[0]",
        "(LET x = a > 1 IN x) = 1",
        "a ? b : c ? d : e",
        "(a ? b : c) ? d : e",
        "(a ?? b) ?? c ?? d",
    ] {
        assert_eq!(printed(condition), condition);
    }
}

#[test]
fn a_number_before_a_dot_or_a_bracket_reads_back() {
    for condition in ["(1).a", "1 .a", "(1)[0]", "1[0]", "1. .a", ".5[0].b"] {
        reads_back(&format!("SELECT * FROM c WHERE {condition}"));
    }
}

#[test]
fn errors_say_where_and_give_their_hint() {
    let error = parse("SELECT *\nFROM c\nWHERE c.ä = 1").expect_err("a name of letters only");
    assert_eq!((error.line, error.column), (3, 9));
    let hint = error.hint.expect("a hint");
    assert!(error.to_string().ends_with(hint), "{error}");
    assert!(error.to_string().contains("line 3, column 9"), "{error}");
}

#[test]
fn habits_from_other_dialects_are_refused_with_a_hint() {
    for (query, hint) in [
        ("SELECT * FROM c WHERE c.a IS NULL", "IS_NULL("),
        ("SELECT * FROM c WHERE c.a IS NOT NULL", "NOT IS_NULL("),
        ("SELECT c.a IS NULL FROM c", "IS_NULL("),
        ("SELECT * FROM c WHERE !c.a", "NOT"),
        ("SELECT * FROM c WHERE c.a == 1", "one ="),
        ("SELECT * FROM c WHERE c.a = 1 && c.b = 2", "AND"),
        (
            "SELECT * FROM c WHERE c.x BETWEEN 1 AND 2 AND c.y = 3",
            "parentheses",
        ),
        (
            "SELECT * FROM c WHERE c.x NOT BETWEEN 1 AND 2 OR c.y = 3",
            "parentheses",
        ),
        ("SELECT * FROM \"c\"", "quotes make strings"),
        ("SELECT c.\"name\" FROM c", "c[\"name\"]"),
        ("SELECT c.`name` FROM c", "expected"),
        ("SELECT `name` FROM c", "c[\"name\"]"),
        ("SELECT c.[name] FROM c", "bracket"),
        ("SELECT c.order FROM c", "c[\"name\"]"),
        ("SELECT c.id AS value FROM c", "keyword"),
        ("SELECT COUNT(*) FROM c", "COUNT(1)"),
        ("SELECT c.* FROM c", "SELECT *"),
        ("SELECT TOP 5 PERCENT * FROM c", "PERCENT"),
        ("SELECT TOP 5 PERCENT c.a FROM c", "PERCENT"),
        ("SELECT * FROM c LIMIT 10", "OFFSET 0 LIMIT 10"),
        ("SELECT * FROM c OFFSET 10", "OFFSET and LIMIT"),
        ("SELECT * FROM c WHERE c.name's = 1", "c[\"it's\"]"),
        ("SELECT * FROM c WHERE c.name = 'it", "quote"),
        ("SELECT * FROM c WHERE c.name = \"it", "quote"),
        ("SELECT * FROM c WHERE c.name = 'it''s'", "quote inside"),
        ("SELECT * FROM c WHERE c.name = 'C:\\dir'", "backslash"),
        ("SELECT * FROM c WHERE c.name = ‘x’", "straight"),
        ("SELECT * FROM c WHERE c.größe = 1", "c[\"größe\"]"),
        ("SELECT * FROM c WHERE c.a = $x", "@name"),
        ("SELECT * FROM c;", "semicolon"),
        ("SELECT * FROM social-data d", "alias for the container"),
        (
            "SELECT * FROM c INNER JOIN d ON c.id = d.id",
            "JOIN x IN c.list",
        ),
        (
            "SELECT c.a, COUNT(1) FROM c GROUP BY c.a HAVING COUNT(1) > 1",
            "HAVING",
        ),
        ("SELECT * FROM c UNION SELECT * FROM d", "set operations"),
        ("SELECT CASE WHEN c.a THEN 1 ELSE 2 END FROM c", "IIF"),
        ("SELECT * FROM c WHERE c.a ILIKE 'x'", "CONTAINS"),
        ("DELETE FROM c WHERE c.a = 1", "SELECT"),
        ("SELECT * FROM c ORDER BY c.a WHERE c.b = 1", "order"),
        ("SELECT * FROM c ORDER BY RANK c.a", "FullTextScore"),
        ("SELECT 1 + LET x = 1 IN x", "parentheses"),
    ] {
        let error = parse(query).expect_err(query);
        let text = error.to_string();
        assert!(text.contains(hint), "{query}: {text}");
    }
}

#[test]
fn the_depth_of_a_query_is_bounded_however_it_is_built() {
    let repeated = |start: &str, text: &str, count: usize| {
        parse(&format!(
            "SELECT * FROM c WHERE {start}{}",
            text.repeat(count)
        ))
    };
    for (start, text) in [
        ("", "("),
        ("", "NOT "),
        ("", "- "),
        ("", "["),
        ("", "{a:"),
        ("", "f("),
        ("", "LET a = "),
        ("", "LET a = 1 IN "),
        ("", "EXISTS(SELECT * FROM c WHERE "),
        ("a", " + a"),
        ("a", " < a"),
        ("a", ".a"),
        ("a", "[0]"),
        ("a", " ?? a"),
        ("a", " ? a : a"),
        ("a", " ? a"),
        ("a", "[a"),
    ] {
        let count = 250_000 / text.len();
        assert!(repeated(start, text, count).is_err(), "{text}");
    }
    let condition = (0..90).fold("a".to_owned(), |inner, _| {
        format!("({inner}{})", " + a".repeat(500))
    });
    assert!(parse(&format!("SELECT * FROM c WHERE {condition}")).is_err());
    reads_back(&format!("SELECT * FROM c WHERE a{}", " + a".repeat(500)));
}

#[test]
fn parentheses_change_no_chain_of_and_or_or() {
    assert!(same("(a AND b) AND (c AND d)", "a AND b AND c AND d"));
    assert!(same("a OR (b OR (c OR d))", "((a OR b) OR c) OR d"));
    assert!(!same("a OR (b AND c)", "(a OR b) AND c"));
    // What predicate builders write for the 2,000 that the service bears.
    let left = format!("{}c.a = 0{}", "(".repeat(2000), " OR c.a = 1)".repeat(2000));
    let right = format!("{}c.a = 0{}", "(c.a = 1 OR ".repeat(2000), ")".repeat(2000));
    for condition in [left, right] {
        assert!(matches!(filter(&condition), Expression::Or(operands) if operands.len() == 2001));
    }
}

#[test]
fn the_deepest_chains_read_back() {
    for (start, text, end) in [
        ("", "NOT ", "a"),
        ("", "- ", "a"),
        ("a", " ?? a", ""),
        ("a", " ? a : a", ""),
        ("", "LET a = 1 IN ", "a"),
        ("", "~(1 - ", "a"),
        ("", "a AND (b OR ", "a"),
        ("", "a[", "a"),
        ("", "f(a ? 1 : ", "a"),
        ("", "(1 .a + ", "1 .a"),
        ("", "(SELECT VALUE ", "a BETWEEN 1 AND 2"),
    ] {
        let query = |count: usize| {
            let mut condition = format!("{start}{}{end}", text.repeat(count));
            let mut open: Vec<char> = Vec::new();
            for c in condition.chars() {
                match c {
                    '(' => open.push(')'),
                    '[' => open.push(']'),
                    ')' | ']' => drop(open.pop()),
                    _ => {}
                }
            }
            condition.extend(open.into_iter().rev());
            format!("SELECT * FROM c WHERE {condition}")
        };
        let fits = |count: usize| parse(&query(count)).is_ok();
        let (mut deepest, mut too_deep) = (1, 3000);
        while too_deep - deepest > 1 {
            let middle = usize::midpoint(deepest, too_deep);
            if fits(middle) {
                deepest = middle;
            } else {
                too_deep = middle;
            }
        }
        assert!(deepest >= 100, "{deepest} times {text:?}");
        for count in [deepest / 2, deepest - 1, deepest] {
            reads_back(&query(count));
        }
    }
}

#[test]
fn wide_conditions_read_back_up_to_the_limit_of_the_text() {
    let chain = |part: &str, count: usize| vec![part; count].join(" AND ");
    for condition in [
        chain("a=1", 25_000),
        chain("(a=1 OR b=2)", 12_000),
        chain("(a BETWEEN 1 AND 2)", 10_000),
        format!("a IN ({})", vec!["1"; 60_000].join(",")),
        vec!["a = 1 AND b = 2"; 10_000].join(" OR "),
        vec!["(a + 1) + 1 < 2"; 5_000].join(" OR "),
    ] {
        reads_back(&format!("SELECT * FROM c WHERE {condition}"));
    }
    let long = format!("SELECT * FROM c WHERE c.a = '{}'", "é".repeat(262_144));
    assert!(parse(&long).is_err_and(|error| error.hint.is_some()));
    assert!(parse(&format!("SELECT '{}'", "é".repeat(262_135))).is_ok());
}

/// `AND` in `AND` is one, and so is `OR` in `OR`.
fn flat(operands: Vec<Expression>, and: bool) -> Vec<Expression> {
    let flat = operands.into_iter().flat_map(|operand| match operand {
        Expression::And(inner) if and => inner,
        Expression::Or(inner) if !and => inner,
        other => vec![other],
    });
    flat.collect()
}

fn boxed(expression: impl Strategy<Value = Expression>) -> impl Strategy<Value = Box<Expression>> {
    expression.prop_map(Box::new)
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]|[a-z_][a-z0-9_]{4}|rank|udf|first|ALL|left".prop_filter("a keyword", |name| {
        !["limit", "order", "group", "where", "array"].contains(&name.as_str())
    })
}

fn leaves() -> impl Strategy<Value = Expression> {
    prop_oneof![
        "[0-9]{1,3}|[0-9]\\.[0-9]?|\\.[0-9]{2}|1e-?9"
            .prop_map(|text| Expression::Literal(Literal::Number(text))),
        "\\PC{0,4}|['\"\\\\a\n\t]{0,4}".prop_map(|text| Expression::Literal(Literal::String(text))),
        prop_oneof![
            Just(Literal::Null),
            Just(Literal::Undefined),
            any::<bool>().prop_map(Literal::Bool)
        ]
        .prop_map(Expression::Literal),
        name().prop_map(Expression::Name),
        name().prop_map(|name| Expression::Parameter(format!("@{name}"))),
    ]
}

fn expressions() -> impl Strategy<Value = Expression> {
    let operators: Vec<&'static str> = vec![
        "=", "!=", "<>", "<", ">", "<=", ">=", "<<", ">>", ">>>", "||", "|", "^", "&", "+", "-",
        "*", "/", "%", "??",
    ];
    leaves().prop_recursive(6, 60, 4, move |inner| {
        let list = |low: usize| proptest::collection::vec(inner.clone(), low..4);
        let one = || boxed(inner.clone());
        let unary = prop::sample::select(vec![
            UnaryOperator::Minus,
            UnaryOperator::Plus,
            UnaryOperator::BitNot,
            UnaryOperator::Not,
        ]);
        let text = proptest::option::of("[!'\"a]?".prop_map(String::from));
        prop_oneof![
            (one(), name()).prop_map(|(value, name)| Expression::Member(value, name)),
            (one(), one()).prop_map(|(value, index)| Expression::Index(value, index)),
            list(0).prop_map(Expression::Array),
            proptest::collection::vec(("\\PC{0,3}", inner.clone()), 0..3)
                .prop_map(Expression::Object),
            (unary, one()).prop_map(|(operator, value)| Expression::Unary(operator, value)),
            (prop::sample::select(operators.clone()), one(), one()).prop_map(
                |(operator, left, right)| Expression::Binary(BinaryOperator(operator), left, right)
            ),
            list(2).prop_map(|list| Expression::And(flat(list, true))),
            list(2).prop_map(|list| Expression::Or(flat(list, false))),
            (one(), any::<bool>(), list(1))
                .prop_map(|(value, not, list)| Expression::In(value, not, list)),
            (one(), any::<bool>(), inner.clone(), inner.clone()).prop_map(
                |(value, not, low, high)| Expression::Between(value, not, Box::new((low, high)))
            ),
            (one(), any::<bool>(), one(), text).prop_map(|(value, not, pattern, escape)| {
                Expression::Like(value, not, pattern, escape)
            }),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|parts| Expression::Conditional(Box::new(parts))),
            (any::<bool>(), name(), list(0))
                .prop_map(|(udf, name, list)| Expression::Call(udf, name, list)),
            (name(), inner.clone(), inner.clone())
                .prop_map(|(name, value, body)| Expression::Let(name, Box::new((value, body)))),
            (subqueries(), inner.clone()).prop_map(|(kind, value)| Expression::Subquery(
                kind,
                Box::new(select(value, Vec::new(), None))
            )),
        ]
    })
}

fn subqueries() -> impl Strategy<Value = SubqueryKind> {
    prop::sample::select(vec![
        SubqueryKind::Scalar,
        SubqueryKind::Exists,
        SubqueryKind::Array,
        SubqueryKind::All,
        SubqueryKind::First,
        SubqueryKind::Last,
    ])
}

fn select(value: Expression, from: Vec<Source>, filter: Option<Expression>) -> Query {
    Query {
        distinct: false,
        top: None,
        selection: Selection::Value(value),
        from,
        filter,
        group_by: Vec::new(),
        order_by: Vec::new(),
        rank: false,
        offset_limit: None,
    }
}

fn queries() -> impl Strategy<Value = Query> {
    let alias = proptest::option::of("[a-z]{1,3}|\\PC{0,3}|let|order|a b");
    let items = proptest::collection::vec((expressions(), alias), 1..3).prop_map(|items| {
        Selection::Items(
            items
                .into_iter()
                .map(|(value, alias)| Selected { value, alias })
                .collect(),
        )
    });
    let source =
        (name(), proptest::option::of(name()), any::<bool>()).prop_map(|(root, alias, each)| {
            Source {
                root: SourceRoot::Name(root),
                steps: vec![
                    Literal::String("a'b".to_owned()),
                    Literal::Number("0".to_owned()),
                ],
                each: each && alias.is_some(),
                alias,
            }
        });
    (
        items,
        proptest::collection::vec(source, 0..3),
        proptest::option::of(expressions()),
        any::<bool>(),
        proptest::option::of("[0-9]{1,3}"),
    )
        .prop_map(|(selection, from, filter, distinct, top)| Query {
            distinct,
            top: top.map(Count::Number),
            selection,
            ..select(Expression::Array(Vec::new()), from, filter)
        })
}

const QUERIES: [&str; 6] = [
    "SELECT * FROM c WHERE c.pk = 'x' AND (c.ts BETWEEN @a AND 5) OR NOT c.b IN (1, null)",
    "SELECT DISTINCT TOP 5 c.a AS b, COUNT(1) FROM root c JOIN t IN c['tags'] GROUP BY c.a",
    "SELECT VALUE {a: c.b ?? [1], 'x': udf.f(c) ? -1 : ~2} FROM c -- end\n/* of */ ORDER BY c.a DESC",
    "SELECT c.a FROM (SELECT VALUE d FROM d) AS c WHERE EXISTS(SELECT 1 FROM e IN c.e) OFFSET 0 LIMIT @n",
    "SELECT * FROM c ORDER BY RANK RRF(FullTextScore(c.t, \"a\\u00e9\"), VectorDistance(c.v, [1e-3, .5]))",
    "SELECT VALUE (LET x = c.a << 2 IN x) FROM c WHERE c.n NOT LIKE 'a!%' ESCAPE '!' AND c.a[0].b <> 1",
];

proptest! {
    #[test]
    fn generated_trees_read_back_from_their_text(query in queries()) {
        let text = query.to_string();
        prop_assert_eq!(parse(&text), Ok(query), "{}", text);
    }

    #[test]
    fn arbitrary_text_never_panics_and_what_parses_reads_back(
        text in "\\PC{0,40}|SELECT (\\*|VALUE|TOP|a|c|FROM|WHERE|AND|OR|NOT|IN|BETWEEN|LIKE|LET|[-+*/().,=<>?:@1\"' {}\\[\\]]| ){0,30}",
    ) {
        if let Ok(query) = parse(&text) {
            prop_assert_eq!(parse(&query.to_string()), Ok(query));
        }
    }

    #[test]
    fn mutated_queries_never_panic_and_what_parses_reads_back(
        which in 0..QUERIES.len(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..8_usize, "|[ ()\\[\\]{},.=<>?'\"\\\\@1a-]| AND | IN | NOT | BETWEEN "), 1..4),
    ) {
        let mut text: Vec<char> = QUERIES[which].chars().collect();
        for (place, length, new) in cuts {
            let from = place.index(text.len() + 1);
            let to = (from + length).min(text.len());
            text.splice(from..to, new.chars());
        }
        let text: String = text.into_iter().collect();
        if let Ok(query) = parse(&text) {
            prop_assert_eq!(parse(&query.to_string()), Ok(query));
        }
    }
}
