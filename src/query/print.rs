//! The text of a syntax tree, which reads back as the same tree.

use std::fmt::{self, Display, Formatter};

use super::ast::{
    BinaryOperator, Count, Expression, Literal, Order, Query, Selected, Selection, Source,
    SourceRoot, SubqueryKind, UnaryOperator,
};
use super::expression::{binary_level, level};

/// Writes a list with a separator.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T], separator: &str) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

fn string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    // JSON escapes are a part of those of the language.
    serde_json::Value::from(text).fmt(f)
}

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.distinct {
            "SELECT DISTINCT "
        } else {
            "SELECT "
        })?;
        if let Some(top) = &self.top {
            write!(f, "TOP {top} ")?;
        }
        match &self.selection {
            Selection::All => f.write_str("*")?,
            Selection::Value(value) => write!(f, "VALUE {value}")?,
            Selection::Items(items) => list(f, items, ", ")?,
        }
        if !self.from.is_empty() {
            f.write_str(" FROM ")?;
            list(f, &self.from, " JOIN ")?;
        }
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        if !self.group_by.is_empty() {
            f.write_str(" GROUP BY ")?;
            list(f, &self.group_by, ", ")?;
        }
        if !self.order_by.is_empty() {
            f.write_str(if self.rank {
                " ORDER BY RANK "
            } else {
                " ORDER BY "
            })?;
            list(f, &self.order_by, ", ")?;
        }
        if let Some((offset, limit)) = &self.offset_limit {
            write!(f, " OFFSET {offset} LIMIT {limit}")?;
        }
        Ok(())
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(text) | Self::Parameter(text) => f.write_str(text),
        }
    }
}

impl Display for Selected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        match &self.alias {
            Some(alias)
                if (super::parser::is_name(alias) || alias.eq_ignore_ascii_case("let"))
                    && alias.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !alias.is_empty() =>
            {
                write!(f, " AS {alias}")
            }
            Some(alias) => {
                f.write_str(" AS ")?;
                string(f, alias)
            }
            None => Ok(()),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let (true, Some(alias)) = (self.each, &self.alias) {
            write!(f, "{alias} IN ")?;
        }
        match &self.root {
            SourceRoot::Name(name) => f.write_str(name)?,
            SourceRoot::Subquery(query) => write!(f, "({query})")?,
        }
        for step in &self.steps {
            write!(f, "[{step}]")?;
        }
        match &self.alias {
            Some(alias) if !self.each => write!(f, " AS {alias}"),
            _ => Ok(()),
        }
    }
}

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)?;
        f.write_str(match self.descending {
            Some(true) => " DESC",
            Some(false) => " ASC",
            None => "",
        })
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined => f.write_str("undefined"),
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => flag.fmt(f),
            Self::Number(text) => f.write_str(text),
            Self::String(text) => string(f, text),
        }
    }
}

/// An expression where only what binds at least this tight stands without parentheses.
///
/// No parentheses are printed that the grammar can do without: others would nest deeper than the
/// text that was read, beyond the bound on nesting.
struct Operand<'a> {
    expression: &'a Expression,
    lowest: u8,
    /// `AND` or `OR` follows, which a bare `BETWEEN` does not bear.
    logic_follows: bool,
}

fn operand(expression: &Expression, lowest: u8) -> Operand<'_> {
    Operand {
        expression,
        lowest,
        logic_follows: false,
    }
}

fn level_of(expression: &Expression) -> u8 {
    match expression {
        Expression::Let(..) => level::LET,
        Expression::Conditional(_) => level::CONDITIONAL,
        Expression::Or(_) => level::OR,
        Expression::And(_) => level::AND,
        Expression::In(..) | Expression::Between(..) | Expression::Like(..) => level::TEST,
        Expression::Binary(operator, ..) => binary_level(operator.0).unwrap_or(level::COALESCE),
        Expression::Unary(..) => level::UNARY,
        Expression::Literal(_)
        | Expression::Parameter(_)
        | Expression::Name(_)
        | Expression::Member(..)
        | Expression::Index(..)
        | Expression::Array(_)
        | Expression::Object(_)
        | Expression::Call(..)
        | Expression::Subquery(..) => level::WHOLE,
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let bare_between = matches!(self.expression, Expression::Between(..)) && self.logic_follows;
        if level_of(self.expression) < self.lowest || bare_between {
            f.write_str("(")?;
            bare(f, self.expression, false)?;
            f.write_str(")")
        } else {
            bare(f, self.expression, self.logic_follows)
        }
    }
}

/// What a member or an element is taken of; behind a number a dot would be a part of it.
struct Base<'a>(&'a Expression);

impl Display for Base<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Expression::Literal(Literal::Number(text)) => write!(f, "({text})"),
            other => operand(other, level::WHOLE).fmt(f),
        }
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        bare(f, self, false)
    }
}

/// The operands of `AND` or `OR`.
fn chain(
    f: &mut Formatter<'_>,
    operands: &[Expression],
    word: &str,
    lowest: u8,
    logic_follows: bool,
) -> fmt::Result {
    for (index, expression) in operands.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        let operand = Operand {
            expression,
            lowest,
            logic_follows: logic_follows || index + 1 < operands.len(),
        };
        operand.fmt(f)?;
    }
    Ok(())
}

