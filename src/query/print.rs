//! The text of a syntax tree, which reads back as the same tree.

use std::fmt::{self, Display, Formatter};

use super::ast::{
    Count, Expression, Literal, Order, Query, Selected, Selection, Source, SourceRoot,
    SubqueryKind, UnaryOperator,
};
use super::expression::chains;

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

/// An operand: in parentheses unless nothing can come apart.
struct Operand<'a>(&'a Expression);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let whole = matches!(
            self.0,
            Expression::Literal(_)
                | Expression::Parameter(_)
                | Expression::Name(_)
                | Expression::Member(..)
                | Expression::Index(..)
                | Expression::Array(_)
                | Expression::Object(_)
                | Expression::Call(..)
                | Expression::Subquery(..)
        );
        if whole {
            self.0.fmt(f)
        } else {
            write!(f, "({})", self.0)
        }
    }
}

fn operands(f: &mut Formatter<'_>, operands: &[Expression], separator: &str) -> fmt::Result {
    let operands: Vec<_> = operands.iter().map(Operand).collect();
    list(f, &operands, separator)
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = |negated: &bool| if *negated { " NOT" } else { "" };
        match self {
            Self::Literal(literal) => literal.fmt(f),
            Self::Parameter(name) | Self::Name(name) => f.write_str(name),
            Self::Member(value, name) => write!(f, "{}.{name}", Operand(value)),
            Self::Index(value, index) => write!(f, "{}[{index}]", Operand(value)),
            Self::Array(values) => {
                f.write_str("[")?;
                list(f, values, ", ")?;
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    string(f, name)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
            Self::Unary(operator, operand) => {
                let sign = match operator {
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Plus => "+",
                    UnaryOperator::BitNot => "~",
                    UnaryOperator::Not => "NOT ",
                };
                write!(f, "{sign}{}", Operand(operand))
            }
            Self::Binary(operator, left, right) => {
                // A chain is printed flat: in parentheses it would nest too deep to be read back.
                match &**left {
                    Self::Binary(before, ..) if chains(*before, *operator) => left.fmt(f)?,
                    _ => Operand(left).fmt(f)?,
                }
                write!(f, " {} {}", operator.0, Operand(right))
            }
            Self::And(values) => operands(f, values, " AND "),
            Self::Or(values) => operands(f, values, " OR "),
            Self::In(value, negated, values) => {
                write!(f, "{}{} IN (", Operand(value), not(negated))?;
                list(f, values, ", ")?;
                f.write_str(")")
            }
            Self::Between(value, negated, bounds) => {
                write!(
                    f,
                    "{}{} BETWEEN {} AND {}",
                    Operand(value),
                    not(negated),
                    Operand(&bounds.0),
                    Operand(&bounds.1)
                )
            }
            Self::Like(value, negated, pattern, escape) => {
                write!(
                    f,
                    "{}{} LIKE {}",
                    Operand(value),
                    not(negated),
                    Operand(pattern)
                )?;
                if let Some(escape) = escape {
                    f.write_str(" ESCAPE ")?;
                    string(f, escape)?;
                }
                Ok(())
            }
            Self::Conditional(parts) => write!(
                f,
                "{} ? {} : {}",
                Operand(&parts.0),
                Operand(&parts.1),
                Operand(&parts.2)
            ),
            Self::Call(udf, name, arguments) => {
                write!(f, "{}{name}(", if *udf { "udf." } else { "" })?;
                list(f, arguments, ", ")?;
                f.write_str(")")
            }
            Self::Subquery(kind, query) => {
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
            Self::Let(name, parts) => write!(
                f,
                "LET {name} = {} IN {}",
                Operand(&parts.0),
                Operand(&parts.1)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use proptest::prelude::*;

    fn printed(condition: &str) -> String {
        let query = parse(&format!("SELECT * FROM c WHERE {condition}")).expect(condition);
        query.filter.expect("a condition").to_string()
    }

    #[test]
    fn not_binds_tighter_than_equals() {
        assert_eq!(printed("NOT c.a = 5"), "(NOT c.a) = 5");
        assert_eq!(printed("NOT (c.a = 5)"), "NOT (c.a = 5)");
    }

    #[test]
    fn and_binds_tighter_than_or_and_coalesce_is_loosest() {
        assert_eq!(printed("a OR b AND c ?? d"), "(a OR (b AND c)) ?? d");
        assert_eq!(printed("1 + 2 * 3 = 7 || ''"), "1 + (2 * 3) = (7 || \"\")");
    }

    #[test]
    fn both_quotes_make_strings() {
        assert_eq!(
            printed("c.a = \"it's\" OR c[\"a\"] = 'say \\\"x\\\" \\u00e9'"),
            "(c.a = \"it's\") OR (c[\"a\"] = \"say \\\"x\\\" é\")"
        );
    }

    #[test]
    fn an_open_between_and_is_null_are_refused_with_a_hint() {
        for (condition, hint) in [
            ("c.a IS NULL", "IS_NULL"),
            ("c.x BETWEEN 1 AND 2 AND c.y = 3", "parentheses"),
            ("!c.a", "NOT"),
        ] {
            let error = parse(&format!("SELECT * FROM c WHERE {condition}")).expect_err(condition);
            assert!(
                error.hint.is_some_and(|text| text.contains(hint)),
                "{condition}: {error}"
            );
        }
        assert_eq!(
            printed("(c.x BETWEEN 1 AND 2) AND c.y = 3"),
            "(c.x BETWEEN 1 AND 2) AND (c.y = 3)"
        );
    }

    #[test]
    fn errors_say_where() {
        let error = parse("SELECT *\nFROM c\nWHERE c.ä = 1").expect_err("a name of letters only");
        assert_eq!((error.line, error.column), (3, 9));
    }

    #[test]
    fn long_and_deep_input_is_bounded() {
        let repeated = |start: &str, text: &str, count: usize| {
            parse(&format!(
                "SELECT * FROM c WHERE {start}{}",
                text.repeat(count)
            ))
        };
        assert!(repeated("a", " AND a", 20_000).is_ok());
        for (start, text) in [
            ("", "("),
            ("", "NOT "),
            ("", "["),
            ("a", " + a"),
            ("a", ".a"),
            ("a", " ?? a"),
            ("a", " ? a : a"),
            ("", "f("),
        ] {
            assert!(repeated(start, text, 20_000).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_trees_are_refused_however_they_are_built_and_wide_ones_are_not() {
        let condition = (0..90).fold("a".to_owned(), |inner, _| {
            format!("({inner}{})", " + a".repeat(500))
        });
        assert!(parse(&format!("SELECT * FROM c WHERE {condition}")).is_err());
        let largest = format!("SELECT * FROM c WHERE a{}", " + a".repeat(500));
        let query = parse(&largest).expect("500 in a row");
        assert_eq!(parse(&query.to_string()), Ok(query));
        assert!(
            parse(&format!(
                "SELECT * FROM c WHERE c.a = 1{}",
                " OR c.a = 1 AND c.b = 2".repeat(4000)
            ))
            .is_ok()
        );
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics_and_what_parses_reads_back(
            text in "\\PC{0,40}|SELECT (\\*|VALUE|TOP|a|c|FROM|WHERE|AND|OR|NOT|IN|BETWEEN|LIKE|[-+*/().,=<>?:@1\"' {}\\[\\]]| ){0,30}",
        ) {
            if let Ok(query) = parse(&text) {
                prop_assert_eq!(parse(&query.to_string()), Ok(query));
            }
        }
    }
}
