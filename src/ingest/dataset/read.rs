//! A dataset: its files, their forms, and one pass over all items on several threads.

use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, mpsc};

use serde_json::Value;

use super::csv_types::TableColumns;
use super::explain::{Beginning, FileExplanation, Kept};
use super::names::PropertyNames;
use super::scan::Scanner;
use super::size::item_bytes;
use super::{ALL, Columns, Hints, InputFormat, ItemSink, Job, foreign};
use crate::ingest::error::IngestError;
use crate::ingest::problem::{Problems, Reason, RowProblem};
use crate::ingest::source::{Encoding, Input, Source};
use crate::model::{Fields, Item};

/// Bytes that the form of a file is told by.
const HEAD_BYTES: u64 = 64 * 1024;

/// Jobs that wait for a thread; more would hold more of the file in memory.
const JOBS_WAITING: usize = 8;

/// How a dataset is read.
#[derive(Debug, Clone, Default)]
pub struct DatasetOptions {
    /// Cells of tables are text, whatever they look like.
    pub csv_strings: bool,
    /// Threads that read items; 0 is one.
    pub threads: usize,
    /// The data are looked at before they are read, so standard input is kept in a temporary file.
    pub keep_standard_input: bool,
    /// The form of all files; each is told by its content without it.
    pub format: Option<&'static dyn InputFormat>,
}

/// Files that hold items, each with its form.
pub struct Dataset {
    parts: Vec<Part>,
    columns: Columns,
    options: DatasetOptions,
}

struct Part {
    source: Source,
    format: &'static dyn InputFormat,
    compression: Vec<&'static str>,
    encoding: Encoding,
    /// Of a table: whether the quotes in its cells stand behind backslashes.
    backslashes: bool,
    /// Standard input is opened once and waits here.
    opened: Mutex<Option<Input>>,
}

/// What came of reading a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatasetRead {
    /// Items that were handed on.
    pub items: u64,
    /// The same of each file.
    pub items_by_file: Vec<u64>,
    /// What was not used, or was used with a doubt.
    pub problems: Problems,
    /// The names of the properties of the items, where fields of them were read.
    pub names: PropertyNames,
}

impl Dataset {
    /// Finds the files that the inputs name and tells the form of each by its content. Tables are
    /// read through once, so that the types of their columns are known; standard input is then kept
    /// in a temporary file.
    pub fn open(inputs: &[String], options: DatasetOptions) -> Result<Self, IngestError> {
        let mut columns = Columns::new(options.csv_strings);
        let mut parts = Vec::new();
        for source in Source::expand_all(inputs)? {
            let (mut part, mut whole) = Part::open(source, options.format)?;
            if options.keep_standard_input {
                whole = part.keep(whole)?;
            }
            if part.format.has_columns() {
                columns.add(part.table_columns(whole, options.threads)?);
            } else if part.source == Source::Standard {
                part.opened = Mutex::new(Some(whole));
            }
            parts.push(part);
        }
        Ok(Self {
            parts,
            columns,
            options,
        })
    }

