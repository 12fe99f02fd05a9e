//! What of a condition narrows no query, and why: facts for whoever explains a routing.

use crate::model::PropertyPath;

/// A part of a condition that narrows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The property that it is about, where it is one of the item.
    pub property: Option<PropertyPath>,
    /// Why it narrows nothing.
    pub unused: Unused,
}

/// Why a part of a condition narrows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unused {
    /// `!=`, `NOT IN`, `NOT LIKE`, `NOT BETWEEN`, or `NOT` before a condition.
    Negation,
    /// `<`, `<=`, `>`, `>=` or `BETWEEN`: a hash keeps no order.
    Range,
    /// A built-in function of the property.
    Function(String),
    /// A user-defined function.
    UserFunction(String),
    /// An operator that changes the property before it is compared.
    Operator(&'static str),
    /// `?:`, `??` or `LET`.
    Choice,
    /// `LIKE` with a wildcard.
    Wildcard,
    /// A comparison with `undefined`.
    Undefined,
    /// A comparison with another property, or with a value that is computed.
    NotConstant,
    /// A condition on an element of an array, by this name or text.
    Element(String),
    /// A condition inside a subquery.
    Subquery,
    /// A condition that is all in the value of a parameter, which is not known.
    UnknownParameter,
}

impl Unused {
    /// Whether the service is known not to narrow by it. Otherwise it might, and what is said of the
    /// routing is an upper bound.
    pub fn is_established(&self) -> bool {
        match self {
            Self::Negation | Self::Choice | Self::Undefined | Self::UnknownParameter => false,
            Self::Operator(operator) => *operator != "||",
            Self::Function(name) => ![
                "LOWER",
                "UPPER",
                "STRINGEQUALS",
                "STARTSWITH",
                "IIF",
                "CONCAT",
            ]
            .iter()
            .any(|open| name.eq_ignore_ascii_case(open)),
            Self::Range
            | Self::UserFunction(_)
            | Self::Wildcard
            | Self::NotConstant
            | Self::Element(_)
            | Self::Subquery => true,
        }
    }
}
