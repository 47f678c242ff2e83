//! Agents that append lines of JSON to one file a session: a [`JsonlFormat`] says what is peculiar to
//! one, [`Jsonl`] does the rest.

mod reading;
mod show;

use crate::prompt_history;
use crate::{
    AgentInfo, Cursor, CursorRedaction, Env, HistoryFolder, HistorySearch, IndexedSpan, Listing,
    Location, PathSession, ShownTurns, Sink, Source, TurnWriter,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use session_core::SessionMeta;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// The peculiarities of an agent that appends lines of JSON to one file a session, which may be packed
/// by zstd (`.jsonl.zst`).
pub trait JsonlFormat: Sync {
    /// A line. Use lenient types, or [`serde_json::Value`]: a line that does not parse is counted as
    /// damaged.
    type Record<'a>: Deserialize<'a>;

    /// The knowledge that a line needs of those before it, beside the session and its turns. It is part of
    /// each cursor: small, without titles, and every field with a default, so that older cursors can be read.
    type State: Debug + Default + Clone + Serialize + DeserializeOwned;

    /// Returns the agent.
    fn agent(&self) -> &'static AgentInfo;

    /// Returns patterns of its files below its folders: `sessions/*/*.jsonl`, `**` for any folders.
    fn files(&self) -> &'static [&'static str];

    /// Takes a line: passes its events to `turns`.
    fn record(&self, record: Self::Record<'_>, state: &mut Self::State, turns: &mut TurnWriter<'_>);

    /// Returns the folders to look in.
    fn folders(&self, env: &Env) -> Vec<HistoryFolder> {
        self.agent().history_folders(env)
    }

    /// Returns patterns of its files below one of its folders, where they are others there.
    fn files_in(&self, _folder: &HistoryFolder) -> &'static [&'static str] {
        self.files()
    }

    /// Returns the session of a file by its path below a folder; `None` for a file that is none. The
    /// id may become another one by what the lines say.
    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        let name = path.file_name()?.to_str()?;
        Some(PathSession {
            session: Some(name.split('.').next()?.to_owned()),
            parent: None,
        })
    }

    /// Completes a listing of its files: joins those that go on with others, drops those that are of no use.
    fn refine(&self, _env: &Env, _listing: &mut Listing) {}

    /// Returns the files that go on with one, in order.
    fn continuations(&self, _path: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Describes a session by the place of its file, before its lines are read.
    fn begin(&self, _path: &Path, _session: &mut SessionMeta) {}

    /// Completes a session with what stands beside its file, whenever its lines have been read.
    fn complete(&self, _path: &Path, _session: &mut SessionMeta) {}

    /// Returns the id by which the agent itself knows a session, where that has more than one file.
    fn own_id<'s>(&self, session: &'s str) -> &'s str {
        session
    }

    /// Returns true if a `history.jsonl` in its folders holds the prompts of all sessions: those whose
    /// files are gone are read from it.
    fn has_prompt_history(&self) -> bool {
        false
    }
}

/// The [`Source`] of a [`JsonlFormat`].
#[derive(Debug)]
pub struct Jsonl<F>(pub F);

impl<F: JsonlFormat> Jsonl<F> {
    fn is_prompt_history(&self, path: &Path) -> bool {
        self.0.has_prompt_history() && prompt_history::is_prompt_history(path)
    }

    fn patterns(&self, folder: &HistoryFolder) -> Vec<&'static str> {
        let prompts = prompt_history::FILE_NAME;
        let prompts = Some(prompts).filter(|_| self.0.has_prompt_history());
        let files = self.0.files_in(folder).iter();
        files.copied().chain(prompts).collect()
    }

    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        if self.is_prompt_history(path) {
            Some(PathSession::default())
        } else {
            self.0.parse_path_session(path)
        }
    }

    fn own_session(&self, session: &SessionMeta) -> SessionMeta {
        SessionMeta {
            id: self.own_id(&session.id).to_owned(),
            ..session.clone()
        }
    }
}

impl<F: JsonlFormat> Source for Jsonl<F> {
    fn agent(&self) -> &'static AgentInfo {
        self.0.agent()
    }

    fn locate(&self, env: &Env) -> Listing {
        let mut search = HistorySearch::default();
        for folder in self.0.folders(env) {
            search.add(&folder, &self.patterns(&folder), &|path| {
                self.parse_path_session(path)
            });
        }
        let mut listing = search.finish();
        self.0.refine(env, &mut listing);
        listing
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        // A sink that stops knows that it did.
        let _ = if self.is_prompt_history(&at.path) {
            prompt_history::read(at, from, sink)
        } else {
            reading::read(&self.0, at, from, sink)
        };
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns {
        if self.is_prompt_history(at) {
            prompt_history::show(at, spans)
        } else {
            show::show(&self.0, at, session, spans)
        }
    }

    fn redact_cursor(&self, at: &Path, cursor: &Cursor, redaction: &CursorRedaction<'_>) -> Cursor {
        if self.is_prompt_history(at) {
            prompt_history::redact_cursor(cursor, redaction)
        } else {
            reading::redact_cursor::<F>(cursor, redaction)
        }
    }
    fn own_id<'s>(&self, session: &'s str) -> &'s str {
        self.0.own_id(session)
    }

    fn resume(&self, session: &SessionMeta) -> Option<Vec<String>> {
        self.agent().resume_command(&self.own_session(session))
    }

    fn fork(&self, session: &SessionMeta) -> Option<Vec<String>> {
        self.agent().fork_command(&self.own_session(session))
    }
}
