//! `history`: turns by the files they accessed or changed, the commands they ran, the errors they met or cured.

use crate::answer::{ItemList, ToolAnswer, title_suffix};
use crate::arguments::{HistoryArguments, HistoryKind, clamp_limit, clamp_offset};
use crate::call_error::CallError;
use crate::filter_arguments::FilterArguments;
use crate::fix_items;
use crate::index_view::{CallFilter, CallScope, IndexView};
use session_core::{AccessedFile, FileAccess, TurnAddress};
use session_display::{
    Note, fit_line, format_day, format_matched_line, pluralize, project_label, sanitize_line,
};
use session_query::{InvalidFilter, ResolvedQuery, TypedQuery};
use session_search::{
    CommandPattern, FilterClause, FoundCommand, FoundTurn, LinePattern, SearchFilter,
    find_change_turns, find_command_turns, find_error_turns, find_file_turns,
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
    /// The pattern as typed, and without the filters that may be typed in it; the same with the tags that an answer escaped.
    /// Each counts where those before it find nothing: a command or an error may have the form of a filter in it.
    readings: Vec<HistoryReading<'a>>,
    invalid_filters: Vec<InvalidFilter>,
    /// The note on an argument that does not count.
    ignored: Option<&'static str>,
}

/// One way to read the pattern of a call.
pub(crate) struct HistoryReading<'a> {
    pub(crate) arguments: &'a HistoryArguments,
    /// The pattern, with the filters that were read in it.
    pub(crate) query: TypedQuery,
    pub(crate) filter: CallFilter,
    pattern: LinePattern,
}

/// The answer by one reading of a pattern.
struct ReadingAnswer {
    answer: ToolAnswer,
    /// True where the reading finds some turns or cures, if only before the page.
    has_items: bool,
}

/// The turns or cures that a reading of a pattern finds.
#[derive(Debug, Default)]
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
    /// The next call, where it is another than [`HistoryReading::format_next_call`] finds.
    pub(crate) next: Option<String>,
}

impl<'a> HistoryCall<'a> {
    /// Reads a call.
    ///
    /// # Errors
    /// When the pattern is empty and nothing else narrows the list, the argument `since` is no time, or times contradict
    /// each other.
    pub(crate) fn new(arguments: &'a HistoryArguments) -> Result<Self, CallError> {
        let pattern = match arguments.pattern.trim() {
            "" if !may_list_all(arguments) => {
                let note = Note::new("`pattern` is empty");
                let hint = describe_missing_pattern(arguments.what);
                return Err(CallError::Invalid(note.with_hint(hint)));
            }
            "" => "",
            _ => arguments.pattern.as_str(),
        };
        let given = FilterArguments::from(arguments).clauses()?;
        let unescaped = pattern.replace("&lt;", "<");
        let mut call = Self {
            readings: Vec::new(),
            invalid_filters: Vec::new(),
            ignored: describe_ignored(arguments),
        };
        call.push_readings(arguments, pattern, &given)?;
        if unescaped != pattern {
            call.push_readings(arguments, &unescaped, &given)?;
        }
        Ok(call)
    }

    /// Appends the readings of a pattern, with the clauses of the arguments.
    fn push_readings(
        &mut self,
        arguments: &'a HistoryArguments,
        pattern: &str,
        given: &[FilterClause],
    ) -> Result<(), CallError> {
        let query = ResolvedQuery::parse(pattern)?;
        let typed = TypedQuery {
            text: pattern.to_owned(),
            ..TypedQuery::default()
        };
        let reading = HistoryReading::new(arguments, typed, given.to_vec());
        self.readings.push(reading);
        if !query.clauses.is_empty() {
            let clauses = [given, query.clauses.as_slice()].concat();
            let reading = HistoryReading::new(arguments, TypedQuery::parse(pattern), clauses);
            self.readings.push(reading);
        }
        self.invalid_filters = query.invalid_filters;
        Ok(())
    }

    /// Lists the turns of the first reading that finds some.
    ///
    /// # Errors
    /// When the index fails, or a session is not there.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let mut answer = ToolAnswer::default();
        for reading in &self.readings {
            let read = reading.answer(view)?;
            answer = read.answer;
            answer.notes.extend(self.ignored.map(str::to_owned));
            // An offset may be behind the end of what was found: another reading is another list.
            if read.has_items || !answer.data.as_str().is_empty() {
                return Ok(answer);
            }
        }
        let notes = self.invalid_filters.iter().map(InvalidFilter::note);
        answer.notes.extend(notes);
        Ok(answer)
    }
}

/// Returns true if a call without a pattern is narrowed otherwise, as on the command line. A cure is of an error.
fn may_list_all(arguments: &HistoryArguments) -> bool {
    let is_filtered = FilterArguments::from(arguments).is_given() || arguments.failed;
    is_filtered && arguments.what != HistoryKind::Fixes
}

fn describe_missing_pattern(what: HistoryKind) -> &'static str {
    match what {
        HistoryKind::Fixes => {
            "write the line that says what failed; `what`: \"errors\" with * lists such lines"
        }
        _ => "write part of a path, command or error; * lists all",
    }
}

/// Notes an argument that counts only for another kind of act.
pub(crate) fn describe_ignored(arguments: &HistoryArguments) -> Option<&'static str> {
    if arguments.failed && arguments.what != HistoryKind::Commands {
        Some("`failed` is for commands and does not count here")
    } else if arguments.command.is_some() && arguments.what != HistoryKind::Fixes {
        Some(
            "`command` is for fixes and does not count here; `pattern` is what commands are found by",
        )
    } else {
        None
    }
}

