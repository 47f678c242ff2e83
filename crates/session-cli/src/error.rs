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
