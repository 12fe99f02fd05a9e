//! `sample-of-one-period`: items of one stretch of time.

use serde_json::json;

use super::{Check, Page};
use crate::assess::text::quantity;
use crate::assess::{Confidence, Finding, Severity, Subject};
use crate::model::OperationKind;
use crate::model::units::from_micro;
use crate::simulate::{DAY, duration};

/// From so many times the known growth on the items have come too fast.
const TIMES_MIN: f64 = 10.0;

/// Items that a log creates from which on it tells how many come.
const CREATED_MIN: f64 = 20.0;

pub(super) struct SampleOfOnePeriod;

impl Check for SampleOfOnePeriod {
    fn code(&self) -> &'static str {
        "sample-of-one-period"
    }

    fn summary(&self) -> &'static str {
        "the times of the items of a sample lie too close together for the container to have grown so"
    }

    fn page(&self) -> Page {
        Page {
            what: "If the files are the share of the container that they are said to be, it grew many times faster than it does by the log, or by --growth.",
            why: "Items of one period show the values of that period: a date has one value, a campaign one customer. Growth and sizes scaled from them are wrong by as much.",
            how: "Items, or bytes, of the whole container over the time from the first to the last item; against the items that the log creates over its time, or --growth. A finding from ten times on. Without --time the last write counts, so that a container that was filled at once looks the same.",
            example: "One day of orders, said to be 1 % of the container, with a log that creates as many a day.",
            fix: "Take items of all times, or say what share the files are (--sample-share); --time names the property with the time of an item.",
        }
    }

    fn check(&self, subject: &Subject) -> Vec<Finding> {
        let Some(growth) = &subject.compared.growth else {
            return Vec::new();
        };
        let share = subject.frame.sample_share;
        let days = (growth.span.1 - growth.span.0) as f64 / DAY;
        if share >= 1.0 || days <= 0.0 {
            return Vec::new();
        }
        let items = subject.profile.items() as f64 / share / days;
        let bytes = subject.frame.container_bytes as f64 / days;
        let (implied, known, what, source) = match subject.scenario.growth.bytes_per_day {
            Some(known) => (bytes, known, "bytes", "--growth says"),
            None => match created_per_day(subject) {
                Some(known) => (items, known, "items", "the log creates"),
                None => return Vec::new(),
            },
        };
        let times = implied / known;
        if times < TIMES_MIN {
            return Vec::new();
        }
        vec![Finding {
            code: self.code(),
            severity: Severity::Warning,
            confidence: Confidence::Possible,
            rejects: false,
            message: format!(
                "all items are from {}, which makes {} {what} a day in the whole container, while {source} {}: they look like those of one period, or the container was filled at once",
                duration(days * DAY),
                quantity(implied),
                quantity(known)
            ),
            evidence: vec![
                ("days", json!(days)),
                ("implied_per_day", json!(implied)),
                ("known_per_day", json!(known)),
            ],
            remedy: "take items of all times, or say what share the files are (--sample-share)"
                .to_owned(),
        }]
    }
}

/// Items that the log creates a day; `None` where it tells no times, or hardly creates any.
fn created_per_day(subject: &Subject) -> Option<f64> {
    let workload = subject.workload?;
    let schedule = workload.schedule()?;
    let seconds = f64::from(schedule.windows) * schedule.window_seconds as f64;
    let forms = workload.log.weighted_forms();
    let new = forms.filter(|(access, _)| access.kind == OperationKind::Create);
    let created = from_micro(new.map(|(_, weight)| weight).sum());
    (created >= CREATED_MIN).then(|| created / seconds * DAY / subject.scenario.log_share)
}
