//! `history` of fixes: what cured an error before.

use crate::answer::{Answer, ItemList, format_call, title_suffix};
use crate::call_error::CallError;
use crate::history_tool::{COLUMNS, MAX_LINES, TITLE_COLUMNS};
use crate::index_view::{CallFilter, IndexView, ResolvedFilter};
use session_display::{day, line, plural, project, safe_line};
use session_query::{FixQuery, FoundCure, FoundCures, read_project};

/// Lists the cures of an error, those of the server's project first.
///
/// # Errors
/// When the index fails.
pub(crate) fn answer(
    error: &str,
    filter: &CallFilter,
    limit: usize,
    view: IndexView<'_>,
) -> Result<Answer, CallError> {
    let clauses = &filter.clauses;
    let ResolvedFilter { filter, callers } = view.resolve(filter)?;
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
        if !listing.push(&item(fix, view)) {
            break;
        }
    }
    let mut notes = view.caller_notes(&callers);
    let unknown = view.unknown_project_note(clauses, !found.fixes.is_empty());
    notes.extend(unknown.or_else(|| note(&found, listing.count)));
    Ok(Answer {
        notes,
        next: next_call(found.fixes.first(), error, view),
        data: listing.data,
    })
}

fn note(found: &FoundCures, shown: usize) -> Option<String> {
    match (found.signatures.is_empty(), found.turns, found.fixes.len()) {
        (true, ..) => Some(
            "nothing in `pattern` tells one error from others; give the line that says what failed"
                .to_owned(),
        ),
        (_, 0, _) => {
            Some("no command failed of that; give the whole line, as it was printed".to_owned())
        }
        (_, turns, 0) => Some(format!(
            "{} failed of that, and none was cured",
            plural(turns, "turn")
        )),
        (.., fixes) if shown < fixes => Some(format!("the first {shown} of {fixes} cures")),
        _ => None,
    }
}

fn next_call(first: Option<&FoundCure>, error: &str, view: IndexView<'_>) -> String {
    match first {
        Some(fix) => {
            let id = format!("{}:{}", view.short_id(&fix.session), fix.cure.turn);
            format_call("show", &[("id", id.into())])
        }
        None => format_call(
            "search",
            &[("query", error.into()), ("level", "turn".into())],
        ),
    }
}

/// Formats a cure with the turn in which the command succeeded.
fn item(fix: &FoundCure, view: IndexView<'_>) -> String {
    let (session, cure) = (&fix.session, &fix.cure);
    let mut lines = vec![
        format!("error   {}", cure.error),
        format!("failed  $ {}", safe_line(&cure.command)),
    ];
    let files = cure.files.iter().take(MAX_LINES);
    lines.extend(files.map(|path| format!("edited  {path}")));
    let commands = cure.commands.iter().take(MAX_LINES);
    lines.extend(commands.map(|command| format!("ran     $ {}", safe_line(command))));
    lines.extend(cure.answer.iter().map(|answer| format!("answer  {answer}")));
    let lines = lines
        .iter()
        .map(|text| format!("\n   {}", line(text, COLUMNS)));
    format!(
        "{}:{}  {}  {}{}{}",
        view.short_id(session),
        cure.turn,
        day(cure.time_ms.or(session.ended_ms)),
        safe_line(project(session)),
        title_suffix(session, TITLE_COLUMNS),
        lines.collect::<String>()
    )
}
