//! `files` and `commands`: turns by what they touched and ran.

use crate::CommandOutcome;
use crate::args::{CommandsArgs, FilesArgs, TurnListingArgs};
use crate::command::filtered_history::FilteredHistory;
use crate::output::terminal_width;
use anyhow::{Result, bail};
use session_core::read_pasted_path;
use session_core::text::file_name;
use session_display::{Note, SessionIds, fit_line, pluralize, sanitize_line};
use session_output::{PrintedFinding, SearchedScope, TurnListing, quote_word};
use session_query::Snapshot;
use session_search::{CommandPattern, FoundCommand, FoundTurn, LinePattern, find_file_turns};

/// Most columns of what was searched for in the note that it was not found.
const MAX_TYPED_COLUMNS: usize = 48;

/// The pattern that all files and commands match.
const EVERYTHING: &str = "*";

/// Runs `files`.
pub fn run_files(args: &FilesArgs) -> Result<CommandOutcome> {
    let path = read_pattern(args.path.as_deref(), args.listed.filter.is_given(), "files")?;
    let history = FilteredHistory::open(&args.listed.filter)?;
    let Snapshot { index, sessions } = &history.refreshed.snapshot;
    let matching = find_file_turns(index, sessions, &history.resolved.filter, path)?;
    let commands = if matching.is_empty() {
        history.find_runs_that_name(path)?
    } else {
        None
    };
    history.print_listing(path, &matching, &args.listed, |scope| {
        let quoted = quote_typed(path, "a file");
        match &commands {
            Some(hint) => {
                let nothing = format!("no turn read or changed {quoted}");
                scope.format_nothing(&nothing).with_hint(hint)
            }
            None => scope.format_nothing(&format!(
                "no turn read or changed {quoted} and no command names it"
            )),
        }
    })
}

/// Runs `commands`.
pub fn run_commands(args: &CommandsArgs) -> Result<CommandOutcome> {
    let is_filtered = args.failed || args.listed.filter.is_given();
    let typed = read_pattern(args.pattern.as_deref(), is_filtered, "commands")?;
    let wanted = CommandPattern {
        line: &LinePattern::new(typed),
        failed: args.failed,
    };
    let history = FilteredHistory::open(&args.listed.filter)?;
    let matching = history.find_commands(wanted)?;
    let command = quote_typed(typed, "a command");
    let nothing = if args.failed {
        format!("no run of {command} failed")
    } else {
        format!("no turn ran {command}")
    };
    history.print_listing(typed, &matching, &args.listed, |scope| {
        scope.format_nothing(&nothing)
    })
}

/// Returns the pattern that was typed; without one, all that a filter lets through is listed.
fn read_pattern<'a>(typed: Option<&'a str>, is_filtered: bool, command: &str) -> Result<&'a str> {
    match typed {
        Some(typed) => Ok(typed),
        None if is_filtered => Ok(EVERYTHING),
        None => bail!(
            "what to look for is missing\nhint: `session-search {command} '*'` lists all; \
             --session, --project and --days narrow it"
        ),
    }
}

/// Quotes what was searched for; `otherwise` stands for a text that all have.
fn quote_typed(typed: &str, otherwise: &str) -> String {
    match fit_line(typed, MAX_TYPED_COLUMNS) {
        text if text.is_empty() || text == EVERYTHING => otherwise.to_owned(),
        text => format!("`{text}`"),
    }
}

impl FilteredHistory {
    /// Finds the turns that ran a command.
    fn find_commands(
        &self,
        wanted: CommandPattern<'_>,
    ) -> Result<Vec<FoundTurn<Vec<FoundCommand>>>> {
        let Snapshot { index, sessions } = &self.refreshed.snapshot;
        let filter = &self.resolved.filter;
        Ok(FoundCommand::find_turns(index, sessions, filter, wanted)?)
    }

    /// Returns the command that lists the runs in whose lines a file is named, with their number; `None` where there are
    /// none. What a shell did to a file is known by its command line alone.
    fn find_runs_that_name(&self, path: &str) -> Result<Option<String>> {
        let path = read_pasted_path(path).last().copied().unwrap_or(path);
        let name = Some(file_name(path)).filter(|name| *name != path && !name.is_empty());
        let names = [Some(path), name].into_iter().flatten();
        for name in names.filter(|name| !name.trim().is_empty()) {
            let wanted = CommandPattern {
                line: &LinePattern::new(name),
                failed: false,
            };
            let turns = self.find_commands(wanted)?;
            let runs: usize = turns.iter().map(|turn| turn.found.len()).sum();
            if runs > 0 {
                let (name, runs) = (quote_word(&sanitize_line(name)), pluralize(runs, "run"));
                return Ok(Some(format!("`session-search commands {name}` has {runs}")));
            }
        }
        Ok(None)
    }

    /// Prints the turns in which something was found; where there are none, what `explain_nothing` says of the sessions that
    /// were searched.
    fn print_listing<T: PrintedFinding>(
        &self,
        wanted: &str,
        matching: &[FoundTurn<Vec<T>>],
        args: &TurnListingArgs,
        explain_nothing: impl FnOnce(&SearchedScope) -> Note,
    ) -> Result<CommandOutcome> {
        let listing = TurnListing {
            wanted,
            matching,
            ids: SessionIds::new(&self.refreshed.snapshot.sessions),
            left_out: &self.resolved.left_out,
            is_complete: self.refreshed.is_complete,
            limit: args.limit,
            width: terminal_width(),
        };
        let missing = matching
            .is_empty()
            .then(|| self.explain_nothing(explain_nothing));
        self.print(
            missing.as_ref(),
            args.json,
            |hints| listing.to_json(hints),
            || listing.format(),
        )?;
        Ok(CommandOutcome::from_found(missing.is_none()))
    }
}
