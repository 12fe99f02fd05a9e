//! The exit codes of the program.

use std::process::Termination;

/// What the process tells its caller. A broken pipe is `Done`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Done, and nothing at or above the severity to fail on.
    Done = 0,
    /// Findings at or above the severity to fail on.
    Findings = 1,
    /// Bad arguments.
    Usage = 2,
    /// Input that cannot be read or used.
    Input = 3,
    /// Output that cannot be written.
    Output = 4,
    /// A mistake in the program.
    Internal = 70,
}

impl Termination for ExitCode {
    fn report(self) -> std::process::ExitCode {
        std::process::ExitCode::from(self as u8)
    }
}
