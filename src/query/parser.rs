//! From tokens to a query; expressions are read in `expression`.

use super::ast::{
    Count, Expression, Literal, Order, Query, Selected, Selection, Source, SourceRoot,
};
use super::error::ParseError;
use super::lexer::{Placed, Token, error_at, tokens};

/// How deep parentheses, calls and subqueries may stand in each other.
const NESTING_MAX: usize = 100;

/// Operators that may follow another of the same expression, in a whole query. Each makes the tree
/// one deeper, and with the nesting this bounds the stack of all that walks it. `AND` and `OR` of any
/// number are flat.
const IN_A_ROW_MAX: usize = 500;

/// Words that are never names.
const RESERVED: [&str; 29] = [
    "select",
    "from",
    "where",
    "and",
    "or",
    "not",
    "in",
    "between",
    "like",
    "escape",
    "as",
    "by",
    "group",
    "order",
    "offset",
    "limit",
    "top",
    "distinct",
    "value",
    "exists",
    "array",
    "join",
    "asc",
    "desc",
    "null",
    "true",
    "false",
    "undefined",
    "let",
];

/// Reads a query.
pub fn parse(text: &str) -> Result<Query, ParseError> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        at: 0,
        nesting: 0,
        in_a_row: 0,
    };
    let query = parser.query()?;
    match parser.peek() {
        Token::End => Ok(query),
        _ => Err(parser.error("the end of the query")),
    }
}

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
    nesting: usize,
    in_a_row: usize,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_behind(&self, count: usize) -> &Token {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)].0
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn error(&self, expected: &'static str) -> ParseError {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Word(text) | Token::Parameter(text) | Token::Number(text) => format!("'{text}'"),
            Token::Text(text) => format!("the string \"{text}\""),
            Token::Symbol(symbol) => format!("'{symbol}'"),
        };
        let mut error = error_at(self.text, self.tokens[self.at].1, found, expected);
        error.hint = match self.peek() {
            Token::Symbol("!") => Some("negation is written NOT"),
            Token::Word(word) if word.eq_ignore_ascii_case("is") => {
                Some("IS NULL is written IS_NULL(c.x) or c.x = null")
            }
            _ => None,
        };
        error
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_word_behind(&self, count: usize, word: &str) -> bool {
        matches!(self.peek_behind(count), Token::Word(found) if found.eq_ignore_ascii_case(word))
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_word(
        &mut self,
        word: &str,
        expected: &'static str,
    ) -> Result<(), ParseError> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    pub(super) fn is_symbol_behind(&self, count: usize, symbol: &str) -> bool {
        matches!(self.peek_behind(count), Token::Symbol(found) if *found == symbol)
    }

    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol_behind(0, symbol);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(
        &mut self,
        symbol: &str,
        expected: &'static str,
    ) -> Result<(), ParseError> {
        if self.take(symbol) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    /// Reads what stands deeper, within the bound on depth.
    pub(super) fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.nesting >= NESTING_MAX {
            return Err(self.error("less nesting: at most 100 levels"));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Counts an operator that follows another, within the bound.
    pub(super) fn deepen(&mut self) -> Result<(), ParseError> {
        self.in_a_row += 1;
        if self.in_a_row > IN_A_ROW_MAX {
            Err(self.error("fewer operators in a row: at most 500 in a query"))
        } else {
            Ok(())
        }
    }

    /// A word that can be a name.
    pub(super) fn name(&mut self, expected: &'static str) -> Result<String, ParseError> {
        match self.peek() {
            Token::Word(word) if is_name(word) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.error(expected)),
        }
    }

    pub(super) fn query(&mut self) -> Result<Query, ParseError> {
        self.expect_word("select", "SELECT")?;
        let distinct = self.take_word("distinct");
        let top = if self.take_word("top") {
            Some(self.count(true)?)
        } else {
            None
        };
        let selection = self.selection()?;
        let from = if self.take_word("from") {
            self.sources()?
        } else {
            Vec::new()
        };
        let filter = if self.take_word("where") {
            Some(self.expression()?)
        } else {
            None
        };
        let mut group_by = Vec::new();
        if self.take_word("group") {
            self.expect_word("by", "BY")?;
            group_by = self.list(Self::expression)?;
        }
        let (mut order_by, mut rank) = (Vec::new(), false);
        if self.take_word("order") {
            self.expect_word("by", "BY")?;
            let call = self.is_symbol_behind(1, "(")
                || self.is_symbol_behind(1, ".")
                || self.is_symbol_behind(1, "[");
            rank = !call
                && matches!(self.peek_behind(1), Token::Word(word) if is_name(word))
                && self.take_word("rank");
            order_by = self.list(Self::order)?;
        }
        let mut offset_limit = None;
        if self.take_word("offset") {
            let offset = self.count(false)?;
            self.expect_word("limit", "LIMIT")?;
            offset_limit = Some((offset, self.count(false)?));
        }
        Ok(Query {
            distinct,
            top,
            selection,
            from,
            filter,
            group_by,
            order_by,
            rank,
            offset_limit,
        })
    }

    fn list<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut list = vec![read(self)?];
        while self.take(",") {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// A number of rows. That it is at most 4294967295 the service checks later, when it plans.
    fn count(&mut self, decimal: bool) -> Result<Count, ParseError> {
        let count = match self.peek() {
            Token::Number(text) if decimal || text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Count::Number(text.clone())
            }
            Token::Parameter(name) => Count::Parameter(name.clone()),
            _ => return Err(self.error("a number of rows or a parameter")),
        };
        self.next();
        Ok(count)
    }

    fn selection(&mut self) -> Result<Selection, ParseError> {
        if self.take("*") {
            return Ok(Selection::All);
        }
        if self.take_word("value") {
            return self.expression().map(Selection::Value);
        }
        self.list(Self::selected).map(Selection::Items)
    }

    fn selected(&mut self) -> Result<Selected, ParseError> {
        let value = self.expression()?;
        Ok(Selected {
            value,
            alias: self.alias()?,
        })
    }

    fn alias(&mut self) -> Result<Option<String>, ParseError> {
        let named = self.take_word("as");
        match self.peek() {
            Token::Text(text) => {
                let text = text.clone();
                self.at += 1;
                Ok(Some(text))
            }
            // LET starts an expression, but none can stand here.
            Token::Word(word) if is_name(word) || word.eq_ignore_ascii_case("let") => {
                let word = word.clone();
                self.at += 1;
                Ok(Some(word))
            }
            _ if named => Err(self.error("an alias")),
            _ => Ok(None),
        }
    }

    fn sources(&mut self) -> Result<Vec<Source>, ParseError> {
        let mut sources = vec![self.source()?];
        while self.take_word("join") {
            sources.push(self.source()?);
        }
        Ok(sources)
    }

    fn source(&mut self) -> Result<Source, ParseError> {
        if self.is_word_behind(1, "in") {
            let alias = self.name("an alias")?;
            self.next();
            let (root, steps) = self.source_path()?;
            return Ok(Source {
                root,
                steps,
                alias: Some(alias),
                each: true,
            });
        }
        let (root, steps) = self.source_path()?;
        let named = self.take_word("as");
        let alias = if named || matches!(self.peek(), Token::Word(word) if is_name(word)) {
            Some(self.name("an alias")?)
        } else {
            None
        };
        Ok(Source {
            root,
            steps,
            alias,
            each: false,
        })
    }

    fn source_path(&mut self) -> Result<(SourceRoot, Vec<Literal>), ParseError> {
        if self.take("(") {
            let query = self.nested(Self::query)?;
            self.expect(")", "')'")?;
            return Ok((SourceRoot::Subquery(Box::new(query)), Vec::new()));
        }
        let root = SourceRoot::Name(self.name("a container, an alias or a subquery")?);
        let mut steps = Vec::new();
        loop {
            if self.take(".") {
                steps.push(Literal::String(self.name("the name of a property")?));
            } else if self.take("[") {
                steps.push(match self.next() {
                    Token::Text(text) => Literal::String(text),
                    Token::Number(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                        Literal::Number(text)
                    }
                    _ => {
                        self.at -= 1;
                        return Err(self.error("a string or an index"));
                    }
                });
                self.expect("]", "']'")?;
            } else {
                return Ok((root, steps));
            }
        }
    }

    fn order(&mut self) -> Result<Order, ParseError> {
        let value: Expression = self.expression()?;
        let descending = if self.take_word("desc") {
            Some(true)
        } else if self.take_word("asc") {
            Some(false)
        } else {
            None
        };
        Ok(Order { value, descending })
    }
}

pub(super) fn is_name(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_digit())
        && !RESERVED
            .iter()
            .any(|reserved| word.eq_ignore_ascii_case(reserved))
}
