//! A file that appears only when it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{ExitCode, Failure, interrupt};

/// A file to be written.
pub(super) struct NewFile {
    path: PathBuf,
    written: Written,
}

/// How what is written gets to its place.
enum Written {
    /// Into a file beside it, renamed to it at the end.
    Beside(NamedTempFile),
    /// As it is: a pipe, a device or a terminal cannot be replaced.
    Through(File),
    /// To standard output.
    Standard,
}

impl NewFile {
    /// Opens it, before the long run; `-` is standard output.
    pub(super) fn open(path: &str) -> Result<Self, Failure> {
        if path == "-" {
            return Ok(Self {
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
        let failure = |error: &dyn std::fmt::Display| unwritable(&path, error);
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
        Ok(Self { path, written })
    }

    /// Where it will be.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes it, and gives it its name.
    pub(super) fn write(
        self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let failure = |error: &dyn std::fmt::Display| unwritable(&self.path, error);
        let write = |out: &mut dyn Write| {
            let mut out = BufWriter::new(out);
            content(&mut out).and_then(|()| out.flush())
        };
        match self.written {
            Written::Standard => write(&mut io::stdout()).map_err(Failure::output),
            Written::Through(mut file) => write(&mut file).map_err(|error| failure(&error)),
            Written::Beside(mut temporary) => {
                write(temporary.as_file_mut()).map_err(|error| failure(&error))?;
                let named = temporary.persist(&self.path);
                named.map_err(|error| failure(&error.error)).map(|_| ())
            }
        }
    }
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    let path = path.display();
    Failure::new(
        ExitCode::Output,
        format!("{path} cannot be written: {error}"),
    )
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
