//! Claude Code: one JSONL file a session.
//!
//! The format has no published schema and changes monthly. So only the known fields
//! of a line are read, and unknown ones are skipped.

mod assembly;
mod background;
mod call;
mod dialog;
mod entry;
mod locate;
mod not_run;
mod persisted;
mod prompt;
mod queue;
mod reader;
mod reply;
mod session_facts;
mod show;
mod state;

use crate::prompt_history;
use crate::{
    AgentInfo, Cursor, CursorRedaction, Env, IndexedSpan, IsKnownFile, Listing, Location,
    ShownTurns, Sink, Source,
};
use session_core::SessionMeta;
use std::path::{Path, PathBuf};

static AGENT: AgentInfo = AgentInfo {
    folders: &[".claude", ".config/claude"],
    variables: &["CLAUDE_CONFIG_DIR"],
    session_paths: &["projects/*/*.jsonl"],
    resume: &["claude", "--resume", "{id}"],
    fork: &["claude", "--resume", "{id}", "--fork-session"],
    // The id has been set since 2.1; the first mark is older. An editor's terminal may have that
    // one, too.
    session_variables: &["CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID"],
    mark_variables: &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"],
    ..AgentInfo::new("claude", "Claude Code")
};

/// Sessions of Claude Code, and of the subagents that they started.
pub struct Claude;

impl Source for Claude {
    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn locate(&self, env: &Env) -> Listing {
        self.locate_unknown(env, &|_, _| false)
    }

    fn locate_unknown(&self, env: &Env, is_known: &IsKnownFile<'_>) -> Listing {
        locate::locate(&AGENT, env, is_known)
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        // A sink that stops knows that it did.
        let _ = if prompt_history::is_prompt_history(&at.path) {
            prompt_history::read(at, from, sink)
        } else {
            reader::read(at, from, sink)
        };
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns {
        if prompt_history::is_prompt_history(at) {
            prompt_history::show(at, spans)
        } else {
            show::show(at, session, spans)
        }
    }

    fn redact_cursor(&self, at: &Path, cursor: &Cursor, redaction: &CursorRedaction<'_>) -> Cursor {
        if prompt_history::is_prompt_history(at) {
            prompt_history::redact_cursor(cursor, redaction)
        } else {
            state::redact_cursor(at, cursor, redaction)
        }
    }

    /// Claude Code writes `<session>.jsonl`, and those of its subagents below the folder `<session>`.
    fn parent_file(&self, at: &Location) -> Option<PathBuf> {
        let parent = at.path_session.parent.as_deref()?;
        let mut folders = at.path.ancestors();
        let folder =
            folders.find(|folder| folder.file_name().is_some_and(|name| name == parent))?;
        Some(folder.with_file_name(format!("{parent}.jsonl")))
    }

    fn resume(&self, session: &SessionMeta) -> Option<Vec<String>> {
        let command = AGENT.resume_command(session);
        command.filter(|_| !session.id.starts_with("agent-"))
    }

    fn fork(&self, session: &SessionMeta) -> Option<Vec<String>> {
        let command = AGENT.fork_command(session);
        command.filter(|_| !session.id.starts_with("agent-"))
    }
}
