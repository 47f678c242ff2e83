//! `search`: hits with the passage that matched.

use crate::answer::{FencedText, ItemList, ToolAnswer, format_call, title_suffix};
use crate::arguments::{SearchArguments, clamp_limit, clamp_offset, is_for_all};
use crate::call_error::CallError;
use crate::filter_arguments::{FilterArguments, format_turns_note};
use crate::index_view::{CallFilter, CallScope, IndexView, UnmetNote};
use jiff::Zoned;
use session_core::{Query, SessionReference, TurnAddress};
use session_display::{
    UnfoundHints, format_day, format_project_elsewhere, format_unfound_terms, make_previews,
    pluralize, project_label, sanitize_line, truncate_to_columns,
};
use session_query::{
    InvalidFilter, ModelFailure, ResolvedQuery, SearchAnswer, TimeSuggestion, TypedSearch,
    format_time_filter,
};
use session_search::{FusionMode, HitOrder, SearchHit, SearchResults};
use session_store::SessionRow;

/// Hits where the call does not say how many, and the most that it gets.
pub(crate) const LIMIT: usize = 8;
pub(crate) const MAX_LIMIT: usize = 30;
/// Most columns of a title, and of a preview.
const TITLE_COLUMNS: usize = 80;
const PREVIEW_COLUMNS: usize = 300;
const SUBAGENTS_HINT: &str = "search them with subagents: true";

/// A search whose filters are resolved as far as they can be without the index.
pub(crate) struct SearchCall<'a> {
    pub(crate) arguments: &'a SearchArguments,
    pub(crate) query: ResolvedQuery,
    /// The filter of the arguments.
    filter: CallFilter,
}

/// The hits of a search, and the sessions that are left out because the client is in them.
struct FoundHits<'v> {
    answer: SearchAnswer,
    callers: Vec<&'v SessionRow>,
}

impl<'a> SearchCall<'a> {
    /// Reads the filters of a call.
    ///
    /// # Errors
    /// When a filter cannot be used, or times contradict each other.
    pub(crate) fn new(arguments: &'a SearchArguments) -> Result<Self, CallError> {
        let mut query = ResolvedQuery::parse(&arguments.query)?;
        // As a pattern of `history` it is anything.
        if is_for_all(&query.text) {
            query.text.clear();
        }
        Ok(Self {
            arguments,
            query,
            filter: CallFilter {
                clauses: FilterArguments::from(arguments).clauses()?,
                session: arguments.session.clone(),
            },
        })
    }

