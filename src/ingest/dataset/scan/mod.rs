//! The wanted properties of an item, found in its text without building the item.
//!
//! What is read here is read just as [`parse`](super::parse) and [`item_bytes`](super::item_bytes)
//! read it, which the tests hold. Anything doubtful is left to them: broken JSON, a name that an object
//! holds twice, names with escapes, values that say their type.

mod number;
mod shapes;
mod text;

use std::sync::Arc;

use self::shapes::{Cursor, Met, Shapes};
use super::names::PropertyNames;
use super::parse::Seen;
use crate::model::{Field, Fields, Item};

/// How deep values are followed; `serde_json` goes to 128.
const DEPTH_MAX: u32 = 100;

/// What a property holds, as places in the text of its item or among the decoded texts.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Missing,
    Null,
    Bool(bool),
    Number(f64),
    Text(usize, usize),
    Decoded(usize, usize),
    Compound,
}

/// Why a scan ended before the end of the item.
enum Stop {
    /// The item is to be read in full.
    Odd,
    /// A name was met for the first time and is known now.
    Learned,
}

/// Reads items one after the other, and remembers the names of their properties.
pub(super) struct Scanner {
    shapes: Shapes,
    slots: Vec<Slot>,
    decoded: String,
    /// Which of the known names were met, of all objects around the place that is read.
    met: Vec<u16>,
    /// Hashes of names that are not known, of the same objects.
    strangers: Vec<u64>,
    /// Names that the item at hand is the first to have.
    fresh: Vec<(usize, usize)>,
    wants_whole_without_id: bool,
}

/// An item that was scanned.
pub(super) struct Scanned<'a> {
    /// What it holds at the wanted paths.
    pub(super) fields: Vec<Field<'a>>,
    /// Bytes of its compact JSON without the system properties.
    pub(super) bytes: u64,
    /// What is to be said of it.
    pub(super) seen: Seen,
}

impl Scanned<'_> {
    /// The item as it is handed on.
    pub(super) fn item(&self) -> Item<'_> {
        Item {
            fields: &self.fields,
            bytes: self.bytes,
            whole: None,
        }
    }
}

impl Scanner {
    /// Looks for these fields.
    pub(super) fn new(fields: &Arc<Fields>) -> Self {
        Self {
            shapes: Shapes::new(fields),
            slots: vec![Slot::Missing; fields.paths().len()],
            decoded: String::new(),
            met: Vec::new(),
            strangers: Vec::new(),
            fresh: Vec::new(),
            wants_whole_without_id: fields.wants_whole_without_id(),
        }
    }

    /// The names that the scanned items had, and those of items that were read in full.
    pub(super) fn into_names(self) -> PropertyNames {
        self.shapes.into_names()
    }

    /// The names of the items that are read in full.
    pub(super) fn names(&mut self) -> &mut PropertyNames {
        &mut self.shapes.names
    }

    /// Scans a text that holds an object and nothing else; `None` where it is to be read in full.
    pub(super) fn scan<'a>(&'a mut self, text: &'a [u8]) -> Option<Scanned<'a>> {
        let text = std::str::from_utf8(text).ok()?;
        let (bytes, seen) = loop {
            self.slots.fill(Slot::Missing);
            self.decoded.clear();
            self.met.clear();
            self.strangers.clear();
            self.fresh.clear();
            let mut pass = Pass {
                text,
                bytes: text.as_bytes(),
                at: 0,
                size: 0,
                depth: 0,
                seen: Seen::default(),
                has_id: false,
                has_mark: false,
                scanner: &mut *self,
            };
            match pass.item() {
                Ok(()) => break (pass.size, pass.seen),
                Err(Stop::Learned) => {}
                Err(Stop::Odd) => return None,
            }
        };
        self.shapes.note(&self.fresh);
        let decoded = self.decoded.as_str();
        let field = |slot: &Slot| match *slot {
            Slot::Missing => Field::Missing,
            Slot::Null => Field::Null,
            Slot::Bool(flag) => Field::Bool(flag),
            Slot::Number(number) => Field::Number(number),
            Slot::Text(start, end) => Field::Text(&text[start..end]),
            Slot::Decoded(start, end) => Field::Text(&decoded[start..end]),
            Slot::Compound => Field::Compound,
        };
        Some(Scanned {
            fields: self.slots.iter().map(field).collect(),
            bytes,
            seen,
        })
    }
}

