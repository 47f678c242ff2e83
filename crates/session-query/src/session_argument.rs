//! Sessions and their turns as users name them.

use session_core::{SessionReference, TurnAddressError, TurnRange, TurnWindow};
use session_search::{FilterClause, FilterCondition, ResolvedSession, resolve_session_uid};
use session_store::SessionRow;
use std::ops::RangeInclusive;
use thiserror::Error;

/// A session or some of its turns, as a user names them: `ID`, `ID:7`, `ID:5-9`, `ID:5-` or `ID:last`, or as
/// a [`SessionReference`] has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionArgument {
    /// The session's id or its beginning.
    pub session: String,
    /// The turns; `None` if the session alone is named.
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
    /// The session has no turn of those that are named.
    #[error("`{typed}` names no turn: the session has {count}, counted from 0")]
    NoSuchTurn {
        /// As typed.
        typed: String,
        /// The number of the session's turns.
        count: u32,
    },
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
            Self::NoSuchTurn { .. } => "leave the turn out, and all of the session counts",
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
    match resolve_session_uid(sessions, id) {
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

/// Finds the turns that an id with turns names, as a filter for these alone; `None` if the session alone is named. The
/// offset of a page, as in `ID:5+8400-9`, does not count.
///
/// # Errors
/// When no session or several are named, or the session has no such turn.
pub(crate) fn find_turn_clause(
    sessions: &[SessionRow],
    typed: &str,
) -> Result<Option<FilterClause>, SessionIdError> {
    let session = find_session(sessions, typed)?;
    let turns = SessionReference::parse(typed).turns.map(str::trim);
    let Some(turns) = turns.filter(|turns| !turns.is_empty()) else {
        return Ok(None);
    };
    let turns = turns.parse::<TurnWindow>()?.turns.resolve(session.turns);
    if *turns.start() >= session.turns {
        return Err(SessionIdError::NoSuchTurn {
            typed: typed.to_owned(),
            count: session.turns,
        });
    }
    let session = session.id;
    let condition = FilterCondition::Turns { session, turns };
    Ok(Some(FilterClause::new(condition)))
}

/// Returns true for the index's own number of a session, as `#12`.
pub(crate) fn is_number(id: &str) -> bool {
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
    fn an_id_with_turns_is_a_filter_for_them() {
        let session = SessionRow {
            id: SessionId::new(1),
            uid: "a1000000".to_owned(),
            turns: 12,
            ..SessionRow::default()
        };
        let find = |typed: &str| {
            let clause = find_turn_clause(std::slice::from_ref(&session), typed);
            let condition =
                clause.map(|clause| clause.map(|mut clause| clause.conditions.remove(0)));
            condition.map(|condition| match condition {
                Some(FilterCondition::Turns { turns, .. }) => Some(turns),
                _ => None,
            })
        };
        for (typed, turns) in [
            ("a1", None),
            ("a1:", None),
            ("a1:7", Some(7..=7)),
            ("`a1:5-9`", Some(5..=9)),
            ("a1:5+8400-9", Some(5..=9)),
            ("a1:last", Some(11..=11)),
        ] {
            assert_eq!(find(typed), Ok(turns), "{typed}");
        }
        let error = find("a1:12").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`a1:12` names no turn: the session has 12, counted from 0"
        );
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
