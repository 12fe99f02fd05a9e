//! SARIF 2.1.0: findings as results, checks as rules.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{OutputFormat, Target};
use crate::assess::checks;
use crate::report::v1::{Candidate, Finding, Report};

pub(super) struct Sarif;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

impl OutputFormat for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn summary(&self) -> &'static str {
        "SARIF 2.1.0, for code scanning"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        let results: Vec<Value> = report
            .candidates
            .iter()
            .flat_map(|candidate| {
                let findings = candidate.findings.iter();
                findings.map(|finding| result(report, candidate, finding))
            })
            .collect();
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": report.tool.name,
                    "semanticVersion": report.tool.version,
                    "rules": checks::ALL.iter().map(|check| rule(*check)).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        serde_json::to_writer_pretty(&mut *out, &log)?;
        writeln!(out)
    }
}

fn rule(check: &dyn checks::Check) -> Value {
    let page = check.page();
    json!({
        "id": check.code(),
        "shortDescription": {"text": check.summary()},
        "fullDescription": {"text": format!("{} {}", page.what, page.why)},
        "help": {"text": format!("{} {}", page.how, page.fix)},
    })
}

fn result(report: &Report, candidate: &Candidate, finding: &Finding) -> Value {
    let level = match finding.severity.as_str() {
        "info" => "note",
        other => other,
    };
    let rule = checks::ALL
        .iter()
        .position(|check| check.code() == finding.code);
    // A result without a file is not shown; the data are what it was found in.
    let file = report.dataset.files.first().map_or("-", |file| &file.name);
    json!({
        "ruleId": finding.code,
        "ruleIndex": rule.map_or(-1, |index| index as i64),
        "level": level,
        "message": {"text": format!("{}: {}; {}", candidate.key, finding.message, finding.remedy)},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(file)},
                "region": {"startLine": 1},
            },
            "logicalLocations": [{"fullyQualifiedName": candidate.key, "kind": "member"}],
        }],
        "partialFingerprints": {"pkadvisor/v1": format!("{} {}", finding.code, candidate.key)},
        "properties": {"confidence": finding.confidence, "evidence": finding.evidence},
    })
}

/// A name of a file as a reference of a URI.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_references() {
        assert_eq!(uri("a b\\é.json"), "a%20b/%C3%A9.json");
    }
}
