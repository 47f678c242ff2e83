//! `search`: hits with the passage that matched.

use crate::answer::{Answer, ItemList, format_call, title_suffix};
use crate::arguments::{SearchArguments, SearchLevel, clamp_limit};
use crate::call_error::CallError;
use crate::index_view::{CallFilter, IndexView, ResolvedFilter, argument_clauses};
use crate::turn_window::TurnWindow;
use jiff::Zoned;
use serde_json::Value;
use session_core::Query;
use session_display::{
    cut, day, format_unfound_terms, format_unknown_project, plural, previews, project, safe_line,
};
use session_query::TypedQuery;
use session_search::{Hit, HitOrder, Request, Results};

/// Hits where the call does not say how many, and the most that it gets.
const LIMIT: usize = 8;
const MAX_LIMIT: usize = 30;
/// Most columns of a title, and of a preview.
const TITLE_COLUMNS: usize = 80;
const PREVIEW_COLUMNS: usize = 300;
const SUBAGENTS_HINT: &str = "search them with subagents: true";

/// A search whose filters are resolved as far as they can be without the index.
pub(crate) struct SearchCall<'a> {
    arguments: &'a SearchArguments,
    text: String,
    filter: CallFilter,
}

/// An answer, and whether the chosen model has still sessions to read.
pub(crate) struct AnsweredSearch {
    pub(crate) answer: Answer,
    pub(crate) has_pending_sessions: bool,
}

impl<'a> SearchCall<'a> {
    /// Reads the filters of a call.
    ///
    /// # Errors
    /// When there is no such agent, or a time cannot be parsed.
    pub(crate) fn new(arguments: &'a SearchArguments) -> Result<Self, CallError> {
        let typed = TypedQuery::parse(&arguments.query);
        let mut clauses = typed.clauses(Zoned::now)?;
        clauses.extend(argument_clauses(
            arguments.project.as_deref(),
            arguments.since.as_deref(),
        )?);
        Ok(Self {
            arguments,
            text: typed.text,
            filter: CallFilter {
                clauses,
                session: arguments.session.clone(),
            },
        })
    }

    /// Answers from the index. Without a text the newest are listed.
    ///
    /// # Errors
    /// When the index or the model fails, or a session is not there.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<AnsweredSearch, CallError> {
        let ResolvedFilter { filter, callers } = view.resolve(&self.filter)?;
        let filter = match self.arguments.subagents {
            true => filter.including_subagents(view.sessions()),
            false => filter,
        };
        let request = Request {
            query: Query::new(&self.text),
            level: self.arguments.level.into(),
            filter,
            limit: self.limit(),
            ..Request::new("")
        };
        let results = view.engine.search(view.snapshot, &request)?;
        let mut notes = view.caller_notes(&callers);
        notes.extend(format_unfound_terms(&results, SUBAGENTS_HINT));
        let models = view.engine.models();
        notes.extend(models.failures().into_iter().map(|failure| failure.reason));
        Ok(AnsweredSearch {
            answer: self.listing(&results, view, notes)?,
            has_pending_sessions: models
                .has_pending_sessions(&view.snapshot.index, view.sessions().len())?,
        })
    }

    fn listing(
        &self,
        results: &Results,
        view: IndexView<'_>,
        mut notes: Vec<String>,
    ) -> Result<Answer, CallError> {
        let mut listing = ItemList::default();
        for (hit, preview) in results.hits.iter().zip(previews(results)?) {
            let preview = cut(&preview.text, PREVIEW_COLUMNS);
            let head = head(hit, results.order, view);
            if !listing.push(&format!("{head}\n   {preview}\n")) {
                break;
            }
        }
        notes.extend(self.more_note(listing.count, results.hits.len()));
        let next = match results.hits.first() {
            Some(best) => show_call(best, view),
            None => {
                notes.push(nothing_found(results, &self.filter, view));
                self.wider_call()
            }
        };
        Ok(Answer {
            notes,
            data: listing.data,
            next,
        })
    }

    /// Says how to see more than what is listed, where there may be more.
    fn more_note(&self, shown: usize, found: usize) -> Option<String> {
        let limit = self.limit();
        match shown {
            0 => None,
            _ if shown < found => Some(format!(
                "the best {shown} of {found}; `project`, `since` or more words narrow them"
            )),
            _ if found < limit => None,
            _ if limit < MAX_LIMIT => Some(format!(
                "the best {found}; there may be more: `limit` is at most {MAX_LIMIT}"
            )),
            _ => Some(format!(
                "the best {found}; there may be more: `project`, `since` or more words narrow them"
            )),
        }
    }

    fn limit(&self) -> usize {
        clamp_limit(self.arguments.limit, LIMIT, MAX_LIMIT)
    }

    /// Returns the call that looks further than one that found nothing.
    fn wider_call(&self) -> String {
        let is_filtered = !self.filter.clauses.is_empty() || self.filter.session.is_some();
        let level = match self.arguments.level {
            SearchLevel::Session => Value::Null,
            SearchLevel::Turn => "turn".into(),
        };
        match (is_filtered, self.arguments.level) {
            (true, _) => format_call(
                "search",
                &[("query", self.text.as_str().into()), ("level", level)],
            ),
            (_, SearchLevel::Session) => format_call(
                "search",
                &[
                    ("query", self.text.as_str().into()),
                    ("level", "turn".into()),
                ],
            ),
            _ => format_call("search", &[("query", Value::String(String::new()))]),
        }
    }
}

/// Formats the line of a hit: where, how sure, when, what.
fn head(hit: &Hit, order: HitOrder, view: IndexView<'_>) -> String {
    let session = &hit.session;
    let turn = hit.turn.as_ref();
    let at = turn.map_or(String::new(), |turn| format!(":{}", turn.index));
    let band = match order {
        HitOrder::Relevance => format!("{}  ", hit.band.name()),
        HitOrder::Newest => String::new(),
    };
    let time = turn.and_then(|turn| turn.started_ms).or(session.ended_ms);
    format!(
        "{}. {}{at}  {band}{}  {}  {}  {}{}",
        hit.rank,
        view.short_id(session),
        day(time),
        safe_line(project(session)),
        safe_line(&session.source),
        plural(session.turns as usize, "turn"),
        title_suffix(session, TITLE_COLUMNS)
    )
}

/// Returns the call that shows a hit with the turns around it.
fn show_call(hit: &Hit, view: IndexView<'_>) -> String {
    let session = &hit.session;
    let first = hit.turn.as_ref().map_or(0, |turn| turn.index);
    let range = TurnWindow::around(first, session.turns);
    let id = format!("{}:{range}", view.short_id(session));
    format_call("show", &[("id", id.into())])
}

fn nothing_found(results: &Results, filter: &CallFilter, view: IndexView<'_>) -> String {
    if let Some(unknown) = format_unknown_project(&filter.clauses, view.sessions()) {
        return unknown;
    }
    let hint = match filter.clauses.is_empty() && filter.session.is_none() {
        true => "",
        false => "; the filters may be too narrow",
    };
    match results.searched.sessions {
        0 if hint.is_empty() => "this machine has no session of a coding agent yet".to_owned(),
        count => format!("nothing found, sessions searched: {count}{hint}"),
    }
}
