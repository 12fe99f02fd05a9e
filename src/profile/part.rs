//! A profile of a part of the data as a file, so that parts that were read elsewhere, or earlier, are put
//! together to the profile of the whole.
//!
//! A line that names the form and its version, then compressed by zstd: the length of a JSON document and
//! that document, and for each candidate the length of its values and those.

use std::io::{self, BufRead, Read, Write};

use serde::{Deserialize, Serialize};

use super::candidate::{CandidateProfiler, Counts, limits};
use super::found::{FoundItems, FoundPart};
use super::items::ItemFacts;
use super::table::{Table, Thinned};
use super::{ProfileSettings, Profiler};
use crate::ingest::{Columns, Problems, PropertyNames};
use crate::keys::Candidate;
use crate::model::PropertyPath;

/// How a file of any version starts.
const MAGIC: &str = "pkadvisor profile ";

/// The version that is written and read: it changes with the form, and with any hash that is kept.
const VERSION: &str = "1";

/// Bytes of the first line at most.
const LINE_BYTES_MAX: u64 = 64;

/// How hard values are compressed: most are hashes, which do not get smaller.
const COMPRESSION: i32 = 3;

/// What was profiled of a part of the data.
#[derive(Debug)]
pub struct Part {
    header: Header,
    /// The values of each candidate.
    tables: Vec<Table>,
}

/// What is known of a part beside the profile itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PartSource {
    /// The files, in the order in which they were read.
    pub files: Vec<PartFile>,
    /// What the columns of tables were read as.
    pub columns: Columns,
    /// What was not used, or was used with a doubt.
    pub problems: Problems,
    /// The names of the properties of the items.
    pub names: PropertyNames,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFile {
    /// Its name.
    pub name: String,
    /// Its form.
    pub format: String,
    /// What was undone to read it, from the outermost.
    pub packing: Vec<String>,
}

/// A key under which a part was profiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartKey {
    /// The key.
    pub candidate: Candidate,
    /// Why it was proposed; `None` where it was given.
    pub reason: Option<String>,
    /// Whether it is one to compare, and not one that a search for a suffix measures.
    pub is_compared: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    settings: PartSettings,
    source: PartSource,
    items: u64,
    bytes: u64,
    facts: ItemFacts,
    keys: Vec<PartKey>,
    counts: Vec<Counts>,
    thinned: Vec<Option<Thinned>>,
    found: FoundPart,
}

/// The settings that must be those of the analysis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PartSettings {
    seed: u64,
    overhead_bytes: u64,
    time: Option<PropertyPath>,
    named: usize,
    text_columns: bool,
}

/// Why the profile of a part cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    /// The file is of a version that is not known.
    #[error("it is a profile of version {0}, and version {VERSION} is read")]
    Version(String),
    /// The content is not what was written.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// A setting is another one than that of the analysis.
    #[error("it was made with --{name} {theirs}, and here it is {ours}")]
    Setting {
        /// The flag.
        name: &'static str,
        /// That of the profile.
        theirs: String,
        /// That of the analysis.
        ours: String,
    },
    /// A key is not in the profile.
    #[error("it was made without the key {key}; it has {known}")]
    NoKey {
        /// The key.
        key: String,
        /// Those that are there.
        known: String,
    },
    /// The items that the log names by id were not kept.
    #[error("it was made without this log, which names items by id")]
    OtherLog,
    /// A property of the items that the log names by id was not kept.
    #[error("it was made without {0} of the items that the log names by id")]
    NoProperty(PropertyPath),
    /// A column is text in one part and numbers in another.
    #[error("its column {0} holds text where another profile read numbers, or the other way round")]
    Column(String),
    /// Values were left out under another bound on memory.
    #[error("memory did not hold all values of {0}, and here there is more or less memory for it")]
    Memory(String),
}

