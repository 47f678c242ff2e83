//! `history`: turns by the files they accessed, the commands they ran, the errors they met or cured.

use crate::answer::{ItemList, ToolAnswer, format_call, title_suffix};
use crate::arguments::{HistoryArguments, HistoryKind, clamp_limit};
use crate::call_error::CallError;
use crate::fix_items;
use crate::index_view::{CallFilter, IndexView, ResolvedFilter, parse_argument_clauses};
use session_core::{FileAccess, TurnAddress, TurnContent};
use session_display::{fit_line, format_day, format_matched_line, project_label, sanitize_line};
use session_search::{
    FoundCommand, FoundFile, FoundTurn, LinePattern, SearchFilter, find_matching_errors, find_turns,
};
use session_store::SessionRow;

/// Turns where the call does not say how many, and the most that it gets.
const LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;
/// Most lines of a turn, and most columns of one.
pub(crate) const MAX_LINES: usize = 5;
pub(crate) const COLUMNS: usize = 200;
pub(crate) const TITLE_COLUMNS: usize = 60;

/// A call of `history`, read.
pub(crate) struct HistoryCall<'a> {
    arguments: &'a HistoryArguments,
    pattern: LinePattern,
    filter: CallFilter,
}

impl<'a> HistoryCall<'a> {
    /// Reads a call.
    ///
    /// # Errors
    /// When the pattern is empty.
    pub(crate) fn new(arguments: &'a HistoryArguments) -> Result<Self, CallError> {
        if arguments.pattern.trim().is_empty() {
            return Err(CallError::Invalid(
                "`pattern` is empty\nhint: write part of a path, command or error".to_owned(),
            ));
        }
        Ok(Self {
            arguments,
            pattern: LinePattern::new(&arguments.pattern),
            filter: CallFilter {
                clauses: parse_argument_clauses(arguments.project.as_deref(), None)?,
                session: None,
            },
        })
    }

    /// Lists the turns, newest first; of commands those that run the program come first. What subagents did was done,
    /// too.
    ///
    /// # Errors
    /// When the index fails.
    pub(crate) fn answer(&self, view: IndexView<'_>) -> Result<ToolAnswer, CallError> {
        let limit = clamp_limit(self.arguments.limit, LIMIT, MAX_LIMIT);
        if self.arguments.what == HistoryKind::Fixes {
            return fix_items::list_fixes(self.arguments, &self.filter, limit, view);
        }
        let ResolvedFilter { filter, callers } = view.resolve_filter(&self.filter)?;
        let filter = filter.including_subagents(view.sessions());
        let found = match self.arguments.what {
            HistoryKind::Commands => self.find_command_turns(&filter, view)?,
            _ => find_turns(
                &view.snapshot.index,
                view.sessions(),
                &filter,
                |session, content| self.find_lines(session, content),
            )?,
        };
        let mut listing = ItemList::default();
        for turn in found.iter().take(limit) {
            if !listing.push(&format_item(turn, view)) {
                break;
            }
        }
        let mut notes = view.format_caller_notes(&callers);
        let unmet = view.format_unmet_filter_note(&self.filter.clauses, !found.is_empty());
        notes.extend(unmet.or_else(|| self.format_count_note(listing.count, found.len())));
        Ok(ToolAnswer {
            notes,
            next: self.format_next_call(found.first(), view),
            data: listing.data,
        })
    }

    /// Finds the turns that ran such a command, runs of a program before its mentions.
    fn find_command_turns(
        &self,
        filter: &SearchFilter,
        view: IndexView<'_>,
    ) -> Result<Vec<FoundTurn<Vec<String>>>, CallError> {
        let visit =
            |_: &SessionRow, content: &TurnContent| FoundCommand::find(content, &self.pattern);
        let mut turns = find_turns(&view.snapshot.index, view.sessions(), filter, visit)?;
        self.pattern.sort_turns(&mut turns);
        let line = |command: &FoundCommand| format_command(command, &self.pattern);
        let turns = turns.into_iter().map(|turn| FoundTurn {
            found: turn.found.iter().map(line).collect(),
            session: turn.session,
            turn: turn.turn,
        });
        Ok(turns.collect())
    }

    /// Returns the files or error lines that a turn is listed for.
    fn find_lines(&self, session: &SessionRow, content: &TurnContent) -> Option<Vec<String>> {
        match self.arguments.what {
            HistoryKind::Files => {
                let files = FoundFile::find(session, content, &self.arguments.pattern)?;
                Some(files.iter().map(format_file).collect())
            }
            HistoryKind::Errors => {
                let lines = find_matching_errors(content, &self.pattern)?;
                let line = |text: &String| format_matched_line(text, &self.pattern, COLUMNS);
                Some(lines.iter().map(line).collect())
            }
            HistoryKind::Commands | HistoryKind::Fixes => None,
        }
    }

    fn format_count_note(&self, shown: usize, found: usize) -> Option<String> {
        let what = self.arguments.what.name();
        match found {
            0 => Some(format!("no turn has such {what}")),
            _ if shown < found => Some(format!(
                "the first {shown} of {found} turns; a longer pattern or `project` narrows them"
            )),
            _ => None,
        }
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
