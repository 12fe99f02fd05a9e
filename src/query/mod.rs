//! The query language of the service: lexer, parser, syntax tree and its text.

mod analysis;
mod ast;
mod error;
mod expression;
mod hints;
mod lexer;
mod parser;
mod print;

pub use analysis::{Parameters, condition};
pub use ast::{
    BinaryOperator, Count, Expression, Literal, Order, Query, Selected, Selection, Source,
    SourceRoot, SubqueryKind, UnaryOperator,
};
pub use error::ParseError;
pub use parser::parse;
