//! Verdict of each candidate by itself, the rank of all, and what to recommend.

use std::cmp::Ordering;

use super::checks;
use super::text::{percent, whole};
use super::{Confidence, Finding, Severity, Subject};
use crate::keys::Strategy;
use crate::simulate::{Compared, Frame, RoutingSummary, Scenario, Workload};

/// What is said of a candidate by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing speaks against it for certain.
    Acceptable,
    /// The sample does not decide it.
    CannotTell,
    /// It does not work.
    Rejected,
}

impl Verdict {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acceptable => "acceptable",
            Self::CannotTell => "cannot-tell",
            Self::Rejected => "rejected",
        }
    }
}

/// A candidate with what was decided about it.
pub struct Assessed<'a> {
    /// The candidate, measured.
    pub compared: Compared<'a>,
    /// What the checks found, worst first.
    pub findings: Vec<Finding>,
    /// The verdict.
    pub verdict: Verdict,
}

/// The key to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Recommendation {
    /// The key as typed; `None` where no candidate is acceptable.
    pub key: Option<String>,
    /// Why, in sentences with numbers.
    pub reasons: Vec<String>,
    /// How sure it is.
    pub confidence: Confidence,
}

/// Runs all checks over all candidates, and puts them in the order of their rank.
pub fn assess<'a>(
    compared: Vec<Compared<'a>>,
    frame: &Frame,
    scenario: &Scenario,
    workload: Option<&Workload>,
    items: u64,
    bytes: u64,
) -> (Vec<Assessed<'a>>, Recommendation) {
    let mut assessed: Vec<Assessed> = compared
        .into_iter()
        .map(|compared| {
            let subject = Subject {
                compared: &compared,
                frame,
                scenario,
                workload,
                items,
                bytes,
            };
            let mut findings: Vec<Finding> = checks::ALL
                .iter()
                .flat_map(|check| check.check(&subject))
                .collect();
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            let verdict = verdict(&findings);
            Assessed {
                compared,
                findings,
                verdict,
            }
        })
        .collect();
    assessed.sort_by(by_rank);
    let recommendation = recommend(&assessed, frame);
    (assessed, recommendation)
}

fn verdict(findings: &[Finding]) -> Verdict {
    let open = |finding: &&Finding| {
        finding.severity == Severity::Error && finding.confidence == Confidence::Possible
    };
    if findings.iter().any(|finding| finding.rejects) {
        Verdict::Rejected
    } else if findings.iter().any(|finding| open(&finding)) {
        Verdict::CannotTell
    } else {
        Verdict::Acceptable
    }
}

/// Required throughput in buckets of 5 %; what has none stands behind.
fn bucket(compared: &Compared) -> u64 {
    let required = compared
        .required
        .as_ref()
        .and_then(|required| required.throughput);
    required.map_or(u64::MAX, |ru| {
        ((ru.max(1) as f64).ln() / 1.05_f64.ln()).floor() as u64
    })
}

/// Mean number of physical partitions that an operation visits; `None` without operations.
pub(crate) fn visited_mean(routing: &RoutingSummary) -> Option<f64> {
    #[expect(clippy::iter_over_hash_type, reason = "sums of integers have no order")]
    let (visits, weight) = {
        let (mut visits, mut weight) = (0_u128, 0_u128);
        for (visited, of_weight) in &routing.visited {
            visits += u128::from(*visited) * of_weight;
            weight += of_weight;
        }
        (visits, weight)
    };
    (weight > 0).then(|| visits as f64 / weight as f64)
}

fn simplicity(strategy: Strategy) -> u8 {
    match strategy {
        Strategy::Single => 0,
        Strategy::Hierarchical => 1,
        Strategy::Synthetic => 2,
        Strategy::RandomSuffix | Strategy::PrecomputedSuffix => 3,
    }
}

fn by_rank(one: &Assessed, other: &Assessed) -> Ordering {
    let visited = |assessed: &Assessed| {
        assessed
            .compared
            .measured
            .routing
            .as_ref()
            .and_then(visited_mean)
            .unwrap_or(0.0)
    };
    let candidate =
        |assessed: &'_ Assessed<'_>| assessed.compared.bench.profile.candidate().clone();
    bucket(&one.compared)
        .cmp(&bucket(&other.compared))
        .then_with(|| visited(one).total_cmp(&visited(other)))
        .then_with(|| {
            simplicity(candidate(one).strategy()).cmp(&simplicity(candidate(other).strategy()))
        })
        .then_with(|| candidate(one).text.cmp(&candidate(other).text))
}

fn recommend(assessed: &[Assessed], frame: &Frame) -> Recommendation {
    let Some(best) = assessed
        .iter()
        .find(|one| one.verdict == Verdict::Acceptable)
    else {
        return Recommendation {
            key: None,
            reasons: vec!["no candidate is acceptable; see their findings".to_owned()],
            confidence: Confidence::Likely,
        };
    };
    let compared = &best.compared;
    let profile = compared.bench.profile;
    let mut reasons = Vec::new();
    if let Some(required) = &compared.required
        && let Some(ru) = required.throughput
    {
        let even = frame.even_throughput.unwrap_or(ru);
        reasons.push(format!(
            "needs {} RU/s; a perfectly even load without fan-out would need {}",
            whole(ru),
            whole(even)
        ));
    }
    if let Some(routing) = &compared.measured.routing {
        let total: u128 = routing.weights.iter().sum();
        let single = routing.weights[0] as f64 / total.max(1) as f64;
        let mean = visited_mean(routing).unwrap_or(0.0);
        reasons.push(format!(
            "{} of the operations go to one key value; the mean operation visits {mean:.2} of {} physical partitions",
            percent(single),
            compared.measured.physical.len()
        ));
    }
    let largest = compared
        .bench
        .logical
        .iter()
        .map(|one| one.bytes)
        .max()
        .unwrap_or(0);
    reasons.push(format!(
        "{} distinct key values, the largest holds {} of the bytes",
        whole(profile.level_counts().last().copied().unwrap_or(0)),
        percent(largest as f64 / (profile_bytes(compared).max(1)) as f64)
    ));
    let sampled = frame.sample_share < 1.0;
    Recommendation {
        key: Some(profile.candidate().text.clone()),
        reasons,
        confidence: if sampled || compared.required.is_none() {
            Confidence::Possible
        } else {
            Confidence::Likely
        },
    }
}

fn profile_bytes(compared: &Compared) -> u64 {
    compared.bench.logical.iter().map(|one| one.bytes).sum()
}
