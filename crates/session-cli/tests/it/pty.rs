//! The program on a terminal, answered by whoever sits there.
#![cfg(unix)]

use crate::environment::{Ran, TestEnvironment};
use crate::history::small;
use insta::assert_snapshot;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

struct Terminal {
    controller: File,
    name: String,
}

impl Terminal {
    fn open() -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        Self {
            controller: File::from(controller),
            name: name.into_string().unwrap(),
        }
    }

    /// A stream of a process that is on the terminal.
    fn stream(&self) -> File {
        let mut options = fs_err::OpenOptions::new();
        options.read(true).write(true);
        options.open(&self.name).unwrap().into_parts().0
    }

    /// Collects the output until the last process is gone.
    fn shown(mut self) -> JoinHandle<Vec<u8>> {
        std::thread::spawn(move || {
            let (mut shown, mut part) = (Vec::new(), [0; 4096]);
            // A terminal whose last user is gone answers with an error.
            while let Ok(count @ 1..) = self.controller.read(&mut part) {
                shown.extend_from_slice(&part[..count]);
            }
            shown
        })
    }
}

/// Runs a command whose stdin and stderr are a terminal on which `answer` is typed. What it shows
/// there is its stderr.
pub fn answered(env: &TestEnvironment, mut command: Command, answer: &str) -> Ran {
    let mut terminal = Terminal::open();
    terminal.controller.write_all(answer.as_bytes()).unwrap();
    let child = command
        .stdin(terminal.stream())
        .stderr(terminal.stream())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(command); // and with it the terminal's last handles of our own
    let shown = terminal.shown();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = shown.join().unwrap();
    env.ran(output)
}

/// Runs a command that is wholly on a terminal on which `answer` is typed; returns what it shows there.
pub fn on_terminal(mut command: Command, answer: &str) -> String {
    let mut terminal = Terminal::open();
    terminal.controller.write_all(answer.as_bytes()).unwrap();
    command.stdin(terminal.stream()).stderr(terminal.stream());
    let mut child = command.stdout(terminal.stream()).spawn().unwrap();
    drop(command);
    let shown = terminal.shown();
    child.wait().unwrap();
    String::from_utf8_lossy(&shown.join().unwrap()).into_owned()
}

/// Runs a command whose stdout is a terminal.
fn watched(env: &TestEnvironment, mut command: Command) -> Ran {
    let terminal = Terminal::open();
    let child = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .stdout(terminal.stream())
        .spawn()
        .unwrap();
    drop(command);
    let shown = terminal.shown();
    let mut output = child.wait_with_output().unwrap();
    output.stdout = shown.join().unwrap();
    env.ran(output)
}

#[test]
fn words_that_match_are_bold_on_a_terminal() {
    let env = small();
    let search = || {
        let mut command = env.command();
        command.args(["search", "EMFILE opened handles", "--limit", "1"]);
        command.env("TERM", "xterm");
        command
    };
    let shown = watched(&env, search()).succeeded().stdout();
    let preview = shown.lines().nth(4).unwrap().replace('\u{1b}', "^");
    assert_snapshot!(preview.trim(), @"Each change ^[1mopens^[0m a new ^[1mhandle^[0m and none is closed. Reuse one watcher.");
    let mut plain = search();
    plain.env("NO_COLOR", "1");
    let shown = watched(&env, plain).succeeded().stdout();
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn a_terminal_without_a_cursor_gets_no_picker() {
    let env = small();
    for (command, said) in [
        (
            &["browse"][..],
            "the picker needs a terminal: TERM is `dumb`",
        ),
        (
            &[],
            "no command is given, and the picker needs a terminal: TERM is `dumb`",
        ),
    ] {
        let mut picker = env.command();
        picker.args(command).env("TERM", "dumb");
        let shown = on_terminal(picker, "");
        assert!(shown.contains(said), "{shown}");
    }
}

#[test]
fn prose_is_wrapped_on_a_terminal_alone() {
    let env = small();
    let show = |columns: &str| {
        let mut command = env.command();
        command.args(["show", "a1", "--no-pager"]);
        command.env("COLUMNS", columns).env("NO_COLOR", "1");
        command
    };
    let prompt = "you> The containers cannot resolve each other by name on the docker bridge";
    let piped = env.ran(show("40").output().unwrap()).succeeded().stdout();
    assert!(piped.contains(&format!("\n{prompt}\n")), "{piped}");
    let shown = watched(&env, show("40")).succeeded().stdout();
    let wrapped =
        "you> The containers cannot resolve each\r\nother by name on the docker bridge\r\n";
    assert!(shown.contains(wrapped), "{shown:?}");
    let wide = watched(&env, show("160")).succeeded().stdout();
    let piped = env.ran(show("160").output().unwrap()).succeeded().stdout();
    assert_eq!(wide.replace('\r', "").trim(), piped.trim());
}

#[test]
fn why_an_answer_is_empty_is_wrapped_on_a_terminal_alone() {
    let env = small();
    let fix = || {
        let mut command = env.command();
        command.args(["fix", "the harbour is on fire"]);
        command.env("COLUMNS", "60").env("NO_COLOR", "1");
        command
    };
    let shown = on_terminal(fix(), "");
    assert!(shown.lines().count() > 2, "{shown}");
    assert!(shown.lines().all(|line| line.len() <= 60), "{shown}");
    let piped = env.ran(fix().output().unwrap()).stderr();
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(piped.lines().any(|line| line.len() > 60), "{piped}");
    assert_eq!(words(&shown), words(&piped));
}
