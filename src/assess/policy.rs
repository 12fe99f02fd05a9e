//! What a project says of findings: other severities, limits of its own, and what it has accepted.
//!
//! Applied once, after the checks and before the verdict.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::json;

use super::checks::unused_ignore;
use super::text::quantity;
use super::{Confidence, Finding, Severity};

/// What a project wants of findings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// The severity of checks, by code; `None` switches one off.
    pub severities: BTreeMap<String, Option<Severity>>,
    /// By code and name of a piece of evidence: only above this number is there a finding.
    pub thresholds: BTreeMap<(String, String), f64>,
    /// What must not be exceeded, by the number's name.
    pub limits: BTreeMap<Limit, f64>,
    /// What is accepted.
    pub ignores: Vec<Ignore>,
    /// The day on which it is judged what has run out; without it nothing has.
    pub today: Option<Date>,
}

/// A number that a policy can limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// RU/s that the candidate needs.
    Throughput,
    /// What it costs a month.
    Cost,
    /// Operations that visit all physical partitions, as a share.
    FanOutShare,
    /// Physical partitions that an operation visits on average.
    PartitionsVisited,
    /// Requests that are refused, as a share.
    ThrottledShare,
    /// The share of the charge on the busiest physical partition.
    HottestShare,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Throughput,
        Self::Cost,
        Self::FanOutShare,
        Self::PartitionsVisited,
        Self::ThrottledShare,
        Self::HottestShare,
    ];

    /// The word for it in configuration files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Cost => "cost",
            Self::FanOutShare => "fan-out-share",
            Self::PartitionsVisited => "partitions-visited",
            Self::ThrottledShare => "throttled-share",
            Self::HottestShare => "hottest-share",
        }
    }
}

/// Findings that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// The code of the check.
    pub check: String,
    /// The key; all keys without it.
    pub key: Option<String>,
    /// Text that the message must hold, such as the name of a shape.
    pub contains: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it is.
    pub until: Option<Date>,
}

/// A finding that is accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Ignored {
    /// The finding.
    pub finding: Finding,
    /// Why.
    pub reason: String,
}

/// What a policy has used of its ignores so far.
#[derive(Debug, Default)]
pub(super) struct Used(Vec<bool>);

impl Policy {
    /// Applies the policy to the findings of a candidate with these numbers; what was ignored.
    pub(super) fn apply(
        &self,
        key: &str,
        numbers: &BTreeMap<Limit, f64>,
        findings: &mut Vec<Finding>,
        used: &mut Used,
    ) -> Vec<Ignored> {
        used.0.resize(self.ignores.len(), false);
        findings.extend(self.limits.iter().filter_map(|(limit, most)| {
            let number = numbers.get(limit).copied()?;
            (number > *most).then(|| over(*limit, number, *most))
        }));
        let mut ignored = Vec::new();
        findings.retain_mut(|finding| {
            if self.is_below(finding) {
                return false;
            }
            let reason = match self.severities.get(finding.code) {
                Some(None) => Some("switched off by the policy".to_owned()),
                Some(Some(severity)) => {
                    finding.severity = *severity;
                    None
                }
                None => None,
            };
            let reason = reason.or_else(|| self.ignore(key, finding, used));
            if let Some(reason) = reason {
                let finding = finding.clone();
                ignored.push(Ignored { finding, reason });
                return false;
            }
            true
        });
        ignored
    }

    /// Whether a piece of evidence does not exceed its threshold.
    fn is_below(&self, finding: &Finding) -> bool {
        self.thresholds.iter().any(|((code, name), least)| {
            let mut evidence = finding.evidence.iter();
            let value = evidence.find(|(known, _)| known == name);
            finding.code == code
                && value
                    .and_then(|(_, value)| value.as_f64())
                    .is_some_and(|value| value <= *least)
        })
    }

    /// The reason of the first ignore that holds for a finding; all that hold count as used.
    fn ignore(&self, key: &str, finding: &Finding, used: &mut Used) -> Option<String> {
        let mut reason = None;
        for (ignore, used) in self.ignores.iter().zip(&mut used.0) {
            let holds = ignore.check == finding.code
                && ignore.key.as_ref().is_none_or(|of| of == key)
                && (ignore.contains.as_ref()).is_none_or(|text| finding.message.contains(text));
            if holds && !self.has_run_out(ignore) {
                *used = true;
                reason.get_or_insert_with(|| ignore.reason.clone());
            }
        }
        reason
    }

