//! The partition key value that an item has under a candidate.

use std::borrow::Cow;

use serde_json::Value;

use super::candidate::{Candidate, Level, Part};
use super::text;
use crate::model::{Field, KeyComponent, KeyValue, PropertyPath, property};

/// The key value of an item under a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemKey {
    /// The value, with one component for each level.
    pub value: KeyValue,
    /// How many parts of templates made no text, because the property is missing or a transform
    /// cannot take its value; they stand as empty text.
    pub parts_without_text: u32,
}

impl Candidate {
    /// The key value of an item. `draw` is the item's number for random suffixes, see
    /// [`random_seed_of`].
    pub fn key_of(&self, item: &Value, draw: u64) -> ItemKey {
        let field = |path: &PropertyPath| Field::of(property(item, path));
        let mut parts_without_text = 0;
        let value = self.levels.iter().map(|level| match level {
            Level::Path(path) => field(path).component(),
            Level::Template(parts) => {
                let mut text = String::new();
                for part in parts {
                    let has_text = append_part(part, || part.source().map(field), draw, &mut text);
                    parts_without_text += u32::from(!has_text);
                }
                KeyComponent::String(text.into())
            }
        });
        let value = KeyValue(value.collect());
        ItemKey {
            value,
            parts_without_text,
        }
    }
}

/// The number from which an item's random suffixes are drawn: FNV-1a, 64 bits, of the seed and of the
/// item's `id`, or of its compact JSON where it has none, so that order and threads change nothing.
pub fn random_seed_of(item: &Value, seed: u64) -> u64 {
    match item.get("id").and_then(Value::as_str) {
        Some(id) => random_seed_of_text(id, seed),
        None => random_seed_of_text(&item.to_string(), seed),
    }
}

/// The same of an item with this `id`, or with this compact JSON and no `id` of text.
pub fn random_seed_of_text(text: &str, seed: u64) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let start = seed.to_le_bytes().iter().fold(0xcbf2_9ce4_8422_2325, fold);
    text.as_bytes().iter().fold(start, fold)
}

/// Appends the text of a part of a template, of which `field` gives what its property holds; whether it
/// made one.
pub(super) fn append_part<'a>(
    part: &Part,
    field: impl FnOnce() -> Option<Field<'a>>,
    draw: u64,
    out: &mut String,
) -> bool {
    let value = || field().unwrap_or(Field::Missing);
    let text: Option<Cow<str>> = match part {
        Part::Text(text) => Some(text.into()),
        Part::Value(_, None) => text::plain(value()),
        Part::Value(_, Some(transform)) => text::transformed(value(), *transform).map(Cow::from),
        Part::RandomSuffix(count) => {
            let suffix = 1 + mix(draw) % u64::from(*count);
            Some(suffix.to_string().into())
        }
        Part::PrecomputedSuffix(_, count) => {
            text::plain(value()).map(|text| precomputed(&text, *count).to_string().into())
        }
    };
    if let Some(text) = &text {
        out.push_str(text);
    }
    text.is_some()
}

/// The suffix from 1 to `count` that an application can compute again from the text of the value:
/// FNV-1a, 32 bits; the upper half folded onto the lower; one plus the rest by `count`.
pub(super) fn precomputed(text: &str, count: u32) -> u32 {
    let fold = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = text.bytes().fold(0x811c_9dc5, fold);
    1 + (hash ^ hash >> 16) % count
}

/// Spreads a hash over all bits (the finish of `SplitMix64`), so that its rest by a small number is even.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::KeyVersion;
    use serde_json::json;

    fn key(candidate: &str, item: &Value) -> (String, u32) {
        let candidate = Candidate::parse(candidate, KeyVersion::V2).expect(candidate);
        let key = candidate.key_of(item, random_seed_of(item, 1));
        (key.value.to_string(), key.parts_without_text)
    }

    #[test]
    fn arrays_objects_and_missing_steps_are_undefined() {
        let item = json!({"list": [1], "object": {"a": null}, "text": ""});
        for (path, value) in [
            ("/list", "[{}]"),
            ("/object", "[{}]"),
            ("/object/a", "[null]"),
            ("/object/b", "[{}]"),
            ("/text/a", "[{}]"),
            ("/list/0", "[{}]"),
            ("/text", "[\"\"]"),
        ] {
            assert_eq!(key(path, &item), (value.to_owned(), 0), "{path}");
        }
    }

    #[test]
    fn a_level_that_is_missing_is_undefined_and_no_shorter_key() {
        assert_eq!(key("/a,/b", &json!({"a": 1})).0, "[1,{}]");
    }

    #[test]
    fn a_part_without_text_is_empty_and_counted() {
        assert_eq!(
            key("{/a}-{/b}", &json!({"a": true})),
            ("[\"true-\"]".to_owned(), 1)
        );
        assert_eq!(
            key("{/a|day}.{/c%5}", &json!({"a": "soon"})),
            ("[\".\"]".to_owned(), 2)
        );
    }

    #[test]
    fn a_precomputed_suffix_can_be_computed_again() {
        // FNV-1a of "a" is 0xE40C292C; folded 0xE40CCD20; by 400 leaves 192.
        assert_eq!(precomputed("a", 400), 193);
        assert_eq!(
            key("{/d}.{/v%400}", &json!({"d": "x", "v": "a"})).0,
            "[\"x.193\"]"
        );
    }

    #[test]
    fn a_random_suffix_depends_on_seed_and_id_alone_and_uses_all_numbers() {
        let item = |id: u32, more: u32| json!({"id": id.to_string(), "more": more});
        assert_eq!(key("{#1000}", &item(7, 1)), key("{#1000}", &item(7, 2)));
        let draws = |seed| {
            (0..400)
                .map(|id| mix(random_seed_of(&item(id, 0), seed)) % 10)
                .collect::<Vec<_>>()
        };
        assert_ne!(draws(1), draws(2));
        for suffix in 0..10 {
            let count = draws(1).iter().filter(|draw| **draw == suffix).count();
            assert!((20..=60).contains(&count), "{suffix}: {count} of 400");
        }
    }
}
