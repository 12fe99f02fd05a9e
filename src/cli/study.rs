//! From arguments to a report: all layers, one after the other.

use super::analyze::AnalyzeArguments;
use super::data::{self, Sought};
use super::inputs::InputArguments;
use super::progress::Progress;
use super::{ExitCode, Failure};
use crate::assess::{Basis, Policy, assess};
use crate::ingest::LogRead;
use crate::model::limits::{LAYOUT_PARTITIONS_MAX, PHYSICAL_PARTITION_BYTES_MAX};
use crate::report::v1::Report;
use crate::report::{FileInput, Input, LogInput, build};
use crate::simulate::{
    Compared, Frame, Joins, Prices, Scenario, SuffixOutcome, SuffixSearch, compare, current_paths,
    frame, look_ahead, settle_rates, workload,
};

/// Reads what the arguments name, and compares the candidates under a policy.
pub(super) fn study(arguments: &AnalyzeArguments, policy: &Policy) -> Result<Report, Failure> {
    let (given, current_key) = arguments.keys.candidates()?;
    let scenario = arguments.scenario.scenario(current_key.clone())?;
    let searches = arguments.keys.suffix_searches()?;

    let progress = Progress::start(arguments.quiet);
    let mut log = log(&arguments.inputs, &scenario)?;
    let data = data::read(
        &Sought {
            inputs: &arguments.inputs,
            keys: &arguments.keys,
            items: &arguments.scenario.items,
            top: arguments.top,
            given,
            current_key: current_key.as_ref(),
            searches: &searches,
            log: log.as_ref(),
        },
        &progress,
    )?;
    let profile = &data.profile;

    let today = log
        .as_ref()
        .and_then(|read| current_paths(current_key.as_ref(), &read.log));
    if let (Some(read), None) = (&mut log, &today) {
        let arrays = std::mem::take(&mut read.key_arrays);
        read.problems.merge(arrays);
    }
    let joins = log
        .as_ref()
        .map(|read| Joins::new(&data.found, &read.log, today.as_deref()));
    let workload = log
        .as_ref()
        .zip(joins.as_ref())
        .map(|(read, joins)| workload(&read.log, joins, profile, &scenario));
    let frame = frame(profile, workload.as_ref(), &scenario);
    simulated(&frame)?;
    let threads = arguments.inputs.threads();
    let mut compared = compare(profile, workload.as_ref(), &scenario, &frame, threads);
    let of_searches = compared.split_off(data.compared);
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
    let basis = Basis {
        frame: &frame,
        scenario: &scenario,
        workload: workload.as_ref(),
        profile,
        threads,
    };
    let (assessed, recommendation) = assess(compared, basis, &prices, policy);
    let report = build(&Input {
        settings: settings(arguments),
        files: data.files,
        items: profile.items(),
        bytes: profile.bytes(),
        problems: &data.problems,
        columns: &data.columns,
        log: log
            .as_ref()
            .zip(workload.as_ref())
            .map(|(read, workload)| LogInput {
                files: log_files(read),
                rows: read.rows,
                problems: &read.problems,
                workload,
            }),
        scenario: &scenario,
        frame: &frame,
        assessed: &assessed,
        recommendation: &recommendation,
        proposed: &data.reasons,
        searches: &searches,
        top: arguments.top,
        threads,
    });
    progress.summary(&report);
    Ok(if arguments.redact {
        report.redacted()
    } else {
        report
    })
}

/// The log, its rates turned into operations.
fn log(inputs: &InputArguments, scenario: &Scenario) -> Result<Option<LogRead>, Failure> {
    let mut log = inputs.log()?;
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

fn log_files(read: &LogRead) -> Vec<FileInput> {
    let files = read.files.iter().zip(&read.formats);
    files
        .map(|(name, format)| FileInput {
            name: name.clone(),
            format: (*format).to_owned(),
            packing: Vec::new(),
        })
        .collect()
}
