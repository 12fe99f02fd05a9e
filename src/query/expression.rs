//! Scalar expressions, by the precedence of their operators.

use super::ast::{BinaryOperator, Expression, Literal, SubqueryKind, UnaryOperator};
use super::error::ParseError;
use super::lexer::Token;
use super::parser::Parser;

/// Steps such as `.name` behind a value that are free; further ones count as operators in a row.
const STEPS_FREE: usize = 8;

// Levels of precedence, the lowest first.
const CONDITIONAL: u8 = 1;
const COALESCE: u8 = 2;
const OR: u8 = 3;
const AND: u8 = 4;
const TEST: u8 = 5;
const COMPARE: u8 = 6;

/// Operators with two operands that are read from left to right, and their level.
const BINARY: [(&str, u8); 19] = [
    ("=", COMPARE),
    ("!=", COMPARE),
    ("<>", COMPARE),
    ("<", COMPARE),
    (">", COMPARE),
    ("<=", COMPARE),
    (">=", COMPARE),
    ("<<", COMPARE),
    (">>", COMPARE),
    (">>>", COMPARE),
    ("||", 7),
    ("|", 8),
    ("^", 8),
    ("&", 8),
    ("+", 8),
    ("-", 8),
    ("*", 9),
    ("/", 9),
    ("%", 9),
];

