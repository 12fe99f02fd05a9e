//! One candidate of the document.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::HashMap;

use hdrhistogram::Histogram;
use jiff::Timestamp;
use jiff::tz::Offset;
use rustc_hash::FxBuildHasher;
use serde_json::Value;

use super::{Input, finding, scaled};
use crate::assess::{Assessed, visited_mean};
use crate::model::limits::LOGICAL_PARTITION_BYTES_MAX;
use crate::model::units::from_micro;
use crate::model::{KeyComponent, KeyKind, KeyValue, KeyVersion};
use crate::profile::{LogicalPartition, LogicalPartitions, sizes_of};
use crate::report::v1;
use crate::simulate::{
    Growth, Later, Measured, MonthlyCost, Routing, RoutingSummary, Whole, Workload, partition_count,
};

/// A key value in the service's notation.
fn value(key: &KeyValue) -> Value {
    let component = |component: &KeyComponent| match component {
        KeyComponent::Undefined => Value::Object(serde_json::Map::new()),
        KeyComponent::Null => Value::Null,
        KeyComponent::Bool(flag) => Value::Bool(*flag),
        KeyComponent::Number(number) => {
            // Whole numbers as people write them: 5, not 5.0.
            match number.to_string().parse::<i64>() {
                Ok(whole) if number.is_sign_positive() || whole != 0 => Value::from(whole),
                _ => serde_json::Number::from_f64(*number).map_or(Value::Null, Value::Number),
            }
        }
        KeyComponent::String(text) => Value::String(text.to_string()),
    };
    Value::Array(key.0.iter().map(component).collect())
}

pub(super) fn candidate(input: &Input, rank: u64, assessed: &Assessed) -> v1::Candidate {
    let bench = &assessed.compared.bench;
    let candidate = bench.profile.candidate();
    let definition = candidate.definition();
    let levels = bench.profile.level_counts();
    let measured = &assessed.compared.measured;
    v1::Candidate {
        key: candidate.text.clone(),
        strategy: candidate.strategy().name().to_owned(),
        definition: v1::Definition {
            paths: definition.paths.iter().map(ToString::to_string).collect(),
            kind: match definition.kind {
                KeyKind::Hash => "Hash",
                KeyKind::MultiHash => "MultiHash",
            }
            .to_owned(),
            version: match definition.version {
                KeyVersion::V1 => 1,
                KeyVersion::V2 => 2,
            },
        },
        rank,
        verdict: assessed.verdict.name().to_owned(),
        cardinality: v1::Cardinality {
            distinct: levels.last().copied().unwrap_or(0),
            levels: levels.to_vec(),
            exact: bench.logical.approximation().is_none(),
            margin: bench.logical.approximation().map(|one| one.count_margin),
            coverage: coverage(input, bench.logical).map(|(share, _)| share),
            at_least: coverage(input, bench.logical).map(|(_, least)| least),
            missing_items: bench.profile.missing_items(),
            null_items: bench.profile.null_items(),
            parts_without_text: bench.profile.parts_without_text(),
            value_bytes_max: bench.profile.value_bytes_max(),
        },
        logical_partitions: logical_partitions(input, assessed),
        physical_partitions: physical_partitions(input, measured),
        routing: measured
            .routing
            .as_ref()
            .zip(input.log.as_ref())
            .map(|(routing, log)| routing_of(routing, log.workload)),
        throughput: throughput(input, assessed),
        growth: assessed
            .compared
            .growth
            .as_ref()
            .map(|one| growth(input, assessed, one)),
        cost: assessed.cost.map(|cost| v1::Cost {
            total: cost.total,
            even: cost.even,
            fan_out: cost.fan_out,
            skew: cost.skew,
            storage: cost.storage,
        }),
        findings: assessed.findings.iter().map(finding).collect(),
        ignored: assessed
            .ignored
            .iter()
            .map(|one| v1::Ignored {
                reason: one.reason.clone(),
                finding: finding(&one.finding),
            })
            .collect(),
        proposed: input.proposed.get(&candidate.text).cloned(),
        lost: assessed.lost.clone(),
        current: input.scenario.current_key.as_ref() == Some(candidate),
    }
}

