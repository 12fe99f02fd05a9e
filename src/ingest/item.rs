//! Items from JSON, and their size as the service stores them.

use std::io::{self, BufRead, Write};

use serde_json::Value;

use super::error::RowProblem;
use super::frame::{Frame, Frames};

/// Properties that the service writes into each item; exports hold them or not, so they never count.
const SYSTEM_PROPERTIES: [&str; 5] = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/// Reads all items of JSON Lines, of arrays, or of values one after the other, and hands each to
/// `on_item` with the line it starts on; what is no item goes to `on_problem`.
///
/// Of equal names in an object the last wins. Objects nested deeper than 128 are problems, as they
/// are to the service.
pub fn read_items(
    input: impl BufRead,
    mut on_item: impl FnMut(Value, u64),
    mut on_problem: impl FnMut(RowProblem),
) -> io::Result<()> {
    let mut frames = Frames::new(input);
    let mut buffer = Vec::new();
    loop {
        match frames.next(&mut buffer)? {
            Frame::End => return Ok(()),
            Frame::Broken(line, reason) => on_problem(RowProblem {
                line,
                reason: reason.to_owned(),
            }),
            Frame::Value(line) => match serde_json::from_slice(&buffer) {
                Ok(item @ Value::Object(_)) => on_item(item, line),
                Ok(other) => on_problem(RowProblem {
                    line,
                    reason: format!("{} is no item; an item is a JSON object", kind(&other)),
                }),
                Err(error) => {
                    frames.reject(&buffer, line);
                    on_problem(RowProblem {
                        line,
                        reason: format!("not JSON: {error}"),
                    });
                }
            },
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// UTF-8 bytes of an item's compact JSON without the system properties.
pub fn item_bytes(item: &Value) -> u64 {
    let Value::Object(members) = item else {
        return json_bytes(item);
    };
    let own = members
        .iter()
        .filter(|(name, _)| !SYSTEM_PROPERTIES.contains(&name.as_str()));
    // Each member is "name":value, with commas between them.
    let (count, bytes) = own.fold((0_u64, 0), |(count, bytes), (name, value)| {
        (count + 1, bytes + json_bytes(name) + 1 + json_bytes(value))
    });
    2 + bytes + count.saturating_sub(1)
}

fn json_bytes(value: &(impl serde::Serialize + ?Sized)) -> u64 {
    let mut counter = Counter(0);
    // Neither counting nor a value that came from JSON can fail.
    let written = serde_json::to_writer(&mut counter, value);
    debug_assert!(written.is_ok());
    counter.0
}

/// Counts what is written to it.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(bytes: &[u8]) -> (Vec<(Value, u64)>, Vec<RowProblem>) {
        let (mut items, mut problems) = (Vec::new(), Vec::new());
        read_items(
            bytes,
            |item, line| items.push((item, line)),
            |problem| problems.push(problem),
        )
        .expect("memory");
        (items, problems)
    }

    #[test]
    fn lines_arrays_and_values_in_a_row_are_read_alike() {
        for text in [
            "{\"a\":1}\n{\"a\":2}",
            "[{\"a\":1},{\"a\":2}]",
            "{\"a\":1}{\"a\":2}",
            "[{\"a\":1}][\r\n{\"a\":2}\r\n]",
            "\u{feff}{\"a\":\n1}\u{feff}\n[{\"a\":2}]",
        ] {
            let (items, problems) = read(text.as_bytes());
            assert_eq!(
                items.iter().map(|one| &one.0).collect::<Vec<_>>(),
                [&json!({"a": 1}), &json!({"a": 2})],
                "{text}"
            );
            assert_eq!(problems, [], "{text}");
        }
    }

    #[test]
    fn a_broken_line_is_named_and_takes_no_other_with_it() {
        for broken in [
            "{\"a\":",
            "{\"a\":\"x",
            "{\"a\" 1}",
            "nonsense",
            "{\"a\":[1}",
            "5",
        ] {
            let text = format!("{{\"n\":1}}\n{broken}\n{{\"n\":3}}\n");
            let (items, problems) = read(text.as_bytes());
            assert_eq!(
                items,
                [(json!({"n": 1}), 1), (json!({"n": 3}), 3)],
                "{broken}"
            );
            assert_eq!(
                problems
                    .iter()
                    .map(|problem| problem.line)
                    .collect::<Vec<_>>(),
                [2],
                "{broken}: {problems:?}"
            );
        }
    }

    #[test]
    fn lines_are_counted_right_behind_broken_ones() {
        let (items, problems) = read(b"{\"a\":\n{\"b\":\"x\n{\"n\":3}\nno\n{\"n\":5}");
        assert_eq!(items, [(json!({"n": 3}), 3), (json!({"n": 5}), 5)]);
        assert_eq!(
            problems
                .iter()
                .map(|problem| problem.line)
                .collect::<Vec<_>>(),
            [1, 2, 4],
            "{problems:?}"
        );
    }

    #[test]
    fn a_cut_end_is_a_problem_never_silent() {
        let (items, problems) = read(b"{\"n\":1}\n{\"n\":2");
        assert_eq!((items.len(), problems[0].line, problems.len()), (1, 2, 1));
        let (items, problems) = read(b"[{\"n\":1},");
        assert_eq!((items.len(), problems.len()), (1, 1));
    }

    #[test]
    fn a_broken_pretty_item_is_one_problem() {
        let (items, problems) = read(b"[\n  {\n    \"a\": 01\n  },\n  {\n    \"a\": 2\n  }\n]");
        assert_eq!((items, problems.len()), (vec![(json!({"a": 2}), 5)], 1));
    }

    #[test]
    fn unclosed_braces_are_each_counted_in_bounded_time() {
        let (items, problems) = read("{\n".repeat(20_000).as_bytes());
        assert_eq!((items.len(), problems.len()), (0, 20_000));
    }

    #[test]
    fn the_last_of_equal_names_wins() {
        assert_eq!(read(b"{\"a\":1,\"a\":2}").0[0].0, json!({"a": 2}));
    }

    #[test]
    fn size_is_that_of_the_compact_text_without_system_properties() {
        let (items, _) = read(
            "{ \"id\" : \"\\u00e9\", \"_ts\":1,\"_etag\":\"x\",\"_own\":[1, null] }".as_bytes(),
        );
        assert_eq!(
            item_bytes(&items[0].0),
            "{\"id\":\"é\",\"_own\":[1,null]}".len() as u64
        );
        assert_eq!(item_bytes(&json!({})), 2);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic_and_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(&bytes);
        }

        #[test]
        fn text_like_json_never_panics_and_ends(text in "[{}\\[\\]\":,\\\\a1 \n]{0,60}") {
            read(text.as_bytes());
        }

        #[test]
        fn what_is_written_reads_back_in_every_form(texts in proptest::collection::vec("\\PC{0,8}", 0..8)) {
            let items: Vec<Value> = texts.iter().map(|text| json!({"id": text, "deep": [{"x": text}]})).collect();
            let join = |parts: Vec<String>, between: &str| parts.join(between);
            let compact = || items.iter().map(ToString::to_string).collect::<Vec<_>>();
            let pretty = || items.iter().map(|item| serde_json::to_string_pretty(item).expect("a value")).collect::<Vec<_>>();
            let forms = [join(compact(), "\n"), join(pretty(), ""), format!("[{}]", join(compact(), ",")), format!("[\n{}\n]\n", join(pretty(), ",\n"))];
            for form in forms {
                let (read, problems) = read(form.as_bytes());
                prop_assert_eq!(read.into_iter().map(|one| one.0).collect::<Vec<_>>(), items.clone());
                prop_assert_eq!(problems, vec![]);
            }
        }
    }
}
