//! The data that an analysis is of: read from files, or put together from the profiles of parts.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::inputs::{InputArguments, because, unreadable};
use super::progress::Progress;
use super::settings::{ItemArguments, KeyArguments, read_key};
use super::{ExitCode, Failure};
use crate::ingest::{Columns, Dataset, LogRead, Problems};
use crate::keys::Candidate;
use crate::model::{Condition, Fields, PropertyPath};
use crate::profile::{
    FoundItems, Part, PartError, PartFile, PartKey, PartSource, Profile, ProfileSettings, Profiler,
    Wanted,
};
use crate::propose::{Discovery, Filters, propose, why_not};
use crate::report::{FileInput, visible};
use crate::simulate::{SuffixSearch, current_paths};

/// Bytes that candidates are proposed from.
const LOOK_BYTES: u64 = 64 * 1024 * 1024;

/// What is asked of the data.
pub(super) struct Sought<'a> {
    /// Where they are.
    pub(super) inputs: &'a InputArguments,
    /// What is said of the candidates.
    pub(super) keys: &'a KeyArguments,
    /// What is assumed about the items.
    pub(super) items: &'a ItemArguments,
    /// How many of the largest logical partitions are named.
    pub(super) top: usize,
    /// The candidates that are given.
    pub(super) given: Vec<Candidate>,
    /// The key of the container today.
    pub(super) current_key: Option<&'a Candidate>,
    /// The searches for suffixes, whose candidates are measured as well.
    pub(super) searches: &'a [SuffixSearch],
    /// The log, which names items by id.
    pub(super) log: Option<&'a LogRead>,
}

/// What the data hold.
pub(super) struct Data {
    /// The data under the candidates to compare, and behind them those of the searches.
    pub(super) profile: Profile,
    /// How many candidates are to be compared.
    pub(super) compared: usize,
    /// Why candidates were proposed, by key.
    pub(super) reasons: BTreeMap<String, String>,
    /// The items that the log names by id.
    pub(super) found: FoundItems,
    /// The files that were read.
    pub(super) files: Vec<FileInput>,
    /// What their columns were read as.
    pub(super) columns: Columns,
    /// What was not used, or was used with a doubt.
    pub(super) problems: Problems,
}

/// Reads the data, or puts them together where profiles are given.
pub(super) fn read(sought: &Sought, progress: &Progress) -> Result<Data, Failure> {
    if let Some(profiles) = sought.inputs.profiles()? {
        return of_profiles(sought, &profiles);
    }
    let Pass {
        keys,
        profiler,
        found,
        source,
    } = Pass::over(sought, false, progress)?;
    Ok(Data {
        profile: profiler.finish(source.names),
        compared: keys.iter().filter(|key| key.is_compared).count(),
        reasons: reasons(&keys),
        found,
        files: source.files.into_iter().map(file_input).collect(),
        columns: source.columns,
        problems: source.problems,
    })
}

/// One pass over the files.
pub(super) struct Pass {
    /// The candidates, those to compare first.
    pub(super) keys: Vec<PartKey>,
    /// The data under them.
    pub(super) profiler: Profiler,
    /// The items that the log names by id.
    pub(super) found: FoundItems,
    /// What is known of the files.
    pub(super) source: PartSource,
}

impl Pass {
    /// Reads all items, for an analysis or for the profile of a part.
    pub(super) fn over(
        sought: &Sought,
        for_part: bool,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let dataset = sought.inputs.dataset(sought.keys.proposes())?;
        progress.expect(dataset.size());
        let keys = sought.with_searches(sought.proposed(&dataset)?);
        let candidates: Vec<Candidate> = keys.iter().map(|key| key.candidate.clone()).collect();
        let mut fields = Fields::default();
        let settings = sought.settings(for_part);
        let profiler = Profiler::new(&candidates, &settings, &mut fields);
        let wanted = Arc::new(sought.wanted(&candidates, &mut fields));
        let empty = || (profiler.sibling(), FoundItems::new(Arc::clone(&wanted)));
        let (parts, mut read) = dataset
            .read_fields(&Arc::new(fields), empty, |(profiler, found), item| {
                profiler.add(item);
                found.add(item);
            })
            .map_err(|error| unreadable(&error))?;
        let (profiler, found) = parts
            .into_iter()
            .fold(empty(), |(profiler, mut found), part| {
                found.merge(part.1);
                (profiler.merge(part.0), found)
            });
        if read.items == 0 {
            let message = format!(
                "the data hold no usable item{}",
                because(&read.problems, &dataset.files())
            );
            return Err(Failure::new(ExitCode::Input, message));
        }
        Ok(Self {
            keys,
            profiler,
            found,
            source: PartSource {
                files: files(&dataset),
                columns: dataset.columns().clone(),
                names: std::mem::take(&mut read.names),
                problems: read.problems,
            },
        })
    }
}

