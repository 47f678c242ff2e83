//! `files` and `commands`: turns by what they touched and ran.

use crate::CommandOutcome;
use crate::args::{CommandsArgs, FilesArgs, FilterArgs, FoundListArgs};
use crate::command::refresh::{self, RefreshedIndex};
use crate::command::{caller, filter};
use crate::output::{self, terminal_width};
use anyhow::Result;
use serde::Serialize;
use session_config::Home;
use session_display::{SessionIds, fit_line};
use session_output::{PrintedFinding, SearchedScope, TurnListing, format_unmet_clause, list_hints};
use session_query::{ResolvedFilter, Snapshot, find_unmet_clause};
use session_search::{CommandPattern, FoundCommand, FoundFile, FoundTurn, LinePattern};

/// Most columns of what was searched for in the note that it was not found.
const MAX_TYPED_COLUMNS: usize = 48;

/// Runs `files`.
pub fn run_files(args: &FilesArgs) -> Result<CommandOutcome> {
    let history = FilteredHistory::open(&args.listed.filter)?;
    let turns = MatchingTurns {
        matching: FoundFile::find_turns(
            &history.refreshed.snapshot.index,
            &history.refreshed.snapshot.sessions,
            &history.resolved.filter,
            &args.path,
        )?,
        history,
    };
    let path = quote_typed(&args.path, "a file");
    let nothing = format!("no turn read or changed {path}");
    print_listing(&args.path, &turns, &args.listed, &nothing)
}

/// Runs `commands`.
pub fn run_commands(args: &CommandsArgs) -> Result<CommandOutcome> {
    let pattern = LinePattern::new(&args.pattern);
    let wanted = CommandPattern {
        line: &pattern,
        failed: args.failed,
    };
    let history = FilteredHistory::open(&args.listed.filter)?;
    let turns = MatchingTurns {
        matching: FoundCommand::find_turns(
            &history.refreshed.snapshot.index,
            &history.refreshed.snapshot.sessions,
            &history.resolved.filter,
            wanted,
        )?,
        history,
    };
    let command = quote_typed(&args.pattern, "a command");
    let nothing = if args.failed {
        format!("no run of {command} failed")
    } else {
        format!("no turn ran {command}")
    };
    print_listing(&args.pattern, &turns, &args.listed, &nothing)
}

/// Quotes what was searched for; `otherwise` stands for an empty text, which all have.
fn quote_typed(typed: &str, otherwise: &str) -> String {
    match fit_line(typed, MAX_TYPED_COLUMNS) {
        text if text.is_empty() => otherwise.to_owned(),
        text => format!("`{text}`"),
    }
}

/// The turns in which something was found.
struct MatchingTurns<T> {
    matching: Vec<FoundTurn<T>>,
    history: FilteredHistory,
}

/// The index with what a command lets through. What subagents did was done, too; what the session that
/// asks does is no find.
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
        let refreshed = refresh::open_index_with_sessions(&home, &filter::named_sessions(args))?;
        let sessions = &refreshed.snapshot.sessions;
        let filter = filter::parse_filter(args, sessions)?.including_subagents(sessions);
        let callers = caller::find_calling_sessions(args, &home, sessions);
        Ok(Self {
            resolved: ResolvedFilter::new(filter, &callers, sessions),
            refreshed,
        })
    }

    /// Returns why nothing was found: there is no history, or none of the project, or what `otherwise` says of
    /// the sessions that were searched.
    pub fn explain_nothing(&self, otherwise: impl Fn(&SearchedScope) -> String) -> String {
        if let Some(text) = &self.refreshed.no_history {
            return text.clone();
        }
        let Snapshot { index, sessions } = &self.refreshed.snapshot;
        let unmet = find_unmet_clause(index, sessions, &self.resolved.filter.clauses);
        let unmet = unmet.and_then(|unmet| format_unmet_clause(&unmet, sessions));
        unmet.unwrap_or_else(|| {
            let count = self.resolved.count_sessions(sessions);
            otherwise(&SearchedScope::new(&self.resolved, count))
        })
    }

    /// Prints a listing, or why it is `missing`; JSON has that as hints.
    pub fn print<J: Serialize>(
        &self,
        missing: Option<&str>,
        as_json: bool,
        to_json: impl FnOnce(Vec<String>) -> J,
        format: impl FnOnce() -> String,
    ) -> Result<()> {
        if !as_json {
            caller::note_left_out(&self.resolved.left_out)?;
        }
        let hints = || missing.map(list_hints).unwrap_or_default();
        output::print_answer(missing, as_json, || to_json(hints()), format)
    }
}

fn print_listing<T: PrintedFinding>(
    wanted: &str,
    turns: &MatchingTurns<Vec<T>>,
    args: &FoundListArgs,
    nothing: &str,
) -> Result<CommandOutcome> {
    let MatchingTurns { matching, history } = turns;
    let listing = TurnListing {
        wanted,
        matching,
        ids: SessionIds::new(&history.refreshed.snapshot.sessions),
        left_out: &history.resolved.left_out,
        is_complete: history.refreshed.is_complete,
        limit: args.limit,
        width: terminal_width(),
    };
    let explain = || history.explain_nothing(|scope| scope.format_nothing(nothing));
    let missing = matching.is_empty().then(explain);
    history.print(
        missing.as_deref(),
        args.json,
        |hints| listing.to_json(hints),
        || listing.format(),
    )?;
    Ok(CommandOutcome::from_found(missing.is_none()))
}
