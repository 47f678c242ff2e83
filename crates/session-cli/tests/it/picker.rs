//! The picker on a terminal of tmux.
#![cfg(unix)]

use crate::claude::ClaudeTranscript;
use crate::environment::{TestEnvironment, wait_until};
use crate::history::{DOCKER, WATCHER, small};
use crate::terminal;
use session_test::tmux::TmuxTerminal;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const SIZE: (u16, u16) = (80, 24);

/// A shell command on a terminal of its own, in the home folder, with the program and stand-ins for the
/// agents on its path. What it does is said by the agents' names alone.
pub fn start(env: &TestEnvironment, size: (u16, u16), command: &str) -> TmuxTerminal {
    for agent in ["claude", "opencode"] {
        let said = format!("#!/bin/sh\necho \"started {agent} $* in $(pwd)\"\nread -r line\n");
        let path = env.path("bin").join(agent);
        env.write(&path, said);
        let executable = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(path, executable).unwrap();
    }
    let mut tmux = Command::new("tmux");
    env.isolate(&mut tmux);
    let path = std::env::var("PATH").unwrap();
    let own = env!("CARGO_BIN_EXE_session-search");
    let own = std::path::Path::new(own).parent().unwrap().display();
    tmux.env(
        "PATH",
        format!("{}:{own}:{path}", env.path("bin").display()),
    );
    tmux.env("SHELL", "/bin/sh").current_dir(env.home(""));
    TmuxTerminal::start(tmux, &env.path(""), size, command)
}

/// The picker of a small history, with all of it listed.
fn opened(env: &TestEnvironment) -> TmuxTerminal {
    let terminal = start(env, SIZE, "session-search browse");
    terminal.wait_for_text("Docker bridge DNS");
    terminal.wait_for_text("4 sessions");
    terminal
}

/// A shell with a prompt, in which the picker was started.
fn opened_in_shell(env: &TestEnvironment) -> TmuxTerminal {
    let terminal = start(env, SIZE, "exec env PS1='ready> ' bash --norc --noprofile");
    terminal.wait_for_text("ready>");
    terminal.type_text("echo be''fore; session-search");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("Docker bridge DNS");
    terminal.wait_for_absence("before");
    terminal
}

/// Sends a signal to the picker in a shell.
fn signal(terminal: &TmuxTerminal, signal: &str) {
    let shell = terminal.process().to_string();
    let sent = Command::new("pkill").args([signal, "-P", &shell]).status();
    assert!(sent.unwrap().success());
}

/// Asserts that the shell has its screen and its terminal as they were.
#[track_caller]
fn is_given_back(terminal: &TmuxTerminal) {
    terminal.wait_for_text("before");
    terminal.wait_for_absence("Docker bridge DNS");
    terminal.type_text("stty -a | tr ' ;' '\\n\\n' | grep -cxE 'icanon|echo|isig'");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("\n3\n");
    // Neither the mouse nor pasting is reported any more.
    let modes = ["display-message", "-p", "#{mouse_any_flag} #{alternate_on}"];
    let modes = terminal.tmux(&modes).stdout;
    assert_eq!(String::from_utf8(modes).unwrap(), "0 0\n");
}

#[test]
fn what_is_typed_is_searched_and_opened() {
    let env = small();
    let terminal = opened(&env);
    terminal.type_text("crashes project:parser");
    terminal.wait_for_absence("Docker bridge DNS");
    terminal.wait_for_text("1 session");
    terminal.wait_for_text("ulimit -n");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("calls short");
    terminal.wait_for_text("Reuse one watcher.");
    terminal.press_keys(&["t"]);
    terminal.wait_for_text("calls full");
    terminal.type_text("/EVERY");
    terminal.wait_for_text("/EVERY");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("not found");
    terminal.type_text("/HANDLE");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("match 1/");
    let screen = terminal.screen();
    assert!(
        screen.lines().nth(1).unwrap().contains("a new handle"),
        "{screen}"
    );
    terminal.press_keys(&["Escape"]);
    terminal.wait_for_text("> crashes project:parser");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("calls short");
    terminal.press_keys(&["Escape"]);
    terminal.wait_for_text("> crashes project:parser");
    terminal.press_keys(&["C-u"]);
    terminal.wait_for_text("Docker bridge DNS");
}

#[test]
fn it_comes_back_to_the_row_it_left() {
    let env = small();
    let terminal = opened(&env);
    terminal.press_keys(&["Down", "Down"]);
    selects(&terminal, 4);
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("calls short");
    terminal.press_keys(&["q"]);
    selects(&terminal, 4);
}

