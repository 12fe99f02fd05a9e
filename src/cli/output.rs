//! Where reports go: standard output, and files that appear only when they are whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{ExitCode, Failure, interrupt};
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
    written: Written,
}

/// How a report gets to its place.
enum Written {
    /// Into a file beside it, renamed to it at the end.
    Beside(NamedTempFile),
    /// As it is: a pipe, a device or a terminal cannot be replaced.
    Through(File),
    /// To standard output.
    Standard,
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
        if path == "-" {
            return Ok(Self {
                format,
                path: PathBuf::from(path),
                written: Written::Standard,
            });
        }
        // A link stays one: what it points to is replaced.
        let path = PathBuf::from(path);
        let path = path.canonicalize().unwrap_or(path);
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
        let special = path.metadata().is_ok_and(|file| !file.is_file());
        let written = if special {
            File::options()
                .write(true)
                .open(&path)
                .map(Written::Through)
        } else {
            temporary_in(folder).map(Written::Beside)
        };
        let written = written.map_err(|error| failure(&without_path(&error)))?;
        Ok(Self {
            format,
            path,
            written,
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
        let target = Target {
            width: WIDTH_DEFAULT,
            colour: false,
            blocks: false,
        };
        let render = |out: &mut dyn Write| {
            let mut out = BufWriter::new(out);
            self.format
                .render(report, target, &mut out)
                .and_then(|()| out.flush())
        };
        match self.written {
            Written::Standard => render(&mut io::stdout()).map_err(Failure::output),
            Written::Through(mut file) => render(&mut file).map_err(|error| failure(&error)),
            Written::Beside(mut temporary) => {
                render(temporary.as_file_mut()).map_err(|error| failure(&error))?;
                let named = temporary.persist(&self.path);
                named.map_err(|error| failure(&error.error)).map(|_| ())
            }
        }
    }
}

/// A temporary file that others may read once it has its name, as the user's mask says.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(folder)?;
    interrupt::remove_on_interrupt(temporary.path());
    Ok(temporary)
}

/// The cause of an error without the name of a temporary file in it.
fn without_path(error: &io::Error) -> String {
    let text = io::Error::from(error.kind()).to_string();
    error.raw_os_error().map_or(text, |code| {
        let os = io::Error::from_raw_os_error(code).to_string();
        os.split(" (os error").next().unwrap_or_default().to_owned()
    })
}

/// The files to write to, each once.
pub(super) fn open_all(texts: &[String]) -> Result<Vec<FileOutput>, Failure> {
    let files: Vec<FileOutput> = texts
        .iter()
        .map(|text| FileOutput::open(text))
        .collect::<Result<_, _>>()?;
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|other| other.path == file.path) {
            let message = format!("--output: {} is named twice", file.path.display());
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
