//! The query language of the service: lexer, parser, syntax tree and its text.

mod analysis;
mod ast;
mod constant;
mod error;
mod expression;
mod fold;
mod functions;
mod groups;
mod hints;
mod lexer;
mod notes;
mod obfuscated;
mod parameters;
mod parser;
mod print;
mod shape;
mod validate;

pub use analysis::{Condition, Parameters, analyze, condition};
pub use ast::{
    BinaryOperator, Count, Expression, Literal, Order, Query, Selected, Selection, Source,
    SourceRoot, SubqueryKind, UnaryOperator,
};
pub use error::{CountPlace, Limit, ParseError, QueryError};
pub use functions::Function;
pub use notes::{Note, Unused};
pub use obfuscated::is_obfuscated;
pub use parameters::parameters_of;
pub use parser::parse;
pub use shape::shape;
pub use validate::validate;
