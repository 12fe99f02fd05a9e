//! Work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The results of a function of each of some values, in their order, on so many threads.
pub(crate) fn in_parallel<'a, T: Sync, R: Send>(
    all: &'a [T],
    threads: usize,
    of: impl Fn(&'a T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            all.get(index).map(|one| (index, of(one)))
        });
        taken.collect::<Vec<_>>()
    };
    let mut results = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(all.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut results = work();
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
