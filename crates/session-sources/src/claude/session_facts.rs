//! Session metadata from the lines of a transcript.

use super::entry::TranscriptEntry;
use crate::CursorRedaction;
use crate::cursor::is_default;
use crate::lenient_json::LenientText;
use crate::project::project_root;
use crate::turn_writer::session_title;
use serde::{Deserialize, Serialize};
use session_core::{SessionMeta, text};

const FACT_LIMIT: usize = 2048;

/// The facts so far. They are part of a cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionFacts {
    #[serde(default, skip_serializing_if = "is_default")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    branch: Option<String>,
    /// Set by the user; empty when cleared.
    #[serde(default, skip_serializing_if = "is_default")]
    custom_title: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    ai_title: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    parent: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    forked_from: Option<String>,
    /// Time of the first queued prompt, until the first line of the user: milliseconds since 1970.
    #[serde(default, skip_serializing_if = "is_default")]
    first_queued_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "is_default")]
    is_unnamed_fork: bool,
}

/// Which file a session is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionIdentity {
    /// The file's stem.
    pub id: String,
    /// Id of the parent, where the path names it.
    pub parent: Option<String>,
}

impl SessionIdentity {
    /// Returns true for the transcript of a subagent.
    pub(super) fn is_subagent(&self) -> bool {
        self.parent.is_some() || self.id.starts_with("agent-")
    }
}

impl SessionFacts {
    /// Takes the facts that a line holds.
    pub(super) fn note(&mut self, entry: &TranscriptEntry<'_>, identity: &SessionIdentity) {
        if self.cwd.is_none() && entry.cwd.get().is_some() {
            self.cwd = fact(&entry.cwd);
            self.project = self.cwd.as_deref().and_then(project_root);
        }
        if entry
            .git_branch
            .get()
            .is_some_and(|branch| self.branch.as_deref() != Some(branch))
        {
            self.branch = fact(&entry.git_branch);
        }
        self.note_titles(entry);
        self.note_relations(entry, identity);
        self.note_start(entry);
    }

    /// Tells a fork that does not name its session (`--fork-session`, the desktop app): the first line that it wrote, which
    /// queues its prompt, is followed by copies that are older.
    fn note_start(&mut self, entry: &TranscriptEntry<'_>) {
        match entry.kind.get() {
            Some("queue-operation") if !self.has_cwd() && self.first_queued_ms.is_none() => {
                self.first_queued_ms = entry.time_ms();
            }
            Some("user") => {
                let queued = self.first_queued_ms.take();
                self.is_unnamed_fork |=
                    queued.is_some_and(|queued| entry.time_ms().is_some_and(|said| said < queued));
            }
            _ => {}
        }
    }

    fn note_titles(&mut self, entry: &TranscriptEntry<'_>) {
        match entry.kind.get() {
            Some("custom-title") => self.rename(entry.custom_title.or_empty()),
            Some("ai-title") => self.ai_title = session_title(entry.ai_title.or_empty()),
            _ => {}
        }
    }

    /// Sets the name that the user gave the session. An empty one takes the name away.
    pub(super) fn rename(&mut self, name: &str) {
        self.custom_title = session_title(name);
    }

    /// Redacts the titles, and removes the excluded ones.
    pub(super) fn redact_titles(&mut self, redaction: &CursorRedaction<'_>) {
        redaction.redact_title(&mut self.custom_title);
        redaction.redact_title(&mut self.ai_title);
    }

    /// Removes the facts that tell the subject of an excluded session. Its folders stay: rules exclude it by them.
    pub(super) fn clear_described(&mut self) {
        (self.custom_title, self.ai_title, self.branch) = (None, None, None);
    }

    /// Redacts the branch, and removes it where it is excluded.
    pub(super) fn redact_branch(&mut self, redaction: &CursorRedaction<'_>) {
        redaction.redact_branch(&mut self.branch);
    }

    fn note_relations(&mut self, entry: &TranscriptEntry<'_>, identity: &SessionIdentity) {
        if let Some(fork) = entry.fork() {
            self.forked_from = fact(&fork.session_id).or_else(|| self.forked_from.take());
        }
        let Some(session) = entry.session_id.get().filter(|id| *id != identity.id) else {
            return;
        };
        let relation = if identity.is_subagent() {
            &mut self.parent
        } else {
            &mut self.forked_from
        };
        if relation.is_none() {
            *relation = Some(text::clip(session, FACT_LIMIT).to_owned());
        }
    }

    /// Returns true when the working directory is known.
    pub(super) fn has_cwd(&self) -> bool {
        self.cwd.is_some()
    }

    /// Returns the branch at this point of the file.
    pub(super) fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// Returns the facts as the metadata of a session.
    pub(super) fn meta(&self, identity: &SessionIdentity) -> SessionMeta {
        SessionMeta {
            id: identity.id.clone(),
            parent: identity.parent.clone().or_else(|| self.parent.clone()),
            title: self.custom_title.clone().or_else(|| self.ai_title.clone()),
            cwd: self.cwd.clone(),
            project: self.project.clone(),
            branch: self.branch.clone(),
            forked_from: self.forked_from.clone(),
            is_unnamed_fork: self.is_unnamed_fork && self.forked_from.is_none(),
            prompts_only: false,
        }
    }
}

fn fact(text: &LenientText<'_>) -> Option<String> {
    text.get()
        .map(|text| text::clip(text, FACT_LIMIT).to_owned())
}
