//! The native log as JSON Lines.

use std::io::{self, BufRead};

use super::fields::{HEADER_KIND, row};
use super::json_rows::{any_object, each_value};
use super::{LogFormat, LogSink};

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
        any_object(head, |fields| {
            fields.get("op").is_some() || fields["kind"] == HEADER_KIND
        })
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        each_value(input, sink, |bytes, line, sink| {
            row(serde_json::from_slice(bytes)?, line, sink);
            Ok(())
        })
    }
}
