//! When logical partitions reach their limit and physical ones split, if items keep coming as they do.

use crate::keys::{Candidate, Level, Part, TimeUnit, Transform};
use crate::model::KeyValue;
use crate::model::limits::PHYSICAL_PARTITION_BYTES_MAX;
use crate::profile::{LogicalPartition, LogicalPartitions};

/// Seconds in a day.
pub const DAY: f64 = 86_400.0;

/// Items of a value from which on its growth is told.
const ITEMS_MIN: u64 = 3;

/// A value is closed when nothing came for so many times its mean distance between items ...
const SILENT_GAPS: f64 = 6.0;

/// ... and for this share of the time that all data cover.
const SILENT_SHARE: f64 = 0.02;

/// When this share of the values is closed, values have lifetimes.
const CLOSED_SHARE: f64 = 0.8;

/// Values from which on that share says something.
const CLOSED_MIN: usize = 5;

/// What takes longer than this, in seconds, is never.
const NEVER: f64 = 100.0 * 365.25 * DAY;

/// Standard deviations on each side of a 95 % interval.
const DEVIATIONS: f64 = 1.96;

/// What is assumed about growth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GrowthSettings {
    /// Items live this long, in seconds.
    pub ttl_seconds: Option<f64>,
    /// Bytes that come to the container each day, where the user knows better than the data.
    pub bytes_per_day: Option<f64>,
    /// How far ahead is looked, in seconds.
    pub horizon_seconds: f64,
}

/// The growth of the data under a candidate. Moments are in seconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// The time of the first and the last item.
    pub span: (i64, i64),
    /// Bytes that come to the container each day.
    pub bytes_per_day: f64,
    /// The first logical partition that reaches the limit.
    pub breach: Option<Breach>,
    /// Why none does.
    pub never: Option<String>,
    /// Physical partitions that reach their size, by index, with the moment, the first first.
    pub splits: Vec<(usize, i64)>,
    /// The container at the horizon.
    pub horizon: Horizon,
}

/// A logical partition that reaches the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// Its key value.
    pub value: KeyValue,
    /// When.
    pub at: i64,
    /// The earliest and the latest moment with 95 % confidence; the latest may be never.
    pub between: (i64, Option<i64>),
}

/// The container some time ahead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Horizon {
    /// When.
    pub at: i64,
    /// Its bytes.
    pub bytes: f64,
    /// How many times as large the values of today are. Where values stop growing, they stay as they are,
    /// and what comes is of new ones.
    pub times: f64,
    /// Logical partitions over the limit by then.
    pub over_limit: u64,
}

/// A value that grows.
struct Line<'a> {
    of: LogicalPartition<'a>,
    bytes: f64,
    /// Bytes a second.
    rate: f64,
    /// The standard deviation of the rate as a share of it.
    deviation: f64,
    /// When it stops to grow, in seconds from the end of the data.
    until: f64,
}

