//! The thin binary around the library.

use pkadvisor::cli::{self, ExitCode};

fn main() -> ExitCode {
    cli::run(std::env::args_os())
}
