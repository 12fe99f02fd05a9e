//! When the operations of a log run: in order, in windows of equal length, rows that stand for many
//! spread over the time they cover.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHasher};

use super::scenario::Scenario;
use crate::model::Log;
use crate::model::units::MICRO;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// Steps, in seconds, in which logs cut their times, and to which windows widen.
const COARSE_SECONDS: [u64; 5] = [60, 300, 900, 3600, 86_400];

/// Widths, in seconds, that the windows of a sampled log try.
const WINDOW_SECONDS: [u64; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/// Logged operations that the mean busy window of a sampled log must hold.
const SAMPLED_OPERATIONS_MIN: u64 = 100;

/// Some requests of one row in one window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    /// Index of the window.
    pub(super) window: u32,
    /// Index of the row.
    pub(super) event: u32,
    /// Number of requests.
    pub(super) requests: u32,
    /// Their weight together, in millionths of an operation.
    pub(super) weight: u64,
}

/// The requests of a log in the order in which they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub(super) slots: Vec<Slot>,
    /// The first slot of each window with requests, and their number at the end.
    starts: Vec<u32>,
    /// Seconds in a window.
    pub window_seconds: u64,
    /// How many windows the log spans.
    pub windows: u32,
    /// The start of the first window, in microseconds since 1970; `None` of a log without times.
    pub start: Option<i64>,
}

impl Schedule {
    /// The schedule of a log; `None` where neither its rows nor the scenario tell any time.
    pub fn new(log: &Log, scenario: &Scenario) -> Option<Self> {
        let Some((first, last)) = log.span() else {
            return Self::without_times(log, scenario.log_seconds.or(log.rates_seconds)?);
        };
        let timed = in_order(log);
        if first == last && log.events.iter().any(|event| event.weight > MICRO) {
            // Rows at one moment that stand for many: the time over which these ran is not told.
            return Self::without_times(log, scenario.log_seconds?);
        }
        let window_seconds = scenario
            .window_seconds
            .unwrap_or_else(|| window_of(log, scenario.log_share))
            .min(covered_seconds(first, last));
        let clock = Clock::new(first, last, window_seconds)?;
        let ends = ends(log, &timed, clock.end());
        let mut slots: Vec<(i64, Slot)> = Vec::with_capacity(timed.len());
        let untimed = timed
            .iter()
            .filter(|index| log.events.time(**index).is_none());
        let mut gaps = Gaps::new(first, last, untimed.count());
        for index in timed {
            let event = log.events.get(index);
            let (from, to) = match event.time {
                Some(time) => (time, ends[index as usize]),
                None if event.weight > MICRO => (clock.start, clock.end()),
                None => {
                    let at = gaps.next();
                    (at, at)
                }
            };
            clock.spread(index, event.weight, from, to, &mut slots);
        }
        // Stable: rows of equal times stay in the order of their content.
        slots.sort_by_key(|(time, _)| *time);
        let slots: Vec<Slot> = slots.into_iter().map(|(_, slot)| slot).collect();
        Some(Self {
            starts: starts(&slots),
            slots,
            window_seconds,
            windows: clock.windows,
            start: Some(clock.start),
        })
    }

    /// A log without times that covers this long is one window, in which all runs evenly.
    fn without_times(log: &Log, seconds: u64) -> Option<Self> {
        let untimed = Self::untimed(log);
        (!untimed.slots.is_empty()).then_some(Self {
            window_seconds: seconds.max(1),
            ..untimed
        })
    }

    /// All rows in one window whose length means nothing.
    pub(super) fn untimed(log: &Log) -> Self {
        let mut order: Vec<u32> = (0..log.events.len() as u32).collect();
        by_content(log, &mut order);
        let slot = |event: u32| {
            let weight = log.events.get(event).weight;
            Slot {
                window: 0,
                event,
                requests: requests_of(weight),
                weight,
            }
        };
        let slots: Vec<Slot> = order.into_iter().map(slot).collect();
        Self {
            starts: starts(&slots),
            slots,
            window_seconds: 1,
            windows: 1,
            start: None,
        }
    }

    /// How many windows have requests.
    pub(super) fn busy_windows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The slots of a window, which is counted among those with requests.
    pub(super) fn slots_of(&self, busy: usize) -> Range<usize> {
        self.starts[busy] as usize..self.starts[busy + 1] as usize
    }

