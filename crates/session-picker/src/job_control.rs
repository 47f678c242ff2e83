//! Stopping the job on the terminal as Ctrl-Z does where a terminal is not raw.

use libc::{SIG_DFL, SIG_IGN, SIGTSTP, sigaction, sighandler_t};
use rustix::process::{Signal, kill_current_process_group};
use signal_hook::low_level::raise;
use std::io::{Error, Result};

/// Stops the whole job until it is continued: a shell waits for all of it, and may have started a program that started
/// this one. Where no shell could continue the job, the kernel drops SIGTSTP and this returns at once; SIGSTOP it
/// would not drop.
///
/// This process ignores the signal of the job, and then raises its own, which stops this thread before `raise` returns.
/// The one of the job could be given to another thread, while this one takes the terminal again.
///
/// # Errors
/// When the system refuses.
pub(crate) fn stop_job() -> Result<()> {
    let handler = exchange_action(&signal_action(SIG_IGN))?;
    let stopped = kill_current_process_group(Signal::TSTP)
        .map_err(Error::from)
        .and_then(|()| exchange_action(&signal_action(SIG_DFL)))
        .and_then(|_| raise(SIGTSTP));
    exchange_action(&handler)?;
    stopped
}

fn signal_action(handler: sighandler_t) -> sigaction {
    // SAFETY: a structure of C of numbers, flags and an optional function, for all of which zero is a value.
    let mut action: sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler;
    action
}

/// Sets the action of SIGTSTP, and returns the one before.
fn exchange_action(action: &sigaction) -> Result<sigaction> {
    let mut previous = signal_action(SIG_DFL);
    // SAFETY: both point to an action during the call; the one that is set calls nothing, or was set by signal-hook.
    match unsafe { libc::sigaction(SIGTSTP, action, &raw mut previous) } {
        0 => Ok(previous),
        _ => Err(Error::last_os_error()),
    }
}
