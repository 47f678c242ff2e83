//! Claude Code: one JSONL file a session.
//!
//! The format has no published schema and changes monthly: every line is read
//! for what is known in it, and what is not known costs nothing.

mod assembly;
mod call;
mod dialog;
mod entry;
mod history;
mod locate;
mod persisted;
mod prompt;
mod queue;
mod reader;
mod reply;
mod session_facts;
mod show;
mod state;
mod tags;

use crate::source::{caller, naming};
use crate::{Caller, Cursor, Env, Listing, Location, ShownTurns, Sink, Source};
use session_core::{SessionMeta, SourceName, Span};
use std::path::Path;

/// Sessions of Claude Code, and of the subagents that they started.
pub struct Claude;

impl Source for Claude {
    fn name(&self) -> SourceName {
        SourceName::new("claude")
    }

    fn locate(&self, env: &Env) -> Listing {
        locate::locate(env)
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        // A sink that stops knows that it did.
        let _ = match history::is_prompt_history(&at.path) {
            true => history::read(at, from, sink),
            false => reader::read(at, from, sink),
        };
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[(u32, Span)]) -> ShownTurns {
        match history::is_prompt_history(at) {
            true => history::show(at, spans),
            false => show::show(at, session, spans),
        }
    }

    fn resume(&self, session: &SessionMeta) -> Option<Vec<String>> {
        let command = naming("claude", "--resume", session);
        command.filter(|_| !session.id.starts_with("agent-") && !session.prompts_only)
    }

    fn fork(&self, session: &SessionMeta) -> Option<Vec<String>> {
        let mut command = self.resume(session)?;
        command.push("--fork-session".to_owned());
        Some(command)
    }

    fn caller(&self, env: &Env) -> Option<Caller> {
        // The id has been told since 2.1; the first mark is older. An editor's
        // terminal may have that one, too.
        let ids = ["CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID"];
        caller(env, &ids, &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"])
    }
}
