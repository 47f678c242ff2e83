//! The list: what is asked for, and the rows that answer.

use crate::error::PickerError;
use crate::named_sessions::{put_named_first, take_named_ids};
use crate::request::{self, TypedRequest};
use session_core::text::is_unspaced;
use session_core::{ConfidenceBand, MIN_PREFIX_CHARS};
use session_display::{
    Preview, UnfoundHints, format_unfound_terms, format_unmet_clause, mark_terms,
};
use session_query::{SearchEngine, Snapshot, find_unmet_clause};
use session_search::{FilterClause, HitOrder, Level, SearchHit, SearchResults};
use session_store::{SessionRow, TermStats, TurnRow};

/// How the sessions of subagents are searched.
const SUBAGENTS_HINT: &str = "`session-search search --subagents` finds them";

/// A request for the rows of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListRequest {
    /// The query with its filters, as typed.
    pub(crate) typed: String,
    /// Sessions or turns.
    pub(crate) level: Level,
    /// Sessions of the current folder's project alone.
    pub(crate) this_project: bool,
    /// Most rows.
    pub(crate) limit: usize,
    /// True when the histories were read before: an index that is missing then has no session.
    pub(crate) follows_refresh: bool,
    /// Counts the questions: the last one wins.
    pub(crate) number: u64,
}

impl ListRequest {
    /// Returns true for a request that differs in its time or its length alone.
    pub(crate) fn is_same_list(&self, other: &Self) -> bool {
        (&self.typed, self.level, self.this_project)
            == (&other.typed, other.level, other.this_project)
    }
}

/// One row of the list.
#[derive(Debug, Clone)]
pub(crate) struct ListRow {
    pub(crate) session: SessionRow,
    /// The turn, or the best turn of the session.
    pub(crate) turn: Option<TurnRow>,
    /// The time of the turn or session, in milliseconds since 1970.
    pub(crate) time_ms: Option<i64>,
    /// The title, or the passage of the turn, with the words that match.
    pub(crate) text: Preview,
    /// `None` in a list by time.
    pub(crate) band: Option<ConfidenceBand>,
}

impl ListRow {
    /// Returns the number of its turn, from 0.
    pub(crate) fn turn_index(&self) -> u32 {
        self.turn.as_ref().map_or(0, |turn| turn.index)
    }

    /// Returns true for the row of the same session and, among turns, of the same turn.
    pub(crate) fn is_same_target(&self, other: &Self, level: Level) -> bool {
        let is_turn = level == Level::Session || self.turn_index() == other.turn_index();
        self.session.id == other.session.id && is_turn
    }
}

/// The rows that answer a request.
#[derive(Debug, Clone)]
pub(crate) struct ListAnswer {
    pub(crate) request: ListRequest,
    pub(crate) rows: Vec<ListRow>,
    /// Sessions that the filters let through.
    pub(crate) sessions: usize,
    /// The words that the word index was asked for.
    pub(crate) terms: Vec<String>,
    /// The mistake in a filter.
    pub(crate) mistake: Option<String>,
    /// The note on words of the query that nothing holds.
    pub(crate) unfound: Option<String>,
    /// The note on the filter for which nothing is found.
    pub(crate) unmet: Option<String>,
}

impl ListAnswer {
    /// Returns the answer of an index without a session.
    pub(crate) fn empty(request: &ListRequest) -> Self {
        Self {
            request: request.clone(),
            rows: Vec::new(),
            sessions: 0,
            terms: Vec::new(),
            mistake: request::parse_request(request, &[]).mistake,
            unfound: None,
            unmet: None,
        }
    }

    /// Answers a request from a snapshot.
    pub(crate) fn read(
        engine: &SearchEngine,
        snapshot: &Snapshot,
        request: &ListRequest,
    ) -> Result<Self, PickerError> {
        let TypedRequest {
            request: search,
            clauses,
            mistake,
        } = request::parse_request(request, &snapshot.sessions);
        let mut results = engine.search(snapshot, &search)?;
        let ids = take_named_ids(&mut results.explanation.unfound);
        drop_begun_word(&mut results.explanation.unfound.missing, &request.typed);
        let hints = UnfoundHints {
            subagents: SUBAGENTS_HINT,
            show: &|id| format!("`session-search show {id}`"),
        };
        let unfound = format_unfound_terms(&results, hints);
        let mut rows = make_rows(&results)?;
        put_named_first(&mut rows, &ids, request, snapshot)?;
        let unmet = if rows.is_empty() {
            describe_unmet_filter(snapshot, &clauses)
        } else {
            None
        };
        let terms = results.explanation.terms.iter();
        Ok(Self {
            request: request.clone(),
            rows,
            sessions: results.searched.sessions,
            terms: terms
                .flat_map(TermStats::words)
                .map(str::to_owned)
                .collect(),
            mistake,
            unfound: unfound.into_iter().next(),
            unmet,
        })
    }

    /// Returns the place of a row that stood in an earlier list.
    pub(crate) fn find_row(&self, row: &ListRow) -> Option<usize> {
        let level = self.request.level;
        self.rows
            .iter()
            .position(|own| own.is_same_target(row, level))
    }
}

/// Takes the last word out of those that are missing, where it is too short to be completed and may still be typed.
fn drop_begun_word(missing: &mut Vec<String>, typed: &str) {
    let last = typed.rsplit(char::is_whitespace).next();
    let last = last.filter(|word| word.chars().count() < MIN_PREFIX_CHARS);
    if let Some(begun) = last.filter(|word| !word.contains(is_unspaced)) {
        missing.retain(|word| word != begun);
    }
}

/// Names the typed filter that no turn meets by itself.
fn describe_unmet_filter(snapshot: &Snapshot, clauses: &[FilterClause]) -> Option<String> {
    let Snapshot { index, sessions } = snapshot;
    let unmet = find_unmet_clause(index, sessions, clauses)?;
    format_unmet_clause(&unmet, sessions).map(|note| note.to_string())
}

fn make_rows(results: &SearchResults) -> Result<Vec<ListRow>, PickerError> {
    let text = |hit: &SearchHit| match results.level {
        Level::Session => session_display::session_title(&hit.session),
        Level::Turn => hit.preview.clone(),
    };
    let texts: Vec<String> = results.hits.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let marked = mark_terms(results, &texts)?;
    let rows = results.hits.iter().zip(marked);
    Ok(rows
        .map(|(hit, text)| ListRow {
            session: hit.session.clone(),
            turn: hit.turn.clone(),
            time_ms: hit.time_ms,
            text,
            band: (results.order == HitOrder::Relevance).then_some(hit.band),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_begun_is_not_called_missing() {
        let missing = |typed: &str| {
            let words = typed.split_whitespace();
            let mut missing: Vec<String> = words.map(str::to_owned).collect();
            drop_begun_word(&mut missing, typed);
            missing.join(" ")
        };
        for (typed, expected) in [
            ("d", ""),
            ("lamp do", "lamp"),
            ("lamp do ", "lamp do"),
            ("lamp doc", "lamp doc"),
            ("灯塔", "灯塔"),
        ] {
            assert_eq!(missing(typed), expected);
        }
    }
}
