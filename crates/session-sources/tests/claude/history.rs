//! `history.jsonl`: the prompts of all sessions.

use crate::support::{Home, claude};
use crate::turns::rendered;
use insta::assert_snapshot;
use proptest::prelude::*;
use session_core::Turn;
use session_sources::{CollectedTurn, CollectingSink, Cursor, Location};
use std::fmt::Write as _;
use std::path::PathBuf;

const GONE: &str = "8c527fae-0000-4000-8000-000000000001";
const OTHER: &str = "8c527fae-0000-4000-8000-000000000002";
const T: i64 = 1_767_225_600_000;
const HOUR: i64 = 3_600_000;

/// A line of a version that writes session ids.
fn said(session: &str, after_ms: i64, display: &str) -> String {
    pasted(session, after_ms, display, "{}")
}

fn pasted(session: &str, after_ms: i64, display: &str, pastes: &str) -> String {
    let display = serde_json::to_string(display).unwrap();
    let at = T + after_ms;
    format!(
        r#"{{"display":{display},"pastedContents":{pastes},"timestamp":{at},"project":"/home/ann/app","sessionId":"{session}"}}"#
    ) + "\n"
}

/// A line of an old version.
fn unnamed(project: &str, after_ms: i64, display: &str) -> String {
    let at = T + after_ms;
    format!(
        r#"{{"display":"{display}","pastedContents":{{}},"timestamp":{at},"project":"{project}"}}"#
    ) + "\n"
}

/// A home folder with a history of prompts.
struct Prompts {
    home: Home,
    path: PathBuf,
}

impl Prompts {
    fn new(content: impl AsRef<[u8]>) -> Self {
        let home = Home::new();
        let path = home.path(".claude/history.jsonl");
        home.write(&path, content);
        Self { home, path }
    }

    fn location(&self) -> Location {
        self.home.locate().locations.pop().unwrap()
    }

    fn read(&self, from: Option<&Cursor>) -> CollectingSink {
        let mut found = CollectingSink::default();
        claude().read(&self.location(), from, &mut found);
        found
    }

    /// The turns in full.
    fn show(&self, found: &CollectingSink) -> Vec<Turn> {
        let turns = found.turns.iter();
        turns
            .flat_map(|CollectedTurn { session, turn }| {
                let meta = found.sessions.iter().find(|s| s.id == *session).unwrap();
                let shown = claude().show(&self.path, meta, &[turn.into()]);
                assert_eq!(shown.warnings, []);
                shown.turns
            })
            .collect()
    }
}

fn read(content: impl AsRef<[u8]>) -> String {
    let prompts = Prompts::new(content);
    let found = prompts.read(None);
    assert_eq!(found.warnings, []);
    by_session(&found)
}

/// Sessions numbered in the order of their opening, each with its turns.
fn by_session(found: &CollectingSink) -> String {
    let mut out = String::new();
    for meta in &found.sessions {
        assert!(meta.prompts_only);
        let title = meta.title.as_deref().unwrap_or("-");
        writeln!(out, "{} {title}", meta.cwd.as_deref().unwrap_or("-")).unwrap();
        let turns = found
            .turns
            .iter()
            .filter(|collected| collected.session == meta.id);
        out += &rendered(turns.map(|collected| &collected.turn));
    }
    out
}

