//! Effective partition keys and ranges of them.

use std::fmt;

/// Bytes of each level of the key of a hierarchical container.
const LEVEL_BYTES: usize = 16;

/// An effective partition key: a point of the space `["", "FF")` over which a container is partitioned.
///
/// The order is that of the bytes, which is the ordinal order of the hexadecimal text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epk(Vec<u8>);

impl Epk {
    /// The inclusive start of the space, `""`.
    pub const MIN: Self = Self(Vec::new());

    /// The exclusive end of the space, `"FF"`.
    pub fn max() -> Self {
        Self(vec![0xFF])
    }

    /// A key of these bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Reads hexadecimal text of either case; `None` where it is none.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if !digits.len().is_multiple_of(2) {
            return None;
        }
        let nibble = |digit: u8| char::from(digit).to_digit(16);
        digits
            .chunks(2)
            .map(|pair| Some((nibble(pair[0])? << 4 | nibble(pair[1])?) as u8))
            .collect::<Option<_>>()
            .map(Self)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The same point without whole levels of zeros at its end: boundaries of hierarchical containers
    /// are padded with them.
    #[must_use]
    pub fn without_zero_levels(mut self) -> Self {
        while self.0.len() > LEVEL_BYTES
            && self.0[self.0.len() - LEVEL_BYTES..]
                .iter()
                .all(|byte| *byte == 0)
        {
            self.0.truncate(self.0.len() - LEVEL_BYTES);
        }
        self
    }

    /// The end of the range of all keys that start with this one: its text followed by `FF`.
    ///
    /// A further level of a hierarchical key starts with a nibble of 0 to 3, so `FF` is above them all.
    #[must_use]
    pub fn prefix_end(&self) -> Self {
        let mut bytes = self.0.clone();
        bytes.push(0xFF);
        Self(bytes)
    }
}

impl fmt::Display for Epk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

/// A range of effective partition keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EpkRange {
    /// Lower end.
    pub min: Epk,
    /// Upper end.
    pub max: Epk,
    /// Whether the lower end belongs to the range.
    pub min_inclusive: bool,
    /// Whether the upper end belongs to the range.
    pub max_inclusive: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_text_reads_back() {
        let text = "05C1EFAF0B1F46";
        assert_eq!(Epk::from_hex(text).expect(text).to_string(), text);
        assert_eq!(Epk::from_hex("ff"), Some(Epk::max()));
        assert_eq!(Epk::from_hex("0"), None);
        assert_eq!(Epk::from_hex("é0"), None);
        assert_eq!(Epk::from_hex(""), Some(Epk::MIN));
    }
}