    /// The names of the files, in the order in which they are read.
    pub fn files(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.source.name()).collect()
    }

    /// Bytes of all files as they lie on disk, where that is known of all.
    pub fn size(&self) -> Option<u64> {
        self.parts.iter().map(|part| part.source.size()).sum()
    }

    /// The form of each file.
    pub fn formats(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.format.name()).collect()
    }

    /// What was undone to read each file: compressions from the outermost, and an encoding that is not
    /// plain UTF-8.
    pub fn packings(&self) -> Vec<Vec<&'static str>> {
        self.parts.iter().map(Part::packing).collect()
    }

    /// What the columns of tables are read as.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How many threads read items.
    pub fn threads(&self) -> usize {
        self.options.threads.max(1)
    }

    /// Reads the items in the first bytes of each file, so many of all files together. What is cut or
    /// broken is passed over, as the whole will be read again.
    pub fn look(&self, bytes_max: u64, mut on_item: impl FnMut(&Value)) -> Result<(), IngestError> {
        let of_each = bytes_max / self.parts.len().max(1) as u64;
        for part in &self.parts {
            let input = part.source.open()?;
            let mut input = io::BufReader::new(input.take(of_each));
            part.format
                .split(&mut input, part.hints(&self.columns), &mut |job| {
                    job(&mut Looker(&mut on_item));
                    ControlFlow::Continue(())
                })
                .map_err(|cause| part.source.unreadable(cause))?;
        }
        Ok(())
    }

    /// What was recognised in each file, and its first items as they are read.
    pub fn explain(&self) -> Result<Vec<FileExplanation>, IngestError> {
        let parts = self.parts.iter().enumerate();
        parts
            .map(|(file, part)| part.explain(file, &self.columns))
            .collect()
    }

    /// Reads all items whole. Each thread has a state of its own, made by `new`, to which `add` adds
    /// items; which items come to which thread is left open.
    pub fn read<S: Send>(
        &self,
        new: impl Fn() -> S + Sync,
        add: impl Fn(&mut S, Value) + Sync,
    ) -> Result<(Vec<S>, DatasetRead), IngestError> {
        let worker = || WholeReader {
            state: new(),
            add: &add,
            file: 0,
            read: DatasetRead::of(self.parts.len()),
        };
        self.run(worker)
    }

    /// Reads the wanted fields of all items, whole only where that is needed to tell what they hold.
    pub fn read_fields<S: Send>(
        &self,
        fields: &Arc<Fields>,
        new: impl Fn() -> S + Sync,
        add: impl Fn(&mut S, &Item) + Sync,
    ) -> Result<(Vec<S>, DatasetRead), IngestError> {
        let worker = || FieldReader {
            state: new(),
            add: &add,
            file: 0,
            read: DatasetRead::of(self.parts.len()),
            scanner: Scanner::new(fields),
            fields: Arc::clone(fields),
        };
        self.run(worker)
    }

    fn run<R: Reader>(
        &self,
        new: impl Fn() -> R + Sync,
    ) -> Result<(Vec<R::State>, DatasetRead), IngestError>
    where
        R::State: Send,
    {
        let threads = self.threads();
        let (sender, receiver) = mpsc::sync_channel::<(usize, Job)>(JOBS_WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        let work = |receiver: Arc<Mutex<mpsc::Receiver<(usize, Job)>>>| {
            let mut reader = new();
            loop {
                // A thread that panicked ends the run anyway.
                let next = receiver.lock().ok().and_then(|jobs| jobs.recv().ok());
                let Some((file, job)) = next else { break };
                reader.at_file(file);
                job(&mut reader);
            }
            reader.finish()
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| Arc::clone(&receiver))
                .map(|receiver| scope.spawn(|| work(receiver)))
                .collect();
            // The threads alone hold the receiving end: when they are gone, sending fails.
            drop(receiver);
            let outcome = self.send(&sender);
            drop(sender);
            let (mut states, mut read) = (Vec::new(), DatasetRead::of(self.parts.len()));
            for worker in workers {
                match worker.join() {
                    Ok((state, part)) => {
                        states.push(state);
                        read.merge(part);
                    }
                    Err(panic) => {
                        std::panic::resume_unwind(panic);
                    }
                }
            }
            outcome?;
            self.note_files(&mut read);
            Ok((states, read))
        })
    }

    fn send(&self, jobs: &mpsc::SyncSender<(usize, Job)>) -> Result<(), IngestError> {
        for (file, part) in self.parts.iter().enumerate() {
            let mut input = part.input()?;
            part.format
                .split(&mut input, part.hints(&self.columns), &mut |job| {
                    // The channel closes only when all threads are gone, which ends the run.
                    match jobs.send((file, job)) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    }
                })
                .map_err(|cause| part.source.unreadable(cause))?;
        }
        Ok(())
    }

    /// Adds what is to be said of whole files.
    fn note_files(&self, read: &mut DatasetRead) {
        for (file, part) in self.parts.iter().enumerate() {
            if let Some(notice) = part.encoding_notice() {
                read.problems.add(file, notice);
            }
            if read.items_by_file[file] == 0 {
                let notice = RowProblem::new(1, Reason::NoItem, "");
                read.problems.add(file, notice);
            }
        }
    }
}

impl DatasetRead {
    fn of(file_count: usize) -> Self {
        Self {
            items_by_file: vec![0; file_count],
            ..Self::default()
        }
    }

    fn merge(&mut self, part: Self) {
        self.items += part.items;
        for (count, more) in self.items_by_file.iter_mut().zip(part.items_by_file) {
            *count += more;
        }
        self.problems.merge(part.problems);
        self.names.merge(part.names);
    }

