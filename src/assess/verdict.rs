//! Verdict of each candidate by itself, the rank of all, and what to recommend.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::checks;
use super::policy::{Ignored, Limit, Policy, Used};
use super::text::{percent, whole};
use super::{Basis, Confidence, Finding, Severity, Subject};
use crate::keys::Strategy;
use crate::model::{Condition, OptionsKey, Predicate, PropertyPath};
use crate::profile::parallel::in_parallel;
use crate::simulate::{
    Compared, Frame, MonthlyCost, Prices, Required, Routing, RoutingSummary, Scenario, Workload,
};

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
    /// What they found and the policy accepts.
    pub ignored: Vec<Ignored>,
    /// The verdict.
    pub verdict: Verdict,
    /// What it costs a month; `None` where no throughput is known to be enough.
    pub cost: Option<MonthlyCost>,
    /// The same at the horizon.
    pub later_cost: Option<MonthlyCost>,
    /// Why it is not the one to take, in a line; `None` for that one.
    pub lost: Option<String>,
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
    basis: Basis,
    prices: &Prices,
    policy: &Policy,
) -> (Vec<Assessed<'a>>, Recommendation) {
    let Basis {
        frame,
        scenario,
        workload,
        ..
    } = basis;
    let mut used = Used::default();
    let findings = findings(&compared, basis);
    let mut assessed: Vec<Assessed> = compared
        .into_iter()
        .zip(findings)
        .map(|(compared, mut findings)| {
            let cost = cost(compared.required.as_ref(), frame, prices);
            let later = compared.later.as_ref();
            let later_cost =
                later.and_then(|later| self::cost(later.required.as_ref(), &later.frame, prices));
            let key = compared.bench.profile.candidate().text.clone();
            let numbers = numbers(&compared, cost.as_ref());
            let ignored = policy.apply(&key, &numbers, &mut findings, &mut used);
            findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            let verdict = verdict(&findings);
            Assessed {
                compared,
                findings,
                ignored,
                verdict,
                cost,
                later_cost,
                lost: None,
            }
        })
        .collect();
    if let Some(first) = assessed.first_mut() {
        first.findings.extend(policy.unused(&used));
    }
    assessed.sort_by(by_rank);
    let recommendation = recommend(&assessed, frame, scenario, workload);
    let lost: Vec<Option<String>> = assessed.iter().map(|one| lost(one, &assessed)).collect();
    for (one, lost) in assessed.iter_mut().zip(lost) {
        one.lost = lost;
    }
    (assessed, recommendation)
}

/// What the checks find about each candidate.
fn findings(compared: &[Compared], basis: Basis) -> Vec<Vec<Finding>> {
    let subjects: Vec<Subject> = compared
        .iter()
        .enumerate()
        .map(|(index, compared)| Subject {
            compared,
            frame: basis.frame,
            scenario: basis.scenario,
            workload: basis.workload,
            profile: basis.profile,
            index,
        })
        .collect();
    in_parallel(&subjects, basis.threads, |subject| {
        let checks = checks::ALL.iter();
        checks.flat_map(|check| check.check(subject)).collect()
    })
}

/// What a policy can limit, as far as it is known.
fn numbers(compared: &Compared, cost: Option<&MonthlyCost>) -> BTreeMap<Limit, f64> {
    let routing = compared.measured.routing.as_ref();
    let throughput = compared.measured.throughput.as_ref();
    let required = compared.required.as_ref().and_then(|one| one.throughput);
    let fan_out = routing.map(|routing| {
        let at = Routing::ALL
            .iter()
            .position(|class| *class == Routing::FanOut);
        let total: u128 = routing.weights.iter().sum();
        at.map_or(0, |at| routing.weights[at]) as f64 / total.max(1) as f64
    });
    [
        (Limit::Throughput, required.map(|required| required as f64)),
        (Limit::Cost, cost.map(|cost| cost.total)),
        (Limit::FanOutShare, fan_out),
        (Limit::PartitionsVisited, routing.and_then(visited_mean)),
        (
            Limit::ThrottledShare,
            throughput.and_then(|one| one.throttled_share),
        ),
        (
            Limit::HottestShare,
            throughput.and_then(|one| one.hottest_share),
        ),
    ]
    .into_iter()
    .filter_map(|(limit, number)| Some((limit, number?)))
    .collect()
}

