//! `files` and `commands`: turns by what they touched and ran.

use crate::CommandOutcome;
use crate::args::{CommandsArgs, FilesArgs, TurnListingArgs};
use crate::output::terminal_width;
use crate::shared::filtered_history::FilteredHistory;
use anyhow::{Result, bail};
use session_core::pasted_path_readings;
use session_core::text::file_name;
use session_display::{Note, SessionIds, fit_line, pluralize, sanitize_line};
use session_output::{
    EVERYTHING, PrintedFinding, SearchedScope, TurnListing, format_same_filters, quote_word,
};
use session_query::{FailedCommandSearch, Snapshot};
use session_search::{
    CommandPattern, FoundCommand, FoundTurn, LinePattern, find_change_turns, find_command_turns,
    find_file_turns,
};

/// Most columns of what was searched for in the note that it was not found.
const MAX_TYPED_COLUMNS: usize = 48;

/// Runs `files`.
pub fn run_files(args: &FilesArgs) -> Result<CommandOutcome> {
    let is_filtered = args.changed || args.listed.filter.is_given();
    let path = read_pattern(args.path.as_deref(), is_filtered, "files")?;
    let history = FilteredHistory::open(&args.listed.filter)?;
    let Snapshot { index, sessions } = &history.refreshed.snapshot;
    let filter = &history.resolved.search_filter;
    let (matching, did) = if args.changed {
        (find_change_turns(index, sessions, filter, path)?, "changed")
    } else {
        let turns = find_file_turns(index, sessions, filter, path)?;
        (turns, "read or changed")
    };
    let commands = if matching.is_empty() {
        history.find_runs_that_name(path)?
    } else {
        None
    };
    history.print_listing(path, &matching, &args.listed, |scope| {
        let quoted = quote_typed(path, "a file");
        match &commands {
            Some(hint) => {
                let nothing = format!("no turn {did} {quoted}");
                scope.format_nothing(&nothing).with_hint(hint)
            }
            None => {
                scope.format_nothing(&format!("no turn {did} {quoted} and no command names it"))
            }
        }
    })
}

