//! Cuts a stream into JSON values without reading them: lines, one array or several, values one
//! after the other, in any mixture. Only the value at hand is held.
//!
//! Of datasets, objects that stand around items are opened as well, so that the items in them are the
//! values: then nothing but one item is held, however long the object is.

mod lines;
mod nesting;
mod wrapper;

use std::io::{self, BufRead};

use self::nesting::{Nesting, Stop};
use self::wrapper::{Found, Known};
use super::problem::{Reason, RowProblem};

/// Longest value that is held, in bytes; the service takes items of 2 MB.
const VALUE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes from which on an object without an id is taken to stand around items.
const OPENED_BYTES_MIN: usize = 4 * 1024 * 1024;

/// Bytes behind the items of an object that are looked through for more of them.
const REST_BYTES_MAX: usize = 64 * 1024;

/// How often, on average, broken input is read again before values must end with their line.
const READ_AGAIN_FACTOR: u64 = 8;

/// Bytes that may be read again before that factor counts.
const READ_AGAIN_BYTES: u64 = 1024 * 1024;

/// What stands at the front of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// A value that may be JSON, in the buffer, and the line it starts on.
    Value(u64),
    /// Bytes that are no value, where they start, and why.
    Broken(u64, Reason, &'static str),
    /// Nothing more.
    End,
}

/// What a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Nothing: it stands in the file itself.
    Nothing,
    /// An array.
    Array,
    /// The items of a page of the REST API.
    Page,
    /// The one array of an object.
    Wrapper,
}

/// Where in the stream the next value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// No value was seen yet.
    First,
    /// At the start of a line, behind lines that were read together.
    BehindLines,
    Later,
}

/// The values of a stream.
pub(super) struct Frames<R> {
    input: R,
    /// Bytes that come before the input, and how many of them were read.
    again: Vec<u8>,
    again_at: usize,
    /// Line breaks that were already skipped behind the bytes to read again.
    lines_behind: u64,
    bytes_read: u64,
    bytes_read_again: u64,
    line: u64,
    within: Within,
    /// Whether objects around items are opened.
    opening: bool,
    place: Place,
    /// Whether the input is one line of a file, so that its end is not that of the file.
    is_line: bool,
    notices: Vec<RowProblem>,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(input: R) -> Self {
        Self::from_line(input, 1)
    }

    /// The same for input that starts on this line of its file.
    pub(super) fn from_line(input: R, line: u64) -> Self {
        Self {
            input,
            again: Vec::new(),
            again_at: 0,
            lines_behind: 0,
            bytes_read: 0,
            bytes_read_again: 0,
            line,
            within: Within::Nothing,
            opening: false,
            place: Place::First,
            is_line: false,
            notices: Vec::new(),
        }
    }

    /// Takes the input for one line of a file that goes on behind it.
    pub(super) fn of_line(mut self, line: u64) -> Self {
        self.line = line;
        self.place = Place::Later;
        self.is_line = true;
        self
    }

    /// The values of a dataset: objects around items are opened, and that is noted.
    pub(super) fn opening(input: R) -> Self {
        Self {
            opening: true,
            ..Self::new(input)
        }
    }

    /// What the last value stands in.
    pub(super) fn within(&self) -> Within {
        self.within
    }

    /// What is to be said of the stream since this was last asked.
    pub(super) fn notices(&mut self) -> impl Iterator<Item = RowProblem> {
        self.notices.drain(..)
    }

    /// Reads the next value into the buffer.
    pub(super) fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<Frame> {
        buffer.clear();
        loop {
            let Some(first) = self.skip_blanks(&mut false)? else {
                return Ok(self.end());
            };
            match first {
                b'[' if self.within == Within::Nothing => {
                    self.advance(1, 0);
                    self.within = Within::Array;
                    self.place = Place::Later;
                }
                b']' if self.within != Within::Nothing => {
                    self.advance(1, 0);
                    let within = std::mem::replace(&mut self.within, Within::Nothing);
                    if within != Within::Array
                        && let Some(broken) = self.rest()?
                    {
                        return Ok(broken);
                    }
                }
                b'{' | b'[' => {
                    if let Some(frame) = self.nested(buffer)? {
                        return Ok(frame);
                    }
                }
                _ => return self.scalar(buffer),
            }
        }
    }

