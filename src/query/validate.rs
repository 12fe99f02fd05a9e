//! What the service's planner refuses in a query that its grammar accepts.
//!
//! Only what is known to be refused is refused here: a query that the service answers and this does
//! not would lose its routing.

use super::analysis::Parameters;
use super::ast::{Count, Expression, Literal, Query, Selection, Source, SourceRoot};
use super::error::{CountPlace, Limit, QueryError};
use super::functions::Function;
use super::groups;

/// Most rows that `TOP`, `OFFSET` and `LIMIT` take.
const COUNT_MAX: f64 = u32::MAX as f64;

/// Checks a query as the service's planner does before it makes a plan.
///
/// A parameter needs a value only in `TOP`, `OFFSET` and `LIMIT`.
pub fn validate(query: &Query, parameters: &Parameters) -> Result<(), QueryError> {
    validate_structure(query)?;
    validate_counts(query, parameters)
}

/// What of the checks depends on no parameter.
pub(super) fn validate_structure(query: &Query) -> Result<(), QueryError> {
    let mut check = Check::default();
    check.query(query)?;
    for (limit, found) in [
        (Limit::Ands, check.ands),
        (Limit::Ors, check.ors),
        (Limit::UdfCalls, check.udf_calls),
    ] {
        at_most(limit, found)?;
    }
    groups::no_composed_aggregate(query)?;
    // A subquery may be ordered by anything; the rows of the whole query come from an index.
    match query.order_by.iter().find(|item| !is_order(&item.value)) {
        Some(item) if !query.rank => Err(QueryError::OrderBy(item.value.to_string())),
        _ => Ok(()),
    }
}

fn at_most(limit: Limit, found: usize) -> Result<(), QueryError> {
    if found > limit.max() {
        return Err(QueryError::TooMany { limit, found });
    }
    Ok(())
}

/// Whether the whole query can be ordered by this: the path of a property, or a distance.
fn is_order(value: &Expression) -> bool {
    match value {
        Expression::Name(_) => true,
        Expression::Member(base, _) => is_order(base),
        Expression::Index(base, index) => {
            is_order(base) && matches!(**index, Expression::Literal(_))
        }
        Expression::Call(false, name, _) => ["VECTORDISTANCE", "ST_DISTANCE"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known)),
        _ => false,
    }
}

/// The numbers of rows of the query itself.
pub(super) fn validate_counts(query: &Query, parameters: &Parameters) -> Result<(), QueryError> {
    let (offset, limit) = query
        .offset_limit
        .as_ref()
        .map_or((None, None), |(offset, limit)| (Some(offset), Some(limit)));
    for (place, count) in [
        (CountPlace::Top, query.top.as_ref()),
        (CountPlace::Offset, offset),
        (CountPlace::Limit, limit),
    ] {
        let (number, count) = match count {
            None => continue,
            Some(Count::Number(text)) => (text.parse().ok(), text.clone()),
            Some(Count::Parameter(name)) => match parameters.get(name) {
                None => return Err(QueryError::CountMissing(place, name.clone())),
                Some(value) => (value.as_f64(), format!("{name} = {value}")),
            },
        };
        let fits = |number: f64| (0.0..=COUNT_MAX).contains(&number) && number.fract() <= 0.0;
        if !number.is_some_and(fits) {
            return Err(QueryError::Count(place, count));
        }
    }
    Ok(())
}

/// The name by which a source is known: its alias, or what it reads where it has none.
pub(super) fn name_of(source: &Source) -> Option<&str> {
    let read = || match (source.steps.last(), &source.root) {
        (Some(Literal::String(name)), _) | (None, SourceRoot::Name(name)) => Some(name.as_str()),
        _ => None,
    };
    source.alias.as_deref().or_else(read)
}

#[derive(Default)]
struct Check<'q> {
    /// The names that can be used here, those of outer queries first.
    names: Vec<&'q str>,
    ands: usize,
    ors: usize,
    udf_calls: usize,
}