    fn count(&mut self, file: usize) {
        self.items += 1;
        self.items_by_file[file] += 1;
    }
}

impl Part {
    /// Opens a source and tells its form, unless that is given.
    fn open(
        source: Source,
        format: Option<&'static dyn InputFormat>,
    ) -> Result<(Self, Input), IngestError> {
        let fail = |cause| source.unreadable(cause);
        let mut opened = source.opened()?;
        let head = head_of(&mut opened.input).map_err(fail)?;
        let format = match (format, foreign::form(&head)) {
            (Some(format), _) => format,
            (None, Some((form, remedy))) => return Err(source.refused(form, remedy)),
            (None, None) => *ALL
                .iter()
                .find(|format| format.recognises(&head))
                .ok_or_else(|| fail(io::Error::other("no known form")))?,
        };
        let part = Self {
            source,
            format,
            compression: opened.compression,
            encoding: opened.encoding,
            backslashes: false,
            opened: Mutex::new(None),
        };
        let whole = Box::new(io::Cursor::new(head).chain(opened.input));
        Ok((part, whole))
    }

    /// Keeps standard input in a temporary file, so that it can be read more than once.
    fn keep(&mut self, mut input: Input) -> Result<Input, IngestError> {
        if self.source != Source::Standard {
            return Ok(input);
        }
        self.source = spooled(&mut input).map_err(|cause| self.source.unreadable(cause))?;
        self.source.open()
    }

    /// Reads a table through, so that the types of its columns are known. Standard input is kept for
    /// that.
    fn table_columns(
        &mut self,
        mut input: Input,
        threads: usize,
    ) -> Result<TableColumns, IngestError> {
        input = self.keep(input)?;
        let columns = TableColumns::of(&mut input, false, threads);
        let columns = columns.map_err(|cause| self.source.unreadable(cause))?;
        if !columns.backslashes {
            return Ok(columns);
        }
        // The cells were cut at the wrong quotes.
        self.backslashes = true;
        let columns = TableColumns::of(&mut self.source.open()?, true, threads);
        columns.map_err(|cause| self.source.unreadable(cause))
    }

    /// The input from its start.
    fn input(&self) -> Result<Input, IngestError> {
        let waiting = self.opened.lock().ok().and_then(|mut opened| opened.take());
        waiting.map_or_else(|| self.source.open(), Ok)
    }

    fn hints<'a>(&self, columns: &'a Columns) -> Hints<'a> {
        Hints {
            columns,
            backslashes: self.backslashes,
        }
    }

    fn packing(&self) -> Vec<&'static str> {
        let encoding = (self.encoding != Encoding::Utf8).then(|| self.encoding.name());
        let compression = self.compression.iter().copied();
        compression.chain(encoding).collect()
    }

    fn encoding_notice(&self) -> Option<RowProblem> {
        let name = self.encoding.name();
        self.encoding
            .is_utf16()
            .then(|| RowProblem::new(1, Reason::Utf16, name))
    }

    fn explain(&self, file: usize, columns: &Columns) -> Result<FileExplanation, IngestError> {
        let fail = |cause| self.source.unreadable(cause);
        let mut input = self.input()?;
        let head = head_of(&mut input).map_err(fail)?;
        let description = self.format.describe(&head, self.hints(columns));
        let mut kept = Kept::new(Box::new(io::Cursor::new(head).chain(input)));
        let mut beginning = Beginning {
            file,
            ..Beginning::default()
        };
        self.format
            .split(&mut kept, self.hints(columns), &mut |job| {
                beginning.run(job)
            })
            .map_err(fail)?;
        if self.source == Source::Standard
            && let Ok(mut opened) = self.opened.lock()
        {
            *opened = Some(kept.again());
        }
        let mut problems = beginning.problems;
        if let Some(notice) = self.encoding_notice() {
            problems.add(file, notice);
        }
        Ok(FileExplanation {
            file: self.source.name(),
            format: self.format.name(),
            description,
            compression: self.compression.clone(),
            encoding: self.encoding,
            items: beginning.items,
            problems,
        })
    }
}

/// The bytes that the form of a file is told by.
fn head_of(input: &mut Input) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    input.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// Hands items on and forgets problems.
struct Looker<'a>(&'a mut dyn FnMut(&Value));

impl ItemSink for Looker<'_> {
    fn item(&mut self, item: Value, _line: u64) {
        (self.0)(&item);
    }

    fn problem(&mut self, _problem: RowProblem) {}
}

