//! The search for a suffix: how many numbers a value must be spread over, drawn or computed.

use super::class::Routing;
use super::compare::Compared;
use super::price::Prices;
use super::workload::THROTTLED_SHARE_MAX;
use crate::keys::Candidate;
use crate::model::limits::LOGICAL_PARTITION_BYTES_MAX;
use crate::model::{KeyVersion, PropertyPath};

/// Numbers of suffixes that are tried, upward.
const COUNTS: [u32; 10] = [2, 5, 10, 20, 40, 60, 100, 200, 400, 1000];

/// A number of suffixes is at the knee when no larger one needs less than this share of its throughput.
const KNEE_SHARE: f64 = 0.95;

/// The candidates of a search, to be measured like all others.
#[derive(Debug, Clone, PartialEq)]
pub struct SuffixSearch {
    /// The key whose values are spread.
    pub base: Candidate,
    /// The property that a suffix is computed from.
    pub by: PropertyPath,
    /// For each number of suffixes the drawn and the computed one.
    pub steps: Vec<(u32, Candidate, Candidate)>,
}

/// What a number of suffixes comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuffixRow {
    /// The number of suffixes.
    pub count: u32,
    /// The suffix is drawn.
    pub random: SuffixNumbers,
    /// It is computed.
    pub computed: SuffixNumbers,
}

/// A number of suffixes of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuffixNumbers {
    /// Charge of the busiest physical partition over the mean of all; `None` without a log.
    pub hottest_over_mean: Option<f64>,
    /// The share of the requests that is refused.
    pub throttled_share: Option<f64>,
    /// Key values that a read which knows the base alone must ask for.
    pub keys_read: u32,
    /// The share of the operations that go to one key value.
    pub single_share: Option<f64>,
    /// Physical partitions that an operation visits on average.
    pub partitions_visited: Option<f64>,
    /// RU/s that are needed; `None` where nothing is enough.
    pub required: Option<u64>,
    /// The price of a month at that throughput.
    pub cost: Option<f64>,
    /// Logical partitions over 20 GB in the whole container.
    pub over_limit: u64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct SuffixOutcome {
    /// All numbers of suffixes.
    pub rows: Vec<SuffixRow>,
    /// The smallest number at which nothing is wrong any more, drawn and computed.
    pub smallest: (Option<u32>, Option<u32>),
    /// The number from which on more suffixes save next to nothing, drawn and computed.
    pub knee: (Option<u32>, Option<u32>),
}

impl SuffixSearch {
    /// The search that spreads the values of a key; `None` where it is a hierarchy or no key can be
    /// made of it.
    pub fn new(base: &Candidate, by: &PropertyPath, version: KeyVersion) -> Option<Self> {
        if base.levels.len() != 1 {
            return None;
        }
        let front = if base.text.starts_with('{') {
            base.text.clone()
        } else {
            format!("{{{}}}", base.text)
        };
        let key = |text: String| Candidate::parse(&text, version).ok();
        let steps = COUNTS.iter().map(|count| {
            let random = key(format!("{front}.{{#{count}}}"))?;
            let computed = key(format!("{front}.{{{by}%{count}}}"))?;
            Some((*count, random, computed))
        });
        Some(Self {
            base: base.clone(),
            by: by.clone(),
            steps: steps.collect::<Option<_>>()?,
        })
    }

    /// The candidates to measure: for each step the drawn and the computed one.
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.steps
            .iter()
            .flat_map(|(_, random, computed)| [random, computed])
    }

    /// What came of them, in the order of [`Self::candidates`]. `scale` is the bytes of the container for
    /// each of the files; where the throughput is given, a number must work with it.
    pub fn outcome(
        &self,
        measured: &[Compared],
        prices: &Prices,
        container_bytes: u64,
        scale: f64,
        throughput_given: bool,
    ) -> SuffixOutcome {
        let rows: Vec<SuffixRow> = self
            .steps
            .iter()
            .zip(measured.chunks(2))
            .filter_map(|((count, ..), pair)| {
                let [random, computed] = pair else {
                    return None;
                };
                let of = |one| numbers(one, *count, prices, container_bytes, scale);
                Some(SuffixRow {
                    count: *count,
                    random: of(random),
                    computed: of(computed),
                })
            })
            .collect();
        let random = |row: &SuffixRow| row.random;
        let computed = |row: &SuffixRow| row.computed;
        SuffixOutcome {
            smallest: (
                smallest(&rows, random, throughput_given),
                smallest(&rows, computed, throughput_given),
            ),
            knee: (knee(&rows, random), knee(&rows, computed)),
            rows,
        }
    }
}

