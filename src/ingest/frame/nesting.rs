//! Where a JSON value in brackets ends, found over slices of the input as they come.

/// Bytes of a string that are looked at one by one before a search that costs more to start.
const SHORT_TEXT_BYTES: usize = 16;

/// How far a value has been followed.
#[derive(Default)]
pub(super) struct Nesting {
    /// The brackets that are to come, last first.
    closers: Vec<u8>,
    text: bool,
    escaped: bool,
}

/// What stopped the following of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The slice ends; the value goes on.
    Slice,
    /// The value ends.
    Closed,
    /// The value is broken, and how.
    Broken(&'static str),
}

impl Nesting {
    /// What follows the opening bracket of an object.
    pub(super) fn in_object() -> Self {
        Self {
            closers: vec![b'}'],
            ..Self::default()
        }
    }

    /// Follows the value over the next bytes of it: how many belong to it, and why no more. With
    /// `one_line` it has to end before its line does.
    pub(super) fn follow(&mut self, bytes: &[u8], one_line: bool) -> (usize, Stop) {
        let mut at = 0;
        while at < bytes.len() {
            if self.text {
                let Some(end) = self.skip_text(bytes, at) else {
                    return (bytes.len(), Stop::Slice);
                };
                at = end + 1;
                if bytes[end] == b'\n' {
                    return (at, Stop::Broken("a line ends inside a string"));
                }
                self.text = false;
                continue;
            }
            let found = bytes[at..]
                .iter()
                .position(|byte| OUTSIDE[usize::from(*byte)]);
            let Some(found) = found else {
                return (bytes.len(), Stop::Slice);
            };
            at += found + 1;
            match bytes[at - 1] {
                b'"' => self.text = true,
                b'{' => self.closers.push(b'}'),
                b'[' => self.closers.push(b']'),
                b'\n' if !one_line => {}
                b'\n' => return (at, Stop::Broken("a line ends inside a value")),
                close => {
                    if self.closers.pop() != Some(close) {
                        return (
                            at,
                            Stop::Broken("a bracket is closed by one of another kind"),
                        );
                    }
                    if self.closers.is_empty() {
                        return (at, Stop::Closed);
                    }
                }
            }
        }
        (at, Stop::Slice)
    }

    /// The length of the string that the bytes start with, quotes included.
    pub(super) fn text_end(bytes: &[u8]) -> Option<usize> {
        let end = Self::default().skip_text(bytes, 1)?;
        (bytes[end] == b'"').then_some(end + 1)
    }

    /// The place of the quote that ends the string, or of a line break in it.
    fn skip_text(&mut self, bytes: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if self.escaped {
                at += usize::from(*bytes.get(at)? != b'\n');
                self.escaped = false;
            }
            let rest = bytes.get(at..)?;
            let near = &rest[..rest.len().min(SHORT_TEXT_BYTES)];
            let found = near
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\' | b'\n'))
                .or_else(|| {
                    let far = memchr::memchr3(b'"', b'\\', b'\n', &rest[near.len()..])?;
                    Some(near.len() + far)
                })?;
            at += found;
            if bytes[at] != b'\\' {
                return Some(at);
            }
            self.escaped = true;
            at += 1;
        }
    }
}

/// The bytes that mean something outside strings.
const OUTSIDE: [bool; 256] = {
    let mut table = [false; 256];
    let marks = b"\"{}[]\n";
    let mut index = 0;
    while index < marks.len() {
        table[marks[index] as usize] = true;
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same, byte by byte.
    fn slowly(bytes: &[u8]) -> (usize, Stop) {
        let mut nesting = Nesting::default();
        for (at, byte) in bytes.iter().enumerate() {
            let (_, stop) = nesting.follow(&[*byte], false);
            if stop != Stop::Slice {
                return (at + 1, stop);
            }
        }
        (bytes.len(), Stop::Slice)
    }

    #[test]
    fn a_value_ends_with_its_last_bracket() {
        for (text, length) in [
            ("{}x", 2),
            ("[[1],{\"a\":[]}]]", 14),
            ("{\"}\\\"}\":1}{", 10),
            ("{\"a\\\\\":2} ", 9),
        ] {
            let (taken, stop) = Nesting::default().follow(text.as_bytes(), false);
            assert_eq!((taken, stop), (length, Stop::Closed), "{text}");
        }
        let mut nesting = Nesting::default();
        assert_eq!(nesting.follow(b"{\"a\\", false), (4, Stop::Slice));
        assert_eq!(nesting.follow(b"\"\":1}", false), (5, Stop::Closed));
        assert!(matches!(
            Nesting::default().follow(b"{\n", true),
            (2, Stop::Broken(_))
        ));
    }

    proptest! {
        #[test]
        fn slices_change_nothing(text in "\\{[{}\\[\\]\":,\\\\a \n]{0,60}", cut in 0_usize..60) {
            let bytes = text.as_bytes();
            let mut nesting = Nesting::default();
            let (first, second) = bytes.split_at(cut.min(bytes.len()));
            let mut found = nesting.follow(first, false);
            if found.1 == Stop::Slice {
                let (taken, stop) = nesting.follow(second, false);
                found = (first.len() + taken, stop);
            }
            prop_assert_eq!(found, slowly(bytes));
            prop_assert_eq!(found, Nesting::default().follow(bytes, false));
        }
    }
}
