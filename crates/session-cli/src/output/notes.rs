//! Notes and progress on stderr, which `--quiet` leaves out. Errors are no notes: they are
//! printed in any case.

use indicatif::ProgressDrawTarget;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out all notes and all progress from now on.
pub fn silence() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Returns where a note is written: stderr, or nowhere with `--quiet`.
pub fn stderr() -> Box<dyn Write> {
    match IS_QUIET.load(Ordering::Relaxed) {
        true => Box::new(std::io::sink()),
        false => Box::new(anstream::stderr()),
    }
}

/// Returns where a progress bar is drawn: stderr, or nowhere with `--quiet`.
pub fn bars() -> ProgressDrawTarget {
    match IS_QUIET.load(Ordering::Relaxed) {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    }
}