fn numbers(
    one: &Compared,
    count: u32,
    prices: &Prices,
    container_bytes: u64,
    scale: f64,
) -> SuffixNumbers {
    let throughput = one.measured.throughput.as_ref();
    let routing = one.measured.routing.as_ref();
    let total = routing.map(|routing| routing.weights.iter().sum::<u128>().max(1) as f64);
    let single = Routing::ALL
        .iter()
        .position(|class| *class == Routing::Single);
    let required = one.required.as_ref().and_then(|one| one.throughput);
    let over = one
        .bench
        .logical
        .iter()
        .filter(|one| one.bytes as f64 * scale > LOGICAL_PARTITION_BYTES_MAX as f64);
    SuffixNumbers {
        hottest_over_mean: throughput
            .and_then(|one| one.hottest_share)
            .map(|share| share * one.measured.physical.len() as f64),
        throttled_share: throughput.and_then(|one| one.throttled_share),
        keys_read: count,
        single_share: routing
            .zip(total)
            .zip(single)
            .map(|((routing, total), single)| routing.weights[single] as f64 / total),
        partitions_visited: routing.map(|routing| {
            let (visits, weight) =
                routing
                    .visited
                    .iter()
                    .fold((0.0, 0.0), |sums, (visited, weight)| {
                        let weight = *weight as f64;
                        (sums.0 + *visited as f64 * weight, sums.1 + weight)
                    });
            visits / f64::max(weight, 1.0)
        }),
        required,
        cost: required.map(|required| {
            prices
                .of(required, required, required, container_bytes)
                .total
        }),
        over_limit: over.map(|one| one.stands_for).sum(),
    }
}

/// Whether nothing is wrong: nothing is over 20 GB, some throughput is enough, and few requests are
/// refused where the throughput is given.
fn is_clear(numbers: &SuffixNumbers, throughput_given: bool) -> bool {
    let refused = numbers.throttled_share.unwrap_or(0.0);
    numbers.over_limit == 0
        && (numbers.throttled_share.is_none() || numbers.required.is_some())
        && (!throughput_given || refused <= THROTTLED_SHARE_MAX)
}

fn smallest(
    rows: &[SuffixRow],
    of: impl Fn(&SuffixRow) -> SuffixNumbers,
    throughput_given: bool,
) -> Option<u32> {
    let clear = rows.iter().find(|row| is_clear(&of(row), throughput_given));
    clear.map(|row| row.count)
}

fn knee(rows: &[SuffixRow], of: impl Fn(&SuffixRow) -> SuffixNumbers) -> Option<u32> {
    let least = rows.iter().filter_map(|row| of(row).required).min()? as f64;
    let near = |row: &&SuffixRow| {
        of(row)
            .required
            .is_some_and(|required| least >= KNEE_SHARE * required as f64)
    };
    rows.iter().find(near).map(|row| row.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(count: u32, required: u64, throttled: f64) -> SuffixRow {
        let numbers = SuffixNumbers {
            hottest_over_mean: Some(1.0),
            throttled_share: Some(throttled),
            keys_read: count,
            single_share: Some(1.0),
            partitions_visited: Some(1.0),
            required: (required > 0).then_some(required),
            cost: None,
            over_limit: 0,
        };
        SuffixRow {
            count,
            random: numbers,
            computed: numbers,
        }
    }

    #[test]
    fn the_smallest_number_clears_the_problem_and_the_knee_saves_no_more() {
        let rows = [
            row(2, 0, 0.6),
            row(5, 30_000, 0.2),
            row(10, 21_000, 0.009),
            row(20, 20_500, 0.0),
            row(40, 20_000, 0.0),
        ];
        assert_eq!(smallest(&rows, |row| row.random, true), Some(10));
        assert_eq!(smallest(&rows, |row| row.random, false), Some(5));
        assert_eq!(knee(&rows, |row| row.random), Some(10));
    }

    #[test]
    fn a_search_spreads_single_keys_and_templates() {
        let by = PropertyPath::of("vin");
        let of = |text: &str| {
            let base = Candidate::parse(text, KeyVersion::V2).expect(text);
            SuffixSearch::new(&base, &by, KeyVersion::V2)
        };
        let search = of("/date").expect("a search");
        assert_eq!(search.steps[0].1.text, "{/date}.{#2}");
        assert_eq!(search.steps[0].2.text, "{/date}.{/vin%2}");
        assert!(of("{/a}-{/b}").is_some());
        assert!(of("/a,/b").is_none());
    }
}
