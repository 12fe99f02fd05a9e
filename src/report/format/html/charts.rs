//! Pictures as SVG: bars, a heat map, steps. Each says in words what it shows.

use jiff::civil::Date;
use maud::{Markup, html};

use crate::assess::text::{bytes, percent, quantity, whole};
use crate::report::v1::{Candidate, Growth, Heat, SizeClass, SuffixSearch};

/// Width of all pictures, in units of their own.
const WIDTH: f64 = 520.0;

/// Blank at both sides of a line of time.
const LEFT: f64 = 10.0;

/// Height of a bar with its gap.
const BAR: f64 = 20.0;

/// Bars that a picture has room for.
const BARS_MAX: usize = 24;

/// The largest logical partition that the service takes, in bytes.
const LIMIT: u64 = crate::model::limits::LOGICAL_PARTITION_BYTES_MAX;

/// A bar: its name, its length from 0 to 1, what it says, and its colour.
struct Bar {
    name: String,
    length: f64,
    says: String,
    class: &'static str,
}

fn bars(title: &str, explains: &str, bars: &[Bar]) -> Markup {
    let left = 96.0;
    let right = 136.0;
    let room = WIDTH - left - right;
    let height = BAR * bars.len() as f64 + 4.0;
    html! {
        figure {
            figcaption { (title) " " span { (explains) } }
            svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label={ (title) ": " (summary(bars)) } {
                @for (index, bar) in bars.iter().enumerate() {
                    @let y = BAR * index as f64 + 2.0;
                    text x=(left - 6.0) y=(y + 12.5) text-anchor="end" { (bar.name) }
                    rect class="track" x=(left) y=(y) width=(room) height=(BAR - 5.0) {}
                    rect class=(bar.class) x=(left) y=(y) width=(format!("{:.1}", room * bar.length.clamp(0.0, 1.0))) height=(BAR - 5.0) {
                        title { (bar.name) ": " (bar.says) }
                    }
                    text class="soft" x=(left + room + 6.0) y=(y + 12.5) { (bar.says) }
                }
            }
        }
    }
}

/// The bars in words, for those who do not see them.
fn summary(bars: &[Bar]) -> String {
    let parts = bars.iter().map(|bar| format!("{} {}", bar.name, bar.says));
    parts.collect::<Vec<_>>().join(", ")
}

/// Storage and charge of the physical partitions.
pub(super) fn partitions(candidate: &Candidate) -> Markup {
    let parts = &candidate.physical_partitions;
    let total: u64 = parts.iter().map(|one| one.bytes).sum();
    let share = |bytes: u64| bytes as f64 / total.max(1) as f64;
    let most = parts.iter().map(|one| share(one.bytes)).fold(0.0, f64::max);
    let most_charge = parts
        .iter()
        .filter_map(|one| one.charge_share)
        .fold(0.0, f64::max);
    let shown = || parts.iter().enumerate().take(BARS_MAX);
    let name = |index: usize| format!("partition {index}");
    let storage: Vec<Bar> = shown()
        .map(|(index, one)| Bar {
            name: name(index),
            length: share(one.bytes) / most.max(1e-12),
            says: format!("{} {}", percent(share(one.bytes)), bytes(one.bytes)),
            class: "a",
        })
        .collect();
    let charge: Vec<Bar> = shown()
        .filter_map(|(index, one)| {
            let share = one.charge_share?;
            Some(Bar {
                name: name(index),
                length: share / most_charge.max(1e-12),
                says: format!("{} {} RU", percent(share), quantity(one.charge?)),
                class: "b",
            })
        })
        .collect();
    let rest = match parts.len().saturating_sub(BARS_MAX) {
        0 => String::new(),
        more => format!(
            "the first {BARS_MAX}; {} more in the table",
            whole(more as u64)
        ),
    };
    html! {
        (bars("Storage", &rest, &storage))
        @if !charge.is_empty() { (bars("Charge", &rest, &charge)) }
    }
}