    /// The index of a window, which is counted among those with requests.
    pub(super) fn window(&self, busy: usize) -> u32 {
        self.slots[self.starts[busy] as usize].window
    }
}

/// Where each window starts, and the end.
fn starts(slots: &[Slot]) -> Vec<u32> {
    let of_windows = slots.chunk_by(|one, other| one.window == other.window);
    let mut at = 0;
    let mut starts: Vec<u32> = of_windows
        .map(|of_window| {
            let start = at;
            at += of_window.len() as u32;
            start
        })
        .collect();
    starts.push(at);
    starts
}

/// Seconds that a log of nothing but rates covers, where nothing else is said.
pub const RATES_SECONDS: u64 = 60;

/// Turns rows that say how often an operation runs each second into rows that say how often it ran: over
/// the whole span of the log, times the peak factor.
///
/// Fails where rows without a rate leave the span open: neither times nor the scenario tell it.
pub fn settle_rates(log: &mut Log, scenario: &Scenario) -> Result<(), RatesWithoutSpan> {
    if log.events.iter().all(|event| event.rate.is_none()) {
        return Ok(());
    }
    let seconds = match (log.span(), scenario.log_seconds) {
        (Some((first, last)), _) => {
            let window = scenario.window_seconds;
            let window = window
                .unwrap_or_else(|| window_of(log, scenario.log_share))
                .min(covered_seconds(first, last));
            let clock = Clock::new(first, last, window).ok_or(RatesWithoutSpan)?;
            u64::from(clock.windows) * window
        }
        (None, Some(seconds)) => seconds,
        (None, None) if log.events.iter().all(|event| event.rate.is_some()) => RATES_SECONDS,
        (None, None) => return Err(RatesWithoutSpan),
    };
    for number in 0..log.events.len() as u32 {
        let mut event = log.events.get(number);
        if let Some(rate) = event.rate.take() {
            let weight = rate as f64 * seconds as f64 * scenario.peak_factor;
            event.weight = (weight as u64).max(1);
            event.time = None;
            log.events.set(number, event);
        }
    }
    log.rates_seconds = Some(seconds);
    Ok(())
}

/// Rows give rates, others do not, and nothing tells which time they cover together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "some rows of the log give a rate and others neither a rate nor a time, so their proportion is unknown"
)]
pub struct RatesWithoutSpan;

/// The rows of a log by their times, those without one first; rows of equal times by their content.
fn in_order(log: &Log) -> Vec<u32> {
    let time = |index: &u32| log.events.time(*index);
    let mut order: Vec<u32> = (0..log.events.len() as u32).collect();
    if !order.is_sorted_by_key(time) {
        order.sort_by_key(time);
    }
    for tied in order.chunk_by_mut(|one, other| time(one) == time(other)) {
        if tied.len() > 1 {
            by_content(log, tied);
        }
    }
    order
}

/// Puts rows into an order that their content gives.
fn by_content(log: &Log, rows: &mut [u32]) {
    let mut ties: HashMap<u32, u64, FxBuildHasher> = HashMap::default();
    rows.sort_by_cached_key(|index| {
        let event = log.events.get(*index);
        let tie = ties
            .entry(event.access)
            .or_insert_with(|| tie(log, event.access));
        (*tie, event.charge, event.weight, event.bytes)
    });
}

/// A number for the content of an access, so that rows of equal times have one order.
fn tie(log: &Log, access: u32) -> u64 {
    let access = log.accesses.get(access);
    let mut hasher = FxHasher::default();
    let shape = log.shapes.get(access.shape as usize);
    shape.map(|shape| &shape.name).hash(&mut hasher);
    (access.kind, &access.condition, &access.id, &access.key).hash(&mut hasher);
    (&access.item, &access.members).hash(&mut hasher);
    hasher.finish()
}

