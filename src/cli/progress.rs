//! What a person sees while files are read: bytes, their rate and the time left. Nothing unless the
//! error stream is a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::assess::text::{bytes, quantity, whole};
use crate::ingest::bytes_read;
use crate::report::v1::Report;

/// How often the line is drawn.
const INTERVAL: Duration = Duration::from_millis(100);

/// A line that is drawn until this is dropped.
pub(super) struct Progress {
    shown: Option<Shown>,
    started: Instant,
    bytes_before: u64,
}

struct Shown {
    bar: ProgressBar,
    stopped: Arc<AtomicBool>,
    drawer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts drawing.
    pub(super) fn start(quiet: bool) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        Self {
            shown: visible.then(Shown::start),
            started: Instant::now(),
            bytes_before: bytes_read(),
        }
    }

    /// From here on so many bytes are still to be read, where that is known.
    pub(super) fn expect(&self, bytes: Option<u64>) {
        let (Some(shown), Some(bytes)) = (&self.shown, bytes) else {
            return;
        };
        shown
            .bar
            .set_length(bytes_read() - self.bytes_before + bytes);
        let template =
            "reading {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            shown.bar.set_style(style);
        }
    }

    /// Ends with a line on what was done.
    pub(super) fn summary(mut self, report: &Report) {
        if self.shown.take().is_none() {
            return;
        }
        let operations = report.log.as_ref().map_or_else(String::new, |log| {
            format!(" and {} operations", quantity(log.weight))
        });
        // A closed stream is no reason to fail.
        let _ = writeln!(
            io::stderr(),
            "read {} items{operations}, {}, in {:.1} s",
            whole(report.dataset.items),
            bytes(bytes_read() - self.bytes_before),
            self.started.elapsed().as_secs_f64()
        );
    }
}

impl Shown {
    fn start() -> Self {
        let bar = ProgressBar::new_spinner();
        bar.set_draw_target(ProgressDrawTarget::stderr());
        let template = "reading {decimal_bytes}, {decimal_bytes_per_sec}, for {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let stopped = Arc::new(AtomicBool::new(false));
        let (line, stop) = (bar.clone(), Arc::clone(&stopped));
        let before = bytes_read();
        let drawer = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let read = bytes_read() - before;
                // Files that are read more than once are more than their size.
                if line.length().is_some_and(|length| read > length) {
                    line.set_length(read);
                }
                line.set_position(read);
                std::thread::sleep(INTERVAL);
            }
        });
        Self {
            bar,
            stopped,
            drawer: Some(drawer),
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(drawer) = self.drawer.take() {
            // What draws cannot fail the run.
            let _ = drawer.join();
        }
        self.bar.finish_and_clear();
    }
}