impl PartError {
    /// The way out.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "copy the file again in binary mode, or make it again",
            Self::Version(_) | Self::Damaged(_) => "make it again with 'pkadvisor profile'",
            Self::Setting { .. } => "give the same to 'pkadvisor profile' and here",
            Self::NoKey { .. } => {
                "give the same --key to all profiles and here; without --key each proposes its own"
            }
            Self::OtherLog => "make the profile again with --log and the same log",
            Self::NoProperty(_) => {
                "make the profile again with the same --key, --always and --current-key"
            }
            Self::Column(_) => "make all profiles again with --csv-strings",
            Self::Memory(_) => "give the same --memory and --key here as there, or more there",
        }
    }
}

impl From<io::Error> for PartError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged("it ends too early".to_owned()),
            _ => Self::Unreadable(error),
        }
    }
}

/// Whether a file that starts with these bytes is the profile of a part, of any version.
pub fn is_part(head: &[u8]) -> bool {
    head.starts_with(MAGIC.as_bytes())
}

/// How many bytes tell whether a file is the profile of a part.
pub const PART_HEAD_BYTES: usize = MAGIC.len();

impl Part {
    /// The profile that all threads made of a part, and the items that were found in it.
    pub fn new(
        mut profiler: Profiler,
        settings: &ProfileSettings,
        keys: Vec<PartKey>,
        source: PartSource,
        found: &FoundItems,
    ) -> Self {
        let mut profilers = std::mem::take(&mut profiler.candidates);
        profilers.iter_mut().for_each(CandidateProfiler::flush);
        let (tables, counts): (Vec<Table>, Vec<Counts>) =
            profilers.iter().map(CandidateProfiler::taken).unzip();
        Self {
            header: Header {
                settings: PartSettings::of(settings, &source.columns),
                source,
                items: profiler.items,
                bytes: profiler.bytes,
                facts: profiler.facts,
                keys,
                counts,
                thinned: tables
                    .iter()
                    .map(|table| table.thinned().cloned())
                    .collect(),
                found: found.part(),
            },
            tables,
        }
    }

    /// The keys under which it was profiled.
    pub fn keys(&self) -> &[PartKey] {
        &self.header.keys
    }

    /// Number of its items.
    pub fn items(&self) -> u64 {
        self.header.items
    }

    /// What is known of it beside the profile.
    pub fn source(&self) -> &PartSource {
        &self.header.source
    }

    /// Writes it.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "{MAGIC}{VERSION}")?;
        let mut out = zstd::stream::write::Encoder::new(out, COMPRESSION)?;
        out.include_checksum(true)?;
        let mut block = |bytes: &[u8]| {
            out.write_all(&(bytes.len() as u64).to_le_bytes())?;
            out.write_all(bytes)
        };
        block(&serde_json::to_vec(&self.header)?)?;
        for table in &self.tables {
            block(&table.rows())?;
        }
        out.finish()?.flush()
    }

    /// Reads one.
    pub fn read(mut input: impl BufRead) -> Result<Self, PartError> {
        let mut line = Vec::new();
        input
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line);
        match line.trim_end().strip_prefix(MAGIC) {
            Some(VERSION) => {}
            Some(version) => return Err(PartError::Version(version.to_owned())),
            None => return Err(PartError::Damaged("it does not start as one".to_owned())),
        }
        let damaged = |what: &str| PartError::Damaged(what.to_owned());
        let broken = |error: io::Error| PartError::Damaged(error.to_string());
        let mut input = zstd::stream::read::Decoder::with_buffer(input)?;
        let mut block = || {
            let mut length = [0; 8];
            input.read_exact(&mut length).map_err(broken)?;
            let length = u64::from_le_bytes(length);
            let mut bytes = Vec::new();
            input
                .by_ref()
                .take(length)
                .read_to_end(&mut bytes)
                .map_err(broken)?;
            if bytes.len() as u64 == length {
                Ok(bytes)
            } else {
                Err(damaged("it ends too early"))
            }
        };
        let header: Result<Header, _> = serde_json::from_slice(&block()?);
        let mut header = header.map_err(|error| PartError::Damaged(error.to_string()))?;
        let keys = header.keys.len();
        let is_sound = header.counts.len() == keys
            && header.thinned.len() == keys
            && header.facts.is_of(keys)
            && header.keys.iter().all(|key| key.candidate.is_sound());
        if !is_sound {
            return Err(damaged("its parts do not fit together"));
        }
        let thinned = std::mem::take(&mut header.thinned);
        let mut tables = Vec::new();
        for (key, thinned) in header.keys.iter().zip(thinned) {
            let is_all = thinned.is_none();
            let limits = limits(&key.candidate, 0, u64::MAX, true);
            let table = Table::of_rows(limits, &block()?, thinned);
            let table = table.ok_or_else(|| damaged("its values cannot be read"))?;
            if is_all && table.total() != Some((header.items, header.bytes)) {
                return Err(damaged("its values are not all there"));
            }
            tables.push(table);
        }
        let mut rest = [0];
        if input.read(&mut rest).map_err(broken)? != 0 {
            return Err(damaged("there is more behind its end"));
        }
        Ok(Self { header, tables })
    }
}