/// The growth of logical partitions of which the files hold a share, so that `scale` is the bytes of the
/// container for each of theirs. `None` where no item tells its time.
pub(super) fn growth(
    candidate: &Candidate,
    logical: &LogicalPartitions,
    physical_bytes: &[u64],
    scale: f64,
    limit: f64,
    settings: &GrowthSettings,
) -> Option<Growth> {
    let times = || logical.iter().filter_map(|one| one.times);
    let start = times().map(|(first, _)| first).min()?;
    let end = times().map(|(_, last)| last).max()?;
    let span = (end - start) as f64;
    let items: u64 = logical
        .iter()
        .map(|one| one.timed_items * one.stands_for)
        .sum();
    if span <= 0.0 || items < ITEMS_MIN {
        return None;
    }
    let total = logical.iter().map(|one| one.all_bytes as f64).sum::<f64>() * scale;
    let measured = total * (items - 1) as f64 / items as f64 / span;
    let rate = settings.bytes_per_day.map_or(measured, |bytes| bytes / DAY);
    let lifetime = bucket(candidate).or_else(|| lifetime(logical, end, span));
    let lines: Vec<Line> = logical
        .iter()
        .filter_map(|one| {
            line(
                one,
                (end, span),
                scale,
                rate / total.max(1.0),
                settings,
                lifetime,
            )
        })
        .collect();
    let reach = |line: &Line, rate: f64| {
        if line.bytes >= limit {
            return Some(0.0);
        }
        let cap = settings.ttl_seconds.map_or(f64::INFINITY, |ttl| rate * ttl);
        let wait = (limit - line.bytes) / rate;
        (rate > 0.0 && cap > limit && wait <= line.until.min(NEVER)).then_some(wait)
    };
    let first = lines
        .iter()
        .filter_map(|line| Some((line, reach(line, line.rate)?)))
        .min_by(|one, other| {
            one.1
                .total_cmp(&other.1)
                .then_with(|| one.0.of.epk_bytes().cmp(other.0.of.epk_bytes()))
        });
    let moment = |wait: f64| end.saturating_add(wait as i64);
    let breach = first.map(|(line, wait)| {
        let margin = DEVIATIONS * line.deviation;
        let early = reach(line, line.rate * (1.0 + margin)).unwrap_or(wait);
        let late = reach(line, line.rate * (1.0 - margin).max(0.0));
        Breach {
            value: line.of.value().unwrap_or(KeyValue(Vec::new())),
            at: moment(wait),
            between: (moment(early), late.map(moment)),
        }
    });
    let never = breach
        .is_none()
        .then(|| why_never(&lines, lifetime, settings));
    let horizon = settings.horizon_seconds;
    let bytes = match settings.ttl_seconds {
        Some(ttl) => (total + rate * horizon).min((rate * ttl).max(total)),
        None => total + rate * horizon,
    };
    let over = lines
        .iter()
        .filter(|line| reach(line, line.rate).is_some_and(|wait| wait <= horizon));
    Some(Growth {
        span: (start, end),
        bytes_per_day: rate * DAY,
        breach,
        never,
        splits: splits(physical_bytes, scale, rate, total, settings)
            .into_iter()
            .map(|(index, wait)| (index, moment(wait)))
            .collect(),
        horizon: Horizon {
            at: moment(horizon),
            bytes,
            times: match lifetime {
                Some(_) => 1.0,
                None => bytes / total.max(1.0),
            },
            over_limit: over.map(|line| line.of.stands_for).sum(),
        },
    })
}

/// How a value grows; `None` of one that is closed and below the limit, or of which too little is known.
fn line<'a>(
    of: LogicalPartition<'a>,
    (end, span): (i64, f64),
    scale: f64,
    rate_per_byte: f64,
    settings: &GrowthSettings,
    lifetime: Option<f64>,
) -> Option<Line<'a>> {
    let (first, last) = of.times?;
    let items = of.timed_items;
    let own = (last - first) as f64;
    if items < ITEMS_MIN || own <= 0.0 {
        return None;
    }
    let bytes = of.bytes as f64 * scale;
    let rate = match settings.bytes_per_day {
        Some(_) => bytes * rate_per_byte,
        None => bytes * (items - 1) as f64 / items as f64 / own,
    };
    let until = lifetime.map_or(f64::INFINITY, |lifetime| {
        (first as f64 + lifetime - end as f64).max(0.0)
    });
    Some(Line {
        of,
        bytes,
        rate: if is_closed(&of, end, span) { 0.0 } else { rate },
        deviation: (of.squared_bytes as f64).sqrt() / (of.bytes as f64).max(1.0),
        until,
    })
}

/// Whether nothing came to a value for long.
fn is_closed(of: &LogicalPartition<'_>, end: i64, span: f64) -> bool {
    let Some((first, last)) = of.times else {
        return false;
    };
    let gap = (last - first) as f64 / (of.timed_items.max(2) - 1) as f64;
    let silent = (end - last) as f64;
    silent > SILENT_GAPS * gap && silent > SILENT_SHARE * span
}

