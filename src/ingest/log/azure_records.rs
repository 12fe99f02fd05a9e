//! Resource logs as Azure Monitor writes them to storage and to event hubs.

use std::io::{self, BufRead};

use serde_json::Value;

use super::resource::read_rows;
use super::{LogFormat, LogSink};
use crate::ingest::frame::{Frame, Frames};

/// A JSON object a row with `category` and `properties`, line by line in blobs, or many of them under
/// `records` in the messages of an event hub and in blobs of old. They may stand in one file.
pub(super) struct AzureRecords;

impl LogFormat for AzureRecords {
    fn name(&self) -> &'static str {
        "azure-records"
    }

    fn summary(&self) -> &'static str {
        "resource logs of Azure in storage blobs (PT1H.json) or from an event hub"
    }

    fn recognises(&self, head: &[u8]) -> bool {
        any_object(head, |row| {
            row.get("records").is_some_and(Value::is_array)
                || (row.get("category").is_some() && row.get("properties").is_some())
        }) || starts_with_member(head, b"\"records\"")
    }

    fn read(&self, input: &mut dyn BufRead, sink: &mut dyn LogSink) -> io::Result<()> {
        read_rows(input, sink, false)
    }
}

/// Whether one of the first values of a head is an object of which this holds: a broken first line
/// must not hide what the log is.
pub(super) fn any_object(head: &[u8], holds: impl Fn(&Value) -> bool) -> bool {
    let mut frames = Frames::new(head);
    let mut buffer = Vec::new();
    for _ in 0..20 {
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
