//! `status`: what is indexed, by what, and how fresh.

use crate::CommandOutcome;
use crate::args::JsonFlagArgs;
use crate::output::{self, json, notes, terminal_width};
use crate::shared::refreshed_index::explain_no_history;
use anyhow::Result;
use session_config::Home;
use session_output::StatusReport;
use session_query::IndexStatus;
use session_store::{Reader, StoreError};

/// The note on an index whose first refresh was stopped.
const NOTHING_READ: &str =
    "no session is read yet\nhint: the next search reads on, or run `session-search index`";

/// Runs the command.
pub fn run(args: &JsonFlagArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    let index = match Reader::open_verified(&home.index_directory) {
        Err(StoreError::Missing { .. }) => return print_missing_index(args, &home),
        other => other?,
    };
    let exclusions = home.exclusions()?;
    let status = IndexStatus::read(&index, &home, &exclusions)?;
    let report = StatusReport {
        root: &home.index_directory,
        status: &status,
    };
    if args.json {
        json::print(&report.to_json())?
    } else {
        output::print(report.format(terminal_width()))?
    }
    if status.sessions == 0 && status.changed > 0 {
        notes::print_line(NOTHING_READ)?;
    } else if status.sessions == 0 {
        notes::print_line(explain_no_history(&home, &exclusions, Some(&index)))?;
    }
    Ok(CommandOutcome::Found)
}

/// Prints that there is no index. Its JSON is that of an empty one.
fn print_missing_index(args: &JsonFlagArgs, home: &Home) -> Result<CommandOutcome> {
    notes::print_line("there is no index yet\nhint: the first `session-search search` makes it")?;
    if args.json {
        let report = StatusReport {
            root: &home.index_directory,
            status: &IndexStatus::default(),
        };
        json::print(&report.to_json())?;
    }
    Ok(CommandOutcome::NotFound)
}
