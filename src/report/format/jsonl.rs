//! JSON Lines: one candidate a line, in rank order.

use std::io::{self, Write};

use serde::Serialize;

use super::{OutputFormat, Target};
use crate::report::v1::{Candidate, Report};

pub(super) struct JsonLines;

/// A candidate, with the document that it is taken from.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'a str,
    recommended: bool,
    #[serde(flatten)]
    candidate: &'a Candidate,
}

impl OutputFormat for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn summary(&self) -> &'static str {
        "one candidate a line as JSON, for streams and jq"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        for candidate in &report.candidates {
            let line = Line {
                schema: &report.schema,
                recommended: report.recommendation.key.as_ref() == Some(&candidate.key),
                candidate,
            };
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
        Ok(())
    }
}