/// How long a key value takes items, where the key cuts moments to units.
fn bucket(candidate: &Candidate) -> Option<f64> {
    let units = candidate.levels.iter().flat_map(|level| match level {
        Level::Path(_) => &[],
        Level::Template(parts) => parts.as_slice(),
    });
    let seconds = units.filter_map(|part| match part {
        Part::Value(_, Some(Transform::Time(unit))) => Some(match unit {
            TimeUnit::Year => 366.0 * DAY,
            TimeUnit::Month => 31.0 * DAY,
            TimeUnit::Day => DAY,
            TimeUnit::Hour => 3600.0,
            TimeUnit::Minute => 60.0,
        }),
        _ => None,
    });
    seconds.min_by(f64::total_cmp)
}

/// How long values take items, where nearly all of them are closed.
fn lifetime(logical: &LogicalPartitions, end: i64, span: f64) -> Option<f64> {
    let told = || logical.iter().filter(|one| one.timed_items >= ITEMS_MIN);
    let closed = || told().filter(|one| is_closed(one, end, span));
    let (all, over) = (told().count(), closed().count());
    if over < CLOSED_MIN || (over as f64) < CLOSED_SHARE * all as f64 {
        return None;
    }
    let lives = closed().filter_map(|one| one.times.map(|(first, last)| (last - first) as f64));
    lives.max_by(f64::total_cmp)
}

fn why_never(lines: &[Line], lifetime: Option<f64>, settings: &GrowthSettings) -> String {
    if lines.is_empty() {
        return format!("no key value has {ITEMS_MIN} items with different times");
    }
    if lines.iter().all(|line| line.rate <= 0.0) {
        return "no key value grows any more".to_owned();
    }
    if let Some(lifetime) = lifetime {
        return format!(
            "a key value takes items for {} and no longer",
            duration(lifetime)
        );
    }
    if let Some(ttl) = settings.ttl_seconds {
        return format!(
            "items live for {}, and no key value gets 20 GB in that time",
            duration(ttl)
        );
    }
    "at this rate it takes more than 100 years".to_owned()
}

/// A time in seconds for people, in the largest unit of which there are two at least.
pub fn duration(seconds: f64) -> String {
    let units = [
        (DAY, "days"),
        (3600.0, "hours"),
        (60.0, "minutes"),
        (1.0, "seconds"),
    ];
    let found = units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit);
    let (unit, name) = found.unwrap_or((1.0, "seconds"));
    format!("{:.0} {name}", seconds / unit)
}