/// Waits until the row on a line of the screen is the one that is selected.
#[track_caller]
fn selects(terminal: &TmuxTerminal, line: usize) {
    let selected = || {
        let screen = terminal.screen();
        screen.lines().position(|line| line.starts_with('▌'))
    };
    wait_until(|| selected() == Some(line), || terminal.screen());
}

#[test]
fn tab_completes_filters_and_changes_the_level() {
    let env = small();
    let terminal = opened(&env);
    terminal.type_text("agent:op");
    terminal.press_keys(&["Tab"]);
    terminal.wait_for_text("> agent:opencode");
    terminal.wait_for_absence("Docker bridge DNS");
    terminal.press_keys(&["C-u"]);
    terminal.wait_for_text("Docker bridge DNS");
    terminal.press_keys(&["Tab"]);
    terminal.wait_for_text(":1  Write that");
    terminal.type_text("since:never");
    terminal.wait_for_text("`since:never`");
}

#[test]
fn a_session_is_resumed_in_its_folder() {
    let env = small_with_folder();
    let terminal = start(&env, SIZE, "session-search browse lantern");
    terminal.wait_for_text("Light the lantern");
    terminal.press_keys(&["M-r"]);
    terminal.wait_for_text(&format!("started claude --resume {HERE} in"));
    terminal.wait_for_text("app's code");
}

#[test]
fn an_agent_that_is_not_on_the_path_does_not_end_the_picker() {
    let env = small_with_folder();
    let command = "PATH=/nowhere $(command -v session-search) browse lantern";
    let terminal = start(&env, SIZE, command);
    terminal.wait_for_text("Light the lantern");
    terminal.press_keys(&["M-r"]);
    terminal.wait_for_text("there is no `claude` on PATH; Alt-C copies");
}

#[test]
fn a_session_is_forked() {
    let env = small_with_folder();
    let terminal = start(&env, SIZE, "session-search browse lantern");
    terminal.wait_for_text("Light the lantern");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text(":0  1 of 1");
    terminal.press_keys(&["s"]);
    terminal.wait_for_text("--fork-session");
}

pub const HERE: &str = "7a1e0c52-0000-4000-8000-000000000001";

/// A session whose folder is there.
pub fn small_with_folder() -> TestEnvironment {
    let env = TestEnvironment::new();
    let folder = env.home("app's code");
    fs_err::create_dir(&folder).unwrap();
    let transcript = ClaudeTranscript::new(HERE, folder.to_str().unwrap());
    env.write_transcript(&transcript.user("Light the lantern").assistant("Lit."));
    env
}

#[test]
fn a_session_without_its_folder_stays_in_the_picker() {
    let env = small();
    let terminal = opened(&env);
    terminal.press_keys(&["M-r"]);
    terminal.wait_for_text("is not there any more; Alt-C copies");
}

#[test]
fn the_command_the_text_and_the_id_are_copied() {
    let env = small();
    let terminal = start(&env, SIZE, "session-search browse project:homelab");
    terminal.wait_for_text("Docker bridge DNS");
    terminal.press_keys(&["M-i"]);
    terminal.wait_for_text("is copied");
    assert_eq!(terminal.read_clipboard(), DOCKER);
    terminal.press_keys(&["M-c"]);
    terminal.wait_for_text("the command that resumes it is copied");
    let command = format!("cd /home/ann/homelab && claude --resume {DOCKER}");
    assert_eq!(terminal.read_clipboard(), command);
    terminal.press_keys(&["M-y"]);
    terminal.wait_for_text(&format!("the text of {DOCKER}:1 is copied"));
    let text = "Write that into compose.yaml\n\nBoth services are on the network `inner` now.";
    assert_eq!(terminal.read_clipboard(), text);
}

#[test]
fn a_session_is_exported_to_the_current_folder() {
    let env = small();
    let terminal = start(&env, SIZE, "session-search browse project:homelab");
    terminal.wait_for_text("Docker bridge DNS");
    terminal.press_keys(&["M-e"]);
    terminal.wait_for_text("exported to ");
    let pages = fs_err::read_dir(env.home("")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().path());
    let page = pages.filter(|path| path.extension().is_some_and(|e| e == "html"));
    let page: Vec<_> = page.collect();
    let html = fs_err::read_to_string(&page[0]).unwrap();
    assert!(html.contains("compose.yaml"), "{page:?}");
    terminal.press_keys(&["M-e"]);
    terminal.wait_for_text("there is already ");
    terminal.wait_for_text("--force`");
}

