//! A table in blocks of whole rows, each with the header before it, so that each is read by itself.

use std::io::{self, BufRead, Read};

use super::{ROW_BYTES_MAX, Table, is_separator_line, lines_in, separator_of, without_mark};

/// Bytes of a block, as long as its rows are shorter.
const BLOCK_BYTES: usize = 512 * 1024;

/// Whole rows of a table behind its header.
pub(in crate::ingest) struct Block {
    bytes: Vec<u8>,
    /// Lines of the file before those of the block, less those of the header.
    lines_before: u64,
    backslashes: bool,
}

impl Block {
    /// Its rows, with the lines of the file that they start on.
    pub(in crate::ingest) fn table(&self) -> io::Result<Table<impl BufRead>> {
        let mut table = Table::with_backslashes(&*self.bytes, self.backslashes)?;
        table.line_offset += self.lines_before;
        Ok(table)
    }
}

/// Cuts a table into blocks.
pub(in crate::ingest) struct Blocks<R> {
    input: R,
    header: Vec<u8>,
    /// What was read and is in no block yet.
    rest: Vec<u8>,
    /// Lines of the file before the rest.
    line: u64,
    cells: Cells,
    block_bytes: usize,
    /// Whether a block was given, as there is one at least.
    started: bool,
    ended: bool,
}

impl<R: BufRead> Blocks<R> {
    /// Reads the header; with `backslashes`, a backslash in quotes takes the meaning of the next character
    /// away.
    pub(in crate::ingest) fn new(mut input: R, backslashes: bool) -> io::Result<Self> {
        let mut header = Vec::new();
        let mut line = 0;
        let mut cells = Cells {
            separator: b',',
            backslashes,
        };
        let mut ended = false;
        loop {
            let start = header.len();
            let mut next = input.by_ref().take(ROW_BYTES_MAX as u64);
            if next.read_until(b'\n', &mut header)? == 0 {
                break;
            }
            let first = &header[start..];
            if start == 0 {
                if is_separator_line(first) || first.trim_ascii().is_empty() {
                    line += 1;
                    header.clear();
                    continue;
                }
                cells.separator = separator_of(without_mark(first)).unwrap_or(b',');
            }
            ended = header.len() > ROW_BYTES_MAX;
            // A name can hold a line break, in quotes.
            if cells.rows_end(without_mark(&header)) > 0 || ended {
                break;
            }
        }
        Ok(Self {
            input,
            line: line + lines_in(&header),
            header,
            rest: Vec::new(),
            cells,
            block_bytes: BLOCK_BYTES,
            started: false,
            ended,
        })
    }

    /// The next block, of which there is one at least; `None` behind the last.
    pub(in crate::ingest) fn next(&mut self) -> io::Result<Option<Block>> {
        let mut wanted = self.block_bytes;
        let end = loop {
            let missing = wanted.saturating_sub(self.rest.len()) as u64;
            let read = self
                .input
                .by_ref()
                .take(missing)
                .read_to_end(&mut self.rest)?;
            self.ended |= read == 0 && missing > 0;
            // Of a row that is too long the reader says so, and reads nothing behind it.
            if self.ended || self.rest.len() > 2 * ROW_BYTES_MAX {
                self.ended = true;
                break self.rest.len();
            }
            let end = self.cells.rows_end(&self.rest);
            if end > 0 {
                break end;
            }
            wanted *= 2;
        };
        if self.started && end == 0 {
            return Ok(None);
        }
        self.started = true;
        let mut bytes = self.header.clone();
        bytes.extend_from_slice(&self.rest[..end]);
        let lines_before = self.line - lines_in(&self.header);
        self.line += lines_in(&self.rest[..end]);
        self.rest.drain(..end);
        Ok(Some(Block {
            bytes,
            lines_before,
            backslashes: self.cells.backslashes,
        }))
    }
}

/// How cells are told apart.
#[derive(Debug, Clone, Copy)]
struct Cells {
    separator: u8,
    /// Whether a backslash in quotes takes the meaning of the next character away.
    backslashes: bool,
}