/// The day of a moment in seconds since 1970; the last one of the calendar where that is beyond it.
fn day(seconds: i64) -> String {
    let moment = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    Offset::UTC.to_datetime(moment).date().to_string()
}

/// The load of the log at the horizon.
fn load_then(later: &Later, cost: Option<MonthlyCost>) -> Option<v1::HorizonLoad> {
    let throughput = later.measured.throughput.as_ref()?;
    let routing = later.measured.routing.as_ref();
    Some(v1::HorizonLoad {
        throughput: later.frame.throughput,
        partitions_visited_mean: routing.and_then(visited_mean),
        hottest_share: throughput.hottest_share,
        throttled_share: throughput.throttled_share,
        required: later.required.as_ref().and_then(|one| one.throughput),
        cost: cost.map(|cost| cost.total),
    })
}

fn growth(input: &Input, assessed: &Assessed, growth: &Growth) -> v1::Growth {
    let moment = |seconds: i64| {
        let moment = Timestamp::from_second(seconds);
        moment.map_or_else(|_| day(seconds), |moment| moment.to_string())
    };
    let bytes = growth.horizon.bytes as u64;
    let later = assessed.compared.later.as_ref();
    let derived = partition_count(input.frame.throughput.unwrap_or(0), bytes) as u32;
    v1::Growth {
        first: moment(growth.span.0),
        last: moment(growth.span.1),
        bytes_per_day: growth.bytes_per_day,
        breach: growth.breach.as_ref().map(|breach| v1::Breach {
            value: value(&breach.value),
            day: day(breach.at),
            earliest: day(breach.between.0),
            latest: breach.between.1.map(day),
        }),
        never: growth.never.clone(),
        splits: growth
            .splits
            .iter()
            .map(|(partition, at)| v1::Split {
                partition: *partition as u64,
                day: day(*at),
            })
            .collect(),
        horizon: v1::Horizon {
            day: day(growth.horizon.at),
            bytes,
            partitions: later.map_or(derived, |later| later.measured.physical.len() as u32),
            over_limit: growth.horizon.over_limit,
            load: later.and_then(|later| load_then(later, assessed.later_cost)),
        },
    }
}

fn logical_partitions(input: &Input, assessed: &Assessed) -> v1::LogicalPartitions {
    let logical = &assessed.compared.bench.logical;
    let total: u64 = logical.iter().map(|one| one.all_bytes).sum();
    let scale = input.scenario.index_factor / input.frame.sample_share;
    let limit = LOGICAL_PARTITION_BYTES_MAX as f64;
    let over = logical
        .iter()
        .filter(|one| one.bytes as f64 * scale > limit);
    let sample_share = input.frame.sample_share;
    let (mut certain, mut possible) = (0, 0);
    for one in logical.iter() {
        if let Some(size) = input.scenario.size_of(&one, sample_share) {
            certain += u64::from(size.low > limit) * one.stands_for;
            possible += u64::from(size.high > limit) * one.stands_for;
        }
    }
    let all = Whole::of(logical);
    v1::LogicalPartitions {
        bytes: sizes(logical.iter().map(|one| (one.bytes, one.stands_for))),
        items: sizes(logical.iter().map(|one| (one.items, one.stands_for))),
        over_limit: over.map(|one| one.stands_for).sum(),
        over_limit_certain: Some(certain),
        over_limit_possible: Some(possible),
        first_breach: assessed
            .compared
            .growth
            .as_ref()
            .and_then(|growth| growth.breach.as_ref())
            .map(|breach| day(breach.at)),
        histogram: histogram(
            logical
                .iter()
                .map(|one| (one.bytes as f64 * scale, one.stands_for)),
        ),
        top: largest(logical, input.top)
            .into_iter()
            .map(|one| v1::LogicalPartition {
                value: one.value().map_or(Value::Null, |known| value(&known)),
                epk: one.epk().to_string(),
                items: one.items,
                bytes: one.bytes,
                scaled: scaled(input, one.items, one.bytes),
                share: one.bytes as f64 / total.max(1) as f64,
                share_interval: all.share_of(&one, sample_share).map(|of| v1::Interval {
                    low: of.low,
                    high: of.high,
                }),
                bytes_interval: (sample_share < 1.0)
                    .then(|| input.scenario.size_of(&one, sample_share))
                    .flatten()
                    .map(|size| v1::Interval {
                        low: size.low,
                        high: size.high,
                    }),
            })
            .collect(),
    }
}

