//! JSON in any arrangement: lines, arrays, values one after the other.

use std::io::{self, BufRead};

use serde_json::Value;

use super::csv_types::Columns;
use super::{InputFormat, ItemSink, Job};
use crate::ingest::frame::{Frame, Frames};
use crate::ingest::problem::{Reason, RowProblem};

/// Bytes of values that are handed on together.
const JOB_BYTES: usize = 512 * 1024;

/// JSON Lines, JSON arrays and JSON values in a row, in any mixture.
///
/// Of equal names in an object the last wins. Objects nested deeper than 128 are problems, as they
/// are to the service.
pub(super) struct Json;

impl InputFormat for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn summary(&self) -> &'static str {
        "JSON Lines, one or several arrays, or objects one after the other"
    }

    fn recognises(&self, _head: &[u8]) -> bool {
        // What is nothing else is read as JSON, so that each bad line is named.
        true
    }

    fn split(
        &self,
        input: &mut dyn BufRead,
        _columns: &Columns,
        emit: &mut dyn FnMut(Job),
    ) -> io::Result<()> {
        let mut frames = Frames::new(input);
        let mut buffer = Vec::new();
        let mut batch = Batch::default();
        loop {
            match frames.next(&mut buffer)? {
                Frame::End => break,
                Frame::Broken(line, reason, detail) => {
                    batch.problems.push(RowProblem::new(line, reason, detail));
                }
                Frame::Value(line) => {
                    batch.bytes.extend_from_slice(&buffer);
                    batch.values.push((line, batch.bytes.len()));
                }
            }
            if batch.bytes.len() >= JOB_BYTES {
                let full = std::mem::take(&mut batch);
                emit(Box::new(move |sink| full.read(sink)));
            }
        }
        emit(Box::new(move |sink| batch.read(sink)));
        Ok(())
    }
}

/// Values that were cut out and not yet read.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// The line on which each value starts, and where it ends among the bytes.
    values: Vec<(u64, usize)>,
    problems: Vec<RowProblem>,
}

impl Batch {
    fn read(self, sink: &mut dyn ItemSink) {
        for problem in self.problems {
            sink.problem(problem);
        }
        let mut start = 0;
        for (line, end) in self.values {
            read_value(&self.bytes[start..end], line, sink);
            start = end;
        }
    }
}

fn read_value(bytes: &[u8], line: u64, sink: &mut dyn ItemSink) {
    match serde_json::from_slice(bytes) {
        Ok(item @ Value::Object(_)) => sink.item(item, line),
        Ok(other) => sink.problem(RowProblem::new(
            line,
            Reason::NotAnObject,
            format!("{} is no item", kind(&other)),
        )),
        Err(error) => {
            let (line_in_value, column) = (error.line() as u64, error.column());
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or_default();
            let at = line + line_in_value.saturating_sub(1);
            sink.problem(RowProblem::new(
                line,
                Reason::NotJson,
                format!("{what} (line {at}, column {column})"),
            ));
            read_again(bytes, line, sink);
        }
    }
}

/// Reads what follows the first line of a value that is none: where a later line starts with a brace,
/// an item seems to start there.
fn read_again(bytes: &[u8], line: u64, sink: &mut dyn ItemSink) {
    let mut frames = Frames::from_line(io::empty(), line);
    if !frames.reject(bytes, line) {
        return;
    }
    let mut buffer = Vec::new();
    // Reading from memory does not fail.
    while let Ok(frame) = frames.next(&mut buffer) {
        match frame {
            Frame::End => return,
            Frame::Broken(line, reason, detail) => {
                sink.problem(RowProblem::new(line, reason, detail));
            }
            Frame::Value(line) => {
                if let Ok(item @ Value::Object(_)) = serde_json::from_slice(&buffer) {
                    sink.item(item, line);
                } else {
                    sink.problem(RowProblem::new(
                        line,
                        Reason::NotJson,
                        "part of a broken value",
                    ));
                    frames.reject(&buffer, line);
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(mut bytes: &[u8]) -> (Vec<(Value, u64)>, Vec<RowProblem>) {
        let mut read = super::super::Collected::default();
        Json.split(&mut bytes, &Columns::default(), &mut |job| job(&mut read))
            .expect("memory");
        read.problems.sort_by_key(|problem| problem.line);
        (read.items, read.problems)
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
