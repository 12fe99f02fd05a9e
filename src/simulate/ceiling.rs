//! Key values that need more than one physical partition can serve, whatever is bought.

use super::routes::Values;
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

/// What a value takes, window by window.
#[derive(Clone, Default)]
struct Taken {
    window: u32,
    /// In that window, in millionths of a request unit.
    charge: u128,
    windows_over: u64,
    peak: u128,
}

impl Taken {
    fn close(&mut self, limit: u128) {
        if self.charge > limit {
            self.windows_over += 1;
            self.peak = self.peak.max(self.charge);
        }
        self.charge = 0;
    }
}

/// The value over the ceiling in most windows; `None` where no value ever is, or where times are not
/// known.
pub(super) fn ceiling(values: &Values, workload: &Workload, log_share: f64) -> Option<Ceiling> {
    let schedule = workload.schedule()?;
    let seconds = schedule.window_seconds as f64 * log_share * MICRO as f64;
    let limit = (PARTITION_THROUGHPUT_MAX as f64 * seconds) as u128;
    if u128::from(workload.window_charge_max) <= limit {
        return None;
    }
    let mut taken = vec![Taken::default(); values.count()];
    for slot in &schedule.slots {
        if let Some(value) = values.of(workload.access_at(slot.event)) {
            let one = &mut taken[value];
            if one.window != slot.window {
                one.close(limit);
                one.window = slot.window;
            }
            one.charge += weighted(workload.base_charge(slot.event), slot.weight);
        }
    }
    for one in &mut taken {
        one.close(limit);
    }
    let over = taken
        .iter()
        .enumerate()
        .filter(|one| one.1.windows_over > 0);
    let (value, most) = over.max_by(|(one, taken), (other, others)| {
        (taken.windows_over, taken.peak)
            .cmp(&(others.windows_over, others.peak))
            .then_with(|| values.get(*other).cmp(&values.get(*one)))
    })?;
    Some(Ceiling {
        value: values.get(value),
        windows_over: most.windows_over,
        busy_windows: schedule.busy_windows() as u64,
        peak: most.peak as f64 / seconds,
    })
}
