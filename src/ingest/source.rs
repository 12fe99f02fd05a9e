//! The files that an input names, opened and inflated by their content.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::IngestError;

/// Bytes that are read at a time.
const BUFFER_BYTES: usize = 256 * 1024;

/// An opened and inflated source.
pub(super) type Input = Box<dyn BufRead + Send>;

/// One file to read, or standard input.
#[derive(Debug, Clone)]
pub enum Source {
    /// Standard input.
    Standard,
    /// A file.
    File(PathBuf),
    /// Standard input, kept in a temporary file.
    Spooled(Arc<tempfile::NamedTempFile>),
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => one == other,
            (Self::Spooled(one), Self::Spooled(other)) => one.path() == other.path(),
            (one, other) => matches!((one, other), (Self::Standard, Self::Standard)),
        }
    }
}

impl Source {
    /// The sources that several inputs name, each once, in the order in which they are named.
    pub fn expand_all(inputs: &[String]) -> Result<Vec<Self>, IngestError> {
        let mut sources = Vec::new();
        for input in inputs {
            for source in Self::expand(input)? {
                if !sources.contains(&source) {
                    sources.push(source);
                }
            }
        }
        Ok(sources)
    }

    /// The sources that an input names: `-` is standard input, a folder every data file in it, and
    /// what is no file a pattern. In the order of their names.
    pub fn expand(input: &str) -> Result<Vec<Self>, IngestError> {
        if input == "-" {
            return Ok(vec![Self::Standard]);
        }
        let path = Path::new(input);
        if path.is_dir() {
            let mut files = Vec::new();
            collect(path, &mut files).map_err(|cause| IngestError::Unreadable {
                path: input.to_owned(),
                cause,
            })?;
            files.sort();
            return if files.is_empty() {
                Err(IngestError::EmptyFolder(input.to_owned()))
            } else {
                Ok(files.into_iter().map(Self::File).collect())
            };
        }
        if !path.exists() && !input.contains(['*', '?', '[']) {
            return Err(IngestError::Missing(input.to_owned()));
        }
        if path.exists() || !input.contains(['*', '?', '[']) {
            return Ok(vec![Self::File(path.to_owned())]);
        }
        let matches = glob::glob(input).map_err(|_| IngestError::Pattern(input.to_owned()))?;
        let files: Vec<Self> = matches
            .filter_map(Result::ok)
            .filter(|path| path.is_file())
            .map(Self::File)
            .collect();
        if files.is_empty() {
            Err(IngestError::NoMatch(input.to_owned()))
        } else {
            Ok(files)
        }
    }

    /// The name of the source as the user knows it.
    pub fn name(&self) -> String {
        match self {
            Self::Standard | Self::Spooled(_) => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Opens a source. Gzip, of several members too, and zstd are inflated, told by their first bytes.
    pub fn open(&self) -> Result<Input, IngestError> {
        let raw: Box<dyn Read + Send> = match self {
            Self::Standard => Box::new(io::stdin()),
            Self::File(path) => Box::new(File::open(path).map_err(|cause| self.unreadable(cause))?),
            Self::Spooled(file) => {
                Box::new(File::open(file.path()).map_err(|cause| self.unreadable(cause))?)
            }
        };
        self.inflate(raw).map_err(|error| match error {
            Opening::Io(cause) => self.unreadable(cause),
            Opening::Refused(form, remedy) => IngestError::Refused {
                path: self.name(),
                form,
                remedy,
            },
        })
    }

    /// The error of a source that the system cannot read.
    pub(super) fn unreadable(&self, cause: io::Error) -> IngestError {
        IngestError::Unreadable {
            path: self.name(),
            cause,
        }
    }

    #[expect(
        clippy::unused_self,
        reason = "it reads as a step of opening this source"
    )]
    fn inflate(&self, mut raw: Box<dyn Read + Send>) -> Result<Input, Opening> {
        // A pipe may hand over its first bytes one at a time.
        let mut first = Vec::new();
        raw.by_ref().take(4).read_to_end(&mut first)?;
        let magic = [0, 1, 2, 3].map(|index| first.get(index).copied().unwrap_or_default());
        let whole = BufReader::with_capacity(BUFFER_BYTES, io::Cursor::new(first).chain(raw));
        Ok(match magic {
            [0x1F, 0x8B, ..] => Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                flate2::bufread::MultiGzDecoder::new(whole),
            )),
            [0x28, 0xB5, 0x2F, 0xFD] => Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                zstd::stream::read::Decoder::with_buffer(whole)?,
            )),
            [b'P', b'A', b'R', b'1'] => {
                return Err(Opening::Refused(
                    "Parquet",
                    "convert it to JSON Lines first, for example: duckdb -c \"COPY 'in.parquet' TO 'out.jsonl'\"",
                ));
            }
            [b'P', b'K', 3, 4] => return Err(Opening::Refused("a zip archive", "unpack it first")),
            _ => Box::new(whole),
        })
    }
}

