//! The replay: each physical partition with its budget of request units in each window.
//!
//! A request is admitted while its partition has budget left in the window; what it takes beyond is
//! debt against the next window. A refused request costs nothing and does not come back.

use super::load::Load;
use crate::model::limits::{BURST_SECONDS, BURST_THROUGHPUT_MAX};
use crate::model::units::MICRO;

/// What came of the requests on one physical partition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Outcome {
    /// Weight of all requests, in millionths.
    pub(super) weight: u128,
    /// Weight of the refused ones, in millionths.
    pub(super) refused: u128,
    /// The share of the budget that was used in each window in which any was, in ten-thousandths.
    pub(super) used: Vec<(u32, u16)>,
}

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

    /// What the bank holds after a window that used so much.
    fn banked(&self, bank: i128, used: i128) -> i128 {
        (bank + self.window - used).clamp(0, self.bank_max)
    }
}

/// Replays the requests on one partition; `windows - 1` is the last window.
pub(super) fn replay(loads: &[Load], budget: Budget, windows: u32) -> Outcome {
    let mut outcome = Outcome::default();
    let mut debt = 0_i128;
    let mut bank = 0_i128;
    let mut window = 0;
    for of_window in loads.chunk_by(|one, other| one.window == other.window) {
        let idle = i128::from(of_window[0].window - window);
        let paid = debt.min(budget.window * idle);
        debt = pay(
            &mut outcome,
            debt,
            budget.window,
            window,
            of_window[0].window,
        );
        window = of_window[0].window;
        bank = (bank + budget.window * idle - paid).clamp(0, budget.bank_max);
        let spendable = budget.window + bank.min(budget.extra_max);
        let mut left = spendable - debt;
        for load in of_window {
            let admitted = admitted(load, left);
            let requests = i128::from(load.requests);
            left -= i128::from(load.charge) * admitted / requests;
            outcome.weight += u128::from(load.weight);
            outcome.refused +=
                u128::from(load.weight) * (requests - admitted) as u128 / requests as u128;
        }
        let used = spendable - left.max(0);
        outcome.used.push((window, share(used, budget.window)));
        bank = budget.banked(bank, used);
        debt = (-left).max(0);
        window += 1;
    }
    pay(&mut outcome, debt, budget.window, window, windows);
    outcome
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

/// Pays debt in the windows without requests, and gives what is left of it.
fn pay(outcome: &mut Outcome, mut debt: i128, budget: i128, from: u32, until: u32) -> i128 {
    for window in from..until {
        if debt <= 0 {
            break;
        }
        outcome.used.push((window, share(debt.min(budget), budget)));
        debt -= budget;
    }
    debt.max(0)
}

fn share(used: i128, budget: i128) -> u16 {
    (used * i128::from(WHOLE) / budget).clamp(0, i128::from(WHOLE)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn load(window: u32, charge: u64) -> Load {
        Load {
            window,
            requests: 1,
            weight: MICRO,
            charge: charge * MICRO,
        }
    }

    fn plain(ru: u64) -> Budget {
        Budget::new(ru as f64, 1, 1.0, false)
    }

    #[test]
    fn five_idle_minutes_of_100_ru_are_ten_seconds_at_3_000() {
        // Worked scenario 6: 30,000 RU are banked; of 3,000 a second 100 are there anyway.
        let burst = Budget::new(100.0, 1, 1.0, true);
        let loads: Vec<Load> = std::iter::once(load(0, 0))
            .chain((300..320).flat_map(|window| (0..30).map(move |_| load(window, 100))))
            .collect();
        let admitted = |budget| 601 - replay(&loads, budget, 320).refused / u128::from(MICRO);
        // 30,000 from the bank and 20 s at 100 RU/s, in requests of 100 RU.
        assert_eq!(admitted(burst), 1 + 300 + 20);
        assert_eq!(admitted(plain(100)), 1 + 20);
        // A partition of 3,000 RU/s and more has no burst.
        assert_eq!(
            Budget::new(3000.0, 1, 1.0, true),
            Budget::new(3000.0, 1, 1.0, false)
        );
    }

    fn refused(loads: &[Load], budget: u64) -> u128 {
        replay(loads, plain(budget), 100).refused / u128::from(MICRO)
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
        let outcome = replay(&[load(0, 250), load(5, 50)], plain(100), 10);
        assert_eq!(outcome.used, [(0, WHOLE), (1, WHOLE), (2, 5000), (5, 5000)]);
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
            let loads: Vec<Load> = rows
                .iter()
                .map(|(window, charge)| Load { window: *window, requests: repeat, weight: u64::from(repeat) * MICRO, charge: charge * u64::from(repeat) * MICRO })
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
            prop_assert_eq!(replay(&loads, plain(budget), 8).refused, refused * u128::from(MICRO));
        }
    }
}
