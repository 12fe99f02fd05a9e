//! Why a text is no query.

use std::fmt;

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
