//! Scalar expressions, by the precedence of their operators.

use super::ast::{BinaryOperator, Expression, Literal, SubqueryKind, UnaryOperator};
use super::error::ParseError;
use super::hints;
use super::lexer::{Token, unescaped};
use super::parser::Parser;

/// How tight operators bind, the loosest first.
pub(super) mod level {
    /// `LET`, which takes all that follows, stands only where an expression starts.
    pub(in crate::query) const LET: u8 = 0;
    pub(in crate::query) const CONDITIONAL: u8 = 1;
    pub(in crate::query) const COALESCE: u8 = 2;
    pub(in crate::query) const OR: u8 = 3;
    pub(in crate::query) const AND: u8 = 4;
    /// `IN`, `LIKE` and `BETWEEN`.
    pub(in crate::query) const TEST: u8 = 5;
    pub(in crate::query) const COMPARE: u8 = 6;
    pub(in crate::query) const CONCATENATE: u8 = 7;
    pub(in crate::query) const ADD: u8 = 8;
    pub(in crate::query) const MULTIPLY: u8 = 9;
    pub(in crate::query) const UNARY: u8 = 10;
    pub(in crate::query) const WHOLE: u8 = 11;
}

/// How tight an operator with two operands binds that is read from left to right.
pub(super) fn binary_level(symbol: &str) -> Option<u8> {
    Some(match symbol {
        "=" | "!=" | "<>" | "<" | ">" | "<=" | ">=" | "<<" | ">>" | ">>>" => level::COMPARE,
        "||" => level::CONCATENATE,
        "|" | "^" | "&" | "+" | "-" => level::ADD,
        "*" | "/" | "%" => level::MULTIPLY,
        _ => return None,
    })
}

