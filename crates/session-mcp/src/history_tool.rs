//! `history`: turns by the files they accessed, the commands they ran, the errors they met or cured.

use crate::answer::{ItemList, ToolAnswer, format_call, title_suffix};
use crate::arguments::{HistoryArguments, HistoryKind, clamp_limit};
use crate::call_error::CallError;
use crate::fix_items;
use crate::index_view::{CallFilter, CallScope, IndexView, parse_argument_clauses};
use session_core::{FileAccess, TouchedFile, TurnAddress, TurnContent};
use session_display::{fit_line, format_day, format_matched_line, project_label, sanitize_line};
use session_query::{InvalidFilter, ResolvedQuery};
use session_search::{
    CommandPattern, FilterClause, FoundCommand, FoundTurn, LinePattern, SearchFilter,
    find_file_turns, find_matching_errors, find_turns,
};
use session_store::SessionRow;

/// Turns where the call does not say how many, and the most that it gets.
pub(crate) const LIMIT: usize = 20;
pub(crate) const MAX_LIMIT: usize = 100;
/// Most lines of a turn, and most columns of one.
pub(crate) const MAX_LINES: usize = 5;
pub(crate) const COLUMNS: usize = 200;
const TITLE_COLUMNS: usize = 60;

/// A call of `history`, read.
pub(crate) struct HistoryCall<'a> {
    /// The pattern as typed, and without the filters that may be typed in it. The second counts where the first finds
    /// nothing: a command or an error may have the form of a filter in it.
    readings: Vec<HistoryReading<'a>>,
    invalid_filters: Vec<InvalidFilter>,
}

/// One way to read the pattern of a call.
pub(crate) struct HistoryReading<'a> {
    pub(crate) arguments: &'a HistoryArguments,
    /// The pattern without the filters that were read in it.
    pub(crate) text: String,
    pub(crate) filter: CallFilter,
    pattern: LinePattern,
}

/// The turns or cures that a reading of a pattern finds.
pub(crate) struct HistoryItems {
    /// The first of them, formatted, at most as many as the call asks for.
    pub(crate) items: Vec<String>,
    /// Number of turns or cures that were found.
    pub(crate) found: usize,
    /// Number of turns that match; where there is none, a filter may be the reason.
    pub(crate) turns: usize,
    /// The turn that the next call shows.
    pub(crate) first: Option<TurnAddress>,
    /// The reason why there are no turns, or no cures.
    pub(crate) note: Option<String>,
}

impl<'a> HistoryCall<'a> {
    /// Reads a call.
    ///
    /// # Errors
    /// When the pattern is empty, the argument `since` is no time, or times contradict each other.
    pub(crate) fn new(arguments: &'a HistoryArguments) -> Result<Self, CallError> {
        if arguments.pattern.trim().is_empty() {
            return Err(CallError::Invalid(
                "`pattern` is empty\nhint: write part of a path, command or error".to_owned(),
            ));
        }
        let query = ResolvedQuery::parse(&arguments.pattern)?;
        let given =
            parse_argument_clauses(arguments.project.as_deref(), arguments.since.as_deref())?;
        let mut readings = vec![HistoryReading::new(
            arguments,
            &arguments.pattern,
            given.clone(),
        )];
        if !query.clauses.is_empty() {
            let clauses = [given, query.clauses].concat();
            readings.push(HistoryReading::new(arguments, &query.text, clauses));
        }
        Ok(Self {
            readings,
            invalid_filters: query.invalid_filters,
        })
    }

    /// Lists the turns of the first reading that finds some.
    ///
    /// # Errors
    /// When the index fails, or a session is not there.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let mut answer = ToolAnswer::default();
        for reading in &self.readings {
            answer = reading.answer(view)?;
            if !answer.data.as_str().is_empty() {
                return Ok(answer);
            }
        }
        let notes = self.invalid_filters.iter().map(InvalidFilter::note);
        answer.notes.extend(notes);
        Ok(answer)
    }
}

impl<'a> HistoryReading<'a> {
    fn new(arguments: &'a HistoryArguments, text: &str, clauses: Vec<FilterClause>) -> Self {
        Self {
            arguments,
            text: text.to_owned(),
            filter: CallFilter {
                clauses,
                session: arguments.session.clone(),
            },
            pattern: LinePattern::new(text),
        }
    }

