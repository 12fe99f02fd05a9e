//! From a partition key value to its effective partition key.
//!
//! The service places an item by this key alone, so every byte matters; the rules are those of the
//! code that the service shares with its .NET SDK (`PartitionKeyInternal`).

use super::{binary, murmur};
use crate::model::limits::{V1_STRING_UNITS, V2_HASH_BITS};
use crate::model::{Epk, EpkRange, Field, KeyComponent, KeyKind, KeyValue, KeyVersion};

/// The effective partition key of a value, or of a prefix of a hierarchical value.
///
/// * Version 2: `MurmurHash3` x64 128 over the components, the 16 bytes reversed, the top two bits
///   cleared: 16 bytes. Hierarchical: so for each component, one after the other.
/// * Version 1: the binary encoding of `MurmurHash3` x86 32 over the components, then that of each
///   component, strings cut at 100 UTF-16 units.
///
/// The empty value is the start of the space. A hierarchical key is always of version 2.
pub fn effective_key(value: &KeyValue, kind: KeyKind, version: KeyVersion) -> Epk {
    if value.0.is_empty() {
        return Epk::MIN;
    }
    match (kind, version) {
        (KeyKind::MultiHash, _) => Epk::from_bytes(
            value
                .0
                .iter()
                .flat_map(|component| hash_v2(std::slice::from_ref(component)))
                .collect(),
        ),
        (KeyKind::Hash, KeyVersion::V2) => Epk::from_bytes(hash_v2(&value.0).to_vec()),
        (KeyKind::Hash, KeyVersion::V1) => effective_v1(&value.0),
    }
}

/// The range that a value denotes in a container with this many levels: a point for a whole value,
/// everything that starts with it for a prefix.
pub fn key_range(value: &KeyValue, kind: KeyKind, version: KeyVersion, levels: usize) -> EpkRange {
    let min = effective_key(value, kind, version);
    let prefix = kind == KeyKind::MultiHash && value.0.len() < levels;
    let max = if prefix {
        min.prefix_end()
    } else {
        min.clone()
    };
    EpkRange {
        min,
        max,
        min_inclusive: true,
        max_inclusive: true,
    }
}

fn hash_v2(components: &[KeyComponent]) -> [u8; 16] {
    let mut bytes = Vec::with_capacity(64);
    hash_v2_of(components.iter().map(KeyComponent::field), &mut bytes)
}

/// The hash of version 2 of components that are hashed together; `bytes` is room for them.
pub(super) fn hash_v2_of<'a>(
    components: impl Iterator<Item = Field<'a>>,
    bytes: &mut Vec<u8>,
) -> [u8; 16] {
    bytes.clear();
    for component in components {
        append_hash_form(component, 0xFF, bytes);
    }
    let (h1, h2) = murmur::x64_128(bytes);
    let hash = u128::from(h2) << 64 | u128::from(h1);
    (hash & ((1 << V2_HASH_BITS) - 1)).to_be_bytes()
}

fn effective_v1(components: &[KeyComponent]) -> Epk {
    let components: Vec<KeyComponent> = components.iter().map(cut_for_v1).collect();
    let mut bytes = Vec::with_capacity(64);
    for component in &components {
        append_hash_form(component.field(), 0x00, &mut bytes);
    }
    let hash = murmur::x86_32(&bytes);
    let mut out = Vec::with_capacity(bytes.len() + 16);
    binary::append(&KeyComponent::Number(f64::from(hash)), &mut out);
    for component in &components {
        binary::append(component, &mut out);
    }
    Epk::from_bytes(out)
}

/// Marker, then the little-endian bits of a number or the UTF-8 of a string with its end mark.
fn append_hash_form(component: Field<'_>, end_of_string: u8, out: &mut Vec<u8>) {
    out.push(binary::marker(component));
    match component {
        Field::Missing | Field::Compound | Field::Null | Field::Bool(_) => {}
        Field::Number(number) => out.extend(number.to_le_bytes()),
        Field::Text(text) => {
            out.extend(text.as_bytes());
            out.push(end_of_string);
        }
    }
}

