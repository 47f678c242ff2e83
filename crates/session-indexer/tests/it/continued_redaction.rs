//! Histories that go on after rules of redaction came that match their ids and folders.

use crate::exclusions::exclusions;
use crate::home::{Home, session_id, title, turns};
use crate::state::dump;
use serde_json::json;
use session_forget::ExcludeSettings;
use session_indexer::{ReadPolicy, RefreshOptions, refresh};
use session_redact::{RedactionSettings, Redactor};
use session_store::Reader;
use std::io::Write;
use std::path::Path;

const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/// Of the folder, the title and the branch.
const FOLDER: &str = "(?i)app";

fn with_pattern(pattern: &str) -> Redactor {
    let settings = RedactionSettings {
        patterns: vec![pattern.to_owned()],
        ..RedactionSettings::default()
    };
    Redactor::new(&settings).unwrap()
}

fn refresh_by(home: &Home, redactor: &Redactor, settings: &ExcludeSettings) {
    let policy = ReadPolicy {
        redactor: redactor.clone(),
        exclusions: exclusions(home, settings),
        ..ReadPolicy::default()
    };
    let options = RefreshOptions {
        policy,
        ..home.options()
    };
    refresh(&options).unwrap();
}

fn append(path: &Path, lines: &str) {
    let mut file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(lines.as_bytes()).unwrap();
}

/// Turns of session 1 of Claude Code, which was forked from another.
fn claude_turns(first: usize) -> String {
    let fork = format!("\"sessionId\":\"{}\",\"cwd\":", session_id(7));
    let on_branch = turns(1, first, 1).replace("\"main\"", "\"fix/App-of-the-harbour\"");
    on_branch.replace("\"cwd\":", &fork)
}

/// A home with a history of each agent that has one turn.
fn home_with_beginnings() -> Home {
    let home = Home::new();
    home.write(1, (claude_turns(0) + &title("Mend the App")).as_bytes());
    home.codex_rollout("Where is the harbour?");
    home
}

fn continue_histories(home: &Home) {
    append(&home.transcript(1), &claude_turns(1));
    let prompt = json!({"timestamp": "2026-03-02T10:05:00.000Z", "type": "event_msg",
        "payload": {"type": "user_message", "message": "Where is the pier?"}});
    let path = home.codex_rollout("Where is the harbour?");
    append(&path, &format!("{prompt}\n"));
}

/// Ids and folders of the sessions.
fn identities(index: &Reader) -> Vec<String> {
    let sessions = index.sessions().unwrap().into_iter();
    let facts = sessions.map(|s| (s.source, s.uid, s.parent, s.forked_from, s.cwd));
    let mut facts: Vec<String> = facts.map(|facts| format!("{facts:?}")).collect();
    facts.sort();
    facts
}

#[test]
fn a_history_goes_on_as_if_it_had_been_read_by_the_pattern_at_once() {
    let none = ExcludeSettings::default();
    for pattern in [UUID, FOLDER, "/home/ann/app"] {
        let redactor = with_pattern(pattern);
        let later = home_with_beginnings();
        refresh_by(&later, &Redactor::default(), &none);
        refresh_by(&later, &redactor, &none);
        continue_histories(&later);
        refresh_by(&later, &redactor, &none);
        let at_once = home_with_beginnings();
        continue_histories(&at_once);
        refresh_by(&at_once, &redactor, &none);
        let (later, at_once) = (later.reader(), at_once.reader());
        assert_eq!(identities(&later), identities(&at_once), "{pattern}");
        assert_eq!(dump(&later), dump(&at_once), "{pattern}");
        assert_eq!(identities(&later).len(), 2, "{pattern}");
    }
}

#[test]
fn an_excluded_project_stays_out_when_a_pattern_matches_its_folder() {
    let excluded = ExcludeSettings {
        projects: vec!["app".to_owned()],
        ..ExcludeSettings::default()
    };
    for first in [Redactor::default(), with_pattern(FOLDER)] {
        let home = home_with_beginnings();
        refresh_by(&home, &first, &excluded);
        refresh_by(&home, &with_pattern(FOLDER), &excluded);
        for _ in 0..2 {
            continue_histories(&home);
            refresh_by(&home, &with_pattern(FOLDER), &excluded);
            assert_eq!(home.reader().sessions().unwrap(), []);
        }
    }
}

#[test]
fn titles_and_branches_of_a_cursor_are_redacted() {
    let home = home_with_beginnings();
    let none = ExcludeSettings::default();
    refresh_by(&home, &Redactor::default(), &none);
    let cursors = || {
        let index = home.reader();
        let files = index.files().unwrap().into_iter();
        let cursors = files.filter_map(|file| index.cursor(file.id).unwrap());
        cursors.collect::<String>()
    };
    assert!(cursors().contains("the App") && cursors().contains("App-of-the"));
    refresh_by(&home, &with_pattern(FOLDER), &none);
    let redacted = cursors();
    assert!(
        redacted.contains("Mend the [redacted:custom]"),
        "{redacted}"
    );
    assert!(!redacted.contains("App"), "{redacted}");
    assert!(redacted.contains("/home/ann/app"), "{redacted}");
}