#[test]
fn a_folder_that_was_deleted_is_no_project_and_takes_no_page() {
    let env = small();
    let command = "mkdir gone && cd gone && rmdir ../gone && session-search browse";
    let terminal = start(&env, SIZE, command);
    terminal.wait_for_text("Docker bridge DNS");
    terminal.press_keys(&["M-e"]);
    terminal.wait_for_text("cannot export to this folder: ");
    terminal.press_keys(&["M-p"]);
    terminal.wait_for_text("no session of this project passes");
}

#[test]
fn what_leaves_nothing_is_told() {
    let env = small();
    let terminal = opened(&env);
    terminal.type_text("branch:nowhere");
    terminal.wait_for_text("no turn is on the branch `nowhere`");
    terminal.press_keys(&["C-u"]);
    terminal.type_text("qqqzzzyy");
    terminal.wait_for_text("error line holds `qqqzzzyy`");
}

#[test]
fn an_id_that_is_pasted_lists_its_session() {
    let env = small();
    let terminal = opened(&env);
    terminal.type_text(&format!("{}:1", &DOCKER[..8]));
    terminal.wait_for_text("1/1");
    terminal.wait_for_text("Docker bridge DNS");
    terminal.wait_for_text(":1  2 of 2");
}

/// A picker in which a memory of a turn is typed and not yet saved.
fn with_memory_typed(env: &TestEnvironment) -> TmuxTerminal {
    let terminal = start(env, SIZE, "session-search browse lantern");
    terminal.wait_for_text("Light the lantern");
    terminal.press_keys(&["M-m"]);
    terminal.wait_for_text("save a memory");
    terminal.type_text("It burns oil, not gas");
    terminal
}

#[test]
fn a_memory_is_saved_from_a_turn() {
    let env = small_with_folder();
    let terminal = with_memory_typed(&env);
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("saved as ");
    terminal.press_keys(&["Escape"]);
    let saved = env.json(&["memory", "list", "--all"]);
    let saved = &saved["memories"][0];
    assert_eq!(saved["topic"], "Light the lantern");
    assert_eq!(saved["key_info"][0], "It burns oil, not gas");
    assert_eq!(saved["source"]["session"], HERE);
    assert_eq!(saved["source"]["turns"], "0");
}

#[test]
fn a_memory_is_saved_though_the_picker_ends_at_once() {
    let env = small_with_folder();
    let terminal = with_memory_typed(&env);
    terminal.press_keys(&["Enter", "Escape"]);
    wait_until(
        || env.json(&["memory", "list", "--all"])["memories"][0]["topic"] == "Light the lantern",
        || "no memory is saved".to_owned(),
    );
}

#[test]
fn no_memory_is_saved_where_memories_are_switched_off() {
    let env = small_with_folder();
    let config = env.path("config/config.toml");
    env.write(&config, "enabled = false\n");
    let terminal = start(&env, SIZE, "session-search browse lantern");
    terminal.wait_for_text("Light the lantern");
    terminal.press_keys(&["M-m"]);
    terminal.wait_for_text("memories are switched off");
    terminal.wait_for_text("`session-search config` says by whom");
    env.write(&config, "");
    let saved = env.json(&["memory", "list", "--all"]);
    assert_eq!(saved["memories"], serde_json::json!([]));
}

#[test]
fn the_help_covers_the_picker_until_a_key() {
    let env = small();
    let terminal = opened(&env);
    terminal.press_keys(&["F1"]);
    terminal.wait_for_text("copy the command that resumes");
    terminal.press_keys(&["Escape"]);
    terminal.wait_for_absence("copy the command that resumes");
    terminal.press_keys(&["M-h"]);
    terminal.wait_for_text("copy the command that resumes");
}

#[test]
fn a_click_selects_and_another_opens() {
    let env = small();
    let terminal = opened(&env);
    let click = |line: u16| {
        terminal.type_text(&format!("\u{1b}[<0;20;{line}M"));
        terminal.type_text(&format!("\u{1b}[<0;20;{line}m"));
    };
    click(5);
    selects(&terminal, 4);
    click(5);
    terminal.wait_for_text("calls short");
}

#[test]
fn the_terminal_is_given_back_at_the_end() {
    let env = small();
    let terminal = opened_in_shell(&env);
    terminal.press_keys(&["Escape"]);
    is_given_back(&terminal);
}