    /// Lists what the call asks for.
    fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let limit = clamp_limit(self.arguments.limit, LIMIT, MAX_LIMIT);
        let CallScope { filter, callers } = view.resolve_work_scope(&self.filter)?;
        let found = self.find(&filter, limit, view)?;
        let mut listing = ItemList::default();
        for item in &found.items {
            if !listing.push(item) {
                break;
            }
        }
        let mut notes = view.format_caller_notes(&callers);
        let unmet = match found.turns {
            0 => view.format_unmet_filter_note(&self.filter.clauses),
            _ => None,
        };
        let (unmet, hint) = unmet.map(|unmet| (unmet.note, unmet.hint)).unzip();
        let data = hint.unwrap_or(listing.data);
        let note = unmet.or(found.note);
        notes.extend(note.or_else(|| self.format_count_note(listing.count, found.found, limit)));
        Ok(ToolAnswer {
            notes,
            next: Some(self.format_next_call(found.first)),
            data,
            ..ToolAnswer::default()
        })
    }

    /// Finds the turns or cures that the call asks for, and formats the first `limit` of them.
    fn find(
        &self,
        filter: &SearchFilter,
        limit: usize,
        view: IndexView<'_>,
    ) -> Result<HistoryItems, CallError> {
        let (index, sessions) = (&view.snapshot.index, view.sessions());
        match self.arguments.what {
            HistoryKind::Files => {
                let turns = find_file_turns(index, sessions, filter, &self.text)?;
                Ok(self.format_turns(&turns, limit, view, format_file))
            }
            HistoryKind::Commands => {
                let pattern = CommandPattern {
                    line: &self.pattern,
                    failed: self.arguments.failed,
                };
                let turns = FoundCommand::find_turns(index, sessions, filter, pattern)?;
                let format = |command: &_| format_command(command, &self.pattern);
                Ok(self.format_turns(&turns, limit, view, format))
            }
            HistoryKind::Errors => {
                let visit = |_: &SessionRow, content: &TurnContent| {
                    find_matching_errors(content, &self.pattern)
                };
                let turns = find_turns(index, sessions, filter, visit)?;
                let format = |line: &String| format_matched_line(line, &self.pattern, COLUMNS);
                Ok(self.format_turns(&turns, limit, view, format))
            }
            HistoryKind::Fixes => fix_items::find_fixes(self, filter, limit, view),
        }
    }

    /// Formats the first `limit` turns, each with the lines for which it is listed.
    fn format_turns<T>(
        &self,
        turns: &[FoundTurn<Vec<T>>],
        limit: usize,
        view: IndexView<'_>,
        format: impl Fn(&T) -> String,
    ) -> HistoryItems {
        let items = turns.iter().take(limit);
        let address = |turn: &FoundTurn<_>| view.turn_address(&turn.session, turn.turn.index);
        HistoryItems {
            items: items.map(|turn| format_item(turn, view, &format)).collect(),
            found: turns.len(),
            turns: turns.len(),
            first: turns.first().map(address),
            note: turns.is_empty().then(|| self.format_nothing_found()),
        }
    }

    fn format_count_note(&self, shown: usize, found: usize, limit: usize) -> Option<String> {
        let unit = match self.arguments.what {
            HistoryKind::Fixes => "cures",
            _ => "turns",
        };
        let hint = format_more_hint(shown, limit);
        (shown < found).then(|| format!("the first {shown} of {found} {unit}; {hint}"))
    }

    fn format_nothing_found(&self) -> String {
        let what = self.arguments.what.name();
        let that_failed = if self.arguments.failed && self.arguments.what == HistoryKind::Commands {
            " that failed"
        } else {
            ""
        };
        let hint = if self.filter.clauses.is_empty() && self.filter.session.is_none() {
            ""
        } else {
            "; the filters may be too narrow"
        };
        format!("no turn has such {what}{that_failed}{hint}")
    }

    fn format_next_call(&self, first: Option<TurnAddress>) -> String {
        let pattern = self.arguments.pattern.as_str();
        match first {
            Some(first) => format_call("show", &[("id", first.to_string().into())]),
            None => format_call(
                "search",
                &[("query", pattern.into()), ("level", "turn".into())],
            ),
        }
    }
}

/// Formats how more than the `shown` items of at most `limit` are listed.
fn format_more_hint(shown: usize, limit: usize) -> String {
    if shown == limit && limit < MAX_LIMIT {
        format!("`limit` is at most {MAX_LIMIT}")
    } else {
        "a longer pattern, `project` or `since` narrows them".to_owned()
    }
}

/// Formats the line above what was found in a turn.
pub(crate) fn format_turn_heading(
    session: &SessionRow,
    turn: u32,
    time_ms: Option<i64>,
    view: IndexView<'_>,
) -> String {
    format!(
        "{}  {}  {}{}",
        view.turn_address(session, turn),
        format_day(time_ms),
        sanitize_line(project_label(session)),
        title_suffix(session, TITLE_COLUMNS)
    )
}

/// Formats a turn with what was found in it.
fn format_item<T>(
    found: &FoundTurn<Vec<T>>,
    view: IndexView<'_>,
    format: impl Fn(&T) -> String,
) -> String {
    let (session, turn) = (&found.session, found.turn.index);
    let mut out = format_turn_heading(session, turn, found.time_ms(), view);
    for item in found.found.iter().take(MAX_LINES) {
        out.push_str(&format!("\n   {}", fit_line(&format(item), COLUMNS)));
    }
    if let more @ 1.. = found.found.len().saturating_sub(MAX_LINES) {
        out.push_str(&format!("\n   and {more} more"));
    }
    out
}

fn format_file(file: &TouchedFile) -> String {
    let access = match file.access {
        FileAccess::Read => "read",
        FileAccess::Edited => "edited",
        FileAccess::Written => "wrote",
    };
    format!("{access} {}", file.path)
}

/// Formats a command as one line, from before the text that matched where that is far from its beginning.
fn format_command(command: &FoundCommand, pattern: &LinePattern) -> String {
    let end = command.status.format_suffix();
    let columns = COLUMNS - end.len() - 2;
    format!(
        "$ {}{end}",
        format_matched_line(&command.command, pattern, columns)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::CallStatus;

    #[test]
    fn a_long_command_is_shown_around_what_matched() {
        let pattern = LinePattern::new("harbour * --lamp");
        let line = |command: &str| {
            let command = command.to_owned();
            let status = CallStatus::Failed;
            format_command(&FoundCommand { command, status }, &pattern)
        };
        let long = "cd quay && ".repeat(40);
        let shown = line(&format!("{long}harbour build --lamp\n{long}"));
        assert!(shown.starts_with("$ …"), "{shown}");
        assert!(shown.contains("harbour build --lamp"), "{shown}");
        assert!(shown.ends_with("… (failed)"), "{shown}");
        assert!(shown.chars().count() <= COLUMNS, "{shown}");
        assert_eq!(line("harbour --lamp"), "$ harbour --lamp (failed)");
        let head = line(&format!("harbour {long} --lamp"));
        assert!(head.starts_with("$ harbour cd quay"), "{head}");
    }
}
