//! Work of kernels on one thread or on all.

use std::cell::Cell;

thread_local! {
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with its kernels on this thread alone, where every thread has a
/// batch of its own: a thread that waits for others would begin another batch,
/// which takes memory and the cache.
pub(crate) fn on_this_thread<T>(work: impl FnOnce() -> T) -> T {
    IS_ALONE.set(true);
    let outcome = work();
    IS_ALONE.set(false);
    outcome
}

/// Returns how many tasks a thread takes at least; all within
/// [`on_this_thread`].
pub(crate) fn min_tasks() -> usize {
    if IS_ALONE.get() { usize::MAX } else { 1 }
}
