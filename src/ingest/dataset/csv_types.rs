//! What the columns of tables hold: numbers or text, told by all cells of all files.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::{Arc, Mutex, mpsc};

use csv::ByteRecord;
use serde::{Deserialize, Serialize};

use crate::ingest::table::{Block, Blocks, json_number};

/// What a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColumnType {
    /// Each cell that is not empty is a JSON number.
    Number,
    /// Some cell is no number, or the user wants text.
    Text,
}

/// The columns of the tables of a dataset, by name over all files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    types: BTreeMap<String, ColumnType>,
    all_text: bool,
}

/// The columns of one table.
pub(super) struct TableColumns {
    /// Each name, and whether its cells are numbers; `None` without any cell.
    numeric: Vec<(String, Option<bool>)>,
    /// Whether a quote was seen behind a backslash, inside a cell.
    pub(super) backslashes: bool,
}

/// The name of the property that a column holds. Some tools head the columns of the key with the path.
pub(super) fn property(name: &str) -> &str {
    name.strip_prefix('/').unwrap_or(name)
}

/// What a cell says in words.
pub(super) fn in_words(cell: &[u8]) -> Option<Word> {
    match cell {
        b"null" | b"NULL" | b"\\N" => Some(Word::Null),
        b"undefined" => Some(Word::Undefined),
        _ => None,
    }
}

/// What a cell can say in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Null,
    Undefined,
}

impl TableColumns {
    /// Looks at all cells of a table, on so many threads.
    pub(super) fn of(
        input: &mut dyn BufRead,
        backslashes: bool,
        threads: usize,
    ) -> io::Result<Self> {
        let mut blocks = Blocks::new(input, backslashes)?;
        let (sender, receiver) = mpsc::sync_channel::<Block>(threads);
        let receiver = Arc::new(Mutex::new(receiver));
        let look = |receiver: Arc<Mutex<mpsc::Receiver<Block>>>| -> io::Result<Self> {
            let mut columns = Self::none();
            loop {
                // A thread that panicked ends the run anyway.
                let next = receiver.lock().ok().and_then(|blocks| blocks.recv().ok());
                let Some(block) = next else {
                    return Ok(columns);
                };
                columns.add(&block)?;
            }
        };
        std::thread::scope(|scope| {
            let lookers: Vec<_> = (0..threads.max(1))
                .map(|_| Arc::clone(&receiver))
                .map(|receiver| scope.spawn(|| look(receiver)))
                .collect();
            // The threads alone hold the receiving end: when they are gone, sending fails.
            drop(receiver);
            while let Some(block) = blocks.next()? {
                if sender.send(block).is_err() {
                    break;
                }
            }
            drop(sender);
            let mut all = Self::none();
            for looker in lookers {
                match looker.join() {
                    Ok(columns) => all.merge(columns?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(all)
        })
    }

    fn none() -> Self {
        Self {
            numeric: Vec::new(),
            backslashes: false,
        }
    }

    /// Looks at the cells of a block.
    fn add(&mut self, block: &Block) -> io::Result<()> {
        let mut table = block.table()?;
        if self.numeric.is_empty() {
            let names = table.header.iter().map(|name| property(name).to_owned());
            self.numeric = names.map(|name| (name, None)).collect();
        }
        let mut row = ByteRecord::new();
        while table.next(&mut row)?.is_some() {
            for (cell, (_, numeric)) in row.iter().zip(&mut self.numeric) {
                if *numeric == Some(false) || cell.is_empty() || in_words(cell).is_some() {
                    continue;
                }
                let text = std::str::from_utf8(cell);
                *numeric = Some(text.is_ok_and(|text| json_number(text).is_some()));
            }
        }
        self.backslashes |= table.has_backslashes();
        Ok(())
    }

    /// Adds what was seen in other blocks of the same table.
    fn merge(&mut self, other: Self) {
        self.backslashes |= other.backslashes;
        if self.numeric.is_empty() {
            self.numeric = other.numeric;
            return;
        }
        for ((_, mine), (_, theirs)) in self.numeric.iter_mut().zip(other.numeric) {
            *mine = match (*mine, theirs) {
                (Some(mine), Some(theirs)) => Some(mine && theirs),
                (mine, theirs) => mine.or(theirs),
            };
        }
    }
}

impl Columns {
    /// No columns yet. With `all_text` every cell is text, whatever it looks like.
    pub(super) fn new(all_text: bool) -> Self {
        Self {
            types: BTreeMap::new(),
            all_text,
        }
    }

    /// Adds the columns of a table.
    pub(super) fn add(&mut self, table: TableColumns) {
        for (name, numeric) in table.numeric {
            // The service knows an id as text only.
            if numeric == Some(false) || name == "id" || self.all_text {
                self.types.insert(name, ColumnType::Text);
            } else if numeric == Some(true) {
                self.types.entry(name).or_insert(ColumnType::Number);
            }
        }
    }

    /// Adds the columns of tables that were read by themselves; the error is the first column that was
    /// read as numbers here or there and is text over all.
    pub fn merge(&mut self, other: Self) -> Result<(), String> {
        for (name, kind) in other.types {
            match self.types.get(&name) {
                Some(mine) if *mine != kind => return Err(name),
                _ => self.types.insert(name, kind),
            };
        }
        Ok(())
    }

    /// What a column is read as; one without any cell is text.
    pub fn type_of(&self, name: &str) -> ColumnType {
        let kind = self.types.get(property(name));
        kind.copied().unwrap_or(ColumnType::Text)
    }

    /// Whether cells are text whatever they look like.
    pub fn all_text(&self) -> bool {
        self.all_text
    }

    /// All columns that hold anything, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ColumnType)> {
        self.types.iter().map(|(name, kind)| (name.as_str(), *kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[&str], all_text: bool) -> Columns {
        let mut columns = Columns::new(all_text);
        for file in files {
            let table = TableColumns::of(&mut file.as_bytes(), false, 2);
            columns.add(table.expect("memory"));
        }
        columns
    }

    #[test]
    fn a_column_is_numeric_when_all_its_cells_in_all_files_are() {
        let first = "id,n,zip,e\n1,1.5,01000,\n2,,02000,\n3,null,,\n";
        let columns = of(&[first], false);
        assert_eq!(columns.type_of("n"), ColumnType::Number);
        assert_eq!(columns.type_of("/n"), ColumnType::Number);
        assert_eq!(columns.type_of("zip"), ColumnType::Text);
        assert_eq!(columns.type_of("e"), ColumnType::Text);
        assert_eq!(columns.type_of("id"), ColumnType::Text);
        for files in [[first, "/n\nx\n"], ["n\nx\n", first]] {
            assert_eq!(of(&files, false).type_of("n"), ColumnType::Text);
        }
        assert_eq!(of(&[first], true).type_of("n"), ColumnType::Text);
    }
}