#[test]
fn sessions_that_alternate_are_told_apart() {
    let content = [
        said(GONE, 0, "Fix the parser"),
        said(OTHER, 1, "Where is the lexer?"),
        said(GONE, 2, "Now test it"),
    ];
    let prompts = Prompts::new(content.concat());
    let found = prompts.read(None);
    assert_snapshot!(by_session(&found), @r#"
    /home/ann/app -
    0 Typed: "Fix the parser"
    1 Typed: "Now test it"
    /home/ann/app -
    0 Typed: "Where is the lexer?"
    "#);
    let turn = &found.turns[2].turn;
    assert_eq!((turn.started_ms, turn.ended_ms), (Some(T + 2), Some(T + 2)));
    assert_eq!(found.sessions[0].id, GONE);
    let turns: Vec<Turn> = found
        .turns
        .iter()
        .map(|collected| collected.turn.clone())
        .collect();
    assert_eq!(prompts.show(&found), turns);
    assert_eq!(claude().resume(&found.sessions[0]), None);
}

#[test]
fn commands_are_what_they_are_in_a_transcript() {
    let content = [
        said(GONE, 0, "/deploy staging"),
        said(GONE, 1, "!ls -la"),
        said(GONE, 2, "/rename The harbour"),
        said(GONE, 3, "/home/ann/notes.md says what?"),
        said(GONE, 4, r#"{"typed": "as JSON"}"#),
        said(GONE, 5, "   "),
        said(GONE, 6, "/exit"),
    ];
    assert_snapshot!(read(content.concat()), @r#"
    /home/ann/app The harbour
    0 Command: "/deploy staging"
    1 Command: "!ls -la"
      call Bash() $ "ls -la"
    2 Command: "/rename The harbour"
    3 Typed: "/home/ann/notes.md says what?"
    4 Typed: "{\"typed\": \"as JSON\"}"
    5 Command: "/exit"
    "#);
}

#[test]
fn pastes_are_searched_after_what_was_typed() {
    let inline = r#"{"1":{"id":1,"type":"text","content":"fn main() {}\nlet x;"}}"#;
    let cached = r#"{"2":{"id":2,"type":"text","contentHash":"6bb6cf9a80038222"}}"#;
    let missing = r#"{"3":{"id":3,"type":"text","contentHash":"00000000"}}"#;
    let outside = r#"{"4":{"id":4,"type":"text","contentHash":"../secret"}}"#;
    let content = [
        pasted(
            GONE,
            0,
            "[Pasted text #1 +1 lines] explain [Image #2]",
            inline,
        ),
        pasted(GONE, 1, "[Pasted text #2 +199 lines]", cached),
        pasted(GONE, 2, "/review [Pasted text #1]", inline),
        pasted(GONE, 3, "why [Pasted text #3 +4 lines] [x", missing),
        pasted(GONE, 4, "[Pasted text #4]", outside),
        pasted(GONE, 5, "[...Truncated text #1 +9 lines...] so?", inline),
        pasted(
            GONE,
            6,
            "list[0] of [Pasted text #9 [Pasted text #1]",
            inline,
        ),
        pasted(GONE, 7, "[Pasted text #1] odd", r#"{"1":7,"x":[]}"#),
    ];
    let prompts = Prompts::new(content.concat());
    let cache = prompts.home.path(".claude/paste-cache");
    let secret = prompts.home.path(".claude/secret.txt");
    prompts.home.write(&secret, "secret");
    prompts
        .home
        .write(&cache.join("6bb6cf9a80038222.txt"), "the whole log");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, cache.join("00000000.txt")).unwrap();
    assert_snapshot!(by_session(&prompts.read(None)), @r#"
    /home/ann/app -
    0 Typed: "explain [Image #2]\n\nfn main() {}\nlet x;"
    1 Typed: "the whole log"
    2 Command: "/review\n\nfn main() {}\nlet x;"
    3 Typed: "why [Pasted text #3 +4 lines] [x"
    4 Typed: "[Pasted text #4]"
    5 Typed: "so?\n\nfn main() {}\nlet x;"
    6 Typed: "list[0] of [Pasted text #9\n\nfn main() {}\nlet x;"
    7 Typed: "[Pasted text #1] odd"
    "#);
}

#[test]
fn what_was_typed_is_told_from_pastes() {
    let inline = r#"{"1":{"id":1,"type":"text","content":"fn main() {}"}}"#;
    let shown = ["[Pasted text #1] explain", "[Pasted text #1]", "why [x"];
    let lines = shown.map(|display| pasted(GONE, 0, display, inline));
    let found = Prompts::new(lines.concat()).read(None);
    let typed = found.turns.iter().map(|turn| turn.turn.typed_prompt());
    assert_eq!(typed.collect::<Vec<_>>(), ["explain", "", "why [x"]);
}

#[test]
fn a_paste_that_is_named_often_is_no_flood() {
    let display = "[Pasted text #1]".repeat(50_000);
    let paste = format!(
        r#"{{"1":{{"id":1,"type":"text","content":"{}"}}}}"#,
        "x".repeat(50_000)
    );
    let found = Prompts::new(pasted(GONE, 0, &display, &paste)).read(None);
    assert!(found.turns[0].turn.prompt.len() <= session_core::TEXT_LIMIT);
}

#[test]
fn prompts_without_an_id_are_grouped_by_project_and_time() {
    let content = [
        unnamed("/a", 0, "a1"),
        unnamed("/b", HOUR, "b1"),
        unnamed("/a", 2 * HOUR, "a2"),
        unnamed("/a", 4 * HOUR + 1, "later"),
        unnamed("/b", 2 * HOUR, "b2"),
        unnamed("/b", 2 * HOUR, "/clear"),
        unnamed("/b", 2 * HOUR, "b3"),
        said(GONE, 2 * HOUR, "named"),
    ];
    let prompts = Prompts::new(content.concat());
    let found = prompts.read(None);
    assert_snapshot!(by_session(&found), @r#"
    /a -
    0 Typed: "a1"
    1 Typed: "a2"
    /b -
    0 Typed: "b1"
    1 Typed: "b2"
    2 Command: "/clear"
    /a -
    0 Typed: "later"
    /b -
    0 Typed: "b3"
    /home/ann/app -
    0 Typed: "named"
    "#);
    let again = Prompts::new(content.concat()).read(None);
    assert_eq!(
        again.sessions, found.sessions,
        "ids depend on the lines alone"
    );
}

#[test]
fn damage_costs_itself_and_is_counted() {
    let content = [
        said(GONE, 0, "first"),
        "{\"display\":\"torn\n".to_owned(),
        "[1]\n\n".to_owned(),
        "{\"display\":7,\"timestamp\":\"x\"}\n{}\n".to_owned(),
        "{\"display\":\"no more\",\"pastedContents\":[],\"timestamp\":-1}\n".to_owned(),
        "{\"display\":\"half \\ud83d\",\"sessionId\":\"s\"}\n".to_owned(),
        said(GONE, 1, "last"),
        "{\"display\":\"being wri".to_owned(),
    ];
    let found = Prompts::new(content.concat()).read(None);
    assert_snapshot!(by_session(&found), @r#"
    /home/ann/app -
    0 Typed: "first"
    1 Typed: "last"
    - -
    0 Typed: "no more"
    - -
    0 Typed: "half �"
    "#);
    let warnings = found.warnings.iter();
    let told: Vec<_> = warnings.map(|w| (w.reason.as_str(), w.count)).collect();
    assert_eq!(told, [("line is not valid JSON", 2)]);
}

#[test]
fn a_history_that_was_written_anew_takes_back_what_it_lost() {
    let prompts = Prompts::new(said(GONE, 0, "old") + &said(OTHER, 1, "kept"));
    let before = prompts.read(None);
    prompts.home.write(&prompts.path, said(OTHER, 1, "kept"));
    let after = prompts.read(before.cursor.as_ref());
    assert_eq!(after.gone, [GONE]);
    assert_eq!(by_session(&after), "/home/ann/app -\n0 Typed: \"kept\"\n");
}

#[test]
fn it_is_listed_last_once_and_without_transcripts() {
    let home = Home::new();
    let history = home.path(".claude/history.jsonl");
    home.write(&history, said(GONE, 0, "x"));
    let listed = |home: &Home| -> Vec<PathBuf> {
        let listing = home.locate();
        assert_eq!(listing.warnings, []);
        listing.locations.into_iter().map(|l| l.path).collect()
    };
    assert_eq!(listed(&home), std::slice::from_ref(&history));
    let transcript = home.project(&format!("{OTHER}.jsonl"));
    home.write(&transcript, "{}\n");
    assert_eq!(listed(&home), [transcript, history]);

    let folder = home.path(".claude").display().to_string();
    fs_err::remove_dir_all(home.path(".claude/projects")).unwrap();
    let named = claude().locate(&home.env().var("CLAUDE_CONFIG_DIR", &folder));
    assert_eq!((named.locations.len(), named.warnings), (1, vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn splitting_anywhere_gives_the_same(
        lines in prop::collection::vec((0usize..5, 0i64..6, 0usize..5), 1..16),
        cut in 0usize..4000,
    ) {
        let words = ["Fix it", "/clear", "!ls", "/rename Tides", "{"];
        let mut at = 0;
        let content: String = lines.iter().map(|(session, hours, word)| {
            at += hours * HOUR / 2;
            match session {
                0 => unnamed("/a", at, words[*word]),
                1 => unnamed("/b", at, words[*word]),
                2 => "damage\n".to_owned(),
                3 => said(GONE, at, words[*word]),
                _ => said(OTHER, at, words[*word]),
            }
        }).collect();
        let whole = Prompts::new(&content).read(None);
        let cut = cut.min(content.len());
        let prompts = Prompts::new(&content[..cut.max(1)]);
        let first = prompts.read(None);
        prompts.home.write(&prompts.path, &content);
        let second = prompts.read(first.cursor.as_ref());
        let mut turns = first.turns.clone();
        turns.extend(second.turns.clone());
        prop_assert_eq!(&turns, &whole.turns);
        prop_assert_eq!(&second.cursor, &whole.cursor);
        let damaged = |found: &CollectingSink| found.warnings.iter().map(|w| w.count).sum::<u64>();
        prop_assert_eq!(damaged(&first) + damaged(&second), damaged(&whole));
    }
}

/// An error says nothing of what the file holds.
#[cfg(target_os = "linux")]
#[test]
fn a_history_that_cannot_be_read_now_loses_no_session() {
    let prompts = Prompts::new(said(GONE, 0, "Light the lamp"));
    let (cursor, location) = (prompts.read(None).cursor, prompts.location());
    session_test::files::make_unreadable(&prompts.path);
    for from in [None, cursor.as_ref()] {
        let mut found = CollectingSink::default();
        claude().read(&location, from, &mut found);
        assert_eq!((found.sessions, found.gone), (vec![], vec![]));
        assert_eq!(found.cursor, None);
        assert_eq!(found.warnings.len(), 1);
        let retry = found.warnings[0].retry;
        assert_eq!(retry, session_sources::Retry::NextRefresh);
    }
}
