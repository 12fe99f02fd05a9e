//! Where reports go: standard output and files.

use std::io;

use super::new_file::NewFile;
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
    file: NewFile,
}

impl FileOutput {
    /// Opens an output given as `FORMAT=PATH`, before the long run.
    pub(super) fn open(text: &str) -> Result<Self, Failure> {
        let Some((name, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
            let message =
                format!("--output {text}: expected FORMAT=PATH, such as json=report.json");
            return Err(Failure::new(ExitCode::Usage, message));
        };
        Ok(Self {
            format: find(name)?,
            file: NewFile::open(path)?,
        })
    }

    /// Writes the report and gives the file its name.
    pub(super) fn write(self, report: &Report) -> Result<(), Failure> {
        let target = Target {
            width: WIDTH_DEFAULT,
            colour: false,
            blocks: false,
        };
        self.file
            .write(|out| self.format.render(report, target, out))
    }
}

/// The files to write to, each once.
pub(super) fn open_all(texts: &[String]) -> Result<Vec<FileOutput>, Failure> {
    let files: Vec<FileOutput> = texts
        .iter()
        .map(|text| FileOutput::open(text))
        .collect::<Result<_, _>>()?;
    for (index, file) in files.iter().enumerate() {
        if files[..index]
            .iter()
            .any(|other| other.file.path() == file.file.path())
        {
            let message = format!("--output: {} is named twice", file.file.path().display());
            return Err(Failure::new(ExitCode::Usage, message));
        }
    }
    Ok(files)
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
    // Elsewhere the user may say how wide a page is.
    let wanted = || std::env::var("COLUMNS").ok()?.parse().ok();
    Target {
        width: width
            .filter(|_| terminal)
            .or_else(wanted)
            .unwrap_or(WIDTH_DEFAULT)
            .max(WIDTH_MIN),
        colour: !matches!(
            anstream::AutoStream::choice(&stdout),
            anstream::ColorChoice::Never
        ),
        blocks: terminal && draws_blocks(),
    }
}

/// Whether terminal and locale show more than ASCII.
fn draws_blocks() -> bool {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(variable);
    let is_utf8 = locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    is_utf8 && variable("TERM").is_none_or(|terminal| terminal != "dumb")
}
