//! `fix`: what cured an error before.

use crate::Found;
use crate::args::FixArgs;
use crate::command::caller;
use crate::command::found::FilteredHistory;
use crate::output::{json, notes, width};
use anyhow::{Result, bail};
use session_output::FixListing;
use session_query::{FixQuery, read_project};
use std::io::{IsTerminal, Read, Write};

/// Most bytes of an output that are read.
const STDIN_LIMIT: u64 = 1 << 20;

/// Runs `fix`.
///
/// # Errors
/// When no error is given, the index fails, or a condition cannot be read.
pub fn run(args: &FixArgs) -> Result<Found> {
    let error = args.error.clone().map_or_else(read_error, Ok)?;
    let history = FilteredHistory::open(&args.filter)?;
    let here = read_project(".");
    let query = FixQuery {
        error: &error,
        command: args.command.as_deref(),
        filter: &history.filter,
        is_here: &|session| here.matches(session),
    };
    let found = query.find(&history.index, &history.all)?;
    let listing = FixListing {
        error: error.trim(),
        found: &found,
        all: &history.all,
        left_out: &history.left_out,
        is_complete: history.is_complete,
        limit: args.limit,
        width: width(),
    };
    match args.json {
        true => json::print(&listing.json())?,
        false => caller::note(&history.left_out)?,
    }
    if found.fixes.is_empty() {
        let text = history.explain_nothing(|scope| listing.nothing(scope));
        writeln!(notes::stderr(), "{text}")?;
        return Ok(Found::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", listing.text())?;
    }
    Ok(Found::Something)
}

/// Reads the output of a command from stdin.
fn read_error() -> Result<String> {
    if std::io::stdin().is_terminal() {
        bail!(
            "there is no error to look for\nhint: give its line, or pipe a command's output into it"
        );
    }
    let mut bytes = Vec::new();
    std::io::stdin().take(STDIN_LIMIT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
