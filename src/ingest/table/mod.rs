//! Tables in text: the separator, the header, and rows with the lines they start on.

mod blocks;

pub(super) use blocks::{Block, Blocks};

use std::io::{self, BufRead, Read};

use csv::{ByteRecord, ReaderBuilder};

use super::problem::Reason;

/// Separators that tools write.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Longest row that is held, in bytes; a quote that is never closed makes one of the whole file.
const ROW_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A row that is put behind the last one: where a quote is still open, it becomes part of a cell.
const END: &[u8] = b"\n\0end\0\n";

/// The rows of a table behind its header.
pub(super) struct Table<R> {
    reader: csv::Reader<Watched<R>>,
    /// The names in the header.
    pub(super) header: Vec<String>,
    /// Lines before the first, and one more where the reader counts a line break of two characters
    /// only with the row behind it.
    line_offset: u64,
    broken: Option<(Reason, &'static str)>,
}

impl<R: BufRead> Table<R> {
    /// Reads the header, behind a `sep=` line that some tools write (and that some write wrongly).
    pub(super) fn new(input: R) -> io::Result<Table<io::Chain<io::Cursor<Vec<u8>>, R>>> {
        Self::with_backslashes(input, false)
    }

    /// The same; with `backslashes`, a backslash in quotes takes the meaning of the next character
    /// away.
    pub(super) fn with_backslashes(
        mut input: R,
        backslashes: bool,
    ) -> io::Result<Table<io::Chain<io::Cursor<Vec<u8>>, R>>> {
        let mut line_offset = 0;
        let mut header = Vec::new();
        loop {
            header.clear();
            let mut line = input.by_ref().take(ROW_BYTES_MAX as u64);
            if line.read_until(b'\n', &mut header)? == 0 {
                break;
            }
            if !is_separator_line(&header) && !header.trim_ascii().is_empty() {
                break;
            }
            line_offset += 1;
        }
        let first = without_mark(&header).to_vec();
        line_offset += u64::from(first.ends_with(b"\r\n"));
        let separator = separator_of(&first).unwrap_or(b',');
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .escape(backslashes.then_some(b'\\'))
            .flexible(true)
            .from_reader(Watched::new(io::Cursor::new(first).chain(input), separator));
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
            broken: None,
        })
    }
}

impl<R: Read> Table<R> {
    /// Reads the next row and the line on which it starts; `None` behind the last.
    pub(super) fn next(&mut self, row: &mut ByteRecord) -> io::Result<Option<u64>> {
        let line = self.reader.position().line();
        self.reader.get_mut().row_bytes = 0;
        if !self.reader.read_byte_record(row).map_err(to_io)? {
            return Ok(None);
        }
        let watched = self.reader.get_ref();
        if watched.ended && row.len() == 1 && row.get(0) == Some(END.trim_ascii()) {
            return Ok(None);
        }
        if watched.too_long {
            let detail = "the row is longer than 64 MiB, and what follows is not read";
            self.broken = Some((Reason::TooLong, detail));
        } else if watched.ended
            && row
                .iter()
                .next_back()
                .is_some_and(|cell| cell.ends_with(END))
        {
            self.broken = Some((Reason::CutOff, "the file ends inside quotes"));
            let mut cells: Vec<Vec<u8>> = row.iter().map(<[u8]>::to_vec).collect();
            if let Some(last) = cells.last_mut() {
                last.truncate(last.len() - END.len());
            }
            let position = row.position().cloned();
            *row = ByteRecord::from(cells);
            row.set_position(position);
        }
        let line = row.position().map_or(line, csv::Position::line);
        Ok(Some(line + self.line_offset))
    }

    /// What is wrong with the row that was just read, apart from the number of its cells.
    pub(super) fn broken(&self) -> Option<(Reason, &'static str)> {
        self.broken
    }

    /// Whether a quote was seen behind a backslash where it cannot end a cell.
    pub(super) fn has_backslashes(&self) -> bool {
        self.reader.get_ref().backslashes
    }

    /// Calls `on` with each row and its line, or with what is wrong with it, and at last with an end that
    /// may have been cut.
    pub(super) fn each_row(
        &mut self,
        mut on: impl FnMut(Result<&ByteRecord, (Reason, String)>, u64),
    ) -> io::Result<()> {
        let mut row = ByteRecord::new();
        let mut last = 1;
        while let Some(line) = self.next(&mut row)? {
            last = line;
            let width = self.header.len();
            let outcome = match self.broken {
                Some((reason, detail)) => Err((reason, detail.to_owned())),
                None if row.len() != width => {
                    let detail = format!("{} cells under a header of {width}", row.len());
                    Err((Reason::Ragged, detail))
                }
                None => Ok(&row),
            };
            on(outcome, line);
        }
        if self.is_open_ended() && self.broken.is_none() {
            on(Err((Reason::OpenEnd, String::new())), last);
        }
        Ok(())
    }

