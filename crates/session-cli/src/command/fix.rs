//! `fix`: what cured an error before; where nothing did, the turns that failed with it.

use crate::CommandOutcome;
use crate::args::FixArgs;
use crate::command::filtered_history::FilteredHistory;
use crate::output::terminal_width;
use anyhow::{Result, bail};
use session_display::SessionIds;
use session_output::FixListing;
use session_query::{CureSearch, MAX_FAILED_TURNS, Snapshot, read_project};
use std::io::{IsTerminal, Read};

/// Most bytes of an output that are kept: its end, where the error is.
const STDIN_LIMIT: usize = 1 << 20;

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
    let here = read_project(".");
    let query = CureSearch {
        error: &error,
        command: args.command.as_deref(),
        filter: &history.resolved.filter,
        is_in_project: &|session| here.matches(session),
        max_failed: MAX_FAILED_TURNS,
    };
    let Snapshot { index, sessions } = &history.refreshed.snapshot;
    let found = query.find(index, sessions)?;
    let listing = FixListing {
        error: error.trim(),
        found: &found,
        ids: SessionIds::new(sessions),
        left_out: &history.resolved.left_out,
        is_complete: history.refreshed.is_complete,
        limit: args.limit,
        width: terminal_width(),
    };
    let is_missing = found.cures.is_empty() && (args.json || found.failed.is_empty());
    let explain = || history.explain_nothing(|scope| listing.format_nothing(scope));
    let missing = is_missing.then(explain);
    history.print(
        missing.as_ref(),
        args.json,
        |hints| listing.to_json(hints),
        || listing.format(),
    )?;
    Ok(CommandOutcome::from_found(!found.cures.is_empty()))
}

/// Reads the output of a command from stdin.
fn read_error() -> Result<String> {
    if std::io::stdin().is_terminal() {
        bail!("{NO_ERROR}");
    }
    let bytes = read_end(&mut std::io::stdin().lock(), STDIN_LIMIT)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads to the end, and returns the last bytes.
fn read_end(input: &mut impl Read, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let take = limit.max(1) as u64;
    while input.by_ref().take(take).read_to_end(&mut kept)? > 0 {
        kept.drain(..kept.len().saturating_sub(limit));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::read_end;

    #[test]
    fn the_end_of_a_long_output_is_kept() {
        let output: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for limit in [1, 7, 999, 1000, 5000] {
            let kept = read_end(&mut output.as_slice(), limit).unwrap();
            assert_eq!(kept, output[output.len().saturating_sub(limit)..]);
        }
    }
}