impl Cells {
    /// Where the last whole row ends, of bytes that start with a row: behind the last line break that is
    /// not in quotes. A quote opens a cell only at its start; elsewhere it is a character of the cell.
    fn rows_end(self, bytes: &[u8]) -> usize {
        let (mut end, mut at) = (0, 0);
        loop {
            let start = at;
            let quote = loop {
                let Some(found) = memchr::memchr(b'"', &bytes[at..]) else {
                    break bytes.len();
                };
                at += found + 1;
                if self.opens(&bytes[..at - 1]) {
                    break at - 1;
                }
            };
            if let Some(found) = memchr::memrchr(b'\n', &bytes[start..quote]) {
                end = start + found + 1;
            }
            match self.quoted_end(bytes, quote + 1) {
                Some(behind) => at = behind,
                None => return end,
            }
        }
    }

    /// Whether a quote behind these bytes opens a cell.
    fn opens(self, before: &[u8]) -> bool {
        let last = before.last();
        last.is_none_or(|byte| matches!(byte, b'\n' | b'\r') || *byte == self.separator)
    }

    /// Where the cell ends whose opening quote is just before `at`: behind its closing quote.
    fn quoted_end(self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let rest = bytes.get(at..)?;
            let found = if self.backslashes {
                memchr::memchr2(b'"', b'\\', rest)?
            } else {
                memchr::memchr(b'"', rest)?
            };
            at += found + 1;
            // Behind a backslash, and behind the first of two quotes, the next byte is one of the cell.
            if bytes[at - 1] == b'\\' || bytes.get(at) == Some(&b'"') {
                at += 1;
            } else {
                return Some(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use csv::ByteRecord;
    use proptest::prelude::*;

    type Read = (Vec<String>, Vec<(u64, Vec<Vec<u8>>, bool)>, bool);

    fn rows_of(table: &mut Table<impl BufRead>, rows: &mut Vec<(u64, Vec<Vec<u8>>, bool)>) {
        let mut row = ByteRecord::new();
        while let Some(line) = table.next(&mut row).expect("memory") {
            let cells = row.iter().map(<[u8]>::to_vec).collect();
            rows.push((line, cells, table.broken().is_some()));
        }
    }

    /// All rows read at once, as the oracle.
    fn whole(text: &[u8], backslashes: bool) -> Read {
        let mut table = Table::with_backslashes(text, backslashes).expect("memory");
        let mut rows = Vec::new();
        rows_of(&mut table, &mut rows);
        (table.header.clone(), rows, table.is_open_ended())
    }

    fn in_blocks(text: &[u8], backslashes: bool, bytes: usize) -> Read {
        let mut blocks = Blocks::new(text, backslashes).expect("memory");
        blocks.block_bytes = bytes;
        let (mut header, mut rows, mut is_open_ended) = (Vec::new(), Vec::new(), false);
        while let Some(block) = blocks.next().expect("memory") {
            let mut table = block.table().expect("memory");
            rows_of(&mut table, &mut rows);
            header.clone_from(&table.header);
            is_open_ended |= table.is_open_ended();
        }
        (header, rows, is_open_ended)
    }

    #[test]
    fn blocks_end_with_rows() {
        for text in [
            "a,b\n1,\"x\ny\"\n2,z\n",
            "sep=,\n\na,b\r\n1,\"x\r\ny\"\r\n2,z\r\n3,z",
            "\u{feff}\"a\nb\",c\n1,2\n3,\"\"\"\n4,5\n",
            "a;b\n1,\"2;3\n4;\"5\"\n",
            "a,b\n1,5\" x\n2,\"y\"z\"\n3,w\n",
            "a,b",
            "",
            "a,b\n1,\"never closed\n2,x\n",
        ] {
            for bytes in 1..20 {
                assert_eq!(
                    in_blocks(text.as_bytes(), false, bytes),
                    whole(text.as_bytes(), false),
                    "{text:?} by {bytes}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn blocks_change_nothing(text in "(a,b|a;\"b\n\"|\"a|a)\n[a\",;\\\\\n]{0,40}", breaks in prop_oneof![Just("\n"), Just("\r\n")], backslashes in any::<bool>(), bytes in 1_usize..30) {
            // Where both kinds of line breaks are mixed, or behind blank lines, the whole miscounts.
            let lines: Vec<&str> = text.split('\n').filter(|line| !line.is_empty()).collect();
            let end = if text.ends_with('\n') { breaks } else { "" };
            let text = lines.join(breaks) + end;
            prop_assert_eq!(in_blocks(text.as_bytes(), backslashes, bytes), whole(text.as_bytes(), backslashes));
        }
    }
}