/// When each row's requests end: with the next row of its shape; the last row of a shape lasts as long
/// as the one before it did, or to the end of the log.
fn ends(log: &Log, timed: &[u32], log_end: i64) -> Vec<i64> {
    let mut ends = vec![log_end; log.events.len()];
    let mut last: Vec<Option<(u32, i64, i64)>> = vec![None; log.shapes.len()];
    for index in timed {
        let Some(time) = log.events.time(*index) else {
            continue;
        };
        let shape = log.form_of(*index).shape as usize;
        let mut gap = 0;
        if let Some((before, since, gap_before)) = last[shape] {
            ends[before as usize] = time;
            gap = if time > since {
                time - since
            } else {
                gap_before
            };
        }
        last[shape] = Some((*index, time, gap));
    }
    for (index, time, gap) in last.into_iter().flatten() {
        if gap > 0 {
            ends[index as usize] = time.saturating_add(gap).min(log_end);
        }
    }
    ends
}

/// Seconds that a log covers at least, its last moment included: no window is wider.
fn covered_seconds(first: i64, last: i64) -> u64 {
    ((last - first) / MICROS_PER_SECOND + 1) as u64
}

/// Even places in a span of time for rows that tell no time themselves.
struct Gaps {
    first: i64,
    span: i64,
    count: i128,
    given: i128,
}

impl Gaps {
    fn new(first: i64, last: i64, count: usize) -> Self {
        Self {
            first,
            span: last - first,
            count: count.max(1) as i128,
            given: 0,
        }
    }

    fn next(&mut self) -> i64 {
        // In the middle of its part of the span.
        let at = i128::from(self.span) * (2 * self.given + 1) / (2 * self.count);
        self.given += 1;
        self.first + at as i64
    }
}

/// The windows that a span of time falls into; they start at whole multiples of their length.
struct Clock {
    start: i64,
    window: i64,
    windows: u32,
}

impl Clock {
    fn new(first: i64, last: i64, window_seconds: u64) -> Option<Self> {
        let window = i64::try_from(window_seconds)
            .ok()?
            .checked_mul(MICROS_PER_SECOND)?;
        let start = first.div_euclid(window) * window;
        let windows = (last - start) / window + 1;
        Some(Self {
            start,
            window,
            windows: u32::try_from(windows).ok()?,
        })
    }

    fn end(&self) -> i64 {
        self.start + self.window * i64::from(self.windows)
    }

    fn window_of(&self, time: i64) -> u32 {
        ((time - self.start) / self.window).clamp(0, i64::from(self.windows) - 1) as u32
    }

    /// Puts the requests of a row at even distances between two times, those of one window together.
    fn spread(&self, event: u32, weight: u64, from: i64, to: i64, slots: &mut Vec<(i64, Slot)>) {
        let requests = requests_of(weight);
        // Several requests never come at once: they take a window at least.
        let to = if to > from { to } else { from + self.window };
        let span = i128::from(to - from);
        let count = i128::from(requests);
        let time_of = |request: i128| from + (span * request / count) as i64;
        let (mut done, mut weight_done) = (0_i128, 0_u64);
        while done < count {
            let window = self.window_of(time_of(done));
            let next_window = self.start + self.window * (i64::from(window) + 1);
            // The first request at or behind the next window.
            let behind = i128::from(next_window - from) * count;
            let until = if window + 1 == self.windows {
                count
            } else {
                ((behind + span - 1) / span).clamp(done + 1, count)
            };
            let weight_until = (u128::from(weight) * until as u128 / count as u128) as u64;
            let slot = Slot {
                window,
                event,
                requests: (until - done) as u32,
                weight: weight_until - weight_done,
            };
            slots.push((time_of(done), slot));
            (done, weight_done) = (until, weight_until);
        }
    }
}

/// How many requests a weight stands for: the next whole number of operations.
fn requests_of(weight: u64) -> u32 {
    u32::try_from(weight.div_ceil(MICRO))
        .unwrap_or(u32::MAX)
        .max(1)
}

