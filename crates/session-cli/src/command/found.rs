//! `files` and `commands`: turns by what they touched and ran.

use crate::Found;
use crate::args::{CommandsArgs, FilesArgs, FilterArgs};
use crate::command::refresh::{self, RefreshedIndex};
use crate::command::{caller, filter};
use crate::output::{json, notes, width};
use anyhow::Result;
use session_config::Home;
use session_core::TurnContent;
use session_display::format_unknown_project;
use session_output::{PrintedFinding, SearchedScope, TurnListing};
use session_search::{CommandPattern, Filter, FoundCommand, FoundFile, FoundTurn, find_turns};
use session_store::{Reader, SessionRow};
use std::io::Write;

/// Runs `files`.
///
/// # Errors
/// When the index fails, or a condition cannot be read.
pub fn files(args: &FilesArgs) -> Result<Found> {
    let visit =
        |session: &SessionRow, content: &TurnContent| FoundFile::find(session, content, &args.path);
    print(
        &args.path,
        &matching(&args.listed.filter, visit)?,
        args.listed.limit,
        args.listed.json,
    )
}

/// Runs `commands`.
///
/// # Errors
/// As [`files`].
pub fn commands(args: &CommandsArgs) -> Result<Found> {
    let pattern = CommandPattern::new(&args.pattern);
    let visit = |_: &SessionRow, content: &TurnContent| FoundCommand::find(content, &pattern);
    print(
        &args.pattern,
        &matching(&args.listed.filter, visit)?,
        args.listed.limit,
        args.listed.json,
    )
}

/// The turns in which something was found.
struct MatchingTurns<T> {
    matching: Vec<FoundTurn<T>>,
    history: FilteredHistory,
}

/// The turns in which something is found.
fn matching<T>(
    args: &FilterArgs,
    visit: impl Fn(&SessionRow, &TurnContent) -> Option<T>,
) -> Result<MatchingTurns<T>> {
    let history = FilteredHistory::open(args)?;
    Ok(MatchingTurns {
        matching: find_turns(&history.index, &history.all, &history.filter, visit)?,
        history,
    })
}

/// The index with what a command lets through. What subagents did was done, too; what the session that
/// asks does is no find.
pub struct FilteredHistory {
    /// The index.
    pub index: Reader,
    /// All sessions of the index.
    pub all: Vec<SessionRow>,
    /// The sessions and turns that are let through.
    pub filter: Filter,
    /// Ids of the sessions that this was asked from.
    pub left_out: Vec<String>,
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
        let refreshed = refresh::index(&home)?;
        let no_history = refreshed.no_history(&home);
        let RefreshedIndex {
            index,
            all,
            is_complete,
            ..
        } = refreshed;
        let mut filter = filter::read(args, &all)?.including_subagents(&all);
        let callers = caller::left_out(args, &home, &all);
        filter
            .exclude
            .extend(caller::with_subagents(&callers, &all));
        Ok(Self {
            left_out: caller::ids(&callers),
            index,
            filter,
            is_complete,
            no_history,
            all,
        })
    }

    /// Returns why nothing was found: there is no history, or none of the project, or what `otherwise` says of
    /// the sessions that were searched.
    pub fn explain_nothing(&self, otherwise: impl Fn(&SearchedScope) -> String) -> String {
        let unknown = || format_unknown_project(&self.filter.clauses, &self.all);
        let scope = SearchedScope::new(&self.filter, &self.all);
        let no_history = self.no_history.clone();
        no_history
            .or_else(unknown)
            .unwrap_or_else(|| otherwise(&scope))
    }
}

fn print<T: PrintedFinding>(
    wanted: &str,
    turns: &MatchingTurns<Vec<T>>,
    limit: usize,
    as_json: bool,
) -> Result<Found> {
    let MatchingTurns { matching, history } = turns;
    let listing = TurnListing {
        wanted,
        matching,
        all: &history.all,
        left_out: &history.left_out,
        is_complete: history.is_complete,
        limit,
        width: width(),
    };
    if as_json {
        json::print(&listing.json())?;
    } else {
        caller::note(&history.left_out)?;
    }
    if matching.is_empty() {
        let nothing = format!("no turn {} that", T::DID);
        let text = history.explain_nothing(|scope| scope.format_nothing(&nothing));
        writeln!(notes::stderr(), "{text}")?;
        return Ok(Found::Nothing);
    }
    if !as_json {
        write!(anstream::stdout(), "{}", listing.text())?;
    }
    Ok(Found::Something)
}
