//! Sessions and their turns as users name them.

use session_core::{SessionReference, TurnAddressError, TurnRange};
use session_search::{ResolvedSession, resolve_session_id};
use session_store::SessionRow;
use std::ops::RangeInclusive;
use thiserror::Error;

/// A session or some of its turns, as a user names them: `ID`, `ID:7`, `ID:5-9`, `ID:5-` or `ID:last`, or as
/// a [`SessionReference`] has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionArgument {
    /// The session's id or its beginning.
    pub session: String,
    /// The turns; `None` where the session alone is named.
    pub turns: Option<TurnRange>,
}

/// The reason why a text names no session, or no turns of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionIdError {
    /// The text is empty.
    #[error("the id of a session is missing")]
    Missing,
    /// No session has this number of the index, as `#12`.
    #[error("no session has the number {0}")]
    UnknownNumber(String),
    /// No session has this id, or one that begins with it.
    #[error("no session begins with `{0}`")]
    Unknown(String),
    /// Several sessions have ids that begin with this one.
    #[error("`{id}` is the beginning of {} session ids", .found.len())]
    Ambiguous {
        /// The beginning.
        id: String,
        /// The sessions.
        found: Vec<SessionRow>,
    },
    /// The text ends with a `:`.
    #[error("`{0}` ends before its turn")]
    MissingTurn(String),
    /// Turns stand behind turns: `a1b2c3d4:14:2`.
    #[error("`{0}` names turns twice")]
    TurnsTwice(String),
    /// The text behind the `:` is no turn.
    #[error(transparent)]
    Turns(#[from] TurnAddressError),
}

impl SessionIdError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing | Self::UnknownNumber(_) | Self::Unknown(_) => {
                "`session-search search QUERY` prints ids"
            }
            Self::Ambiguous { .. } => "write more of it",
            Self::MissingTurn(_) => {
                "write ID:7, ID:5-9, ID:5- (from 5 on) or ID:last, counted from 0, or ID alone"
            }
            Self::TurnsTwice(_) | Self::Turns(_) => {
                "write ID:7, ID:5-9, ID:5- (from 5 on) or ID:last, counted from 0"
            }
        }
    }
}

impl SessionArgument {
    /// Parses what a user typed.
    ///
    /// # Errors
    /// When what stands behind the id is no turn and no range of turns.
    pub fn parse(typed: &str) -> Result<Self, SessionIdError> {
        let reference = SessionReference::parse(typed);
        let turns = match reference.turns {
            None => None,
            Some("") => return Err(SessionIdError::MissingTurn(typed.to_owned())),
            Some(_) if reference.names_turns_twice() => {
                return Err(SessionIdError::TurnsTwice(typed.to_owned()));
            }
            Some(turns) => Some(turns.parse()?),
        };
        Ok(Self {
            session: reference.id.to_owned(),
            turns,
        })
    }

    /// Returns the turns that are named of the session: all where it alone is.
    pub fn turn_range(&self, session: &SessionRow) -> RangeInclusive<u32> {
        let turns = self.turns.as_ref().unwrap_or(&TurnRange::ALL);
        turns.resolve(session.turns)
    }
}

/// Finds the one session that an id names, or an id with turns, as hits are printed.
///
/// # Errors
/// When no session or several are named.
pub fn find_session(sessions: &[SessionRow], typed: &str) -> Result<SessionRow, SessionIdError> {
    let id = SessionReference::strip_turns(typed);
    match resolve_session_id(sessions, id) {
        ResolvedSession::One(session) => Ok(*session),
        ResolvedSession::None if id.is_empty() => Err(SessionIdError::Missing),
        ResolvedSession::None if is_number(id) => Err(SessionIdError::UnknownNumber(id.to_owned())),
        ResolvedSession::None => Err(SessionIdError::Unknown(id.to_owned())),
        ResolvedSession::Many(found) => Err(SessionIdError::Ambiguous {
            id: id.to_owned(),
            found,
        }),
    }
}

/// Returns true for the index's own number of a session, as `#12`.
fn is_number(id: &str) -> bool {
    let digits = id.strip_prefix('#').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::SessionId;

    #[test]
    fn ids_and_ranges_are_split() {
        let session = SessionRow {
            turns: 12,
            ..SessionRow::default()
        };
        let parse = |typed: &str| {
            let parsed = SessionArgument::parse(typed).unwrap();
            assert_eq!(parsed.session, "a1");
            parsed.turn_range(&session)
        };
        assert_eq!(parse("a1"), 0..=u32::MAX);
        assert_eq!(parse("a1:7"), 7..=7);
        assert_eq!(parse("a1:5-9"), 5..=9);
        assert_eq!(parse("a1:5-"), 5..=u32::MAX);
        assert_eq!(parse("a1:last"), 11..=11);
        assert_eq!(parse("`a1:7`"), 7..=7);
        let transcript = SessionArgument::parse("~/history/a7da6a22.jsonl:7").unwrap();
        assert_eq!(
            (transcript.session.as_str(), transcript.turn_range(&session)),
            ("a7da6a22", 7..=7)
        );
    }

    #[test]
    fn what_is_no_turn_is_told_of() {
        for (typed, error) in [
            ("a1:", "`a1:` ends before its turn"),
            ("a1:14:2", "`a1:14:2` names turns twice"),
            ("a1:9-5", "`9-5` is not a turn or a range of turns"),
            ("a1:x", "`x` is not a turn or a range of turns"),
            ("a1:-3", "`-3` is not a turn or a range of turns"),
        ] {
            let found = SessionArgument::parse(typed).unwrap_err();
            assert_eq!(found.to_string(), error);
            assert!(found.hint().starts_with("write ID:7, ID:5-9, ID:5-"));
        }
    }

    #[test]
    fn an_id_names_one_session() {
        let session = |number, uid: &str| SessionRow {
            id: SessionId::new(number),
            uid: uid.to_owned(),
            ..SessionRow::default()
        };
        let sessions = [session(1, "a1000000-1"), session(2, "a1000000-2")];
        let find = |typed: &str| {
            let found = find_session(&sessions, typed);
            found.map(|session| session.uid).map_err(|e| e.to_string())
        };
        assert_eq!(find("a1000000-1").unwrap(), "a1000000-1");
        assert_eq!(find("a1000000-2:7").unwrap(), "a1000000-2");
        assert_eq!(find("#2").unwrap(), "a1000000-2");
        for (typed, error) in [
            ("", "the id of a session is missing"),
            (":1", "the id of a session is missing"),
            ("#9", "no session has the number #9"),
            ("#x", "no session begins with `#x`"),
            ("b", "no session begins with `b`"),
            ("a1", "`a1` is the beginning of 2 session ids"),
        ] {
            assert_eq!(find(typed).unwrap_err(), error);
        }
    }
}
