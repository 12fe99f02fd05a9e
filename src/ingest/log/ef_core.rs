//! The log of commands that EF Core writes: text of several lines an operation.

use std::io::{self, BufRead};

use serde_json::Value;

use super::time::micros_of_text;
use super::{Asked, LogFormat, LogSink, LoggedOperation};
use crate::ingest::problem::{Reason, RowProblem};
use crate::model::units::to_micro;
use crate::model::{KeyComponent, OperationKind, OptionsKey};
use crate::query::Parameters;

/// What each operation starts with.
const EXECUTED: &str = "Executed ";

/// The commands that read or write items.
const COMMANDS: [(&str, OperationKind); 6] = [
    ("ReadNext", OperationKind::Query),
    ("ReadItem", OperationKind::Read),
    ("CreateItem", OperationKind::Create),
    ("ReplaceItem", OperationKind::Replace),
    ("DeleteItem", OperationKind::Delete),
    ("TransactionalBatch", OperationKind::Batch),
];

/// The fields of a command, in whatever order; a value may hold quotes, so that each ends where the
/// next starts.
const FIELDS: [&str; 5] = [
    "ActivityId='",
    "Container='",
    "Id='",
    "Partition='",
    "Parameters=[",
];

/// Longest line that is held, in bytes.
const LINE_BYTES_MAX: u64 = 1024 * 1024;

/// A line that names what was executed, and behind a read of many the lines of the statement.
pub(super) struct EfCore;

impl LogFormat for EfCore {
    fn name(&self) -> &'static str {
        "ef-core"
    }

    fn summary(&self) -> &'static str {
        "the command log of EF Core (Executed ReadNext ...), with sensitive-data logging on"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let text = String::from_utf8_lossy(head);
        text.lines()
            .any(|line| !line.trim_start().starts_with(['{', '[']) && command(line).is_some())
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        let mut reader = Reader {
            sink,
            time: None,
            pending: None,
            hidden: false,
        };
        let mut bytes = Vec::new();
        let mut number = 0;
        let mut ended = true;
        loop {
            bytes.clear();
            let mut line = io::Read::take(&mut *input, LINE_BYTES_MAX);
            if line.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            number += 1;
            ended = bytes.ends_with(b"\n");
            reader.line(String::from_utf8_lossy(&bytes).trim_end(), number);
        }
        let in_statement = reader.pending.is_some();
        reader.finish();
        if !ended || in_statement {
            let detail = "the last command ends with the file: nothing says that it is whole";
            reader
                .sink
                .problem(RowProblem::new(number, Reason::Unterminated, detail));
        }
        Ok(())
    }
}

/// The command that a line says was executed, and what stands behind its name.
fn command(line: &str) -> Option<(OperationKind, &str)> {
    let at = line.find(EXECUTED)?;
    let rest = &line[at + EXECUTED.len()..];
    COMMANDS.into_iter().find_map(|(name, kind)| {
        let rest = rest.strip_prefix(name)?;
        rest.starts_with(" (").then_some((kind, rest))
    })
}

struct Reader<'a> {
    sink: &'a mut dyn LogSink,
    /// The time in the last line that starts an event.
    time: Option<i64>,
    /// A query whose statement is being read, its line, its parameters and its statement.
    pending: Option<(LoggedOperation, u64, Parameters, String)>,
    /// Whether the query hides values.
    hidden: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, number: u64) {
        if let Some((kind, rest)) = command(line) {
            self.finish();
            self.command(kind, rest, line, number);
            return;
        }
        let indented = line.starts_with([' ', '\t']);
        if indented && let Some((.., statement)) = &mut self.pending {
            statement.push_str(line);
            statement.push('\n');
            return;
        }
        if !line.is_empty() {
            self.finish();
        }
        self.time = time_of(line).or(self.time.filter(|_| indented));
    }

    fn command(&mut self, kind: OperationKind, rest: &str, line: &str, number: u64) {
        let partition = field(rest, "Partition='");
        let (key, key_hidden) = match partition.map(serde_json::from_str) {
            Some(Ok(Value::Array(values))) => {
                let values = values.iter().map(KeyComponent::from_json).collect();
                (OptionsKey::Components(values), false)
            }
            _ => (OptionsKey::None, partition == Some("?")),
        };
        let id = field(rest, "Id='");
        let mut operation = LoggedOperation {
            time: time_of(line).or(self.time),
            container: field(rest, "Container='").map(str::to_owned),
            id: id.filter(|id| *id != "?").map(str::to_owned),
            key,
            charge: charge(rest),
            ..LoggedOperation::new(kind)
        };
        if kind != OperationKind::Query {
            if key_hidden || id == Some("?") {
                self.hide(number);
            }
            self.sink.operation(operation, number);
            return;
        }
        let (parameters, guessed, hidden) = parameters(rest);
        if let Some(name) = guessed {
            let detail = format!("{name} is read as a number");
            self.sink
                .problem(RowProblem::new(number, Reason::Guessed, detail));
        }
        operation.asked = Asked::Unknown;
        self.hidden = hidden || key_hidden;
        self.pending = Some((operation, number, parameters, String::new()));
    }

    /// Hands on the query whose statement is whole.
    fn finish(&mut self) {
        let Some((mut operation, number, parameters, statement)) = self.pending.take() else {
            return;
        };
        if std::mem::take(&mut self.hidden) {
            self.hide(number);
        }
        if statement.trim().is_empty() {
            let problem =
                RowProblem::new(number, Reason::BadField, "a query without its statement");
            self.sink.problem(problem);
            return;
        }
        operation.asked = Asked::Text(statement, parameters);
        self.sink.operation(operation, number);
    }

    fn hide(&mut self, number: u64) {
        let detail = "values are shown as ?: switch EnableSensitiveDataLogging on, and log again";
        self.sink
            .problem(RowProblem::new(number, Reason::Hidden, detail));
    }
}

