//! A terminal of tmux, which has to be installed: keys in, screen out.

use crate::process::wait_until;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts the terminals: a server that is being killed has its socket for a while.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A program on a terminal. Dropped, it is killed.
pub struct TmuxTerminal {
    socket: PathBuf,
}

impl TmuxTerminal {
    /// Starts a shell command on a terminal of so many columns and lines. `tmux` is the command
    /// with the environment that the program gets; its socket is made in `folder`.
    pub fn start(mut tmux: Command, folder: &Path, size: (u16, u16), command: &str) -> Self {
        let socket = folder.join(format!("tmux-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let (columns, lines) = (size.0.to_string(), size.1.to_string());
        tmux.env_remove("TMUX").arg("-S").arg(&socket);
        tmux.args(["-f", "/dev/null", "new-session", "-d"]);
        tmux.args(["-x", &columns, "-y", &lines, command]);
        let ran = tmux.output().expect("tmux has to be installed");
        assert!(ran.status.success(), "{ran:?}");
        Self { socket }
    }

    /// Runs a command of tmux.
    pub fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").arg("-S").arg(&self.socket);
        command.args(arguments).output().unwrap()
    }

    fn run(&self, arguments: &[&str]) -> String {
        let ran = self.tmux(arguments);
        assert!(ran.status.success(), "has the program ended? {ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    }

    /// Returns the text on the screen.
    pub fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Returns the text on the screen with its colours and marks.
    pub fn styled_screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-e"])
    }

    /// Returns what was copied last.
    pub fn read_clipboard(&self) -> String {
        self.run(&["show-buffer"])
    }

    /// Waits until the screen holds a text.
    #[track_caller]
    pub fn wait_for_text(&self, text: &str) {
        wait_until(|| self.screen().contains(text), || self.screen());
    }

    /// Waits until the screen does not hold a text.
    #[track_caller]
    pub fn wait_for_absence(&self, text: &str) {
        wait_until(|| !self.screen().contains(text), || self.screen());
    }

    /// Presses keys, by the names that tmux has for them.
    pub fn press_keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    /// Types a text.
    pub fn type_text(&self, text: &str) {
        self.run(&["send-keys", "-l", "--", text]);
    }

    /// Gives the terminal another size.
    pub fn resize(&self, columns: u16, lines: u16) {
        let (columns, lines) = (columns.to_string(), lines.to_string());
        self.run(&["resize-window", "-x", &columns, "-y", &lines]);
    }

    /// Returns the process that was started.
    pub fn process(&self) -> u32 {
        let pid = self.run(&["display-message", "-p", "#{pane_pid}"]);
        pid.trim().parse().unwrap()
    }
}

impl Drop for TmuxTerminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