#[test]
fn the_terminal_is_given_back_when_it_is_terminated() {
    let env = small();
    for end in ["-TERM", "-QUIT"] {
        let terminal = opened_in_shell(&env);
        signal(&terminal, end);
        is_given_back(&terminal);
    }
}

#[test]
fn it_stops_and_goes_on() {
    let env = small();
    let terminal = opened_in_shell(&env);
    terminal.type_text("bridge");
    terminal.wait_for_text("> bridge");
    terminal.press_keys(&["C-z"]);
    is_given_back(&terminal);
    terminal.type_text("fg");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("> bridge");
    terminal.type_text("s");
    terminal.wait_for_text("> bridges");
    signal(&terminal, "-TSTP");
    is_given_back(&terminal);
    terminal.type_text("fg");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("> bridges");
    terminal.press_keys(&["C-c"]);
    is_given_back(&terminal);
}

#[test]
fn another_size_is_another_layout() {
    let env = small();
    let terminal = opened(&env);
    terminal.resize(130, 30);
    terminal.wait_for_text("│ Card payments");
    terminal.resize(60, 18);
    terminal.wait_for_absence("│ Card payments");
    terminal.wait_for_text("claude · homelab · main · 2 turns");
    terminal.resize(20, 5);
    terminal.resize(80, 24);
    terminal.wait_for_text("4 sessions");
}

#[test]
fn colours_are_those_of_the_terminal_or_none() {
    let env = small();
    let coloured = opened(&env);
    coloured.type_text("bridge");
    coloured.wait_for_text("●");
    let screen = coloured.styled_screen();
    let found: Vec<u8> = colours(&screen).collect();
    assert!(
        !found.is_empty() && found.iter().all(|colour| *colour < 16),
        "{screen:?}"
    );
    assert!(
        !screen.contains("38;2") && !screen.contains("48;"),
        "{screen:?}"
    );
    drop(coloured);
    let plain = start(&env, SIZE, "NO_COLOR=1 session-search browse bridge");
    plain.wait_for_text("●");
    let screen = plain.styled_screen();
    assert_eq!(colours(&screen).count(), 0, "{screen:?}");
}

/// The numbers of the colours of letters on a screen; those after the first 16 are no theme's.
fn colours(screen: &str) -> impl Iterator<Item = u8> {
    let after = screen.split("38;5;").skip(1);
    after.map(|rest| rest.split(['m', ';']).next().unwrap().parse().unwrap())
}

#[test]
fn nothing_of_a_session_reaches_the_terminal_as_it_is() {
    let env = terminal::hostile();
    let terminal = start(&env, SIZE, "session-search browse");
    terminal.wait_for_text("gargoyle");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("calls short");
    terminal.press_keys(&["t"]);
    terminal.wait_for_text("calls full");
    let screen = terminal.screen();
    let bad = |c: &char| (c.is_control() && *c != '\n') || terminal::is_unseen(*c);
    assert_eq!(screen.chars().filter(bad).count(), 0, "{screen:?}");
    let title = terminal.tmux(&["display-message", "-p", "#{pane_title}"]);
    assert!(!String::from_utf8(title.stdout).unwrap().contains("owned"));
}

#[test]
fn a_shell_gets_the_command() {
    let env = small_with_folder();
    let command =
        "x=$(session-search browse --print-command lantern); echo \"got [$x]\"; read -r line";
    let terminal = start(&env, (120, 24), command);
    terminal.wait_for_text("Light the lantern");
    terminal.press_keys(&["C-l", "C-z", "M-r"]);
    terminal.wait_for_text(&format!("&& claude --resume {HERE}]"));
}

#[test]
fn the_first_list_comes_while_the_index_is_made() {
    let env = TestEnvironment::new();
    env.write_transcript(&crate::history::watcher());
    let terminal = start(&env, SIZE, "session-search");
    terminal.wait_for_text("EMFILE after an hour");
    terminal.press_keys(&["M-i"]);
    terminal.wait_for_text(WATCHER);
}

#[test]
fn without_a_terminal_it_says_what_to_do() {
    let env = small();
    let ran = env.run(&["browse"]).exits(2);
    let stderr = ran.stderr();
    assert!(
        stderr.starts_with("error: the picker needs a terminal: "),
        "{ran}"
    );
    assert!(
        stderr.ends_with("\nhint: `session-search search QUERY` prints what it finds\n"),
        "{ran}"
    );
    let none: [&str; 0] = [];
    let alone = env.run(&none).exits(2).stderr();
    assert!(alone.starts_with("error: no command is given"), "{alone}");
}
