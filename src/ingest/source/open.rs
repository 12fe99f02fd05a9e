//! A file opened by its content: compression inflated, encodings converted, what is not read refused
//! by name.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use super::ahead::Ahead;
use super::utf16::Utf16;
use super::{BUFFER_BYTES, Input, zip};

/// Bytes that compression and encoding are told by.
const HEAD_BYTES: u64 = 4096;

/// How often a file may be compressed.
const COMPRESSIONS_MAX: usize = 3;

/// Share of bytes that no text holds, in percent, from which on a file is no text.
const BINARY_PERCENT: usize = 30;

/// A file that was opened, and what that took.
pub(in crate::ingest) struct Opened {
    /// Its text in UTF-8.
    pub(in crate::ingest) input: Input,
    /// The compressions, from the outermost.
    pub(in crate::ingest) compression: Vec<&'static str>,
    /// The encoding of the text.
    pub(in crate::ingest) encoding: Encoding,
}

/// How text is written in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8 without a mark.
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Marked,
    /// UTF-16, the lower byte first.
    Utf16Little,
    /// UTF-16, the higher byte first.
    Utf16Big,
}

impl Encoding {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Marked => "UTF-8 with a byte order mark",
            Self::Utf16Little => "UTF-16 LE",
            Self::Utf16Big => "UTF-16 BE",
        }
    }

    /// Whether the text is converted.
    pub fn is_utf16(self) -> bool {
        matches!(self, Self::Utf16Little | Self::Utf16Big)
    }

    /// The encoding of text that starts with these bytes. JSON and tables start with a character of
    /// one byte, so that a zero beside it gives UTF-16 away.
    fn of(head: &[u8]) -> Self {
        let zero = |at: usize| head.get(at).map(|byte| *byte == 0);
        let zeros = [zero(0), zero(1), zero(2), zero(3)];
        match (head, zeros) {
            ([0xEF, 0xBB, 0xBF, ..], _) => Self::Utf8Marked,
            ([0xFF, 0xFE, ..], _)
            | (
                _,
                [
                    Some(false),
                    Some(true),
                    Some(false) | None,
                    Some(true) | None,
                ],
            ) => Self::Utf16Little,
            ([0xFE, 0xFF, ..], _)
            | (
                _,
                [
                    Some(true),
                    Some(false),
                    Some(true) | None,
                    Some(false) | None,
                ],
            ) => Self::Utf16Big,
            _ => Self::Utf8,
        }
    }
}

/// Why a file is not opened.
pub(super) enum Opening {
    Io(io::Error),
    /// What it is, and the way out.
    Refused(&'static str, &'static str),
}

impl From<io::Error> for Opening {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Inflates and converts; the name serves only to say what unreadable bytes may be.
pub(super) fn open(mut raw: Box<dyn Read + Send>, name: &str) -> Result<Opened, Opening> {
    let mut compression = Vec::new();
    loop {
        // A pipe may hand over its first bytes one at a time.
        let mut head = Vec::new();
        raw.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        if let Some((_, form, remedy)) = REFUSED.iter().find(|(is_it, ..)| is_it(&head)) {
            return Err(Opening::Refused(form, remedy));
        }
        let inflate = COMPRESSIONS.iter().find(|(is_it, ..)| is_it(&head));
        let (encoding, binary) = (Encoding::of(&head), is_binary(&head));
        let whole = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(head).chain(raw));
        if let Some((_, kind, inflate)) = inflate {
            if compression.len() == COMPRESSIONS_MAX {
                return Err(Opening::Refused(
                    "compressed again and again",
                    "unpack it first",
                ));
            }
            compression.push(*kind);
            raw = Box::new(Ahead::new(inflate(whole)?));
            continue;
        }
        let input: Input = match encoding {
            Encoding::Utf16Little | Encoding::Utf16Big => Box::new(BufReader::with_capacity(
                BUFFER_BYTES,
                Utf16::new(whole, encoding == Encoding::Utf16Big),
            )),
            _ if binary => {
                let (form, remedy) = binary_form(name);
                return Err(Opening::Refused(form, remedy));
            }
            Encoding::Utf8 | Encoding::Utf8Marked => Box::new(whole),
        };
        return Ok(Opened {
            input,
            compression,
            encoding,
        });
    }
}

/// What is inflated: whether bytes are of it, its name, how to read it.
type Compression = (fn(&[u8]) -> bool, &'static str, Inflate);
type Inflate = fn(Whole) -> io::Result<Box<dyn Read + Send>>;
type Whole = BufReader<io::Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>>;

const COMPRESSIONS: [Compression; 3] = [
    (
        |head| head.starts_with(&[0x1F, 0x8B]),
        "gzip",
        |whole| Ok(Box::new(flate2::bufread::MultiGzDecoder::new(whole))),
    ),
    (
        // Frames that are to be skipped may stand before the first one.
        |head| {
            head.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
                || matches!(head, [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..])
        },
        "zstd",
        |whole| Ok(Box::new(zstd::stream::read::Decoder::with_buffer(whole)?)),
    ),
    (
        |head| matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..]),
        "bzip2",
        |whole| Ok(Box::new(bzip2::bufread::MultiBzDecoder::new(whole))),
    ),
];