/// One walk over the text of an item.
struct Pass<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Bytes that the compact text has so far.
    size: u64,
    depth: u32,
    seen: Seen,
    /// Whether the item has an `id`, and whether that is text.
    has_id: bool,
    /// Whether it has a name of what the service puts around items.
    has_mark: bool,
    scanner: &'s mut Scanner,
}

impl Pass<'_, '_> {
    fn item(&mut self) -> Result<(), Stop> {
        if self.bytes.first() != Some(&b'{') {
            return Err(Stop::Odd);
        }
        self.object(Some(Shapes::ROOT))?;
        self.skip_blanks();
        if self.at < self.bytes.len() || (self.has_mark && !self.has_id) {
            return Err(Stop::Odd);
        }
        if self.scanner.wants_whole_without_id && !self.has_id {
            return Err(Stop::Odd);
        }
        Ok(())
    }

    fn peek(&self) -> Result<u8, Stop> {
        self.bytes.get(self.at).copied().ok_or(Stop::Odd)
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// Reads an object whose names are known as those of this shape, where it has one.
    fn object(&mut self, shape: Option<usize>) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Stop::Odd);
        }
        let (met_before, strangers_before) = (self.scanner.met.len(), self.scanner.strangers.len());
        self.at += 1;
        self.size += 2;
        self.skip_blanks();
        if self.peek()? == b'}' {
            self.at += 1;
        } else {
            let mut cursor = shape.map(|shape| Cursor {
                shape,
                next: 0,
                behind: 0,
                met_before,
            });
            let mut count = 0_u64;
            loop {
                let before = self.size;
                let name = self.name()?;
                let counts = match self.known(name, cursor.as_mut())? {
                    Some(met) => self.member(name, met)?,
                    None => self.stranger(name, shape, strangers_before)?,
                };
                if counts {
                    count += 1;
                } else {
                    self.size = before;
                }
                self.skip_blanks();
                match self.peek()? {
                    b',' => self.at += 1,
                    b'}' => break self.at += 1,
                    _ => return Err(Stop::Odd),
                }
                self.skip_blanks();
            }
            self.size += count.saturating_sub(1);
        }
        self.scanner.met.truncate(met_before);
        self.scanner.strangers.truncate(strangers_before);
        self.depth -= 1;
        Ok(())
    }

    /// Reads the name of a member up to behind its colon; where it stands.
    fn name(&mut self) -> Result<(usize, usize), Stop> {
        if self.peek()? != b'"' {
            return Err(Stop::Odd);
        }
        let start = self.at + 1;
        let end = text::plain_end(self.bytes, start).ok_or(Stop::Odd)?;
        self.at = end + 1;
        self.skip_blanks();
        if self.peek()? != b':' {
            return Err(Stop::Odd);
        }
        self.at += 1;
        self.size += (end - start) as u64 + 3;
        Ok((start, end))
    }

    fn known(
        &mut self,
        (start, end): (usize, usize),
        cursor: Option<&mut Cursor>,
    ) -> Result<Option<Met>, Stop> {
        let name = &self.text[start..end];
        cursor.map_or(Ok(None), |cursor| self.scanner.meet(cursor, name))
    }

    /// Reads the value of a member; whether it counts for the size.
    fn member(&mut self, (start, end): (usize, usize), met: Met) -> Result<bool, Stop> {
        self.has_mark |= met.is_mark;
        self.has_id |= met.is_id;
        self.skip_blanks();
        let first = self.peek()?;
        // Random suffixes are drawn from an id of text, else from the whole item.
        if met.is_id && self.scanner.wants_whole_without_id && first != b'"' {
            return Err(Stop::Odd);
        }
        let found = self.value(first, met.inner, met.elements, met.slot.is_some())?;
        if let Some(slot) = met.slot {
            self.scanner.slots[slot] = found;
        }
        self.seen.name(&self.text[start..end]);
        Ok(!met.is_system)
    }

    /// Reads the value of a member whose name is not known; it counts for the size.
    fn stranger(
        &mut self,
        (start, end): (usize, usize),
        shape: Option<usize>,
        strangers_before: usize,
    ) -> Result<bool, Stop> {
        let name = &self.text[start..end];
        if name.starts_with('$') {
            return Err(Stop::Odd);
        }
        self.scanner.stranger(name, strangers_before)?;
        self.skip_blanks();
        let first = self.peek()?;
        if first == b'{' && shape.is_some_and(|shape| self.scanner.keeps_inside(shape, name)) {
            return Err(Stop::Odd);
        }
        self.value(first, None, None, false)?;
        self.seen.name(name);
        Ok(true)
    }

    /// Reads a value that starts with this byte.
    fn value(
        &mut self,
        first: u8,
        inner: Option<usize>,
        elements: Option<usize>,
        wanted: bool,
    ) -> Result<Slot, Stop> {
        match first {
            b'"' => self.string(wanted),
            b'{' => self.object(inner).map(|()| Slot::Compound),
            b'[' => self.array(elements).map(|()| Slot::Compound),
            b't' => self.word(b"true", Slot::Bool(true)),
            b'f' => self.word(b"false", Slot::Bool(false)),
            b'n' => self.word(b"null", Slot::Null),
            _ => self.number(wanted),
        }
    }

    fn word(&mut self, word: &[u8], slot: Slot) -> Result<Slot, Stop> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Stop::Odd);
        }
        self.at += word.len();
        self.size += word.len() as u64;
        Ok(slot)
    }

    fn array(&mut self, elements: Option<usize>) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Stop::Odd);
        }
        self.at += 1;
        self.size += 2;
        self.skip_blanks();
        let mut first = self.peek()?;
        if first == b']' {
            self.at += 1;
        } else {
            loop {
                self.value(first, elements, None, false)?;
                self.skip_blanks();
                match self.peek()? {
                    b',' => self.at += 1,
                    b']' => break self.at += 1,
                    _ => return Err(Stop::Odd),
                }
                self.size += 1;
                self.skip_blanks();
                first = self.peek()?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn number(&mut self, wanted: bool) -> Result<Slot, Stop> {
        let number = number::read(&self.text[self.at..]).ok_or(Stop::Odd)?;
        let text = &self.text[self.at..self.at + number.length];
        self.at += number.length;
        self.size += if number.is_compact {
            number.length as u64
        } else {
            number::noted(text, &mut self.seen).ok_or(Stop::Odd)?
        };
        if !wanted {
            return Ok(Slot::Missing);
        }
        let value: f64 = text.parse().map_err(|_| Stop::Odd)?;
        Ok(Slot::Number(value))
    }

    fn string(&mut self, wanted: bool) -> Result<Slot, Stop> {
        let start = self.at + 1;
        let found = text::end(self.bytes, start).ok_or(Stop::Odd)?;
        self.at = found.end + 1;
        self.size += 2 + found.compact_bytes;
        let raw = &self.text[start..found.end];
        let says_more = found.has_sign || text::may_be_type_name(raw, found.first_escape);
        let Some(_) = found.first_escape else {
            if says_more {
                self.seen.text(raw);
            }
            return Ok(Slot::Text(start, found.end));
        };
        if !wanted && !says_more {
            return Ok(Slot::Missing);
        }
        let quoted = &self.text[start - 1..=found.end];
        let decoded: String = serde_json::from_str(quoted).map_err(|_| Stop::Odd)?;
        if says_more {
            self.seen.text(&decoded);
        }
        let all = &mut self.scanner.decoded;
        let at = all.len();
        all.push_str(&decoded);
        Ok(Slot::Decoded(at, all.len()))
    }
}

#[cfg(test)]
mod tests;
