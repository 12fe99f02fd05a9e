use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::names::PropertyNames;
use super::super::parse::parse;
use super::super::size::item_bytes;
use super::*;
use crate::model::PropertyPath;

const PATHS: [&str; 6] = ["/id", "/a", "/a/b", "/n/deep/x", "/é", "/list"];

fn fields() -> Arc<Fields> {
    let mut fields = Fields::default();
    for path in PATHS {
        fields.want(&PropertyPath::parse(path).expect(path));
    }
    Arc::new(fields)
}

/// What a scan gives, in a form to compare.
type Read = (Vec<String>, u64, Seen);

fn scanned(scanner: &mut Scanner, text: &[u8]) -> Option<Read> {
    let item = scanner.scan(text)?;
    let fields = item.fields.iter().map(|field| format!("{field:?}"));
    Some((fields.collect(), item.bytes, item.seen))
}

/// The same of an item that was read in full.
fn read(fields: &Fields, text: &[u8]) -> Option<(Read, Value)> {
    let (item, seen) = parse(text).ok()?;
    item.as_object()?;
    let values = fields.of(&item);
    let values = values.iter().map(|field| format!("{field:?}"));
    Some(((values.collect(), item_bytes(&item), seen), item))
}

/// Scans texts one after the other: each that is taken is read in full just the same.
fn compare(texts: &[Vec<u8>]) -> Result<usize, TestCaseError> {
    let fields = fields();
    let mut scanner = Scanner::new(&fields);
    let (mut taken, mut names) = (0, PropertyNames::default());
    for text in texts {
        let whole = read(&fields, text);
        let scan = scanned(&mut scanner, text);
        let shown = String::from_utf8_lossy(text);
        match (scan, whole) {
            (Some(scan), Some((whole, item))) => {
                taken += 1;
                prop_assert_eq!(&scan, &whole, "{}", shown);
                names.add(&item);
            }
            (Some(_), None) => prop_assert!(false, "taken, but no item: {}", shown),
            (None, Some((_, item))) => {
                scanner.names().add(&item);
                names.add(&item);
            }
            (None, None) => {}
        }
    }
    prop_assert_eq!(scanner.into_names(), names);
    Ok(taken)
}

fn taken(text: &str) -> bool {
    compare(&[text.as_bytes().to_vec()]).expect("equal") == 1
}

#[test]
fn plain_items_are_taken() {
    for text in [
        "{}",
        "{ } ",
        "{\"id\":\"1\",\"a\":{\"b\":[1,2,{\"c\":null}]},\"_ts\":5}",
        "{\"id\" : \"1\" ,\n\t\"a\" : [ ] , \"list\":[ {} , [] ]}\r",
        "{\"a\":\"caf\\u00e9 \\ud83d\\ude00 \\/ \\n \\u0007\",\"é\":true}",
        "{\"a\":0.10,\"n\":-0,\"x\":1e3,\"y\":1E-7,\"z\":123456789012345678901}",
        "{\"a\":0.00001,\"n\":0.0001,\"x\":100.0,\"y\":1234567890.12345678}",
        "{\"mail\":\"ada@example.org\",\"list\":[\"bob\\u0040example.org\"]}",
        "{\"t\":\"System.Collections.Generic.List`1\",\"u\":\"\\u0053ystem.Collections.Generic\"}",
        "{\"n\":[\"x@y.org\",{\"k\":\"z@y.org\"}]}",
        "{\"big\":9007199254740993,\"edge\":9007199254740992}",
    ] {
        assert!(taken(text), "{text}");
    }
}

#[test]
fn doubtful_items_are_left_to_be_read_in_full() {
    for text in [
        "",
        "5",
        "[]",
        "{\"a\":1,\"a\":2}",
        "{\"b\":{\"a\":1,\"c\":1,\"a\":2}}",
        "{\"list\":[{\"a\":1,\"a\":2}]}",
        "{\"\\u0061\":1}",
        "{\"a\":{\"$oid\":\"5\"}}",
        "{\"Documents\":[],\"_count\":0}",
        "{\"a\":1}x",
        "{\"a\":1",
        "{\"a\":\"x",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":1e999}",
        "{\"a\":nul}",
        "{\"a\":truex}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{\"a\":[1}}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\\ud800\"}",
        "{\"a\":NaN}",
    ] {
        assert!(!taken(text), "{text}");
    }
    let fields = fields();
    assert!(Scanner::new(&fields).scan(b"{\"a\":\"\xff\"}").is_none());
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(126), "]".repeat(126));
    assert!(!taken(&deep));
}

