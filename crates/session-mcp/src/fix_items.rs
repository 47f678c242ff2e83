//! `history` of fixes: what cured an error before.

use crate::answer::{ItemList, ToolAnswer, format_call, title_suffix};
use crate::call_error::CallError;
use crate::history_tool::{COLUMNS, MAX_LINES, TITLE_COLUMNS};
use crate::index_view::{CallFilter, IndexView, ResolvedFilter};
use session_core::TurnAddress;
use session_display::{fit_line, format_day, pluralize, project_label, sanitize_line};
use session_query::{FixQuery, FoundCure, FoundCures, read_project};

/// Lists the cures of an error, those of the server's project first.
///
/// # Errors
/// When the index fails.
pub(crate) fn list_fixes(
    error: &str,
    filter: &CallFilter,
    limit: usize,
    view: IndexView<'_>,
) -> Result<ToolAnswer, CallError> {
    let clauses = &filter.clauses;
    let ResolvedFilter { filter, callers } = view.resolve_filter(filter)?;
    let here = read_project(".");
    let query = FixQuery {
        error,
        command: None,
        filter: &filter.including_subagents(view.sessions()),
        is_here: &|session| here.matches(session),
    };
    let found = query.find(&view.snapshot.index, view.sessions())?;
    let mut listing = ItemList::default();
    for fix in found.fixes.iter().take(limit) {
        if !listing.push(&format_item(fix, view)) {
            break;
        }
    }
    let mut notes = view.format_caller_notes(&callers);
    let unmet = view.format_unmet_filter_note(clauses, !found.fixes.is_empty());
    notes.extend(unmet.or_else(|| format_count_note(&found, listing.count)));
    Ok(ToolAnswer {
        notes,
        next: format_next_call(found.fixes.first(), error, view),
        data: listing.data,
    })
}

fn format_count_note(found: &FoundCures, shown: usize) -> Option<String> {
    match (found.signatures.is_empty(), found.turns, found.fixes.len()) {
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
        (.., fixes) if shown < fixes => Some(format!("the first {shown} of {fixes} cures")),
        _ => None,
    }
}

fn format_next_call(first: Option<&FoundCure>, error: &str, view: IndexView<'_>) -> String {
    match first {
        Some(fix) => {
            let id = TurnAddress::new(view.short_id(&fix.session), fix.cure.turn).to_string();
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
        format!("failed  $ {}", sanitize_line(&cure.command)),
    ];
    let files = cure.files.iter().take(MAX_LINES);
    lines.extend(files.map(|path| format!("edited  {path}")));
    let commands = cure.commands.iter().take(MAX_LINES);
    lines.extend(commands.map(|command| format!("ran     $ {}", sanitize_line(command))));
    lines.extend(cure.answer.iter().map(|answer| format!("answer  {answer}")));
    let lines = lines
        .iter()
        .map(|text| format!("\n   {}", fit_line(text, COLUMNS)));
    format!(
        "{}  {}  {}{}{}",
        TurnAddress::new(view.short_id(session), cure.turn),
        format_day(cure.time_ms.or(session.ended_ms)),
        sanitize_line(project_label(session)),
        title_suffix(session, TITLE_COLUMNS),
        lines.collect::<String>()
    )
}
