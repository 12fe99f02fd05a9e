//! Annotations of GitHub Actions: one line a finding.

use std::io::{self, Write};

use super::{OutputFormat, Target};
use crate::report::text::visible;
use crate::report::v1::Report;

pub(super) struct Github;

impl OutputFormat for Github {
    fn name(&self) -> &'static str {
        "github"
    }

    fn summary(&self) -> &'static str {
        "annotations of GitHub Actions, one a finding"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        for candidate in &report.candidates {
            for finding in &candidate.findings {
                let level = match finding.severity.as_str() {
                    "info" => "notice",
                    other => other,
                };
                let title = format!("{} ({})", finding.code, candidate.key);
                let message = format!("{}; {}", finding.message, finding.remedy);
                writeln!(
                    out,
                    "::{level} title={}::{}",
                    property(&title),
                    data(&message)
                )?;
            }
        }
        Ok(())
    }
}

/// A message on one line, as workflow commands want it.
fn data(text: &str) -> String {
    visible(&text.replace('%', "%25"))
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The same for a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_encoded() {
        assert_eq!(property("/a,/b: 5%"), "/a%2C/b%3A 5%25");
        assert_eq!(data("a\u{1b}[0m"), "a\\u001b[0m");
    }
}
