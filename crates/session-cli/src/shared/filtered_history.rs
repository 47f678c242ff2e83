//! The history that a listing of turns is made of.

use crate::args::FilterArgs;
use crate::output::{self, notes::print_notes};
use crate::shared::refreshed_index::{self, RefreshedIndex};
use crate::shared::{caller, filter};
use anyhow::Result;
use serde::Serialize;
use session_config::Home;
use session_display::Note;
use session_output::SearchedScope;
use session_query::ResolvedFilter;

/// The index with the work that the filters of a command let through.
pub struct FilteredHistory {
    /// The index.
    pub refreshed: RefreshedIndex,
    /// The sessions and turns that are let through.
    pub resolved: ResolvedFilter,
}

impl FilteredHistory {
    /// Opens the index, brought up to date.
    pub fn open(args: &FilterArgs) -> Result<Self> {
        let home = Home::from_process()?;
        let refreshed =
            refreshed_index::open_index_with_sessions(&home, &filter::named_sessions(args))?;
        print_notes(filter::note_excluded_turns(args))?;
        let sessions = &refreshed.snapshot.sessions;
        let filter = filter::parse_filter(args, sessions)?;
        let callers = caller::find_calling_sessions(args, &home, sessions);
        let session = args.session.as_deref();
        Ok(Self {
            resolved: ResolvedFilter::for_work(filter, session, &callers, sessions)?,
            refreshed,
        })
    }

    /// Returns why nothing was found: there is no history, or a filter that no turn passes, or what `otherwise` says
    /// of the sessions that were searched.
    pub fn explain_no_match(&self, otherwise: impl FnOnce(&SearchedScope) -> Note) -> Note {
        let clauses = &self.resolved.search_filter.clauses;
        self.refreshed.explain_no_turn(clauses, || {
            let sessions = &self.refreshed.snapshot.sessions;
            let count = self.resolved.count_sessions(sessions);
            otherwise(&SearchedScope::new(&self.resolved, count, sessions))
        })
    }

    /// Prints a listing, or why it is `missing`, with what was left out.
    pub fn print<J: Serialize>(
        &self,
        missing: Option<&Note>,
        as_json: bool,
        to_json: impl FnOnce(Vec<String>) -> J,
        format: impl FnOnce() -> String,
    ) -> Result<()> {
        if !as_json {
            caller::note_left_out(&self.resolved.excluded_callers)?;
        }
        self.refreshed.note_unread_paths(as_json)?;
        let to_json = |hints| to_json(self.refreshed.add_unread(hints));
        output::print_or_explain(missing, as_json, to_json, format)
    }
}