    /// Gives the value in the buffer up as broken. Where a later line of it starts with a brace, an
    /// item seems to start there, and the rest is read again from it: one broken line does not take
    /// others with it. Whether there is such a line.
    pub(super) fn reject(&mut self, buffer: &[u8], start: u64) -> bool {
        let found = memchr::memmem::find(buffer, b"\n{");
        if let Some(at) = found {
            self.bytes_read_again += (buffer.len() - at) as u64;
            self.line = start + lines(&buffer[..=at]);
            self.unread(&buffer[at + 1..]);
        }
        found.is_some()
    }

    /// Skips what may stand between values; the byte behind it, which is not yet read.
    fn skip_blanks(&mut self, at_line_start: &mut bool) -> io::Result<Option<u8>> {
        loop {
            let at_start = self.bytes_read == 0;
            let chunk = self.chunk()?;
            // The bytes of U+FEFF stand between values where files were put together.
            let is_value = |byte: &u8| {
                !matches!(
                    byte,
                    b' ' | b'\t' | b'\r' | b'\n' | b',' | 0xEF | 0xBB | 0xBF
                )
            };
            let found = chunk.iter().position(is_value);
            let blanks = &chunk[..found.unwrap_or(chunk.len())];
            let (count, line_count) = (blanks.len(), lines(blanks));
            *at_line_start = blanks.last().map_or(*at_line_start, |byte| *byte == b'\n');
            let marked = memchr::memrchr(0xEF, blanks).is_some_and(|at| at > 0 || !at_start);
            let byte = found.map(|at| chunk[at]);
            let ended = chunk.is_empty();
            self.advance(count, line_count);
            if marked && self.opening {
                let notice = RowProblem::new(self.line, Reason::MarkInside, "");
                self.notices.push(notice);
            }
            if byte.is_some() || ended {
                return Ok(byte);
            }
        }
    }

