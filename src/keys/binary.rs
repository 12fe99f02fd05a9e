//! The order-preserving binary encoding inside effective partition keys of version 1.

use crate::model::limits::V1_BINARY_STRING_BYTES;
use crate::model::{Field, KeyComponent};

/// Marker byte of a component, also the first byte of what is hashed.
pub(super) fn marker(component: Field<'_>) -> u8 {
    match component {
        Field::Missing | Field::Compound => 0x00,
        Field::Null => 0x01,
        Field::Bool(false) => 0x02,
        Field::Bool(true) => 0x03,
        Field::Number(_) => 0x05,
        Field::Text(_) => 0x08,
    }
}

/// Appends the binary encoding of a component whose string is already cut for version 1.
pub(super) fn append(component: &KeyComponent, out: &mut Vec<u8>) {
    out.push(marker(component.field()));
    match component {
        KeyComponent::Undefined | KeyComponent::Null | KeyComponent::Bool(_) => {}
        KeyComponent::Number(number) => append_number(*number, out),
        KeyComponent::String(text) => append_string(text, out),
    }
}

/// UTF-8 bytes plus one and a terminator; a long string is cut and has no terminator.
fn append_string(text: &str, out: &mut Vec<u8>) {
    let kept = text.len().min(V1_BINARY_STRING_BYTES + 1);
    out.extend(
        text.as_bytes()[..kept]
            .iter()
            .map(|byte| byte.wrapping_add(1)),
    );
    if text.len() <= V1_BINARY_STRING_BYTES {
        out.push(0);
    }
}

/// Eight bits, then groups of seven whose low bit says whether another follows.
fn append_number(number: f64, out: &mut Vec<u8>) {
    let mut payload = sortable(number);
    out.push((payload >> 56) as u8);
    payload <<= 8;
    loop {
        let group = (payload >> 56) as u8 & 0xFE;
        payload <<= 7;
        let more = payload != 0;
        out.push(group | u8::from(more));
        if !more {
            return;
        }
    }
}

/// The bits of a double in the numeric order of doubles.
fn sortable(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    if bits & SIGN == 0 {
        bits ^ SIGN
    } else {
        bits.wrapping_neg()
    }
}

/// Reads a number written by `append` back from behind its marker byte; `None` where it is none.
pub(super) fn read_number(bytes: &[u8]) -> Option<f64> {
    const SIGN: u64 = 1 << 63;
    let (first, groups) = bytes.split_first()?;
    let mut payload = u64::from(*first) << 56;
    let mut shift = 49_u32;
    for (index, group) in groups.iter().enumerate() {
        payload |= match index {
            0..=7 => u64::from(group >> 1) << shift,
            _ => return None,
        };
        shift = shift.saturating_sub(7);
        if group & 1 == 0 {
            let bits = if payload & SIGN == 0 {
                payload.wrapping_neg()
            } else {
                payload ^ SIGN
            };
            return (index + 1 == groups.len()).then(|| f64::from_bits(bits));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(number: f64) -> Vec<u8> {
        let mut out = Vec::new();
        append_number(number, &mut out);
        out
    }

    #[test]
    fn known_numbers_have_their_known_encoding() {
        assert_eq!(encoded(0.0), [0x80, 0x00]);
        assert_eq!(encoded(1.0), [0xBF, 0xF0]);
        assert_eq!(encoded(2.0), [0xC0, 0x00]);
        assert_eq!(encoded(5.0), [0xC0, 0x14]);
        assert_eq!(encoded(-128.0), [0x3F, 0xA0]);
    }

    #[test]
    fn cut_encodings_are_no_number() {
        assert_eq!(read_number(&[]), None);
        assert_eq!(read_number(&[0xC0]), None);
        assert_eq!(read_number(&[0xC0, 0x15]), None);
        assert_eq!(read_number(&[0xFF; 32]), None);
    }

    proptest! {
        #[test]
        fn numbers_read_back_and_keep_their_order(a in any::<f64>(), b in any::<f64>()) {
            // `-0` and `0` share an encoding.
            prop_assert_eq!(read_number(&encoded(a)).map(|read| (read + 0.0).to_bits()), Some((a + 0.0).to_bits()));
            if a < b {
                prop_assert!(sortable(a) < sortable(b));
                prop_assert!(encoded(a) < encoded(b));
            }
        }
    }
}
