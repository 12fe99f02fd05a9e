//! From the `WHERE` of a query to the condition on properties that routing can use.
//!
//! The result is an upper bound: where the service's planner is not known to narrow, nothing is
//! narrowed. The rules are those that the planner's own plans show.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ast::{Expression, Literal, Query, Source, SourceRoot, SubqueryKind, UnaryOperator};
use crate::model::{KeyComponent, Predicate, PropertyPath};

/// Values of the parameters of a query, by their names with the `@`.
pub type Parameters = BTreeMap<String, Value>;

/// The condition that a query puts on the properties of items.
///
/// A query without `FROM` reads no item, and neither does one whose condition is constantly false.
pub fn condition(query: &Query, parameters: &Parameters) -> Predicate {
    let Some(root) = query.from.first() else {
        return Predicate::Nothing;
    };
    let analysis = Analysis { root, parameters };
    query
        .filter
        .as_ref()
        .map_or(Predicate::Any, |filter| analysis.condition(filter))
}

struct Analysis<'a> {
    root: &'a Source,
    parameters: &'a Parameters,
}

impl Analysis<'_> {
    fn condition(&self, expression: &Expression) -> Predicate {
        if let Some(value) = self.constant(expression) {
            // Anything but true selects nothing.
            return if value == Value::Bool(true) {
                Predicate::Any
            } else {
                Predicate::Nothing
            };
        }
        match expression {
            Expression::And(operands) => {
                Predicate::And(operands.iter().map(|one| self.condition(one)).collect())
            }
            Expression::Or(operands) => {
                Predicate::Or(operands.iter().map(|one| self.condition(one)).collect())
            }
            Expression::Binary(operator, left, right) if operator.0 == "=" => {
                let narrowed = self
                    .equality(left, right)
                    .or_else(|| self.equality(right, left));
                Predicate::And(
                    [narrowed, self.subquery(left), self.subquery(right)]
                        .into_iter()
                        .flatten()
                        .collect(),
                )
            }
            Expression::In(value, false, list) => {
                let components = list.iter().map(|one| self.component(one));
                match (self.path(value), components.collect::<Option<_>>()) {
                    (Some(path), Some(components)) => Predicate::In(path, components),
                    _ => Predicate::Any,
                }
            }
            Expression::Like(value, false, pattern, escape) => {
                match (self.path(value), self.constant(pattern)) {
                    (Some(path), Some(Value::String(pattern))) => {
                        match exact_pattern(&pattern, escape.as_deref()) {
                            Some(text) => {
                                Predicate::In(path, vec![KeyComponent::String(text.into())])
                            }
                            None => Predicate::Any,
                        }
                    }
                    _ => Predicate::Any,
                }
            }
            Expression::Unary(UnaryOperator::Not, operand) => self.holds(operand, false),
            Expression::Call(false, name, arguments) => self.call(name, arguments),
            other => self.holds(other, true),
        }
    }

    /// A property that stands alone as a condition.
    fn holds(&self, expression: &Expression, value: bool) -> Predicate {
        self.path(expression).map_or(Predicate::Any, |path| {
            Predicate::In(path, vec![KeyComponent::Bool(value)])
        })
    }

    fn equality(&self, side: &Expression, other: &Expression) -> Option<Predicate> {
        if let Some(path) = self.path(side) {
            return Some(Predicate::In(path, vec![self.component(other)?]));
        }
        let value = self.constant(other)?;
        match side {
            Expression::Call(false, name, arguments) if name.eq_ignore_ascii_case("abs") => {
                let (path, number) = (self.path(arguments.first()?)?, value.as_f64()?);
                let values = [-number, number].map(|number| KeyComponent::Number(number + 0.0));
                Some(Predicate::In(path, values.to_vec()))
            }
            _ => None,
        }
    }

    /// The component that a property is compared with: a constant, or the one value, not known, of a
    /// parameter without a value. `None` where it depends on the item.
    fn component(&self, expression: &Expression) -> Option<KeyComponent> {
        match expression {
            Expression::Parameter(name) if !self.parameters.contains_key(name) => {
                Some(KeyComponent::unbound(name))
            }
            other => self.constant(other).as_ref().map(KeyComponent::from_json),
        }
    }

    /// A scalar subquery that is compared with something adds its own condition, if it reads the same root.
    fn subquery(&self, side: &Expression) -> Option<Predicate> {
        match side {
            Expression::Subquery(SubqueryKind::Scalar, query)
                if query.from.first() == Some(self.root) =>
            {
                query.filter.as_ref().map(|filter| self.condition(filter))
            }
            _ => None,
        }
    }

    /// A property that must be one of these constants; what is no constant could be anything.
    fn membership(&self, value: &Expression, list: Option<Vec<Value>>) -> Predicate {
        match (self.path(value), list) {
            (Some(path), Some(list)) => {
                Predicate::In(path, list.iter().map(KeyComponent::from_json).collect())
            }
            _ => Predicate::Any,
        }
    }

    fn call(&self, name: &str, arguments: &[Expression]) -> Predicate {
        let path = || arguments.first().and_then(|argument| self.path(argument));
        let within = |values: Vec<KeyComponent>| {
            path().map_or(Predicate::Any, |path| Predicate::In(path, values))
        };
        match (name.to_ascii_uppercase().as_str(), arguments) {
            ("IS_BOOL", [_]) => within(vec![KeyComponent::Bool(false), KeyComponent::Bool(true)]),
            ("IS_NULL", [_]) => within(vec![KeyComponent::Null]),
            ("ARRAY_CONTAINS" | "_TRY_ARRAY_CONTAINS", [list, value]) => {
                match self.constant(list) {
                    Some(Value::Array(values)) => self.membership(value, Some(values)),
                    _ => Predicate::Any,
                }
            }
            _ => Predicate::Any,
        }
    }

    /// The path of a property of the item, where an expression is one.
    fn path(&self, expression: &Expression) -> Option<PropertyPath> {
        let mut names = Vec::new();
        let mut at = expression;
        loop {
            match at {
                Expression::Member(value, name) => {
                    names.push(name.as_str());
                    at = value;
                }
                Expression::Index(value, index) => match &**index {
                    Expression::Literal(Literal::String(name)) => {
                        names.push(name);
                        at = value;
                    }
                    _ => return None,
                },
                Expression::Name(name) if self.is_root(name) => break,
                _ => return None,
            }
        }
        let before = self.root.steps.iter().map(|step| match step {
            Literal::String(name) => Some(name.as_str()),
            _ => None,
        });
        let names: Vec<&str> = before
            .chain(names.into_iter().rev().map(Some))
            .collect::<Option<_>>()?;
        PropertyPath::from_names(names)
    }

    /// Whether a name stands for the item; an alias hides the name of the container.
    fn is_root(&self, name: &str) -> bool {
        match (&self.root.root, &self.root.alias) {
            _ if self.root.each => false,
            (SourceRoot::Subquery(_), _) => false,
            (SourceRoot::Name(_), Some(alias)) => alias == name,
            (SourceRoot::Name(container), None) => match self.root.steps.last() {
                None => container == name,
                // Without an alias the last step is the name.
                Some(step) => matches!(step, Literal::String(last) if last == name),
            },
        }
    }

    /// The value of an expression that depends on no item; `None` where it does, or is not computed.
    fn constant(&self, expression: &Expression) -> Option<Value> {
        match expression {
            Expression::Literal(literal) => match literal {
                Literal::Undefined => None,
                Literal::Null => Some(Value::Null),
                Literal::Bool(flag) => Some(Value::Bool(*flag)),
                Literal::Number(text) => text.parse().ok().map(number),
                Literal::String(text) => Some(Value::String(text.clone())),
            },
            Expression::Parameter(name) => self.parameters.get(name).cloned(),
            Expression::Array(values) => values
                .iter()
                .map(|one| self.constant(one))
                .collect::<Option<_>>()
                .map(Value::Array),
            Expression::Object(members) => {
                let member = |(name, value): &(String, Expression)| {
                    Some((name.clone(), self.constant(value)?))
                };
                members
                    .iter()
                    .map(member)
                    .collect::<Option<_>>()
                    .map(Value::Object)
            }
            Expression::Unary(operator, operand) => match (operator, self.constant(operand)?) {
                (UnaryOperator::Minus, Value::Number(value)) => {
                    value.as_f64().map(|value| number(-value))
                }
                (UnaryOperator::Plus, value @ Value::Number(_)) => Some(value),
                (UnaryOperator::Not, Value::Bool(flag)) => Some(Value::Bool(!flag)),
                _ => None,
            },
            Expression::Binary(operator, left, right) => {
                fold(operator.0, &self.constant(left)?, &self.constant(right)?)
            }
            Expression::And(operands) => self.all(operands, true),
            Expression::Or(operands) => self.all(operands, false),
            _ => None,
        }
    }

    /// `AND` (or `OR`): settled by one operand that is false (or true), whatever the others are.
    fn all(&self, operands: &[Expression], and: bool) -> Option<Value> {
        let values: Vec<Option<Value>> = operands.iter().map(|one| self.constant(one)).collect();
        if values.contains(&Some(Value::Bool(!and))) {
            return Some(Value::Bool(!and));
        }
        values
            .iter()
            .all(|value| *value == Some(Value::Bool(and)))
            .then_some(Value::Bool(and))
    }
}

fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Two constants with an operator between them; types that do not go together are left alone.
fn fold(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::String(left), Value::String(right), "||") = (left, right, operator) {
        return Some(Value::String(format!("{left}{right}")));
    }
    let same = std::mem::discriminant(left) == std::mem::discriminant(right);
    let order = match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    };
    match operator {
        "=" | "!=" | "<>" if same => {
            let equal = order.map_or_else(|| left == right, std::cmp::Ordering::is_eq);
            return Some(Value::Bool(equal == (operator == "=")));
        }
        "<" => return order.map(|order| Value::Bool(order.is_lt())),
        "<=" => return order.map(|order| Value::Bool(order.is_le())),
        ">" => return order.map(|order| Value::Bool(order.is_gt())),
        ">=" => return order.map(|order| Value::Bool(order.is_ge())),
        _ => {}
    }
    let (left, right) = (left.as_f64()?, right.as_f64()?);
    match operator {
        "+" => Some(left + right),
        "-" => Some(left - right),
        "*" => Some(left * right),
        _ => None,
    }
    .filter(|value| value.is_finite())
    .map(number)
}

/// The text that a `LIKE` pattern without wildcards stands for; `None` where it holds one.
fn exact_pattern(pattern: &str, escape: Option<&str>) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;

    fn of(filter: &str) -> String {
        let query = parse(&format!("SELECT * FROM c WHERE {filter}")).expect(filter);
        let parameters = Parameters::from([("@p".to_owned(), Value::from("x"))]);
        format!("{:?}", condition(&query, &parameters))
    }

    #[test]
    fn a_parameter_and_either_side_of_an_equality_fix_a_property() {
        let path = PropertyPath::from_names(["a", "b"]).expect("names");
        let expected = Predicate::And(vec![Predicate::In(
            path,
            vec![KeyComponent::String("x".into())],
        )]);
        assert_eq!(of("@p = c['a'].b"), format!("{expected:?}"));
        assert!(of("c.a = @unknown").contains("parameter @unknown"));
    }

    #[test]
    fn negated_conditions_narrow_nothing() {
        for filter in [
            "c.a != 1",
            "c.a NOT IN (1)",
            "NOT (c.a = 1)",
            "NOT c.a = 1",
            "c.a NOT LIKE 'x'",
            "c.a LIKE 'x%'",
            "c.a = undefined",
        ] {
            let predicate = of(filter);
            assert!(!predicate.contains("In("), "{filter}: {predicate}");
        }
    }

    #[test]
    fn what_is_constantly_false_selects_nothing() {
        assert_eq!(of("1 + 1 > 2 AND c.a = 1"), "Nothing");
        assert_eq!(of("1 = 1"), "Any");
    }
}
