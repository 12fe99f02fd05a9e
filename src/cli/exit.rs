//! The exit codes of the program.

use std::process::Termination;

/// What the process tells its caller. A broken pipe is `Done`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Done.
    Done = 0,
    /// Bad arguments.
    Usage = 2,
    /// Input that cannot be read or used.
    Input = 3,
    /// Output that cannot be written.
    Output = 4,
}

impl Termination for ExitCode {
    fn report(self) -> std::process::ExitCode {
        std::process::ExitCode::from(self as u8)
    }
}
