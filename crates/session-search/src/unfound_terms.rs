//! The terms of a query that no searched session holds, and where they are instead.

use crate::candidates::Candidates;
use crate::filter::SearchFilter;
use crate::filtered_index::FilteredIndex;
use crate::request::SearchRequest;
use crate::resolved_session::{ResolvedSession, resolve_session_uid};
use rustc_hash::FxHashMap;
use serde::Serialize;
use session_core::{Query, SessionReference, is_iso_date};
use session_store::{SessionId, SessionRow, SubstituteKind, TermStats};

/// The share of a query's idf above which all its terms that nothing holds are named, and the fewest of them.
const MOST_OF_QUERY: f32 = 0.5;
const MANY_TERMS: usize = 3;

/// The terms of a query that no searched session holds: its identifiers and dates, or all its terms where most are held by
/// none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnfoundTerms {
    /// Terms that no session holds, but for those that were left out by name.
    pub missing: Vec<String>,
    /// Those of them in whose place something else was searched.
    #[serde(skip)]
    pub substituted: Vec<SubstitutedTerm>,
    /// The ids of sessions, or their beginnings, in those of them, and in a query that is nothing else: these can be shown.
    pub session_ids: Vec<String>,
    /// Terms that sessions of subagents alone hold, which were not searched.
    pub only_subagents: Vec<String>,
    /// Terms that only sessions or turns hold which the filter leaves out.
    pub filtered: Vec<String>,
    /// Words as typed that nothing holds, with those that were searched in their place.
    pub corrected: Vec<SpellingCorrection>,
}

/// A term of a query that no turn holds, and what was searched in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubstitutedTerm {
    /// The term as typed.
    pub typed: String,
    /// The kind of text that was searched instead.
    pub by: SubstituteKind,
}

/// A word of a query that no turn holds, and the word of the index that was searched in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpellingCorrection {
    /// The word as typed.
    pub typed: String,
    /// The word that was probably meant.
    pub searched: String,
}

impl SpellingCorrection {
    /// Returns true if another word may have been meant. A shorter address is of the same page.
    pub(crate) fn is_doubtful(&self) -> bool {
        !self.typed.contains("://")
    }
}

/// The kinds of sessions outside the search that hold a term, the nearest to the search last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum HolderKind {
    None,
    FilteredOut,
    Subagent,
}

impl UnfoundTerms {
    /// Finds the unfound terms of a request among `sessions`, all of the index's.
    pub(crate) fn find(
        request: &SearchRequest,
        candidates: &Candidates<'_>,
        filtered: &FilteredIndex<'_>,
        sessions: &[SessionRow],
    ) -> Self {
        let lexical = &candidates.lexical;
        let unheld_numbers = &candidates.exact.unheld_numbers;
        let is_found = |term: &&TermStats| {
            let mut postings = term.postings();
            let is_held = !unheld_numbers.contains(&term.term);
            is_held && postings.any(|turn| filtered.resolve_turn(turn).is_some())
        };
        let mut unfound: Vec<&TermStats> = lexical.matches.terms.iter().collect();
        unfound.retain(|term| !is_found(term));
        let mut found = Self {
            session_ids: find_typed_id(&request.query, sessions)
                .into_iter()
                .collect(),
            corrected: request.corrections.clone(),
            ..Self::default()
        };
        if unfound.is_empty() {
            return found;
        }
        let holders = UnsearchedSessions::new(&request.filter, sessions);
        let is_any_found = !lexical.is_empty();
        let idf = |terms: &[&TermStats]| terms.iter().map(|term| term.idf).sum::<f32>();
        let all: Vec<&TermStats> = lexical.matches.terms.iter().collect();
        let is_most_unfound =
            unfound.len() >= MANY_TERMS && idf(&unfound) > idf(&all) * MOST_OF_QUERY;
        for term in &request.query.terms {
            let stats = unfound.iter().find(|stats| stats.term == term.text);
            let substitute = stats.and_then(|stats| stats.substitute());
            let is_told =
                |kind: SubstituteKind| kind.is_doubtful() || kind == SubstituteKind::NameWords;
            let is_named = term.exact || is_iso_date(&term.text);
            let is_reported = is_most_unfound || is_named || substitute.is_some_and(is_told);
            if is_any_found && (stats.is_none() || !is_reported) {
                continue;
            }
            let unheld = stats.filter(|stats| unheld_numbers.contains(&stats.term));
            if unheld.is_some_and(|number| has_unread_turns(number, filtered)) {
                continue;
            }
            let holder = match (stats, unheld) {
                (Some(stats), None) => holders.find_best_holder(stats, filtered),
                _ => HolderKind::None,
            };
            found.add_term(&term.text, substitute, holder);
        }
        found.add_ids_of_missing_terms(sessions);
        found
    }