/// Seconds in a window: one, unless the log cuts its times more coarsely; of a sampled log as many as
/// it takes for the mean busy window to hold enough of it.
fn window_of(log: &Log, log_share: f64) -> u64 {
    let mut times: Vec<i64> = log.events.iter().filter_map(|event| event.time).collect();
    times.sort_unstable();
    let distinct = times.first() != times.last();
    let cut_to = |seconds: u64| {
        let step = seconds as i64 * MICROS_PER_SECOND;
        times.iter().all(|time| time.rem_euclid(step) == 0)
    };
    let coarse = COARSE_SECONDS
        .into_iter()
        .rev()
        .find(|seconds| distinct && cut_to(*seconds))
        .unwrap_or(1);
    if log_share >= 1.0 {
        return coarse;
    }
    let operations: u64 = log.events.iter().map(|event| event.weight / MICRO).sum();
    let enough = |seconds: &u64| {
        let step = *seconds as i64 * MICROS_PER_SECOND;
        let mut windows: Vec<i64> = times.iter().map(|time| time.div_euclid(step)).collect();
        windows.dedup();
        operations >= SAMPLED_OPERATIONS_MIN * windows.len() as u64
    };
    let widths = || {
        WINDOW_SECONDS
            .into_iter()
            .filter(|seconds| *seconds >= coarse)
    };
    widths()
        .find(enough)
        .or_else(|| widths().next_back())
        .unwrap_or(coarse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Access, Accesses, Condition, Event, OperationKind, OptionsKey, Shape};
    use proptest::prelude::*;

    /// A log of one shape from times in microseconds and weights.
    fn log(rows: &[(Option<i64>, u64)]) -> Log {
        Log {
            shapes: vec![Shape {
                kind: OperationKind::Read,
                name: "read".to_owned(),
            }],
            accesses: Accesses::from_iter([Access {
                kind: OperationKind::Read,
                shape: 0,
                condition: Condition::default(),
                id: None,
                key: OptionsKey::None,
                item: None,
                members: Vec::new(),
            }]),
            events: rows
                .iter()
                .map(|(time, weight)| Event {
                    time: *time,
                    access: 0,
                    weight: *weight,
                    charge: None,
                    ranges: None,
                    bytes: None,
                    rate: None,
                    transaction: None,
                })
                .collect(),
            ..Log::default()
        }
    }

    fn windows(rows: &[(Option<i64>, u64)]) -> Vec<(u32, u32)> {
        let schedule = Schedule::new(&log(rows), &Scenario::default()).expect("times");
        schedule
            .slots
            .iter()
            .map(|slot| (slot.window, slot.requests))
            .collect()
    }

    const SECOND: i64 = MICROS_PER_SECOND;

    #[test]
    fn a_count_is_spread_evenly_until_the_next_row_of_its_shape() {
        let rows = [(Some(0), 4 * MICRO), (Some(2 * SECOND + 1), MICRO)];
        assert_eq!(windows(&rows), [(0, 2), (1, 2), (2, 1)]);
        // The last row lasts as long as the gap before it, but not beyond the log.
        let rows = [(Some(0), MICRO), (Some(SECOND + 1), 10 * MICRO)];
        assert_eq!(windows(&rows), [(0, 1), (1, 10)]);
    }

    #[test]
    fn rows_without_time_are_spread_over_the_log() {
        let rows = [
            (Some(1), MICRO),
            (None, 3 * MICRO),
            (Some(2 * SECOND + 1), MICRO),
        ];
        assert_eq!(windows(&rows), [(0, 1), (0, 1), (1, 1), (2, 1), (2, 1)]);
    }

    #[test]
    fn a_log_cut_to_minutes_has_windows_of_a_minute() {
        let of = |rows: &[(Option<i64>, u64)], share| window_of(&log(rows), share);
        let minutes = [(Some(0), MICRO), (Some(60 * SECOND), MICRO)];
        assert_eq!(of(&minutes, 1.0), 60);
        assert_eq!(of(&[(Some(0), MICRO), (Some(61 * SECOND), MICRO)], 1.0), 1);
        assert_eq!(of(&[(Some(0), MICRO)], 1.0), 1);
        // Ten operations a second need ten seconds to be a hundred.
        let sampled: Vec<_> = (0..1000)
            .map(|n| (Some(n * SECOND / 10 + 1), MICRO))
            .collect();
        assert_eq!(of(&sampled, 0.1), 10);
    }

    #[test]
    fn no_window_is_wider_than_the_log() {
        let rows: Vec<(Option<i64>, u64)> =
            (0..60).map(|n| (Some(n % 6 * SECOND), MICRO)).collect();
        for scenario in [
            Scenario {
                log_share: 0.5,
                ..Scenario::default()
            },
            Scenario {
                window_seconds: Some(3600),
                ..Scenario::default()
            },
        ] {
            let schedule = Schedule::new(&log(&rows), &scenario).expect("times");
            assert_eq!((schedule.window_seconds, schedule.windows), (6, 1));
        }
    }

    #[test]
    fn rows_without_a_time_lie_evenly_between_those_with_one() {
        let mut rows = vec![(None, MICRO); 5];
        rows.extend((0..10).map(|n| (Some(n * SECOND), MICRO)));
        let windows = windows(&rows);
        assert_eq!(windows.len(), 15);
        let most = (0..10)
            .map(|window| windows.iter().filter(|one| one.0 == window).count())
            .max();
        assert_eq!(most, Some(2));
    }

    #[test]
    fn many_at_one_moment_need_the_time_that_they_took() {
        let log = log(&[(Some(0), 36_000 * MICRO)]);
        assert_eq!(Schedule::new(&log, &Scenario::default()), None);
        let told = Scenario {
            log_seconds: Some(3600),
            ..Scenario::default()
        };
        assert_eq!(
            Schedule::new(&log, &told).expect("a span").window_seconds,
            3600
        );
    }

    #[test]
    fn rates_run_over_the_whole_span_times_the_peak() {
        let scenario = Scenario {
            peak_factor: 2.0,
            ..Scenario::default()
        };
        let rated = |rows: &[(Option<i64>, u64)]| {
            let mut log = log(rows);
            let rate = Some(50 * MICRO);
            log.events.set(
                0,
                Event {
                    rate,
                    ..log.events.get(0)
                },
            );
            settle_rates(&mut log, &scenario).map(|()| log)
        };
        // Ten seconds of single reads beside it.
        let log =
            rated(&[(None, MICRO), (Some(0), MICRO), (Some(9 * SECOND), MICRO)]).expect("a span");
        assert_eq!(log.events.get(0).weight, 50 * 10 * 2 * MICRO);
        let schedule = Schedule::new(&log, &scenario).expect("times");
        let each: Vec<u32> = schedule
            .slots
            .iter()
            .filter(|slot| slot.event == 0)
            .map(|slot| slot.requests)
            .collect();
        assert_eq!(each, [100; 10]);
        // Nothing but rates needs no times; a count beside them does.
        let alone = rated(&[(None, MICRO)]).expect("a span");
        assert_eq!(alone.events.get(0).weight, 50 * RATES_SECONDS * 2 * MICRO);
        assert_eq!(
            Schedule::new(&alone, &scenario)
                .expect("a span")
                .window_seconds,
            RATES_SECONDS
        );
        assert_eq!(
            rated(&[(None, MICRO), (None, MICRO)]),
            Err(RatesWithoutSpan)
        );
    }

    #[test]
    fn a_log_without_times_needs_to_be_told_how_long_it_is() {
        let rows = log(&[(None, 2 * MICRO)]);
        assert_eq!(Schedule::new(&rows, &Scenario::default()), None);
        let told = Scenario {
            log_seconds: Some(60),
            ..Scenario::default()
        };
        let schedule = Schedule::new(&rows, &told).expect("told");
        assert_eq!(
            (
                schedule.window_seconds,
                schedule.windows,
                schedule.slots[0].requests
            ),
            (60, 1, 2)
        );
    }

    proptest! {
        #[test]
        fn requests_and_weights_are_conserved(rows in proptest::collection::vec((proptest::option::of(0..20 * SECOND), 1..40 * MICRO), 1..30)) {
            let log = log(&rows);
            let Some(schedule) = Schedule::new(&log, &Scenario::default()) else {
                // Without times, or with many at one moment, nobody knows how long it took.
                let mut times: Vec<i64> = rows.iter().filter_map(|row| row.0).collect();
                times.dedup();
                prop_assert!(times.len() <= 1);
                return Ok(());
            };
            for (index, (_, weight)) in rows.iter().enumerate() {
                let mine = || schedule.slots.iter().filter(|slot| slot.event as usize == index);
                prop_assert_eq!(mine().map(|slot| slot.weight).sum::<u64>(), *weight);
                prop_assert_eq!(mine().map(|slot| slot.requests).sum::<u32>(), requests_of(*weight));
            }
            prop_assert!(schedule.slots.iter().all(|slot| slot.window < schedule.windows && slot.requests > 0));
            prop_assert!(schedule.slots.windows(2).all(|pair| pair[0].window <= pair[1].window));
        }
    }
}
