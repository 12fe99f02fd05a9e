//! Cuts a stream into JSON values without reading them: lines, one array or several, values one
//! after the other, in any mixture. Only the value at hand is held.

use std::io::{self, BufRead};

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
    Broken(u64, &'static str),
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
        Self {
            input,
            again: Vec::new(),
            bytes_read: 0,
            bytes_read_again: 0,
            line: 1,
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
                    return Ok(Frame::Broken(self.line, "the input ends inside an array"));
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
    /// others with it.
    pub(super) fn reject(&mut self, buffer: &[u8], start: u64) {
        if let Some(at) = buffer.windows(2).position(|pair| pair == b"\n{") {
            self.again.extend(buffer[at + 1..].iter().rev());
            self.bytes_read_again += (buffer.len() - at) as u64;
            self.line = start + buffer[..at].split(|byte| *byte == b'\n').count() as u64;
        }
    }

    /// Whether so much was read again that a value must now end with its line, so that input made of
    /// unclosed braces takes no more than linear time.
    fn by_line(&self) -> bool {
        !self.again.is_empty()
            && self.bytes_read_again > READ_AGAIN_FACTOR * self.bytes_read + READ_AGAIN_BYTES
    }

    fn nested(&mut self, buffer: &mut Vec<u8>, start: u64) -> io::Result<Frame> {
        let (mut depth, mut text, mut escaped) = (1_usize, false, false);
        while depth > 0 {
            let byte = self.byte()?;
            buffer.extend(byte);
            let broken = match byte {
                None => Some("the input ends inside a value"),
                Some(b'\n') if text => Some("a line ends inside a string"),
                Some(b'\n') if self.by_line() => Some("a line ends inside a value"),
                _ if buffer.len() > VALUE_BYTES_MAX => Some("the value is longer than 64 MiB"),
                _ => None,
            };
            if let Some(reason) = broken {
                self.reject(buffer, start);
                return Ok(Frame::Broken(start, reason));
            }
            match byte {
                _ if escaped => escaped = false,
                Some(b'\\') if text => escaped = true,
                Some(b'"') => text = !text,
                Some(b'{' | b'[') if !text => depth += 1,
                Some(b'}' | b']') if !text => depth -= 1,
                _ => {}
            }
        }
        Ok(Frame::Value(start))
    }

    /// Reads up to what can stand behind a value; the rest of the line belongs to what is none.
    fn scalar(&mut self, buffer: &mut Vec<u8>, start: u64) -> io::Result<Frame> {
        let mut text = buffer[0] == b'"';
        let mut escaped = false;
        loop {
            match self.byte()? {
                None => return Ok(Frame::Value(start)),
                Some(byte @ (b'\n' | b',' | b']' | b'[' | b'{' | b' ' | b'\t' | b'\r'))
                    if !text || byte == b'\n' =>
                {
                    self.line -= u64::from(byte == b'\n');
                    self.again.push(byte);
                    return Ok(Frame::Value(start));
                }
                Some(byte) => {
                    buffer.push(byte);
                    text ^= byte == b'"' && !escaped;
                    escaped = byte == b'\\' && !escaped;
                }
            }
            if buffer.len() > VALUE_BYTES_MAX {
                return Ok(Frame::Broken(start, "the value is longer than 64 MiB"));
            }
        }
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
