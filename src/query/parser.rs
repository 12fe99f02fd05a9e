//! From tokens to a query; expressions are read in `expression`.

use super::ast::{
    Count, Expression, Literal, Order, Query, Selected, Selection, Source, SourceRoot,
};
use super::error::ParseError;
use super::hints;
use super::lexer::{Placed, TEXT_CHARS_MAX, Token, error_at, tokens, unescaped};

/// How high a tree may be: a bound on the stack of all that walks it. `AND` and `OR` of any number are
/// flat, whatever parentheses stand in them.
const HEIGHT_MAX: usize = 512;

/// How deep parentheses, calls and subqueries may stand in each other. The service bears 2,000 `OR`,
/// and programs that put conditions together give each its pair of parentheses.
///
/// A tree as high as it may be prints with at most two levels of nesting for one of height, so that
/// what was read within the bounds reads back.
const NESTING_MAX: usize = 2_100;

/// How deep the stack of the caller is used; what nests deeper is read on a stack of its own.
const NESTING_INLINE_MAX: usize = 30;

/// The stack for the deepest nesting; without optimisation its frames are far larger.
const STACK_BYTES: usize = if cfg!(debug_assertions) {
    256 << 20
} else {
    32 << 20
};

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
///
/// Text beyond the limit of the service's engine, 262,144 characters, is refused.
pub fn parse(text: &str) -> Result<Query, ParseError> {
    if text.len() > TEXT_CHARS_MAX && text.chars().count() > TEXT_CHARS_MAX {
        let hint = Some("that is the limit of the service for the text of one query");
        let expected = "at most 262,144 characters";
        return Err(error_at(text, 0, "more".to_owned(), expected, hint));
    }
    read(text)
}

/// Reads a query of any length.
pub(super) fn read(text: &str) -> Result<Query, ParseError> {
    read_tokens(text, &tokens(text)?)
}

fn read_tokens(text: &str, tokens: &[Placed<'_>]) -> Result<Query, ParseError> {
    let mut parser = Parser::new(text, tokens, NESTING_INLINE_MAX);
    let result = parser.whole();
    if !parser.too_deep {
        return result;
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || Parser::new(text, tokens, NESTING_MAX).whole())
            .map_or(result, |thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
    })
}

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Placed<'a>],
    at: usize,
    nesting: usize,
    nesting_max: usize,
    /// Whether the text was given up because of its nesting.
    too_deep: bool,
    /// Height of the tree of the expression or query that was read last.
    height: usize,
    /// Height of the highest expression since the last list began.
    highest: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: &'a [Placed<'a>], nesting_max: usize) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            nesting: 0,
            nesting_max,
            too_deep: false,
            height: 0,
            highest: 0,
        }
    }

    /// Reads a query that takes the whole text.
    fn whole(&mut self) -> Result<Query, ParseError> {
        let query = self.query()?;
        match self.peek() {
            Token::End => Ok(query),
            _ => Err(self.error("the end of the query")),
        }
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn peek_behind(&self, count: usize) -> Token<'a> {
        self.tokens[(self.at + count).min(self.tokens.len() - 1)].0
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn error(&self, expected: &'static str) -> ParseError {
        self.error_with(expected, hints::token(self.tokens, self.at))
    }

    pub(super) fn error_with(
        &self,
        expected: &'static str,
        hint: Option<&'static str>,
    ) -> ParseError {
        let (token, offset) = self.tokens[self.at];
        let found = match token {
            Token::End => "the end".to_owned(),
            Token::Word(text) | Token::Parameter(text) | Token::Number(text) => format!("'{text}'"),
            Token::Text(raw) => format!("the string \"{raw}\""),
            Token::Symbol(symbol) => format!("'{symbol}'"),
        };
        error_at(self.text, offset, found, expected, hint)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.is_word_behind(0, word)
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
        matches!(self.peek_behind(count), Token::Symbol(found) if found == symbol)
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
        if self.nesting >= self.nesting_max {
            self.too_deep = true;
            return Err(self.error_with("less nesting: at most 2,100 levels", None));
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn set_height(&mut self, height: usize) {
        self.height = height;
    }

    /// Notes that what was read last stands in one node with others of at most this height.
    pub(super) fn raise(&mut self, others: usize) -> Result<(), ParseError> {
        self.height = self.height.max(others) + 1;
        if self.height > HEIGHT_MAX {
            return Err(self.error_with("fewer operators one on the other: at most 512", None));
        }
        Ok(())
    }

    /// Notes the height of an expression that was read whole.
    pub(super) fn measured<T>(&mut self, read: T) -> T {
        self.highest = self.highest.max(self.height);
        read
    }

    /// Reads a node over a list of expressions.
    pub(super) fn over_list<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        let outer = std::mem::take(&mut self.highest);
        let result = read(self)?;
        self.height = self.highest;
        self.raise(0)?;
        self.highest = outer.max(self.height);
        Ok(result)
    }

    /// A word that can be a name.
    pub(super) fn name(&mut self, expected: &'static str) -> Result<String, ParseError> {
        match self.peek() {
            Token::Word(word) if is_name(word) => {
                self.at += 1;
                Ok(word.to_owned())
            }
            _ => Err(self.error(expected)),
        }
    }

    pub(super) fn query(&mut self) -> Result<Query, ParseError> {
        self.over_list(Self::clauses)
    }

    fn clauses(&mut self) -> Result<Query, ParseError> {
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
            // RANK is a name too, unless another one follows.
            rank = matches!(self.peek_behind(1), Token::Word(word) if is_name(word))
                && self.take_word("rank");
            order_by = self.list(if rank { Self::score } else { Self::order })?;
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
                Count::Number(text.to_owned())
            }
            Token::Parameter(name) => Count::Parameter(name.to_owned()),
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
            Token::Text(raw) => {
                self.at += 1;
                Ok(Some(unescaped(raw)))
            }
            // LET starts an expression, but none can stand here.
            Token::Word(word) if is_name(word) || word.eq_ignore_ascii_case("let") => {
                self.at += 1;
                Ok(Some(word.to_owned()))
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
                    Token::Text(raw) => Literal::String(unescaped(raw)),
                    Token::Number(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                        Literal::Number(text.to_owned())
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

    /// One item of `ORDER BY RANK`.
    fn score(&mut self) -> Result<Order, ParseError> {
        let start = self.at;
        let order = self.order()?;
        if matches!(order.value, Expression::Call(..)) {
            return Ok(order);
        }
        self.at = start;
        Err(self.error_with("a function that scores", Some(hints::RANK)))
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
