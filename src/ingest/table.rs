//! Tables in text: the separator, the header, and rows with the lines they start on.

use std::io::{self, BufRead, Read};

use csv::{ByteRecord, ReaderBuilder};

/// Separators that tools write.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The rows of a table behind its header.
pub(super) struct Table<R> {
    reader: csv::Reader<R>,
    /// The names in the header.
    pub(super) header: Vec<String>,
    line_offset: u64,
}

impl<R: BufRead> Table<R> {
    /// Reads the header, behind a `sep=` line that some tools write (and that some write wrongly).
    pub(super) fn new(mut input: R) -> io::Result<Table<io::Chain<io::Cursor<Vec<u8>>, R>>> {
        let mut line_offset = 0;
        let mut header = Vec::new();
        loop {
            header.clear();
            if input.read_until(b'\n', &mut header)? == 0 {
                break;
            }
            if !is_separator_line(&header) && !header.trim_ascii().is_empty() {
                break;
            }
            line_offset += 1;
        }
        let first = without_mark(&header).to_vec();
        let separator = separator_of(&first).unwrap_or(b',');
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .from_reader(io::Cursor::new(first).chain(input));
        let header = reader
            .byte_headers()
            .map_err(to_io)?
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim().to_owned())
            .collect();
        Ok(Table {
            reader,
            header,
            line_offset,
        })
    }
}

impl<R: Read> Table<R> {
    /// Reads the next row and the line on which it starts; `None` behind the last.
    pub(super) fn next(&mut self, row: &mut ByteRecord) -> io::Result<Option<u64>> {
        let line = self.reader.position().line();
        if !self.reader.read_byte_record(row).map_err(to_io)? {
            return Ok(None);
        }
        let line = row.position().map_or(line, csv::Position::line);
        Ok(Some(line + self.line_offset))
    }
}

fn to_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn is_separator_line(line: &[u8]) -> bool {
    let line = without_mark(line).trim_ascii();
    line.len() <= 7 && line.trim_ascii().to_ascii_lowercase().starts_with(b"sep=")
}

fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

/// The separator that stands most often in a line outside quotes; `None` where none does.
pub(super) fn separator_of(line: &[u8]) -> Option<u8> {
    let count = |separator: u8| {
        let mut quoted = false;
        let counts = |byte: &&u8| {
            quoted ^= **byte == b'"';
            !quoted && **byte == separator
        };
        line.iter().filter(counts).count()
    };
    SEPARATORS
        .into_iter()
        .map(|separator| (count(separator), separator))
        // Of equally frequent ones the first wins.
        .rev()
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| *count > 0)
        .map(|(_, separator)| separator)
}

/// The first lines of a head, without a `sep=` line and blank ones.
pub(super) fn lines_of(head: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    without_mark(head)
        .split(|byte| *byte == b'\n')
        .filter(|line| !is_separator_line(line) && !line.trim_ascii().is_empty())
}

/// Whether a text is a number as JSON writes it, and one that a double can hold.
pub(super) fn json_number(text: &str) -> Option<serde_json::Number> {
    let plain = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
    plain.then(|| serde_json::from_str(text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> (Vec<String>, Vec<(u64, Vec<String>)>) {
        let mut table = Table::new(text.as_bytes()).expect("memory");
        let (mut rows, mut row) = (Vec::new(), ByteRecord::new());
        while let Some(line) = table.next(&mut row).expect("memory") {
            let cells = row
                .iter()
                .map(|cell| String::from_utf8_lossy(cell).into_owned());
            rows.push((line, cells.collect()));
        }
        (table.header, rows)
    }

    #[test]
    fn the_separator_is_that_of_the_header_whatever_a_sep_line_says() {
        let (header, read) = rows("\u{feff}sep=,\n\"id\";\"a,b\"\n\"1\";\"x\"\n");
        assert_eq!(header, ["id", "a,b"]);
        assert_eq!(read, [(3, vec!["1".to_owned(), "x".to_owned()])]);
        assert_eq!(rows("a\tb\n1\t2").1[0].1, ["1", "2"]);
    }

    #[test]
    fn rows_know_the_line_they_start_on() {
        let (_, read) = rows("a,b\n1,\"x\ny\"\n2,z\n");
        assert_eq!(read.iter().map(|row| row.0).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn numbers_are_those_of_json() {
        for text in ["0", "-1.5", "1e3", "12345678901234567890"] {
            assert!(json_number(text).is_some(), "{text}");
        }
        for text in [
            "", "007", "+1", ".5", "1.", "0x1", "NaN", "1e999", " 1", "--1",
        ] {
            assert!(json_number(text).is_none(), "{text}");
        }
    }
}