    /// Answers from the index. Without a text the newest are listed.
    ///
    /// # Errors
    /// When the index or the model fails, or a session is not there.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let found = self.search(view)?;
        match self.answer_in_named_session(&found.answer, view)? {
            Some(narrowed) => Ok(narrowed),
            None => self.format_answer(&found, view),
        }
    }

    fn search<'v>(&self, view: IndexView<'v>) -> Result<FoundHits<'v>, CallError> {
        let CallScope { filter, callers } = view.resolve_scope(&self.filter)?;
        let filter = if self.arguments.subagents {
            filter.with_subagents_of_named(view.sessions())
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
            limit: self.offset() + self.limit() + 1,
        };
        let index = &view.snapshot.index;
        let answer = search.answer(view.snapshot, |text| view.engine.embed(index, text))?;
        Ok(FoundHits { answer, callers })
    }

    fn format_answer(
        &self,
        found: &FoundHits<'_>,
        view: IndexView<'_>,
    ) -> Result<ToolAnswer, CallError> {
        let FoundHits { answer, callers } = found;
        let index = &view.snapshot.index;
        // One that the query names is searched.
        let excluded = &answer.filter.excluded_callers;
        let callers = callers.iter().copied();
        let callers: Vec<&SessionRow> = callers.filter(|row| excluded.contains(&row.uid)).collect();
        let mut notes = view.format_caller_notes(&callers);
        let session = self.arguments.session.as_deref();
        notes.extend(session.and_then(|session| format_turns_note(session, "searched")));
        notes.extend(answer.note_ignored_turns());
        notes.extend(answer.query.invalid_filters.iter().map(InvalidFilter::note));
        notes.extend(self.format_time_note(answer));
        let hints = UnfoundHints {
            subagents: SUBAGENTS_HINT,
            show: &|id| format_call("show", &[("id", id.into())]),
        };
        notes.extend(format_unfound_terms(&answer.results, hints));
        let models = view.engine.models();
        notes.extend(models.failures().iter().map(ModelFailure::note));
        let has_pending_sessions = models.has_pending_sessions(index)?;
        if has_pending_sessions {
            let failure = models.recorded_failure(index)?;
            notes.extend(failure.map(|reason| format!("not all sessions are embedded: {reason}")));
        }
        Ok(ToolAnswer {
            has_pending_sessions,
            ..self.format_listing(answer, view, notes)?
        })
    }

    /// Answers from the session whose id stands beside other words of the query, where no turn holds the id itself, and the
    /// session has what the other words ask for. The argument `session` may name it, too.
    fn answer_in_named_session(
        &self,
        answer: &SearchAnswer,
        view: IndexView<'_>,
    ) -> Result<Option<ToolAnswer>, CallError> {
        let ids = answer.results.explanation.unfound.session_ids.as_slice();
        let [id] = ids else {
            return Ok(None);
        };
        let given = self.arguments.session.as_deref();
        if given.is_some_and(|given| !is_same_session(id, given, view)) {
            return Ok(None);
        }
        let has_others = Query::new(&self.query.text).terms.len() > 1;
        let query = remove_id(&self.arguments.query, id).filter(|_| has_others);
        let Some(query) = query else {
            return Ok(None);
        };
        let arguments = SearchArguments {
            query,
            session: Some(given.unwrap_or(id).to_owned()),
            ..self.arguments.clone()
        };
        let call = SearchCall::new(&arguments)?;
        let found = call.search(view)?;
        if found.answer.results.hits.is_empty() {
            return Ok(None);
        }
        let mut narrowed = call.format_answer(&found, view)?;
        if given.is_none() {
            let note = format!("only session {id} is searched, which the query names");
            narrowed.notes.insert(0, note);
        }
        Ok(Some(narrowed))
    }

    fn format_listing(
        &self,
        answer: &SearchAnswer,
        view: IndexView<'_>,
        mut notes: Vec<String>,
    ) -> Result<ToolAnswer, CallError> {
        let results = &answer.results;
        let mut listing = ItemList::default();
        let hits = results.hits.iter().zip(make_previews(results)?);
        for (hit, preview) in hits.skip(self.offset()).take(self.limit()) {
            let preview = truncate_to_columns(&preview.text, PREVIEW_COLUMNS);
            let head = format_heading(hit, results, view);
            if !listing.push(&format!("{head}\n   {preview}\n")) {
                break;
            }
        }
        notes.extend(match results.order {
            _ if listing.count == 0 => self.format_end_note(results.hits.len()),
            HitOrder::Relevance => self.format_best_note(listing.count, results.hits.len()),
            HitOrder::Newest => self.format_newest_note(listing.count, results.hits.len()),
        });
        let mut data = listing.data;
        if results.hits.is_empty() {
            let unmet = format_nothing_found(answer, view);
            notes.push(unmet.note);
            data = unmet.hint;
        }
        Ok(ToolAnswer {
            notes,
            data,
            next: Some(self.format_next_call(answer, view)?),
            ..ToolAnswer::default()
        })
    }

    fn limit(&self) -> usize {
        clamp_limit(self.arguments.limit, LIMIT, MAX_LIMIT)
    }

    /// Returns the number of hits before this page.
    pub(crate) fn offset(&self) -> usize {
        clamp_offset(self.arguments.offset)
    }

    /// Says which call lists what was done in the time that a query asks for, or which query keeps to a time in words.
    fn format_time_note(&self, answer: &SearchAnswer) -> Option<String> {
        let suggestion = TimeSuggestion::find(answer, Zoned::now)?;
        Some(suggestion.into_note(|time| {
            let pattern = format_time_filter(time).into();
            let mut call = vec![("what", "digest".into()), ("pattern", pattern)];
            call.extend(FilterArguments::from(self.arguments).describe());
            format!("{} tells what was done then", format_call("history", &call))
        }))
    }

    /// Says that an offset is behind the end of what was found.
    fn format_end_note(&self, found: usize) -> Option<String> {
        let unit = self.arguments.level.name();
        (found > 0).then(|| format!("no more than {}", pluralize(found, unit)))
    }

    /// Says which of the best hits are listed where there are more.
    fn format_best_note(&self, shown: usize, found: usize) -> Option<String> {
        let found = found.saturating_sub(self.offset());
        let more = format_more_note(shown, found, self.limit(), self.offset())?;
        Some(match self.offset() {
            0 => format!("the best {more}"),
            offset => format!("behind the best {offset}, {more}"),
        })
    }

    /// Says which of the newest are listed where there are more, and the call for the rest.
    fn format_newest_note(&self, shown: usize, found: usize) -> Option<String> {
        let end = self.offset() + shown;
        if shown == 0 || end >= found {
            return None;
        }
        let which = match self.offset() {
            0 => format!("the newest {shown}"),
            offset => format!("the newest {} to {end}", offset + 1),
        };
        let rest = self.format_page_call(end);
        Some(format!("{which}; the rest: {rest}"))
    }
}

