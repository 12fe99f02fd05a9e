//! JSON in any arrangement: lines, arrays, values one after the other.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use serde_json::Value;

use super::pages::{self, Row};
use super::parse::{Seen, parse};
use super::{Hints, InputFormat, ItemSink, Job, extended};
use crate::ingest::frame::{Frame, Frames, Within};
use crate::ingest::problem::{Reason, RowProblem};

/// Bytes of values that are handed on together.
const JOB_BYTES: usize = 512 * 1024;

/// Problems that are handed on together; bytes that are nothing else make many.
const JOB_PROBLEMS: usize = 4096;

/// JSON Lines, JSON arrays and JSON values in a row, in any mixture.
///
/// Of equal names in an object the last wins. Objects nested deeper than 128 are problems, as they
/// are to the service.
pub(super) struct Json {
    name: &'static str,
    summary: &'static str,
    /// Whether what stands around items is opened, and Extended JSON read.
    opening: bool,
}

/// JSON as tools write it.
pub(super) const JSON: Json = Json {
    name: "json",
    summary: "JSON Lines, arrays, objects in a row, pages of the REST API, Extended JSON",
    opening: true,
};

/// JSON of which each object is an item, whatever it looks like.
pub(super) const PLAIN: Json = Json {
    name: "json-plain",
    summary: "the same with each object as it stands: nothing is opened or converted",
    opening: false,
};

impl InputFormat for Json {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn recognises(&self, _head: &[u8]) -> bool {
        // What is nothing else is read as JSON, so that each bad line is named.
        self.opening
    }

    fn describe(&self, head: &[u8], _hints: Hints) -> String {
        let text = head.trim_ascii_start();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let text = text.trim_ascii_start();
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        match text.first() {
            Some(b'[') => "a JSON array",
            Some(b'{') if parse(line).is_ok() => "JSON Lines",
            Some(b'{') => "JSON objects",
            _ => "no JSON at its start",
        }
        .to_owned()
    }

    fn split(
        &self,
        input: &mut dyn BufRead,
        _hints: Hints,
        emit: &mut dyn FnMut(Job) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let new = || Batch {
            opening: self.opening,
            ..Batch::default()
        };
        let mut frames = if self.opening {
            Frames::opening(input)
        } else {
            Frames::new(input)
        };
        let mut buffer = Vec::new();
        let mut batch = new();
        loop {
            if let Some(line) = frames.lines(&mut buffer)? {
                // What stands before them is handed on before them.
                let before = std::mem::replace(&mut batch, new());
                if emit(Box::new(move |sink| before.read(sink))).is_break() {
                    return Ok(());
                }
                let lines = Lines {
                    opening: self.opening,
                    line,
                    bytes: std::mem::take(&mut buffer),
                };
                if emit(Box::new(move |sink| lines.read(sink))).is_break() {
                    return Ok(());
                }
                continue;
            }
            let frame = frames.next(&mut buffer)?;
            batch.problems.extend(frames.notices());
            match frame {
                Frame::End => break,
                Frame::Broken(line, reason, detail) => {
                    batch.problems.push(RowProblem::new(line, reason, detail));
                }
                Frame::Value(line) => {
                    batch.bytes.extend_from_slice(&buffer);
                    let end = batch.bytes.len();
                    batch.values.push((line, end, frames.within()));
                }
            }
            if batch.bytes.len() >= JOB_BYTES || batch.problems.len() >= JOB_PROBLEMS {
                let full = std::mem::replace(&mut batch, new());
                if emit(Box::new(move |sink| full.read(sink))).is_break() {
                    return Ok(());
                }
            }
        }
        // The last one; whether more is wanted does not matter.
        let _ = emit(Box::new(move |sink| batch.read(sink)));
        Ok(())
    }
}

/// Lines that look like one object each, not yet read.
struct Lines {
    opening: bool,
    line: u64,
    bytes: Vec<u8>,
}

impl Lines {
    fn read(self, sink: &mut dyn ItemSink) {
        let mut start = 0;
        let breaks = memchr::memchr_iter(b'\n', &self.bytes);
        for (line, end) in (self.line..).zip(breaks) {
            let text = &self.bytes[start..end];
            start = end + 1;
            if !sink.text(text, line) {
                self.read_in_full(text, line, sink);
            }
        }
    }

    fn read_in_full(&self, text: &[u8], line: u64, sink: &mut dyn ItemSink) {
        let frames = if self.opening {
            Frames::opening(text)
        } else {
            Frames::new(text)
        };
        let mut frames = frames.of_line(line);
        let mut buffer = Vec::new();
        // Reading from memory does not fail.
        while let Ok(frame) = frames.next(&mut buffer) {
            for notice in frames.notices() {
                sink.problem(notice);
            }
            match frame {
                Frame::End => return,
                Frame::Broken(line, reason, detail) => {
                    sink.problem(RowProblem::new(line, reason, detail));
                }
                Frame::Value(line) => RowReader {
                    opening: self.opening,
                    line,
                    sink: &mut *sink,
                }
                .read(&buffer, frames.within()),
            }
        }
    }
}

