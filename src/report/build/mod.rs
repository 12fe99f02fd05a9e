//! From what was read, measured and decided to the document.

mod candidate;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use self::candidate::candidate;
use super::v1;
use crate::assess::text::{quantity, whole};
use crate::assess::{Assessed, Finding, Recommendation};
use crate::ingest::{ColumnType, Columns, Problems};
use crate::model::units::from_micro;
use crate::profile::parallel::in_parallel;
use crate::simulate::{
    CHARGE_MODEL, ChargeSource, Frame, Scenario, SuffixNumbers, SuffixOutcome, SuffixSearch,
    Workload, copy_charge,
};

/// What a report is made of.
pub struct Input<'a> {
    /// Settings by name, as they were resolved.
    pub settings: BTreeMap<String, Value>,
    /// Name and form of each data file.
    pub files: Vec<FileInput>,
    /// Items and bytes that were read.
    pub items: u64,
    /// Sum of the sizes of the items.
    pub bytes: u64,
    /// Rows of the data that were not used.
    pub problems: &'a Problems,
    /// What the columns of tables were read as.
    pub columns: &'a Columns,
    /// The log, where there is one.
    pub log: Option<LogInput<'a>>,
    /// The scenario as given.
    pub scenario: &'a Scenario,
    /// What holds for all candidates.
    pub frame: &'a Frame,
    /// The candidates in rank order.
    pub assessed: &'a [Assessed<'a>],
    /// The key to take.
    pub recommendation: &'a Recommendation,
    /// Why candidates were proposed, by key; those given are not in it.
    pub proposed: &'a BTreeMap<String, String>,
    /// The searches for suffixes, and what they found.
    pub searches: &'a [(SuffixSearch, SuffixOutcome)],
    /// How many of the largest logical partitions are named.
    pub top: usize,
    /// How many threads put candidates together.
    pub threads: usize,
}

/// A file that was read.
pub struct FileInput {
    /// Its name.
    pub name: String,
    /// Its form.
    pub format: String,
    /// What was undone to read it.
    pub packing: Vec<String>,
}

/// What was read of a log.
pub struct LogInput<'a> {
    /// Name and form of each file.
    pub files: Vec<FileInput>,
    /// Rows that were used.
    pub rows: u64,
    /// Rows that were not used, or not as they stand.
    pub problems: &'a Problems,
    /// The log, ready for a replay.
    pub workload: &'a Workload<'a>,
}

/// Makes the document.
pub fn build(input: &Input) -> v1::Report {
    let ranked: Vec<(usize, &Assessed)> = input.assessed.iter().enumerate().collect();
    v1::Report {
        schema: v1::SCHEMA.to_owned(),
        tool: v1::Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        settings: input.settings.clone(),
        dataset: dataset(input),
        log: input.log.as_ref().map(log),
        scenario: scenario(input),
        recommendation: v1::Recommendation {
            key: input.recommendation.key.clone(),
            reasons: input.recommendation.reasons.clone(),
            confidence: input.recommendation.confidence.name().to_owned(),
            next: next(input),
        },
        candidates: in_parallel(&ranked, input.threads, |(index, assessed)| {
            candidate(input, *index as u64 + 1, assessed)
        }),
        suffix_searches: input.searches.iter().map(suffix_search).collect(),
    }
}

/// What to do with the recommendation.
fn next(input: &Input) -> Vec<String> {
    let Some(key) = &input.recommendation.key else {
        return Vec::new();
    };
    let mut next = vec![format!(
        "pkadvisor snippet --key '{}' prints how to create the container{}",
        key.replace('\'', "'\\''"),
        if key.contains('{') {
            ", and the code that builds its key"
        } else {
            ""
        }
    )];
    let current = input.scenario.current_key.as_ref();
    if current.is_some_and(|current| current.text != *key) {
        let container = scaled(input, input.items, input.bytes);
        next.push(format!(
            "the key of a container cannot be changed in place: a new one is filled with all {} items, which reads and writes about {} RU, and then the application is switched over",
            whole(container.items),
            quantity(from_micro(copy_charge(container.items, container.bytes)))
        ));
    }
    next
}

fn suffix_search((search, outcome): &(SuffixSearch, SuffixOutcome)) -> v1::SuffixSearch {
    let numbers = |one: &SuffixNumbers| v1::SuffixNumbers {
        hottest_over_mean: one.hottest_over_mean,
        throttled_share: one.throttled_share,
        keys_read: one.keys_read,
        single_share: one.single_share,
        partitions_visited: one.partitions_visited,
        required: one.required,
        cost: one.cost,
        over_limit: one.over_limit,
    };
    v1::SuffixSearch {
        key: search.base.text.clone(),
        by: search.by.to_string(),
        rows: outcome
            .rows
            .iter()
            .map(|row| v1::SuffixRow {
                count: row.count,
                random: numbers(&row.random),
                computed: numbers(&row.computed),
            })
            .collect(),
        smallest_random: outcome.smallest.0,
        smallest_computed: outcome.smallest.1,
        knee_random: outcome.knee.0,
        knee_computed: outcome.knee.1,
    }
}