    /// Reads lines that look like one object each into the buffer, as many as come together, and gives
    /// the number of the first; `None` where something else comes next.
    ///
    /// Such a line stands behind the first value, outside of any array, starts with `{` and ends with
    /// `}`, and the next one starts with `{`. No line of a longer value is like that, as a comma stands
    /// between the values in it: so each is read by itself, broken or not.
    pub(super) fn lines(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<u64>> {
        buffer.clear();
        let is_outside = self.within == Within::Nothing && self.lines_behind == 0;
        if !is_outside || self.place == Place::First {
            return Ok(None);
        }
        let mut at_line_start = self.place == Place::BehindLines;
        self.place = Place::Later;
        if self.skip_blanks(&mut at_line_start)? != Some(b'{') {
            return Ok(None);
        }
        if !at_line_start {
            return Ok(None);
        }
        // Most values that are longer than their first line end here, before anything is copied.
        let chunk = self.chunk()?;
        if memchr::memchr(b'\n', chunk).is_some_and(|end| !lines::ends_object(&chunk[..end])) {
            return Ok(None);
        }
        buffer.extend_from_slice(&self.again[self.again_at..]);
        self.again.clear();
        self.again_at = 0;
        let mut wanted = lines::BLOCK_BYTES;
        let taken = loop {
            let chunk = self.input.fill_buf()?;
            let is_end = chunk.is_empty();
            let chunk = &chunk[..chunk.len().min(wanted.saturating_sub(buffer.len()))];
            buffer.extend_from_slice(chunk);
            let count = chunk.len();
            self.input.consume(count);
            self.bytes_read += count as u64;
            if buffer.len() < wanted && !is_end {
                continue;
            }
            let whole = lines::whole(buffer);
            if whole.bytes > 0 || whole.is_known || is_end || wanted > OPENED_BYTES_MIN {
                break whole.bytes;
            }
            wanted *= 2;
        };
        self.again.extend_from_slice(&buffer[taken..]);
        buffer.truncate(taken);
        if taken > 0 {
            self.place = Place::BehindLines;
        }
        let start = self.line;
        self.line += lines(buffer);
        Ok((taken > 0).then_some(start))
    }

    fn end(&mut self) -> Frame {
        if self.within == Within::Nothing {
            return Frame::End;
        }
        self.within = Within::Nothing;
        let detail = "the input ends inside an array";
        Frame::Broken(self.line, Reason::CutOff, detail)
    }

    /// Whether so much was read again that a value must now end with its line, so that input made of
    /// unclosed braces takes no more than linear time.
    fn by_line(&self) -> bool {
        self.again_at < self.again.len()
            && self.bytes_read_again > READ_AGAIN_FACTOR * self.bytes_read + READ_AGAIN_BYTES
    }

    /// Reads a value in brackets; `None` where it was no item and has been opened.
    fn nested(&mut self, buffer: &mut Vec<u8>) -> io::Result<Option<Frame>> {
        let start = self.line;
        let at_first = std::mem::replace(&mut self.place, Place::Later) == Place::First;
        let may_open = self.opening && self.within == Within::Nothing;
        let mut nesting = Nesting::default();
        let (mut held, mut bytes_max) = (true, OPENED_BYTES_MIN);
        loop {
            let one_line = self.by_line();
            let chunk = self.chunk()?;
            if chunk.is_empty() {
                return Ok(self.cut(buffer, start, may_open, at_first));
            }
            let chunk = &chunk[..chunk.len().min(bytes_max - buffer.len())];
            let (taken, stop) = nesting.follow(chunk, one_line);
            if held {
                buffer.extend_from_slice(&chunk[..taken]);
            }
            let line_count = lines(&chunk[..taken]);
            self.advance(taken, line_count);
            match stop {
                Stop::Slice => {}
                Stop::Broken(detail) => {
                    self.reject(buffer, start);
                    return Ok(Some(Frame::Broken(start, Reason::NotJson, detail)));
                }
                Stop::Closed if !held => return Ok(Some(too_long_at(start))),
                Stop::Closed => {
                    let opened = may_open && self.open_whole(buffer, start, at_first)?;
                    return Ok((!opened).then_some(Frame::Value(start)));
                }
            }
            if buffer.len() < bytes_max {
                continue;
            }
            if bytes_max == OPENED_BYTES_MIN {
                bytes_max = VALUE_BYTES_MAX;
                if may_open && self.open(buffer, start, Known::Long) {
                    return Ok(None);
                }
            } else if may_open && self.open(buffer, start, Known::TooLong) {
                return Ok(None);
            } else if self.reject(buffer, start) {
                // A later line looks like an item: a brace was left open.
                return Ok(Some(too_long_at(start)));
            } else {
                // The value is what it seems, and is passed over to its end.
                held = false;
                buffer.clear();
            }
        }
    }

    /// What the input ends in: items around which an object was to close, or a value.
    fn cut(
        &mut self,
        buffer: &mut Vec<u8>,
        start: u64,
        may_open: bool,
        at_first: bool,
    ) -> Option<Frame> {
        let known = if at_first {
            Known::CutAlone
        } else {
            Known::Cut
        };
        if may_open && self.open(buffer, start, known) {
            return None;
        }
        if self.reject(buffer, start) || self.is_line {
            // With items behind it, it is not the file that was cut.
            let detail = "a bracket is not closed";
            return Some(Frame::Broken(start, Reason::NotJson, detail));
        }
        // One cut is one problem, not one more for the array around it.
        self.within = Within::Nothing;
        let detail = "the input ends inside a value";
        Some(Frame::Broken(start, Reason::CutOff, detail))
    }

    /// Opens a whole object if it is no item.
    fn open_whole(&mut self, buffer: &mut Vec<u8>, start: u64, at_first: bool) -> io::Result<bool> {
        let mut known = Known::Whole;
        let end = self.line;
        if at_first
            && wrapper::find(buffer, Known::Alone).is_some()
            && self.skip_blanks(&mut false)?.is_none()
        {
            known = Known::Alone;
        }
        let lines_behind = self.line - end;
        let opened = self.open(buffer, start, known);
        if opened {
            self.lines_behind = lines_behind;
        }
        Ok(opened)
    }

    /// Opens an object if it is no item: its items are read again as the values that they are.
    fn open(&mut self, buffer: &mut Vec<u8>, start: u64, known: Known) -> bool {
        let Some(found) = wrapper::find(buffer, known) else {
            return false;
        };
        let Found {
            at,
            page,
            name,
            others,
        } = found;
        self.line = start + lines(&buffer[..at]);
        self.unread(&buffer[at + 1..]);
        buffer.clear();
        let (within, reason) = if page {
            (Within::Page, Reason::Envelope)
        } else {
            (Within::Wrapper, Reason::Wrapper)
        };
        self.within = within;
        self.notices.push(RowProblem::new(start, reason, name));
        if others {
            self.ignored_array(start, "before the items");
        }
        true
    }

    fn ignored_array(&mut self, line: u64, detail: impl Into<String>) {
        let notice = RowProblem::new(line, Reason::IgnoredArray, detail);
        self.notices.push(notice);
    }

    /// Passes over what stands behind the items of an object that was opened.
    fn rest(&mut self) -> io::Result<Option<Frame>> {
        let start = self.line;
        let mut nesting = Nesting::in_object();
        let mut rest = vec![b'{'];
        loop {
            let chunk = self.chunk()?;
            if chunk.is_empty() {
                let detail = "the input ends inside the object around the items";
                return Ok(Some(Frame::Broken(start, Reason::CutOff, detail)));
            }
            let (taken, stop) = nesting.follow(chunk, false);
            if rest.len() <= REST_BYTES_MAX {
                rest.extend_from_slice(&chunk[..taken]);
            }
            let line_count = lines(&chunk[..taken]);
            self.advance(taken, line_count);
            match stop {
                Stop::Slice => {}
                Stop::Broken(detail) => {
                    return Ok(Some(Frame::Broken(start, Reason::NotJson, detail)));
                }
                Stop::Closed => break,
            }
        }
        if rest.len() > REST_BYTES_MAX {
            self.ignored_array(start, "more than 64 KiB behind the items");
        }
        for name in wrapper::arrays(&rest) {
            self.ignored_array(start, name);
        }
        Ok(None)
    }

    /// Reads up to what can stand behind a value; the rest of the line belongs to what is none.
    fn scalar(&mut self, buffer: &mut Vec<u8>) -> io::Result<Frame> {
        let start = self.line;
        self.place = Place::Later;
        let (mut text, mut escaped, mut too_long) = (false, false, false);
        let (mut is_first, mut ended) = (true, false);
        while !ended {
            let chunk = self.chunk()?;
            let mut taken = 0;
            for byte in chunk {
                let is_end = match byte {
                    b'\n' => true,
                    b',' | b']' | b'[' | b'{' | b' ' | b'\t' | b'\r' => !text && !is_first,
                    _ => false,
                };
                if is_end {
                    ended = true;
                    break;
                }
                is_first = false;
                taken += 1;
                text ^= *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
            }
            ended |= chunk.is_empty();
            if !too_long {
                buffer.extend_from_slice(&chunk[..taken]);
            }
            if buffer.len() > VALUE_BYTES_MAX {
                too_long = true;
                buffer.clear();
            }
            self.advance(taken, 0);
        }
        Ok(if too_long {
            too_long_at(start)
        } else {
            Frame::Value(start)
        })
    }

    /// Bytes that come next, as many as are at hand; none at the end of the input.
    fn chunk(&mut self) -> io::Result<&[u8]> {
        if self.again_at < self.again.len() {
            Ok(&self.again[self.again_at..])
        } else {
            self.input.fill_buf()
        }
    }

    /// Takes bytes of the chunk, with so many line breaks among them.
    fn advance(&mut self, count: usize, line_count: u64) {
        self.line += line_count;
        if self.again_at < self.again.len() {
            self.again_at += count;
            if self.again_at == self.again.len() {
                self.line += std::mem::take(&mut self.lines_behind);
            }
        } else if count > 0 {
            self.input.consume(count);
            self.bytes_read += count as u64;
            self.again.clear();
            self.again_at = 0;
        }
    }

    /// Puts the bytes that were last taken back.
    fn unread(&mut self, bytes: &[u8]) {
        if bytes.len() <= self.again_at {
            // All of them were read again, and are still there.
            self.again_at -= bytes.len();
            debug_assert!(self.again[self.again_at..].starts_with(bytes));
        } else {
            debug_assert!(self.again_at == self.again.len());
            self.again.clear();
            self.again.extend_from_slice(bytes);
            self.again_at = 0;
        }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn too_long_at(line: u64) -> Frame {
    Frame::Broken(line, Reason::TooLong, "the value is longer than 64 MiB")
}
