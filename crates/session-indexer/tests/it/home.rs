//! A home folder with histories of several agents, and an index beside it.

use crate::embedder::Buckets;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use session_indexer::{RefreshMode, RefreshOptions, RefreshOutcome, refresh};
use session_sources::Env;
use session_store::Reader;
use session_test::opencode::SCHEMA;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// Deleted when it is dropped.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Makes a home with two transcripts that are indexed.
    pub fn with_two_sessions() -> Self {
        let home = Self::new();
        home.write(0, turns(0, 0, 2).as_bytes());
        home.write(1, turns(1, 0, 2).as_bytes());
        home.refresh();
        home
    }

    pub fn root(&self) -> PathBuf {
        self.0.path().join("index")
    }

    pub fn env(&self) -> Env {
        Env::with_home(self.0.path())
    }

    /// The transcript of session number `n`.
    pub fn transcript(&self, n: usize) -> PathBuf {
        let folder = self.0.path().join(".claude/projects/-home-ann-app");
        fs_err::create_dir_all(&folder).unwrap();
        folder.join(format!("{}.jsonl", session_id(n)))
    }

    /// Writes a transcript that was changed `n` seconds after all began, so
    /// that transcripts are read in the order of their numbers.
    pub fn write(&self, n: usize, content: &[u8]) {
        let path = self.transcript(n);
        fs_err::write(&path, content).unwrap();
        touch(&path, n as u64);
    }

    /// Writes the history of prompts.
    pub fn write_prompts(&self, content: &str) {
        fs_err::create_dir_all(self.0.path().join(".claude")).unwrap();
        fs_err::write(self.0.path().join(".claude/history.jsonl"), content).unwrap();
    }

    pub fn remove_prompts(&self) {
        fs_err::remove_file(self.0.path().join(".claude/history.jsonl")).unwrap();
    }

    /// The history of prompts of Codex.
    pub fn codex_prompts(&self) -> PathBuf {
        self.0.path().join(".codex/history.jsonl")
    }

    /// Writes a history of Codex with one prompt.
    pub fn codex_rollout(&self, prompt: &str) -> PathBuf {
        let folder = self.0.path().join(".codex/sessions/2026/03/02");
        fs_err::create_dir_all(&folder).unwrap();
        let line = |kind: &str, payload: Value| {
            let time = "2026-03-02T10:00:00.000Z";
            format!(
                "{}\n",
                json!({"timestamp": time, "type": kind, "payload": payload})
            )
        };
        let head = json!({"id": session_id(0), "cwd": "/home/ann/app"});
        let prompt = json!({"type": "user_message", "message": prompt});
        let path = folder.join(format!(
            "rollout-2026-03-02T10-00-00-{}.jsonl",
            session_id(0)
        ));
        fs_err::write(
            &path,
            line("session_meta", head) + &line("event_msg", prompt),
        )
        .unwrap();
        path
    }

    /// Writes the events of a session of Copilot, in a folder of its id, with these prompts.
    pub fn write_copilot(&self, n: usize, prompts: &[&str]) -> PathBuf {
        let folder = self.0.path().join(".copilot/session-state");
        let folder = folder.join(session_id(n));
        fs_err::create_dir_all(&folder).unwrap();
        let event = |number: usize, kind: &str, data: Value| {
            let time = format!("2026-03-02T10:00:{number:02}.000Z");
            let event =
                json!({"type": kind, "data": data, "id": format!("e{number}"), "timestamp": time});
            format!("{event}\n")
        };
        let start = event(
            0,
            "session.start",
            json!({"context": {"cwd": "/home/ann/app"}}),
        );
        let prompts = prompts.iter().zip(1..);
        let prompts =
            prompts.map(|(prompt, n)| event(n, "user.message", json!({"content": prompt})));
        let path = folder.join("events.jsonl");
        fs_err::write(&path, start + &prompts.collect::<String>()).unwrap();
        folder
    }

    /// Writes a document of Gemini CLI with some prompts.
    pub fn write_document(&self, prompts: &[&str]) {
        let folder = self.0.path().join(".gemini/tmp/app/chats");
        fs_err::create_dir_all(&folder).unwrap();
        let message = |(at, prompt): (usize, &&str)| {
            let time = format!("2026-03-02T10:0{at}:00.000Z");
            json!({"id": format!("m{prompt}"), "timestamp": time, "type": "user", "content": prompt})
        };
        let messages: Vec<Value> = prompts.iter().enumerate().map(message).collect();
        let time = "2026-03-02T10:00:00.000Z";
        let document = json!({"sessionId": session_id(9), "projectHash": "a", "startTime": time,
            "lastUpdated": time, "messages": messages});
        let name = format!("session-2026-03-02T10-00-{}.json", &session_id(9)[..8]);
        fs_err::write(folder.join(name), document.to_string()).unwrap();
    }

    /// OpenCode's database, made if it is not there.
    pub fn database(&self) -> Connection {
        database_in(&self.0.path().join(".local/share/opencode"))
    }

    pub fn reader(&self) -> Reader {
        Reader::open(&self.root()).unwrap()
    }

    /// Returns a refresh without models, on two threads.
    pub fn options(&self) -> RefreshOptions<'static> {
        RefreshOptions {
            threads: 2,
            ..RefreshOptions::new(&self.root(), &self.env())
        }
    }

    /// Returns a refresh by a model, on two threads.
    pub fn options_with<'m>(&self, model: &'m Buckets) -> RefreshOptions<'m> {
        RefreshOptions {
            embedder: Some(model),
            ..self.options()
        }
    }

    pub fn refresh(&self) -> RefreshOutcome {
        refresh(&self.options()).unwrap()
    }

    /// Reads all histories from their beginnings.
    pub fn refresh_fully(&self) -> RefreshOutcome {
        let options = RefreshOptions {
            mode: RefreshMode::Full,
            ..self.options()
        };
        refresh(&options).unwrap()
    }

    /// Returns for each session, by its id, whether its history is gone.
    pub fn gone(&self) -> Vec<bool> {
        let mut sessions = self.reader().sessions().unwrap();
        sessions.sort_by(|a, b| a.uid.cmp(&b.uid));
        sessions.iter().map(|s| s.gone).collect()
    }
}

