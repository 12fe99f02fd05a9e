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
    /// Starts drawing. `total` is the number of bytes of all files, where it is known.
    pub(super) fn start(quiet: bool, total: Option<u64>) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        Self {
            shown: visible.then(|| Shown::start(total)),
            started: Instant::now(),
            bytes_before: bytes_read(),
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
    fn start(total: Option<u64>) -> Self {
        let (bar, template) = match total {
            Some(total) => (
                ProgressBar::new(total),
                "reading {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left",
            ),
            None => (
                ProgressBar::new_spinner(),
                "reading {decimal_bytes}, {decimal_bytes_per_sec}, for {elapsed}",
            ),
        };
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let stopped = Arc::new(AtomicBool::new(false));
        let (line, stop) = (bar.clone(), Arc::clone(&stopped));
        let before = bytes_read();
        let drawer = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let read = bytes_read() - before;
                // Files that are read twice are more than their size.
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
