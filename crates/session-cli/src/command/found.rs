//! `files` and `commands`: turns by what they touched and ran.

use crate::Found;
use crate::args::{CommandsArgs, FilesArgs, FilterArgs};
use crate::command::fresh::{self, FreshIndex};
use crate::command::{caller, filter};
use crate::output::found::{Finding, FoundCommand, FoundFile, TurnListing};
use crate::output::{json, layout, notes};
use anyhow::Result;
use session_config::Home;
use session_core::{TurnContent, holds_parts, path_matches, text};
use session_search::{Filter, FoundTurn, find_turns};
use session_store::SessionRow;
use std::io::Write;
use std::path::Path;

/// Runs `files`.
///
/// # Errors
/// When the index fails, or a condition cannot be read.
pub fn files(args: &FilesArgs) -> Result<Found> {
    let look = |session: &SessionRow, content: &TurnContent| {
        let files = content.accessed_files();
        let files = files.filter(|file| is_meant(file.path, &args.path, session));
        let found: Vec<FoundFile> = files.map(FoundFile::from).collect();
        (!found.is_empty()).then_some(found)
    };
    print(
        &args.path,
        &met(&args.listed.filter, look)?,
        args.listed.limit,
        args.listed.json,
    )
}

/// Runs `commands`.
///
/// # Errors
/// As [`files`].
pub fn commands(args: &CommandsArgs) -> Result<Found> {
    let pattern = Pattern::of(&args.pattern);
    let look = |_: &SessionRow, content: &TurnContent| {
        let runs = content
            .command_runs()
            .filter(|run| pattern.is_in(run.command));
        let found: Vec<FoundCommand> = runs.map(FoundCommand::from).collect();
        (!found.is_empty()).then_some(found)
    };
    print(
        &args.pattern,
        &met(&args.listed.filter, look)?,
        args.listed.limit,
        args.listed.json,
    )
}

/// True for the file that is asked for. A path that a patch names is one in the session's
/// folder.
fn is_meant(path: &str, wanted: &str, session: &SessionRow) -> bool {
    let matches = |path: &str| path_matches(path, wanted);
    let folder = session
        .cwd
        .as_deref()
        .filter(|_| Path::new(path).is_relative());
    matches(path) || folder.is_some_and(|folder| matches(&format!("{folder}/{path}")))
}

/// Turns in which something was found.
struct Turns<T> {
    met: Vec<FoundTurn<T>>,
    /// All sessions of the index.
    all: Vec<SessionRow>,
    /// Ids of the sessions that this was asked from.
    left_out: Vec<String>,
    /// The index is as the histories are.
    is_complete: bool,
}

/// The turns in which something is found. What subagents did was done, too;
/// what the session that asks does is no find.
fn met<T>(
    args: &FilterArgs,
    look: impl Fn(&SessionRow, &TurnContent) -> Option<T>,
) -> Result<Turns<T>> {
    let home = Home::from_process()?;
    let FreshIndex {
        index,
        all,
        is_complete,
    } = fresh::index(&home)?;
    let mut filter = Filter {
        subagents: true,
        ..filter::read(args, &all)?
    };
    for named in [&mut filter.only, &mut filter.exclude] {
        let rows: Vec<&SessionRow> = all.iter().filter(|s| named.contains(&s.id)).collect();
        *named = caller::with_subagents(&rows, &all);
    }
    let callers = caller::left_out(args, &home, &all);
    filter
        .exclude
        .extend(caller::with_subagents(&callers, &all));
    let left_out = caller::ids(&callers);
    Ok(Turns {
        met: find_turns(&index, &all, &filter, look)?,
        all,
        left_out,
        is_complete,
    })
}

fn print<T: Finding>(
    wanted: &str,
    turns: &Turns<Vec<T>>,
    limit: usize,
    as_json: bool,
) -> Result<Found> {
    let met = &turns.met;
    let listing = TurnListing {
        wanted,
        met,
        all: &turns.all,
        left_out: &turns.left_out,
        is_complete: turns.is_complete,
        limit,
        width: layout::width(),
    };
    if as_json {
        json::print(&listing.json())?;
    } else {
        caller::note(&turns.left_out)?;
    }
    if met.is_empty() {
        writeln!(notes::stderr(), "no turn {} that", T::DID)?;
        return Ok(Found::Nothing);
    }
    if !as_json {
        write!(anstream::stdout(), "{}", listing.text())?;
    }
    Ok(Found::Something)
}

/// Parts of a command that stand in it in this order.
struct Pattern(Vec<String>);

impl Pattern {
    fn of(typed: &str) -> Self {
        let parts = typed.split('*').map(fold);
        Self(parts.filter(|part| !part.is_empty()).collect())
    }

    fn is_in(&self, command: &str) -> bool {
        holds_parts(&fold(command), self.0.iter().map(String::as_str))
    }
}

fn fold(text: &str) -> String {
    text::one_line(text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_pattern_is_a_part_of_a_command() {
        let is_in = |pattern: &str, command: &str| Pattern::of(pattern).is_in(command);
        assert!(is_in("Cargo  test", "cd app && cargo\n test"));
        assert!(is_in("cargo * --release", "cargo build -p a --release"));
        assert!(!is_in("--release * cargo", "cargo build --release"));
        assert!(is_in("", "anything") && is_in("*", "anything"));
    }
}
