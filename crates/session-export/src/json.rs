//! Turns in full, as JSON: what `show --json` and `export --format json` print. `docs/cli.md` is the schema;
//! fields are only ever added.

use crate::error::ExportError;
use crate::exported_session::ExportedSession;
use serde::ser::{Error, SerializeSeq};
use serde::{Serialize, Serializer};
use session_agents::resume_line;
use session_core::{PromptKind, TurnPart, safe_json};
use session_display::{format_rfc3339, project_label, visible_title};
use session_search::{Exchange, TurnOrigin};
use session_store::{SessionRow, StoreError};
use std::cell::RefCell;
use std::io::Write;

/// A session with turns, or items of turns, as JSON.
#[derive(Debug, Serialize)]
pub struct ShownSession<'a, T> {
    source: &'a str,
    session: &'a str,
    title: Option<&'a str>,
    project: &'a str,
    path: Option<&'a str>,
    /// Id of the session whose agent started this one.
    parent: Option<&'a str>,
    turns: u32,
    resume: Option<String>,
    gone: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_only: bool,
    /// The address of turns that are not among those shown, for want of room.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns_left_out: Option<String>,
    /// Id of the session that repeats all turns of this one and goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    continued_in: Option<&'a str>,
    shown: T,
}

impl<'a, T> ShownSession<'a, T> {
    /// Puts what is shown of a session beside its facts.
    pub fn new(session: &'a SessionRow, shown: T) -> Self {
        Self {
            source: &session.source,
            session: &session.uid,
            title: visible_title(session),
            project: project_label(session),
            path: session.project.as_deref(),
            parent: session.parent.as_deref(),
            turns: session.turns,
            resume: resume_line(session),
            gone: session.gone,
            prompts_only: session.prompts_only,
            turns_left_out: None,
            continued_in: None,
            shown,
        }
    }

    /// Names the turns that [`make_brief`](crate::make_brief) left out, as the address by which they are shown.
    pub fn with_turns_left_out(mut self, address: Option<String>) -> Self {
        self.turns_left_out = address;
        self
    }

    /// Names the session that repeats all turns of this one and goes on.
    #[must_use]
    pub fn with_continuation(mut self, continuation: Option<&'a SessionRow>) -> Self {
        self.continued_in = continuation.map(|row| row.uid.as_str());
        self
    }
}

/// A turn in full, as JSON.
#[derive(Debug, Serialize)]
pub struct ShownTurn<'a> {
    turn: u32,
    date: Option<String>,
    branch: Option<&'a str>,
    origin: TurnOrigin,
    kind: PromptKind,
    prompt: &'a str,
    parts: &'a [TurnPart],
}

impl<'a> From<&'a Exchange> for ShownTurn<'a> {
    fn from(exchange: &'a Exchange) -> Self {
        let turn = &exchange.turn;
        Self {
            turn: turn.index,
            date: format_rfc3339(turn.started_ms),
            branch: turn.branch.as_deref(),
            origin: exchange.origin,
            kind: turn.kind,
            prompt: &turn.prompt,
            parts: &turn.parts,
        }
    }
}

/// Returns a session's turns in the form that is serialised.
pub fn make_shown_session<'a>(
    session: &'a SessionRow,
    exchanges: &'a [Exchange],
) -> ShownSession<'a, Vec<ShownTurn<'a>>> {
    ShownSession::new(session, exchanges.iter().map(ShownTurn::from).collect())
}

/// Writes a session as JSON whose strings are printable.
pub(crate) fn write_json(
    session: &ExportedSession<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let shown = StreamedTurns {
        session,
        failure: RefCell::default(),
    };
    let document = ShownSession::new(session.row(), &shown);
    let written = safe_json::write_pretty(&document, &mut *out);
    match shown.failure.take() {
        Some(error) => Err(error.into()),
        None => Ok(written.map(|()| writeln!(out))??),
    }
}

/// The turns of a session, read while they are serialised.
struct StreamedTurns<'a> {
    session: &'a ExportedSession<'a>,
    /// Why they could not be read: serde takes the words of an error alone.
    failure: RefCell<Option<StoreError>>,
}

/// The reason for which a turn was not serialised.
enum TurnFailure<E> {
    Read(StoreError),
    Write(E),
}

impl<E> From<StoreError> for TurnFailure<E> {
    fn from(error: StoreError) -> Self {
        Self::Read(error)
    }
}

impl Serialize for StreamedTurns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut turns = serializer.serialize_seq(None)?;
        let written = self.session.try_for_each(|exchange| {
            let written = turns.serialize_element(&ShownTurn::from(exchange));
            written.map_err(TurnFailure::Write)
        });
        match written {
            Ok(()) => turns.end(),
            Err(TurnFailure::Write(error)) => Err(error),
            Err(TurnFailure::Read(error)) => {
                let words = S::Error::custom(&error);
                self.failure.replace(Some(error));
                Err(words)
            }
        }
    }
}
