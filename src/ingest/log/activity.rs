//! Identifiers of activities in sixteen bytes, so that a long log fits.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A number for an identifier; `None` for one that says nothing.
///
/// A GUID is its own number, and so is a text of up to 15 bytes; a longer one is hashed.
pub(super) fn number(text: &str) -> Option<u128> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if let Some(guid) = guid(text) {
        // Some rows carry a GUID of zeros instead of none.
        return (guid != 0).then_some(guid);
    }
    let bytes = text.as_bytes();
    if bytes.len() < 16 {
        let mut packed = [0; 16];
        packed[0] = 0xFF;
        packed[16 - bytes.len()..].copy_from_slice(bytes);
        return Some(u128::from_be_bytes(packed));
    }
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, bytes).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    Some(half(1) << 64 | half(2))
}

fn guid(text: &str) -> Option<u128> {
    let dashes = [8, 13, 18, 23];
    let mut value = 0;
    if text.len() != 36 {
        return None;
    }
    for (index, c) in text.chars().enumerate() {
        if dashes.contains(&index) {
            if c != '-' {
                return None;
            }
        } else {
            value = value << 4 | u128::from(c.to_digit(16)?);
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_keep_apart_and_case_of_a_guid_does_not_matter() {
        let long = "b77a5c56-1934-e089-not-a-guid-at-all";
        let texts = ["a", "b", "aa", "a0000000-0000-0000-0000-000000000001", long];
        let numbers: std::collections::BTreeSet<_> = texts.map(number).into();
        assert_eq!(numbers.len(), texts.len());
        assert_eq!(
            number("A0000000-0000-0000-0000-00000000000B"),
            number("a0000000-0000-0000-0000-00000000000b")
        );
        assert_eq!(number(" "), None);
        assert_eq!(number("00000000-0000-0000-0000-000000000000"), None);
        assert_eq!(number(&"é".repeat(18)), number(&"é".repeat(18)));
    }
}