/// Puts the profiles of parts together, in the order in which they are given.
fn of_profiles(sought: &Sought, paths: &[PathBuf]) -> Result<Data, Failure> {
    if sought.keys.propose || !sought.keys.why_not.is_empty() {
        let message = "a profile has the keys that it was made with, and proposes no others\n  hint: give --propose and --why-not to 'pkadvisor profile'";
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let mut whole: Option<Whole> = None;
    for path in paths {
        let refused = |error: &PartError| {
            let path = path.display();
            let message = format!("{path}: {}\n  hint: {}", super::chain(error), error.hint());
            Failure::new(ExitCode::Input, message)
        };
        let part = read_part(path).map_err(|error| refused(&error))?;
        let whole = whole.get_or_insert_with(|| Whole::new(sought, &part));
        whole.add(part, sought).map_err(|error| refused(&error))?;
    }
    whole
        .map(Whole::finish)
        .ok_or_else(|| Failure::new(ExitCode::Input, "there is no profile"))
}

/// Shows what profiles hold.
pub(super) fn explain_profiles(paths: &[PathBuf], out: &mut impl Write) -> Result<(), Failure> {
    for path in paths {
        let part = read_part(path).map_err(|error| {
            let message = format!("{}: {}", path.display(), super::chain(&error));
            Failure::new(ExitCode::Input, message)
        })?;
        let keys = part.keys().iter().filter(|key| key.is_compared);
        let keys: Vec<&str> = keys.map(|key| &*key.candidate.text).collect();
        let files: Vec<&str> = part.source().files.iter().map(|file| &*file.name).collect();
        let lines = [
            format!("{}: profile of {} items", path.display(), part.items()),
            format!("  of {}", files.join(", ")),
            format!("  under {}", keys.join(" ")),
        ];
        for line in lines {
            writeln!(out, "{}", visible(&line)).map_err(Failure::output)?;
        }
    }
    Ok(())
}

fn read_part(path: &Path) -> Result<Part, PartError> {
    Part::read(BufReader::new(File::open(path)?))
}

/// What is put together of parts.
struct Whole {
    keys: Vec<PartKey>,
    profiler: Profiler,
    found: FoundItems,
    source: PartSource,
    settings: ProfileSettings,
}

impl Whole {
    /// Nothing yet: under the keys that are given, or those of a part.
    fn new(sought: &Sought, part: &Part) -> Self {
        let keys = if sought.keys.keys.is_empty() {
            let compared = part.keys().iter().filter(|key| key.is_compared);
            compared.cloned().collect()
        } else {
            sought.given.iter().cloned().map(given).collect()
        };
        let keys = sought.with_searches(keys);
        let candidates: Vec<Candidate> = keys.iter().map(|key| key.candidate.clone()).collect();
        let settings = sought.settings(false);
        let mut fields = Fields::default();
        let wanted = sought.wanted(&candidates, &mut fields);
        Self {
            profiler: Profiler::new(&candidates, &settings, &mut fields),
            found: FoundItems::new(Arc::new(wanted)),
            keys,
            source: PartSource::default(),
            settings,
        }
    }

    fn add(&mut self, part: Part, sought: &Sought) -> Result<(), PartError> {
        let text_columns = sought.inputs.csv_strings;
        let added = self
            .profiler
            .add_part(part, &self.settings, text_columns, &mut self.found)?;
        let before = self.source.files.len();
        self.source.files.extend(added.files);
        self.source.problems.merge(added.problems.behind(before));
        self.source.names.merge(added.names);
        self.source
            .columns
            .merge(added.columns)
            .map_err(PartError::Column)
    }

    fn finish(self) -> Data {
        Data {
            profile: self.profiler.finish(self.source.names),
            compared: self.keys.iter().filter(|key| key.is_compared).count(),
            reasons: reasons(&self.keys),
            found: self.found,
            files: self.source.files.into_iter().map(file_input).collect(),
            columns: self.source.columns,
            problems: self.source.problems,
        }
    }
}

impl Sought<'_> {
    /// How items are profiled.
    pub(super) fn settings(&self, for_part: bool) -> ProfileSettings {
        ProfileSettings {
            seed: self.items.seed,
            overhead_bytes: self.items.overhead,
            time: self.items.time.clone(),
            named: self.top,
            threads: self.inputs.threads(),
            memory: self.inputs.memory.as_u64(),
            keeps_texts: for_part,
        }
    }

    /// The keys to compare, and behind them those that the searches measure.
    fn with_searches(&self, mut keys: Vec<PartKey>) -> Vec<PartKey> {
        let of_searches = self.searches.iter().flat_map(SuffixSearch::candidates);
        keys.extend(of_searches.map(|candidate| PartKey {
            candidate: candidate.clone(),
            reason: None,
            is_compared: false,
        }));
        keys
    }

    /// The candidates that were given and those that are proposed.
    fn proposed(&self, dataset: &Dataset) -> Result<Vec<PartKey>, Failure> {
        let mut keys: Vec<PartKey> = self.given.iter().cloned().map(given).collect();
        if !self.keys.proposes() {
            return Ok(keys);
        }
        let mut discovery = Discovery::default();
        dataset
            .look(LOOK_BYTES, |item| discovery.add(item))
            .map_err(|error| unreadable(&error))?;
        let log = self.log;
        let filters = log.map(|read| Filters::of(&read.log)).unwrap_or_default();
        let most = self.keys.max_proposals as usize;
        for text in &self.keys.why_not {
            let candidate = read_key("why-not", text, self.keys.version())?;
            let why = why_not(&candidate, &discovery, &filters, most);
            let why = why.unwrap_or_else(|| "it is among those proposed".to_owned());
            // A closed stream is no reason to fail.
            let _ = writeln!(io::stderr(), "{text}: {why}");
        }
        if self.keys.keys.is_empty() || self.keys.propose {
            for proposal in propose(&discovery, &filters, most) {
                let mut known = keys.iter().map(|key| &key.candidate);
                if !known.any(|one| one.levels == proposal.candidate.levels) {
                    keys.push(PartKey {
                        candidate: proposal.candidate,
                        reason: Some(proposal.reason),
                        is_compared: true,
                    });
                }
            }
        }
        if keys.is_empty() && discovery.items() > 0 {
            let message = "no property is in nearly all items with more than one value, so there is nothing to propose; give a --key";
            return Err(Failure::new(ExitCode::Input, message));
        }
        Ok(keys)
    }

    /// What is to be kept of which items.
    fn wanted(&self, candidates: &[Candidate], fields: &mut Fields) -> Wanted {
        self.log.map_or_else(Wanted::default, |read| {
            Wanted::new(read.log.ids(), self.paths(candidates, read), fields)
        })
    }

    /// The properties that are needed of items which the log names by id.
    fn paths(&self, candidates: &[Candidate], read: &LogRead) -> Vec<PropertyPath> {
        let mut paths: Vec<PropertyPath> = candidates
            .iter()
            .flat_map(Candidate::sources)
            .cloned()
            .chain(self.items.always.iter().cloned())
            .chain(current_paths(self.current_key, &read.log).unwrap_or_default())
            .collect();
        for access in read.log.accesses.forms() {
            if let (Some(_), Condition::Known(condition)) = (&access.id, &access.condition) {
                paths.extend(condition.properties().into_iter().cloned());
            }
        }
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

/// A candidate that was given.
fn given(candidate: Candidate) -> PartKey {
    PartKey {
        candidate,
        reason: None,
        is_compared: true,
    }
}

fn reasons(keys: &[PartKey]) -> BTreeMap<String, String> {
    let reason = |key: &PartKey| Some((key.candidate.text.clone(), key.reason.clone()?));
    keys.iter().filter_map(reason).collect()
}

fn files(dataset: &Dataset) -> Vec<PartFile> {
    let names = dataset.files().into_iter();
    let forms = dataset.formats().into_iter().zip(dataset.packings());
    let file = |(name, (format, packing)): (String, (&str, Vec<&str>))| PartFile {
        name,
        format: format.to_owned(),
        packing: packing.into_iter().map(str::to_owned).collect(),
    };
    names.zip(forms).map(file).collect()
}

fn file_input(file: PartFile) -> FileInput {
    FileInput {
        name: file.name,
        format: file.format,
        packing: file.packing,
    }
}
