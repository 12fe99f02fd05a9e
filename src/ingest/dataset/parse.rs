//! JSON text as a value, with what a reader of it should know noted on the way.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use crate::ingest::problem::{Reason, RowProblem};

/// Up to here, and down to its negative, a double holds every integer.
const EXACT_MAX: u64 = 1 << 53;

/// What old versions of the migration tool wrote in place of nested values.
pub(super) const TYPE_NAME: &str = "System.Collections.Generic";

/// What was seen in a value: of each kind the name of the first property that shows it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// A name that an object holds twice.
    pub(super) duplicate: Option<String>,
    /// A number beyond 2^53.
    pub(super) big_number: Option<String>,
    /// The name of a .NET type in place of a value.
    pub(super) type_name: Option<String>,
    /// A text that looks like the address of a person.
    pub(super) address: Option<String>,
    /// Whether a name starts with `$`, as those of Extended JSON do.
    pub(super) dollar: bool,
    /// Whether the value just read shows one of these, and its name is not known yet.
    unnamed: (bool, bool, bool),
}

/// Whether a text looks like an address of e-mail: a name, a sign and a domain, without blanks.
fn is_address(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else {
        return false;
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    let mut labels = domain.split('.');
    !name.is_empty()
        && name.chars().all(plain)
        && domain.contains('.')
        && labels
            .clone()
            .all(|label| !label.is_empty() && label.chars().all(plain))
        && labels
            .next_back()
            .is_some_and(|last| last.len() > 1 && last.chars().all(char::is_alphabetic))
}

impl Seen {
    /// The notices of a value that starts on this line.
    pub(super) fn notices(self, line: u64) -> impl Iterator<Item = RowProblem> {
        [
            (Reason::DuplicateName, self.duplicate),
            (Reason::BigNumber, self.big_number),
            (Reason::TypeName, self.type_name),
            (Reason::PersonalData, self.address),
        ]
        .into_iter()
        .filter_map(move |(reason, name)| Some(RowProblem::new(line, reason, name?)))
    }

    /// Notes a number.
    pub(super) fn number(&mut self, number: &Number) {
        self.unnamed.0 |= is_big(number);
    }

    /// Notes a text.
    pub(super) fn text(&mut self, text: &str) {
        self.unnamed.1 |= text.starts_with(TYPE_NAME);
        self.unnamed.2 |= is_address(text);
    }

    /// Adds what was seen in a part.
    pub(super) fn merge(&mut self, part: Self) {
        for (first, other) in [
            (&mut self.duplicate, part.duplicate),
            (&mut self.big_number, part.big_number),
            (&mut self.type_name, part.type_name),
            (&mut self.address, part.address),
        ] {
            if first.is_none() {
                *first = other;
            }
        }
        self.unnamed.0 |= part.unnamed.0;
        self.unnamed.1 |= part.unnamed.1;
        self.unnamed.2 |= part.unnamed.2;
    }

    /// Gives the value just noted its name.
    pub(super) fn name(&mut self, name: &str) {
        if self.unnamed == (false, false, false) {
            return;
        }
        for (unnamed, first) in [
            (&mut self.unnamed.0, &mut self.big_number),
            (&mut self.unnamed.1, &mut self.type_name),
            (&mut self.unnamed.2, &mut self.address),
        ] {
            if std::mem::take(unnamed) && first.is_none() {
                *first = Some(name.to_owned());
            }
        }
    }
}

/// Whether a number is beyond 2^53, so that its neighbours are the same key.
pub(super) fn is_big(number: &Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => number > EXACT_MAX,
        (None, Some(number)) => number.unsigned_abs() > EXACT_MAX,
        (None, None) => number
            .as_f64()
            .is_some_and(|number| number.abs() > EXACT_MAX as f64),
    }
}

/// Reads one JSON value. Of equal names in an object the last wins.
pub(super) fn parse(text: &[u8]) -> Result<(Value, Seen), serde_json::Error> {
    let mut seen = Seen::default();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Reader(&mut seen).deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, seen))
}

/// Builds a value and notes what it sees.
struct Reader<'a>(&'a mut Seen);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        let number = Number::from(value);
        self.0.number(&number);
        Ok(Value::Number(number))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        let number = Number::from(value);
        self.0.number(&number);
        Ok(Value::Number(number))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // JSON has no text for a number that is not finite.
        let number = Number::from_f64(value);
        if let Some(number) = &number {
            self.0.number(number);
        }
        Ok(number.map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        self.0.text(value);
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(Reader(self.0))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(Reader(self.0))?;
            self.0.name(&name);
            self.0.dollar |= name.starts_with('$');
            match object.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(mut place) => {
                    if self.0.duplicate.is_none() {
                        self.0.duplicate = Some(place.key().clone());
                    }
                    place.insert(value);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(text: &str) -> Seen {
        parse(text.as_bytes()).expect("JSON").1
    }

    #[test]
    fn duplicate_names_big_numbers_and_type_names_are_noted_by_name() {
        let of = |text: &str| {
            let notices = seen(text).notices(7);
            notices
                .map(|notice| (notice.reason, notice.detail))
                .collect::<Vec<_>>()
        };
        let one = |reason, name: &str| vec![(reason, name.to_owned())];
        assert_eq!(
            of("{\"x\":{\"a\":1,\"b\":2,\"a\":3}}"),
            one(Reason::DuplicateName, "a")
        );
        for number in [
            "9007199254740993",
            "-9007199254740993",
            "1e300",
            "123456789012345678901",
        ] {
            assert_eq!(
                of(&format!("{{\"n\":[1,{{\"deep\":[{number}]}}]}}")),
                one(Reason::BigNumber, "deep"),
                "{number}"
            );
        }
        assert_eq!(
            of("{\"t\":\"System.Collections.Generic.List`1[System.Object]\"}"),
            one(Reason::TypeName, "t")
        );
        assert_eq!(
            of("{\"n\":9007199254740992,\"m\":-1.5,\"t\":\"System\"}"),
            []
        );
        assert!(seen("{\"a\":{\"$oid\":\"x\"}}").dollar);
    }

    #[test]
    fn addresses_of_people_are_told_from_other_texts() {
        for text in ["ada@example.org", "a.b+c@mail.example.co"] {
            assert!(is_address(text), "{text}");
        }
        for text in [
            "@t",
            "a@b",
            "a @b.org",
            "user@host:22",
            "git@x.",
            "a@@b.org",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_value_is_an_error() {
        assert!(parse(b"{} x").is_err());
        assert!(parse("[".repeat(129).as_bytes()).is_err());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map("\\PC{0,4}", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_those_that_serde_json_reads(value in any_json()) {
            let text = value.to_string();
            let read = parse(text.as_bytes()).expect("JSON").0;
            prop_assert_eq!(&read, &serde_json::from_str::<Value>(&text).expect("JSON"));
            prop_assert_eq!(read.to_string(), text);
        }
    }
}
