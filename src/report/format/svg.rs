//! SVG: one picture of what lies on each physical partition under each candidate.

use std::io::{self, Write};

use maud::{PreEscaped, html};

use super::{OutputFormat, Target};
use crate::assess::text::percent;
use crate::report::text::{cut, visible};
use crate::report::v1::{Candidate, Report};

/// Candidates that a picture has room for, and physical partitions of each.
const CANDIDATES_MAX: usize = 6;
const PARTITIONS_MAX: usize = 12;

/// Sizes in pixels.
const WIDTH: usize = 720;
const BAR: usize = 16;
const TITLE: usize = 30;
const LEFT: usize = 90;
const HALF: usize = 300;

const STYLE: &str = "svg{color-scheme:light dark;font:12px system-ui,sans-serif}\
text{fill:light-dark(#1b1f24,#e6edf3)}.soft{fill:light-dark(#57606a,#9aa7b4)}.title{font-weight:600;font-size:13px}\
.a{fill:light-dark(#0b62b8,#58a6ff)}.b{fill:light-dark(#9a5b00,#e3a54a)}.track{fill:light-dark(#eef1f4,#1a2129)}\
.ground{fill:light-dark(#ffffff,#0f1419)}";

pub(super) struct Svg;

impl OutputFormat for Svg {
    fn name(&self) -> &'static str {
        "svg"
    }

    fn summary(&self) -> &'static str {
        "one picture: storage and charge of the physical partitions of each candidate"
    }

    fn render(&self, report: &Report, _target: Target, out: &mut dyn Write) -> io::Result<()> {
        let shown = || report.candidates.iter().take(CANDIDATES_MAX);
        let height = |one: &Candidate| TITLE + BAR * rows(one) + 8;
        let total = shown().map(height).sum::<usize>() + 10;
        let mut top = 10;
        let mut parts = Vec::new();
        for one in shown() {
            parts.push(part(report, one, top));
            top += height(one);
        }
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(total)
                viewBox={ "0 0 " (WIDTH) " " (total) } role="img" aria-label="Storage and charge of physical partitions" {
                style { (PreEscaped(STYLE)) }
                rect class="ground" width=(WIDTH) height=(total) {}
                @for part in parts { (part) }
            }
        };
        writeln!(out, "{}", picture.into_string())
    }
}

fn rows(one: &Candidate) -> usize {
    one.physical_partitions.len().clamp(1, PARTITIONS_MAX)
}

fn part(report: &Report, one: &Candidate, top: usize) -> maud::Markup {
    let taken = report.recommendation.key.as_ref() == Some(&one.key);
    let total: u64 = one.physical_partitions.iter().map(|part| part.bytes).sum();
    let stored = |bytes: u64| bytes as f64 / total.max(1) as f64;
    let bar = |left: usize, y: usize, share: f64, class: &str| {
        let room = HALF - 60;
        html! {
            rect class="track" x=(left) y=(y) width=(room) height=(BAR - 4) {}
            rect class=(class) x=(left) y=(y) width=(format!("{:.1}", room as f64 * share.clamp(0.0, 1.0))) height=(BAR - 4) {}
            text class="soft" x=(left + room + 6) y=(y + 10) { (percent(share)) }
        }
    };
    html! {
        text class="title" x="10" y=(top + 14) { (cut(&visible(&one.key), 60)) @if taken { " (recommended)" } }
        text class="soft" x=(WIDTH - 10) y=(top + 14) text-anchor="end" {
            (one.verdict) "; blue storage, brown charge"
        }
        @for (index, physical) in one.physical_partitions.iter().take(PARTITIONS_MAX).enumerate() {
            @let y = top + TITLE - 6 + BAR * index;
            text class="soft" x=(LEFT - 8) y=(y + 10) text-anchor="end" { "partition " (index) }
            (bar(LEFT, y, stored(physical.bytes), "a"))
            @if let Some(share) = physical.charge_share { (bar(LEFT + HALF + 20, y, share, "b")) }
        }
    }
}
