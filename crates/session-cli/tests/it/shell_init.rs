//! The key that opens the picker, in the shells themselves on a terminal of tmux. They have to be installed.
#![cfg(unix)]

use crate::environment::TestEnvironment;
use crate::picker::{HERE, small_with_folder, start};
use session_test::tmux::TmuxTerminal;

const RC_FILES: [(&str, &str); 3] = [
    (
        ".bashrc",
        "PS1='ready$ '\neval \"$(session-search shell-init bash)\"\n",
    ),
    (
        ".zshrc",
        "PROMPT='ready$ '\neval \"$(session-search shell-init zsh)\"\n",
    ),
    (
        ".config/fish/config.fish",
        "function fish_prompt; echo -n 'ready$ '; end\nsession-search shell-init fish | source\n",
    ),
];

/// Starts a shell that runs the snippet at its start.
fn started(env: &TestEnvironment, shell: &str) -> TmuxTerminal {
    for (file, text) in RC_FILES {
        env.write(&env.home(file), text);
    }
    // Where this is missing, fish reads all man pages at its first start.
    fs_err::create_dir_all(env.home(".local/share/fish/generated_completions")).unwrap();
    let terminal = start(env, (120, 24), &format!("exec {shell} -i"));
    terminal.wait_for_text("ready$");
    terminal
}

/// Types a line and then Ctrl-X S, and waits for the picker with the line as its query.
fn pick(terminal: &TmuxTerminal, line: &str) {
    terminal.type_text(line);
    terminal.wait_for_text(line);
    terminal.press_keys(&["C-x", "s"]);
    terminal.wait_for_text(&format!("> {line}"));
    terminal.wait_for_text("Light the lantern");
}

fn the_line_is_the_query_and_becomes_the_command(shell: &str) {
    let env = small_with_folder();
    let terminal = started(&env, shell);
    pick(&terminal, "lantern -project:nowhere 'x y'");
    terminal.press_keys(&["M-r"]);
    terminal.wait_for_text(&format!("&& claude --resume {HERE}"));
    assert!(!terminal.screen().contains("started claude"));
    // The cursor stands at its end.
    terminal.type_text(" --verbose");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text(&format!("started claude --resume {HERE} --verbose in"));
}

fn without_a_choice_the_line_stays(shell: &str) {
    let env = small_with_folder();
    let terminal = started(&env, shell);
    pick(&terminal, "echo lantern-''kept");
    terminal.press_keys(&["Escape"]);
    terminal.wait_for_absence("Light the lantern");
    terminal.press_keys(&["Enter"]);
    terminal.wait_for_text("lantern-kept");
}

#[test]
fn bash_picks() {
    the_line_is_the_query_and_becomes_the_command("bash");
    without_a_choice_the_line_stays("bash");
}

#[test]
fn zsh_picks() {
    the_line_is_the_query_and_becomes_the_command("zsh");
    without_a_choice_the_line_stays("zsh");
}

/// After `su` the device belongs to another user.
#[test]
fn zsh_picks_where_it_cannot_read_its_device() {
    let env = small_with_folder();
    let terminal = started(&env, "zsh");
    terminal.type_text("TTY=/nowhere");
    terminal.press_keys(&["Enter"]);
    pick(&terminal, "lantern");
}

/// kqueue of macOS refuses `/dev/tty`.
#[test]
fn zsh_gives_the_picker_the_device_of_its_terminal() {
    let env = small_with_folder();
    let snippet = "eval \"$(session-search shell-init zsh)\"\n";
    let rc_file = format!("PROMPT='ready$ '\n{snippet}session-search() {{ echo \"on $(tty)\" }}\n");
    env.write(&env.home(".zshrc"), &rc_file);
    let terminal = start(&env, (120, 24), "exec zsh -i");
    terminal.wait_for_text("ready$");
    terminal.press_keys(&["C-x", "s"]);
    terminal.wait_for_text("ready$ on /dev/");
    let screen = terminal.screen();
    assert!(
        !screen.contains("/dev/tty\n") && !screen.trim_end().ends_with("/dev/tty"),
        "{screen}"
    );
}

#[test]
fn fish_picks() {
    the_line_is_the_query_and_becomes_the_command("fish");
    without_a_choice_the_line_stays("fish");
}

#[test]
fn other_shells_are_refused() {
    TestEnvironment::new().run(&["shell-init", "tcsh"]).exits(2);
}