    /// Whether the last line was read and has no line break. A quote at its end tells nothing: it may be
    /// the first of two that stand for one.
    pub(super) fn is_open_ended(&self) -> bool {
        let watched = self.reader.get_ref();
        watched.ended && !matches!(watched.last, [_, 0 | b'\n' | b'\r'])
    }
}

/// The bytes of a table, with a row of our own behind them, and what can be seen in passing.
struct Watched<R> {
    input: R,
    separator: u8,
    /// What is still to be read behind the end of the input.
    end: &'static [u8],
    ended: bool,
    too_long: bool,
    backslashes: bool,
    /// Bytes read since this was last set to 0.
    row_bytes: usize,
    /// The last two bytes.
    last: [u8; 2],
}

impl<R> Watched<R> {
    fn new(input: R, separator: u8) -> Self {
        Self {
            input,
            separator,
            end: END,
            ended: false,
            too_long: false,
            backslashes: false,
            row_bytes: 0,
            last: [0; 2],
        }
    }

    fn watch(&mut self, bytes: &[u8]) {
        self.row_bytes += bytes.len();
        let separator = self.separator;
        // Behind the quote that ends a cell stands a separator or a line break; behind one that is
        // doubled, a quote.
        let is_inner = |byte: u8| !matches!(byte, b'"' | b'\r' | b'\n') && byte != separator;
        let mut seam = self.last.to_vec();
        seam.extend(bytes.iter().take(2));
        for part in [&seam[..], bytes] {
            self.backslashes |= memchr::memmem::find_iter(part, b"\\\"")
                .filter_map(|at| part.get(at + 2))
                .any(|byte| is_inner(*byte));
        }
        match bytes {
            [.., one, two] => self.last = [*one, *two],
            [one] => self.last = [self.last[1], *one],
            [] => {}
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if !self.ended {
            let count = self.input.read(bytes)?;
            self.watch(&bytes[..count]);
            self.too_long = self.row_bytes > ROW_BYTES_MAX;
            self.ended = self.too_long || (count == 0 && !bytes.is_empty());
            if count > 0 {
                return Ok(count);
            }
        }
        self.end.read(bytes)
    }
}

fn to_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn lines_in(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
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
        let (_, read) = rows("a,b\r\n1,\"x\r\ny\"\r\n2,z\r\n3,z");
        assert_eq!(read.iter().map(|row| row.0).collect::<Vec<_>>(), [2, 4, 5]);
    }

    #[test]
    fn a_table_that_ends_inside_quotes_says_so() {
        for (text, cell) in [
            ("a,b\n1,\"x", "x"),
            ("a,b\n1,\"x\n", "x\n"),
            ("a,b\n1,\"", ""),
        ] {
            let mut table = Table::new(text.as_bytes()).expect("memory");
            let mut row = ByteRecord::new();
            assert_eq!(table.next(&mut row).expect("memory"), Some(2));
            assert_eq!(table.broken().expect("a problem").0, Reason::CutOff);
            assert_eq!(row, ByteRecord::from(vec!["1", cell]));
            assert_eq!(table.next(&mut row).expect("memory"), None);
        }
    }

    #[test]
    fn a_last_line_without_an_end_is_told_from_a_whole_one() {
        for (text, open) in [
            ("a,b\n1,x", true),
            ("a,b\n1,x\n", false),
            ("a,b\n1,\"x\"", true),
            ("a,b", true),
            ("", false),
        ] {
            let mut table = Table::new(text.as_bytes()).expect("memory");
            while table
                .next(&mut ByteRecord::new())
                .expect("memory")
                .is_some()
            {
                assert_eq!(table.broken(), None, "{text}");
            }
            assert_eq!(table.is_open_ended(), open, "{text}");
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_does_not_take_all_memory() {
        let text = "1,\"".to_owned() + &"x".repeat(ROW_BYTES_MAX + 1000);
        let mut table =
            Table::new(io::Cursor::new("a,b\n").chain(text.as_bytes())).expect("memory");
        let mut row = ByteRecord::new();
        assert!(table.next(&mut row).expect("memory").is_some());
        assert_eq!(table.broken().expect("a problem").0, Reason::TooLong);
        assert_eq!(table.next(&mut row).expect("memory"), None);
    }

    #[test]
    fn backslashes_before_quotes_are_told_from_those_that_end_a_cell() {
        for (text, found) in [
            ("a,b\n\"say \\\"hi\\\"\",1\n", true),
            ("a,b\n\"C:\\\",\"D:\\\"\n", false),
            ("a,b\n\"{\"\"x\"\":\"\"\\\"\"\"\"}\",1\n", false),
        ] {
            for capacity in [1, 2, 3, 100] {
                let input = io::BufReader::with_capacity(capacity, text.as_bytes());
                let mut table = Table::new(input).expect("memory");
                while table
                    .next(&mut ByteRecord::new())
                    .expect("memory")
                    .is_some()
                {}
                assert_eq!(table.has_backslashes(), found, "{text} by {capacity}");
            }
        }
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
