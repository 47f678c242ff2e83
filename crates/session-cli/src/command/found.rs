//! `files` and `commands`: turns by what they touched and ran.

use crate::CommandOutcome;
use crate::args::{CommandsArgs, FilesArgs, FilterArgs, FoundListArgs};
use crate::command::refresh::{self, RefreshedIndex};
use crate::command::{caller, filter};
use crate::output::{json, notes, terminal_width};
use anyhow::Result;
use session_config::Home;
use session_display::{SessionIds, fit_line};
use session_output::{PrintedFinding, SearchedScope, TurnListing, format_unmet_clause, list_hints};
use session_query::{ResolvedFilter, find_unmet_clause};
use session_search::{CommandPattern, FoundCommand, FoundFile, FoundTurn, LinePattern};
use session_store::{Reader, SessionRow};
use std::io::Write;

/// Most columns of what was searched for in the note that it was not found.
const MAX_TYPED_COLUMNS: usize = 48;

/// Runs `files`.
///
/// # Errors
/// When the index fails, or a condition cannot be read.
pub fn run_files(args: &FilesArgs) -> Result<CommandOutcome> {
    let history = FilteredHistory::open(&args.listed.filter)?;
    let turns = MatchingTurns {
        matching: FoundFile::find_turns(
            &history.index,
            &history.sessions,
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
///
/// # Errors
/// As [`run_files`].
pub fn run_commands(args: &CommandsArgs) -> Result<CommandOutcome> {
    let pattern = LinePattern::new(&args.pattern);
    let wanted = CommandPattern {
        line: &pattern,
        failed: args.failed,
    };
    let history = FilteredHistory::open(&args.listed.filter)?;
    let turns = MatchingTurns {
        matching: FoundCommand::find_turns(
            &history.index,
            &history.sessions,
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
    pub index: Reader,
    /// All sessions of the index.
    pub sessions: Vec<SessionRow>,
    /// The sessions and turns that are let through.
    pub resolved: ResolvedFilter,
    /// The index is as the histories are.
    pub is_complete: bool,
    /// That there is no history, where there is none.
    pub no_history: Option<String>,
}

impl FilteredHistory {
    /// Opens the index, brought up to date.
    ///
    /// # Errors
    /// When the index fails, or a condition cannot be read.
    pub fn open(args: &FilterArgs) -> Result<Self> {
        let home = Home::from_process()?;
        let refreshed = refresh::open_index_with_sessions(&home, &filter::named_sessions(args))?;
        let no_history = refreshed.format_no_history_of(&home);
        let RefreshedIndex {
            index,
            sessions,
            is_complete,
            ..
        } = refreshed;
        let filter = filter::parse_filter(args, &sessions)?.including_subagents(&sessions);
        let callers = caller::find_calling_sessions(args, &home, &sessions);
        Ok(Self {
            resolved: ResolvedFilter::new(filter, &callers, &sessions),
            index,
            is_complete,
            no_history,
            sessions,
        })
    }

    /// Returns why nothing was found: there is no history, or none of the project, or what `otherwise` says of
    /// the sessions that were searched.
    pub fn explain_nothing(&self, otherwise: impl Fn(&SearchedScope) -> String) -> String {
        if let Some(text) = &self.no_history {
            return text.clone();
        }
        let Self {
            index,
            sessions,
            resolved,
            ..
        } = self;
        let unmet = find_unmet_clause(index, sessions, &resolved.filter.clauses);
        let unmet = unmet.and_then(|unmet| format_unmet_clause(&unmet, sessions));
        unmet.unwrap_or_else(|| {
            otherwise(&SearchedScope::new(
                resolved,
                resolved.count_sessions(sessions),
            ))
        })
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
        ids: SessionIds::new(&history.sessions),
        left_out: &history.resolved.left_out,
        is_complete: history.is_complete,
        limit: args.limit,
        width: terminal_width(),
    };
    let explain = || history.explain_nothing(|scope| scope.format_nothing(nothing));
    let missing = matching.is_empty().then(explain);
    if args.json {
        let hints = missing.as_deref().map(list_hints);
        json::print(&listing.to_json().with_hints(hints.unwrap_or_default()))?;
    } else {
        caller::note_left_out(&history.resolved.left_out)?;
    }
    if let Some(text) = missing {
        writeln!(notes::open_stderr(), "{text}")?;
        return Ok(CommandOutcome::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", listing.format())?;
    }
    Ok(CommandOutcome::Something)
}
