//! How many bytes were read so far, for those who wait.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

static BYTES_READ: AtomicU64 = AtomicU64::new(0);

/// Bytes that the process has read from sources, as they lie on disk. Files that are read more than
/// once count each time.
pub fn bytes_read() -> u64 {
    BYTES_READ.load(Ordering::Relaxed)
}

/// Passes bytes on and counts them.
pub(super) struct Counted<R>(pub(super) R);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(bytes)?;
        BYTES_READ.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
