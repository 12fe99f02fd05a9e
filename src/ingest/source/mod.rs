//! The files that an input names, opened and inflated by their content.

mod ahead;
mod counted;
mod open;
mod utf16;
mod zip;

pub use counted::bytes_read;
pub use open::Encoding;
pub(super) use open::Opened;
pub use zip::ZipEntry;

use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::counted::Counted;
use self::open::Opening;
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
    /// A file in a zip archive.
    Zipped(Arc<ZipEntry>),
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => one == other,
            (Self::Spooled(one), Self::Spooled(other)) => one.path() == other.path(),
            (Self::Zipped(one), Self::Zipped(other)) => one == other,
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
    /// what is no file a pattern. A zip archive is the data files in it. In the order of their names.
    pub fn expand(input: &str) -> Result<Vec<Self>, IngestError> {
        if input == "-" {
            return Ok(vec![Self::Standard]);
        }
        let mut sources = Vec::new();
        for path in paths(input)? {
            match zip::entries(&path)? {
                Some(entries) => sources.extend(entries),
                None => sources.push(Self::File(path)),
            }
        }
        Ok(sources)
    }

    /// The name of the source as the user knows it.
    pub fn name(&self) -> String {
        match self {
            Self::Standard | Self::Spooled(_) => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
            Self::Zipped(entry) => entry.name(),
        }
    }

    /// Its size in bytes as it lies on disk, where that is known.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::File(path) => path.metadata().ok().map(|file| file.len()),
            Self::Spooled(file) => file.as_file().metadata().ok().map(|file| file.len()),
            Self::Standard | Self::Zipped(_) => None,
        }
    }

    /// Opens a source as text in UTF-8. Compression and encoding are told by its first bytes.
    pub fn open(&self) -> Result<Input, IngestError> {
        self.opened().map(|opened| opened.input)
    }

    /// Opens a source, and tells what that took.
    pub(super) fn opened(&self) -> Result<Opened, IngestError> {
        let raw: io::Result<Box<dyn Read + Send>> = match self {
            Self::Standard => Ok(Box::new(io::stdin())),
            Self::File(path) => File::open(path).map(|file| Box::new(file) as _),
            Self::Spooled(file) => File::open(file.path()).map(|file| Box::new(file) as _),
            Self::Zipped(entry) => entry.open(),
        };
        let raw = raw.map_err(|cause| self.unreadable(cause))?;
        let counted = Box::new(Counted(raw));
        open::open(counted, &self.name()).map_err(|error| match error {
            Opening::Io(cause) => self.unreadable(cause),
            Opening::Refused(form, remedy) => self.refused(form, remedy),
        })
    }

    /// The error of a source of a form that is not read.
    pub(super) fn refused(&self, form: &'static str, remedy: &'static str) -> IngestError {
        IngestError::Refused {
            path: self.name(),
            form,
            remedy,
        }
    }

    /// The error of a source that the system cannot read.
    pub(super) fn unreadable(&self, cause: io::Error) -> IngestError {
        IngestError::Unreadable {
            path: self.name(),
            cause,
        }
    }
}

/// The files that an input names: one, those in a folder, or those that a pattern matches.
fn paths(input: &str) -> Result<Vec<PathBuf>, IngestError> {
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
            Ok(files)
        };
    }
    if path.exists() {
        return Ok(vec![path.to_owned()]);
    }
    if !input.contains(['*', '?', '[']) {
        return Err(IngestError::Missing(input.to_owned()));
    }
    let matches = glob::glob(input).map_err(|_| IngestError::Pattern(input.to_owned()))?;
    let files: Vec<_> = matches
        .filter_map(Result::ok)
        .filter(|path| path.is_file())
        .collect();
    if files.is_empty() {
        Err(IngestError::NoMatch(input.to_owned()))
    } else {
        Ok(files)
    }
}

/// Whether a name is one that tools give to files of their own.
fn is_hidden(name: &str) -> bool {
    name.starts_with(['_', '.'])
}

