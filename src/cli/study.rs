//! From arguments to a report: all layers, one after the other.

use std::io::{self, Write};
use std::sync::Arc;

use super::analyze::AnalyzeArguments;
use super::inputs::{because, unreadable};
use super::progress::Progress;
use super::settings::read_key;
use super::{ExitCode, Failure};
use crate::assess::{Policy, assess};
use crate::ingest::{Dataset, DatasetRead, LogRead};
use crate::keys::Candidate;
use crate::model::limits::{LAYOUT_PARTITIONS_MAX, PHYSICAL_PARTITION_BYTES_MAX};
use crate::model::{Condition, Fields, PropertyPath};
use crate::profile::{FoundItems, Profile, ProfileSettings, Profiler, Wanted};
use crate::propose::{Discovery, Filters, propose, why_not};
use crate::report::v1::Report;
use crate::report::{FileInput, Input, LogInput, build};
use crate::simulate::{
    Compared, Frame, Joins, Prices, Scenario, SuffixOutcome, SuffixSearch, compare, current_paths,
    frame, look_ahead, settle_rates, workload,
};

/// Why candidates were proposed, by key.
type Reasons = std::collections::BTreeMap<String, String>;

/// Reads what the arguments name, and compares the candidates under a policy.
pub(super) fn study(arguments: &AnalyzeArguments, policy: &Policy) -> Result<Report, Failure> {
    let (given, current_key) = arguments.keys.candidates()?;
    let scenario = arguments.scenario.scenario(current_key)?;
    let searches = arguments.keys.suffix_searches()?;

    let progress = Progress::start(arguments.quiet);
    let mut log = log(arguments, &scenario)?;
    let dataset = arguments.inputs.dataset(arguments.keys.proposes())?;
    progress.expect(dataset.size());
    let (candidates, reasons) = proposed(arguments, given, &dataset, log.as_ref())?;
    let in_searches = searches.iter().flat_map(SuffixSearch::candidates);
    let measured: Vec<Candidate> = candidates.iter().chain(in_searches).cloned().collect();
    let (profile, found, read) = data(
        &dataset,
        &measured,
        &scenario,
        (
            arguments.scenario.time.as_ref(),
            arguments.top,
            arguments.inputs.memory.as_u64(),
        ),
        log.as_ref(),
    )?;

    let today = log
        .as_ref()
        .and_then(|read| current_paths(&scenario, &read.log));
    if let (Some(read), None) = (&mut log, &today) {
        let arrays = std::mem::take(&mut read.key_arrays);
        read.problems.merge(arrays);
    }
    let joins = log
        .as_ref()
        .map(|read| Joins::new(&found, &read.log, today.as_deref()));
    let workload = log
        .as_ref()
        .zip(joins.as_ref())
        .map(|(read, joins)| workload(&read.log, joins, &profile, &scenario));
    let frame = frame(&profile, workload.as_ref(), &scenario);
    simulated(&frame)?;
    let threads = arguments.inputs.threads();
    let mut compared = compare(&profile, workload.as_ref(), &scenario, &frame, threads);
    let of_searches = compared.split_off(candidates.len());
    look_ahead(&mut compared, workload.as_ref(), &scenario, &frame, threads);
    let prices = arguments.prices.prices(scenario.autoscale);
    let given = scenario.throughput.is_some();
    let searches = outcomes(
        searches,
        of_searches,
        &prices,
        &frame,
        (scenario.index_factor / frame.sample_share, given),
    );
    let (assessed, recommendation) = assess(
        compared,
        &frame,
        &scenario,
        workload.as_ref(),
        &profile,
        &prices,
        policy,
    );
    let report = build(&Input {
        settings: settings(arguments),
        files: named(dataset.files(), &dataset.formats(), &dataset.packings()),
        items: profile.items(),
        bytes: profile.bytes(),
        problems: &read.problems,
        columns: dataset.columns(),
        log: log
            .as_ref()
            .zip(workload.as_ref())
            .map(|(read, workload)| LogInput {
                files: named(read.files.clone(), &read.formats, &[]),
                rows: read.rows,
                problems: &read.problems,
                workload,
            }),
        scenario: &scenario,
        frame: &frame,
        assessed: &assessed,
        recommendation: &recommendation,
        proposed: &reasons,
        searches: &searches,
        top: arguments.top,
    });
    progress.summary(&report);
    Ok(if arguments.redact {
        report.redacted()
    } else {
        report
    })
}

/// The log, its rates turned into operations.
fn log(arguments: &AnalyzeArguments, scenario: &Scenario) -> Result<Option<LogRead>, Failure> {
    let mut log = arguments.inputs.log()?;
    if let Some(read) = &mut log {
        settle_rates(&mut read.log, scenario).map_err(|error| {
            let message =
                format!("{error}\n  hint: give --log-duration, the time that the log covers");
            Failure::new(ExitCode::Usage, message)
        })?;
    }
    Ok(log)
}

/// What came of searches for a suffix, whose candidates were measured one search after the other.
/// `scale` is the bytes of the container for each of the files; `given` says that the throughput is.
fn outcomes(
    searches: Vec<SuffixSearch>,
    mut measured: Vec<Compared>,
    prices: &Prices,
    frame: &Frame,
    (scale, given): (f64, bool),
) -> Vec<(SuffixSearch, SuffixOutcome)> {
    let outcome = |search: SuffixSearch| {
        let rest = measured.split_off(search.candidates().count());
        let of_search = std::mem::replace(&mut measured, rest);
        let outcome = search.outcome(&of_search, prices, frame.container_bytes, scale, given);
        (search, outcome)
    };
    searches.into_iter().map(outcome).collect()
}

