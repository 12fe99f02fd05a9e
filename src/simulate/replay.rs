//! The replay: each physical partition with its budget of request units in each window.
//!
//! A request is admitted while its partition has budget left in the window; what it takes beyond is
//! debt against the next window. A refused request costs nothing and does not come back.

use super::load::Load;
use crate::model::limits::{BURST_SECONDS, BURST_THROUGHPUT_MAX};
use crate::model::units::MICRO;

/// The whole of a budget, in the unit of [`Outcome::used`].
pub(super) const WHOLE: u16 = 10_000;

/// What a partition may spend in a window, in millionths of a request unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budget {
    /// In each window.
    window: i128,
    /// Most that is banked of what windows leave.
    bank_max: i128,
    /// Most that a window may take from the bank.
    extra_max: i128,
}

impl Budget {
    /// The budget of throughput in RU/s on one partition, for windows of so many seconds, in a log that
    /// holds this share of the operations. With burst, idle capacity of up to 300 s can be spent at up
    /// to 3,000 RU/s ("burst-capacity").
    pub(super) fn new(
        ru_per_second: f64,
        window_seconds: u64,
        log_share: f64,
        burst: bool,
    ) -> Self {
        let micro = |ru: f64| i128::from((ru * log_share * MICRO as f64) as u64);
        let seconds = window_seconds as f64;
        let extra = if burst {
            (BURST_THROUGHPUT_MAX - ru_per_second).max(0.0)
        } else {
            0.0
        };
        Self {
            window: micro(ru_per_second * seconds).max(1),
            bank_max: if extra > 0.0 {
                micro(ru_per_second * BURST_SECONDS)
            } else {
                0
            },
            extra_max: micro(extra * seconds),
        }
    }

    /// Whether idle windows leave something for later ones.
    pub(super) fn banks(&self) -> bool {
        self.bank_max > 0
    }

    /// Whether a partition without debt admits all requests that are charged this much in a window.
    pub(super) fn covers(&self, charge: u64) -> bool {
        i128::from(charge) < self.window
    }

    /// What the bank holds after a window that used so much.
    fn banked(&self, bank: i128, used: i128) -> i128 {
        (bank + self.window - used).clamp(0, self.bank_max)
    }
}

/// One physical partition on its way through the windows.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter {
    /// What it took beyond its budget and has still to pay.
    debt: i128,
    bank: i128,
    /// The first window that is not yet behind it.
    window: u32,
    /// Weight of the refused requests, in millionths.
    pub(super) refused: u128,
}

/// What a partition may spend in a window.
struct Open {
    spendable: i128,
    left: i128,
}

impl Meter {
    /// Whether requests that are charged this much together are all admitted in a window.
    pub(super) fn admits(&self, budget: &Budget, window: u32, charge: u128) -> bool {
        // More than the budget, only the bank gives.
        let idle = i128::from(window - self.window);
        let debt = (self.debt - budget.window * idle).max(0);
        i128::try_from(charge).is_ok_and(|charge| charge < budget.window - debt)
    }

    /// Runs requests that are all admitted. `used` is told the share of the budget that is used in each
    /// window, in ten-thousandths.
    pub(super) fn run_admitted(
        &mut self,
        budget: &Budget,
        window: u32,
        charge: u128,
        used: impl FnMut(u32, u16),
    ) {
        let mut used = used;
        let mut open = self.open(budget, window, &mut used);
        open.left -= charge as i128;
        self.close(budget, &open, &mut used);
    }

    /// Runs the requests of a window in their order.
    pub(super) fn run(
        &mut self,
        budget: &Budget,
        window: u32,
        loads: &[Load],
        used: impl FnMut(u32, u16),
    ) {
        let mut used = used;
        let mut open = self.open(budget, window, &mut used);
        for load in loads {
            let admitted = admitted(load, open.left);
            let requests = i128::from(load.requests);
            open.left -= i128::from(load.charge) * admitted / requests;
            self.refused +=
                u128::from(load.weight) * (requests - admitted) as u128 / requests as u128;
        }
        self.close(budget, &open, &mut used);
    }

    /// Pays what is left of the debt in the windows before this one, which is behind the last.
    pub(super) fn finish(&mut self, budget: &Budget, windows: u32, mut used: impl FnMut(u32, u16)) {
        self.pay(budget, windows, &mut used);
    }

    /// The window from which on there is no debt, if no more requests come.
    pub(super) fn free_from(&self, budget: &Budget) -> u32 {
        let windows = (self.debt + budget.window - 1) / budget.window;
        self.window
            .saturating_add(u32::try_from(windows).unwrap_or(u32::MAX))
    }

    fn open(&mut self, budget: &Budget, window: u32, used: &mut impl FnMut(u32, u16)) -> Open {
        let idle = i128::from(window - self.window);
        let paid = self.debt.min(budget.window * idle);
        self.pay(budget, window, used);
        self.bank = (self.bank + budget.window * idle - paid).clamp(0, budget.bank_max);
        let spendable = budget.window + self.bank.min(budget.extra_max);
        Open {
            spendable,
            left: spendable - self.debt,
        }
    }

    fn close(&mut self, budget: &Budget, open: &Open, used: &mut impl FnMut(u32, u16)) {
        let spent = open.spendable - open.left.max(0);
        used(self.window, share(spent, budget.window));
        self.bank = budget.banked(self.bank, spent);
        self.debt = (-open.left).max(0);
        self.window += 1;
    }