/// What a candidate costs a month at the throughput it needs.
fn cost(required: Option<&Required>, frame: &Frame, prices: &Prices) -> Option<MonthlyCost> {
    let required = required?;
    let even = frame.even_throughput?;
    Some(prices.of(
        required.throughput?,
        even,
        required.even_with_fan_out,
        frame.container_bytes,
    ))
}

/// The candidate to take: the first acceptable one in the order of rank.
fn best<'a, 'b>(assessed: &'b [Assessed<'a>]) -> Option<&'b Assessed<'a>> {
    assessed
        .iter()
        .find(|one| one.verdict == Verdict::Acceptable)
}

fn required(assessed: &Assessed) -> Option<u64> {
    assessed.compared.required.as_ref()?.throughput
}

fn visited(assessed: &Assessed) -> f64 {
    assessed
        .compared
        .measured
        .routing
        .as_ref()
        .and_then(visited_mean)
        .unwrap_or(0.0)
}

/// Why a candidate is not the one to take.
fn lost(one: &Assessed, assessed: &[Assessed]) -> Option<String> {
    let because = |verdict: &str| {
        let finding = one
            .findings
            .iter()
            .find(|finding| finding.rejects || finding.confidence == Confidence::Possible);
        let message = finding.map_or("", |finding| finding.message.as_str());
        Some(format!("{verdict}: {message}"))
    };
    match one.verdict {
        Verdict::Rejected => return because("rejected"),
        Verdict::CannotTell => return because("the sample does not decide it"),
        Verdict::Acceptable => {}
    }
    let best = best(assessed)?;
    if std::ptr::eq(best, one) {
        return None;
    }
    let (mine, theirs) = (required(one), required(best));
    if bucket(&one.compared) != bucket(&best.compared) {
        return match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(format!(
                "needs {} RU/s instead of {}",
                whole(mine),
                whole(theirs)
            )),
            _ => Some("no throughput is known to be enough".to_owned()),
        };
    }
    if (visited(one) - visited(best)).abs() > 1e-9 {
        return Some(format!(
            "its operations visit {:.2} physical partitions on average instead of {:.2}",
            visited(one),
            visited(best)
        ));
    }
    let strategy = |assessed: &Assessed| assessed.compared.bench.profile.candidate().strategy();
    if strategy(one) == strategy(best) {
        Some("no better in any number".to_owned())
    } else {
        Some(format!(
            "no better, and {} is simpler than {}",
            strategy(best),
            strategy(one)
        ))
    }
}

/// The largest share of the operations that any one property could send to one key value, and that
/// property: no key does better, as a key of more properties needs all of them.
fn bound(workload: &Workload) -> Option<(PropertyPath, f64)> {
    let log = workload.log;
    let mut weights: BTreeMap<PropertyPath, u128> = BTreeMap::new();
    let (mut total, mut bodies) = (0_u128, 0_u128);
    for (access, weight) in log.weighted_forms() {
        total += weight;
        if access.kind.holds_item() {
            // With the whole item at hand any key is known.
            bodies += weight;
            continue;
        }
        let mut fixed: BTreeSet<PropertyPath> = match &access.condition {
            Condition::Known(condition) => single_values(condition),
            _ => BTreeSet::new(),
        };
        if let OptionsKey::Properties(values) = &access.key {
            fixed.extend(values.iter().map(|(path, _)| path.clone()));
        }
        if access.id.is_some() {
            fixed.insert(PropertyPath::of("id"));
        }
        for path in fixed {
            *weights.entry(path).or_default() += weight;
        }
    }
    let best = weights
        .into_iter()
        .max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(&one.0)));
    let (path, weight) = best?;
    Some((path, (weight + bodies) as f64 / total.max(1) as f64))
}