/// A string cut at 100 UTF-16 units; half of a cut pair becomes U+FFFD, as .NET and the service do.
fn cut_for_v1(component: &KeyComponent) -> KeyComponent {
    match component {
        // A string never has more UTF-16 units than UTF-8 bytes.
        KeyComponent::String(text) if text.len() > V1_STRING_UNITS => {
            let units: Vec<u16> = text.encode_utf16().take(V1_STRING_UNITS).collect();
            KeyComponent::String(String::from_utf16_lossy(&units).into())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hex(text: &str, kind: KeyKind, version: KeyVersion) -> String {
        effective_key(&KeyValue::parse(text).expect(text), kind, version).to_string()
    }

    #[test]
    fn values_of_version_2_are_placed_as_the_service_places_them() {
        for (text, epk) in [
            ("[\"redmond\"]", "22E342F38A486A088463DFF7838A5963"),
            ("[5.0]", "19C08621B135968252FB34B4CF66F811"),
            ("[true]", "0E711127C5B5A8E4726AC6DD306A3E59"),
            ("[null]", "378867E4430E67857ACE5C908374FE16"),
            ("[{}]", "11622DAA78F835834610ABE56EFF5CB5"),
            (
                "[5.0,\"redmond\",true,null]",
                "3032DECBE2AB1768D8E0AEDEA35881DF",
            ),
            ("[]", ""),
        ] {
            assert_eq!(hex(text, KeyKind::Hash, KeyVersion::V2), epk, "{text}");
        }
    }

    #[test]
    fn values_of_version_1_are_placed_as_the_service_places_them() {
        for (text, epk) in [
            ("[{}]", "05C1D529E345DC00"),
            ("[0]", "05C1BF6DA11560058000"),
            ("[\"tenant-a\"]", "05C1B31DBD61100875666F626F752E6200"),
        ] {
            assert_eq!(hex(text, KeyKind::Hash, KeyVersion::V1), epk, "{text}");
        }
    }

    #[test]
    fn each_level_of_a_hierarchy_is_hashed_by_itself() {
        assert_eq!(
            hex(
                "[\"seattle\",\"redmond\",5.12312419050912359123]",
                KeyKind::MultiHash,
                KeyVersion::V2
            ),
            "07E4D14180A45153F00B44907886F85622E342F38A486A088463DFF7838A59630EF2E2D82460884AF0F6440BE4F726A8"
        );
    }

    #[test]
    fn strings_with_equal_first_100_units_are_one_key_of_version_1_only() {
        let (a, b) = ("p".repeat(100) + "1", "p".repeat(100) + "2");
        let text = |tail: &str| format!("[\"{tail}\"]");
        assert_eq!(
            hex(&text(&a), KeyKind::Hash, KeyVersion::V1),
            hex(&text(&b), KeyKind::Hash, KeyVersion::V1)
        );
        assert_ne!(
            hex(&text(&a), KeyKind::Hash, KeyVersion::V2),
            hex(&text(&b), KeyKind::Hash, KeyVersion::V2)
        );
    }

    proptest! {
        #[test]
        fn a_deeper_value_lies_in_the_range_of_its_prefix(levels in proptest::collection::vec("\\PC{0,8}", 3), kept in 1_usize..3) {
            let whole = KeyValue(levels.iter().map(|text| KeyComponent::String(text.as_str().into())).collect());
            let prefix = KeyValue(whole.0[..kept].to_vec());
            let range = key_range(&prefix, KeyKind::MultiHash, KeyVersion::V2, 3);
            let point = effective_key(&whole, KeyKind::MultiHash, KeyVersion::V2);
            prop_assert!(range.min <= point && point < range.max);
        }
    }
}