fn sizes(values: impl Iterator<Item = (u64, u64)>) -> Option<v1::Sizes> {
    sizes_of(values).map(|sizes| v1::Sizes {
        p50: sizes.p50,
        p90: sizes.p90,
        p99: sizes.p99,
        max: sizes.max,
    })
}

/// The heaviest logical partitions, so many of them; of equal ones the first in the order of keys.
fn largest(logical: &LogicalPartitions, count: usize) -> Vec<LogicalPartition<'_>> {
    let mut heap = BinaryHeap::new();
    // Of those that stand for others only the heavy ones have a name.
    let all = logical.approximation().is_none();
    let named = |one: &LogicalPartition| all || one.components().is_some();
    for (place, one) in logical.iter().enumerate().filter(|(_, one)| named(one)) {
        heap.push(Reverse((one.bytes, Reverse(place))));
        if heap.len() > count {
            heap.pop();
        }
    }
    // The order of what is reversed: the heaviest come first.
    let places = heap.into_sorted_vec().into_iter();
    places
        .flat_map(|Reverse((_, Reverse(place)))| logical.slice(place..place + 1))
        .collect()
}

/// What a sample says of the values that it does not hold: how much of the container it covers, and how
/// many values there are at least.
fn coverage(input: &Input, logical: &LogicalPartitions) -> Option<(f64, u64)> {
    if input.frame.sample_share >= 1.0 || input.items == 0 {
        return None;
    }
    let seen = |items: u64| {
        let of = logical.iter().filter(|one| one.items == items);
        of.map(|one| one.stands_for).sum::<u64>() as f64
    };
    let (once, twice) = (seen(1), seen(2));
    let unseen = if twice > 0.0 {
        once * once / (2.0 * twice)
    } else {
        once * (once - 1.0).max(0.0) / 2.0
    };
    let least = logical.count() as f64 + unseen;
    // There cannot be more values than items.
    let items = input.items as f64 / input.frame.sample_share;
    Some((1.0 - once / input.items as f64, least.min(items) as u64))
}

/// How many sizes there are from each power of two on.
fn histogram(sizes: impl Iterator<Item = (f64, u64)>) -> Vec<v1::SizeClass> {
    let mut counts = [0; u64::BITS as usize];
    for (size, count) in sizes {
        counts[(size as u64).max(1).ilog2() as usize] += count;
    }
    let classes = counts.into_iter().enumerate();
    classes
        .filter(|(_, count)| *count > 0)
        .map(|(power, count)| v1::SizeClass {
            bytes_min: 1 << power,
            count,
        })
        .collect()
}

fn physical_partitions(input: &Input, measured: &Measured) -> Vec<v1::PhysicalPartition> {
    let with_log = input.log.is_some();
    let total: u128 = measured.physical.iter().map(|one| one.charge).sum();
    measured
        .physical
        .iter()
        .map(|one| (one, scaled(input, one.data.items, one.data.bytes)))
        .map(|(one, scaled)| v1::PhysicalPartition {
            min: one.data.min.to_string(),
            max: one.data.max.to_string(),
            bytes: scaled.bytes,
            items: scaled.items,
            logical_partitions: one.data.logical_partitions,
            charge: with_log.then(|| from_micro(one.charge)),
            charge_share: (with_log && total > 0).then(|| one.charge as f64 / total as f64),
            utilization: one.utilization.map(|used| v1::Utilization {
                p50: used.p50,
                p95: used.p95,
                p99: used.p99,
                max: used.max,
            }),
            throttled_share: one.throttled_share,
        })
        .collect()
}

/// Weight of a class.
fn of_class(weights: &[u128; 6], class: Routing) -> f64 {
    let at = Routing::ALL.iter().position(|one| *one == class);
    from_micro(at.map_or(0, |at| weights[at]))
}

