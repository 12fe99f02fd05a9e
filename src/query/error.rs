//! Why a text is no query, and why the service's planner refuses one that is.

use std::fmt;

use super::functions::{Function, counterpart};

/// Most `JOIN` of a query (the configuration of the service's engine, as those below).
const QUERY_JOINS_MAX: usize = 5;

/// Most `AND` of a query, and most `OR`.
const QUERY_LOGICAL_OPERATORS_MAX: usize = 2_000;

/// Most values in one list behind `IN`.
const QUERY_IN_ITEMS_MAX: usize = 16_000;

/// Most calls of user-defined functions in a query.
const QUERY_UDF_CALLS_MAX: usize = 10;

/// Why a text is no query, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset in the text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What stands there.
    pub found: String,
    /// What could stand there.
    pub expected: &'static str,
    /// What helps those who know other dialects.
    pub hint: Option<&'static str>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset: _,
            line,
            column,
            found,
            expected,
            hint,
        } = self;
        write!(
            f,
            "expected {expected}, found {found} at line {line}, column {column}"
        )?;
        match hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    /// The service's code for what is no query.
    pub const CODE: &'static str = "SC1001";
}

/// What a query has too many of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// `JOIN`, in one query without its subqueries.
    Joins,
    /// `AND`, in the query and its subqueries.
    Ands,
    /// `OR`, in the query and its subqueries.
    Ors,
    /// Values in one list behind `IN`.
    InItems,
    /// Calls of user-defined functions.
    UdfCalls,
}

impl Limit {
    /// How many the service takes.
    pub fn max(self) -> usize {
        match self {
            Self::Joins => QUERY_JOINS_MAX,
            Self::Ands | Self::Ors => QUERY_LOGICAL_OPERATORS_MAX,
            Self::InItems => QUERY_IN_ITEMS_MAX,
            Self::UdfCalls => QUERY_UDF_CALLS_MAX,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Joins => "JOIN clauses",
            Self::Ands => "AND operators",
            Self::Ors => "OR operators",
            Self::InItems => "values in one IN list",
            Self::UdfCalls => "calls of user-defined functions",
        })
    }
}

/// Where a number of rows stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountPlace {
    /// `TOP`
    Top,
    /// `OFFSET`
    Offset,
    /// `LIMIT`
    Limit,
}

impl fmt::Display for CountPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Top => "TOP",
            Self::Offset => "OFFSET",
            Self::Limit => "LIMIT",
        })
    }
}

/// Why the service's planner refuses a query whose text is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A name that no `FROM` declares.
    #[error("'{0}' is no alias that FROM or JOIN declares")]
    UnknownName(String),
    /// Two sources of one `FROM` with the same name.
    #[error("FROM declares the alias '{0}' twice")]
    SameAlias(String),
    /// A function that is not built in.
    #[error("'{0}' is no built-in function")]
    UnknownFunction(String),
    /// A built-in function with too few or too many arguments.
    #[error("{} takes {}, not {found}", function.name, Arguments(function))]
    Arguments {
        /// The function.
        function: Function,
        /// How many arguments it is given.
        found: usize,
    },
    /// Too many of something.
    #[error("{found} {limit}, more than the {} that the service takes", limit.max())]
    TooMany {
        /// Of what.
        limit: Limit,
        /// How many there are.
        found: usize,
    },
    /// A number of rows that is none from 0 to 4294967295.
    #[error("{0} {1} is no whole number from 0 to 4294967295")]
    Count(CountPlace, String),
    /// A number of rows that is a parameter without a value.
    #[error("{0} {1} has no value")]
    CountMissing(CountPlace, String),
    /// `SELECT *` without `FROM`.
    #[error("SELECT * has no FROM to select from")]
    StarWithoutFrom,
    /// `SELECT *` over several sources.
    #[error("SELECT * goes with one source only, not with JOIN")]
    StarWithJoin,
    /// `SELECT *` with `GROUP BY`.
    #[error("SELECT * does not go with GROUP BY")]
    StarWithGroupBy,
    /// `ORDER BY` something that is no property.
    #[error("ORDER BY {0} is not the path of a property")]
    OrderBy(String),
    /// A property of a group that can differ from row to row.
    #[error("'{0}' is selected from groups, but neither in GROUP BY nor in an aggregate")]
    NotGrouped(String),
    /// An aggregate of an aggregate or of a subquery.
    #[error("{0} is taken of another aggregate or of a subquery")]
    NestedAggregate(String),
    /// An aggregate inside a larger expression.
    #[error("{0} stands inside a larger expression, which works within one partition only")]
    ComposedAggregate(String),
}

/// How many arguments a function takes, in words.
struct Arguments<'a>(&'a Function);

impl fmt::Display for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.0.arguments_min, self.0.arguments_max);
        match high {
            Some(1) if low == 1 => f.write_str("1 argument"),
            Some(high) if high == low => write!(f, "{low} arguments"),
            Some(high) => write!(f, "{low} to {high} arguments"),
            None => write!(f, "{low} or more arguments"),
        }
    }
}

impl QueryError {
    /// The service's code, where it is known.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            Self::UnknownName(_) => Some("SC2001"),
            Self::UnknownFunction(_) => Some("SC2005"),
            Self::StarWithGroupBy => Some("SC2041"),
            Self::Arguments { .. } => Some("SC2050"),
            Self::Count(CountPlace::Top, _) => Some("SC2060"),
            Self::Count(CountPlace::Limit, _) => Some("SC2061"),
            Self::Count(CountPlace::Offset, _) => Some("SC2062"),
            Self::NestedAggregate(_) => Some("SC2101"),
            Self::NotGrouped(_) => Some("SC2102"),
            Self::OrderBy(_) => Some("SC2206"),
            Self::TooMany {
                limit: Limit::UdfCalls,
                ..
            } => Some("SC3005"),
            Self::SameAlias(_)
            | Self::TooMany { .. }
            | Self::CountMissing(..)
            | Self::StarWithoutFrom
            | Self::StarWithJoin
            | Self::ComposedAggregate(_) => None,
        }
    }

    /// What helps.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::UnknownName(_) => {
                Some("with FROM x AS c the name x is hidden: every property starts with c")
            }
            Self::UnknownFunction(name) => Some(counterpart(name).unwrap_or(
                "a user-defined function is called udf.name(...); built-in names are in the \
                 documentation of the query language",
            )),
            Self::TooMany {
                limit: Limit::Ors, ..
            } => Some("many values of one property are written c.x IN (...)"),
            Self::StarWithJoin => Some("name what is selected: SELECT c.id, x, or SELECT VALUE x"),
            Self::StarWithGroupBy => Some("select the properties of GROUP BY and aggregates"),
            Self::OrderBy(_) => Some("store the value as a property of its own and order by that"),
            Self::NotGrouped(_) => Some("add it to GROUP BY, or take MIN or MAX of it"),
            Self::ComposedAggregate(_) => {
                Some("select the aggregates alone and put them together in the application")
            }
            Self::CountMissing(..) => Some("give the parameter a value"),
            _ => None,
        }
    }
}
