//! The key values that operations name: which is charged most, and how many there are at a time.

use super::routes::Values;
use super::workload::Workload;
use crate::model::KeyValue;
use crate::model::units::weighted;

/// Requests of a window from which on its key values are counted.
const BUSY_REQUESTS: u64 = 10;

/// The key value that is charged most among operations that name one.
pub(super) fn hottest_key(keys: &Values, workload: &Workload) -> Option<(KeyValue, u128)> {
    let mut charges = vec![0_u128; keys.count()];
    for (event, base) in workload.log.events.iter().zip(&workload.charges) {
        if let Some(key) = keys.of(event.access) {
            charges[key] += weighted(base.charge, event.weight);
        }
    }
    let hottest = charges.iter().enumerate().max_by(|one, other| {
        let by_key = || keys.get(other.0).cmp(&keys.get(one.0));
        one.1.cmp(other.1).then_with(by_key)
    });
    hottest.map(|(key, charge)| (keys.get(key), *charge))
}

/// How many distinct key values the operations of a busy window go to, on average.
pub(super) fn keys_per_window(values: &Values, workload: &Workload) -> Option<f64> {
    let schedule = workload
        .schedule()
        .filter(|schedule| schedule.start.is_some())?;
    let (mut keys, mut windows) = (0_u64, 0_u64);
    // By value one more than the window in which it was last seen.
    let mut seen = vec![0; values.count()];
    for busy in 0..schedule.busy_windows() {
        let (mut requests, mut distinct) = (0, 0);
        for slot in &schedule.slots[schedule.slots_of(busy)] {
            if let Some(value) = values.of(workload.access_at(slot.event)) {
                requests += u64::from(slot.requests);
                distinct += u64::from(seen[value] != busy + 1);
                seen[value] = busy + 1;
            }
        }
        if requests >= BUSY_REQUESTS {
            keys += distinct;
            windows += 1;
        }
    }
    (windows > 0).then(|| keys as f64 / windows as f64)
}
