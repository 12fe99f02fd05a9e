//! The document itself.

use std::io::{self, Write};

use super::{OutputFormat, Target};
use crate::report::v1::Report;

/// Report v1 as JSON.
pub(super) struct Json;

impl OutputFormat for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn summary(&self) -> &'static str {
        "the whole report as one JSON document, schema pkadvisor/report/v1"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, report)?;
        writeln!(out)
    }
}
