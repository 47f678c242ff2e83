//! `fix`: what cured an error before; where nothing did, the turns that failed with it.

use crate::CommandOutcome;
use crate::args::FixArgs;
use crate::output::terminal_width;
use crate::shared::filtered_history::FilteredHistory;
use crate::shared::stdin;
use anyhow::{Result, bail};
use session_display::SessionIds;
use session_output::FixListing;
use session_query::{CureSearch, MAX_FAILED_TURNS, Snapshot, parse_project};
use std::io::IsTerminal;

/// The message where there is neither an argument nor an output.
const NO_ERROR: &str =
    "there is no error to look for\nhint: give its line, or pipe a command's output into it";

/// Runs `fix`.
pub fn run(args: &FixArgs) -> Result<CommandOutcome> {
    let error = args.error.clone().map_or_else(read_error, Ok)?;
    if error.trim().is_empty() {
        bail!("{NO_ERROR}");
    }
    let history = FilteredHistory::open(&args.filter)?;
    let here = parse_project(".");
    let query = CureSearch {
        error: &error,
        command: args.command.as_deref(),
        filter: &history.resolved.search_filter,
        is_in_project: &|session| here.matches(session),
        max_failed: MAX_FAILED_TURNS,
    };
    let Snapshot { index, sessions } = &history.refreshed.snapshot;
    let found = query.find(index, sessions)?;
    let listing = FixListing {
        error: error.trim(),
        found: &found,
        ids: SessionIds::new(sessions),
        left_out: &history.resolved.excluded_callers,
        is_complete: history.refreshed.is_complete,
        limit: args.limit,
        width: terminal_width(),
    };
    let is_missing = found.cures.is_empty() && (args.json || found.failed.is_empty());
    let explain = || history.explain_no_match(|scope| listing.format_nothing(scope));
    let missing = is_missing.then(explain);
    history.print(
        missing.as_ref(),
        args.json,
        |hints| listing.to_json(hints),
        || listing.format(),
    )?;
    Ok(CommandOutcome::from_found(!found.cures.is_empty()))
}

/// Reads the output of a command from stdin: of a long one the end, where the error is.
fn read_error() -> Result<String> {
    if std::io::stdin().is_terminal() {
        bail!("{NO_ERROR}");
    }
    let bytes = stdin::read_last_bytes()?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