impl<'q> Check<'q> {
    fn query(&mut self, query: &'q Query) -> Result<(), QueryError> {
        let outer = self.names.len();
        self.sources(&query.from, outer)?;
        match &query.selection {
            Selection::All if query.from.is_empty() => return Err(QueryError::StarWithoutFrom),
            Selection::All if query.from.len() > 1 => return Err(QueryError::StarWithJoin),
            Selection::All if !query.group_by.is_empty() => {
                return Err(QueryError::StarWithGroupBy);
            }
            Selection::All => {}
            Selection::Value(value) => self.expression(value)?,
            Selection::Items(items) => {
                items
                    .iter()
                    .try_for_each(|item| self.expression(&item.value))?;
            }
        }
        query
            .filter
            .iter()
            .try_for_each(|filter| self.expression(filter))?;
        self.all(&query.group_by)?;
        query
            .order_by
            .iter()
            .try_for_each(|item| self.expression(&item.value))?;
        self.names.truncate(outer);
        groups::validate(query)
    }

    fn sources(&mut self, sources: &'q [Source], outer: usize) -> Result<(), QueryError> {
        // Counted in each query by itself: programs nest subqueries with joins of their own, which
        // the engine takes.
        at_most(Limit::Joins, sources.len().saturating_sub(1))?;
        for source in sources {
            match &source.root {
                SourceRoot::Subquery(query) => self.query(query)?,
                // Where nothing is declared yet, any name stands for the container.
                SourceRoot::Name(name) if !self.names.is_empty() => self.name(name)?,
                SourceRoot::Name(_) => {}
            }
            if let Some(name) = name_of(source) {
                if self.names[outer..].contains(&name) {
                    return Err(QueryError::SameAlias(name.to_owned()));
                }
                self.names.push(name);
            }
        }
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), QueryError> {
        if self.names.contains(&name) {
            Ok(())
        } else {
            Err(QueryError::UnknownName(name.to_owned()))
        }
    }

    fn all(&mut self, expressions: &'q [Expression]) -> Result<(), QueryError> {
        expressions.iter().try_for_each(|one| self.expression(one))
    }

    fn expression(&mut self, expression: &'q Expression) -> Result<(), QueryError> {
        match expression {
            Expression::Literal(_) | Expression::Parameter(_) => Ok(()),
            Expression::Name(name) => self.name(name),
            Expression::Member(value, _) | Expression::Unary(_, value) => self.expression(value),
            Expression::Index(left, right) | Expression::Binary(_, left, right) => {
                self.expression(left)?;
                self.expression(right)
            }
            Expression::Array(values) => self.all(values),
            Expression::Object(members) => members
                .iter()
                .try_for_each(|(_, value)| self.expression(value)),
            Expression::And(operands) => {
                self.ands += operands.len() - 1;
                self.all(operands)
            }
            Expression::Or(operands) => {
                self.ors += operands.len() - 1;
                self.all(operands)
            }
            Expression::In(value, _, list) => {
                at_most(Limit::InItems, list.len())?;
                self.expression(value)?;
                self.all(list)
            }
            Expression::Between(value, _, bounds) => {
                self.expression(value)?;
                self.expression(&bounds.0)?;
                self.expression(&bounds.1)
            }
            Expression::Like(value, _, pattern, _) => {
                self.expression(value)?;
                self.expression(pattern)
            }
            Expression::Conditional(parts) => {
                self.expression(&parts.0)?;
                self.expression(&parts.1)?;
                self.expression(&parts.2)
            }
            Expression::Call(udf, name, arguments) => {
                self.udf_calls += usize::from(*udf);
                if !udf {
                    call(name, arguments.len())?;
                }
                self.all(arguments)
            }
            Expression::Subquery(_, query) => self.query(query),
            Expression::Let(name, parts) => {
                self.expression(&parts.0)?;
                self.names.push(name);
                self.expression(&parts.1)?;
                self.names.pop();
                Ok(())
            }
        }
    }
}

/// Checks the call of a built-in function.
fn call(name: &str, found: usize) -> Result<(), QueryError> {
    let Some(function) = Function::of(name) else {
        // Names with an underscore in front are the engine's own, which its planner writes.
        if name.starts_with('_') {
            return Ok(());
        }
        return Err(QueryError::UnknownFunction(name.to_owned()));
    };
    let range = function.arguments_min..=function.arguments_max.unwrap_or(usize::MAX);
    if range.contains(&found) {
        Ok(())
    } else {
        Err(QueryError::Arguments { function, found })
    }
}
