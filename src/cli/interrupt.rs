//! Ctrl-C: what was begun is taken away, and the program ends as its shell expects.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

/// What a shell reports of a program that was interrupted: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static HANDLER: Once = Once::new();

/// Takes a file away when the program is interrupted. One that has its final name by then is no longer
/// at this place.
pub(super) fn remove_on_interrupt(path: &Path) {
    if let Ok(mut paths) = TEMPORARY.lock() {
        paths.push(path.to_owned());
    }
    HANDLER.call_once(|| {
        // Without a handler an interrupt only leaves a hidden file.
        let _ = ctrlc::set_handler(|| {
            for path in TEMPORARY.lock().iter().flat_map(|paths| paths.iter()) {
                let _ = fs::remove_file(path);
            }
            end();
        });
    });
}

#[expect(clippy::exit, reason = "an interrupt ends the program wherever it is")]
fn end() {
    std::process::exit(INTERRUPTED);
}