    fn add_term(&mut self, term: &str, substitute: Option<SubstituteKind>, holder: HolderKind) {
        self.substituted
            .extend(substitute.map(|by| SubstitutedTerm {
                typed: term.to_owned(),
                by,
            }));
        let list = match holder {
            HolderKind::None => &mut self.missing,
            HolderKind::FilteredOut => &mut self.filtered,
            HolderKind::Subagent => &mut self.only_subagents,
        };
        list.push(term.to_owned());
    }

    fn add_ids_of_missing_terms(&mut self, sessions: &[SessionRow]) {
        for term in &self.missing {
            let id = find_id(term, sessions);
            let new = id.filter(|id| !self.session_ids.contains(id));
            self.session_ids.extend(new);
        }
    }
}

/// Returns true if turns that the filter leaves out have the digits of a number: whether one holds it is not known.
fn has_unread_turns(number: &TermStats, filtered: &FilteredIndex<'_>) -> bool {
    let mut postings = number.postings();
    postings.any(|turn| filtered.resolve_turn(turn).is_none())
}

/// Fewest characters of the beginning of an id: fewer may be those of a word.
const MIN_ID_CHARS: usize = 6;
/// Fewest characters of it where sessions hold them as a word, too.
const MIN_TYPED_ID_CHARS: usize = 8;

/// Returns the id that a query of one term stands for, whether or not sessions mention it.
fn find_typed_id(query: &Query, sessions: &[SessionRow]) -> Option<String> {
    let [term] = query.terms.as_slice() else {
        return None;
    };
    find_id(&term.text, sessions).filter(|id| is_id_shaped(id))
}

/// Returns true for text in the form of an id: eight hexadecimal digits or more, with hyphens among them or not; or a kind in
/// lower case before letters and digits (`ses_3f0a`, `agent-a1b2`).
fn is_id_shaped(text: &str) -> bool {
    let is_hex = text
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let has_kind = text.split_once(['_', '-']).is_some_and(|(kind, rest)| {
        let is_kind = kind.bytes().all(|byte| byte.is_ascii_lowercase());
        let has_digits = rest.bytes().any(|byte| byte.is_ascii_digit());
        is_kind && has_digits && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    text.len() >= MIN_TYPED_ID_CHARS && (is_hex || has_kind)
}

/// Returns the id in a term (`ID:7`, the path of a transcript) with which the id of a single session begins.
fn find_id(term: &str, sessions: &[SessionRow]) -> Option<String> {
    let id = SessionReference::parse(term).id;
    let is_one = || matches!(resolve_session_uid(sessions, id), ResolvedSession::One(_));
    (id.chars().count() >= MIN_ID_CHARS && is_one()).then(|| id.to_owned())
}

/// The sessions that may hold a term which no searched session holds.
struct UnsearchedSessions<'a> {
    sessions: FxHashMap<SessionId, &'a SessionRow>,
    /// The filter, with the sessions of subagents.
    with_subagents: SearchFilter,
}

impl<'a> UnsearchedSessions<'a> {
    fn new(filter: &SearchFilter, all: &'a [SessionRow]) -> Self {
        // The calling session, which is excluded, holds the term because the query stands in it.
        let others = all
            .iter()
            .filter(|session| !filter.excluded_sessions.contains(&session.id));
        Self {
            sessions: others.map(|session| (session.id, session)).collect(),
            with_subagents: filter.clone().with_subagents_of_named(all),
        }
    }

    /// Returns the holder of a term that is nearest to the searched sessions.
    fn find_best_holder(&self, term: &TermStats, filtered: &FilteredIndex<'_>) -> HolderKind {
        let sessions = term
            .postings()
            .filter_map(|turn| filtered.turn_columns().session_of(turn));
        let sessions = sessions.filter_map(|session| self.sessions.get(&session));
        let holders = sessions.map(|session| self.classify_holder(session));
        holders.max().unwrap_or(HolderKind::None)
    }

    /// Judges a session that holds a term. Where turns are filtered, those of a subagent might not pass.
    fn classify_holder(&self, session: &SessionRow) -> HolderKind {
        let filter = &self.with_subagents;
        if session.parent.is_some() && !filter.filters_turns() && filter.passes_session(session) {
            HolderKind::Subagent
        } else {
            HolderKind::FilteredOut
        }
    }
}
