//! No wanted item is ever missed: whatever a `WHERE` selects meets the condition found in it.

use std::ops::Bound;

use pkadvisor::model::property;
use pkadvisor::model::{KeyComponent, Predicate};
use pkadvisor::query::{
    BinaryOperator, Expression, Literal, Parameters, UnaryOperator, condition, parse,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The value of an expression over an item, by the rules of the language; `None` is undefined.
fn value(expression: &Expression, item: &Value) -> Option<Value> {
    match expression {
        Expression::Literal(Literal::Number(text)) => text.parse::<f64>().ok().map(|n| json!(n)),
        Expression::Literal(Literal::String(text)) => Some(json!(text)),
        Expression::Literal(Literal::Bool(flag)) => Some(json!(flag)),
        Expression::Literal(Literal::Null) => Some(Value::Null),
        Expression::Member(_, name) => item.get(name).cloned(),
        Expression::Unary(UnaryOperator::Not, operand) => {
            value(operand, item)?.as_bool().map(|flag| json!(!flag))
        }
        Expression::Unary(UnaryOperator::Minus, operand) => {
            value(operand, item)?.as_f64().map(|number| json!(-number))
        }
        Expression::And(operands) => logic(operands, item, false),
        Expression::Or(operands) => logic(operands, item, true),
        Expression::In(one, not, list) => {
            let one = value(one, item)?;
            let found = list
                .iter()
                .any(|other| value(other, item).as_ref() == Some(&one));
            Some(json!(found != *not))
        }
        Expression::Between(one, not, bounds) => {
            let low = compared(">=", one, &bounds.0, item)?;
            let high = compared("<=", one, &bounds.1, item)?;
            Some(json!((low && high) != *not))
        }
        Expression::Binary(operator, left, right) => {
            compared(operator.0, left, right, item).map(|flag| json!(flag))
        }
        Expression::Call(_, name, arguments) if name == "ABS" => {
            let number = value(arguments.first()?, item)?.as_f64()?;
            Some(json!(number.abs()))
        }
        Expression::Call(_, name, arguments) => {
            let argument = value(arguments.first()?, item);
            Some(json!(match name.as_str() {
                "IS_NULL" => argument == Some(Value::Null),
                "IS_BOOL" => argument.is_some_and(|value| value.is_boolean()),
                _ => argument.is_some(),
            }))
        }
        _ => None,
    }
}

/// `AND` is settled by what is false, `OR` by what is true.
fn logic(operands: &[Expression], item: &Value, settles: bool) -> Option<Value> {
    let values: Vec<Option<Value>> = operands.iter().map(|one| value(one, item)).collect();
    if values.contains(&Some(json!(settles))) {
        return Some(json!(settles));
    }
    let others = values.iter().all(|value| *value == Some(json!(!settles)));
    others.then(|| json!(!settles))
}

fn compared(operator: &str, left: &Expression, right: &Expression, item: &Value) -> Option<bool> {
    let (left, right) = (value(left, item)?, value(right, item)?);
    let order = match (&left, &right) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    };
    match operator {
        "=" => Some(left == right),
        "!=" => Some(left != right),
        "<" => order.map(std::cmp::Ordering::is_lt),
        "<=" => order.map(std::cmp::Ordering::is_le),
        ">" => order.map(std::cmp::Ordering::is_gt),
        ">=" => order.map(std::cmp::Ordering::is_ge),
        _ => None,
    }
}

fn meets(condition: &Predicate, item: &Value) -> bool {
    let value =
        |path| property(item, path).map_or(KeyComponent::Undefined, KeyComponent::from_json);
    let inside = |bound: &Bound<KeyComponent>, value: &KeyComponent, low: bool| match bound {
        Bound::Unbounded => true,
        Bound::Included(end) => value == end || (value > end) == low,
        Bound::Excluded(end) => value != end && (value > end) == low,
    };
    match condition {
        Predicate::Any | Predicate::Unknown(..) => true,
        Predicate::Nothing => false,
        Predicate::In(path, values) => values.contains(&value(path)),
        Predicate::Range(path, low, high) => {
            inside(low, &value(path), true) && inside(high, &value(path), false)
        }
        Predicate::And(conditions) => conditions.iter().all(|one| meets(one, item)),
        Predicate::Or(conditions) => conditions.iter().any(|one| meets(one, item)),
    }
}

fn literals() -> impl Strategy<Value = Expression> {
    prop_oneof![
        (0..3_u8).prop_map(|number| Literal::Number(format!("{number}.0"))),
        "[xy]".prop_map(Literal::String),
        any::<bool>().prop_map(Literal::Bool),
        Just(Literal::Null),
        Just(Literal::Undefined),
    ]
    .prop_map(Expression::Literal)
}

fn properties() -> impl Strategy<Value = Expression> {
    let root = || Box::new(Expression::Name("c".to_owned()));
    "[ab]".prop_map(move |name| Expression::Member(root(), name))
}

fn filters() -> impl Strategy<Value = Expression> {
    let operand =
        prop_oneof![3 => properties(), 2 => literals()].prop_recursive(2, 4, 2, |inner| {
            prop_oneof![
                inner
                    .clone()
                    .prop_map(|one| Expression::Call(false, "ABS".to_owned(), vec![one])),
                inner.prop_map(|one| Expression::Unary(UnaryOperator::Minus, Box::new(one))),
            ]
        });
    let operator = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let test = prop::sample::select(vec!["IS_NULL", "IS_BOOL", "IS_DEFINED"]);
    let one = || operand.clone().prop_map(Box::new);
    let list = proptest::collection::vec(operand.clone(), 1..4);
    let leaf = prop_oneof![
        4 => (operator, one(), one()).prop_map(|(operator, left, right)| {
            Expression::Binary(BinaryOperator(operator), left, right)
        }),
        2 => (one(), any::<bool>(), list).prop_map(|(one, not, list)| Expression::In(one, not, list)),
        2 => (one(), any::<bool>(), operand.clone(), operand.clone()).prop_map(
            |(one, not, low, high)| Expression::Between(one, not, Box::new((low, high)))
        ),
        1 => (test, operand.clone())
            .prop_map(|(name, one)| Expression::Call(false, name.to_owned(), vec![one])),
        1 => operand.clone(),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operands = || proptest::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            operands().prop_map(Expression::And),
            operands().prop_map(Expression::Or),
            inner.prop_map(|one| Expression::Unary(UnaryOperator::Not, Box::new(one))),
        ]
    })
}

fn items() -> impl Strategy<Value = Value> {
    let value = || {
        prop_oneof![
            (-2..3_i8).prop_map(|number| Some(json!(f64::from(number)))),
            "[xy]".prop_map(|text| Some(json!(text))),
            any::<bool>().prop_map(|flag| Some(json!(flag))),
            Just(Some(Value::Null)),
            Just(None),
        ]
    };
    (value(), value()).prop_map(|(a, b)| {
        let members = [("a", a), ("b", b)];
        let members = members
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(members.collect())
    })
}

proptest! {
    #[test]
    fn what_a_filter_selects_meets_its_condition(filter in filters(), items in proptest::collection::vec(items(), 8)) {
        let text = format!("SELECT * FROM c WHERE {filter}");
        let query = parse(&text).expect("the text of a tree");
        let condition = condition(&query, &Parameters::new());
        for item in items {
            let selected = value(&filter, &item) == Some(json!(true));
            prop_assert!(!selected || meets(&condition, &item), "{} selects {}: {:?}", text, item, condition);
        }
    }
}
