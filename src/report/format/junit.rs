//! `JUnit`: a suite for each candidate, a case for each check.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use super::{OutputFormat, Target};
use crate::assess::checks;
use crate::report::v1::{Candidate, Finding, Report};

pub(super) struct Junit;

impl OutputFormat for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn summary(&self) -> &'static str {
        "JUnit XML: a suite a candidate, a case a check; errors fail, the rest is in the output"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        let mut suites = Suites::new(report.tool.name.clone());
        suites.add_test_suites(report.candidates.iter().map(suite));
        let text = suites.to_string().map_err(io::Error::other)?;
        // The published schemas know no number of skipped cases over all suites.
        out.write_all(text.replacen(" skipped=\"0\"", "", 1).as_bytes())
    }
}

fn suite(candidate: &Candidate) -> TestSuite {
    let mut suite = TestSuite::new(candidate.key.clone());
    suite.add_test_cases(checks::ALL.iter().map(|check| {
        let of_it = candidate.findings.iter();
        let findings: Vec<&Finding> = of_it.filter(|one| one.code == check.code()).collect();
        case(check.code(), candidate, &findings)
    }));
    suite
}

fn case(code: &str, candidate: &Candidate, findings: &[&Finding]) -> TestCase {
    let line = |finding: &&Finding| {
        format!(
            "{} ({}): {}; {}",
            finding.severity, finding.confidence, finding.message, finding.remedy
        )
    };
    let (errors, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|one| one.severity == "error");
    let status = match errors.first() {
        Some(first) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(first.message.clone()).set_type(code);
            let lines: Vec<String> = errors.iter().map(line).collect();
            status.set_description(lines.join("\n"));
            status
        }
        None => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(code, status);
    case.set_classname(candidate.key.clone());
    if !others.is_empty() {
        let lines: Vec<String> = others.iter().map(line).collect();
        case.set_system_out(lines.join("\n"));
    }
    case
}
