//! Lines that look like one object each.

/// Bytes of lines that are handed on together.
pub(super) const BLOCK_BYTES: usize = 256 * 1024;

/// Lines at the front of a buffer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Whole {
    /// Bytes of those that look like one object each.
    pub(super) bytes: usize,
    /// Whether the line behind them is known not to, whatever comes behind the buffer.
    pub(super) is_known: bool,
}

/// Whether a line without its break ends like an object.
pub(super) fn ends_object(line: &[u8]) -> bool {
    line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"}")
}

/// The lines at the front of a buffer that start with `{` and end with `}` before a line that starts
/// with `{`.
pub(super) fn whole(buffer: &[u8]) -> Whole {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', buffer) {
        let is_object = buffer[start] == b'{' && ends_object(&buffer[start..end]);
        let next = buffer.get(end + 1);
        if !is_object || next.is_none_or(|byte| *byte != b'{') {
            return Whole {
                bytes: start,
                is_known: !is_object || next.is_some(),
            };
        }
        start = end + 1;
    }
    Whole {
        bytes: start,
        is_known: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_one_object_are_told_by_their_ends_and_the_next() {
        for (text, bytes, is_known) in [
            ("{1}\n{2}\r\n{", 9, false),
            ("{1}\n{2}\n", 4, false),
            ("{1}\n{2", 4, false),
            ("{1}\n{2}\n\n{3}\n{", 4, true),
            ("{1}\n{2\n{3}\n{", 4, true),
            ("{\n", 0, true),
            ("{1} \n{", 0, true),
            ("{1}\n]", 0, true),
        ] {
            assert_eq!(whole(text.as_bytes()), Whole { bytes, is_known }, "{text}");
        }
    }
}
