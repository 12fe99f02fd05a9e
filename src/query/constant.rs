//! The value of expressions that depend on no item.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::analysis::Parameters;
use super::ast::{Expression, Literal, UnaryOperator};

/// What an expression comes to without an item.
pub(super) enum Constant<'a> {
    /// This value.
    Value(Cow<'a, Value>),
    /// One value, but parameters that have none decide which.
    Unbound,
    /// It depends on the item, or is not computed.
    No,
}

/// The values that a query runs with.
#[derive(Clone, Copy)]
pub(super) struct Values<'a> {
    pub(super) parameters: &'a Parameters,
}

impl<'a> Values<'a> {
    /// What an expression comes to.
    pub(super) fn constant(self, expression: &Expression) -> Constant<'a> {
        match expression {
            Expression::Literal(literal) => match literal {
                Literal::Undefined => Constant::No,
                Literal::Null => owned(Value::Null),
                Literal::Bool(flag) => owned(Value::Bool(*flag)),
                Literal::Number(text) => text.parse().map_or(Constant::No, number),
                Literal::String(text) => owned(Value::String(text.clone())),
            },
            Expression::Parameter(name) => match self.parameters.get(name) {
                Some(value) => Constant::Value(Cow::Borrowed(value)),
                None => Constant::Unbound,
            },
            Expression::Array(values) => self
                .all(values)
                .map_or_else(|constant| constant, |values| owned(Value::Array(values))),
            Expression::Object(members) => {
                let (names, values): (Vec<&String>, Vec<&Expression>) =
                    members.iter().map(|(name, value)| (name, value)).unzip();
                self.all(values).map_or_else(
                    |constant| constant,
                    |values| {
                        let members = names.into_iter().cloned().zip(values);
                        owned(Value::Object(members.collect()))
                    },
                )
            }
            Expression::Unary(operator, operand) => match (operator, self.constant(operand)) {
                (_, Constant::Unbound) => Constant::Unbound,
                (operator, Constant::Value(value)) => unary(*operator, value),
                (_, Constant::No) => Constant::No,
            },
            Expression::Binary(operator, left, right) => {
                match (self.constant(left), self.constant(right)) {
                    (Constant::Value(left), Constant::Value(right)) => {
                        fold(operator.0, &left, &right).map_or(Constant::No, owned)
                    }
                    (Constant::No, _) | (_, Constant::No) => Constant::No,
                    _ => Constant::Unbound,
                }
            }
            Expression::Call(false, name, arguments) => self.all(arguments).map_or_else(
                |constant| constant,
                |values| super::fold::call(name, &values).map_or(Constant::No, owned),
            ),
            _ => Constant::No,
        }
    }

    fn all<'e>(
        self,
        expressions: impl IntoIterator<Item = &'e Expression>,
    ) -> Result<Vec<Value>, Constant<'a>> {
        let mut values = Vec::new();
        let mut unbound = false;
        for expression in expressions {
            match self.constant(expression) {
                Constant::Value(value) => values.push(value.into_owned()),
                Constant::Unbound => unbound = true,
                Constant::No => return Err(Constant::No),
            }
        }
        if unbound {
            return Err(Constant::Unbound);
        }
        Ok(values)
    }
}

fn owned<'a>(value: Value) -> Constant<'a> {
    Constant::Value(Cow::Owned(value))
}

fn number<'a>(value: f64) -> Constant<'a> {
    // What is beyond the range of a double is no number of JSON.
    serde_json::Number::from_f64(value).map_or(Constant::No, |number| owned(number.into()))
}

fn unary(operator: UnaryOperator, value: Cow<'_, Value>) -> Constant<'_> {
    match (operator, &*value) {
        (UnaryOperator::Minus, Value::Number(operand)) => operand
            .as_f64()
            .map_or(Constant::No, |operand| number(-operand)),
        (UnaryOperator::Plus, Value::Number(_)) => Constant::Value(value),
        (UnaryOperator::Not, Value::Bool(flag)) => owned(Value::Bool(!flag)),
        _ => Constant::No,
    }
}

/// Two constants with an operator between them; types that do not go together are left alone.
pub(super) fn fold(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::String(left), Value::String(right), "||") = (left, right, operator) {
        return Some(Value::String(format!("{left}{right}")));
    }
    let order = match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    };
    let compared = |is: fn(Ordering) -> bool| order.map(|order| Value::Bool(is(order)));
    match operator {
        "=" | "!=" | "<>" => {
            let same = std::mem::discriminant(left) == std::mem::discriminant(right);
            let equal = same.then(|| equal(left, right))?;
            return Some(Value::Bool(equal == (operator == "=")));
        }
        "<" => return compared(Ordering::is_lt),
        "<=" => return compared(Ordering::is_le),
        ">" => return compared(Ordering::is_gt),
        ">=" => return compared(Ordering::is_ge),
        _ => {}
    }
    let (left, right) = (left.as_f64()?, right.as_f64()?);
    let value = match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        _ => return None,
    };
    serde_json::Number::from_f64(value).map(Value::Number)
}

/// Whether two values are equal, numbers by their doubles.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left
            .as_f64()
            .zip(right.as_f64())
            .is_some_and(|(left, right)| left.partial_cmp(&right).is_some_and(Ordering::is_eq)),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, value)| right.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => left == right,
    }
}

/// The text that a `LIKE` pattern without wildcards stands for; `None` where it holds one.
pub(super) fn exact_pattern(pattern: &str, escape: Option<&str>) -> Option<String> {
    let escape = escape.and_then(|text| text.chars().next());
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            _ if Some(c) == escape => text.push(chars.next()?),
            '%' | '_' | '[' => return None,
            _ => text.push(c),
        }
    }
    Some(text)
}
