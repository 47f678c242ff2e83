//! How sessions are named.

use crate::columns::sanitize_line;
use crate::times::format_minute;
use session_core::project_name;
use session_store::SessionRow;

/// Shortest and longest beginning of an id that is ever shown.
const SHORT_ID_CHARS: usize = 8;
const LONG_ID_CHARS: usize = 24;

/// Returns the shortest beginning of a session's id that no other one shares. It is the index's own number where
/// another session has the same id or shares much of it, or where the id would mean something to a shell or a terminal.
pub fn short_id(session: &SessionRow, all: &[SessionRow]) -> String {
    if !is_plain_id(&session.uid) || shares_uid(session, all) {
        return format!("#{}", session.id);
    }
    let uid: Vec<char> = session.uid.chars().collect();
    let shared = |other: &SessionRow| {
        uid.iter()
            .zip(other.uid.chars())
            .take_while(|(a, b)| **a == *b)
            .count()
    };
    let near = sessions_near(session, all);
    let longest = near.map(shared).max().unwrap_or(0);
    match longest + 1 {
        shared if shared > LONG_ID_CHARS => format!("#{}", session.id),
        shared => uid.iter().take(shared.max(SHORT_ID_CHARS)).collect(),
    }
}

/// Returns true when another session has the same id.
pub fn shares_uid(session: &SessionRow, all: &[SessionRow]) -> bool {
    sessions_near(session, all).any(|other| other.uid == session.uid)
}

/// Returns the other sessions whose ids share the shortest beginning that is shown: to compare so many bytes takes no
/// loop, and an id that differs sooner does not matter.
fn sessions_near<'a>(
    session: &'a SessionRow,
    all: &'a [SessionRow],
) -> impl Iterator<Item = &'a SessionRow> {
    let begin = session.uid.as_bytes().first_chunk::<SHORT_ID_CHARS>();
    let is_near = move |other: &&SessionRow| other.uid.as_bytes().first_chunk() == begin;
    let others = all.iter().filter(|other| other.id != session.id);
    others.filter(is_near)
}

/// Returns true for an id as agents make them.
pub fn is_plain_id(uid: &str) -> bool {
    !uid.starts_with('-')
        && uid
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

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
    match session.project.as_deref().map(project_name) {
        Some(name) if !name.is_empty() => name,
        _ => session.project.as_deref().unwrap_or("-"),
    }
}
