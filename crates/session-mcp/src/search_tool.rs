//! `search`: hits with the passage that matched.

use crate::answer::{ItemList, ToolAnswer, format_call, title_suffix};
use crate::arguments::{SearchArguments, clamp_limit};
use crate::call_error::CallError;
use crate::index_view::{CallFilter, CallScope, IndexView, UnmetNote, parse_argument_clauses};
use jiff::Zoned;
use serde_json::Value;
use session_core::{Query, TurnAddress, TurnWindow};
use session_display::{
    format_day, format_unfound_terms, make_previews, pluralize, project_label, sanitize_line,
    truncate_to_columns,
};
use session_query::{
    InvalidFilter, ModelFailure, ResolvedQuery, SearchAnswer, TypedSearch, format_time_filters,
    note_time_in_words,
};
use session_search::{FusionMode, HitOrder, Level, SearchHit, SearchResults};

/// Hits where the call does not say how many, and the most that it gets.
pub(crate) const LIMIT: usize = 8;
pub(crate) const MAX_LIMIT: usize = 30;
/// Most columns of a title, and of a preview.
const TITLE_COLUMNS: usize = 80;
const PREVIEW_COLUMNS: usize = 300;
const SUBAGENTS_HINT: &str = "search them with subagents: true";

/// A search whose filters are resolved as far as they can be without the index.
pub(crate) struct SearchCall<'a> {
    arguments: &'a SearchArguments,
    query: ResolvedQuery,
    /// The filter of the arguments.
    filter: CallFilter,
}

impl<'a> SearchCall<'a> {
    /// Reads the filters of a call.
    ///
    /// # Errors
    /// When the argument `since` is no time, or times contradict each other.
    pub(crate) fn new(arguments: &'a SearchArguments) -> Result<Self, CallError> {
        Ok(Self {
            arguments,
            query: ResolvedQuery::parse(&arguments.query)?,
            filter: CallFilter {
                clauses: parse_argument_clauses(
                    arguments.project.as_deref(),
                    arguments.since.as_deref(),
                )?,
                session: arguments.session.clone(),
            },
        })
    }

    /// Answers from the index. Without a text the newest are listed.
    ///
    /// # Errors
    /// When the index or the model fails, or a session is not there.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let CallScope { filter, callers } = view.resolve_scope(&self.filter)?;
        let filter = if self.arguments.subagents {
            filter.including_subagents(view.sessions())
        } else {
            filter
        };
        let search = TypedSearch {
            query: &self.query,
            level: self.arguments.level,
            filter,
            callers: &callers,
            fusion: FusionMode::Adaptive,
            // One more tells whether there are more.
            limit: self.limit() + 1,
        };
        let index = &view.snapshot.index;
        let answer = search.answer(view.snapshot, |text| view.engine.embed(index, text))?;
        let mut notes = view.format_caller_notes(&callers);
        notes.extend(answer.query.invalid_filters.iter().map(InvalidFilter::note));
        notes.extend(format_time_note(&answer));
        notes.extend(format_unfound_terms(&answer.results, SUBAGENTS_HINT));
        let models = view.engine.models();
        notes.extend(models.failures().iter().map(ModelFailure::note));
        let has_pending_sessions = models.has_pending_sessions(index)?;
        if has_pending_sessions {
            let failure = models.recorded_failure(index)?;
            notes.extend(failure.map(|reason| format!("not all sessions are embedded: {reason}")));
        }
        Ok(ToolAnswer {
            has_pending_sessions,
            ..self.format_listing(&answer, view, notes)?
        })
    }

    fn format_listing(
        &self,
        answer: &SearchAnswer,
        view: IndexView<'_>,
        mut notes: Vec<String>,
    ) -> Result<ToolAnswer, CallError> {
        let results = &answer.results;
        let mut listing = ItemList::default();
        let hits = results.hits.iter().take(self.limit());
        for (hit, preview) in hits.zip(make_previews(results)?) {
            let preview = truncate_to_columns(&preview.text, PREVIEW_COLUMNS);
            let head = format_heading(hit, results, view);
            if !listing.push(&format!("{head}\n   {preview}\n")) {
                break;
            }
        }
        let which = match results.order {
            HitOrder::Relevance => "best",
            HitOrder::Newest => "newest",
        };
        let more = format_more_note(listing.count, results.hits.len(), self.limit());
        notes.extend(more.map(|more| format!("the {which} {more}")));
        let mut data = listing.data;
        if results.hits.is_empty() {
            let unmet = format_nothing_found(answer, view);
            notes.push(unmet.note);
            data = unmet.hint;
        }
        Ok(ToolAnswer {
            notes,
            data,
            next: Some(self.format_next_call(answer, view)),
            ..ToolAnswer::default()
        })
    }

    /// Returns the call that shows the session whose id is the query or, where nothing was found, is in it; else the one that
    /// shows the best hit, or looks further.
    fn format_next_call(&self, answer: &SearchAnswer, view: IndexView<'_>) -> String {
        let results = &answer.results;
        let is_sought =
            |_: &&String| results.hits.is_empty() || Query::new(&self.query.text).terms.len() == 1;
        let ids = &results.explanation.unfound.session_ids;
        match (ids.first().filter(is_sought), results.hits.first()) {
            (Some(id), _) => format_call("show", &[("id", id.as_str().into())]),
            (None, Some(best)) => format_show_call(best, view),
            (None, None) => self.format_wider_call(answer),
        }
    }

    fn limit(&self) -> usize {
        clamp_limit(self.arguments.limit, LIMIT, MAX_LIMIT)
    }

    /// Returns the call that looks further than one that found nothing.
    fn format_wider_call(&self, answer: &SearchAnswer) -> String {
        let is_filtered = is_filtered(answer);
        let level = match self.arguments.level {
            Level::Session => Value::Null,
            Level::Turn => "turn".into(),
        };
        match (is_filtered, self.arguments.level) {
            (true, _) => format_call(
                "search",
                &[("query", self.query.text.as_str().into()), ("level", level)],
            ),
            (_, Level::Session) => format_call(
                "search",
                &[
                    ("query", self.query.text.as_str().into()),
                    ("level", "turn".into()),
                ],
            ),
            _ => format_call("search", &[("query", Value::String(String::new()))]),
        }
    }
}

