//! What was read, and what is assumed.

use std::io::{self, Write};

use super::Page;
use crate::assess::text::{bytes, percent, quantity, whole};
use crate::report::text::{partitions, visible};
use crate::report::v1::{Log, Problem};

impl Page<'_> {
    pub(super) fn input(&self, out: &mut dyn Write) -> io::Result<()> {
        let (dataset, scenario) = (&self.report.dataset, &self.report.scenario);
        let files = |count: usize| {
            if count == 1 {
                "1 file".to_owned()
            } else {
                format!("{count} files")
            }
        };
        writeln!(
            out,
            "data      {} items, {}, in {}{}",
            whole(dataset.items),
            bytes(dataset.bytes),
            files(dataset.files.len()),
            rejected(dataset.rejected)
        )?;
        self.problems(&dataset.problems, out)?;
        let as_numbers: Vec<&str> = dataset
            .columns
            .iter()
            .filter(|(_, kind)| *kind == "number")
            .map(|(name, _)| name.as_str())
            .collect();
        if !dataset.columns.is_empty() {
            let list = if as_numbers.is_empty() {
                "none".to_owned()
            } else {
                visible(&as_numbers.join(", "))
            };
            self.wrapped(
                "columns   ",
                &format!("read as numbers: {list}; the others as text"),
                out,
            )?;
        }
        self.log(out)?;
        let throughput = scenario.throughput.map_or_else(
            || "throughput unknown".to_owned(),
            |ru| {
                let derived = scenario.throughput_source.as_deref() == Some("derived");
                let source = if derived {
                    " (derived from the log)"
                } else {
                    ""
                };
                format!("{} RU/s{source}", whole(ru))
            },
        );
        let partitions = partitions(scenario.partitions);
        let window = scenario
            .window_seconds
            .map_or_else(String::new, |seconds| format!(", windows of {seconds} s"));
        self.wrapped(
            "scenario  ",
            &format!(
                "{throughput}, {} in the container, {partitions}{window}",
                bytes(scenario.container_bytes)
            ),
            out,
        )?;
        writeln!(out)
    }

    /// What the container refused when the log was taken.
    fn refused(&self, log: &Log, out: &mut dyn Write) -> io::Result<()> {
        let mut parts = Vec::new();
        if log.throttled > 0.0 {
            parts.push(format!(
                "{} requests for their rate (429)",
                quantity(log.throttled)
            ));
        }
        if log.unmet > 0.0 {
            parts.push(format!(
                "{} operations never succeeded, so what a key needs is a lower bound",
                quantity(log.unmet)
            ));
        }
        if log.full > 0.0 {
            parts.push(format!(
                "{} writes as a logical partition was full (403/1014)",
                quantity(log.full)
            ));
        }
        if parts.is_empty() {
            return Ok(());
        }
        self.wrapped("refused   ", &parts.join("; "), out)
    }

    fn log(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(log) = &self.report.log {
            let span = match (&log.first, &log.last) {
                (Some(first), Some(last)) if first != last => format!(", {first} to {last}"),
                (Some(first), _) => format!(", all at {first}"),
                _ => ", without times".to_owned(),
            };
            let timed = self.report.scenario.window_seconds.is_some();
            let span = if timed {
                span
            } else {
                format!("{span} (--log-duration tells how long it took, for RU/s)")
            };
            let line = format!(
                "{} operations, {} RU{span}{}",
                quantity(log.weight),
                quantity(log.charge),
                rejected(log.rejected)
            );
            self.wrapped("log       ", &line, out)?;
            self.problems(&log.problems, out)?;
            if log.ids.named > 0 {
                let unknown = log.ids.named - log.ids.in_dataset - log.ids.created_in_log;
                let line = format!(
                    "{} named: {} in the data, {} created in the log, {} unknown",
                    whole(log.ids.named),
                    whole(log.ids.in_dataset),
                    whole(log.ids.created_in_log),
                    whole(unknown)
                );
                self.wrapped("ids       ", &line, out)?;
            }
            self.refused(log, out)?;
            if let Some(seconds) = log.rates_seconds {
                let line = format!("taken over {} s", whole(seconds));
                self.wrapped("rates     ", &line, out)?;
            }
            if log.charges.recorded < 1.0 {
                let parts = [
                    (log.charges.recorded, "recorded"),
                    (
                        log.charges.recorded_with_fan_out,
                        "recorded, today's fan-out perhaps included (--current-key takes it off)",
                    ),
                    (log.charges.modelled, "by the model"),
                ];
                let parts = parts.iter().filter(|(share, _)| *share > 0.0);
                let line = parts
                    .map(|(share, what)| format!("{} {what}", percent(*share)))
                    .collect::<Vec<_>>()
                    .join("; ");
                self.wrapped("charges   ", &line, out)?;
            }
        } else {
            self.wrapped("log       ", "none: storage and cardinality only; with --log the report shows routing, hot partitions and RU/s", out)?;
        }
        Ok(())
    }

    fn problems(&self, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
        for problem in problems {
            let place = problem.places.first().map_or_else(String::new, |place| {
                format!(
                    "; first {}, line {}: {}",
                    visible(&place.file),
                    place.line,
                    visible(&place.detail)
                )
            });
            self.wrapped(
                "          ",
                &format!("{} x {}{place}", whole(problem.count), problem.message),
                out,
            )?;
        }
        Ok(())
    }
}

/// The end of a line on what was read.
fn rejected(count: u64) -> String {
    if count == 0 {
        String::new()
    } else {
        format!(", {} rows not used", whole(count))
    }
}
