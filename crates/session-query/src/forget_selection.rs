//! The sessions and turns that a user names to forget.

use crate::project_folder::find_project_sessions;
use crate::session_argument::{SessionArgument, SessionIdError, find_session};
use session_forget::{
    ForgetRequest, ForgetTarget, MatchingSessions, TypedNameError, check_project_name,
    parse_forget_pattern,
};
use session_store::SessionRow;
use thiserror::Error;

/// Sessions and turns to forget, as they are typed: ids, or else conditions, all of which must hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForgetSelection<'a> {
    /// Sessions, or turns of one: `ID`, `ID:7`, `ID:5-9`, `ID:last`.
    pub ids: &'a [String],
    /// The project of the sessions.
    pub project: Option<&'a str>,
    /// The time before which the sessions ended, in milliseconds since 1970.
    pub before_ms: Option<i64>,
    /// A regular expression that turns or titles match.
    pub pattern: Option<&'a str>,
}

/// The reason for which nothing can be forgotten.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ForgetSelectionError {
    /// There is neither an id nor a condition.
    #[error("nothing is named")]
    Empty,
    /// An id names no session.
    #[error(transparent)]
    Session(#[from] SessionIdError),
    /// A condition would be met by everything, or is no regular expression.
    #[error(transparent)]
    Name(#[from] TypedNameError),
}

impl ForgetSelectionError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => {
                "give a session, --project, --match or --before; see `session-search forget --help`"
            }
            Self::Session(error) => error.hint(),
            Self::Name(error) => error.hint(),
        }
    }
}

impl ForgetSelection<'_> {
    /// Finds what is named among the sessions of the index.
    ///
    /// # Errors
    /// When nothing is named, an id names no session, or a condition would be met by everything.
    pub fn resolve(&self, sessions: &[SessionRow]) -> Result<ForgetRequest, ForgetSelectionError> {
        if !self.ids.is_empty() {
            let targets = self.ids.iter().map(|id| find_target(id, sessions));
            return Ok(ForgetRequest {
                targets: targets.collect::<Result<_, _>>()?,
                ..ForgetRequest::default()
            });
        }
        if self.project.is_none() && self.before_ms.is_none() && self.pattern.is_none() {
            return Err(ForgetSelectionError::Empty);
        }
        self.project.map_or(Ok(()), check_project_name)?;
        let limits_sessions = self.project.is_some() || self.before_ms.is_some();
        Ok(ForgetRequest {
            targets: Vec::new(),
            sessions: limits_sessions.then(|| self.find_sessions(sessions)),
            pattern: self.pattern.map(parse_forget_pattern).transpose()?,
        })
    }

    /// Finds the sessions that meet the conditions on sessions. A worktree stands for itself: who is in it does not mean
    /// all of its repository.
    fn find_sessions(&self, sessions: &[SessionRow]) -> MatchingSessions {
        let of_project = match self.project {
            Some(project) => find_project_sessions(project, sessions),
            None => sessions.iter().collect(),
        };
        let is_before = |session: &&SessionRow| {
            self.before_ms
                .is_none_or(|limit| session.ended_ms.is_some_and(|ended| ended < limit))
        };
        let met = of_project.into_iter().filter(is_before);
        MatchingSessions {
            ids: met.map(|session| session.id).collect(),
            is_by_project: self.project.is_some(),
        }
    }
}

fn find_target(typed: &str, sessions: &[SessionRow]) -> Result<ForgetTarget, SessionIdError> {
    let argument = SessionArgument::parse(typed)?;
    let session = find_session(sessions, &argument.session)?;
    let turns = argument.turns.as_ref();
    Ok(ForgetTarget {
        session: session.id,
        turns: turns.map(|turns| turns.resolve(session.turns)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::SessionId;

    fn session(number: i64, uid: &str, project: &str, ended_ms: Option<i64>) -> SessionRow {
        SessionRow {
            id: SessionId::new(number),
            uid: uid.to_owned(),
            project: Some(project.to_owned()),
            ended_ms,
            ..SessionRow::default()
        }
    }

    fn sessions() -> [SessionRow; 3] {
        [
            session(1, "a1000000-1", "/home/ann/app", Some(10)),
            session(2, "b1000000-1", "/home/ann/app-secret", Some(20)),
            session(3, "c1000000-1", "/home/ann/app", None),
        ]
    }

    /// Returns the numbers of the sessions that a selection names by conditions.
    fn matching(selection: ForgetSelection<'_>) -> Vec<i64> {
        let request = selection.resolve(&sessions()).unwrap();
        let ids = request.sessions.unwrap().ids;
        (1..=3)
            .filter(|id| ids.contains(&SessionId::new(*id)))
            .collect()
    }

    #[test]
    fn ids_name_sessions_and_turns() {
        let ids = ["a1".to_owned(), "b1:5-9".to_owned()];
        let selection = ForgetSelection {
            ids: &ids,
            ..ForgetSelection::default()
        };
        let targets = selection.resolve(&sessions()).unwrap().targets;
        let target = |number, turns| ForgetTarget {
            session: SessionId::new(number),
            turns,
        };
        assert_eq!(targets, [target(1, None), target(2, Some(5..=9))]);
        let unknown = selection.resolve(&[]).unwrap_err();
        assert_eq!(unknown.to_string(), "no session begins with `a1`");
    }

    #[test]
    fn all_conditions_on_sessions_must_hold() {
        let of_project = ForgetSelection {
            project: Some("app"),
            ..ForgetSelection::default()
        };
        assert_eq!(matching(of_project), [1, 3]);
        let before_ms = Some(20);
        let old = ForgetSelection {
            before_ms,
            ..ForgetSelection::default()
        };
        assert_eq!(matching(old), [1]);
        let both = ForgetSelection {
            before_ms,
            ..of_project
        };
        assert_eq!(matching(both), [1], "one without a time is not old");
    }

    #[test]
    fn a_pattern_alone_is_looked_for_everywhere() {
        let selection = ForgetSelection {
            pattern: Some("ACME-[0-9]+"),
            ..ForgetSelection::default()
        };
        let request = selection.resolve(&sessions()).unwrap();
        assert_eq!(request.sessions, None);
        assert!(request.pattern.unwrap().is_match("ACME-7"));
    }

    #[test]
    fn what_names_nothing_or_everything_is_refused() {
        let refused = |selection: ForgetSelection<'_>| selection.resolve(&sessions()).unwrap_err();
        let none = ForgetSelection::default();
        assert_eq!(refused(none), ForgetSelectionError::Empty);
        let all = ForgetSelection {
            project: Some("/"),
            ..none
        };
        let error = TypedNameError::AnyProject("/".to_owned());
        assert_eq!(refused(all), error.into());
        let any_text = ForgetSelection {
            pattern: Some(""),
            ..none
        };
        assert!(matches!(refused(any_text), ForgetSelectionError::Name(_)));
    }
}