impl PartSettings {
    fn of(settings: &ProfileSettings, columns: &Columns) -> Self {
        Self {
            seed: settings.seed,
            overhead_bytes: settings.overhead_bytes,
            time: settings.time.clone(),
            named: settings.named,
            text_columns: columns.all_text(),
        }
    }

    /// The settings of an analysis must be these, and it names at most as many values.
    fn check(&self, ours: &Self) -> Result<(), PartError> {
        let time = |time: &Option<PropertyPath>| {
            time.as_ref()
                .map_or("/_ts".to_owned(), PropertyPath::to_string)
        };
        let all = [
            ("seed", self.seed.to_string(), ours.seed.to_string()),
            (
                "item-overhead",
                self.overhead_bytes.to_string(),
                ours.overhead_bytes.to_string(),
            ),
            ("time", time(&self.time), time(&ours.time)),
            (
                "csv-strings",
                self.text_columns.to_string(),
                ours.text_columns.to_string(),
            ),
            (
                "top",
                self.named.to_string(),
                self.named.max(ours.named).to_string(),
            ),
        ];
        let other = all.into_iter().find(|(_, theirs, ours)| theirs != ours);
        other.map_or(Ok(()), |(name, theirs, ours)| {
            Err(PartError::Setting { name, theirs, ours })
        })
    }
}

impl Profiler {
    /// Adds what was profiled of a part, with the same settings and the keys of this one among others,
    /// and the items that were found in it. Gives what is known of it beside.
    pub fn add_part(
        &mut self,
        part: Part,
        settings: &ProfileSettings,
        text_columns: bool,
        found: &mut FoundItems,
    ) -> Result<PartSource, PartError> {
        let Part { header, tables } = part;
        let ours = PartSettings {
            text_columns,
            ..PartSettings::of(settings, &header.source.columns)
        };
        header.settings.check(&ours)?;
        let place = |profiler: &CandidateProfiler| {
            let wanted = profiler.candidate();
            let is_it = |key: &PartKey| key.candidate.makes_same_keys(wanted);
            header.keys.iter().position(is_it).ok_or_else(|| {
                let compared = header.keys.iter().filter(|key| key.is_compared);
                let known: Vec<&str> = compared.map(|key| &*key.candidate.text).collect();
                PartError::NoKey {
                    key: wanted.text.clone(),
                    known: known.join(" "),
                }
            })
        };
        let places: Vec<usize> = self
            .candidates
            .iter()
            .map(place)
            .collect::<Result<_, _>>()?;
        for (profiler, place) in self.candidates.iter_mut().zip(&places) {
            if !profiler.add_stored(&tables[*place], &header.counts[*place]) {
                return Err(PartError::Memory(profiler.candidate().text.clone()));
            }
        }
        self.items += header.items;
        self.bytes += header.bytes;
        self.facts.merge(header.facts.under(&places));
        found.add_part(header.found)?;
        Ok(header.source)
    }
}
