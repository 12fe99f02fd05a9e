//! What was recognised in each file, and how its first items are read.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use serde_json::Value;

use super::ItemSink;
use crate::ingest::problem::{Problems, RowProblem};
use crate::ingest::source::{Encoding, Input};

/// Items that are shown of each file.
const ITEMS_SHOWN: usize = 3;

/// How a file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileExplanation {
    /// The file, as the user knows it.
    pub file: String,
    /// The name of the form it was recognised as.
    pub format: &'static str,
    /// How it is written, in a few words.
    pub description: String,
    /// Its compressions, from the outermost.
    pub compression: Vec<&'static str>,
    /// The encoding of its text.
    pub encoding: Encoding,
    /// The first items, as they are read.
    pub items: Vec<Value>,
    /// What was opened, converted or left out up to there.
    pub problems: Problems,
}

/// The first items of a file, and what was said up to there.
#[derive(Default)]
pub(super) struct Beginning {
    pub(super) file: usize,
    pub(super) items: Vec<Value>,
    pub(super) problems: Problems,
}

impl Beginning {
    /// Reads a job, and whether more are wanted.
    pub(super) fn run(&mut self, job: super::Job) -> ControlFlow<()> {
        job(self);
        if self.items.len() < ITEMS_SHOWN {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

impl ItemSink for Beginning {
    fn item(&mut self, item: Value, _line: u64) {
        if self.items.len() < ITEMS_SHOWN {
            self.items.push(item);
        }
    }

    fn problem(&mut self, problem: RowProblem) {
        self.problems.add(self.file, problem);
    }
}

/// An input that keeps what is taken from it, so that it can be read once more.
pub(super) struct Kept {
    input: Input,
    bytes: Vec<u8>,
}

impl Kept {
    pub(super) fn new(input: Input) -> Self {
        Self {
            input,
            bytes: Vec::new(),
        }
    }

    /// The whole input.
    pub(super) fn again(self) -> Input {
        Box::new(io::Cursor::new(self.bytes).chain(self.input))
    }
}

impl Read for Kept {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(bytes)?;
        self.bytes.extend_from_slice(&bytes[..count]);
        Ok(count)
    }
}

impl BufRead for Kept {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // What is consumed was at hand before, so that this does not fail.
        if let Ok(bytes) = self.input.fill_buf() {
            self.bytes.extend_from_slice(&bytes[..count]);
        }
        self.input.consume(count);
    }
}
