//! The rules of `GROUP BY` and of aggregates.

use super::ast::{Expression, Query, Selection};
use super::error::QueryError;
use super::functions::Function;
use super::validate::name_of;

/// Checks that what is selected from groups is the same for all rows of one, and that no aggregate is
/// taken of another.
pub(super) fn validate(query: &Query) -> Result<(), QueryError> {
    let selected = selected(query);
    let mut aggregates = Vec::new();
    for value in &selected {
        collect(value, &mut aggregates);
    }
    for (name, arguments) in &aggregates {
        if arguments
            .iter()
            .any(|one| holds(one, &is_aggregate_or_query))
        {
            return Err(QueryError::NestedAggregate((*name).to_owned()));
        }
    }
    if query.group_by.is_empty() && aggregates.is_empty() {
        return Ok(());
    }
    let groups = Groups { query };
    selected
        .into_iter()
        .try_for_each(|value| groups.check(value))
}

/// Checks that aggregates stand alone in the list of a query without `GROUP BY`, as they must where
/// several partitions each compute a part.
pub(super) fn no_composed_aggregate(query: &Query) -> Result<(), QueryError> {
    if !query.group_by.is_empty() {
        return Ok(());
    }
    for value in selected(query) {
        let mut found = Vec::new();
        collect(value, &mut found);
        if let (Some((name, _)), None) = (found.first(), aggregate(value)) {
            return Err(QueryError::ComposedAggregate((*name).to_owned()));
        }
    }
    Ok(())
}

/// Whether a query selects an aggregate.
pub(super) fn has_aggregate(query: &Query) -> bool {
    let mut found = Vec::new();
    for value in selected(query) {
        collect(value, &mut found);
    }
    !found.is_empty()
}

fn selected(query: &Query) -> Vec<&Expression> {
    match &query.selection {
        Selection::All => Vec::new(),
        Selection::Value(value) => vec![value],
        Selection::Items(items) => items.iter().map(|item| &item.value).collect(),
    }
}

/// The name and the arguments of an aggregate.
fn aggregate(expression: &Expression) -> Option<(&str, &[Expression])> {
    match expression {
        Expression::Call(false, name, arguments)
            if Function::of(name).is_some_and(|function| function.is_aggregate()) =>
        {
            Some((name, arguments))
        }
        _ => None,
    }
}

/// The outermost aggregates in an expression, those of subqueries left out.
fn collect<'e>(expression: &'e Expression, found: &mut Vec<(&'e str, &'e [Expression])>) {
    match aggregate(expression) {
        Some(aggregate) => found.push(aggregate),
        None => expression.each_part(&mut |part| collect(part, found)),
    }
}

fn is_aggregate_or_query(expression: &Expression) -> bool {
    matches!(expression, Expression::Subquery(..)) || aggregate(expression).is_some()
}

fn holds(expression: &Expression, wanted: &impl Fn(&Expression) -> bool) -> bool {
    let mut found = wanted(expression);
    expression.each_part(&mut |part| found = found || holds(part, wanted));
    found
}

struct Groups<'q> {
    query: &'q Query,
}

impl Groups<'_> {
    fn check(&self, expression: &Expression) -> Result<(), QueryError> {
        if aggregate(expression).is_some() || self.is_grouped(expression) {
            return Ok(());
        }
        if let Some((root, grouped)) = self.property(expression) {
            // What an outer query or a LET declares is the same for all rows.
            let own = self
                .query
                .from
                .iter()
                .any(|source| name_of(source) == Some(root));
            return if grouped || !own {
                Ok(())
            } else {
                Err(QueryError::NotGrouped(expression.to_string()))
            };
        }
        let mut result = Ok(());
        expression.each_part(&mut |part| {
            if result.is_ok() {
                result = self.check(part);
            }
        });
        result
    }

    fn is_grouped(&self, expression: &Expression) -> bool {
        self.query.group_by.iter().any(|one| same(one, expression))
    }

    /// The alias that a property belongs to, and whether a part of its path is grouped by.
    fn property<'e>(&self, expression: &'e Expression) -> Option<(&'e str, bool)> {
        match expression {
            Expression::Name(name) => Some((name, false)),
            Expression::Member(base, _) | Expression::Index(base, _) => {
                let (root, grouped) = self.property(base)?;
                Some((root, grouped || self.is_grouped(base)))
            }
            _ => None,
        }
    }
}

/// Whether two expressions are the same, `c.a` and `c["a"]` included.
fn same(one: &Expression, other: &Expression) -> bool {
    match (one.property(), other.property()) {
        (Some((base, name)), Some((other_base, other_name))) => {
            name == other_name && same(base, other_base)
        }
        _ => one == other,
    }
}