/// The text of an expression without parentheses around it.
///
/// Each kind has its own function, which keeps the frames of this recursion small.
fn bare(f: &mut Formatter<'_>, expression: &Expression, logic_follows: bool) -> fmt::Result {
    match expression {
        Expression::Literal(literal) => literal.fmt(f),
        Expression::Parameter(name) | Expression::Name(name) => f.write_str(name),
        Expression::Member(value, name) => {
            Base(value).fmt(f)?;
            f.write_str(".")?;
            f.write_str(name)
        }
        Expression::Index(value, index) => {
            Base(value).fmt(f)?;
            bracketed(f, "[", std::slice::from_ref(index), "]")
        }
        Expression::Array(values) => bracketed(f, "[", values, "]"),
        Expression::Object(members) => object(f, members),
        Expression::Unary(operator, value) => unary(f, *operator, value),
        Expression::Binary(operator, left, right) => binary(f, *operator, left, right),
        Expression::And(values) => chain(f, values, " AND ", level::TEST, logic_follows),
        Expression::Or(values) => chain(f, values, " OR ", level::AND, logic_follows),
        Expression::In(value, negated, values) => {
            test(f, value, *negated, " IN ")?;
            bracketed(f, "(", values, ")")
        }
        Expression::Between(value, negated, bounds) => {
            test(f, value, *negated, " BETWEEN ")?;
            operand(&bounds.0, level::COMPARE).fmt(f)?;
            f.write_str(" AND ")?;
            operand(&bounds.1, level::COMPARE).fmt(f)
        }
        Expression::Like(value, negated, pattern, escape) => {
            test(f, value, *negated, " LIKE ")?;
            operand(pattern, level::COMPARE).fmt(f)?;
            let Some(escape) = escape else { return Ok(()) };
            f.write_str(" ESCAPE ")?;
            string(f, escape)
        }
        Expression::Conditional(parts) => {
            operand(&parts.0, level::COALESCE).fmt(f)?;
            f.write_str(" ? ")?;
            parts.1.fmt(f)?;
            f.write_str(" : ")?;
            parts.2.fmt(f)
        }
        Expression::Call(udf, name, arguments) => {
            f.write_str(if *udf { "udf." } else { "" })?;
            f.write_str(name)?;
            bracketed(f, "(", arguments, ")")
        }
        Expression::Subquery(kind, query) => subquery(f, *kind, query),
        Expression::Let(name, parts) => {
            write!(f, "LET {name} = ")?;
            operand(&parts.0, level::COMPARE).fmt(f)?;
            f.write_str(" IN ")?;
            parts.1.fmt(f)
        }
    }
}

fn bracketed<T: Display>(
    f: &mut Formatter<'_>,
    open: &str,
    values: &[T],
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    list(f, values, ", ")?;
    f.write_str(close)
}

fn unary(f: &mut Formatter<'_>, operator: UnaryOperator, value: &Expression) -> fmt::Result {
    f.write_str(match operator {
        UnaryOperator::Minus => "-",
        UnaryOperator::Plus => "+",
        UnaryOperator::BitNot => "~",
        UnaryOperator::Not => "NOT ",
    })?;
    // Two minus signs would start a comment.
    if matches!(value, Expression::Unary(UnaryOperator::Minus, _)) {
        f.write_str(" ")?;
    }
    operand(value, level::UNARY).fmt(f)
}

fn binary(
    f: &mut Formatter<'_>,
    operator: BinaryOperator,
    left: &Expression,
    right: &Expression,
) -> fmt::Result {
    let (left_lowest, right_lowest) = match binary_level(operator.0) {
        Some(level) => (level, level + 1),
        None => (level::OR, level::COALESCE),
    };
    operand(left, left_lowest).fmt(f)?;
    f.write_str(" ")?;
    f.write_str(operator.0)?;
    f.write_str(" ")?;
    operand(right, right_lowest).fmt(f)
}

/// The value and the word of a test.
fn test(f: &mut Formatter<'_>, value: &Expression, negated: bool, word: &str) -> fmt::Result {
    operand(value, level::COMPARE).fmt(f)?;
    f.write_str(if negated { " NOT" } else { "" })?;
    f.write_str(word)
}

fn object(f: &mut Formatter<'_>, members: &[(String, Expression)]) -> fmt::Result {
    f.write_str("{")?;
    for (index, (name, value)) in members.iter().enumerate() {
        f.write_str(if index > 0 { ", " } else { "" })?;
        string(f, name)?;
        write!(f, ": {value}")?;
    }
    f.write_str("}")
}

fn subquery(f: &mut Formatter<'_>, kind: SubqueryKind, query: &Query) -> fmt::Result {
    let word = match kind {
        SubqueryKind::Scalar => "",
        SubqueryKind::Exists => "EXISTS",
        SubqueryKind::Array => "ARRAY",
        SubqueryKind::All => "ALL",
        SubqueryKind::First => "FIRST",
        SubqueryKind::Last => "LAST",
    };
    write!(f, "{word}({query})")
}
