//! `history` of fixes: what cured an error before; where nothing did, the turns that failed with it.

use crate::call_error::CallError;
use crate::history_tool::{COLUMNS, HistoryItems, HistoryReading, MAX_LINES, format_turn_heading};
use crate::index_view::IndexView;
use session_display::{fit_line, pluralize, sanitize_line};
use session_query::{CureSearch, FailedTurn, FoundCure, FoundCures, UNKNOWN_ERROR, parse_project};
use session_search::SearchFilter;

/// Most turns that are listed where no cure is known.
const MAX_FAILED: usize = 5;

/// Finds the cures of an error, of the command that failed where one is given, those of the server's project first.
/// Where none is known, finds the newest turns that failed with it.
///
/// # Errors
/// When the index fails.
pub(crate) fn find_fixes(
    reading: &HistoryReading<'_>,
    filter: &SearchFilter,
    limit: usize,
    view: IndexView<'_>,
) -> Result<HistoryItems, CallError> {
    let here = parse_project(".");
    let query = CureSearch {
        error: &reading.query.text,
        command: reading.arguments.command.as_deref(),
        filter,
        is_in_project: &|session| here.matches(session),
        max_failed: limit.min(MAX_FAILED),
    };
    let found = query.find(&view.snapshot.index, view.sessions())?;
    let FoundCures { cures, failed, .. } = &found;
    let cured = cures.iter().map(|fix| (&fix.session, fix.cure.turn));
    let without_cure = failed.iter().map(|turn| (&turn.session, turn.turn));
    let all = || cured.clone().chain(without_cure.clone());
    let first = all().nth(reading.offset()).or_else(|| all().next());
    let items = cures.iter().map(|fix| format_item(fix, view));
    let before = std::iter::once(None).chain(failed.iter().map(Some));
    let failed = failed.iter().zip(before);
    let items = items.chain(failed.map(|(turn, before)| format_failed_turn(turn, before, view)));
    Ok(HistoryItems {
        items: items.take(limit).collect(),
        found: cures.len(),
        turns: found.turns,
        first: first.map(|(session, turn)| view.turn_address(session, turn)),
        note: format_no_cure(&found, reading.is_filtered()),
        next: (found.of_other_programs > 0).then(|| reading.format_call_without_command()),
    })
}

/// Formats why an error has no cure; `None` if it has some.
fn format_no_cure(found: &FoundCures, is_filtered: bool) -> Option<String> {
    if !found.cures.is_empty() {
        return None;
    }
    let shown = found.failed.len();
    Some(match (found.signatures.is_empty(), found.turns) {
        (true, _) => {
            "nothing in `pattern` tells one error from others; give the line that says what failed"
                .to_owned()
        }
        (_, 0) if is_filtered => {
            format!("{UNKNOWN_ERROR} within the filters, which may be too narrow")
        }
        (_, 0) => format!(
            "{UNKNOWN_ERROR}; `what: errors` finds parts of a line, also in commands that succeeded, read or search"
        ),
        (_, turns) if found.of_other_programs > 0 => {
            let turns = pluralize(turns, "turn");
            let others = pluralize(found.of_other_programs, "cure");
            format!(
                "{turns} failed with that error; `command` leaves out {others} of other programs"
            )
        }
        (_, turns) => {
            let listed = if shown < turns {
                format!("; these are the newest {shown}, `what: errors` lists all")
            } else {
                String::new()
            };
            let turns = pluralize(turns, "turn");
            format!("{turns} failed with that error, and none was fixed later{listed}")
        }
    })
}

/// Formats a cure with the turn in which the command succeeded.
fn format_item(fix: &FoundCure, view: IndexView<'_>) -> String {
    let (session, cure) = (&fix.session, &fix.cure);
    let mut lines = vec![
        format!("error   {}", cure.error),
        format_failed_command(&cure.command),
    ];
    let files = cure.files.iter().take(MAX_LINES);
    lines.extend(files.map(|path| format!("edited  {path}")));
    let commands = cure.commands.iter().take(MAX_LINES);
    lines.extend(commands.map(|command| format!("ran     $ {}", sanitize_line(command))));
    lines.extend(cure.answer.iter().map(|answer| format!("answer  {answer}")));
    let time_ms = cure.time_ms.or(session.ended_ms);
    format_turn_heading(session, cure.turn, time_ms, view) + &format_lines(&lines)
}

/// Formats a turn that failed with an error without a cure. What it has as the turn above it is not repeated.
fn format_failed_turn(
    failed: &FailedTurn,
    before: Option<&FailedTurn>,
    view: IndexView<'_>,
) -> String {
    let mut lines = Vec::new();
    if before.is_none_or(|before| before.error != failed.error) {
        lines.push(format!("error   {}", failed.error));
    }
    if before.is_none_or(|before| before.command != failed.command) {
        let command = failed.command.iter();
        lines.extend(command.map(|command| format_failed_command(command)));
    }
    format_turn_heading(&failed.session, failed.turn, failed.time_ms, view) + &format_lines(&lines)
}

fn format_failed_command(command: &str) -> String {
    format!("failed  $ {}", sanitize_line(command))
}

fn format_lines(lines: &[String]) -> String {
    let lines = lines
        .iter()
        .map(|text| format!("\n   {}", fit_line(text, COLUMNS)));
    lines.collect()
}