/// Charge over physical partitions and time.
pub(super) fn heat(heat: &Heat) -> Markup {
    let columns = heat.rows.first().map_or(0, Vec::len);
    let most = heat.rows.iter().flatten().copied().fold(0.0, f64::max);
    let left = 96.0;
    let cell = (WIDTH - left) / columns.max(1) as f64;
    let row_height = (BAR * 12.0 / heat.rows.len().max(1) as f64).clamp(3.0, BAR);
    let height = row_height * heat.rows.len() as f64 + 18.0;
    let says = match heat.pattern.as_str() {
        "even" => "even: no partition takes much more than the others at any time",
        "concentrated" => "concentrated: the same partition takes most all the time",
        "periodic" => "periodic: the partition that takes most changes and comes back",
        _ => "moving: the partition that takes most changes",
    };
    html! {
        figure {
            figcaption { "Charge over time " span { (says) } }
            svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label={ "Charge over time, " (says) } {
                @for (index, row) in heat.rows.iter().enumerate() {
                    @let y = row_height * index as f64;
                    @if row_height >= 12.0 {
                        text x=(left - 6.0) y=(y + row_height * 0.7) text-anchor="end" { "partition " (index) }
                    }
                    @for (column, charge) in row.iter().enumerate() {
                        rect class="b" x=(format!("{:.1}", left + cell * column as f64)) y=(format!("{y:.1}"))
                            width=(format!("{:.1}", cell + 0.3)) height=(format!("{row_height:.1}"))
                            fill-opacity=(format!("{:.2}", 0.06 + 0.94 * charge / most.max(1e-12))) {
                            title { "partition " (index) ", from " (whole(heat.seconds * column as u64)) " s: " (quantity(*charge)) " RU" }
                        }
                    }
                }
                text class="soft" x=(left) y=(height - 4.0) { "0 s" }
                text class="soft" x=(WIDTH) y=(height - 4.0) text-anchor="end" {
                    (whole(heat.seconds * columns as u64)) " s; darker is more"
                }
            }
        }
    }
}

/// How many logical partitions there are of each size, and the limit.
pub(super) fn sizes(histogram: &[SizeClass]) -> Markup {
    let most = histogram.iter().map(|one| one.count).max().unwrap_or(1);
    let reaches = |one: &SizeClass| one.bytes_min.saturating_mul(2) > LIMIT;
    let list: Vec<Bar> = histogram
        .iter()
        .map(|one| Bar {
            name: format!("from {}", bytes(one.bytes_min)),
            length: one.count as f64 / most as f64,
            says: match one.count {
                1 => "1 value".to_owned(),
                count => format!("{} values", whole(count)),
            },
            class: if reaches(one) { "bad" } else { "a" },
        })
        .collect();
    let explains = if histogram.iter().any(reaches) {
        "in red what reaches over the limit of 20 GB"
    } else {
        "all below the limit of 20 GB"
    };
    bars("Sizes of logical partitions", explains, &list)
}

/// What the price is made of.
pub(super) fn price(candidate: &Candidate) -> Markup {
    let Some(cost) = candidate.cost else {
        return html! {};
    };
    let part = |name: &str, value: f64, class| Bar {
        name: name.to_owned(),
        length: value / cost.total.max(1e-12),
        says: quantity(value.round()),
        class,
    };
    let explains = format!("{} a month", quantity(cost.total.round()));
    bars(
        "Price",
        &explains,
        &[
            part("even load", cost.even, "good"),
            part("fan-out", cost.fan_out, "b"),
            part("skew", cost.skew, "bad"),
            part("storage", cost.storage, "a"),
        ],
    )
}

/// The days between two that a report names.
fn days(from: &str, to: &str) -> Option<f64> {
    let date = |text: &str| text.get(..10)?.parse::<Date>().ok();
    let span = date(from)?.until(date(to)?).ok()?;
    Some(f64::from(span.get_days()))
}

