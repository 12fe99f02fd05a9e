//! The query language of the service: lexer, parser and syntax tree.
