//! A dataset: its files, their forms, and one pass over all items on several threads.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::Value;

use super::{ALL, Columns, InputFormat, ItemSink, Job};
use crate::ingest::error::IngestError;
use crate::ingest::problem::{Problems, RowProblem};
use crate::ingest::source::{Encoding, Input, Opened, Source};

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
    /// What was undone to read it.
    packing: Vec<&'static str>,
    /// Standard input is opened once and waits here.
    opened: Mutex<Option<Input>>,
}

/// What came of reading a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatasetRead {
    /// Items that were handed on.
    pub items: u64,
    /// What was not used.
    pub problems: Problems,
}

impl Dataset {
    /// Finds the files that the inputs name and tells the form of each by its content. Tables are
    /// read through once, so that the types of their columns are known; standard input is then kept
    /// in a temporary file.
    pub fn open(inputs: &[String], options: DatasetOptions) -> Result<Self, IngestError> {
        let mut columns = Columns::default();
        let mut parts = Vec::new();
        for source in Source::expand_all(inputs)? {
            let fail = |cause| source.unreadable(cause);
            let opened = source.opened()?;
            let packing = packing(&opened);
            let mut input = opened.input;
            let mut head = Vec::new();
            input
                .by_ref()
                .take(HEAD_BYTES)
                .read_to_end(&mut head)
                .map_err(fail)?;
            let format = *ALL
                .iter()
                .find(|format| format.recognises(&head))
                .ok_or_else(|| fail(io::Error::other("no known form")))?;
            let mut whole: Input = Box::new(io::Cursor::new(head).chain(input));
            let mut part = Part {
                source: source.clone(),
                format,
                packing,
                opened: Mutex::new(None),
            };
            let twice = format.has_columns() || options.keep_standard_input;
            if twice && source == Source::Standard {
                part.source = spooled(&mut whole).map_err(fail)?;
                whole = part.source.open()?;
            }
            if format.has_columns() {
                columns.add(&mut whole, options.csv_strings).map_err(fail)?;
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

    /// The form of each file.
    pub fn formats(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.format.name()).collect()
    }

    /// What was undone to read each file: compressions from the outermost, and an encoding that is not
    /// plain UTF-8.
    pub fn packings(&self) -> Vec<Vec<&'static str>> {
        self.parts.iter().map(|part| part.packing.clone()).collect()
    }

    /// What the columns of tables are read as.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Reads the items in the first bytes of each file, so many of all files together. What is cut or
    /// broken is passed over, as the whole will be read again.
    pub fn look(&self, bytes_max: u64, mut on_item: impl FnMut(&Value)) -> Result<(), IngestError> {
        let of_each = bytes_max / self.parts.len().max(1) as u64;
        for part in &self.parts {
            let input = part.source.open()?;
            let mut input = io::BufReader::new(input.take(of_each));
            part.format
                .split(&mut input, &self.columns, &mut |job| {
                    job(&mut Looker(&mut on_item));
                })
                .map_err(|cause| part.source.unreadable(cause))?;
        }
        Ok(())
    }

    /// Reads all items. Each thread has a state of its own, made by `new`, to which `add` adds items;
    /// which items come to which thread is left open.
    pub fn read<S: Send>(
        &self,
        new: impl Fn() -> S + Sync,
        add: impl Fn(&mut S, Value) + Sync,
    ) -> Result<(Vec<S>, DatasetRead), IngestError> {
        let threads = self.options.threads.max(1);
        let (sender, receiver) = mpsc::sync_channel::<(usize, Job)>(JOBS_WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        let work = |receiver: Arc<Mutex<mpsc::Receiver<(usize, Job)>>>| {
            let mut worker = Worker {
                state: new(),
                add: &add,
                file: 0,
                read: DatasetRead::default(),
            };
            loop {
                // A thread that panicked ends the run anyway.
                let next = receiver.lock().ok().and_then(|jobs| jobs.recv().ok());
                let Some((file, job)) = next else { break };
                worker.file = file;
                job(&mut worker);
            }
            (worker.state, worker.read)
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
            let (mut states, mut read) = (Vec::new(), DatasetRead::default());
            for worker in workers {
                match worker.join() {
                    Ok((state, part)) => {
                        states.push(state);
                        read.items += part.items;
                        read.problems.merge(part.problems);
                    }
                    Err(panic) => {
                        std::panic::resume_unwind(panic);
                    }
                }
            }
            outcome.map(|()| (states, read))
        })
    }

    fn send(&self, jobs: &mpsc::SyncSender<(usize, Job)>) -> Result<(), IngestError> {
        for (file, part) in self.parts.iter().enumerate() {
            let waiting = part.opened.lock().ok().and_then(|mut opened| opened.take());
            let mut input = match waiting {
                Some(input) => input,
                None => part.source.open()?,
            };
            part.format
                // The channel closes only when all threads are gone, which ends the run.
                .split(&mut input, &self.columns, &mut |job| {
                    drop(jobs.send((file, job)));
                })
                .map_err(|cause| part.source.unreadable(cause))?;
        }
        Ok(())
    }
}

/// Hands items on and forgets problems.
struct Looker<'a>(&'a mut dyn FnMut(&Value));

impl ItemSink for Looker<'_> {
    fn item(&mut self, item: Value, _line: u64) {
        (self.0)(&item);
    }

    fn problem(&mut self, _problem: RowProblem) {}
}

struct Worker<'a, S, A> {
    state: S,
    add: &'a A,
    file: usize,
    read: DatasetRead,
}

impl<S, A: Fn(&mut S, Value)> ItemSink for Worker<'_, S, A> {
    fn item(&mut self, item: Value, _line: u64) {
        self.read.items += 1;
        (self.add)(&mut self.state, item);
    }

    fn problem(&mut self, problem: RowProblem) {
        self.read.problems.add(self.file, problem);
    }
}

fn packing(opened: &Opened) -> Vec<&'static str> {
    let mut packing = opened.compression.clone();
    if opened.encoding != Encoding::Utf8 {
        packing.push(opened.encoding.name());
    }
    packing
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
        let (_, _, places) = one.1.problems.groups().next().expect("a problem");
        assert_eq!((places[0].file, places[0].line), (2, 2));
        assert_eq!(read(&files, 4), one);
    }
}