/// OpenCode's database in a folder, made if it is not there.
pub fn database_in(folder: &Path) -> Connection {
    fs_err::create_dir_all(folder).unwrap();
    let db = Connection::open(folder.join("opencode.db")).unwrap();
    db.execute_batch(SCHEMA).unwrap();
    db
}

/// Sets the time of a file's last change.
pub fn touch(path: &Path, seconds: u64) {
    let time = UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds);
    session_test::files::set_modified(path, time);
}

pub fn session_id(n: usize) -> String {
    format!("7a1e0c52-0000-4000-8000-{n:012}")
}

/// Lines of a transcript: turns numbered from `first` on, of session `n`. Each
/// asks, runs a command and answers.
pub fn turns(n: usize, first: usize, count: usize) -> String {
    (first..first + count)
        .map(|turn| exchange(n, turn))
        .collect()
}

/// The word that only this turn holds.
pub fn word(n: usize, turn: usize) -> String {
    format!("topic{n}x{turn}")
}

fn exchange(n: usize, turn: usize) -> String {
    let id = format!("{n}-{turn}");
    let at = |second: usize| {
        let minute = n * 10 + turn / 6;
        format!(
            "2026-03-02T{:02}:{:02}:{:02}.000Z",
            minute / 60,
            minute % 60,
            turn % 6 * 10 + second
        )
    };
    let word = word(n, turn);
    let lines = [
        line(
            "user",
            &format!("u{id}"),
            &at(0),
            &json!(format!("Why does {word} not start on my machine?")),
        ),
        line(
            "assistant",
            &format!("a{id}"),
            &at(1),
            &json!([
                {"type": "tool_use", "id": format!("toolu_{id}"), "name": "Bash", "input": {"command": format!("journalctl -u {word}")}}
            ]),
        ),
        line(
            "user",
            &format!("r{id}"),
            &at(2),
            &json!([
                {"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "is_error": true, "content": format!("error: {word} refused")}
            ]),
        ),
        line(
            "assistant",
            &format!("b{id}"),
            &at(3),
            &json!([
                {"type": "text", "text": format!("Its port is taken, so {word} gives up. Über 文字.")}
            ]),
        ),
    ];
    lines.concat()
}

fn line(kind: &str, uuid: &str, at: &str, content: &Value) -> String {
    let id = format!("msg_{uuid}");
    let line = json!({"type": kind, "uuid": uuid, "cwd": "/home/ann/app", "gitBranch": "main", "timestamp": at,
        "message": {"id": id, "role": kind, "content": content}});
    format!("{line}\n")
}

/// Lines of the history of prompts: those of turns numbered from 0 on, of session `n`. The same
/// prompts as those of [`turns`].
pub fn prompts(n: usize, count: usize) -> String {
    // 2026-03-02, a moment before each turn begins.
    let at = |turn: usize| 1_772_409_599_990 + (n * 10 + turn / 6) * 60_000 + turn % 6 * 10_000;
    let line = |turn: usize| {
        let display = format!("Why does {} not start on my machine?", word(n, turn));
        let line = json!({"display": display, "pastedContents": {}, "timestamp": at(turn),
            "project": "/home/ann/app", "sessionId": session_id(n)});
        format!("{line}\n")
    };
    (0..count).map(line).collect()
}

pub fn title(words: &str) -> String {
    format!(
        "{}\n",
        json!({"type": "custom-title", "customTitle": words})
    )
}

/// Adds a message to an OpenCode session, made if it is not there. `n` is its
/// number and its time in seconds.
pub fn say(db: &Connection, session: &str, n: i64, role: &str, words: &str) {
    let (time, id) = (n * 1000, format!("{session}_{n:04}"));
    let data = json!({"role": role, "time": {"created": time, "completed": time}});
    let part = json!({"type": "text", "text": words});
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| db.execute(sql, values).unwrap();
    run(
        "INSERT OR IGNORE INTO session (id, directory, title, time_created, time_updated)
            VALUES (?1, '/home/ann/app', ?1, ?2, ?2)",
        params![session, time],
    );
    run(
        "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)",
        params![id, session, time, data.to_string()],
    );
    run(
        "INSERT INTO part VALUES (?1, ?1, ?2, ?3, ?3, ?4)",
        params![id, session, time, part.to_string()],
    );
}
