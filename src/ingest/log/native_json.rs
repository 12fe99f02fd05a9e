//! The native log as JSON Lines.

use std::io::{self, BufRead};

use serde_json::Value;

use super::fields::{HEADER_KIND, row};
use super::{LogFormat, LogSink};
use crate::ingest::frame::{Frame, Frames};
use crate::ingest::problem::{Reason, RowProblem};

/// One JSON object an operation, with `op`; an array of them is read too.
pub(super) struct NativeJson;

impl LogFormat for NativeJson {
    fn name(&self) -> &'static str {
        "native-jsonl"
    }

    fn summary(&self) -> &'static str {
        "one JSON object an operation with op, id, pk, filter or query, item, ru, count"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        let mut frames = Frames::new(head);
        let mut buffer = Vec::new();
        // A broken first line must not hide what the log is.
        for _ in 0..20 {
            match frames.next(&mut buffer) {
                Ok(Frame::Value(_)) => {
                    let fields = serde_json::from_slice::<Value>(&buffer).unwrap_or_default();
                    if fields.get("op").is_some() || fields["kind"] == HEADER_KIND {
                        return true;
                    }
                }
                Ok(Frame::Broken(..)) => {}
                Ok(Frame::End) | Err(_) => return false,
            }
        }
        false
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        let mut frames = Frames::new(input);
        let mut buffer = Vec::new();
        loop {
            match frames.next(&mut buffer)? {
                Frame::End => return Ok(()),
                Frame::Broken(line, reason, detail) => {
                    sink.problem(RowProblem::new(line, reason, detail));
                }
                Frame::Value(line) => match serde_json::from_slice(&buffer) {
                    Ok(fields) => row(fields, line, sink),
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
}