    /// Pays debt in the windows without requests before this one.
    fn pay(&mut self, budget: &Budget, until: u32, used: &mut impl FnMut(u32, u16)) {
        for window in self.window..until {
            if self.debt <= 0 {
                break;
            }
            used(window, share(self.debt.min(budget.window), budget.window));
            self.debt -= budget.window;
        }
        self.debt = self.debt.max(0);
        self.window = until;
    }
}

/// How many of the equal requests of a load find budget left.
fn admitted(load: &Load, left: i128) -> i128 {
    let requests = i128::from(load.requests);
    let charge = i128::from(load.charge);
    if left <= 0 {
        0
    } else if charge <= left || requests == 1 {
        requests
    } else {
        // Each further one is admitted while those before it have not used all that is left.
        ((left * requests + charge - 1) / charge).min(requests)
    }
}

fn share(used: i128, budget: i128) -> u16 {
    (used * i128::from(WHOLE) / budget).clamp(0, i128::from(WHOLE)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A load, and its window.
    fn load(window: u32, charge: u64) -> (u32, Load) {
        let load = Load {
            requests: 1,
            weight: MICRO,
            charge: charge * MICRO,
        };
        (window, load)
    }

    /// What came of loads: the weight that was refused, and the use of each window with any.
    fn replay(loads: &[(u32, Load)], budget: Budget, windows: u32) -> (u128, Vec<(u32, u16)>) {
        let mut meter = Meter::default();
        let mut used = Vec::new();
        for of_window in loads.chunk_by(|one, other| one.0 == other.0) {
            let window = of_window[0].0;
            let of_window: Vec<Load> = of_window.iter().map(|one| one.1).collect();
            let charge = of_window.iter().map(|load| u128::from(load.charge)).sum();
            if meter.admits(&budget, window, charge) {
                meter.run_admitted(&budget, window, charge, |window, share| {
                    used.push((window, share));
                });
            } else {
                meter.run(&budget, window, &of_window, |window, share| {
                    used.push((window, share));
                });
            }
        }
        meter.finish(&budget, windows, |window, share| used.push((window, share)));
        (meter.refused, used)
    }

    fn plain(ru: u64) -> Budget {
        Budget::new(ru as f64, 1, 1.0, false)
    }

    #[test]
    fn five_idle_minutes_of_100_ru_are_ten_seconds_at_3_000() {
        // Worked scenario 6: 30,000 RU are banked; of 3,000 a second 100 are there anyway.
        let burst = Budget::new(100.0, 1, 1.0, true);
        let loads: Vec<(u32, Load)> = std::iter::once(load(0, 0))
            .chain((300..320).flat_map(|window| (0..30).map(move |_| load(window, 100))))
            .collect();
        let admitted = |budget| 601 - replay(&loads, budget, 320).0 / u128::from(MICRO);
        // 30,000 from the bank and 20 s at 100 RU/s, in requests of 100 RU.
        assert_eq!(admitted(burst), 1 + 300 + 20);
        assert_eq!(admitted(plain(100)), 1 + 20);
        // A partition of 3,000 RU/s and more has no burst.
        assert_eq!(
            Budget::new(3000.0, 1, 1.0, true),
            Budget::new(3000.0, 1, 1.0, false)
        );
    }

    fn refused(loads: &[(u32, Load)], budget: u64) -> u128 {
        replay(loads, plain(budget), 100).0 / u128::from(MICRO)
    }

    #[test]
    fn a_request_is_admitted_while_budget_is_left_and_its_excess_is_debt() {
        assert_eq!(refused(&[load(0, 60), load(0, 60), load(0, 1)], 100), 1);
        // 20 over in window 0 leave 80 in window 1.
        assert_eq!(
            refused(&[load(0, 60), load(0, 60), load(1, 80), load(1, 1)], 100),
            1
        );
        // Windows without requests pay the debt.
        assert_eq!(
            refused(
                &[
                    load(0, 350),
                    load(1, 1),
                    load(2, 1),
                    load(3, 50),
                    load(3, 1)
                ],
                100
            ),
            3
        );
        assert_eq!(refused(&[load(0, 350), load(4, 100), load(4, 1)], 100), 1);
    }

    #[test]
    fn use_is_a_share_of_the_budget_and_debt_counts_where_it_is_paid() {
        let (_, used) = replay(&[load(0, 250), load(5, 50)], plain(100), 10);
        assert_eq!(used, [(0, WHOLE), (1, WHOLE), (2, 5000), (5, 5000)]);
    }

    proptest! {
        /// Second by second, request by request, without any shortcut.
        #[test]
        fn the_replay_agrees_with_a_plain_one(
            mut rows in proptest::collection::vec((0..8_u32, 0..60_u64), 0..40),
            repeat in 1..5_u32,
            budget in 1..120_u64,
        ) {
            rows.sort_by_key(|row| row.0);
            let loads: Vec<(u32, Load)> = rows
                .iter()
                .map(|(window, charge)| (*window, Load { requests: repeat, weight: u64::from(repeat) * MICRO, charge: charge * u64::from(repeat) * MICRO }))
                .collect();
            let (mut debt, mut refused) = (0_i64, 0_u128);
            for window in 0..8 {
                let mut left = budget as i64 - debt;
                for (_, charge) in rows.iter().filter(|row| row.0 == window) {
                    for _ in 0..repeat {
                        if left > 0 { left -= *charge as i64 } else { refused += 1 }
                    }
                }
                debt = if left < 0 { -left } else { 0 };
            }
            prop_assert_eq!(replay(&loads, plain(budget), 8).0, refused * u128::from(MICRO));
        }
    }
}
