//! What can go wrong with a file, and with a row of it.

use std::io;

/// Why an input cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The file or folder cannot be opened or read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// The input as named.
        path: String,
        /// What the system says.
        #[source]
        cause: io::Error,
    },
    /// There is no such file or folder.
    #[error("{0} does not exist")]
    Missing(String),
    /// The folder holds no data file.
    #[error("{0} holds no data file")]
    EmptyFolder(String),
    /// The pattern matches no file.
    #[error("no file matches {0}")]
    NoMatch(String),
    /// The pattern cannot be read.
    #[error("{0} is no pattern of file names")]
    Pattern(String),
    /// The file is no access log of a known form.
    #[error(
        "{0} is no access log that is known here; a row of the tool's own form has at least 'op'"
    )]
    NoLog(String),
    /// A form that is recognised and not read.
    #[error("{path} is {form}, which is not read")]
    Refused {
        /// The input as named.
        path: String,
        /// What it is.
        form: &'static str,
        /// The way out.
        remedy: &'static str,
    },
    /// No operation of the log is on the container that was chosen.
    #[error("the log holds no operation on {container}; it has {known}")]
    NoContainer {
        /// The chosen one.
        container: String,
        /// Those that the log names.
        known: String,
    },
}

impl IngestError {
    /// What to check, or an example.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoLog(_) => "see 'pkadvisor list log-formats' for the forms that are read",
            Self::Unreadable { cause, .. } => match cause.kind() {
                io::ErrorKind::PermissionDenied => "check that you may read it",
                io::ErrorKind::UnexpectedEof => {
                    "the compressed data end too early: copy or export the file again"
                }
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                    "the compressed data are damaged: copy the file again in binary mode"
                }
                _ => {
                    "check the disk, the network drive or the command at the other end of the pipe"
                }
            },
            Self::Missing(_) => "check the spelling and the working directory",
            Self::EmptyFolder(_) => {
                "names that start with '_' or '.' are skipped; name such a file itself to read it"
            }
            Self::NoMatch(_) => "put the pattern in quotes, for example 'export/*.json'",
            Self::Pattern(_) => {
                "* stands for any part of a name, ** for folders, ? for a character, [ab] for one of several"
            }
            Self::Refused { remedy, .. } => remedy,
            Self::NoContainer { .. } => "name it as the log does, with or without its database",
        }
    }
}
