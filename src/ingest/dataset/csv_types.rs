//! What the columns of tables hold: numbers or text, told by all cells of all files.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use csv::ByteRecord;

use crate::ingest::table::{Table, json_number};

/// What a column is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Each cell that is not empty is a JSON number.
    Number,
    /// Some cell is no number, or the user wants text.
    Text,
}

/// The columns of the tables of a dataset, by name over all files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    types: BTreeMap<String, ColumnType>,
}

impl Columns {
    /// Looks at all cells of a table.
    pub(super) fn add(&mut self, input: &mut dyn BufRead, all_text: bool) -> io::Result<()> {
        let mut table = Table::new(input)?;
        let mut numeric: Vec<bool> = Vec::new();
        for name in &table.header {
            // The service knows an id as text only.
            let number =
                !all_text && name != "id" && self.types.get(name) != Some(&ColumnType::Text);
            numeric.push(number);
        }
        let mut seen = vec![false; numeric.len()];
        let mut row = ByteRecord::new();
        while numeric.contains(&true) && table.next(&mut row)?.is_some() {
            for (index, cell) in row.iter().enumerate().take(numeric.len()) {
                if numeric[index] && !cell.is_empty() {
                    seen[index] = true;
                    numeric[index] =
                        std::str::from_utf8(cell).is_ok_and(|text| json_number(text).is_some());
                }
            }
        }
        for (index, name) in table.header.iter().enumerate() {
            if numeric[index] && seen[index] {
                self.types.entry(name.clone()).or_insert(ColumnType::Number);
            } else if !numeric[index] {
                self.types.insert(name.clone(), ColumnType::Text);
            }
        }
        Ok(())
    }

    /// What a column is read as; one without any cell is text.
    pub fn type_of(&self, name: &str) -> ColumnType {
        self.types.get(name).copied().unwrap_or(ColumnType::Text)
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
        let mut columns = Columns::default();
        for file in files {
            columns.add(&mut file.as_bytes(), all_text).expect("memory");
        }
        columns
    }

    #[test]
    fn a_column_is_numeric_when_all_its_cells_in_all_files_are() {
        let first = "id,n,zip,e\n1,1.5,01000,\n2,,02000,\n";
        let columns = of(&[first], false);
        assert_eq!(columns.type_of("n"), ColumnType::Number);
        assert_eq!(columns.type_of("zip"), ColumnType::Text);
        assert_eq!(columns.type_of("e"), ColumnType::Text);
        assert_eq!(columns.type_of("id"), ColumnType::Text);
        for files in [[first, "n\nx\n"], ["n\nx\n", first]] {
            assert_eq!(of(&files, false).type_of("n"), ColumnType::Text);
        }
        assert_eq!(of(&[first], true).type_of("n"), ColumnType::Text);
    }
}
