//! Where reports go: standard output, and files that appear only when they are whole.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{ExitCode, Failure};
use crate::report::format::{self, OutputFormat, Target};
use crate::report::v1::Report;

/// Columns of a file or a pipe, and of a terminal that does not tell.
const WIDTH_DEFAULT: u16 = 120;

/// The narrowest width that tables are laid out for.
const WIDTH_MIN: u16 = 40;

/// A file to write a report to.
pub(super) struct FileOutput {
    format: &'static dyn OutputFormat,
    path: PathBuf,
    /// Beside the file, renamed to it at the end.
    temporary: NamedTempFile,
}

impl FileOutput {
    /// Opens an output given as `FORMAT=PATH`, before the long run.
    pub(super) fn open(text: &str) -> Result<Self, Failure> {
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            let message =
                format!("--output {text}: expected FORMAT=PATH, such as json=report.json");
            return Err(Failure::new(ExitCode::Usage, message));
        };
        let format = find(name)?;
        let path = PathBuf::from(path);
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let failure = |error: &dyn std::fmt::Display| {
            Failure::new(
                ExitCode::Output,
                format!("{} cannot be written: {error}", path.display()),
            )
        };
        if path.is_dir() {
            return Err(failure(&"it is a folder"));
        }
        let temporary = NamedTempFile::new_in(folder).map_err(|error| failure(&error))?;
        Ok(Self {
            format,
            path,
            temporary,
        })
    }

    /// Writes the report and gives the file its name.
    pub(super) fn write(self, report: &Report) -> Result<(), Failure> {
        let failure = |error: &dyn std::fmt::Display| {
            let path = self.path.display();
            Failure::new(
                ExitCode::Output,
                format!("{path} cannot be written: {error}"),
            )
        };
        let mut out = BufWriter::new(self.temporary.as_file());
        let target = Target {
            width: WIDTH_DEFAULT,
            colour: false,
        };
        self.format
            .render(report, target, &mut out)
            .and_then(|()| out.flush())
            .map_err(|error| failure(&error))?;
        drop(out);
        self.temporary
            .persist(&self.path)
            .map_err(|error| failure(&error.error))?;
        Ok(())
    }
}

/// The rendering with a name.
pub(super) fn find(name: &str) -> Result<&'static dyn OutputFormat, Failure> {
    format::named(name).ok_or_else(|| {
        let names: Vec<&str> = format::ALL.iter().map(|format| format.name()).collect();
        Failure::new(
            ExitCode::Usage,
            format!(
                "{name} is no output format; expected one of {}",
                names.join(", ")
            ),
        )
    })
}

/// What standard output is.
pub(super) fn standard() -> Target {
    let stdout = io::stdout();
    let terminal = io::IsTerminal::is_terminal(&stdout);
    let width = terminal_size::terminal_size().map(|(width, _)| width.0);
    Target {
        width: width
            .filter(|_| terminal)
            .unwrap_or(WIDTH_DEFAULT)
            .max(WIDTH_MIN),
        colour: !matches!(
            anstream::AutoStream::choice(&stdout),
            anstream::ColorChoice::Never
        ),
    }
}
