//! Notes and progress on stderr, which `--quiet` leaves out. Errors are no notes, nor is why an answer is empty:
//! they are printed in any case.

use crate::output::terminal_width;
use crate::output::unbreakable_pipe::UnbreakablePipe;
use anyhow::Result;
use indicatif::ProgressDrawTarget;
use session_core::text::{path_line, sanitize_text};
use session_display::wrap_note;
use session_models::WaitListener;
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out all notes and all progress from now on.
pub fn silence_notes() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Returns where a note is written: stderr, or nowhere with `--quiet`. A reader that went away (`2>&1 | head`) fails no
/// write: what a command changes does not depend on who reads its notes.
pub fn open_stderr() -> Box<dyn Write> {
    if IS_QUIET.load(Ordering::Relaxed) {
        Box::new(std::io::sink())
    } else {
        Box::new(UnbreakablePipe(anstream::stderr()))
    }
}

/// Prints text as a note is, with no line end added.
pub fn print(text: impl Display) -> Result<()> {
    Ok(write!(open_stderr(), "{text}")?)
}

/// Prints a line of text as a note is.
pub fn print_line(text: impl Display) -> Result<()> {
    Ok(writeln!(open_stderr(), "{text}")?)
}

/// Prints why an answer is empty, with `--quiet`, too: nothing else is printed then.
pub fn print_reason(text: impl Display) -> Result<()> {
    let mut stderr = UnbreakablePipe(anstream::stderr());
    Ok(writeln!(
        stderr,
        "{}",
        fit_lines_to_terminal(&text.to_string())
    )?)
}

/// Prints why an answer is empty, for a command that prints text or JSON. Beside JSON, which is an answer, it is as a note.
pub fn print_reason_or_note(text: impl Display, as_json: bool) -> Result<()> {
    if as_json {
        print_line(fit_lines_to_terminal(&text.to_string()))
    } else {
        print_reason(text)
    }
}

/// Prints a note: what is worth knowing beside an answer. Session text in it is made printable.
pub fn print_note(note: impl Display) -> Result<()> {
    let text = escape_directory_names(&note.to_string());
    let note = format!("note: {}", sanitize_text(&text));
    print_line(fit_lines_to_terminal(&note))
}

/// Prints notes.
pub fn print_notes(notes: impl IntoIterator<Item = impl Display>) -> Result<()> {
    notes.into_iter().try_for_each(print_note)
}

/// Folds a note to the width of the terminal that stderr is; what goes to a file or a pipe stays on one line.
pub fn fit_to_terminal(note: &str) -> String {
    if std::io::stderr().is_terminal() {
        wrap_note(note, terminal_width())
    } else {
        note.to_owned()
    }
}

fn fit_lines_to_terminal(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(fit_to_terminal).collect();
    lines.join("\n")
}

/// Returns a listener that notes the first long wait for an endpoint.
pub fn make_wait_listener() -> WaitListener {
    WaitListener::new(|sentence| {
        let _ = print_line(sanitize_text(sentence));
    })
}

/// Puts the names of the folders around the working directory on one line each: an error of a library names
/// them as they are, and whoever unpacked the folder may have written a hint into its name.
pub fn escape_directory_names(text: &str) -> String {
    let directory = std::env::current_dir().unwrap_or_default();
    let names = directory.components().map(|part| part.as_os_str());
    let names = names.filter_map(|name| name.to_str());
    names
        .filter(|name| name.contains(char::is_control))
        .fold(text.to_owned(), |text, name| {
            text.replace(name, &path_line(name.as_ref()))
        })
}

/// Returns where a progress bar is drawn: stderr, or nowhere with `--quiet`.
pub fn progress_target() -> ProgressDrawTarget {
    if IS_QUIET.load(Ordering::Relaxed) {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    }
}