/// Returns true if the id of a query and the argument `session` name the same session.
fn is_same_session(id: &str, given: &str, view: IndexView<'_>) -> bool {
    let find = |id: &str| view.find_session(SessionReference::strip_turns(id));
    matches!((find(id), find(given)), (Ok(one), Ok(other)) if one.id == other.id)
}

/// Removes the words that name a session from a query, with the punctuation around them; `None` if there are none.
fn remove_id(query: &str, id: &str) -> Option<String> {
    let is_id = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        SessionReference::parse(word).id.eq_ignore_ascii_case(id)
    };
    let (ids, others): (Vec<&str>, Vec<&str>) = query.split_whitespace().partition(is_id);
    (!ids.is_empty()).then(|| others.join(" "))
}

/// Formats how to see more than the `shown` hits, where more were found; of more than `limit` one was looked for.
fn format_more_note(shown: usize, found: usize, limit: usize, offset: usize) -> Option<String> {
    let rest = format!("`offset`: {} goes on", offset + shown);
    let narrower = "`project`, `since` or more words narrow them";
    match shown {
        0 => None,
        _ if shown == found => None,
        _ if found <= limit => Some(format!("{shown} of {found}; {rest}, {narrower}")),
        _ if shown == limit && limit < MAX_LIMIT => Some(format!(
            "{shown}; there are more: {rest}, `limit` is at most {MAX_LIMIT}"
        )),
        _ => Some(format!("{shown}; there are more: {rest}, {narrower}")),
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
        format_day(hit.time_ms),
        sanitize_line(project_label(session)),
        sanitize_line(&session.source),
        pluralize(session.turns as usize, "turn"),
        title_suffix(session, TITLE_COLUMNS)
    )
}

fn format_nothing_found(answer: &SearchAnswer, view: IndexView<'_>) -> UnmetNote {
    let unmet = answer.unmet.as_ref();
    if let Some(note) = unmet.and_then(|unmet| view.format_unmet_clause(unmet)) {
        return note;
    }
    let filter = &answer.filter.search_filter;
    let elsewhere = format_project_elsewhere(&filter.clauses, view.sessions());
    let hint = if answer.query.has_no_word() {
        "; the query has no word to search"
    } else if filter.is_narrowed() {
        "; the filters may be too narrow"
    } else {
        ""
    };
    let note = match answer.results.searched.sessions {
        0 if hint.is_empty() && view.has_problems() => {
            "no session of a coding agent could be read".to_owned()
        }
        0 if hint.is_empty() => "this machine has no session of a coding agent yet".to_owned(),
        count => format!("nothing found, sessions searched: {count}{hint}"),
    };
    UnmetNote {
        note,
        hint: FencedText::new(&elsewhere.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_removed_from_a_query() {
        let removed = |query: &str| remove_id(query, "a1b2c3d4");
        assert_eq!(
            removed("A1B2C3D4:3 gate  lamps").as_deref(),
            Some("gate lamps")
        );
        for query in [
            "(a1b2c3d4) gate",
            "gate a1b2c3d4,",
            "`a1b2c3d4:3-5`: gate",
            "\"a1b2c3d4\". gate",
        ] {
            assert_eq!(removed(query).as_deref(), Some("gate"), "{query}");
        }
        assert_eq!(removed("gate lamps"), None);
    }

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
                Some("8; there are more: `offset`: 18 goes on, `limit` is at most 30".to_owned()),
            ),
            (
                30,
                31,
                30,
                Some(format!(
                    "30; there are more: `offset`: 40 goes on, {narrower}"
                )),
            ),
            (
                5,
                8,
                8,
                Some(format!("5 of 8; `offset`: 15 goes on, {narrower}")),
            ),
            (
                5,
                9,
                8,
                Some(format!(
                    "5; there are more: `offset`: 15 goes on, {narrower}"
                )),
            ),
        ] {
            let note = format_more_note(shown, found, limit, 10);
            assert_eq!(note, expected, "{shown} of {found}, limit {limit}");
        }
    }
}
