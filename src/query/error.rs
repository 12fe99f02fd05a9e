//! Why a text is no query.

/// Why a text is no query, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found} at line {line}, column {column}")]
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
