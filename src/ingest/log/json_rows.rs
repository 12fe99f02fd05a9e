//! Logs of JSON: a row a value, whatever stands between them.

use std::io::{self, BufRead};

use serde_json::Value;

use super::LogSink;
use crate::ingest::frame::{Frame, Frames};
use crate::ingest::problem::{Reason, RowProblem};

/// Values that are looked at to tell a form: a broken first one must not hide what the log is.
const LOOKED_AT: usize = 20;

/// Hands the bytes of each value to `read`, which gives the error of a value that is no row.
pub(super) fn each_value(
    input: &mut dyn BufRead,
    sink: &mut dyn LogSink,
    read: impl Fn(&[u8], u64, &mut dyn LogSink) -> serde_json::Result<()>,
) -> io::Result<()> {
    let mut frames = Frames::new(input);
    let mut buffer = Vec::new();
    loop {
        match frames.next(&mut buffer)? {
            Frame::End => return Ok(()),
            Frame::Broken(line, reason, detail) => {
                sink.problem(RowProblem::new(line, reason, detail));
            }
            Frame::Value(line) => match read(&buffer, line, sink) {
                Ok(()) => {}
                Err(error) if error.is_data() => {
                    let detail = "a row of the log is a JSON object";
                    sink.problem(RowProblem::new(line, Reason::NotAnObject, detail));
                }
                Err(error) => {
                    frames.reject(&buffer, line);
                    sink.problem(RowProblem::new(line, Reason::NotJson, error.to_string()));
                }
            },
        }
    }
}

/// Whether one of the first values of a head is an object of which this holds.
pub(super) fn any_object(head: &[u8], holds: impl Fn(&Value) -> bool) -> bool {
    let mut frames = Frames::new(head);
    let mut buffer = Vec::new();
    for _ in 0..LOOKED_AT {
        match frames.next(&mut buffer) {
            Ok(Frame::Value(_)) => {
                if serde_json::from_slice(&buffer).is_ok_and(|value: Value| holds(&value)) {
                    return true;
                }
            }
            Ok(Frame::Broken(..)) => {}
            Ok(Frame::End) | Err(_) => return false,
        }
    }
    false
}

/// Whether a head starts with an object whose first member has this name in quotes: the object itself
/// may be longer than the head.
pub(super) fn starts_with_member(head: &[u8], name: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let inside = head.trim_ascii_start().strip_prefix(b"{");
    inside.is_some_and(|inside| inside.trim_ascii_start().starts_with(name))
}
