//! The clipboard: of tmux or the desktop where these have a command for it, else of the terminal.

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use std::io::{Result, Write};
use std::process::{Command, Stdio};

/// Puts a text on the clipboard. `terminal` is asked where no command takes it.
///
/// # Errors
/// When the terminal cannot be written.
pub(crate) fn copy_to_clipboard(text: &str, terminal: &mut impl Write) -> Result<()> {
    if pipe_to_command(text) {
        Ok(())
    } else {
        execute!(terminal, CopyToClipboard::to_clipboard_from(text))
    }
}

/// Passes the text to a command; returns true if that took it.
fn pipe_to_command(text: &str) -> bool {
    let Some(mut command) = find_command() else {
        return false;
    };
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let Ok(mut child) = piped.stderr(Stdio::null()).spawn() else {
        return false;
    };
    let mut stdin = child.stdin.take();
    let written = stdin.as_mut().map(|stdin| stdin.write_all(text.as_bytes()));
    drop(stdin);
    matches!(written, Some(Ok(()))) && child.wait().is_ok_and(|status| status.success())
}

/// Finds the program that takes a text for the clipboard: tmux takes none from a program on its terminal, unless it is
/// set to; the terminal of macOS takes none at all.
fn find_command() -> Option<Command> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("TMUX") {
        let mut tmux = Command::new("tmux");
        tmux.args(["load-buffer", "-w", "-"]);
        return Some(tmux);
    }
    let is_local = cfg!(target_os = "macos") && !is_set("SSH_CONNECTION");
    is_local.then(make_pbcopy)
}

/// Makes the command of macOS, which takes its input for the encoding of the locale: for MacRoman where none is set.
fn make_pbcopy() -> Command {
    let mut command = Command::new("/usr/bin/pbcopy");
    command.env_remove("LC_ALL").env("LC_CTYPE", "UTF-8");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_macos_takes_utf_8_whatever_the_locale() {
        let command = make_pbcopy();
        let set: Vec<_> = command.get_envs().collect();
        let expected = [("LC_ALL", None), ("LC_CTYPE", Some("UTF-8"))];
        let expected = expected.map(|(name, value)| (name.as_ref(), value.map(AsRef::as_ref)));
        assert_eq!(set, expected);
    }
}