enum Opening {
    Io(io::Error),
    Refused(&'static str, &'static str),
}

impl From<io::Error> for Opening {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Gathers the data files below a folder; tools mark their own files with `_` or `.`.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if entry.file_name().to_string_lossy().starts_with(['_', '.']) {
            continue;
        }
        // A link to a folder is not followed, so that no circle is walked.
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if entry.path().is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, Source) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        (folder, Source::File(path))
    }

    fn content(source: &Source) -> String {
        let mut text = String::new();
        source
            .open()
            .expect("it opens")
            .read_to_string(&mut text)
            .expect("it reads");
        text
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text.as_bytes()).expect("memory");
        writer.finish().expect("memory")
    }

    #[test]
    fn compression_is_told_by_content_not_by_name() {
        let members = [gzip("[1]"), gzip("[2]")].concat();
        let (_kept, source) = written("a.json", &members);
        assert_eq!(content(&source), "[1][2]");
        let (_kept, source) = written("a.gz", &zstd::encode_all(&b"[3]"[..], 1).expect("memory"));
        assert_eq!(content(&source), "[3]");
        let (_kept, source) = written("a.gz", b"x");
        assert_eq!(content(&source), "x");
    }

    #[test]
    fn known_forms_that_are_not_read_are_refused_by_name() {
        for (bytes, form) in [(&b"PAR1...."[..], "Parquet"), (b"PK\x03\x04", "zip")] {
            let (_kept, source) = written("data", bytes);
            let error = source.open().err().expect("a refusal").to_string();
            assert!(error.contains(form), "{error}");
        }
    }

    #[test]
    fn a_folder_is_its_data_files_and_a_pattern_what_it_matches() {
        let (folder, source) = written("b.json", b"");
        for name in ["a.json", "_SUCCESS", ".crc"] {
            fs::write(folder.path().join(name), b"").expect("a file");
        }
        let names = |input: &Path| {
            Source::expand(&input.display().to_string())
                .expect("files")
                .len()
        };
        assert_eq!(names(folder.path()), 2);
        assert_eq!(names(&folder.path().join("b*")), 1);
        let source_name = source.name();
        assert_eq!(Source::expand(&source_name).expect("a file"), [source]);
        assert!(matches!(
            Source::expand("no/such/*.json"),
            Err(IngestError::NoMatch(_))
        ));
        assert!(matches!(
            Source::expand("no/such.json"),
            Err(IngestError::Missing(_))
        ));
        let twice = [source_name.clone(), source_name];
        assert_eq!(Source::expand_all(&twice).expect("a file").len(), 1);
        let empty = tempfile::tempdir().expect("a folder");
        assert!(matches!(
            Source::expand(&empty.path().display().to_string()),
            Err(IngestError::EmptyFolder(_))
        ));
    }
}