/// Runs `commands`.
pub fn run_commands(args: &CommandsArgs) -> Result<CommandOutcome> {
    let is_filtered = args.failed || args.listed.filter.is_given();
    let typed = read_pattern(args.pattern.as_deref(), is_filtered, "commands")?;
    let history = FilteredHistory::open(&args.listed.filter)?;
    if args.failed {
        return history.list_failed_commands(typed, args);
    }
    let pattern = CommandPattern {
        line: &LinePattern::new(typed),
        only_failed: false,
    };
    let matching = history.find_commands(pattern)?;
    let apart = if matching.is_empty() {
        history.find_runs_of_words(typed)?
    } else {
        None
    };
    let nothing = format!("no turn ran {}", quote_typed(typed, "a command"));
    history.print_listing(typed, &matching, &args.listed, |scope| {
        scope.format_nothing(&nothing).with_hints(apart)
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
    /// Lists the runs that failed. Searches that only found nothing are left out where neither they nor all are asked for.
    fn list_failed_commands(&self, typed: &str, args: &CommandsArgs) -> Result<CommandOutcome> {
        let search = FailedCommandSearch {
            line: &LinePattern::new(typed),
            filter: &self.resolved.search_filter,
            skips_empty_searches: typed == EVERYTHING && !args.all,
            max_followed: args.listed.limit,
        };
        let Snapshot { index, sessions } = &self.refreshed.snapshot;
        let found = search.find(index, sessions)?;
        let listing = TurnListing {
            empty_searches: Some(found.empty_searches),
            ..self.make_listing(typed, &found.turns, &args.listed)
        };
        self.print_turns(&listing, args.listed.json, |scope| {
            let nothing = format!("no run of {} failed", quote_typed(typed, "a command"));
            let note = scope.format_nothing(&nothing);
            match found.empty_searches {
                0 => note,
                1 => note.with_hint("1 run only found nothing; --all lists it"),
                count => {
                    note.with_hint(format!("{count} runs only found nothing; --all lists them"))
                }
            }
        })
    }

    /// Finds the turns that ran a command.
    fn find_commands(
        &self,
        wanted: CommandPattern<'_>,
    ) -> Result<Vec<FoundTurn<Vec<FoundCommand>>>> {
        let Snapshot { index, sessions } = &self.refreshed.snapshot;
        let filter = &self.resolved.search_filter;
        Ok(find_command_turns(index, sessions, filter, wanted)?)
    }

    /// Returns the command that lists the runs in whose lines a file is named, with their number; `None` if there are
    /// none. What a shell did to a file is known by its command line alone.
    fn find_runs_that_name(&self, path: &str) -> Result<Option<String>> {
        let path = pasted_path_readings(path).last().copied().unwrap_or(path);
        let name = Some(file_name(path)).filter(|name| *name != path && !name.is_empty());
        let names = [Some(path), name].into_iter().flatten();
        for name in names.filter(|name| !name.trim().is_empty()) {
            let runs = self.count_runs(name)?;
            if runs.is_some() {
                return Ok(runs);
            }
        }
        Ok(None)
    }

    /// Returns the command that lists the runs which have all words of a pattern in their order, whatever stands between them,
    /// with their number; `None` if there are none.
    fn find_runs_of_words(&self, pattern: &str) -> Result<Option<String>> {
        let words = pattern.split(|c: char| c.is_whitespace() || c == '*');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        match words[..] {
            [_, _, ..] => self.count_runs(&words.join(" * ")),
            _ => Ok(None),
        }
    }

    /// Returns the command that lists the runs of a pattern, with their number; `None` if there are none.
    fn count_runs(&self, pattern: &str) -> Result<Option<String>> {
        let wanted = CommandPattern {
            line: &LinePattern::new(pattern),
            only_failed: false,
        };
        let turns = self.find_commands(wanted)?;
        let runs: usize = turns.iter().map(|turn| turn.found.len()).sum();
        let pattern = quote_word(&sanitize_line(pattern));
        let (runs, filters) = (pluralize(runs, "run"), format_same_filters(&self.resolved));
        let hint = format!("`session-search commands {pattern}`{filters} has {runs}");
        Ok((!turns.is_empty()).then_some(hint))
    }

    /// Prints the turns in which something was found; where there are none, what `otherwise` says of the sessions that
    /// were searched.
    fn print_listing<T: PrintedFinding>(
        &self,
        wanted: &str,
        matching: &[FoundTurn<Vec<T>>],
        args: &TurnListingArgs,
        otherwise: impl FnOnce(&SearchedScope) -> Note,
    ) -> Result<CommandOutcome> {
        let listing = self.make_listing(wanted, matching, args);
        self.print_turns(&listing, args.json, otherwise)
    }

    fn make_listing<'a, T>(
        &'a self,
        wanted: &'a str,
        matching: &'a [FoundTurn<Vec<T>>],
        args: &TurnListingArgs,
    ) -> TurnListing<'a, T> {
        TurnListing {
            wanted,
            matching,
            empty_searches: None,
            ids: SessionIds::new(&self.refreshed.snapshot.sessions),
            left_out: &self.resolved.excluded_callers,
            is_complete: self.refreshed.is_complete,
            limit: args.limit,
            width: terminal_width(),
        }
    }

    fn print_turns<T: PrintedFinding>(
        &self,
        listing: &TurnListing<'_, T>,
        as_json: bool,
        otherwise: impl FnOnce(&SearchedScope) -> Note,
    ) -> Result<CommandOutcome> {
        let is_missing = listing.matching.is_empty();
        let missing = is_missing.then(|| self.explain_no_match(otherwise));
        self.print(
            missing.as_ref(),
            as_json,
            |hints| listing.to_json(hints),
            || listing.format(),
        )?;
        Ok(CommandOutcome::from_found(!is_missing))
    }
}
