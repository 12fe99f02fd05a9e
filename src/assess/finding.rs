//! What a check found.

use serde_json::Value;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// It costs something.
    Warning,
    /// It breaks something.
    Error,
}

impl Severity {
    /// The severity of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Info, Self::Warning, Self::Error]
            .into_iter()
            .find(|severity| severity.name() == name)
    }

    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It may be so; the sample or the model leaves it open.
    Possible,
    /// It is likely: estimates stand between the files and the finding.
    Likely,
    /// It follows from the files and the service's rules.
    Certain,
}

impl Confidence {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }
}

/// The facts behind a finding, by name.
pub type Evidence = Vec<(&'static str, Value)>;

/// What a check found about a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The code of the check.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether it alone rejects the candidate.
    pub rejects: bool,
    /// One sentence with the numbers.
    pub message: String,
    /// The facts.
    pub evidence: Evidence,
    /// What to do about it.
    pub remedy: String,
}