/// Refuses a container with more physical partitions than are simulated.
fn simulated(frame: &Frame) -> Result<(), Failure> {
    let needed = frame.container_bytes.div_ceil(PHYSICAL_PARTITION_BYTES_MAX);
    if needed > u64::from(LAYOUT_PARTITIONS_MAX) {
        let message = format!(
            "so large a container has {needed} physical partitions, and {LAYOUT_PARTITIONS_MAX} at most are simulated\n  hint: check --total-size, --total-items and --sample-share"
        );
        return Err(Failure::new(ExitCode::Usage, message));
    }
    Ok(())
}

fn settings(arguments: &AnalyzeArguments) -> std::collections::BTreeMap<String, serde_json::Value> {
    let mut settings = arguments.scenario.settings();
    let prices = arguments.prices.prices(settings["autoscale"] == true);
    settings.insert("price-ru".to_owned(), prices.per_100_ru_hour.into());
    settings.insert("price-storage".to_owned(), prices.per_gb_month.into());
    settings.insert("regions".to_owned(), prices.regions.into());
    settings.insert(
        "csv-strings".to_owned(),
        arguments.inputs.csv_strings.into(),
    );
    settings.insert("memory".to_owned(), arguments.inputs.memory.as_u64().into());
    settings
}

fn named(
    files: Vec<String>,
    formats: &[&'static str],
    packings: &[Vec<&'static str>],
) -> Vec<FileInput> {
    let of = |(index, name): (usize, String)| FileInput {
        name,
        format: formats.get(index).copied().unwrap_or_default(),
        packing: packings.get(index).cloned().unwrap_or_default(),
    };
    files.into_iter().enumerate().map(of).collect()
}

/// Bytes that candidates are proposed from.
const LOOK_BYTES: u64 = 64 * 1024 * 1024;

/// The candidates that were given and those that are proposed, with the reasons for the latter.
fn proposed(
    arguments: &AnalyzeArguments,
    mut candidates: Vec<Candidate>,
    dataset: &Dataset,
    log: Option<&LogRead>,
) -> Result<(Vec<Candidate>, Reasons), Failure> {
    let mut reasons = Reasons::new();
    if !arguments.keys.proposes() {
        return Ok((candidates, reasons));
    }
    let mut discovery = Discovery::default();
    dataset
        .look(LOOK_BYTES, |item| discovery.add(item))
        .map_err(|error| unreadable(&error))?;
    let filters = log.map(|read| Filters::of(&read.log)).unwrap_or_default();
    let most = arguments.keys.max_proposals as usize;
    for text in &arguments.keys.why_not {
        let candidate = read_key("why-not", text, arguments.keys.version())?;
        let why = why_not(&candidate, &discovery, &filters, most);
        let why = why.unwrap_or_else(|| "it is among those proposed".to_owned());
        // A closed stream is no reason to fail.
        let _ = writeln!(io::stderr(), "{text}: {why}");
    }
    if arguments.keys.keys.is_empty() || arguments.keys.propose {
        for proposal in propose(&discovery, &filters, most) {
            let known = candidates
                .iter()
                .any(|one| one.levels == proposal.candidate.levels);
            if !known {
                reasons.insert(proposal.candidate.text.clone(), proposal.reason);
                candidates.push(proposal.candidate);
            }
        }
    }
    if candidates.is_empty() && discovery.items() > 0 {
        let message = "no property is in nearly all items with more than one value, so there is nothing to propose; give a --key";
        return Err(Failure::new(ExitCode::Input, message));
    }
    Ok((candidates, reasons))
}

/// All that one pass over the data gives.
fn data(
    dataset: &Dataset,
    candidates: &[Candidate],
    scenario: &Scenario,
    (time, named, memory): (Option<&PropertyPath>, usize, u64),
    log: Option<&LogRead>,
) -> Result<(Profile, FoundItems, DatasetRead), Failure> {
    let settings = ProfileSettings {
        seed: scenario.seed,
        overhead_bytes: scenario.item_overhead_bytes,
        time: time.cloned(),
        named,
        threads: dataset.threads(),
        memory,
    };
    let mut fields = Fields::default();
    let profiler = Profiler::new(candidates, &settings, &mut fields);
    let wanted = Arc::new(log.map_or_else(Wanted::default, |read| {
        Wanted::new(
            read.log.ids(),
            paths(candidates, scenario, read),
            &mut fields,
        )
    }));
    let empty = || (profiler.sibling(), FoundItems::new(Arc::clone(&wanted)));
    let (parts, mut read) = dataset
        .read_fields(&Arc::new(fields), empty, |(profiler, found), item| {
            profiler.add(item);
            found.add(item);
        })
        .map_err(|error| unreadable(&error))?;
    let first = empty();
    let (profiler, found) = parts
        .into_iter()
        .fold(first, |(profiler, mut found), part| {
            found.merge(part.1);
            (profiler.merge(part.0), found)
        });
    if read.items == 0 {
        let message = format!(
            "the data hold no usable item{}",
            because(&read.problems, &dataset.files())
        );
        return Err(Failure::new(ExitCode::Input, message));
    }
    let profile = profiler.finish(std::mem::take(&mut read.names));
    Ok((profile, found, read))
}

/// The properties that are needed of items which the log names by id.
fn paths(candidates: &[Candidate], scenario: &Scenario, read: &LogRead) -> Vec<PropertyPath> {
    let mut paths: Vec<PropertyPath> = candidates
        .iter()
        .flat_map(Candidate::sources)
        .cloned()
        .chain(scenario.always.iter().cloned())
        .chain(current_paths(scenario, &read.log).unwrap_or_default())
        .collect();
    for access in read.log.accesses.forms() {
        if let (Some(_), Condition::Known(condition)) = (&access.id, &access.condition) {
            paths.extend(condition.properties().into_iter().cloned());
        }
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}
