//! What to do with a key: commands that create its container, and code that builds its value.

mod code;
mod create;

use crate::keys::Candidate;

/// A snippet: its language or tool, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snippet {
    /// The command line of Azure.
    AzureCli,
    /// Bicep.
    Bicep,
    /// Terraform.
    Terraform,
    /// C#.
    DotNet,
    /// Java.
    Java,
    /// JavaScript.
    JavaScript,
    /// Python.
    Python,
}

impl Snippet {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::AzureCli,
        Self::Bicep,
        Self::Terraform,
        Self::DotNet,
        Self::Java,
        Self::JavaScript,
        Self::Python,
    ];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::AzureCli => "az",
            Self::Bicep => "bicep",
            Self::Terraform => "terraform",
            Self::DotNet => "dotnet",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Python => "python",
        }
    }

    /// Its text for a key; `None` of code where the service takes the key from the item by itself.
    pub fn text(self, candidate: &Candidate) -> Option<String> {
        match self {
            Self::AzureCli => Some(create::azure_cli(candidate)),
            Self::Bicep => Some(create::bicep(candidate)),
            Self::Terraform => Some(create::terraform(candidate)),
            Self::DotNet => code::dotnet(candidate),
            Self::Java => code::java(candidate),
            Self::JavaScript => code::javascript(candidate),
            Self::Python => code::python(candidate),
        }
    }
}
