//! Text of a session never commands the terminal.

use crate::claude::ClaudeTranscript;
use crate::environment::{Ran, TestEnvironment};
use crate::history::{docker, small};
use crate::opencode::OpenCodeHistory;
use serde_json::{Value, json};
use std::process::Stdio;

const ID: &str = "e5000000-0000-4000-8000-000000000005";

/// Colour, title, C1, bidirectional override, carriage return, backspace,
/// delete, letters that nobody sees.
const HOSTILE: &str = "\u{feff}gar\u{1b}[31mgoyle \u{1b}]0;owned\u{7} \u{9b}2J \u{9d}0;x\u{9c} \u{202e}evil\u{2066} a\rb\u{8}c\u{7f} \u{1b}P1$r\u{1b}\\ \u{0} \u{200b}\u{2060}\u{ad}\u{e0041} end";

pub fn hostile() -> TestEnvironment {
    let env = TestEnvironment::new();
    let input = json!({"command": HOSTILE, "file_path": HOSTILE, "note": HOSTILE, HOSTILE: {"deep": HOSTILE}});
    let hostile = ClaudeTranscript::new(ID, &format!("/home/ann/{HOSTILE}"))
        .branch(HOSTILE)
        .user(&format!("Where is the gargoyle? {HOSTILE}"))
        .thinking(HOSTILE)
        .call(&format!("Bash{HOSTILE}"), input, HOSTILE, true)
        .assistant(HOSTILE)
        .line(json!({"type": "system", "subtype": "note", "content": HOSTILE}))
        .line(json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": HOSTILE}}))
        .title(HOSTILE);
    env.write_transcript(&hostile.folder("-hostile"));
    let db = OpenCodeHistory::open(&env);
    db.session(
        &format!("ses_{HOSTILE}"),
        HOSTILE,
        HOSTILE,
        &[(HOSTILE, HOSTILE)],
    );
    let broken = format!(".claude/projects/{}", "\u{1b}[31mred");
    env.write(&env.home(&format!("{broken}/{ID}.jsonl")), "{\n{}\n");
    env.run(&["index"]).succeeded();
    env
}

/// Asserts that nothing but text, tabs and line ends was printed.
#[track_caller]
fn harmless(ran: &Ran) {
    for text in [ran.stdout(), ran.stderr()] {
        let bad = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || is_unseen(*c);
        let found: Vec<char> = text.chars().filter(bad).collect();
        assert!(found.is_empty(), "{found:?} in {ran}");
    }
}

/// Marks of direction, and what has neither shape nor width.
pub fn is_unseen(c: char) -> bool {
    "\u{200b}\u{2060}\u{feff}\u{ad}\u{e0041}".contains(c)
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn no_command_passes_control_characters_on() {
    let env = hostile();
    assert_eq!(env.json(&["status"])["sessions"], 2);
    for args in [
        vec!["search", "gargoyle"],
        vec!["search", "gargoyle", "--explain"],
        vec!["search", "gargoyle", "--depth", "2"],
        vec!["search", HOSTILE.split('\0').next().unwrap()],
        vec!["show", ID],
        vec!["show", "e5:0", "--brief"],
        vec!["show", "e5:0", "--only", "commands"],
        vec!["show", "e5:0", "--only", "files"],
        vec!["show", "e5:0", "--format", "markdown"],
        vec!["search", "gargoyle", "--with", "all"],
        vec!["files", "gar"],
        vec!["commands", "gar"],
        vec!["digest", "2026-01-01.."],
        vec!["stats", "--days", "3660"],
        vec!["show", "ses_"],
        vec!["show", "#1"],
        vec!["show", "#2"],
        vec!["show", "#3"],
        vec!["show", ""],
        vec!["search", "gargoyle", "--session", ""],
        vec!["status"],
        vec!["index"],
    ] {
        harmless(&env.run(&args));
    }
}

#[test]
fn json_holds_no_control_characters() {
    let env = hostile();
    for args in [
        vec!["search", "gargoyle"],
        vec!["show", "#1"],
        vec!["show", "#2"],
        vec!["status"],
    ] {
        let args = [&args[..], &["--json"]].concat();
        let ran = env.run(&args).succeeded();
        harmless(&ran);
        let value: Value = serde_json::from_str(&ran.stdout()).unwrap();
        let whole = value.to_string();
        assert!(args[0] == "status" || whole.contains("gargoyle"), "{ran}");
        assert!(
            !whole.contains("\\u00") && !whole.contains(is_unseen),
            "{ran}"
        );
    }
}

/// The offsets are those of what is printed, whatever was taken out of it.
#[test]
fn matches_of_a_preview_fit_what_is_printed() {
    let env = hostile();
    let hit = &env.json(&["search", "gargoyle where"])["hits"][0];
    let preview: Vec<char> = hit["preview"].as_str().unwrap().chars().collect();
    let matches = hit["matches"].as_array().unwrap();
    let word = |at: &Value| {
        let [start, end] = [0, 1].map(|n| usize::try_from(at[n].as_u64().unwrap()).unwrap());
        preview[start..end].iter().collect::<String>()
    };
    let words: Vec<String> = matches.iter().map(word).collect();
    assert!(
        !words.is_empty() && words.iter().all(|word| word == "gargoyle"),
        "{hit}"
    );
}

/// What is to be typed next holds no words of a session's file.
#[test]
fn the_next_command_holds_no_foreign_shell_words() {
    let env = TestEnvironment::new();
    OpenCodeHistory::open(&env).session(
        "ses_$(reboot);`id`",
        "/home/ann/x",
        "Gargoyle",
        &[("Where is the gargoyle?", "On the roof.")],
    );
    env.run(&["index"]).succeeded();
    for search in [
        vec!["search", "gargoyle"],
        vec!["search", "gargoyle", "--depth", "2"],
    ] {
        let printed = env.run(&search).succeeded().stdout();
        assert!(
            !printed.contains("$(") && !printed.contains('`'),
            "{printed}"
        );
    }
}

#[test]
fn without_a_terminal_there_are_no_colours() {
    let env = small();
    for args in [
        vec!["search", "docker"],
        vec!["show", "a1"],
        vec!["status"],
        vec!["demo"],
        vec!["show", "?"],
    ] {
        harmless(&env.run(&args));
    }
}

#[test]
fn colours_are_given_when_asked_for_unless_forbidden() {
    let env = TestEnvironment::indexed(&[docker()]);
    let printed = |variables: &[(&str, &str)]| {
        let mut command = env.command();
        command
            .args(["search", "docker"])
            .envs(variables.iter().copied());
        env.ran(command.output().unwrap()).succeeded().stdout()
    };
    assert!(printed(&[("CLICOLOR_FORCE", "1")]).contains("\u{1b}["));
    assert!(!printed(&[("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let env = TestEnvironment::indexed(&[docker().bash("seq 9", &"line\n".repeat(60_000))]);
    for args in [&["show", "a1"][..], &["show", "a1", "--json"]] {
        let mut command = env.command();
        command
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let ran = env.ran(child.wait_with_output().unwrap());
        assert_eq!((ran.code(), ran.stderr()), (0, String::new()), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let env = TestEnvironment::indexed(&[docker()]);
    for args in [
        &["search", "docker"][..],
        &["search", "docker", "--json"],
        &["show", "a1"],
        &["status"],
    ] {
        let full = fs_err::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = env.command();
        command.args(args).stdout(full.into_parts().0);
        let ran = env.ran(command.output().unwrap()).exits(2);
        assert!(
            ran.stderr().starts_with("error: No space left on device")
                && ran.stderr().contains("hint: free space"),
            "{ran}"
        );
    }
}
