//! Turns in full: from the history as long as it is there, else from the index.

use session_core::{FileStamp, KnownTurns, ToolCall, Turn, TurnPart};
use session_redact::Redactor;
use session_search::{Exchange, TurnOrigin, read_exchanges};
use session_sources::{CollectedTurn, CollectingSink, Env, sources};
use session_store::{Reader, Writer};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tempfile::TempDir;

const TRANSCRIPT: &str = concat!(
    r#"{"type":"user","uuid":"u1","cwd":"/home/ann/app","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"Why does the server not start?"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a1","timestamp":"2026-03-02T09:00:01.000Z","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"Look at the ports."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ss -ltnp"}}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u2","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"LISTEN 8080 node\nerror: some denied"}]}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a2","timestamp":"2026-03-02T09:00:03.000Z","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Another process holds the port."}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"u3","timestamp":"2026-03-02T09:05:00.000Z","message":{"role":"user","content":"Then use port 8081 instead of it."}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a3","timestamp":"2026-03-02T09:05:03.000Z","message":{"id":"m3","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/home/ann/app/server.toml","old_string":"8080","new_string":"8081"}}]}}"#,
    "\n",
    r#"{"type":"user","uuid":"r3","timestamp":"2026-03-02T09:05:04.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"The file was changed."}]}}"#,
    "\n",
);

/// A transcript that has been indexed.
struct Indexed {
    home: TempDir,
    path: PathBuf,
}

impl Indexed {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".claude/projects/-home-ann-app");
        fs_err::create_dir_all(&folder).unwrap();
        let path = folder.join("7a1e0c52-0000-4000-8000-000000000001.jsonl");
        fs_err::write(&path, TRANSCRIPT).unwrap();
        let indexed = Self { home, path };
        indexed.index();
        indexed
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("index")
    }

    fn index(&self) {
        let mut writer = Writer::open(&self.root()).unwrap();
        for source in sources() {
            for location in source.locate(&Env::with_home(self.home.path())).locations {
                let mut found = CollectingSink::default();
                source.read(&location, None, &mut found);
                let path = location.path.to_str().unwrap();
                let file = writer.upsert_file(source.name(), path).unwrap();
                let name = source.name();
                let session = writer
                    .open_session(file, name, &found.sessions[0], KnownTurns::Replace)
                    .unwrap();
                for CollectedTurn { turn, .. } in &found.turns {
                    writer.add_turn(session, turn).unwrap();
                }
                writer.checkpoint(file, "", FileStamp::default()).unwrap();
            }
        }
        writer.commit().unwrap();
    }

    fn show(&self, range: RangeInclusive<u32>) -> Vec<Exchange> {
        let index = Reader::open(&self.root()).unwrap();
        let session = &index.sessions().unwrap()[0];
        let mut rows = index.turns(session.id).unwrap();
        rows.retain(|row| range.contains(&row.index));
        read_exchanges(&index, session, &rows, &Redactor::off()).unwrap()
    }
}

fn origins(shown: &[Exchange]) -> Vec<(u32, TurnOrigin)> {
    shown.iter().map(|e| (e.turn.index, e.origin)).collect()
}

fn calls(turn: &Turn) -> Vec<&ToolCall> {
    let mut calls = Vec::new();
    for part in &turn.parts {
        if let TurnPart::Call(call) = part {
            calls.push(call);
        }
    }
    calls
}

fn says(turn: &Turn, words: &str) -> bool {
    turn.parts
        .iter()
        .any(|p| matches!(p, TurnPart::Text { text } if text == words))
}

#[test]
fn the_history_tells_everything() {
    let shown = Indexed::new().show(0..=9);
    assert_eq!(
        origins(&shown),
        [(0, TurnOrigin::History), (1, TurnOrigin::History)]
    );
    let turn = &shown[0].turn;
    assert_eq!(turn.prompt, "Why does the server not start?");
    assert!(
        turn.parts
            .iter()
            .any(|p| matches!(p, TurnPart::Thinking { .. }))
    );
    let call = calls(turn)[0];
    assert!(
        call.output
            .as_deref()
            .unwrap()
            .starts_with("LISTEN 8080 node")
    );
    assert!(says(turn, "Another process holds the port."));
    assert_eq!(calls(&shown[1].turn)[0].input["new_string"], "8081");
}

#[test]
fn one_turn_is_read_alone() {
    let indexed = Indexed::new();
    assert_eq!(origins(&indexed.show(1..=1)), [(1, TurnOrigin::History)]);
}

#[test]
fn when_the_history_is_gone_the_index_tells_what_it_kept() {
    let indexed = Indexed::new();
    fs_err::remove_file(&indexed.path).unwrap();
    let shown = indexed.show(0..=1);
    assert_eq!(
        origins(&shown),
        [(0, TurnOrigin::Index), (1, TurnOrigin::Index)]
    );
    let turn = &shown[0].turn;
    assert_eq!(turn.prompt, "Why does the server not start?");
    assert_eq!(turn.started_ms, Some(1_772_442_000_000));
    assert!(says(turn, "Another process holds the port."));
    let kept = calls(turn);
    assert_eq!(kept[0].command.as_deref(), Some("ss -ltnp"));
    assert_eq!(kept[1].output.as_deref(), Some("error: some denied"));
    assert_eq!(
        calls(&shown[1].turn)[0].files,
        ["/home/ann/app/server.toml"]
    );
}

#[test]
fn what_another_history_has_in_the_place_is_not_shown() {
    let indexed = Indexed::new();
    let other = TRANSCRIPT.replace("T09:00:0", "T10:00:0").replace(
        "Why does the server not start?",
        "Who wrote all of this, again??",
    );
    fs_err::write(&indexed.path, other).unwrap();
    let shown = indexed.show(0..=1);
    assert_eq!(
        origins(&shown),
        [(0, TurnOrigin::Index), (1, TurnOrigin::History)]
    );
    assert_eq!(shown[0].turn.prompt, "Why does the server not start?");
    fs_err::write(&indexed.path, [0xff; 64]).unwrap();
    assert_eq!(origins(&indexed.show(0..=0)), [(0, TurnOrigin::Index)]);
}
