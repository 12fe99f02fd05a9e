//! Key values that need more than one physical partition can serve, whatever is bought.

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;

use super::route::Route;
use super::schedule::Slot;
use super::workload::Workload;
use crate::model::KeyValue;
use crate::model::limits::PARTITION_THROUGHPUT_MAX;
use crate::model::units::{MICRO, weighted};

/// The share of the busy windows in which a key value may need more than a partition serves.
pub const CEILING_SHARE_MAX: f64 = 0.01;

/// The load of the key value that is over the ceiling of one physical partition most often.
#[derive(Debug, Clone, PartialEq)]
pub struct Ceiling {
    /// The key value, or the prefix of a hierarchy.
    pub value: KeyValue,
    /// Windows in which it needs more than 10,000 RU/s.
    pub windows_over: u64,
    /// Windows in which the container has any load.
    pub busy_windows: u64,
    /// The most it needs in a window, in RU/s.
    pub peak: f64,
}

impl Ceiling {
    /// The share of the busy windows in which it needs too much.
    pub fn share(&self) -> f64 {
        self.windows_over as f64 / self.busy_windows.max(1) as f64
    }
}

/// The value over the ceiling in most windows, among those that `value_of` names for a route; `None`
/// where no value ever is, or where times are not known.
pub(super) fn ceiling<'a>(
    routes: &'a [Route],
    workload: &Workload,
    log_share: f64,
    value_of: impl Fn(&'a Route) -> Option<&'a KeyValue>,
) -> Option<Ceiling> {
    let schedule = workload.schedule.as_ref()?;
    let seconds = schedule.window_seconds as f64 * log_share * MICRO as f64;
    let limit = (PARTITION_THROUGHPUT_MAX as f64 * seconds) as u128;
    let charge = |slot: &Slot| weighted(workload.charges[slot.event as usize].charge, slot.weight);
    let value =
        |slot: &Slot| value_of(&routes[workload.log.events[slot.event as usize].access as usize]);
    // What is not over the limit in sum is never over it.
    let mut sums: HashMap<&KeyValue, u128, FxBuildHasher> = HashMap::default();
    for slot in &schedule.slots {
        if let Some(value) = value(slot) {
            *sums.entry(value).or_default() += charge(slot);
        }
    }
    sums.retain(|_, sum| *sum > limit);
    let mut windows: BTreeMap<(&KeyValue, u32), u128> = BTreeMap::new();
    for slot in &schedule.slots {
        if let Some(value) = value(slot).filter(|value| sums.contains_key(value)) {
            *windows.entry((value, slot.window)).or_default() += charge(slot);
        }
    }
    let mut over: BTreeMap<&KeyValue, (u64, u128)> = BTreeMap::new();
    for ((value, _), charge) in windows {
        if charge > limit {
            let entry = over.entry(value).or_default();
            entry.0 += 1;
            entry.1 = entry.1.max(charge);
        }
    }
    let busy_windows = schedule
        .slots
        .chunk_by(|one, other| one.window == other.window)
        .count() as u64;
    let (value, (windows_over, peak)) = over
        .into_iter()
        .max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(one.0)))?;
    Some(Ceiling {
        value: value.clone(),
        windows_over,
        busy_windows,
        peak: peak as f64 / seconds,
    })
}