/// Whether the second of two operators takes the first as its left operand without parentheses.
pub(super) fn chains(first: BinaryOperator, second: BinaryOperator) -> bool {
    let level = |operator: BinaryOperator| {
        BINARY
            .iter()
            .find(|(symbol, _)| *symbol == operator.0)
            .map(|(_, level)| level)
    };
    level(first)
        .zip(level(second))
        .is_some_and(|(first, second)| first >= second)
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expression, ParseError> {
        self.nested(|parser| parser.level(CONDITIONAL))
    }

    /// Reads an expression whose operators bind at least this tight.
    fn level(&mut self, lowest: u8) -> Result<Expression, ParseError> {
        let mut left = self.unary()?;
        let mut before = false;
        loop {
            // Only these can follow each other without end; what binds looser stands once on a level.
            if before
                && (self
                    .binary_operator()
                    .is_some_and(|(_, level)| level >= lowest)
                    || (lowest <= TEST && self.is_test()))
            {
                self.deepen()?;
            }
            before = true;
            if let Some((symbol, level)) =
                self.binary_operator().filter(|(_, level)| *level >= lowest)
            {
                self.next();
                let right = self.level(level + 1)?;
                left = Expression::Binary(BinaryOperator(symbol), Box::new(left), Box::new(right));
            } else if lowest <= TEST && self.is_test() {
                left = self.test(left)?;
            } else if lowest <= AND && self.is_word("and") {
                left = Expression::And(self.chain("and", left, TEST)?);
            } else if lowest <= OR && self.is_word("or") {
                left = Expression::Or(self.chain("or", left, AND)?);
            } else if lowest <= COALESCE && self.take("??") {
                let right = self.nested(|parser| parser.level(COALESCE))?;
                left = Expression::Binary(BinaryOperator("??"), Box::new(left), Box::new(right));
            } else if lowest <= CONDITIONAL && self.take("?") {
                let yes = self.expression()?;
                self.expect(":", "':'")?;
                let no = self.expression()?;
                left = Expression::Conditional(Box::new((left, yes, no)));
            } else {
                return Ok(left);
            }
        }
    }

    fn chain(
        &mut self,
        word: &str,
        first: Expression,
        level: u8,
    ) -> Result<Vec<Expression>, ParseError> {
        let mut operands = vec![first];
        while self.take_word(word) {
            operands.push(self.level(level)?);
        }
        Ok(operands)
    }

    fn binary_operator(&self) -> Option<(&'static str, u8)> {
        let Token::Symbol(symbol) = self.peek() else {
            return None;
        };
        BINARY.into_iter().find(|(known, _)| known == symbol)
    }

    fn is_test(&self) -> bool {
        let at = usize::from(self.is_word("not"));
        ["in", "between", "like"]
            .iter()
            .any(|word| self.is_word_behind(at, word))
    }

    /// `[NOT] IN`, `[NOT] BETWEEN` or `[NOT] LIKE` behind a value.
    fn test(&mut self, value: Expression) -> Result<Expression, ParseError> {
        let negated = self.take_word("not");
        let value = Box::new(value);
        if self.take_word("in") {
            self.expect("(", "'('")?;
            let mut list = vec![self.expression()?];
            while self.take(",") {
                list.push(self.expression()?);
            }
            self.expect(")", "',' or ')'")?;
            return Ok(Expression::In(value, negated, list));
        }
        if self.take_word("between") {
            let low = self.level(COMPARE)?;
            self.expect_word("and", "AND")?;
            let high = self.level(COMPARE)?;
            if self.is_word("and") || self.is_word("or") {
                let mut error = self.error("the end of the condition");
                error.hint =
                    Some("put parentheses around x BETWEEN a AND b where AND or OR follows");
                return Err(error);
            }
            return Ok(Expression::Between(value, negated, Box::new((low, high))));
        }
        self.expect_word("like", "LIKE")?;
        let pattern = Box::new(self.level(COMPARE)?);
        let mut escape = None;
        if self.take_word("escape") {
            let Token::Text(text) = self.peek().clone() else {
                return Err(self.error("a string"));
            };
            self.next();
            escape = Some(text);
        }
        Ok(Expression::Like(value, negated, pattern, escape))
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
        Ok(Expression::Unary(operator, Box::new(operand)))
    }

    fn postfix(&mut self) -> Result<Expression, ParseError> {
        let mut value = self.primary()?;
        for step in 0.. {
            if step >= STEPS_FREE {
                self.deepen()?;
            }
            if self.take(".") {
                value = Expression::Member(Box::new(value), self.name("the name of a property")?);
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]", "']'")?;
                value = Expression::Index(Box::new(value), Box::new(index));
            } else {
                break;
            }
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Expression, ParseError> {
        match self.peek().clone() {
            Token::Number(text) => Ok(self.literal(Literal::Number(text))),
            Token::Text(text) => Ok(self.literal(Literal::String(text))),
            Token::Parameter(name) => {
                self.next();
                Ok(Expression::Parameter(name))
            }
            Token::Symbol("(") => {
                self.next();
                let inner = if self.is_word("select") {
                    self.nested(Self::query)
                        .map(|query| Expression::Subquery(SubqueryKind::Scalar, Box::new(query)))?
                } else {
                    self.expression()?
                };
                self.expect(")", "')'")?;
                Ok(inner)
            }
            Token::Symbol("[") => {
                self.next();
                self.until("]", "',' or ']'").map(Expression::Array)
            }
            Token::Symbol("{") => {
                self.next();
                self.object()
            }
            Token::Word(word) => self.word(&word),
            Token::Symbol(_) | Token::End => Err(self.error("an expression")),
        }
    }

    fn literal(&mut self, literal: Literal) -> Expression {
        self.next();
        Expression::Literal(literal)
    }

    /// Expressions with commas between them, up to a closing symbol.
    fn until(
        &mut self,
        close: &str,
        expected: &'static str,
    ) -> Result<Vec<Expression>, ParseError> {
        let mut list = Vec::new();
        if self.take(close) {
            return Ok(list);
        }
        loop {
            list.push(self.expression()?);
            if !self.take(",") {
                self.expect(close, expected)?;
                return Ok(list);
            }
        }
    }

    fn object(&mut self) -> Result<Expression, ParseError> {
        let mut members = Vec::new();
        if self.take("}") {
            return Ok(Expression::Object(members));
        }
        loop {
            let name = if let Token::Text(text) = self.peek().clone() {
                self.next();
                text
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

    fn word(&mut self, word: &str) -> Result<Expression, ParseError> {
        const SUBQUERIES: [(&str, SubqueryKind); 5] = [
            ("exists", SubqueryKind::Exists),
            ("array", SubqueryKind::Array),
            ("all", SubqueryKind::All),
            ("first", SubqueryKind::First),
            ("last", SubqueryKind::Last),
        ];
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "null" => return Ok(self.literal(Literal::Null)),
            "undefined" => return Ok(self.literal(Literal::Undefined)),
            "true" => return Ok(self.literal(Literal::Bool(true))),
            "false" => return Ok(self.literal(Literal::Bool(false))),
            "let" => {
                self.next();
                let name = self.name("a name")?;
                self.expect("=", "'='")?;
                let value = self.nested(|parser| parser.level(COMPARE))?;
                self.expect_word("in", "IN")?;
                let body = self.expression()?;
                return Ok(Expression::Let(name, Box::new((value, body))));
            }
            _ => {}
        }
        let call = self.is_symbol_behind(1, "(");
        if let Some((_, kind)) = SUBQUERIES.iter().find(|(name, _)| *name == lower)
            && call
            && self.is_word_behind(2, "select")
        {
            self.next();
            self.next();
            let query = self.nested(Self::query)?;
            self.expect(")", "')'")?;
            return Ok(Expression::Subquery(*kind, Box::new(query)));
        }
        if lower == "udf" && self.is_symbol_behind(1, ".") && self.is_symbol_behind(3, "(") {
            self.next();
            self.next();
            let name = self.name("the name of a function")?;
            self.next();
            return Ok(Expression::Call(true, name, self.until(")", "',' or ')'")?));
        }
        let name = self.name("an expression")?;
        if self.take("(") {
            return Ok(Expression::Call(
                false,
                name,
                self.until(")", "',' or ')'")?,
            ));
        }
        Ok(Expression::Name(name))
    }
}
