//! `history` of fixes: what cured an error before; where nothing did, the turns that failed with it.

use crate::answer::{ItemList, ToolAnswer, format_call, title_suffix};
use crate::call_error::CallError;
use crate::history_tool::{COLUMNS, HistoryReading, MAX_LINES, TITLE_COLUMNS, format_more_hint};
use crate::index_view::{CallScope, IndexView};
use session_core::TurnAddress;
use session_display::{fit_line, format_day, pluralize, project_label, sanitize_line};
use session_query::{CureSearch, FailedTurn, FoundCure, FoundCures, read_project};
use session_store::SessionRow;

/// Lists the cures of an error, of the command that failed where one is given, those of the server's project first.
/// Where none is known, lists the turns that failed with it, newest first.
///
/// # Errors
/// When the index fails.
pub(crate) fn list_fixes(
    reading: &HistoryReading<'_>,
    limit: usize,
    view: IndexView<'_>,
) -> Result<ToolAnswer, CallError> {
    let error = reading.text.as_str();
    let CallScope { filter, callers } = view.resolve_work_scope(&reading.filter)?;
    let here = read_project(".");
    let query = CureSearch {
        error,
        command: reading.arguments.command.as_deref(),
        filter: &filter,
        is_in_project: &|session| here.matches(session),
        max_failed: limit,
    };
    let found = query.find(&view.snapshot.index, view.sessions())?;
    let mut listing = ItemList::default();
    let cures = found.cures.iter().map(|fix| format_item(fix, view));
    let failed = found
        .failed
        .iter()
        .map(|turn| format_failed_turn(turn, view));
    for item in cures.chain(failed).take(limit) {
        if !listing.push(&item) {
            break;
        }
    }
    let mut notes = view.format_caller_notes(&callers);
    let unmet = match found.turns {
        0 => view.format_unmet_filter_note(&reading.filter.clauses),
        _ => None,
    };
    notes.extend(unmet.or_else(|| format_count_note(&found, listing.count, limit)));
    Ok(ToolAnswer {
        notes,
        next: Some(format_next_call(&found, &reading.arguments.pattern, view)),
        data: listing.data,
        ..ToolAnswer::default()
    })
}

fn format_count_note(found: &FoundCures, shown: usize, limit: usize) -> Option<String> {
    match (found.signatures.is_empty(), found.turns, found.cures.len()) {
        (true, ..) => Some(
            "nothing in `pattern` tells one error from others; give the line that says what failed"
                .to_owned(),
        ),
        (_, 0, _) => Some(
            "no command failed with that error; give the whole line, as it was printed".to_owned(),
        ),
        (_, turns, 0) => Some(format!(
            "{} failed with that error, and none was fixed later",
            pluralize(turns, "turn")
        )),
        (.., fixes) if shown < fixes => Some(format!(
            "the first {shown} of {fixes} cures; {}",
            format_more_hint(shown, limit)
        )),
        _ => None,
    }
}

fn format_next_call(found: &FoundCures, error: &str, view: IndexView<'_>) -> String {
    let cured = found.cures.first().map(|fix| (&fix.session, fix.cure.turn));
    let failed = || found.failed.first().map(|turn| (&turn.session, turn.turn));
    match cured.or_else(failed) {
        Some((session, turn)) => {
            let id = TurnAddress::new(view.short_id(session), turn).to_string();
            format_call("show", &[("id", id.into())])
        }
        None => format_call(
            "search",
            &[("query", error.into()), ("level", "turn".into())],
        ),
    }
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

/// Formats a turn that failed with an error without a cure.
fn format_failed_turn(failed: &FailedTurn, view: IndexView<'_>) -> String {
    let mut lines = vec![format!("error   {}", failed.error)];
    lines.extend(
        failed
            .command
            .iter()
            .map(|command| format_failed_command(command)),
    );
    format_turn_heading(&failed.session, failed.turn, failed.time_ms, view) + &format_lines(&lines)
}

fn format_turn_heading(
    session: &SessionRow,
    turn: u32,
    time_ms: Option<i64>,
    view: IndexView<'_>,
) -> String {
    format!(
        "{}  {}  {}{}",
        TurnAddress::new(view.short_id(session), turn),
        format_day(time_ms),
        sanitize_line(project_label(session)),
        title_suffix(session, TITLE_COLUMNS)
    )
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
