//! What helps those who come from other dialects, where a text is no query.

use super::lexer::{Placed, Token};

pub(super) const ESCAPE: &str =
    r#"the escapes are \" \' \\ \/ \b \f \n \r \t and \uXXXX; a backslash itself is written \\"#;
pub(super) const BETWEEN: &str = "put parentheses around x BETWEEN a AND b where AND or OR follows";
pub(super) const RANK: &str =
    "ORDER BY RANK takes functions such as FullTextScore, VectorDistance and RRF";

const EQUALITY: &str = "equality is written with one =";
const KEYWORD: &str =
    r#"a keyword is no name: the property is written c["name"], the alias "name""#;
const QUOTED_NAME: &str =
    r#"both quotes make strings, no names: a property is written c.name or c["name"]"#;
const QUOTE_IN_STRING: &str =
    r#"a quote inside a string is written \' or \"; doubled it ends the string"#;
const PAGES: &str = "OFFSET and LIMIT go together: OFFSET 0 LIMIT 10, or TOP 10 behind SELECT";
const JOIN: &str = "JOIN goes through an array of the same item: FROM c JOIN x IN c.list";

/// The hint for a string without an end, from what stands before its quote.
pub(super) fn open_string(before: &str, quote: char) -> &'static str {
    let in_name = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if in_name && quote == '\'' {
        r#"a property whose name holds a quote is written c["it's"]"#
    } else {
        r#"a string ends with the quote it starts with; inside it that quote is written \' or \""#
    }
}

/// The hint for a character that starts no token.
pub(super) fn character(c: char) -> Option<&'static str> {
    match c {
        '`' => Some(QUOTED_NAME),
        '‘' | '’' | '“' | '”' => {
            Some("a string stands in straight quotes: 'text' or \"text\"")
        }
        '$' | '#' => Some("a parameter is written @name"),
        _ if c.is_alphanumeric() => {
            Some(r#"a name of other than ASCII letters is written c["größe"]"#)
        }
        _ => None,
    }
}

/// The hint for a token that cannot stand where it does.
pub(super) fn token(tokens: &[Placed<'_>], at: usize) -> Option<&'static str> {
    let found = tokens[at].0;
    let before = |count: usize| at.checked_sub(count).map(|at| tokens[at].0);
    let is = |token: Option<Token<'_>>, word: &str| matches!(token, Some(Token::Word(found)) if found.eq_ignore_ascii_case(word));
    let percent =
        (1..=at.min(2)).any(|count| is(before(count), "percent") && is(before(count + 2), "top"));
    if percent {
        return Some("TOP takes a number of items; there is no PERCENT");
    }
    match (before(1), found) {
        (Some(Token::Symbol("=")), Token::Symbol("=")) => Some(EQUALITY),
        (Some(Token::Symbol("&")), Token::Symbol("&")) => {
            Some("two conditions are joined by the word AND")
        }
        (_, Token::Symbol("!")) => Some("negation is written NOT"),
        (_, Token::Symbol(";")) => Some("a query has no semicolon at its end"),
        (Some(Token::Symbol("(")), Token::Symbol("*")) => {
            Some("a function takes no *: the number of items is COUNT(1)")
        }
        (Some(Token::Symbol(".")), Token::Symbol("*")) => {
            Some("* stands alone: SELECT * for the whole item, SELECT VALUE x for one source")
        }
        (Some(Token::Symbol(".")), Token::Symbol("[")) => {
            Some(r#"no dot stands before a bracket: c["name"]"#)
        }
        (Some(Token::Symbol(".")), Token::Word(_)) => Some(KEYWORD),
        (Some(Token::Text(_)), Token::Text(_)) => Some(QUOTE_IN_STRING),
        (_, Token::Symbol("-" | ":")) if is(before(2), "from") => {
            Some("the name in FROM is only an alias for the container: FROM c will do")
        }
        (_, Token::End) if is(before(2), "offset") => Some(PAGES),
        (_, Token::Text(_)) | (Some(Token::Text(_)), Token::Symbol(".")) => Some(QUOTED_NAME),
        (_, Token::Word(word)) => clause(word, is(before(1), "as")),
        _ => None,
    }
    .or_else(|| {
        // Words of other dialects are taken for names, and the trouble begins behind them.
        (0..3).find_map(|count| match before(count) {
            Some(Token::Word(word)) => foreign(word),
            _ => None,
        })
    })
}

/// The hint for a word of the language that cannot stand where it does.
fn clause(word: &str, as_alias: bool) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        _ if as_alias => Some(KEYWORD),
        "limit" | "offset" => Some(PAGES),
        "let" => Some("LET x = a IN b stands in parentheses inside a larger expression"),
        "group" | "order" | "where" | "from" => Some(
            "each clause stands once, in the order SELECT FROM WHERE GROUP BY ORDER BY OFFSET LIMIT",
        ),
        _ => None,
    }
}

/// The hint for a word of other dialects.
fn foreign(word: &str) -> Option<&'static str> {
    let hint = match word.to_ascii_lowercase().as_str() {
        "is" => "IS NULL is written IS_NULL(c.x) or c.x = null, IS NOT NULL is NOT IS_NULL(c.x)",
        "fetch" => PAGES,
        "having" => "there is no HAVING: select from a subquery and filter outside it",
        "union" | "except" | "intersect" => "one query at a time: there are no set operations",
        "on" | "inner" | "outer" | "cross" => JOIN,
        "case" | "when" => "CASE is written condition ? a : b, or IIF(condition, a, b)",
        "ilike" => "text without regard to case is compared with CONTAINS(c.x, 'text', true)",
        "with" => "there is no WITH: put the query in parentheses behind FROM",
        "insert" | "update" | "delete" | "merge" | "create" | "drop" | "alter" => {
            "the language only reads: it starts with SELECT"
        }
        _ => return None,
    };
    Some(hint)
}