/// Formats how to see more than the `shown` hits, where more were found; of more than `limit` one was looked for.
fn format_more_note(shown: usize, found: usize, limit: usize) -> Option<String> {
    let narrower = "`project`, `since` or more words narrow them";
    match shown {
        0 => None,
        _ if shown == found => None,
        _ if found <= limit => Some(format!("{shown} of {found}; {narrower}")),
        _ if shown == limit && limit < MAX_LIMIT => Some(format!(
            "{shown}; there are more: `limit` is at most {MAX_LIMIT}"
        )),
        _ => Some(format!("{shown}; there are more: {narrower}")),
    }
}

/// Formats the line of a hit: where, how sure, when, what.
fn format_heading(hit: &SearchHit, results: &SearchResults, view: IndexView<'_>) -> String {
    let session = &hit.session;
    let id = view.short_id(session);
    let id = match &hit.turn {
        Some(turn) => TurnAddress::new(id, turn.index).to_string(),
        None => id,
    };
    let band = match results.order {
        HitOrder::Relevance => format!("{}  ", hit.band.name()),
        HitOrder::Newest => String::new(),
    };
    format!(
        "{}. {id}  {band}{}  {}  {}  {}{}",
        hit.rank,
        format_day(hit.time_ms(results.level)),
        sanitize_line(project_label(session)),
        sanitize_line(&session.source),
        pluralize(session.turns as usize, "turn"),
        title_suffix(session, TITLE_COLUMNS)
    )
}

/// Returns the call that shows a hit with the turns around it.
fn format_show_call(hit: &SearchHit, view: IndexView<'_>) -> String {
    let session = &hit.session;
    let first = hit.turn.as_ref().map_or(0, |turn| turn.index);
    let range = TurnWindow::around(first, session.turns);
    let id = TurnAddress::new(view.short_id(session), range).to_string();
    format_call("show", &[("id", id.into())])
}

/// Says which query keeps to the time that a query has in words.
fn format_time_note(answer: &SearchAnswer) -> Option<String> {
    note_time_in_words(answer, Zoned::now, |time| {
        let filters = format_time_filters(time);
        format!("`query`: `{filters}` lists what was done then")
    })
}

/// Returns true where the arguments or the query narrow the search.
fn is_filtered(answer: &SearchAnswer) -> bool {
    let filter = &answer.filter.filter;
    !filter.clauses.is_empty() || !filter.only.is_empty()
}

fn format_nothing_found(answer: &SearchAnswer, view: IndexView<'_>) -> UnmetNote {
    let unmet = answer.unmet.as_ref();
    if let Some(note) = unmet.and_then(|unmet| view.format_unmet_clause(unmet)) {
        return note;
    }
    let hint = if is_filtered(answer) {
        "; the filters may be too narrow"
    } else {
        ""
    };
    let note = match answer.results.searched.sessions {
        0 if hint.is_empty() => "this machine has no session of a coding agent yet".to_owned(),
        count => format!("nothing found, sessions searched: {count}{hint}"),
    };
    UnmetNote {
        note,
        ..UnmetNote::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_hits_are_told_where_there_are_more() {
        let narrower = "`project`, `since` or more words narrow them";
        for (shown, found, limit, expected) in [
            (0, 0, 8, None),
            (8, 8, 8, None),
            (3, 3, 8, None),
            (
                8,
                9,
                8,
                Some("8; there are more: `limit` is at most 30".to_owned()),
            ),
            (30, 31, 30, Some(format!("30; there are more: {narrower}"))),
            (5, 8, 8, Some(format!("5 of 8; {narrower}"))),
            (5, 9, 8, Some(format!("5; there are more: {narrower}"))),
        ] {
            let note = format_more_note(shown, found, limit);
            assert_eq!(note, expected, "{shown} of {found}, limit {limit}");
        }
    }
}