    fn has_run_out(&self, ignore: &Ignore) -> bool {
        matches!((self.today, ignore.until), (Some(today), Some(until)) if today > until)
    }

    /// A finding for each ignore that matched nothing or has run out.
    pub(super) fn unused(&self, used: &Used) -> Vec<Finding> {
        let unused = |(ignore, used): (&Ignore, &bool)| {
            let run_out = self.has_run_out(ignore);
            (!used).then(|| unused_ignore::finding(ignore, run_out))
        };
        self.ignores
            .iter()
            .zip(&used.0)
            .filter_map(unused)
            .collect()
    }
}

/// The finding that a number is over a limit of the policy.
fn over(limit: Limit, number: f64, most: f64) -> Finding {
    Finding {
        code: super::checks::policy_limit::CODE,
        severity: Severity::Error,
        confidence: Confidence::Certain,
        rejects: true,
        message: format!(
            "{} is {}, over the {} that the policy allows",
            limit.name(),
            quantity(number),
            quantity(most)
        ),
        evidence: vec![
            ("limit", json!(limit.name())),
            ("value", json!(number)),
            ("allowed", json!(most)),
        ],
        remedy: "take another key, or change the limit in the policy".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(code: &'static str, share: f64) -> Finding {
        Finding {
            code,
            severity: Severity::Warning,
            confidence: Confidence::Certain,
            rejects: false,
            message: format!("{code} of shape list"),
            evidence: vec![("share", json!(share))],
            remedy: String::new(),
        }
    }

    fn ignore(check: &str, contains: Option<&str>, until: Option<Date>) -> Ignore {
        Ignore {
            check: check.to_owned(),
            key: None,
            contains: contains.map(str::to_owned),
            reason: "known".to_owned(),
            until,
        }
    }

    fn apply(policy: &Policy, findings: &[Finding]) -> (Vec<Finding>, Vec<Ignored>, Vec<Finding>) {
        let mut findings = findings.to_vec();
        let mut used = Used::default();
        let numbers = BTreeMap::from([(Limit::Cost, 300.0)]);
        let ignored = policy.apply("/a", &numbers, &mut findings, &mut used);
        let unused = policy.unused(&used);
        (findings, ignored, unused)
    }

    #[test]
    fn severities_thresholds_and_limits() {
        let policy = Policy {
            severities: BTreeMap::from([
                ("a".to_owned(), Some(Severity::Error)),
                ("b".to_owned(), None),
            ]),
            thresholds: BTreeMap::from([(("c".to_owned(), "share".to_owned()), 0.3)]),
            limits: BTreeMap::from([(Limit::Cost, 299.0), (Limit::Throughput, 1.0)]),
            ..Policy::default()
        };
        let all = [
            finding("a", 1.0),
            finding("b", 1.0),
            finding("c", 0.3),
            finding("c", 0.4),
        ];
        let (kept, ignored, unused) = apply(&policy, &all);
        let kept: Vec<_> = kept.iter().map(|one| (one.code, one.severity)).collect();
        assert_eq!(
            kept,
            [
                ("a", Severity::Error),
                ("c", Severity::Warning),
                ("policy-limit", Severity::Error)
            ]
        );
        assert_eq!((ignored.len(), unused.len()), (1, 0));
    }

    #[test]
    fn ignores_hold_until_their_day_and_must_match() {
        let day = |day| jiff::civil::date(2026, 5, day);
        for (one, today, kept, unused) in [
            (ignore("a", None, None), None, 0, 0),
            (ignore("a", Some("list"), Some(day(2))), Some(day(2)), 0, 0),
            (ignore("a", Some("list"), Some(day(2))), Some(day(3)), 1, 1),
            (ignore("a", Some("other"), None), None, 1, 1),
            (ignore("b", None, None), None, 1, 1),
        ] {
            let policy = Policy {
                ignores: vec![one],
                today,
                ..Policy::default()
            };
            let (left, ignored, without_use) = apply(&policy, &[finding("a", 1.0)]);
            assert_eq!((left.len(), without_use.len()), (kept, unused));
            assert_eq!(ignored.len(), 1 - kept);
        }
    }
}
