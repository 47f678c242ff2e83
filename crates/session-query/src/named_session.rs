//! Sessions that a query names by `session:ID`.

use crate::query_tokens::{COLONS, SignedWord, TokenKind, split_tokens, strip_field_name};
use crate::session_argument::is_number;
use session_core::SessionReference;
use session_search::{ResolvedSession, SearchFilter, resolve_session_uid};
use session_store::{SessionId, SessionRow};

/// The name before the `:`.
const NAME: &str = "session";
/// Fewest characters of the beginning of an id: fewer may be those of a word, as logs have it. A number (`#12`) has any.
const MIN_ID_CHARS: usize = 6;

/// A query without the words `session:ID`, and the sessions that these name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedSessions {
    /// The text without these words.
    pub(crate) text: String,
    /// The only sessions to search; empty for all.
    pub(crate) only_sessions: Vec<SessionId>,
    /// The sessions to leave out, after `-session:ID`.
    pub(crate) excluded_sessions: Vec<SessionId>,
    /// Ids of `session:ID` words that were typed with a turn (`ID:7`), which is ignored.
    pub(crate) ids_with_ignored_turn: Vec<String>,
}

/// The session that a word names.
struct NamedSession<'t> {
    id: SessionId,
    /// The id as typed, where it was typed with a turn.
    id_with_ignored_turn: Option<&'t str>,
}

impl NamedSessions {
    /// Finds the sessions of `all` that a text names; `None` if it names none. A word whose id no session has, or
    /// several, is text.
    pub(crate) fn find(text: &str, all: &[SessionRow]) -> Option<Self> {
        // Nearly all queries end here.
        text.contains(&NAME[1..]).then_some(())?;
        let mut named = Self {
            text: String::new(),
            only_sessions: Vec::new(),
            excluded_sessions: Vec::new(),
            ids_with_ignored_turn: Vec::new(),
        };
        let mut follows_name = false;
        for token in split_tokens(text) {
            let word = text.get(token.span.clone()).unwrap_or_default();
            let SignedWord { negated, text } = SignedWord::parse(word);
            let session = Some(text).filter(|_| token.kind == TokenKind::Word);
            let session = session.and_then(|word| NamedSession::find(word, all));
            let is_space_behind_name = follows_name && token.kind == TokenKind::Space;
            follows_name = session.is_some();
            match session {
                Some(session) => named.push(&session, negated),
                None if is_space_behind_name => {}
                None => named.text.push_str(word),
            }
        }
        named.text.truncate(named.text.trim_end().len());
        (!named.only_sessions.is_empty() || !named.excluded_sessions.is_empty()).then_some(named)
    }

    fn push(&mut self, session: &NamedSession<'_>, negated: bool) {
        let sessions = if negated {
            &mut self.excluded_sessions
        } else {
            &mut self.only_sessions
        };
        sessions.push(session.id);
        self.ids_with_ignored_turn
            .extend(session.id_with_ignored_turn.map(str::to_owned));
    }

    /// Lets the sessions through that are named, of those that a filter lets through by name.
    pub(crate) fn narrow(&self, filter: &mut SearchFilter) {
        filter.excluded_sessions.extend(&self.excluded_sessions);
        if filter.only_sessions.is_empty() {
            filter.only_sessions.clone_from(&self.only_sessions);
        } else if !self.only_sessions.is_empty() {
            let outside = filter
                .only_sessions
                .iter()
                .filter(|id| !self.only_sessions.contains(id));
            filter
                .excluded_sessions
                .extend(outside.copied().collect::<Vec<_>>());
        }
    }
}

impl<'t> NamedSession<'t> {
    /// Finds the one session that a word `session:ID` names, with turns behind the id or not.
    fn find(word: &'t str, all: &[SessionRow]) -> Option<Self> {
        let typed = strip_field_name(word, NAME)?.strip_prefix(COLONS)?;
        let id = SessionReference::strip_turns(typed);
        let turns = SessionReference::parse(typed).turns;
        let has_turns = turns.is_some_and(|turns| !turns.trim().is_empty());
        match resolve_session_uid(all, id) {
            ResolvedSession::One(session) if names_session(id) => Some(Self {
                id: session.id,
                id_with_ignored_turn: has_turns.then_some(id),
            }),
            _ => None,
        }
    }
}

/// Returns true for an id that is not likely the word of a log.
fn names_session(id: &str) -> bool {
    id.chars().count() >= MIN_ID_CHARS || is_number(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions() -> [SessionRow; 2] {
        [(1, "a1b2c3d4-1"), (2, "b1b2c3d4-1")].map(|(id, uid)| SessionRow {
            id: SessionId::new(id),
            uid: uid.to_owned(),
            ..SessionRow::default()
        })
    }

    #[test]
    fn sessions_are_named_beside_the_text() {
        let [a, b] = [1, 2].map(SessionId::new);
        for (query, text, only_sessions, excluded_sessions, ids_with_ignored_turn) in [
            ("oil session:a1b2c3d4 lamp", "oil lamp", vec![a], vec![], ""),
            ("Session:A1B2C3:14", "", vec![a], vec![], "A1B2C3"),
            ("oil session:\"b1b2c3d4\"", "oil", vec![b], vec![], ""),
            ("oil session:#2", "oil", vec![b], vec![], ""),
            ("session:'#2' -session:\"#1\":7", "", vec![b], vec![a], "#1"),
            ("-session:a1b2c3d4 oil", "oil", vec![], vec![a], ""),
            (
                "-session:a1b2c3d4:2 oil",
                "oil",
                vec![],
                vec![a],
                "a1b2c3d4",
            ),
        ] {
            let found = NamedSessions::find(query, &sessions());
            let text = text.to_owned();
            let expected = NamedSessions {
                text,
                only_sessions,
                excluded_sessions,
                ids_with_ignored_turn: ids_with_ignored_turn
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect(),
            };
            assert_eq!(found, Some(expected), "{query}");
        }
    }

    #[test]
    fn a_word_that_names_no_session_is_text() {
        for query in [
            "oil session:c1b2c3d4",
            "session:a1b2 oil",
            "session:#3 session:2 session:#x",
            "\"session:a1b2c3d4\"",
            "session: a1b2c3d4",
            "mysession:a1b2c3d4",
        ] {
            assert_eq!(NamedSessions::find(query, &sessions()), None, "{query}");
        }
    }

    #[test]
    fn a_session_that_is_named_elsewhere_narrows_further() {
        let all = sessions();
        let narrowed = |query: &str, only_sessions: &[i64]| {
            let mut filter = SearchFilter {
                only_sessions: only_sessions.iter().copied().map(SessionId::new).collect(),
                ..SearchFilter::default()
            };
            NamedSessions::find(query, &all)
                .unwrap()
                .narrow(&mut filter);
            [&all[0], &all[1]].map(|session| filter.passes_session(session))
        };
        assert_eq!(narrowed("session:a1b2c3d4", &[]), [true, false]);
        assert_eq!(narrowed("session:a1b2c3d4", &[1, 2]), [true, false]);
        assert_eq!(narrowed("session:a1b2c3d4", &[2]), [false, false]);
        assert_eq!(narrowed("-session:a1b2c3d4", &[]), [false, true]);
    }
}
