//! `status`: what is indexed, by what, and how fresh.

use crate::CommandOutcome;
use crate::args::StatusArgs;
use crate::output::{json, notes, terminal_width};
use anyhow::Result;
use session_config::Home;
use session_output::StatusReport;
use session_query::IndexStatus;
use session_store::{Reader, StoreError};
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatusArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    let index = match Reader::open_verified(&home.root) {
        Err(StoreError::Missing { .. }) => return print_missing_index(args, &home),
        other => other?,
    };
    let status = IndexStatus::read(&index, &home.env, &home.config.model, &home.exclusions()?)?;
    let report = StatusReport {
        root: &home.root,
        status: &status,
    };
    if args.json {
        json::print(&report.to_json())?
    } else {
        write!(anstream::stdout(), "{}", report.format(terminal_width()))?
    }
    Ok(CommandOutcome::Something)
}

/// Prints that there is no index. Its JSON is that of an empty one.
fn print_missing_index(args: &StatusArgs, home: &Home) -> Result<CommandOutcome> {
    writeln!(
        notes::open_stderr(),
        "there is no index yet\nhint: the first `session-search search` makes it"
    )?;
    if args.json {
        let report = StatusReport {
            root: &home.root,
            status: &IndexStatus::default(),
        };
        json::print(&report.to_json())?;
    }
    Ok(CommandOutcome::Nothing)
}
