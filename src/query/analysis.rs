//! From the `WHERE` of a query to the condition on properties that routing can use.
//!
//! The result is an upper bound: where the service's planner is not known to narrow, nothing is
//! narrowed, and a note says so. The rules are those that the planner's own plans show.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde_json::Value;

use super::ast::{Expression, Literal, Query, Source, SourceRoot, SubqueryKind, UnaryOperator};
use super::constant::{Constant, Values, exact_pattern, fold};
use super::groups;
use super::notes::{Note, Unused};
use super::validate::name_of;
use crate::model::{KeyComponent, Predicate, PropertyPath};

/// Values of the parameters of a query, by their names with the `@`.
pub type Parameters = BTreeMap<String, Value>;

/// Most notes that are kept for a query.
const NOTES_MAX: usize = 32;

/// The condition that a query puts on the properties of items, and what of it narrows nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// The condition.
    pub predicate: Predicate,
    /// What narrows nothing, in order of appearance, at most 32 of it.
    pub notes: Vec<Note>,
}

/// The condition that a query puts on the properties of items.
///
/// A query without `FROM` reads no item, and neither does one whose condition is constantly false.
pub fn condition(query: &Query, parameters: &Parameters) -> Predicate {
    analyzed(query, Values { parameters }, false).predicate
}

/// The same, with notes on what of it narrows nothing.
pub fn analyze(query: &Query, parameters: &Parameters) -> Condition {
    analyzed(query, Values { parameters }, true)
}

pub(super) fn analyzed(query: &Query, values: Values<'_>, noting: bool) -> Condition {
    let Some(root) = query.from.first() else {
        let (predicate, notes) = (Predicate::Nothing, Vec::new());
        return Condition { predicate, notes };
    };
    let mut analysis = Analysis {
        from: &query.from,
        root,
        values,
        noting,
        notes: Vec::new(),
    };
    let predicate = match &query.filter {
        Some(filter) => analysis.condition(filter),
        None => Predicate::Any,
    };
    Condition {
        predicate,
        notes: analysis.notes,
    }
}

struct Analysis<'a> {
    from: &'a [Source],
    root: &'a Source,
    values: Values<'a>,
    noting: bool,
    notes: Vec<Note>,
}

