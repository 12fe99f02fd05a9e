//! Cuts a stream into JSON values without reading them: lines, one array or several, values one
//! after the other, in any mixture. Only the value at hand is held.

use std::io::{self, BufRead};

use super::problem::Reason;

/// Longest value that is held, in bytes; the service takes items of 2 MB.
const VALUE_BYTES_MAX: usize = 64 * 1024 * 1024;

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

/// The values of a stream.
pub(super) struct Frames<R> {
    input: R,
    /// Bytes to read again before the input, last first.
    again: Vec<u8>,
    bytes_read: u64,
    bytes_read_again: u64,
    line: u64,
    in_array: bool,
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
            bytes_read: 0,
            bytes_read_again: 0,
            line,
            in_array: false,
        }
    }

    /// Reads the next value into the buffer.
    pub(super) fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<Frame> {
        buffer.clear();
        let first = loop {
            match self.byte()? {
                None if self.in_array => {
                    self.in_array = false;
                    return Ok(Frame::Broken(
                        self.line,
                        Reason::CutOff,
                        "the input ends inside an array",
                    ));
                }
                None => return Ok(Frame::End),
                // The bytes of U+FEFF stand between values where files were put together.
                Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | 0xEF | 0xBB | 0xBF) => {}
                Some(b'[') if !self.in_array => self.in_array = true,
                Some(b']') if self.in_array => self.in_array = false,
                Some(byte) => break byte,
            }
        };
        let start = self.line;
        buffer.push(first);
        if matches!(first, b'{' | b'[') {
            self.nested(buffer, start)
        } else {
            self.scalar(buffer, start)
        }
    }

    /// Gives the value in the buffer up as broken. Where a later line of it starts with a brace, an
    /// item seems to start there, and the rest is read again from it: one broken line does not take
    /// others with it. Whether there is such a line.
    pub(super) fn reject(&mut self, buffer: &[u8], start: u64) -> bool {
        let found = buffer.windows(2).position(|pair| pair == b"\n{");
        if let Some(at) = found {
            self.again.extend(buffer[at + 1..].iter().rev());
            self.bytes_read_again += (buffer.len() - at) as u64;
            self.line = start + buffer[..at].split(|byte| *byte == b'\n').count() as u64;
        }
        found.is_some()
    }

    /// Whether so much was read again that a value must now end with its line, so that input made of
    /// unclosed braces takes no more than linear time.
    fn by_line(&self) -> bool {
        !self.again.is_empty()
            && self.bytes_read_again > READ_AGAIN_FACTOR * self.bytes_read + READ_AGAIN_BYTES
    }

    fn nested(&mut self, buffer: &mut Vec<u8>, start: u64) -> io::Result<Frame> {
        let mut closers = vec![closer(buffer[0])];
        let (mut text, mut escaped) = (false, false);
        let mut too_long = false;
        while !closers.is_empty() {
            let byte = self.byte()?;
            let broken = match byte {
                None => Some((Reason::CutOff, "the input ends inside a value")),
                Some(b'\n') if text => Some((Reason::NotJson, "a line ends inside a string")),
                Some(b'\n') if self.by_line() => {
                    Some((Reason::NotJson, "a line ends inside a value"))
                }
                Some(close @ (b'}' | b']')) if !text && closers.last() != Some(&close) => Some((
                    Reason::NotJson,
                    "a bracket is closed by one of another kind",
                )),
                _ => None,
            };
            if !too_long {
                buffer.extend(byte);
            }
            if let Some((mut reason, mut detail)) = broken {
                // With items behind it, it is not the file that was cut.
                if self.reject(buffer, start) && reason == Reason::CutOff {
                    (reason, detail) = (Reason::NotJson, "a bracket is not closed");
                }
                return Ok(Frame::Broken(start, reason, detail));
            }
            if buffer.len() > VALUE_BYTES_MAX && !too_long {
                // Where a later line looks like an item, a brace was left open; otherwise the value
                // is what it seems, and is passed over to its end.
                if self.reject(buffer, start) {
                    return Ok(too_long_at(start));
                }
                too_long = true;
                buffer.clear();
            }
            match byte {
                _ if escaped => escaped = false,
                Some(b'\\') if text => escaped = true,
                Some(b'"') => text = !text,
                Some(open @ (b'{' | b'[')) if !text => closers.push(closer(open)),
                Some(b'}' | b']') if !text => {
                    closers.pop();
                }
                _ => {}
            }
        }
        Ok(if too_long {
            too_long_at(start)
        } else {
            Frame::Value(start)
        })
    }

    /// Reads up to what can stand behind a value; the rest of the line belongs to what is none.
    fn scalar(&mut self, buffer: &mut Vec<u8>, start: u64) -> io::Result<Frame> {
        let mut text = buffer[0] == b'"';
        let mut escaped = false;
        let mut too_long = false;
        loop {
            match self.byte()? {
                None => break,
                Some(byte @ (b'\n' | b',' | b']' | b'[' | b'{' | b' ' | b'\t' | b'\r'))
                    if !text || byte == b'\n' =>
                {
                    self.line -= u64::from(byte == b'\n');
                    self.again.push(byte);
                    break;
                }
                Some(byte) => {
                    if !too_long {
                        buffer.push(byte);
                    }
                    text ^= byte == b'"' && !escaped;
                    escaped = byte == b'\\' && !escaped;
                }
            }
            if buffer.len() > VALUE_BYTES_MAX {
                too_long = true;
                buffer.clear();
            }
        }
        Ok(if too_long {
            too_long_at(start)
        } else {
            Frame::Value(start)
        })
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = if let Some(byte) = self.again.pop() {
            Some(byte)
        } else {
            let byte = self.input.fill_buf()?.first().copied();
            self.input.consume(usize::from(byte.is_some()));
            self.bytes_read += u64::from(byte.is_some());
            byte
        };
        self.line += u64::from(byte == Some(b'\n'));
        Ok(byte)
    }
}

fn closer(open: u8) -> u8 {
    if open == b'{' { b'}' } else { b']' }
}

fn too_long_at(line: u64) -> Frame {
    Frame::Broken(line, Reason::TooLong, "the value is longer than 64 MiB")
}