fn routing_of(routing: &RoutingSummary, workload: &Workload) -> v1::Routing {
    let of = |class| of_class(&routing.weights, class);
    let mut shapes: Vec<v1::Shape> = routing
        .shapes
        .iter()
        .zip(&workload.log.shapes)
        .filter(|(measured, _)| measured.weights.iter().any(|weight| *weight > 0))
        .map(|(measured, shape)| {
            let weight: u128 = measured.weights.iter().sum();
            let of = |class| of_class(&measured.weights, class);
            let most = Routing::ALL
                .iter()
                .zip(&measured.weights)
                .max_by_key(|(class, weight)| (**weight, **class))
                .map_or(Routing::Unknown, |(class, _)| *class);
            v1::Shape {
                name: shape.name.clone(),
                kind: shape.kind.name().to_owned(),
                operations: from_micro(weight),
                routing: most.name().to_owned(),
                single: of(Routing::Single),
                targeted: of(Routing::Targeted),
                fan_out: of(Routing::FanOut),
                partitions_visited_mean: measured.visits as f64 / weight.max(1) as f64,
                partitions_visited_max: measured.visited_max,
                charge: from_micro(measured.charge),
            }
        })
        .collect();
    shapes.sort_by(|one, other| {
        other
            .operations
            .total_cmp(&one.operations)
            .then_with(|| (&one.kind, &one.name).cmp(&(&other.kind, &other.name)))
    });
    v1::Routing {
        operations: from_micro(routing.weights.iter().sum()),
        single: of(Routing::Single),
        targeted: of(Routing::Targeted),
        fan_out: of(Routing::FanOut),
        none: of(Routing::None),
        invalid: of(Routing::Invalid),
        unknown: of(Routing::Unknown),
        estimated: from_micro(routing.estimated),
        unattributed: from_micro(routing.unattributed),
        partitions_visited: visited(&routing.visited),
        shapes,
    }
}

fn visited(weights: &HashMap<u64, u128, FxBuildHasher>) -> Option<v1::Visited> {
    let mut sorted: Vec<(u64, u128)> = weights
        .iter()
        .map(|(visited, weight)| (*visited, *weight))
        .collect();
    sorted.sort_unstable();
    let total: u128 = sorted.iter().map(|(_, weight)| weight).sum();
    let visits: u128 = sorted
        .iter()
        .map(|(visited, weight)| u128::from(*visited) * weight)
        .sum();
    let (max, _) = *sorted.last()?;
    let mut histogram = Histogram::<u64>::new(3).ok()?;
    for (visited, weight) in &sorted {
        // Scaled so that the sum of the weights fits.
        let count = if total > u128::from(u64::MAX) {
            weight / (total >> 63)
        } else {
            *weight
        };
        histogram.record_n(*visited, count as u64).ok()?;
    }
    Some(v1::Visited {
        mean: visits as f64 / total.max(1) as f64,
        p50: histogram.value_at_quantile(0.5).min(max),
        p99: histogram.value_at_quantile(0.99).min(max),
        max,
    })
}

fn throughput(input: &Input, assessed: &Assessed) -> Option<v1::Throughput> {
    let measured = assessed.compared.measured.throughput.as_ref()?;
    let charge: u128 = assessed
        .compared
        .measured
        .physical
        .iter()
        .map(|one| one.charge)
        .sum();
    let required = assessed.compared.required.as_ref();
    Some(v1::Throughput {
        hottest_share: measured.hottest_share,
        throttled_share: measured.throttled_share,
        throttled_share_worst: measured.throttled_share_worst,
        required: required.and_then(|required| required.throughput),
        required_partitions: required.and_then(|required| required.partitions),
        failing: required.map_or_else(Vec::new, |required| required.failing.clone()),
        overhead_charge: from_micro(measured.overhead),
        charge: from_micro(charge),
        hottest_key: measured
            .hottest_key
            .as_ref()
            .map(|(key, of_key)| v1::HottestKey {
                value: value(key),
                charge: from_micro(*of_key),
                share: *of_key as f64 / charge.max(1) as f64,
            }),
        heat: measured
            .heat
            .as_ref()
            .zip(input.log.as_ref())
            .map(|(heat, log)| {
                let window = log.workload.schedule().map_or(1, |one| one.window_seconds);
                let micro = |charge: &u64| from_micro((*charge).into());
                v1::Heat {
                    seconds: u64::from(heat.windows) * window,
                    pattern: heat.pattern.name().to_owned(),
                    rows: heat
                        .rows
                        .iter()
                        .map(|row| row.iter().map(micro).collect())
                        .collect(),
                }
            }),
    })
}