/// The value of a field.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    // One name may end like another.
    let start = text.find(&format!(" {name}"))? + 1 + name.len();
    let rest = &text[start..];
    let next = FIELDS
        .iter()
        .filter_map(|field| rest.find(&format!("', {field}")))
        .min();
    match next {
        Some(end) => Some(&rest[..end]),
        None => rest.strip_suffix('\''),
    }
}

/// The charge in `(73 ms, 1 RU)`, in millionths.
fn charge(text: &str) -> Option<u64> {
    let front = &text[..text.find(" RU)")?];
    let number = front.rsplit([' ', '(']).next()?;
    to_micro(number.replace(',', ".").parse().ok()?)
}

/// The parameters, the first one whose type is guessed, and whether values are hidden.
fn parameters(text: &str) -> (Parameters, Option<String>, bool) {
    let mut parameters = Parameters::new();
    let (mut guessed, mut hidden) = (None, false);
    let inside = text
        .find("Parameters=[")
        .map(|at| &text[at + "Parameters=[".len()..])
        .and_then(|rest| rest.rfind(']').map(|end| &rest[..end]));
    let mut rest = inside.unwrap_or_default();
    while let Some((name, behind)) = rest.split_once('=') {
        let end = behind.find(", @").unwrap_or(behind.len());
        let text = behind[..end].trim();
        rest = behind.get(end + 2..).unwrap_or_default();
        let name = name.trim();
        if text == "?" {
            hidden = true;
            continue;
        }
        let quoted = text
            .strip_prefix('\'')
            .and_then(|text| text.rfind('\'').map(|end| &text[..end]));
        let value = match quoted {
            None if text.eq_ignore_ascii_case("null") => Value::Null,
            quoted => value_of(quoted.unwrap_or(text)),
        };
        if value.is_number() {
            guessed.get_or_insert_with(|| name.to_owned());
        }
        parameters.insert(name.to_owned(), value);
    }
    (parameters, guessed, hidden)
}

/// A value whose type the log does not tell: a number or a truth value where it reads as one.
pub(super) fn value_of(text: &str) -> Value {
    match text {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        _ => match serde_json::from_str(text) {
            Ok(number @ Value::Number(_)) => number,
            _ => Value::String(text.to_owned()),
        },
    }
}

/// The time that a line starts with, behind the word for its level.
fn time_of(line: &str) -> Option<i64> {
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    (0..words.len().min(3)).find_map(|first| {
        (first + 1..=words.len().min(first + 3))
            .rev()
            .find_map(|end| {
                let text = words[first..end].join(" ");
                let text = text.trim_matches(['[', ']']);
                let dated = text.contains(['/', '-', '.']) && text.contains(':');
                dated.then(|| micros_of_text(text, 0)).flatten()
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_may_hold_quotes_and_brackets() {
        let (read, guessed, hidden) =
            parameters(" (1 ms, 1 RU) Parameters=[@a='it's, ]', @n='7', @b='True', @z=NULL, @q=?]");
        assert_eq!(read["@a"], json!("it's, ]"));
        assert_eq!(read["@n"], json!(7));
        assert_eq!(read["@b"], json!(true));
        assert_eq!(read["@z"], json!(null));
        assert!(!read.contains_key("@q"));
        assert_eq!((guessed.as_deref(), hidden), (Some("@n"), true));
        let text = " (1 ms, 1,5 RU) ActivityId='x', Id='o'1', Partition='[\"a\",null]'";
        assert_eq!(field(text, "Id='"), Some("o'1"));
        assert_eq!(field(text, "Partition='"), Some("[\"a\",null]"));
        assert_eq!(charge(text), Some(1_500_000));
    }

    #[test]
    fn times_stand_at_the_start_of_a_line() {
        for line in [
            "info: 5/3/2024 10:00:00.123 CosmosEventId.ExecutedReadNext[30102]",
            "2024-05-03T10:00:00.123Z [INF] Executed ReadItem (1 ms)",
            "[2024-05-03T10:00:00.123Z INF] Executed",
        ] {
            assert_eq!(time_of(line), Some(1_714_730_400_123_000), "{line}");
        }
        assert_eq!(time_of("info: no time here"), None);
    }
}