#[test]
fn names_out_of_order_and_late_ones_are_found_and_a_second_one_is_noticed() {
    let texts = [
        "{\"a\":1,\"b\":2,\"c\":3}",
        "{\"c\":1,\"a\":2,\"b\":3}",
        "{\"a\":1,\"new\":0,\"b\":2,\"c\":3}",
        "{\"c\":1,\"a\":2,\"c\":3}",
        "{\"b\":1,\"c\":2,\"b\":3}",
    ];
    let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    assert_eq!(compare(&texts).expect("equal"), 3);
}

#[test]
fn objects_that_are_maps_are_scanned_and_give_the_same_names() {
    let text = |n: u32| {
        let members =
            (0..8).map(|k| format!("\"k{:05}\":{{\"q\":1}}", (n * 8 + k) * 7919 % 100_000));
        let members: Vec<String> = members.collect();
        format!("{{\"id\":\"{n}\",\"map\":{{{}}}}}", members.join(",")).into_bytes()
    };
    let texts: Vec<Vec<u8>> = (0..1500).map(text).collect();
    assert!(compare(&texts).expect("equal") > 700);
}

fn json_text() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<f64>().prop_map(|number| Value::from(number).to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
    ];
    let escaped = "\"([a-zé@. ]|\\\\n|\\\\u00[0-9a-f]{2}|\\\\ud83d\\\\ude00|\\\\[\"/x]){0,12}\"";
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        number,
        escaped,
        "\\PC{0,12}".prop_map(|text| Value::from(text).to_string()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof![
            Just("a".to_owned()),
            Just("b".to_owned()),
            Just("é".to_owned()),
            "[a-z$_]{1,2}",
        ];
        let member = (name, inner.clone(), "[ \n\t]{0,2}");
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            proptest::collection::vec(member, 0..4).prop_map(|all| object(&all)),
        ]
    })
}

fn object(members: &[(String, String, String)]) -> String {
    let members = members
        .iter()
        .map(|(name, value, blank)| format!("\"{name}\"{blank}:{blank}{value}{blank}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn item_text() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("id".to_owned()),
        Just("a".to_owned()),
        Just("n".to_owned()),
        Just("_ts".to_owned()),
        Just("é".to_owned()),
        Just("metadata".to_owned()),
        "[a-z]{1,2}",
    ];
    let member = (name, json_text(), "[ \n]{0,1}");
    proptest::collection::vec(member, 0..6).prop_map(|members| object(&members))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_taken_reads_the_same_in_full(texts in proptest::collection::vec(item_text(), 1..6)) {
        let texts: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
        compare(&texts)?;
    }

    #[test]
    fn broken_items_are_never_taken_otherwise_than_in_full(
        text in item_text(),
        at in any::<prop::sample::Index>(),
        byte in prop_oneof![any::<u8>(), proptest::sample::select(b"\"{}[]:,\\ 0".to_vec())],
        cut in any::<bool>(),
    ) {
        let mut bytes = text.clone().into_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        compare(&[text.into_bytes(), bytes])?;
    }
}

#[test]
fn items_without_an_id_of_text_are_read_in_full_where_that_is_wanted() {
    let mut wanted = Fields::default();
    wanted.want_whole_without_id();
    let mut scanner = Scanner::new(&Arc::new(wanted));
    for (item, is_taken) in [
        (json!({"id": "1"}), true),
        (json!({"id": 1}), false),
        (json!({"a": 1}), false),
    ] {
        let text = item.to_string();
        assert_eq!(scanner.scan(text.as_bytes()).is_some(), is_taken, "{text}");
    }
}
