//! `history`: turns by the files they accessed, the commands they ran, the errors they met or cured.

use crate::answer::{ItemList, ToolAnswer, format_call, title_suffix};
use crate::arguments::{HistoryArguments, HistoryKind, clamp_limit};
use crate::call_error::CallError;
use crate::fix_items;
use crate::index_view::{CallFilter, CallScope, IndexView, parse_argument_clauses};
use session_core::{FileAccess, TurnAddress, TurnContent};
use session_display::{fit_line, format_day, format_matched_line, project_label, sanitize_line};
use session_query::{InvalidFilter, ResolvedQuery};
use session_search::{
    CommandPattern, FilterClause, FoundCommand, FoundFile, FoundTurn, LinePattern, SearchFilter,
    find_matching_errors, find_turns,
};
use session_store::SessionRow;

/// Turns where the call does not say how many, and the most that it gets.
pub(crate) const LIMIT: usize = 20;
pub(crate) const MAX_LIMIT: usize = 100;
/// Most lines of a turn, and most columns of one.
pub(crate) const MAX_LINES: usize = 5;
pub(crate) const COLUMNS: usize = 200;
pub(crate) const TITLE_COLUMNS: usize = 60;

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
        match self.arguments.what {
            HistoryKind::Files => {
                self.list_turns(limit, view, |filter| self.find_file_turns(filter, view))
            }
            HistoryKind::Commands => {
                self.list_turns(limit, view, |filter| self.find_command_turns(filter, view))
            }
            HistoryKind::Errors => {
                self.list_turns(limit, view, |filter| self.find_error_turns(filter, view))
            }
            HistoryKind::Fixes => fix_items::list_fixes(self, limit, view),
        }
    }

    /// Lists the turns that `find` finds, with the lines for which they are listed.
    fn list_turns(
        &self,
        limit: usize,
        view: IndexView<'_>,
        find: impl Fn(&SearchFilter) -> Result<Vec<FoundTurn<Vec<String>>>, CallError>,
    ) -> Result<ToolAnswer, CallError> {
        let CallScope { filter, callers } = view.resolve_work_scope(&self.filter)?;
        let found = find(&filter)?;
        let mut listing = ItemList::default();
        for turn in found.iter().take(limit) {
            if !listing.push(&format_item(turn, view)) {
                break;
            }
        }
        let mut notes = view.format_caller_notes(&callers);
        let unmet = if found.is_empty() {
            view.format_unmet_filter_note(&self.filter.clauses)
        } else {
            None
        };
        notes.extend(unmet.or_else(|| self.format_count_note(listing.count, found.len(), limit)));
        Ok(ToolAnswer {
            notes,
            next: Some(self.format_next_call(found.first(), view)),
            data: listing.data,
            ..ToolAnswer::default()
        })
    }

    /// Finds the turns that accessed such a file, newest first.
    fn find_file_turns(
        &self,
        filter: &SearchFilter,
        view: IndexView<'_>,
    ) -> Result<Vec<FoundTurn<Vec<String>>>, CallError> {
        let (index, sessions) = (&view.snapshot.index, view.sessions());
        let turns = FoundFile::find_turns(index, sessions, filter, &self.text)?;
        Ok(format_findings(turns, format_file))
    }

    /// Finds the turns that ran such a command, runs of a program before its mentions.
    fn find_command_turns(
        &self,
        filter: &SearchFilter,
        view: IndexView<'_>,
    ) -> Result<Vec<FoundTurn<Vec<String>>>, CallError> {
        let pattern = CommandPattern {
            line: &self.pattern,
            failed: self.arguments.failed,
        };
        let (index, sessions) = (&view.snapshot.index, view.sessions());
        let turns = FoundCommand::find_turns(index, sessions, filter, pattern)?;
        Ok(format_findings(turns, |command| {
            format_command(command, &self.pattern)
        }))
    }

    /// Finds the turns that met such an error, newest first.
    fn find_error_turns(
        &self,
        filter: &SearchFilter,
        view: IndexView<'_>,
    ) -> Result<Vec<FoundTurn<Vec<String>>>, CallError> {
        let visit =
            |_: &SessionRow, content: &TurnContent| find_matching_errors(content, &self.pattern);
        let turns = find_turns(&view.snapshot.index, view.sessions(), filter, visit)?;
        Ok(format_findings(turns, |line| {
            format_matched_line(line, &self.pattern, COLUMNS)
        }))
    }

    fn format_count_note(&self, shown: usize, found: usize, limit: usize) -> Option<String> {
        match found {
            0 => Some(self.format_nothing_found()),
            _ if shown < found => Some(format!(
                "the first {shown} of {found} turns; {}",
                format_more_hint(shown, limit)
            )),
            _ => None,
        }
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

    fn format_next_call(
        &self,
        first: Option<&FoundTurn<Vec<String>>>,
        view: IndexView<'_>,
    ) -> String {
        match first {
            Some(found) => {
                let id =
                    TurnAddress::new(view.short_id(&found.session), found.turn.index).to_string();
                format_call("show", &[("id", id.into())])
            }
            None => {
                let pattern = self.arguments.pattern.as_str();
                format_call(
                    "search",
                    &[("query", pattern.into()), ("level", "turn".into())],
                )
            }
        }
    }
}

/// Formats how more than the `shown` items of at most `limit` are listed.
pub(crate) fn format_more_hint(shown: usize, limit: usize) -> String {
    if shown == limit && limit < MAX_LIMIT {
        format!("`limit` is at most {MAX_LIMIT}")
    } else {
        "a longer pattern, `project` or `since` narrows them".to_owned()
    }
}

fn format_findings<T>(
    turns: Vec<FoundTurn<Vec<T>>>,
    format: impl Fn(&T) -> String,
) -> Vec<FoundTurn<Vec<String>>> {
    let formatted = turns.into_iter().map(|turn| FoundTurn {
        found: turn.found.iter().map(&format).collect(),
        session: turn.session,
        turn: turn.turn,
    });
    formatted.collect()
}

/// Formats a turn with what was found in it.
fn format_item(found: &FoundTurn<Vec<String>>, view: IndexView<'_>) -> String {
    let session = &found.session;
    let mut out = format!(
        "{}  {}  {}{}",
        TurnAddress::new(view.short_id(session), found.turn.index),
        format_day(found.time_ms()),
        sanitize_line(project_label(session)),
        title_suffix(session, TITLE_COLUMNS)
    );
    for text in found.found.iter().take(MAX_LINES) {
        out.push_str(&format!("\n   {}", fit_line(text, COLUMNS)));
    }
    if let more @ 1.. = found.found.len().saturating_sub(MAX_LINES) {
        out.push_str(&format!("\n   and {more} more"));
    }
    out
}

fn format_file(file: &FoundFile) -> String {
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
