//! Long text on a terminal goes through the user's pager.

use crate::environment;
use crate::output::notes::print_note;
use anyhow::Result;
use session_config::PagerCommand;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::Stdio;

/// Prints text with colour codes: through the pager where it is longer than the
/// terminal, there is one, and it is not forbidden.
pub fn print_paged(text: &str, forbidden: bool) -> Result<()> {
    let paged = !forbidden && is_long(text) && print_through_pager(text);
    if !paged {
        super::print(text)?;
    }
    Ok(())
}

fn is_long(text: &str) -> bool {
    let is_terminal = std::io::stdout().is_terminal();
    let rows = terminal_size::terminal_size().map(|(_, rows)| usize::from(rows.0));
    is_terminal && rows.is_some_and(|rows| text.lines().count() >= rows)
}

/// Prints through the pager. Returns false when there is none, or it cannot be started.
fn print_through_pager(text: &str) -> bool {
    let wanted = environment::find_program("PAGER").unwrap_or_else(|| "less -R".to_owned());
    let Some(pager) = PagerCommand::parse(&wanted) else {
        let _ = print_note(format!(
            "the variable PAGER names `{wanted}`, which is no pager that session-search knows: the text is printed as it is"
        ));
        return false;
    };
    if pager.is_cat() {
        return false;
    }
    let _interrupts = IgnoredInterrupts::new();
    let Ok(mut child) = pager.command().stdin(Stdio::piped()).spawn() else {
        return false;
    };
    if let Some(mut stdin) = child.stdin.take() {
        let written = stdin.write_all(style_text(text).as_bytes());
        // Who leaves the pager early has read enough.
        let failed = written.is_err_and(|error| error.kind() != ErrorKind::BrokenPipe);
        drop(stdin);
        let _ = child.wait();
        return !failed;
    }
    false
}

/// Ignores Ctrl-C while the pager runs, which handles it itself: it would else be left behind on the terminal.
struct IgnoredInterrupts {
    #[cfg(unix)]
    handler: Option<signal_hook::SigId>,
}

impl IgnoredInterrupts {
    #[cfg(unix)]
    fn new() -> Self {
        let flag = std::sync::Arc::default();
        Self {
            handler: signal_hook::flag::register(signal_hook::consts::SIGINT, flag).ok(),
        }
    }

    #[cfg(not(unix))]
    fn new() -> Self {
        Self {}
    }
}

#[cfg(unix)]
impl Drop for IgnoredInterrupts {
    fn drop(&mut self) {
        self.handler.map(signal_hook::low_level::unregister);
    }
}

/// Returns the text with the styles that stdout takes.
fn style_text(text: &str) -> String {
    if super::is_styled() {
        text.to_owned()
    } else {
        anstream::adapter::strip_str(text).to_string()
    }
}
