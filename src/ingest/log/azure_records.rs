//! Resource logs as Azure Monitor writes them to storage and to event hubs.

use std::io::{self, BufRead};

use serde_json::Value;

use super::json_rows::{any_object, starts_with_member};
use super::resource::read_rows;
use super::{LogFormat, LogSink};

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
