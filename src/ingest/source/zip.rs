//! The data files in zip archives, each a source of its own.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rawzip::{
    CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, RangeReader, ZipArchive,
    ZipArchiveEntryWayfinder,
};

use super::super::error::IngestError;
use super::{BUFFER_BYTES, Source, is_hidden};

/// What the files of zip archives start with, and empty archives.
pub(super) const MAGICS: [[u8; 4]; 2] = [*b"PK\x03\x04", *b"PK\x05\x06"];

/// A file that every document of an office program holds.
const OFFICE_MARK: &str = "[Content_Types].xml";

/// A file in a zip archive.
#[derive(Debug)]
pub struct ZipEntry {
    archive: PathBuf,
    name: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
}

impl PartialEq for ZipEntry {
    fn eq(&self, other: &Self) -> bool {
        (&self.archive, &self.name) == (&other.archive, &other.name)
    }
}

impl ZipEntry {
    /// The name of the archive and the one in it.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.archive.display(), self.name)
    }

    /// Opens the file, inflated; its length and its checksum are checked at its end.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let file = File::open(&self.archive)?;
        let reader = FileReader::from(file.try_clone()?);
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(damaged)?;
        let entry = archive.get_entry(self.place).map_err(damaged)?;
        let (start, end) = entry.compressed_data_range();
        let bytes = BufReader::with_capacity(BUFFER_BYTES, RangeReader::new(reader, start..end));
        let inflated: Box<dyn Read + Send> = match self.method {
            CompressionMethod::STORE => Box::new(bytes),
            CompressionMethod::BZIP2 => Box::new(bzip2::bufread::BzDecoder::new(bytes)),
            CompressionMethod::ZSTD => Box::new(zstd::stream::read::Decoder::with_buffer(bytes)?),
            _ => Box::new(flate2::bufread::DeflateDecoder::new(bytes)),
        };
        Ok(Box::new(entry.verifying_reader(inflated)))
    }
}

/// The data files in a zip archive, by name; `None` where the file is no such archive or cannot be
/// read, which opening it will say.
pub(super) fn entries(path: &Path) -> Result<Option<Vec<Source>>, IngestError> {
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    if read.is_err() || !MAGICS.contains(&magic) {
        return Ok(None);
    }
    let name = path.display().to_string();
    let mut files = list(path).map_err(|error| match error {
        Listing::Damaged(cause) => IngestError::Unreadable {
            path: name.clone(),
            cause,
        },
        Listing::Refused(form, remedy) => IngestError::Refused {
            path: name.clone(),
            form,
            remedy,
        },
    })?;
    if files.is_empty() {
        return Err(IngestError::EmptyFolder(name));
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    let sources = files.into_iter().map(|file| Source::Zipped(Arc::new(file)));
    Ok(Some(sources.collect()))
}

enum Listing {
    Damaged(io::Error),
    Refused(&'static str, &'static str),
}

impl From<io::Error> for Listing {
    fn from(cause: io::Error) -> Self {
        Self::Damaged(cause)
    }
}

fn list(path: &Path) -> Result<Vec<ZipEntry>, Listing> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(File::open(path)?, &mut buffer).map_err(damaged)?;
    let mut files = Vec::new();
    let mut count = 0;
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(damaged)? {
        count += 1;
        let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
        if name == OFFICE_MARK {
            return Err(Listing::Refused(
                "a document of an office program",
                "save the sheet as CSV in UTF-8",
            ));
        }
        if entry.is_dir() || name.split(['/', '\\']).any(is_hidden) {
            continue;
        }
        if entry.flags().is_encrypted() {
            return Err(Listing::Refused(
                "a zip archive with a password",
                "unpack it first, for example: unzip in.zip",
            ));
        }
        let method = entry.compression_method();
        if ![
            CompressionMethod::STORE,
            CompressionMethod::DEFLATE,
            CompressionMethod::BZIP2,
            CompressionMethod::ZSTD,
        ]
        .contains(&method)
        {
            return Err(Listing::Refused(
                "a zip archive of a rare compression",
                "unpack it first, for example: 7z x in.zip",
            ));
        }
        files.push(ZipEntry {
            archive: path.to_owned(),
            name,
            method,
            place: entry.wayfinder(),
        });
    }
    if count != archive.entries_hint() {
        return Err(Listing::Damaged(damaged("files are missing")));
    }
    Ok(files)
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