fn files(files: &[FileInput]) -> Vec<v1::File> {
    files
        .iter()
        .map(|file| v1::File {
            name: file.name.clone(),
            format: file.format.clone(),
            packing: file.packing.clone(),
        })
        .collect()
}

fn dataset(input: &Input) -> v1::Dataset {
    let column = |(name, kind): (&str, ColumnType)| {
        let kind = match kind {
            ColumnType::Number => "number",
            ColumnType::Text => "text",
        };
        (name.to_owned(), kind.to_owned())
    };
    v1::Dataset {
        files: files(&input.files),
        items: input.items,
        bytes: input.bytes,
        scaled: scaled(input, input.items, input.bytes),
        rejected: input.problems.rejected(),
        problems: problems(input.problems, &input.files),
        columns: input.columns.iter().map(column).collect(),
    }
}

/// What the whole container has where the files hold so much.
fn scaled(input: &Input, items: u64, bytes: u64) -> v1::Scaled {
    let share = input.frame.sample_share;
    v1::Scaled {
        items: (items as f64 / share).round() as u64,
        bytes: (bytes as f64 * input.scenario.index_factor / share).round() as u64,
    }
}

fn problems(problems: &Problems, files: &[FileInput]) -> Vec<v1::Problem> {
    let name = |file: usize| {
        files
            .get(file)
            .map_or_else(String::new, |file| file.name.clone())
    };
    problems
        .groups()
        .map(|(reason, count, places)| v1::Problem {
            reason: reason.code().to_owned(),
            message: reason.to_string(),
            rejected: reason.rejects(),
            count,
            places: places
                .iter()
                .map(|place| v1::Place {
                    file: name(place.file),
                    line: place.line,
                    detail: place.detail.clone(),
                })
                .collect(),
        })
        .collect()
}

fn log(input: &LogInput) -> v1::Log {
    let workload = input.workload;
    let moment = |micros: i64| {
        Timestamp::from_microsecond(micros)
            .ok()
            .map(|at| at.to_string())
    };
    let span = workload.log.span();
    let ids = workload.joins.counts(workload.log);
    v1::Log {
        files: files(&input.files),
        operations: input.rows,
        weight: from_micro(workload.weight()),
        rejected: input.problems.rejected(),
        charge: from_micro(workload.charge()),
        first: span.and_then(|span| moment(span.0)),
        last: span.and_then(|span| moment(span.1)),
        problems: problems(input.problems, &input.files),
        throttled: from_micro(workload.log.throttled_weight.into()),
        unmet: from_micro(workload.log.unmet_weight.into()),
        full: from_micro(workload.log.full_weight.into()),
        rates_seconds: workload.log.rates_seconds,
        charges: v1::Charges {
            recorded: workload.share_of(ChargeSource::Recorded),
            recorded_with_fan_out: workload.share_of(ChargeSource::RecordedWithFanOut),
            modelled: workload.share_of(ChargeSource::Modelled),
            model: CHARGE_MODEL.to_owned(),
        },
        ids: v1::Ids {
            named: ids.named,
            in_dataset: ids.in_dataset,
            created_in_log: ids.created_in_log,
        },
    }
}

fn scenario(input: &Input) -> v1::Scenario {
    let (scenario, frame) = (input.scenario, input.frame);
    let source = |given: bool| if given { "given" } else { "derived" }.to_owned();
    let schedule = input.log.as_ref().and_then(|log| log.workload.schedule());
    v1::Scenario {
        sample_share: frame.sample_share,
        log_share: scenario.log_share,
        container_bytes: frame.container_bytes,
        throughput: frame.throughput,
        throughput_source: frame
            .throughput
            .map(|_| source(scenario.throughput.is_some())),
        autoscale: scenario.autoscale,
        even_throughput: frame.even_throughput,
        partitions: frame.partitions,
        partitions_source: if scenario.layout.is_some() {
            "layout".to_owned()
        } else {
            source(scenario.partitions.is_some())
        },
        window_seconds: schedule.map(|schedule| schedule.window_seconds),
        windows: schedule.map(|schedule| schedule.windows),
        current_key: scenario.current_key.as_ref().map(|key| key.text.clone()),
    }
}

fn finding(finding: &Finding) -> v1::Finding {
    v1::Finding {
        code: finding.code.to_owned(),
        severity: finding.severity.name().to_owned(),
        confidence: finding.confidence.name().to_owned(),
        message: finding.message.clone(),
        evidence: finding
            .evidence
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        remedy: finding.remedy.clone(),
    }
}
