//! Keys of many items under one candidate, made one after the other without keeping their values.

use smallvec::SmallVec;

use super::candidate::{Candidate, Level};
use super::effective::{effective_key, hash_v2_of};
use super::value::append_part;
use crate::model::{
    Field, Fields, Item, KeyComponent, KeyKind, KeyValue, KeyVersion, PropertyPath,
};

/// Bytes of the hash of one level.
const HASH_BYTES: usize = 16;

/// Makes the keys of items under a candidate.
#[derive(Debug, Clone)]
pub struct KeyMaker {
    candidate: Candidate,
    /// The numbers of the fields that the levels are made of, in order of appearance.
    fields: Vec<usize>,
    /// The texts of templates.
    texts: String,
    /// Room for what is hashed.
    bytes: Vec<u8>,
}

/// The key of an item.
#[derive(Debug)]
pub struct MadeKey<'a> {
    /// The value of each level.
    pub levels: SmallVec<[Field<'a>; 3]>,
    /// The bytes of the effective partition key.
    pub epk: SmallVec<[u8; 3 * HASH_BYTES]>,
    /// How many parts of templates made no text.
    pub parts_without_text: u32,
}

impl MadeKey<'_> {
    /// The key value.
    pub fn value(&self) -> KeyValue {
        KeyValue(self.levels.iter().map(|level| level.component()).collect())
    }
}

/// Hashes of single fields of an item, each computed once for all candidates.
#[derive(Debug, Clone, Default)]
pub struct LevelHashes(Vec<Option<[u8; HASH_BYTES]>>);

impl LevelHashes {
    /// Forgets the last item; the next one has so many fields.
    pub fn next_item(&mut self, fields: usize) {
        self.0.clear();
        self.0.resize(fields, None);
    }

    fn of(&mut self, number: usize, field: Field, bytes: &mut Vec<u8>) -> [u8; HASH_BYTES] {
        let mut hash = || hash_v2_of(std::iter::once(field), bytes);
        match self.0.get_mut(number) {
            Some(known) => *known.get_or_insert_with(hash),
            None => hash(),
        }
    }
}

impl KeyMaker {
    /// Makes keys under a candidate from these fields, which then hold what it needs.
    pub fn new(candidate: &Candidate, fields: &mut Fields) -> Self {
        let paths = candidate.levels.iter().flat_map(Level::sources);
        Self {
            fields: paths.map(|path: &PropertyPath| fields.want(path)).collect(),
            candidate: candidate.clone(),
            texts: String::new(),
            bytes: Vec::new(),
        }
    }

    /// The candidate.
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// The key of an item, of which `draw` is the number for random suffixes.
    pub fn make<'a>(
        &'a mut self,
        item: &Item<'a>,
        draw: u64,
        hashes: &mut LevelHashes,
    ) -> MadeKey<'a> {
        let Self {
            candidate,
            fields,
            texts,
            bytes,
        } = self;
        let mut parts_without_text = 0;
        // The text of each level that is a template, or the field of one that is a path.
        let mut places: SmallVec<[(usize, usize); 3]> = SmallVec::new();
        let mut numbers = fields.iter().copied();
        texts.clear();
        for level in &candidate.levels {
            match level {
                Level::Path(_) => places.push((numbers.next().unwrap_or(0), 0)),
                Level::Template(parts) => {
                    let start = texts.len();
                    for part in parts {
                        let field = part
                            .source()
                            .and_then(|_| numbers.next())
                            .map(|number| item.fields[number]);
                        let has_text = append_part(part, || field, draw, texts);
                        parts_without_text += u32::from(!has_text);
                    }
                    places.push((start, texts.len()));
                }
            }
        }
        let texts = texts.as_str();
        let levels: SmallVec<[Field<'a>; 3]> = candidate
            .levels
            .iter()
            .zip(&places)
            .map(|(level, (first, last))| match level {
                Level::Path(_) => item.fields[*first],
                Level::Template(_) => Field::Text(&texts[*first..*last]),
            })
            .collect();
        let mut epk = SmallVec::new();
        let by_level = candidate.kind == KeyKind::MultiHash || levels.len() == 1;
        match candidate.version {
            KeyVersion::V2 if by_level => {
                for ((level, value), place) in candidate.levels.iter().zip(&levels).zip(&places) {
                    let hash = match level {
                        Level::Path(_) => hashes.of(place.0, *value, bytes),
                        Level::Template(_) => hash_v2_of(std::iter::once(*value), bytes),
                    };
                    epk.extend_from_slice(&hash);
                }
            }
            KeyVersion::V2 => {
                epk.extend_from_slice(&hash_v2_of(levels.iter().copied(), bytes));
            }
            KeyVersion::V1 => {
                let components: Vec<KeyComponent> =
                    levels.iter().map(|level| level.component()).collect();
                let key = effective_key(&KeyValue(components), candidate.kind, candidate.version);
                epk.extend_from_slice(key.as_bytes());
            }
        }
        MadeKey {
            levels,
            epk,
            parts_without_text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::random_seed_of;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const KEYS: [&str; 7] = [
        "/a",
        "/a,/b",
        "/a,/b,/id",
        "{/a}-{/b|lower}",
        "/b,{/a}.{/b%4}",
        "{/a}.{#3}",
        "{/b|day}",
    ];

    proptest! {
        #[test]
        fn keys_are_those_of_the_whole_item(a in value(), b in value(), id in "[a-z]{1,3}", v1 in any::<bool>()) {
            let item = json!({"id": id, "a": a, "b": b});
            let draw = random_seed_of(&item, 1);
            let version = if v1 { KeyVersion::V1 } else { KeyVersion::V2 };
            for text in KEYS {
                let Ok(candidate) = Candidate::parse(text, version) else { continue };
                let mut fields = Fields::default();
                let mut maker = KeyMaker::new(&candidate, &mut fields);
                let values = fields.of(&item);
                let mut hashes = LevelHashes::default();
                hashes.next_item(values.len());
                let read = Item { fields: &values, bytes: 0, whole: None };
                let made = maker.make(&read, draw, &mut hashes);
                let whole = candidate.key_of(&item, draw);
                prop_assert_eq!(made.value(), whole.value.clone());
                prop_assert_eq!(made.parts_without_text, whole.parts_without_text);
                let epk = effective_key(&whole.value, candidate.kind, candidate.version);
                prop_assert_eq!(&made.epk[..], epk.as_bytes());
            }
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,20}".prop_map(Value::from),
            Just(json!([1])),
            Just(json!("2024-05-01T10:00:00Z")),
        ]
    }
}
