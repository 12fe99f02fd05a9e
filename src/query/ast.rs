//! The syntax tree of a query, without places and spelling.

/// A query, or a subquery.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// `DISTINCT`.
    pub distinct: bool,
    /// `TOP n`.
    pub top: Option<Count>,
    /// What is selected.
    pub selection: Selection,
    /// `FROM` with its joins, in order; empty where there is none.
    pub from: Vec<Source>,
    /// `WHERE`.
    pub filter: Option<Expression>,
    /// `GROUP BY`.
    pub group_by: Vec<Expression>,
    /// `ORDER BY`.
    pub order_by: Vec<Order>,
    /// `ORDER BY RANK`: the order is that of scores.
    pub rank: bool,
    /// `OFFSET n LIMIT m`.
    pub offset_limit: Option<(Count, Count)>,
}

/// A number of rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Count {
    /// As written.
    Number(String),
    /// A parameter, its name with the `@`.
    Parameter(String),
}

/// What a query selects.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    /// `*`
    All,
    /// `VALUE e`
    Value(Expression),
    /// A list.
    Items(Vec<Selected>),
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// The value.
    pub value: Expression,
    /// Its name.
    pub alias: Option<String>,
}

/// One source: of `FROM`, or of a `JOIN` behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// What is read.
    pub root: SourceRoot,
    /// The steps behind it: names and indexes.
    pub steps: Vec<Literal>,
    /// The name it is known by.
    pub alias: Option<String>,
    /// `alias IN source`: the alias stands for each element.
    pub each: bool,
}

/// Where a source starts.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceRoot {
    /// The container, or an alias.
    Name(String),
    /// A subquery.
    Subquery(Box<Query>),
}

/// One item of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// What is ordered by.
    pub value: Expression,
    /// `DESC` or `ASC` where it is written: whether it is descending.
    pub descending: Option<bool>,
}

/// A scalar expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A constant.
    Literal(Literal),
    /// A parameter, its name with the `@`.
    Parameter(String),
    /// An alias.
    Name(String),
    /// `e.name`
    Member(Box<Expression>, String),
    /// `e[index]`
    Index(Box<Expression>, Box<Expression>),
    /// `[a, b]`
    Array(Vec<Expression>),
    /// `{"a": b}`
    Object(Vec<(String, Expression)>),
    /// An operator in front.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator between.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// Two or more operands of `AND`.
    And(Vec<Expression>),
    /// Two or more operands of `OR`.
    Or(Vec<Expression>),
    /// `e [NOT] IN (a, b)`: value, whether negated, list.
    In(Box<Expression>, bool, Vec<Expression>),
    /// `e [NOT] BETWEEN a AND b`: value, whether negated, bounds.
    Between(Box<Expression>, bool, Box<(Expression, Expression)>),
    /// `e [NOT] LIKE p [ESCAPE s]`: value, whether negated, pattern, escape.
    Like(Box<Expression>, bool, Box<Expression>, Option<String>),
    /// `a ? b : c`
    Conditional(Box<(Expression, Expression, Expression)>),
    /// A function: whether user-defined, name, arguments.
    Call(bool, String, Vec<Expression>),
    /// A subquery.
    Subquery(SubqueryKind, Box<Query>),
    /// `LET name = a IN b`
    Let(String, Box<(Expression, Expression)>),
}

impl Expression {
    /// The value and the name of a property of it, written `e.name` or `e["name"]`.
    pub fn property(&self) -> Option<(&Self, &str)> {
        match self {
            Self::Member(value, name) => Some((value, name)),
            Self::Index(value, index) => match &**index {
                Self::Literal(Literal::String(name)) => Some((value, name)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Calls a function with each expression that this one is made of, those in subqueries left out.
    pub fn each_part<'e>(&'e self, call: &mut dyn FnMut(&'e Self)) {
        match self {
            Self::Literal(_) | Self::Parameter(_) | Self::Name(_) | Self::Subquery(..) => {}
            Self::Member(value, _) | Self::Unary(_, value) => call(value),
            Self::Index(left, right) | Self::Binary(_, left, right) => {
                call(left);
                call(right);
            }
            Self::Array(values)
            | Self::And(values)
            | Self::Or(values)
            | Self::Call(_, _, values) => values.iter().for_each(call),
            Self::Object(members) => members.iter().for_each(|(_, value)| call(value)),
            Self::In(value, _, list) => {
                call(value);
                list.iter().for_each(call);
            }
            Self::Between(value, _, bounds) => {
                call(value);
                call(&bounds.0);
                call(&bounds.1);
            }
            Self::Like(value, _, pattern, _) => {
                call(value);
                call(pattern);
            }
            Self::Conditional(parts) => {
                call(&parts.0);
                call(&parts.1);
                call(&parts.2);
            }
            Self::Let(_, parts) => {
                call(&parts.0);
                call(&parts.1);
            }
        }
    }
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// As written.
    Number(String),
    /// Text, escapes resolved.
    String(String),
}

/// What a subquery stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubqueryKind {
    /// Its one value.
    Scalar,
    /// Whether there is a row.
    Exists,
    /// All rows as an array.
    Array,
    /// Whether all rows are true.
    All,
    /// The first row.
    First,
    /// The last row.
    Last,
}

/// An operator in front of its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    BitNot,
    /// `NOT`, which binds tighter than a comparison.
    Not,
}

/// An operator between two operands; each is its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinaryOperator(pub &'static str);