/// Gathers the data files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if is_hidden(&entry.file_name().to_string_lossy()) {
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

    fn bzip2(text: &str) -> Vec<u8> {
        let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        writer.write_all(text.as_bytes()).expect("memory");
        writer.finish().expect("memory")
    }

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
        for (name, content) in files {
            let file = archive.new_file(*name);
            let (mut entry, config) = file
                .compression_method(rawzip::CompressionMethod::DEFLATE)
                .start()
                .expect("memory");
            let encoder =
                flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast());
            let mut writer = config.wrap(encoder);
            writer.write_all(content).expect("memory");
            let (encoder, descriptor) = writer.finish().expect("memory");
            encoder.finish().expect("memory");
            entry.finish(descriptor).expect("memory");
        }
        archive.finish().expect("memory");
        bytes
    }

    #[test]
    fn compression_is_told_by_content_not_by_name() {
        let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).expect("memory");
        for members in [
            [gzip("[1]"), gzip("[2]")],
            [zstd("[1]"), zstd("[2]")],
            [bzip2("[1]"), bzip2("[2]")],
            [b"[1]".to_vec(), b"[2]".to_vec()],
        ] {
            let (_kept, source) = written("a.gz", &members.concat());
            assert_eq!(content(&source), "[1][2]");
        }
        let twice = zstd::encode_all(&gzip("[1]")[..], 1).expect("memory");
        let (_kept, source) = written("a", &twice);
        assert_eq!(content(&source), "[1]");
        assert_eq!(
            source
                .opened()
                .unwrap_or_else(|error| panic!("{error}"))
                .compression,
            ["zstd", "gzip"]
        );
    }

    #[test]
    fn compressed_files_that_were_cut_are_errors_wherever_the_cut_is() {
        let text = "{\"id\":\"1\"}\n".repeat(50);
        let archive = zip(&[("a.json", text.as_bytes())]);
        for whole in [gzip(&text), bzip2(&text), archive] {
            for length in 8..whole.len() - 1 {
                let (_kept, source) = written("a", &whole[..length]);
                let read = Source::expand(&source.name()).and_then(|sources| {
                    let mut bytes = Vec::new();
                    let mut input = sources[0].open()?;
                    let read = input.read_to_end(&mut bytes);
                    read.map_err(|cause| source.unreadable(cause))
                });
                let error = read.expect_err("a cut file");
                assert!(!error.hint().is_empty(), "{error}");
            }
        }
    }

    #[test]
    fn utf_16_is_told_with_a_mark_and_without() {
        let text = "[\"\u{e9}\u{1f600}\"]";
        for mark in ["", "\u{feff}"] {
            let marked = format!("{mark}{text}");
            let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for (bytes, encoding) in [(little, Encoding::Utf16Little), (big, Encoding::Utf16Big)] {
                let (_kept, source) = written("a", &bytes);
                assert_eq!(content(&source), marked);
                assert_eq!(
                    source
                        .opened()
                        .unwrap_or_else(|error| panic!("{error}"))
                        .encoding,
                    encoding
                );
            }
        }
    }

    #[test]
    fn known_forms_that_are_not_read_are_refused_by_name_with_the_way_out() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let noise: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(151)).collect();
        let archive = zip(&[("a", b"[1]")]);
        for (name, bytes, form, way) in [
            ("a", &b"PAR1...."[..], "Parquet", "duckdb"),
            ("a", b"Obj\x01....", "Avro", "avro-tools"),
            ("a", b"ORC....", "ORC", "orc-contents"),
            ("a", b"\xFF\x06\x00\x00sNaPpY", "snappy", "snzip"),
            ("a", b"\x04\x22\x4D\x18..", "lz4", "lz4 -dc"),
            ("a", &tar, "tar", "tar -xf"),
            ("a", &archive, "zip", "unzip -p"),
            ("a", b"[\0\0\0{\0\0\0", "UTF-32", "iconv"),
            ("a.BR", &noise, "brotli", "brotli -dc"),
            ("a.json.zz", &noise, "deflate", "zlib"),
            ("a.snappy", &noise, "snappy", "hadoop"),
            ("a.bson", &noise, "BSON", "bsondump"),
            ("a.json", &noise, "no text", "UTF-8"),
        ] {
            let (_kept, source) = written(name, bytes);
            let error = source.open().err().expect("a refusal");
            assert!(error.to_string().contains(form), "{error}");
            assert!(error.hint().contains(way), "{form}: {}", error.hint());
            let (_kept, source) = written(name, &zstd::encode_all(bytes, 1).expect("memory"));
            assert!(source.open().is_err(), "{form}, compressed");
        }
    }

    #[test]
    fn text_in_an_old_encoding_is_still_opened() {
        let (_kept, source) = written("a", b"[{\"name\":\"b\xE9h\xE9m\"}]");
        assert!(source.open().is_ok());
    }

    #[test]
    fn a_zip_archive_is_its_data_files_each_inflated_and_checked() {
        let inner = gzip("[2]");
        let (_kept, source) = written(
            "a.zip",
            &zip(&[
                ("x/b.json.gz", &inner),
                ("a.json", b"[1]"),
                ("__MACOSX/._a.json", b"x"),
                ("x/.b", b"x"),
            ]),
        );
        let sources = Source::expand(&source.name()).expect("an archive");
        let texts: Vec<_> = sources.iter().map(content).collect();
        assert_eq!(texts, ["[1]", "[2]"]);
        assert_eq!(sources[1].name(), format!("{}/x/b.json.gz", source.name()));
        assert_eq!(
            Source::expand_all(&[source.name(), source.name()]).expect("files"),
            sources
        );
        for (files, hint) in [
            (&[("[Content_Types].xml", &b"x"[..])][..], "CSV"),
            (&[(".a", b"x")], "skipped"),
        ] {
            let (_kept, source) = written("a.xlsx", &zip(files));
            let error = Source::expand(&source.name()).expect_err("a refusal");
            assert!(error.hint().contains(hint), "{error}");
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
