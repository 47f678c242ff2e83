//! `status`: what is indexed, by what, and how fresh.

use crate::Found;
use crate::args::StatusArgs;
use crate::output::{json, notes, width};
use anyhow::Result;
use session_config::Home;
use session_output::StatusReport;
use session_query::IndexStatus;
use session_store::StoreError;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatusArgs) -> Result<Found> {
    let home = Home::from_process()?;
    let index = match home.index() {
        Err(StoreError::Missing { .. }) => return print_missing_index(args, &home),
        other => other?,
    };
    index.verify()?;
    let status = IndexStatus::read(&index, &home.env, &home.config.model, &home.exclusions()?)?;
    let report = StatusReport {
        root: &home.root,
        status: &status,
    };
    match args.json {
        true => json::print(&report.json())?,
        false => write!(anstream::stdout(), "{}", report.text(width()))?,
    }
    Ok(Found::Something)
}

/// Says that there is no index. Its JSON is that of an empty one.
fn print_missing_index(args: &StatusArgs, home: &Home) -> Result<Found> {
    writeln!(
        notes::stderr(),
        "there is no index yet\nhint: the first `session-search search` makes it"
    )?;
    if args.json {
        let report = StatusReport {
            root: &home.root,
            status: &IndexStatus::default(),
        };
        json::print(&report.json())?;
    }
    Ok(Found::Nothing)
}