/// Values that were cut out and not yet read.
#[derive(Default)]
struct Batch {
    opening: bool,
    bytes: Vec<u8>,
    /// The line on which each value starts, where it ends among the bytes, and what it stood in.
    values: Vec<(u64, usize, Within)>,
    problems: Vec<RowProblem>,
}

impl Batch {
    fn read(self, sink: &mut dyn ItemSink) {
        for problem in self.problems {
            sink.problem(problem);
        }
        let mut start = 0;
        for (line, end, within) in self.values {
            let mut row = RowReader {
                opening: self.opening,
                line,
                sink,
            };
            row.read(&self.bytes[start..end], within);
            start = end;
        }
    }
}

/// Reads the value on one line.
struct RowReader<'a> {
    opening: bool,
    line: u64,
    sink: &'a mut dyn ItemSink,
}

impl RowReader<'_> {
    fn read(&mut self, bytes: &[u8], within: Within) {
        if self.sink.text(bytes, self.line) {
            return;
        }
        match parse(bytes) {
            Ok((value, seen)) => self.parsed(value, seen, within),
            Err(error) => {
                let (line_in_value, column) = (error.line() as u64, error.column());
                let text = error.to_string();
                let what = text.split(" at line ").next().unwrap_or_default();
                let at = self.line + line_in_value.saturating_sub(1);
                self.problem(
                    Reason::NotJson,
                    format!("{what} (line {at}, column {column})"),
                );
                self.read_again(bytes);
            }
        }
    }

    fn parsed(&mut self, mut value: Value, mut seen: Seen, within: Within) {
        // What bears the marks of the service is stored there just as it stands.
        if self.opening
            && seen.dollar
            && value.get("_rid").is_none()
            && extended::unwrap(&mut value, &mut seen)
        {
            self.problem(Reason::ExtendedJson, "");
        }
        for notice in seen.notices(self.line) {
            self.sink.problem(notice);
        }
        self.row(value, within);
    }

    fn row(&mut self, value: Value, within: Within) {
        let object = match value {
            Value::Object(object) => object,
            other if within == Within::Page => {
                return self.problem(Reason::QueryResult, kind(&other));
            }
            other => {
                return self.problem(Reason::NotAnObject, format!("{} is no item", kind(&other)));
            }
        };
        if !self.opening {
            return self.sink.item(Value::Object(object), self.line);
        }
        match pages::open(object) {
            Row::Item(item) => self.sink.item(item, self.line),
            Row::None(reason, detail) => self.problem(reason, detail),
            Row::Opened(items, reason) => {
                self.problem(reason, "");
                for item in items {
                    self.row(item, Within::Page);
                }
            }
        }
    }

    fn problem(&mut self, reason: Reason, detail: impl Into<String>) {
        self.sink
            .problem(RowProblem::new(self.line, reason, detail));
    }

    /// Reads what follows the first line of a value that is none: where a later line starts with a
    /// brace, an item seems to start there.
    fn read_again(&mut self, bytes: &[u8]) {
        let mut frames = Frames::from_line(io::empty(), self.line);
        if !frames.reject(bytes, self.line) {
            return;
        }
        let mut buffer = Vec::new();
        // Reading from memory does not fail.
        while let Ok(frame) = frames.next(&mut buffer) {
            match frame {
                Frame::End => return,
                Frame::Broken(line, reason, detail) => {
                    self.line = line;
                    self.problem(reason, detail);
                }
                Frame::Value(line) => {
                    self.line = line;
                    if let Ok((value @ Value::Object(_), seen)) = parse(&buffer) {
                        self.parsed(value, seen, Within::Nothing);
                    } else {
                        self.problem(Reason::NotJson, "part of a broken value");
                        frames.reject(&buffer, line);
                    }
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
    use super::super::Columns;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(mut bytes: &[u8]) -> (Vec<(Value, u64)>, Vec<RowProblem>) {
        let mut read = super::super::Collected::default();
        let columns = Columns::default();
        JSON.split(&mut bytes, Hints::of(&columns), &mut |job| read.run(job))
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
            "\u{feff}{\"a\":\n1}\n[{\"a\":2}]",
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

    /// The items, and the notices by reason, line and detail.
    fn noted(text: &str) -> (Vec<Value>, Vec<(Reason, u64, String)>) {
        let (items, problems) = read(text.as_bytes());
        let notices = problems.into_iter();
        (
            items.into_iter().map(|one| one.0).collect(),
            notices
                .map(|one| (one.reason, one.line, one.detail))
                .collect(),
        )
    }

    fn two() -> Vec<Value> {
        vec![json!({"id": "1"}), json!({"id": "2"})]
    }

    #[test]
    fn what_stands_around_items_is_opened_and_said() {
        for (text, reason, detail) in [
            (
                "{\"_rid\":\"x\",\"Documents\":[{\"id\":\"1\"},{\"id\":\"2\"}],\"_count\":2}",
                Reason::Envelope,
                "Documents",
            ),
            (
                "[{\"Documents\":[{\"id\":\"1\"},{\"id\":\"2\"}],\"_count\":2}]",
                Reason::Envelope,
                "",
            ),
            (
                "{\"v\":1,\"data\":[{\"id\":\"1\"},{\"id\":\"2\"}],\"next\":null}\n",
                Reason::Wrapper,
                "data",
            ),
            (
                "{\"id\":\"1\"}\u{feff}{\"id\":\"2\"}",
                Reason::MarkInside,
                "",
            ),
        ] {
            let said = vec![(reason, 1, detail.to_owned())];
            assert_eq!(noted(text), (two(), said), "{text}");
        }
        let pages = "{\"data\":[{\"id\":\"1\"}]}\n{\"data\":[{\"id\":\"2\"}]}";
        let (items, notices) = noted(pages);
        assert_eq!((items, notices.len(), notices[1].1), (two(), 2, 2));
    }

    #[test]
    fn items_with_one_array_stay_items_line_by_line() {
        let text = "{\"n\":1,\"lines\":[{\"sku\":1}]}\n{\"n\":2,\"lines\":[{\"sku\":2}]}\n";
        assert_eq!(noted(text).1, []);
        assert_eq!(noted(text).0.len(), 2);
    }

    #[test]
    fn lines_are_counted_right_in_opened_objects() {
        let text =
            "{\n\"data\": [\n{\"id\":\"1\"},\n5,\n{\"id\" 2},\n{\"id\":\"2\"}\n],\n\"more\":[1]\n}";
        let (items, problems) = noted(text);
        assert_eq!(items, two());
        let seen: Vec<_> = problems.iter().map(|one| (one.0, one.1)).collect();
        assert_eq!(
            seen,
            [
                (Reason::Wrapper, 1),
                (Reason::NotAnObject, 4),
                (Reason::NotJson, 5)
            ]
        );
    }

    #[test]
    fn results_of_queries_are_no_items() {
        let text = "{\"_rid\":\"\",\"Documents\":[5,\"x\",{\"id\":\"1\"},[1]],\"_count\":4}";
        let (items, problems) = noted(text);
        assert_eq!(items.len(), 1);
        let results = problems.iter().filter(|one| one.0 == Reason::QueryResult);
        assert_eq!(results.count(), 3);
    }

    #[test]
    fn extended_json_is_read_as_what_it_stands_for_unless_the_service_wrote_it() {
        let text = "{\"_id\":{\"$oid\":\"5f\"}}\n{\"a\":{\"$oid\":\"5f\"},\"_rid\":\"x\"}";
        let stored = json!({"a": {"$oid": "5f"}, "_rid": "x"});
        let said = vec![(Reason::ExtendedJson, 1, String::new())];
        assert_eq!(noted(text), (vec![json!({"_id": "5f"}), stored], said));
    }

    #[test]
    fn objects_are_plain_items_on_request() {
        for text in ["{\"data\":[{\"id\":\"1\"}]}", "{\"_id\":{\"$oid\":\"5f\"}}"] {
            let mut read = super::super::Collected::default();
            let columns = Columns::default();
            PLAIN
                .split(&mut text.as_bytes(), Hints::of(&columns), &mut |job| {
                    read.run(job)
                })
                .expect("memory");
            assert_eq!(read.items[0].0.to_string(), text);
            assert_eq!(read.problems, []);
        }
    }

    #[test]
    fn an_object_that_is_too_long_for_an_item_is_opened_before_it_ends() {
        let item = format!("{{\"id\":\"1\",\"t\":\"{}\"}},\n", "x".repeat(1000));
        let text = format!(
            "{{\"few\":[{{}}],\"data\":[{}{{}}],\"more\":[{{}}]}}",
            item.repeat(5000)
        );
        let (items, problems) = noted(&text);
        assert_eq!(items.len(), 5001);
        let said = |reason, line, detail: &str| (reason, line, detail.to_owned());
        assert_eq!(
            problems,
            [
                said(Reason::Wrapper, 1, "data"),
                said(Reason::IgnoredArray, 1, "before the items"),
                said(Reason::IgnoredArray, 5001, "more"),
            ]
        );
        // An item with an id is held, however many lines it has.
        let text = format!("{{\"id\":\"1\",\"data\":[{}{{}}]}}", item.repeat(5000));
        assert_eq!((noted(&text).0.len(), noted(&text).1), (1, vec![]));
    }

    #[test]
    fn a_cut_page_gives_the_items_before_the_cut_and_one_problem() {
        let page = "{\"_rid\":\"x\",\"Documents\":[{\"id\":\"1\"},{\"id\":\"2\"}],\"_count\":2}";
        for length in 1..page.len() {
            let (items, problems) = noted(&page[..length]);
            let cuts = problems.iter().filter(|one| one.0 == Reason::CutOff);
            assert_eq!(cuts.count(), 1, "{}", &page[..length]);
            assert!(items.len() == 2 || length < 51, "{}", &page[..length]);
        }
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