/// Whether a file starts like one of a kind.
type Test = fn(&[u8]) -> bool;

/// Forms that are known and not read, with the way out.
const REFUSED: [(Test, &str, &str); 12] = [
    (
        |head| head.starts_with(b"pkadvisor profile "),
        "a profile",
        "give profiles to 'pkadvisor analyze' as they were written, and without other data beside them",
    ),
    (
        |head| head.starts_with(b"PAR1"),
        "Parquet",
        "convert it, for example: duckdb -c \"COPY (FROM 'in.parquet') TO 'out.jsonl' (FORMAT json)\"",
    ),
    (
        |head| head.starts_with(b"Obj\x01"),
        "Avro",
        "convert it, for example: avro-tools tojson in.avro > out.jsonl",
    ),
    (
        |head| head.starts_with(b"ORC"),
        "ORC",
        "convert it, for example: orc-contents in.orc > out.jsonl",
    ),
    (
        |head| head.starts_with(b"\xFF\x06\x00\x00sNaPpY"),
        "compressed by snappy",
        "unpack it, for example: snzip -dc in.json.sz > out.json",
    ),
    (
        |head| head.starts_with(b"\x04\x22\x4D\x18"),
        "compressed by lz4",
        "unpack it, for example: lz4 -dc in.json.lz4 > out.json",
    ),
    (
        |head| head.starts_with(b"\xFD7zXZ\x00"),
        "compressed by xz",
        "unpack it, for example: xz -dc in.json.xz > out.json",
    ),
    (
        |head| head.starts_with(b"7z\xBC\xAF\x27\x1C"),
        "a 7z archive",
        "unpack it, for example: 7z x in.7z",
    ),
    (
        |head| head.starts_with(b"Rar!\x1A\x07"),
        "a rar archive",
        "unpack it, for example: unrar x in.rar",
    ),
    (
        |head| {
            head.get(257..)
                .is_some_and(|rest| rest.starts_with(b"ustar"))
        },
        "a tar archive",
        "unpack it and name the folder, for example: tar -xf in.tar -C folder",
    ),
    // Archives in files of their own were opened before; these stand in a pipe or in other archives.
    (
        |head| zip::MAGICS.iter().any(|magic| head.starts_with(magic)),
        "a zip archive inside another file or a pipe",
        "name the archive itself, or unpack it into the pipe: unzip -p in.zip",
    ),
    (
        |head| {
            matches!(
                head,
                [0xFF, 0xFE, 0, 0, ..]
                    | [0, 0, 0xFE, 0xFF, ..]
                    | [b'!'..=b'~', 0, 0, 0, ..]
                    | [0, 0, 0, b'!'..=b'~', ..]
            )
        },
        "text in UTF-32",
        "convert it, for example: iconv -f UTF-32 -t UTF-8 in.json > out.json",
    ),
];

/// Whether too many bytes are control characters or no UTF-8. A few are: text in an old encoding.
fn is_binary(head: &[u8]) -> bool {
    let mut strange = 0;
    for chunk in head.utf8_chunks() {
        let controls = chunk.valid().bytes().filter(|byte| {
            byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B)
        });
        strange += controls.count() + chunk.invalid().len();
    }
    strange * 100 > head.len() * BINARY_PERCENT
}

/// What bytes that are no text may be, by the name of their file, and the way out.
fn binary_form(name: &str) -> (&'static str, &'static str) {
    let ending = Path::new(name).extension().unwrap_or_default();
    match ending.to_string_lossy().to_ascii_lowercase().as_str() {
        "br" => (
            "compressed by brotli",
            "unpack it, for example: brotli -dc in.json.br > out.json",
        ),
        "zz" | "deflate" | "zlib" => (
            "compressed by deflate without a header",
            "unpack it, for example: python3 -c \"import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read(), -15))\" < in.zz > out.json",
        ),
        "snappy" => (
            "compressed by snappy",
            "unpack it, for example: snzip -t hadoop-snappy -dc in.json.snappy > out.json",
        ),
        "lz4" => (
            "compressed by lz4",
            "write it again uncompressed, or with gzip: Hadoop's lz4 has no common tool",
        ),
        "bson" => (
            "BSON",
            "convert it, for example: bsondump in.bson > out.jsonl",
        ),
        _ => (
            "no text in UTF-8 or UTF-16",
            "export the items as JSON or CSV in UTF-8",
        ),
    }
}
