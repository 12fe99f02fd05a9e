//! A table as it is read, with an eye on its end: a cell that was cut looks like a whole one.

use std::io::{self, BufRead, Read};

use super::LogSink;
use crate::ingest::problem::{Reason, RowProblem};

/// Passes bytes on, and keeps what its end says.
pub(super) struct Watched<R> {
    input: R,
    last: Option<u8>,
    quotes: usize,
}

impl<R: BufRead> Watched<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            last: None,
            quotes: 0,
        }
    }

    /// Says so where the last row, which starts on this line, may have been cut.
    pub(super) fn warn(&self, line: u64, sink: &mut dyn LogSink) {
        let detail = match self.last {
            Some(_) if self.quotes % 2 == 1 => "the last row ends inside a quoted cell",
            None | Some(b'\n') => return,
            Some(_) => "the last row ends without the end of a line",
        };
        sink.problem(RowProblem::new(line, Reason::Unterminated, detail));
    }
}

impl<R: BufRead> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let length = ready.len().min(buffer.len());
        buffer[..length].copy_from_slice(&ready[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Watched<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        // What is consumed lies in the buffer, so that asking for it again reads nothing.
        if let Ok(ready) = self.input.fill_buf()
            && length > 0
        {
            let taken = &ready[..length];
            for byte in taken {
                self.quotes += usize::from(*byte == b'"');
            }
            self.last = taken.last().copied();
        }
        self.input.consume(length);
    }
}
