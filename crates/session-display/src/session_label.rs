//! How sessions are named.

use crate::columns::sanitize_line;
use crate::times::format_minute;
use session_core::text::file_name;
use session_store::SessionRow;

/// Returns a session's title on one line, or else its folder and start.
pub fn session_title(session: &SessionRow) -> String {
    match visible_title(session) {
        Some(title) => sanitize_line(title),
        None => format_project_and_time(session),
    }
}

/// Returns a session's title, if it has one that can be seen.
pub fn visible_title(session: &SessionRow) -> Option<&str> {
    let title = session.title.as_deref()?;
    (!sanitize_line(title).is_empty()).then_some(title)
}

fn format_project_and_time(session: &SessionRow) -> String {
    let began = session.started_ms.or(session.ended_ms);
    let place = sanitize_line(project_label(session));
    format!("{place}, {}", format_minute(began))
}

/// Returns the name of a session's project.
pub fn project_label(session: &SessionRow) -> &str {
    match session.project.as_deref().map(file_name) {
        Some(name) if !name.is_empty() => name,
        _ => session.project.as_deref().unwrap_or("-"),
    }
}
