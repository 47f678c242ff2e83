//! Rows of sessions and turns.

use crate::id::{FileId, SessionId, SessionTurn, TurnId};
use crate::replacement::LOST;
use rusqlite::Row;
use serde::Serialize;
use session_core::{PromptKind, SessionMeta, TurnSpan};

/// A session in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionRow {
    /// Number in the index.
    pub id: SessionId,
    /// Number of its history file.
    pub file: FileId,
    /// Agent.
    pub source: String,
    /// The agent's id of it.
    pub uid: String,
    /// Id of the session that started it, for a subagent.
    pub parent: Option<String>,
    /// Title: the first of these that there is. The agent's title, unless many sessions have it; the part of the first
    /// prompt that is not of a template; what was done.
    pub title: Option<String>,
    /// First working directory.
    pub cwd: Option<String>,
    /// Root of the project; the working directory when that is all we know.
    pub project: Option<String>,
    /// Last git branch.
    pub branch: Option<String>,
    /// Id of the session it was forked from.
    pub forked_from: Option<String>,
    /// It began with turns of another session, whose id its history does not state.
    pub is_unnamed_fork: bool,
    /// Time of the first turn, milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// Greatest time of any turn.
    pub ended_ms: Option<i64>,
    /// Number of turns.
    pub turns: u32,
    /// Its history is no longer on disk.
    pub gone: bool,
    /// Its transcript was deleted: the agent keeps its prompts alone.
    pub prompts_only: bool,
    /// Its history lies in the home directory of another machine: no agent resumes it here.
    pub is_elsewhere: bool,
    /// Another history holds all its turns under the same id, and goes before it.
    pub is_repeated: bool,
}

impl SessionRow {
    /// Returns the precedence of this session among those of one id, the least first: one whose history exists goes before one
    /// whose history is gone, one of this machine before a copy in the home of another, and one that goes on before one that
    /// it repeats.
    pub fn id_rank(&self) -> impl Ord + Copy + use<> {
        (self.gone, self.is_elsewhere, self.is_repeated)
    }

    /// Returns when a turn of the session began, or else when the session ended, in milliseconds since 1970.
    pub fn time_of(&self, turn: &TurnRow) -> Option<i64> {
        turn.started_ms.or(self.ended_ms)
    }

    /// Returns the git branch of a turn of the session: its own, else the session's.
    pub fn branch_of<'r>(&'r self, turn: &'r TurnRow) -> Option<&'r str> {
        turn.branch.as_deref().or(self.branch.as_deref())
    }

    /// Returns the session as its source describes it.
    pub fn meta(&self) -> SessionMeta {
        SessionMeta {
            id: self.uid.clone(),
            parent: self.parent.clone(),
            title: self.title.clone(),
            cwd: self.cwd.clone(),
            project: self.project.clone(),
            branch: self.branch.clone(),
            forked_from: self.forked_from.clone(),
            is_unnamed_fork: self.is_unnamed_fork,
            prompts_only: self.prompts_only,
        }
    }
}

/// A turn in the index, without its content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TurnRow {
    /// Number in the index.
    pub id: TurnId,
    /// Number of its session.
    pub session: SessionId,
    /// Position in the session, from 0.
    pub index: u32,
    /// Who wrote the prompt.
    pub kind: PromptKind,
    /// Time it began, milliseconds since 1970.
    pub started_ms: Option<i64>,
    /// Greatest time met in it.
    pub ended_ms: Option<i64>,
    /// Git branch at the time.
    pub branch: Option<String>,
    /// Where it lies in the history.
    pub span: TurnSpan,
    /// Number of the turn that this one is a copy of.
    pub owner: Option<TurnId>,
}

/// The condition that a row of an excluded turn meets, as [`TurnRow::is_excluded`].
pub(crate) const EXCLUDED_TURN: &str = "start >= stop AND owner IS NULL";

impl TurnRow {
    /// Returns true for an excluded turn: it was forgotten, or a rule excludes it. It keeps only its index.
    pub fn is_excluded(&self) -> bool {
        self.span.start >= self.span.end && self.owner.is_none()
    }

    /// Returns its number with that of its session.
    pub fn session_turn(&self) -> SessionTurn {
        SessionTurn {
            turn: self.id,
            session: self.session,
        }
    }

    /// Returns when the turn started, else when it ended, in milliseconds since 1970.
    pub fn timestamp_ms(&self) -> Option<i64> {
        self.started_ms.or(self.ended_ms)
    }

    /// Returns true for a turn that its history no longer holds.
    pub fn is_lost(&self) -> bool {
        self.span.start >= LOST.cast_unsigned()
    }
}

/// A git branch of turns of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionBranch {
    /// The session.
    pub session: SessionId,
    /// The branch.
    pub branch: String,
}

/// A turn that is a copy of another one, its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyRow {
    /// Number of the turn that is indexed.
    pub owner: TurnId,
    /// Number of the copy.
    pub turn: TurnId,
    /// Number of the copy's session.
    pub session: SessionId,
}

/// The bit of `sessions.gone` of a session whose history no longer holds it.
pub(crate) const GONE: i64 = 1;
/// The bit of `sessions.gone` of a session of which the agent keeps the prompts alone.
pub(crate) const PROMPTS_ONLY: i64 = 2;
/// The bit of `sessions.gone` of a session that began with turns of another, whose id its history does not state.
pub(crate) const UNNAMED_FORK: i64 = 4;
/// The bit of `sessions.gone` of a session of which another history holds all turns under the same id.
pub(crate) const REPEATED: i64 = 8;

pub(crate) const TURN_COLUMNS: &str =
    "id, session, idx, started_ms, branch, start, stop, owner, kind, ended_ms";

pub(crate) fn turn_row(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    Ok(TurnRow {
        id: row.get(0)?,
        session: row.get(1)?,
        index: row.get(2)?,
        started_ms: row.get(3)?,
        branch: row.get(4)?,
        span: TurnSpan {
            start: row.get::<_, i64>(5)?.cast_unsigned(),
            end: row.get::<_, i64>(6)?.cast_unsigned(),
        },
        owner: row.get(7)?,
        kind: prompt_kind_from_db(row.get(8)?),
        ended_ms: row.get(9)?,
    })
}

/// Returns the number of a prompt kind in `turns.kind`.
pub(crate) fn prompt_kind_to_db(kind: PromptKind) -> i64 {
    match kind {
        PromptKind::None => 0,
        PromptKind::Typed => 1,
        PromptKind::Command => 2,
        PromptKind::Model => 3,
    }
}

/// Returns the prompt kind of a number in `turns.kind`.
fn prompt_kind_from_db(number: i64) -> PromptKind {
    match number {
        1 => PromptKind::Typed,
        2 => PromptKind::Command,
        3 => PromptKind::Model,
        _ => PromptKind::None,
    }
}