/// From the last item to the horizon: when the first logical partition is full, and when physical ones
/// split.
pub(super) fn growth(growth: &Growth) -> Markup {
    let place = |day: &str| {
        let all = days(&growth.last, &growth.horizon.day)?;
        let share = days(&growth.last, day)? / all.max(1.0);
        (0.0..=1.0)
            .contains(&share)
            .then_some(LEFT + (WIDTH - 2.0 * LEFT) * share)
    };
    let at = |place: f64| format!("{place:.1}");
    let end = WIDTH - LEFT;
    let breach = growth.breach.as_ref();
    let first = breach.and_then(|breach| place(&breach.day).map(|x| (x, breach)));
    let says = match (first, breach) {
        (Some((_, breach)), _) => format!(
            "20 GB on {} ({} to {})",
            breach.day,
            breach.earliest,
            breach.latest.as_deref().unwrap_or("never")
        ),
        (None, Some(breach)) => format!(
            "20 GB on {}, behind the horizon or before the last item",
            breach.day
        ),
        (None, None) => "no logical partition reaches 20 GB".to_owned(),
    };
    html! {
        figure {
            figcaption { "Growth " span { (says) } }
            svg viewBox={ "0 0 " (WIDTH) " 70" } role="img" aria-label={ "Growth: " (says) } {
                rect class="track" x=(LEFT) y="24" width=(WIDTH - 2.0 * LEFT) height="8" {}
                @for split in &growth.splits {
                    @if let Some(x) = place(&split.day) {
                        rect class="a" x=(at(x)) y="20" width="2" height="16" {
                            title { "physical partition " (split.partition) " splits on " (split.day) }
                        }
                    }
                }
                @if let Some((x, breach)) = first {
                    @let from = place(&breach.earliest).unwrap_or(LEFT);
                    @let to = breach.latest.as_deref().and_then(place).unwrap_or(end);
                    rect class="bad" fill-opacity="0.35" x=(at(from)) y="24" width=(at((to - from).max(1.0))) height="8" {}
                    rect class="bad" x=(at(x)) y="16" width="3" height="24" {
                        title { "20 GB on " (breach.day) }
                    }
                    text x=(at(x)) y="12" text-anchor="middle" { "full" }
                }
                text class="soft" x=(LEFT) y="52" { "last item " (growth.last.get(..10).unwrap_or_default()) }
                text class="soft" x=(end) y="52" text-anchor="end" { (growth.horizon.day) ", " (bytes(growth.horizon.bytes)) }
                @if !growth.splits.is_empty() {
                    text class="soft" x=(LEFT) y="67" { "blue marks: physical partitions split" }
                }
            }
        }
    }
}

/// RU/s that each number of suffixes needs, drawn and computed.
pub(super) fn suffixes(search: &SuffixSearch) -> Markup {
    let numbers = || {
        search
            .rows
            .iter()
            .flat_map(|row| [row.random.required, row.computed.required])
    };
    let most = numbers().flatten().max().unwrap_or(1) as f64;
    let list: Vec<Bar> = search
        .rows
        .iter()
        .flat_map(|row| {
            [
                ("drawn", row.random.required, "a"),
                ("computed", row.computed.required, "b"),
            ]
            .map(|(kind, required, class)| Bar {
                name: format!("{} {kind}", whole(row.count.into())),
                length: required.map_or(0.0, |required| required as f64 / most),
                says: required.map_or_else(
                    || "nothing is enough".to_owned(),
                    |required| format!("{} RU/s", whole(required)),
                ),
                class,
            })
        })
        .collect();
    bars("RU/s needed", "by the number of suffixes", &list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::v1::{Breach, Horizon, Split};

    #[test]
    fn the_line_of_time_marks_what_happens_before_the_horizon() {
        assert_eq!(days("2026-01-01T10:00:00Z", "2027-01-01"), Some(365.0));
        let mut growth_of = Growth {
            first: "2026-01-01T00:00:00Z".to_owned(),
            last: "2026-01-11T00:00:00Z".to_owned(),
            bytes_per_day: 1e9,
            breach: Some(Breach {
                value: "a".into(),
                day: "2026-07-01".to_owned(),
                earliest: "2026-06-01".to_owned(),
                latest: None,
            }),
            never: None,
            splits: vec![Split {
                partition: 3,
                day: "2026-03-01".to_owned(),
            }],
            horizon: Horizon {
                day: "2027-01-11".to_owned(),
                bytes: 400_000_000_000,
                partitions: 8,
                over_limit: 1,
                load: None,
            },
        };
        let page = growth(&growth_of).into_string();
        assert!(
            page.contains("20 GB on 2026-07-01 (2026-06-01 to never)") && page.contains(">full<"),
            "{page}"
        );
        assert!(page.contains("physical partition 3 splits on 2026-03-01"));
        growth_of.breach = None;
        assert!(!growth(&growth_of).into_string().contains(">full<"));
    }
}