impl Analysis<'_> {
    fn condition(&mut self, expression: &Expression) -> Predicate {
        match expression {
            Expression::And(operands) => {
                Predicate::all(operands.iter().map(|one| self.condition(one)))
            }
            Expression::Or(operands) => {
                Predicate::any(operands.iter().map(|one| self.condition(one)))
            }
            Expression::Binary(operator, left, right) if is_comparison(operator.0) => {
                self.comparison(operator.0, left, right)
            }
            Expression::In(value, false, list) => self.membership(value, list),
            Expression::Between(value, false, bounds) => {
                let low = self.comparison(">=", value, &bounds.0);
                let high = self.comparison("<=", value, &bounds.1);
                Predicate::all([low, high])
            }
            Expression::Like(value, false, pattern, escape) => {
                self.like(value, pattern, escape.as_deref())
            }
            Expression::In(value, true, _)
            | Expression::Between(value, true, _)
            | Expression::Like(value, true, ..) => self.unused(&Unused::Negation, value),
            _ => match self.values.constant(expression) {
                // Anything but true selects nothing.
                Constant::Value(value) if *value == Value::Bool(true) => Predicate::Any,
                Constant::Value(_) => Predicate::Nothing,
                Constant::Unbound => self.unused(&Unused::UnknownParameter, expression),
                Constant::No => self.alone(expression),
            },
        }
    }

    /// A condition that is no comparison and depends on the item.
    fn alone(&mut self, expression: &Expression) -> Predicate {
        match expression {
            Expression::Unary(UnaryOperator::Not, operand) => match self.path(operand) {
                Some(path) => Predicate::In(path, vec![KeyComponent::Bool(false)]),
                None => self.unused(&Unused::Negation, operand),
            },
            Expression::Call(false, name, arguments) => self.call(expression, name, arguments),
            _ => match self.path(expression) {
                Some(path) => Predicate::In(path, vec![KeyComponent::Bool(true)]),
                None => self.unused(&changed_by(expression), expression),
            },
        }
    }

    fn comparison(&mut self, operator: &str, left: &Expression, right: &Expression) -> Predicate {
        let constants = (self.values.constant(left), self.values.constant(right));
        let narrowed = match &constants {
            (Constant::Value(left), Constant::Value(right)) => match fold(operator, left, right) {
                Some(Value::Bool(true)) | None => Predicate::Any,
                Some(_) => Predicate::Nothing,
            },
            (Constant::No, Constant::No) => self.not_constant(left, right),
            (Constant::No, constant) => self.compared(operator, left, constant),
            (constant, Constant::No) => self.compared(flipped(operator), right, constant),
            _ => Predicate::Any,
        };
        if operator != "=" {
            return narrowed;
        }
        let (left, right) = (self.subquery(left), self.subquery(right));
        Predicate::all([narrowed, left, right])
    }

    /// Both sides depend on the item, or on nothing that is computed.
    fn not_constant(&mut self, left: &Expression, right: &Expression) -> Predicate {
        let undefined = Expression::Literal(Literal::Undefined);
        let both = [left, right];
        let unused = if both.contains(&&undefined) {
            Unused::Undefined
        } else {
            Unused::NotConstant
        };
        for side in both {
            if self.path(side).is_some() {
                self.unused(&unused, side);
            } else {
                self.unused(&changed_by(side), side);
            }
        }
        Predicate::Any
    }

    /// A side that depends on the item, compared with one that does not.
    fn compared(&mut self, operator: &str, side: &Expression, other: &Constant<'_>) -> Predicate {
        let value = match other {
            Constant::Value(value) => Some(&**value),
            Constant::Unbound | Constant::No => None,
        };
        let Some(path) = self.path(side) else {
            return match (absolute(side), value.and_then(Value::as_f64)) {
                (Some(inner), Some(number)) if operator == "=" => match self.path(inner) {
                    Some(path) => {
                        let values = [-number, number].map(positive_zero);
                        Predicate::In(path, values.to_vec())
                    }
                    None => self.unused(&changed_by(side), side),
                },
                _ => self.unused(&changed_by(side), side),
            };
        };
        let component = value.map(component);
        match (operator, component) {
            ("=", Some(component)) => Predicate::In(path, vec![component]),
            ("=", None) => Predicate::Unknown(path, 1),
            ("!=" | "<>", _) => self.unused(&Unused::Negation, side),
            (_, Some(KeyComponent::Undefined) | None) => self.unused(&Unused::Range, side),
            (operator, Some(component)) => {
                self.unused(&Unused::Range, side);
                let (low, high) = match operator {
                    ">" => (Bound::Excluded(component), Bound::Unbounded),
                    ">=" => (Bound::Included(component), Bound::Unbounded),
                    "<" => (Bound::Unbounded, Bound::Excluded(component)),
                    _ => (Bound::Unbounded, Bound::Included(component)),
                };
                Predicate::Range(path, low, high)
            }
        }
    }

    /// A scalar subquery that is compared with something adds its own condition, if it reads the same
    /// item: where it yields nothing, the comparison is not true. An aggregate always yields a value.
    fn subquery(&mut self, side: &Expression) -> Predicate {
        let Expression::Subquery(SubqueryKind::Scalar, query) = side else {
            return Predicate::Any;
        };
        let [source] = &query.from[..] else {
            return Predicate::Any;
        };
        let plain = source.alias.is_none() && source.steps.is_empty();
        let root_again = match &source.root {
            SourceRoot::Name(name) => plain && self.is_root(name),
            SourceRoot::Subquery(_) => false,
        };
        match &query.filter {
            Some(filter)
                if (root_again || source == self.root) && !groups::has_aggregate(query) =>
            {
                self.condition(filter)
            }
            _ => Predicate::Any,
        }
    }

    /// A property that must be one of a list.
    fn membership(&mut self, value: &Expression, list: &[Expression]) -> Predicate {
        let Some(path) = self.path(value) else {
            return self.unused(&changed_by(value), value);
        };
        let (mut known, mut unknown) = (Vec::with_capacity(list.len()), 0);
        for one in list {
            match self.values.constant(one) {
                Constant::Value(value) => known.push(component(&value)),
                Constant::Unbound => unknown += 1,
                Constant::No if *one == Expression::Literal(Literal::Undefined) => {
                    return self.unused(&Unused::Undefined, value);
                }
                Constant::No => return self.unused(&Unused::NotConstant, value),
            }
        }
        if unknown == 0 {
            return Predicate::In(path, known);
        }
        let unknown = Predicate::Unknown(path.clone(), unknown);
        if known.is_empty() {
            return unknown;
        }
        Predicate::any([Predicate::In(path, known), unknown])
    }

    fn like(
        &mut self,
        value: &Expression,
        pattern: &Expression,
        escape: Option<&str>,
    ) -> Predicate {
        let Some(path) = self.path(value) else {
            return self.unused(&changed_by(value), value);
        };
        match self.values.constant(pattern) {
            Constant::Value(pattern) => {
                let exact = pattern
                    .as_str()
                    .and_then(|text| exact_pattern(text, escape));
                match exact {
                    Some(text) => Predicate::In(path, vec![KeyComponent::String(text.into())]),
                    None => self.unused(&Unused::Wildcard, value),
                }
            }
            Constant::Unbound => self.unused(&Unused::UnknownParameter, value),
            Constant::No => self.unused(&Unused::NotConstant, value),
        }
    }

    /// A call of a built-in function as a condition.
    fn call(&mut self, call: &Expression, name: &str, arguments: &[Expression]) -> Predicate {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        match arguments {
            [value] if is("IS_BOOL") || is("IS_NULL") => {
                if let Some(path) = self.path(value) {
                    let booleans = vec![KeyComponent::Bool(false), KeyComponent::Bool(true)];
                    let null = vec![KeyComponent::Null];
                    return Predicate::In(path, if is("IS_NULL") { null } else { booleans });
                }
            }
            [list, value] if is("ARRAY_CONTAINS") || is("_TRY_ARRAY_CONTAINS") => {
                if let (Some(path), Constant::Value(list)) =
                    (self.path(value), self.values.constant(list))
                    && let Value::Array(values) = &*list
                {
                    let values = values.iter().map(component).collect();
                    return Predicate::In(path, values);
                }
            }
            _ => {}
        }
        self.unused(&Unused::Function(name.to_owned()), call)
    }

    /// The path of a property of the item, where an expression is one.
    fn path(&self, expression: &Expression) -> Option<PropertyPath> {
        let mut names = Vec::with_capacity(4);
        let mut at = expression;
        while let Some((value, name)) = at.property() {
            names.push(name);
            at = value;
        }
        if !matches!(at, Expression::Name(name) if self.is_root(name)) {
            return None;
        }
        let steps = self.root.steps.iter().map(|step| match step {
            Literal::String(name) => Some(name.as_str()),
            _ => None,
        });
        let names = steps.chain(names.into_iter().rev().map(Some));
        PropertyPath::from_names(names.collect::<Option<Vec<&str>>>()?)
    }

    /// Whether a name stands for the item; an alias hides the name of the container, and a later
    /// source of the same name hides the item.
    fn is_root(&self, name: &str) -> bool {
        !self.root.each
            && matches!(self.root.root, SourceRoot::Name(_))
            && name_of(self.root) == Some(name)
            && !self.from[1..]
                .iter()
                .any(|source| name_of(source) == Some(name))
    }

    /// Notes why a part of the condition narrows nothing, for each property in it.
    fn unused(&mut self, unused: &Unused, part: &Expression) -> Predicate {
        if self.noting {
            self.note(unused, part);
        }
        Predicate::Any
    }

    fn note(&mut self, unused: &Unused, part: &Expression) {
        let (property, unused) = match part {
            Expression::Subquery(..) => (None, Unused::Subquery),
            _ if self.path(part).is_some() => (self.path(part), unused.clone()),
            Expression::Name(_) | Expression::Member(..) | Expression::Index(..) => {
                (None, Unused::Element(part.to_string()))
            }
            _ => {
                let mut parts = Vec::new();
                part.each_part(&mut |part| parts.push(part));
                for part in parts {
                    self.note(unused, part);
                }
                return;
            }
        };
        let note = Note { property, unused };
        if self.notes.len() < NOTES_MAX && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// The component that an item holds which is equal to a value.
fn component(value: &Value) -> KeyComponent {
    match KeyComponent::from_json(value) {
        KeyComponent::Number(number) => positive_zero(number),
        other => other,
    }
}

/// A number, -0 as the 0 that it is equal to, though a hash tells them apart: items hold 0.
fn positive_zero(number: f64) -> KeyComponent {
    KeyComponent::Number(number + 0.0)
}

fn is_comparison(operator: &str) -> bool {
    matches!(operator, "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=")
}

/// The operator with its sides exchanged.
fn flipped(operator: &str) -> &str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        same => same,
    }
}

/// What `ABS` is taken of.
fn absolute(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::Call(false, name, arguments) if name.eq_ignore_ascii_case("ABS") => {
            arguments.first()
        }
        _ => None,
    }
}

/// What stands between a property and its comparison.
fn changed_by(expression: &Expression) -> Unused {
    match expression {
        Expression::Call(true, name, _) => Unused::UserFunction(name.clone()),
        Expression::Call(false, name, _) => Unused::Function(name.clone()),
        Expression::Binary(operator, ..) if operator.0 != "??" => Unused::Operator(operator.0),
        Expression::Unary(operator, _) => match operator {
            UnaryOperator::Minus => Unused::Operator("-"),
            UnaryOperator::Plus => Unused::Operator("+"),
            UnaryOperator::BitNot => Unused::Operator("~"),
            UnaryOperator::Not => Unused::Negation,
        },
        Expression::Binary(..) | Expression::Conditional(_) | Expression::Let(..) => Unused::Choice,
        Expression::Subquery(..) => Unused::Subquery,
        _ => Unused::NotConstant,
    }
}
