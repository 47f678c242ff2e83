//! Errors as a person reads them: what, where, and what to do.

use crate::output::notes::{escape_directory_names, fit_to_terminal};
use anyhow::Error;
use session_core::text::sanitize_text;
use session_output::format_error;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Prints an error on stderr and gives the exit code for it. A reader that
/// went away (`| head`) is none.
pub fn report_error(error: &Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let message = escape_directory_names(&format_error(error.as_ref()));
    let message = wrap_hints(&sanitize_text(&message));
    let _ = writeln!(anstream::stderr(), "error: {message}");
    ExitCode::from(2)
}

/// Lets the process end with an error where the system starts no thread: rayon and scoped threads panic then.
pub fn report_thread_shortage() {
    let report_panic = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        if message.is_some_and(|message| is_thread_shortage(message)) {
            let error = std::io::Error::new(ErrorKind::WouldBlock, "no thread can be started");
            report_error(&error.into());
            std::process::exit(2);
        }
        report_panic(panic);
    }));
}

/// Returns true for what `std` and rayon panic with when the system starts no thread. Rayon names the cause at its first attempt
/// alone.
fn is_thread_shortage(message: &str) -> bool {
    message.starts_with("The global thread pool has not been initialized")
        || message.starts_with("failed to spawn thread") && message.contains("WouldBlock")
}

/// Folds each line that is a hint to the terminal's width.
fn wrap_hints(message: &str) -> String {
    let lines = message.split('\n').map(|line| {
        if line.starts_with("hint: ") {
            fit_to_terminal(line)
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_broken_pipe(error: &Error) -> bool {
    error
        .chain()
        .filter_map(|e| e.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_thread_that_cannot_be_started_is_known() {
        let error = std::io::Error::from(ErrorKind::WouldBlock);
        let of_std = format!("failed to spawn thread: {error:?}");
        assert!(is_thread_shortage(&of_std));
        assert!(!is_thread_shortage("failed to spawn thread: Interrupted"));
        assert!(!is_thread_shortage("WouldBlock"));
        assert!(is_thread_shortage(
            "The global thread pool has not been initialized.: ThreadPoolBuildError { kind: GlobalPoolAlreadyInitialized }"
        ));
    }
}