/// The properties that a condition fixes to one value.
fn single_values(condition: &Predicate) -> BTreeSet<PropertyPath> {
    match condition {
        Predicate::In(path, values) if values.len() == 1 => BTreeSet::from([path.clone()]),
        Predicate::And(conditions) => conditions.iter().flat_map(single_values).collect(),
        _ => BTreeSet::new(),
    }
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
    let candidate =
        |assessed: &'_ Assessed<'_>| assessed.compared.bench.profile.candidate().clone();
    bucket(&one.compared)
        .cmp(&bucket(&other.compared))
        .then_with(|| visited(one).total_cmp(&visited(other)))
        .then_with(|| {
            simplicity(candidate(one).strategy()).cmp(&simplicity(candidate(other).strategy()))
        })
        // With one physical partition nothing above tells keys apart that will differ later.
        .then_with(|| single_weight(other).cmp(&single_weight(one)))
        .then_with(|| candidate(one).text.cmp(&candidate(other).text))
}

/// Weight of the operations that go to one key value.
fn single_weight(assessed: &Assessed) -> u128 {
    let at = Routing::ALL
        .iter()
        .position(|class| *class == Routing::Single);
    let routing = assessed.compared.measured.routing.as_ref();
    routing
        .zip(at)
        .map_or(0, |(routing, at)| routing.weights[at])
}

fn recommend(
    assessed: &[Assessed],
    frame: &Frame,
    scenario: &Scenario,
    workload: Option<&Workload>,
) -> Recommendation {
    let Some(best) = best(assessed) else {
        return Recommendation {
            key: None,
            reasons: vec!["no candidate is acceptable; see their findings".to_owned()],
            confidence: Confidence::Likely,
        };
    };
    let compared = &best.compared;
    let profile = compared.bench.profile;
    let mut reasons = Vec::new();
    if let Some(ru) = required(best) {
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
        let most = workload
            .and_then(bound)
            .map_or_else(String::new, |(path, share)| {
                format!(
                    " (at most {} with any key, by {path})",
                    percent(share.max(single))
                )
            });
        reasons.push(format!(
            "{} of the operations go to one key value{most}; the mean operation visits {:.2} of {} physical partitions",
            percent(single),
            visited(best),
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
    let bytes: u64 = compared.bench.logical.iter().map(|one| one.all_bytes).sum();
    reasons.push(format!(
        "{} distinct key values, the largest holds {} of the bytes",
        whole(profile.level_counts().last().copied().unwrap_or(0)),
        percent(largest as f64 / bytes.max(1) as f64)
    ));
    reasons.extend(saving(best, assessed, scenario));
    if workload.is_none() {
        reasons.push("without a log nothing is known of queries and RU/s, so this compares values and storage only".to_owned());
    }
    if compared.stays_small() {
        reasons.push("with one physical partition the choice hardly matters yet".to_owned());
    }
    let sampled = frame.sample_share < 1.0 || scenario.log_share < 1.0;
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

/// What the recommendation saves a month over today's key.
fn saving(best: &Assessed, assessed: &[Assessed], scenario: &Scenario) -> Option<String> {
    let current = scenario.current_key.as_ref()?;
    let today = assessed
        .iter()
        .find(|one| one.compared.bench.profile.candidate() == current)?;
    if std::ptr::eq(today, best) {
        return Some("it is the key of today".to_owned());
    }
    let (cost, today) = (best.cost?, today.cost);
    Some(match today {
        Some(today) => format!(
            "costs {} a month instead of {} with today's key {}",
            whole(cost.total.round() as u64),
            whole(today.total.round() as u64),
            current.text
        ),
        None => format!(
            "costs {} a month; no throughput is enough for today's key {}",
            whole(cost.total.round() as u64),
            current.text
        ),
    })
}