impl<'a> HistoryReading<'a> {
    fn new(arguments: &'a HistoryArguments, query: TypedQuery, clauses: Vec<FilterClause>) -> Self {
        Self {
            arguments,
            filter: CallFilter {
                clauses,
                session: arguments.session.clone(),
            },
            pattern: LinePattern::new(&query.text),
            query,
        }
    }

    /// Lists what the call asks for.
    fn answer(&self, view: IndexView<'_>) -> Result<ReadingAnswer, CallError> {
        let limit = clamp_limit(self.arguments.limit, LIMIT, MAX_LIMIT);
        let CallScope { filter, callers } = view.resolve_work_scope(&self.filter)?;
        let found = self.find(&filter, self.offset() + limit, view)?;
        let mut listing = ItemList::default();
        for item in found.items.iter().skip(self.offset()) {
            if !listing.push(item) {
                break;
            }
        }
        let mut notes = view.format_caller_notes(&callers);
        let unmet = match found.turns {
            0 => view.find_unmet_clause(&self.filter.clauses),
            _ => None,
        };
        let has_items = !found.items.is_empty() || found.next.is_some();
        let dropped = unmet.as_ref().map(|unmet| &unmet.clause);
        let next = found.next;
        let next = next.unwrap_or_else(|| self.format_next_call(found.first, dropped));
        let unmet = unmet.and_then(|unmet| view.format_unmet_clause(&unmet));
        let (unmet, hint) = unmet.map(|unmet| (unmet.note, unmet.hint)).unzip();
        let data = hint.unwrap_or(listing.data);
        let note = unmet.or(found.note);
        notes.extend(note.or_else(|| self.format_count_note(listing.count, found.found)));
        Ok(ReadingAnswer {
            has_items,
            answer: ToolAnswer {
                notes,
                next: Some(next),
                data,
                ..ToolAnswer::default()
            },
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
                let turns = find_file_turns(index, sessions, filter, &self.query.text)?;
                Ok(self.format_turns(&turns, limit, view, format_file))
            }
            HistoryKind::Edits => {
                let turns = find_change_turns(index, sessions, filter, &self.query.text)?;
                Ok(self.format_turns(&turns, limit, view, format_file))
            }
            HistoryKind::Commands => {
                let pattern = CommandPattern {
                    line: &self.pattern,
                    only_failed: self.arguments.failed,
                };
                let turns = find_command_turns(index, sessions, filter, pattern)?;
                let format = |command: &_| format_command(command, &self.pattern);
                Ok(self.format_turns(&turns, limit, view, format))
            }
            HistoryKind::Errors => {
                let turns = find_error_turns(index, sessions, filter, &self.pattern)?;
                let format = |line: &String| format_matched_line(line, &self.pattern, COLUMNS);
                Ok(self.format_turns(&turns, limit, view, format))
            }
            HistoryKind::Fixes => fix_items::find_fixes(self, filter, limit, view),
            // Its call is another.
            HistoryKind::Digest => Ok(HistoryItems::default()),
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
            first: turns.get(self.offset()).or(turns.first()).map(address),
            note: turns.is_empty().then(|| self.format_nothing_found()),
            next: None,
        }
    }

    /// Returns the number of turns or cures before this page.
    pub(crate) fn offset(&self) -> usize {
        clamp_offset(self.arguments.offset)
    }

    /// Says which of what was found is listed, and the call for the rest.
    fn format_count_note(&self, shown: usize, found: usize) -> Option<String> {
        let unit = match self.arguments.what {
            HistoryKind::Fixes => "cure",
            _ => "turn",
        };
        let all = pluralize(found, unit);
        let (offset, end) = (self.offset(), self.offset() + shown);
        let which = match offset {
            0 => format!("the first {shown} of {all}"),
            _ if shown == 0 => format!("no more than {all}"),
            _ => format!("{} to {end} of {all}", offset + 1),
        };
        let has_rest = shown > 0 && end < found;
        let rest = has_rest.then(|| format!("{which}; the rest: {}", self.format_page_call(end)));
        rest.or_else(|| (offset > 0).then_some(which))
    }

    fn format_nothing_found(&self) -> String {
        let what = self.arguments.what.name();
        let that_failed = if self.arguments.failed && self.arguments.what == HistoryKind::Commands {
            " that failed"
        } else {
            ""
        };
        let hint = if self.is_filtered() {
            "; the filters may be too narrow"
        } else {
            ""
        };
        format!("no turn has such {what}{that_failed}{hint}")
    }

    pub(crate) fn is_filtered(&self) -> bool {
        !self.filter.clauses.is_empty() || self.filter.session.is_some()
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

fn format_file(file: &AccessedFile) -> String {
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
    fn what_failed_is_said_behind_a_command() {
        let pattern = LinePattern::new("harbour * --lamp");
        let line = |command: &str| {
            let command = FoundCommand {
                command: command.to_owned(),
                status: CallStatus::Failed,
                ..FoundCommand::default()
            };
            format_command(&command, &pattern)
        };
        let shown = line(&format!("harbour --lamp {}", "&& cd quay ".repeat(40)));
        assert!(shown.ends_with("… (failed)"), "{shown}");
        assert!(shown.chars().count() <= COLUMNS, "{shown}");
        assert_eq!(line("harbour --lamp"), "$ harbour --lamp (failed)");
    }
}
