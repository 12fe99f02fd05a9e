//! UTF-16 as UTF-8, streamed.
//!
//! What is no text stays visible: a lone surrogate becomes bytes that are no UTF-8, and so does half
//! a unit at the end, so that the row it stands in is named and not changed.

use std::io::{self, BufRead, Read};

/// Text in UTF-16, read as UTF-8.
pub(super) struct Utf16<R> {
    input: R,
    big_endian: bool,
    /// The first byte of a unit whose second one is not there yet.
    half: Option<u8>,
    /// The first half of a pair of surrogates.
    high: Option<u16>,
    text: Vec<u8>,
    /// Bytes of the text that were handed on.
    taken: usize,
}

impl<R: BufRead> Utf16<R> {
    pub(super) fn new(input: R, big_endian: bool) -> Self {
        Self {
            input,
            big_endian,
            half: None,
            high: None,
            text: Vec::new(),
            taken: 0,
        }
    }

    /// Converts what is at hand; leaves no text at the end of the input.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.taken = 0;
        while self.text.is_empty() {
            let bytes = self.input.fill_buf()?;
            let count = bytes.len();
            if count == 0 {
                if let Some(high) = self.high.take() {
                    push_surrogate(&mut self.text, high);
                }
                if self.half.take().is_some() {
                    self.text.push(0xFF);
                }
                break;
            }
            for byte in bytes {
                let Some(first) = self.half.take() else {
                    self.half = Some(*byte);
                    continue;
                };
                let unit = if self.big_endian {
                    u16::from_be_bytes([first, *byte])
                } else {
                    u16::from_le_bytes([first, *byte])
                };
                push_unit(&mut self.text, &mut self.high, unit);
            }
            self.input.consume(count);
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() {
            self.refill()?;
        }
        let count = (&self.text[self.taken..]).read(bytes)?;
        self.taken += count;
        Ok(count)
    }
}

fn push_unit(text: &mut Vec<u8>, high: &mut Option<u16>, unit: u16) {
    if unit < 0x80 && high.is_none() {
        text.push(unit as u8);
        return;
    }
    let pair = high.map(|high| [high, unit]);
    if let Some(pair) = pair {
        *high = None;
        if let Some(Ok(whole)) = char::decode_utf16(pair).next() {
            push_char(text, whole);
            return;
        }
        push_surrogate(text, pair[0]);
    }
    match char::from_u32(u32::from(unit)) {
        Some(one) => push_char(text, one),
        None if unit < 0xDC00 => *high = Some(unit),
        None => push_surrogate(text, unit),
    }
}

fn push_char(text: &mut Vec<u8>, one: char) {
    text.extend_from_slice(one.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The three bytes that a surrogate would be in UTF-8, where it is not allowed.
fn push_surrogate(text: &mut Vec<u8>, unit: u16) {
    let low = |bits: u16| 0x80 | (bits & 0x3F) as u8;
    text.extend([0xE0 | (unit >> 12) as u8, low(unit >> 6), low(unit)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8], big_endian: bool, capacity: usize) -> Vec<u8> {
        let input = io::BufReader::with_capacity(capacity, bytes);
        let mut text = Vec::new();
        Utf16::new(input, big_endian)
            .read_to_end(&mut text)
            .expect("memory");
        text
    }

    #[test]
    fn what_is_no_text_becomes_bytes_that_are_no_utf_8() {
        for bytes in [
            &[0x3D, 0xD8][..],
            &[0x00, 0xDE, b'a', 0],
            &[0x3D, 0xD8, b'a', 0],
            b"a",
        ] {
            assert!(std::str::from_utf8(&read(bytes, false, 8)).is_err());
        }
    }

    proptest! {
        #[test]
        fn text_comes_back_in_both_orders_of_bytes(text in "\\PC{0,40}", capacity in 1_usize..9) {
            for big_endian in [false, true] {
                let units = text.encode_utf16();
                let bytes: Vec<u8> = units
                    .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
                    .collect();
                prop_assert_eq!(read(&bytes, big_endian, capacity), text.as_bytes());
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            read(&bytes, true, 3);
        }
    }
}
