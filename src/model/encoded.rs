//! Key values as bytes, so that many take little room.

use smallvec::SmallVec;

use super::{Field, KeyValue};

const UNDEFINED: u8 = 0;
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const NUMBER: u8 = 4;
const TEXT: u8 = 5;

/// Appends a key value: the number of its components, and each with its type.
pub(crate) fn append<'a>(components: impl ExactSizeIterator<Item = Field<'a>>, out: &mut Vec<u8>) {
    append_length(components.len(), out);
    for component in components {
        match component {
            Field::Missing | Field::Compound => out.push(UNDEFINED),
            Field::Null => out.push(NULL),
            Field::Bool(flag) => out.push(if flag { TRUE } else { FALSE }),
            Field::Number(number) => {
                out.push(NUMBER);
                out.extend(number.to_le_bytes());
            }
            Field::Text(text) => {
                out.push(TEXT);
                append_length(text.len(), out);
                out.extend(text.as_bytes());
            }
        }
    }
}

/// Appends a length, as a number.
pub(crate) fn append_length(length: usize, out: &mut Vec<u8>) {
    append_number(length as u64, out);
}

/// Takes a length off the front.
pub(crate) fn length(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(number(bytes)?).ok()
}

/// Appends a number of any size, seven bits in each byte.
pub(crate) fn append_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front.
pub(crate) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends bytes behind their length.
pub(crate) fn append_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    append_length(bytes.len(), out);
    out.extend(bytes);
}

/// Takes bytes off the front that stand behind their length.
pub(crate) fn bytes<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = length(from)?;
    let (bytes, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(bytes)
}

/// Takes a key value off the front, component by component; `None` where there is none.
pub(crate) fn fields<'a>(bytes: &mut &'a [u8]) -> Option<SmallVec<[Field<'a>; 3]>> {
    let count = length(bytes)?;
    (0..count).map(|_| component(bytes)).collect()
}

/// The same as a value of its own.
pub(crate) fn value(bytes: &mut &[u8]) -> Option<KeyValue> {
    let fields = fields(bytes)?;
    Some(KeyValue(
        fields.iter().map(|field| field.component()).collect(),
    ))
}

fn component<'a>(bytes: &mut &'a [u8]) -> Option<Field<'a>> {
    let (kind, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(match *kind {
        UNDEFINED => Field::Missing,
        NULL => Field::Null,
        FALSE => Field::Bool(false),
        TRUE => Field::Bool(true),
        NUMBER => {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Field::Number(f64::from_le_bytes(*number))
        }
        TEXT => {
            let length = length(bytes)?;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Field::Text(std::str::from_utf8(text).ok()?)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::KeyComponent;
    use proptest::prelude::*;

    fn any_component() -> impl Strategy<Value = KeyComponent> {
        prop_oneof![
            Just(KeyComponent::Undefined),
            Just(KeyComponent::Null),
            any::<bool>().prop_map(KeyComponent::Bool),
            any::<f64>().prop_map(KeyComponent::Number),
            "\\PC{0,200}".prop_map(|text| KeyComponent::String(text.into())),
        ]
    }

    proptest! {
        #[test]
        fn values_read_back(components in proptest::collection::vec(any_component(), 0..4), cut in 0..9_usize) {
            let mut bytes = Vec::new();
            append(components.iter().map(KeyComponent::field), &mut bytes);
            bytes.push(7);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(value(&mut rest), Some(KeyValue(components)));
            prop_assert_eq!(rest, [7]);
            let cut = bytes.len().saturating_sub(cut + 2);
            prop_assert_eq!(value(&mut &bytes[..cut]), None);
        }
    }
}