/// What follows an operand.
#[derive(Clone, Copy)]
enum Infix {
    Binary(&'static str),
    Test,
    And,
    Or,
    Coalesce,
    Conditional,
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expression, ParseError> {
        let expression = self.nested(|parser| {
            if parser.is_word("let") {
                parser.let_in()
            } else {
                parser.level(level::CONDITIONAL)
            }
        })?;
        Ok(self.measured(expression))
    }

    /// Reads an expression whose operators bind at least this tight.
    fn level(&mut self, lowest: u8) -> Result<Expression, ParseError> {
        let mut left = self.unary()?;
        // An operator that binds tighter than what has been read cannot take it as its operand.
        let mut tightest = level::MULTIPLY;
        loop {
            let Some((infix, level)) = self.infix() else {
                return Ok(left);
            };
            if !(lowest..=tightest).contains(&level) {
                return Ok(left);
            }
            left = match infix {
                Infix::Binary(symbol) => self.binary(left, symbol, level)?,
                Infix::Test => self.test(left)?,
                Infix::And => Expression::And(self.chain("and", left, level::TEST)?),
                Infix::Or => Expression::Or(self.chain("or", left, level::AND)?),
                Infix::Coalesce => self.coalesce(left)?,
                Infix::Conditional => self.conditional(left)?,
            };
            // Only operators with two operands of one level follow each other.
            tightest = match infix {
                Infix::Binary(_) => level,
                _ => level - 1,
            };
        }
    }

    fn binary(
        &mut self,
        left: Expression,
        symbol: &'static str,
        level: u8,
    ) -> Result<Expression, ParseError> {
        let height = self.height();
        self.next();
        let right = Box::new(self.level(level + 1)?);
        self.raise(height)?;
        Ok(Expression::Binary(
            BinaryOperator(symbol),
            Box::new(left),
            right,
        ))
    }

    fn coalesce(&mut self, left: Expression) -> Result<Expression, ParseError> {
        let height = self.height();
        self.next();
        let right = self.nested(|parser| parser.level(level::COALESCE))?;
        self.raise(height)?;
        Ok(Expression::Binary(
            BinaryOperator("??"),
            Box::new(left),
            Box::new(right),
        ))
    }

    fn conditional(&mut self, condition: Expression) -> Result<Expression, ParseError> {
        let height = self.height();
        self.next();
        let yes = self.expression()?;
        let height = height.max(self.height());
        self.expect(":", "':'")?;
        let no = self.expression()?;
        self.raise(height)?;
        Ok(Expression::Conditional(Box::new((condition, yes, no))))
    }

    fn infix(&self) -> Option<(Infix, u8)> {
        Some(match self.peek() {
            Token::Symbol("?") => (Infix::Conditional, level::CONDITIONAL),
            Token::Symbol("??") => (Infix::Coalesce, level::COALESCE),
            Token::Symbol(symbol) => (Infix::Binary(symbol), binary_level(symbol)?),
            Token::Word(word) if word.eq_ignore_ascii_case("and") => (Infix::And, level::AND),
            Token::Word(word) if word.eq_ignore_ascii_case("or") => (Infix::Or, level::OR),
            Token::Word(_) if self.is_test() => (Infix::Test, level::TEST),
            _ => return None,
        })
    }

    fn chain(
        &mut self,
        word: &str,
        first: Expression,
        level: u8,
    ) -> Result<Vec<Expression>, ParseError> {
        let (mut operands, mut highest) = flattened(first, word, self.height());
        while self.take_word(word) {
            let operand = self.level(level)?;
            let (mut more, height) = flattened(operand, word, self.height());
            operands.append(&mut more);
            highest = highest.max(height);
        }
        self.set_height(highest);
        self.raise(0)?;
        Ok(operands)
    }

    fn is_test(&self) -> bool {
        let at = usize::from(self.is_word("not"));
        ["in", "between", "like"]
            .iter()
            .any(|word| self.is_word_behind(at, word))
    }

    /// `[NOT] IN`, `[NOT] BETWEEN` or `[NOT] LIKE` behind a value.
    fn test(&mut self, value: Expression) -> Result<Expression, ParseError> {
        let height = self.height();
        let negated = self.take_word("not");
        let value = Box::new(value);
        let test = if self.take_word("in") {
            self.expect("(", "'('")?;
            let list = self.until_close(")", "',' or ')'")?;
            Expression::In(value, negated, list)
        } else if self.take_word("between") {
            Expression::Between(value, negated, Box::new(self.bounds()?))
        } else {
            self.expect_word("like", "LIKE")?;
            let pattern = Box::new(self.level(level::COMPARE)?);
            Expression::Like(value, negated, pattern, self.escape()?)
        };
        self.raise(height)?;
        Ok(test)
    }

    fn bounds(&mut self) -> Result<(Expression, Expression), ParseError> {
        let low = self.level(level::COMPARE)?;
        let height = self.height();
        self.expect_word("and", "AND")?;
        let high = self.level(level::COMPARE)?;
        self.set_height(height.max(self.height()));
        if self.is_word("and") || self.is_word("or") {
            return Err(self.error_with("the end of the condition", Some(hints::BETWEEN)));
        }
        Ok((low, high))
    }

    fn escape(&mut self) -> Result<Option<String>, ParseError> {
        if !self.take_word("escape") {
            return Ok(None);
        }
        let Token::Text(raw) = self.peek() else {
            return Err(self.error("a string"));
        };
        self.next();
        Ok(Some(unescaped(raw)))
    }

    fn unary(&mut self) -> Result<Expression, ParseError> {
        let operator = match self.peek() {
            Token::Symbol("-") => UnaryOperator::Minus,
            Token::Symbol("+") => UnaryOperator::Plus,
            Token::Symbol("~") => UnaryOperator::BitNot,
            Token::Word(word) if word.eq_ignore_ascii_case("not") => UnaryOperator::Not,
            _ => return self.postfix(),
        };
        self.next();
        let operand = self.nested(Self::unary)?;
        self.raise(0)?;
        Ok(Expression::Unary(operator, Box::new(operand)))
    }

    fn postfix(&mut self) -> Result<Expression, ParseError> {
        let mut value = self.primary()?;
        loop {
            if self.take(".") {
                value = Expression::Member(Box::new(value), self.name("the name of a property")?);
                self.raise(0)?;
            } else if self.take("[") {
                let height = self.height();
                let index = self.expression()?;
                self.expect("]", "']'")?;
                value = Expression::Index(Box::new(value), Box::new(index));
                self.raise(height)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, ParseError> {
        self.set_height(1);
        match self.peek() {
            Token::Number(text) => Ok(self.literal(Literal::Number(text.to_owned()))),
            Token::Text(raw) => Ok(self.literal(Literal::String(unescaped(raw)))),
            Token::Parameter(name) => {
                self.next();
                Ok(Expression::Parameter(name.to_owned()))
            }
            Token::Symbol("(") => self.parenthesised(),
            Token::Symbol("[") => {
                self.next();
                self.until("]", "',' or ']'").map(Expression::Array)
            }
            Token::Symbol("{") => {
                self.next();
                self.over_list(Self::object)
            }
            Token::Word(word) => self.word(word),
            Token::Symbol(_) | Token::End => Err(self.error("an expression")),
        }
    }

    fn parenthesised(&mut self) -> Result<Expression, ParseError> {
        self.next();
        if self.is_word("select") {
            return self.subquery(SubqueryKind::Scalar);
        }
        let inner = self.expression()?;
        self.expect(")", "')'")?;
        Ok(inner)
    }

    /// A query behind its opening parenthesis.
    fn subquery(&mut self, kind: SubqueryKind) -> Result<Expression, ParseError> {
        let query = Box::new(self.nested(Self::query)?);
        self.expect(")", "')'")?;
        Ok(Expression::Subquery(kind, query))
    }

    fn literal(&mut self, literal: Literal) -> Expression {
        self.next();
        Expression::Literal(literal)
    }

    /// Expressions with commas between them, or none, up to a closing symbol.
    fn until(
        &mut self,
        close: &str,
        expected: &'static str,
    ) -> Result<Vec<Expression>, ParseError> {
        if self.take(close) {
            return Ok(Vec::new());
        }
        self.until_close(close, expected)
    }

    fn until_close(
        &mut self,
        close: &str,
        expected: &'static str,
    ) -> Result<Vec<Expression>, ParseError> {
        self.over_list(|parser| {
            let mut list = Vec::new();
            loop {
                list.push(parser.expression()?);
                if !parser.take(",") {
                    parser.expect(close, expected)?;
                    return Ok(list);
                }
            }
        })
    }

    fn object(&mut self) -> Result<Expression, ParseError> {
        let mut members = Vec::new();
        if self.take("}") {
            return Ok(Expression::Object(members));
        }
        loop {
            let name = if let Token::Text(raw) = self.peek() {
                self.next();
                unescaped(raw)
            } else {
                self.name("the name of a member")?
            };
            self.expect(":", "':'")?;
            members.push((name, self.expression()?));
            if !self.take(",") {
                self.expect("}", "',' or '}'")?;
                return Ok(Expression::Object(members));
            }
        }
    }

    fn let_in(&mut self) -> Result<Expression, ParseError> {
        self.next();
        let name = self.name("a name")?;
        self.expect("=", "'='")?;
        let value = self.nested(|parser| parser.level(level::COMPARE))?;
        let height = self.height();
        self.expect_word("in", "IN")?;
        let body = self.expression()?;
        self.raise(height)?;
        Ok(Expression::Let(name, Box::new((value, body))))
    }

    fn word(&mut self, word: &str) -> Result<Expression, ParseError> {
        let constant = match word.len() {
            4 if word.eq_ignore_ascii_case("null") => Some(Literal::Null),
            4 if word.eq_ignore_ascii_case("true") => Some(Literal::Bool(true)),
            5 if word.eq_ignore_ascii_case("false") => Some(Literal::Bool(false)),
            9 if word.eq_ignore_ascii_case("undefined") => Some(Literal::Undefined),
            _ => None,
        };
        if let Some(literal) = constant {
            return Ok(self.literal(literal));
        }
        if self.is_symbol_behind(1, "(")
            && self.is_word_behind(2, "select")
            && let Some(kind) = subquery_kind(word)
        {
            self.next();
            self.next();
            return self.subquery(kind);
        }
        let udf = word.eq_ignore_ascii_case("udf")
            && self.is_symbol_behind(1, ".")
            && self.is_symbol_behind(3, "(");
        if udf {
            self.next();
            self.next();
        }
        let expected = if udf {
            "the name of a function"
        } else {
            "an expression"
        };
        let name = self.name(expected)?;
        if self.take("(") {
            let arguments = self.until(")", "',' or ')'")?;
            return Ok(Expression::Call(udf, name, arguments));
        }
        Ok(Expression::Name(name))
    }
}

/// The operands of an expression that is of the same kind, which parentheses do not change, or the
/// expression alone; and how high they are.
///
/// Programs that put conditions together write `(((a OR b) OR c) OR d)`; this keeps the tree flat.
fn flattened(operand: Expression, word: &str, height: usize) -> (Vec<Expression>, usize) {
    match operand {
        Expression::And(operands) if word == "and" => (operands, height - 1),
        Expression::Or(operands) if word == "or" => (operands, height - 1),
        other => (vec![other], height),
    }
}

fn subquery_kind(word: &str) -> Option<SubqueryKind> {
    const KINDS: [(&str, SubqueryKind); 5] = [
        ("exists", SubqueryKind::Exists),
        ("array", SubqueryKind::Array),
        ("all", SubqueryKind::All),
        ("first", SubqueryKind::First),
        ("last", SubqueryKind::Last),
    ];
    KINDS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|(_, kind)| *kind)
}
