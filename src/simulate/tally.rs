//! One way through the windows of a log: what each physical partition takes in each, and the sums.
//!
//! Most windows leave no partition without budget, and for these the sum of a window is all that a
//! replay needs. The largest sum of each window is kept, so that a replay under another budget looks
//! only at the windows that may be over it.

use super::load::{Load, Loading, Part};
use super::replay::{Budget, Meter};
use super::schedule::Schedule;
use super::workload::within;

/// What the partitions take in one window.
pub(super) struct InWindow<'a> {
    pub(super) window: u32,
    /// Partitions with requests, each once.
    pub(super) touched: &'a [u32],
    /// Charge of each partition, touched or not, in millionths of a request unit.
    pub(super) charges: &'a [u128],
}

/// The sums of a log on physical partitions.
pub(super) struct Tally {
    /// Charge of each partition in millionths of a request unit.
    pub(super) charges: Vec<u128>,
    /// Weight of the requests on each partition, in millionths.
    pub(super) weights: Vec<u128>,
    /// For each window with requests the most that a partition takes.
    pub(super) peaks: Vec<u64>,
    /// For each window with requests what all partitions take together.
    pub(super) totals: Vec<u64>,
}

/// The charges of partitions in the window that is being added up.
struct Sums {
    charges: Vec<u128>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(partitions: usize) -> Self {
        Self {
            charges: vec![0; partitions],
            is_touched: vec![false; partitions],
            touched: Vec::with_capacity(partitions),
        }
    }

    fn add(&mut self, parts: &[Part]) {
        for part in parts {
            let partition = part.partition as usize;
            self.charges[partition] += u128::from(part.charge);
            if !self.is_touched[partition] {
                self.is_touched[partition] = true;
                self.touched.push(part.partition);
            }
        }
    }

    fn clear(&mut self) {
        for partition in self.touched.drain(..) {
            self.charges[partition as usize] = 0;
            self.is_touched[partition as usize] = false;
        }
    }
}

/// Adds up a log, and tells `on` of each window.
pub(super) fn tally<L: Loading>(
    loading: &mut L,
    schedule: &Schedule,
    mut on: impl FnMut(&mut L, usize, &InWindow),
) -> Tally {
    let partitions = loading.partitions();
    let mut tally = Tally {
        charges: vec![0; partitions],
        weights: vec![0; partitions],
        peaks: Vec::with_capacity(schedule.busy_windows()),
        totals: Vec::with_capacity(schedule.busy_windows()),
    };
    let mut sums = Sums::new(partitions);
    for busy in 0..schedule.busy_windows() {
        loading.each(schedule.slots_of(busy), |_, parts| {
            sums.add(parts);
            for part in parts {
                tally.weights[part.partition as usize] += u128::from(part.weight);
            }
        });
        let (mut peak, mut total) = (0, 0);
        for partition in &sums.touched {
            let charge = sums.charges[*partition as usize];
            tally.charges[*partition as usize] += charge;
            peak = charge.max(peak);
            total += charge;
        }
        tally.peaks.push(clamp(peak));
        tally.totals.push(clamp(total));
        let in_window = InWindow {
            window: schedule.window(busy),
            touched: &sums.touched,
            charges: &sums.charges,
        };
        on(loading, busy, &in_window);
        sums.clear();
    }
    tally
}

fn clamp(charge: u128) -> u64 {
    u64::try_from(charge).unwrap_or(u64::MAX)
}

/// The partitions of a layout, each with its own meter.
pub(super) struct Meters {
    budget: Budget,
    each: Vec<Meter>,
    /// The requests of the partitions that do not admit all of a window.
    pressed: Vec<Vec<Load>>,
    is_pressed: Vec<bool>,
}

impl Meters {
    pub(super) fn new(budget: Budget, partitions: usize) -> Self {
        Self {
            budget,
            each: vec![Meter::default(); partitions],
            pressed: vec![Vec::new(); partitions],
            is_pressed: vec![false; partitions],
        }
    }

    /// Runs a window. `used` is told which share of its budget a partition uses in which window.
    pub(super) fn run<L: Loading>(
        &mut self,
        loading: &mut L,
        slots: std::ops::Range<usize>,
        sums: &InWindow,
        mut used: impl FnMut(u32, u32, u16),
    ) {
        let mut any_pressed = false;
        for partition in sums.touched {
            let charge = sums.charges[*partition as usize];
            let meter = &mut self.each[*partition as usize];
            if meter.admits(&self.budget, sums.window, charge) {
                meter.run_admitted(&self.budget, sums.window, charge, |window, share| {
                    used(*partition, window, share);
                });
            } else {
                self.is_pressed[*partition as usize] = true;
                any_pressed = true;
            }
        }
        if !any_pressed {
            return;
        }
        loading.each(slots, |requests, parts| {
            for part in parts {
                if self.is_pressed[part.partition as usize] {
                    self.pressed[part.partition as usize].push(Load {
                        requests,
                        weight: part.weight,
                        charge: part.charge,
                    });
                }
            }
        });
        for partition in sums.touched {
            let index = *partition as usize;
            if std::mem::take(&mut self.is_pressed[index]) {
                let loads = &mut self.pressed[index];
                self.each[index].run(&self.budget, sums.window, loads, |window, share| {
                    used(*partition, window, share);
                });
                loads.clear();
            }
        }
    }

    /// Weight of the refused requests of each partition, in millionths.
    pub(super) fn refused(&self) -> impl Iterator<Item = u128> {
        self.each.iter().map(|meter| meter.refused)
    }

    /// Runs to the end of the log.
    pub(super) fn finish(&mut self, windows: u32, mut used: impl FnMut(u32, u32, u16)) {
        for (partition, meter) in self.each.iter_mut().enumerate() {
            meter.finish(&self.budget, windows, |window, share| {
                used(partition as u32, window, share);
            });
        }
    }
}

/// Whether under a budget no more requests are refused than may be, over all and on each partition.
/// `peaks` and `weights` are those of a tally of the same log.
pub(super) fn is_enough<L: Loading>(
    loading: &mut L,
    schedule: &Schedule,
    (peaks, weights): (&[u64], &[u128]),
    budget: Budget,
) -> bool {
    let partitions = loading.partitions();
    let mut meters = Meters::new(budget, partitions);
    let mut sums = Sums::new(partitions);
    // With a bank, what each window leaves counts.
    let skips = !budget.banks();
    // Before this window some partition may be in debt.
    let mut free_from = 0;
    for (busy, peak) in peaks.iter().enumerate() {
        let window = schedule.window(busy);
        if skips && window >= free_from && budget.covers(*peak) {
            continue;
        }
        let slots = schedule.slots_of(busy);
        loading.each(slots.clone(), |_, parts| sums.add(parts));
        let in_window = InWindow {
            window,
            touched: &sums.touched,
            charges: &sums.charges,
        };
        meters.run(loading, slots, &in_window, |_, _, _| {});
        for partition in &sums.touched {
            let meter = &meters.each[*partition as usize];
            if !within(meter.refused, weights[*partition as usize]) {
                return false;
            }
            free_from = free_from.max(meter.free_from(&budget));
        }
        sums.clear();
    }
    within(meters.refused().sum(), weights.iter().sum())
}