/// When physical partitions reach the size at which they split, within the horizon.
fn splits(
    physical_bytes: &[u64],
    scale: f64,
    rate: f64,
    total: f64,
    settings: &GrowthSettings,
) -> Vec<(usize, f64)> {
    let most = PHYSICAL_PARTITION_BYTES_MAX as f64;
    let mut splits: Vec<(usize, f64)> = physical_bytes
        .iter()
        .enumerate()
        .filter_map(|(index, bytes)| {
            let bytes = *bytes as f64 * scale;
            let rate = rate * bytes / total.max(1.0);
            let cap = settings
                .ttl_seconds
                .map_or(f64::INFINITY, |ttl| (rate * ttl).max(bytes));
            let wait = (most - bytes) / rate;
            (bytes < most && cap > most && wait <= settings.horizon_seconds)
                .then_some((index, wait))
        })
        .collect();
    splits.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
    splits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Epk, KeyComponent, KeyVersion};
    use crate::profile::Given;

    /// Values with items of 1 KiB each second over these seconds.
    fn values(spans: &[(i64, i64)]) -> LogicalPartitions {
        let of = |(index, (first, last)): (usize, &(i64, i64))| {
            let items = (last - first + 1) as u64;
            Given {
                epk: Some(Epk::from_bytes(vec![index as u8])),
                value: Some(value(index)),
                items,
                bytes: items * 1024,
                squared_bytes: items * 1024 * 1024,
                times: Some((*first, *last)),
                timed_items: items,
            }
        };
        LogicalPartitions::given(spans.iter().enumerate().map(of))
    }

    fn value(index: usize) -> KeyValue {
        KeyValue(vec![KeyComponent::Number(index as f64)])
    }

    fn of(key: &str, spans: &[(i64, i64)], settings: &GrowthSettings) -> Growth {
        let candidate = Candidate::parse(key, KeyVersion::V2).expect(key);
        let limit = 20.0 * 1024_f64.powi(3);
        growth(&candidate, &values(spans), &[], 1.0, limit, settings).expect("times")
    }

    fn settings() -> GrowthSettings {
        GrowthSettings {
            horizon_seconds: 365.0 * DAY,
            ..GrowthSettings::default()
        }
    }

    #[test]
    fn a_device_that_writes_a_kib_each_second_is_full_on_day_243() {
        // Worked scenario 7, which counts 20 GiB.
        let growth = of("/deviceId", &[(0, 86_400)], &settings());
        let breach = growth.breach.expect("a breach");
        assert_eq!((breach.at as f64 / DAY).ceil() as u64, 243);
        assert!(breach.between.0 < breach.at && breach.between.1.expect("a day") > breach.at);
        assert_eq!(growth.horizon.over_limit, 1);
        // With a bucket of a minute it never is.
        let minutes: Vec<(i64, i64)> = (0..100).map(|n| (n * 60, n * 60 + 59)).collect();
        let growth = of("{/deviceId}-{/ts|minute}", &minutes, &settings());
        assert_eq!(growth.breach, None);
        assert!(growth.never.expect("a reason").contains("60 seconds"));
    }

    #[test]
    fn closed_periods_do_not_grow_and_tell_how_long_others_will() {
        let days: Vec<(i64, i64)> = (0..30).map(|n| (n * 86_400, n * 86_400 + 86_399)).collect();
        let growth = of("/day", &days, &settings());
        assert_eq!(growth.breach, None);
        assert!(growth.never.expect("a reason").contains("24 hours"));
        // One that is still open grows on.
        let growth = of("/tenant", &[(0, 1000), (0, 86_400)], &settings());
        assert_eq!(growth.breach.expect("a breach").value, value(1));
    }

    #[test]
    fn a_time_to_live_caps_what_is_held() {
        let with = |days: f64| GrowthSettings {
            ttl_seconds: Some(days * DAY),
            ..settings()
        };
        let capped = of("/deviceId", &[(0, 86_400)], &with(200.0));
        assert_eq!(capped.breach, None);
        assert!(capped.never.expect("a reason").contains("200 days"));
        assert!(capped.horizon.bytes < 1024.0 * 86_401.0 * 201.0);
        assert!(
            of("/deviceId", &[(0, 86_400)], &with(300.0))
                .breach
                .is_some()
        );
    }

    #[test]
    fn growth_that_the_user_knows_goes_before_the_measured() {
        let given = GrowthSettings {
            bytes_per_day: Some(10.0 * 1024.0 * 86_400.0),
            ..settings()
        };
        let growth = of("/deviceId", &[(0, 86_400)], &given);
        let days = growth.breach.expect("a breach").at as f64 / DAY;
        assert!((24.0..26.0).contains(&days), "{days}");
    }

    #[test]
    fn physical_partitions_split_in_the_order_in_which_they_fill() {
        let settings = settings();
        let splits = splits(&[10, 30, 20], 1e9, 1e9 / DAY * 60.0, 60e9, &settings);
        let days: Vec<(usize, u64)> = splits
            .iter()
            .map(|(index, wait)| (*index, (wait / DAY).round() as u64))
            .collect();
        assert_eq!(days, [(1, 1), (2, 2), (0, 4)]);
    }
}