/// Reads on one of the threads.
trait Reader: ItemSink + Sized {
    type State;

    /// What is read from now on stands in this file.
    fn at_file(&mut self, file: usize);

    fn finish(self) -> (Self::State, DatasetRead);
}

/// Reads items whole.
struct WholeReader<'a, S, A> {
    state: S,
    add: &'a A,
    file: usize,
    read: DatasetRead,
}

impl<S, A: Fn(&mut S, Value)> ItemSink for WholeReader<'_, S, A> {
    fn item(&mut self, item: Value, _line: u64) {
        self.read.count(self.file);
        (self.add)(&mut self.state, item);
    }

    fn problem(&mut self, problem: RowProblem) {
        self.read.problems.add(self.file, problem);
    }
}

impl<S, A: Fn(&mut S, Value)> Reader for WholeReader<'_, S, A> {
    type State = S;

    fn at_file(&mut self, file: usize) {
        self.file = file;
    }

    fn finish(self) -> (S, DatasetRead) {
        (self.state, self.read)
    }
}

/// Reads fields of items.
struct FieldReader<'a, S, A> {
    state: S,
    add: &'a A,
    file: usize,
    read: DatasetRead,
    scanner: Scanner,
    fields: Arc<Fields>,
}

impl<S, A: Fn(&mut S, &Item)> ItemSink for FieldReader<'_, S, A> {
    fn item(&mut self, item: Value, _line: u64) {
        self.read.count(self.file);
        self.scanner.names().add(&item);
        let fields = self.fields.of(&item);
        let read = Item {
            fields: &fields,
            bytes: item_bytes(&item),
            whole: Some(&item),
        };
        (self.add)(&mut self.state, &read);
    }

    fn text(&mut self, text: &[u8], line: u64) -> bool {
        let Some(scanned) = self.scanner.scan(text) else {
            return false;
        };
        self.read.count(self.file);
        (self.add)(&mut self.state, &scanned.item());
        for notice in scanned.seen.notices(line) {
            self.read.problems.add(self.file, notice);
        }
        true
    }

    fn problem(&mut self, problem: RowProblem) {
        self.read.problems.add(self.file, problem);
    }
}

impl<S, A: Fn(&mut S, &Item)> Reader for FieldReader<'_, S, A> {
    type State = S;

    fn at_file(&mut self, file: usize) {
        self.file = file;
    }

    fn finish(mut self) -> (S, DatasetRead) {
        self.read.names = self.scanner.into_names();
        (self.state, self.read)
    }
}

/// Standard input as a temporary file, so that it can be read twice.
fn spooled(input: &mut dyn BufRead) -> io::Result<Source> {
    let mut file = tempfile::NamedTempFile::new()?;
    io::copy(input, &mut file)?;
    file.flush()?;
    Ok(Source::Spooled(Arc::new(file)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(files: &[&[u8]], threads: usize) -> (Vec<String>, DatasetRead) {
        let folder = tempfile::tempdir().expect("a folder");
        for (index, bytes) in files.iter().enumerate() {
            fs::write(folder.path().join(index.to_string()), bytes).expect("a file");
        }
        let input = folder.path().display().to_string();
        let options = DatasetOptions {
            threads,
            ..DatasetOptions::default()
        };
        let dataset = Dataset::open(&[input], options).expect("files");
        let (states, read) = dataset
            .read(Vec::new, |items, item| items.push(item.to_string()))
            .expect("files");
        let mut items = states.concat();
        items.sort();
        (items, read)
    }

    #[test]
    fn files_of_different_forms_are_one_dataset_on_any_number_of_threads() {
        let lines: String = (0..3000).fold(String::new(), |all, n| {
            all + &format!("{{\"id\":\"{n}\"}}\n")
        });
        let files: [&[u8]; 3] = [lines.as_bytes(), b"id,a\n1,2\n", b"[{\"id\":1},\n5]"];
        let one = read(&files, 1);
        assert_eq!((one.1.items, one.1.problems.rejected()), (3002, 1));
        assert_eq!(one.1.items_by_file, [3000, 1, 1]);
        let (_, _, places) = one.1.problems.groups().next().expect("a problem");
        assert_eq!((places[0].file, places[0].line), (2, 2));
        assert_eq!(read(&files, 4), one);
    }
}
