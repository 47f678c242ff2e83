//! How sessions are named.

use crate::columns::safe_line;
use crate::times::minute;
use session_core::project_name;
use session_store::SessionRow;

/// Shortest and longest beginning of an id that is ever shown.
const SHORT_ID_CHARS: usize = 8;
const LONG_ID_CHARS: usize = 24;

/// The shortest beginning of a session's id that no other one shares. The
/// index's own number, where another one has the same id or shares much of it,
/// or where the id would mean something to a shell or a terminal.
pub fn short_id(session: &SessionRow, all: &[SessionRow]) -> String {
    if !is_plain(&session.uid) || has_twin(session, all) {
        return format!("#{}", session.id);
    }
    let uid: Vec<char> = session.uid.chars().collect();
    let shared = |other: &SessionRow| {
        uid.iter()
            .zip(other.uid.chars())
            .take_while(|(a, b)| **a == *b)
            .count()
    };
    // An id that differs sooner does not matter, and to compare so many bytes takes no loop.
    let begin = session.uid.as_bytes().first_chunk::<SHORT_ID_CHARS>();
    let is_near =
        |other: &&SessionRow| other.id != session.id && other.uid.as_bytes().first_chunk() == begin;
    let longest = all.iter().filter(is_near).map(shared).max().unwrap_or(0);
    match longest + 1 {
        shared if shared > LONG_ID_CHARS => format!("#{}", session.id),
        shared => uid.iter().take(shared.max(SHORT_ID_CHARS)).collect(),
    }
}

/// Returns true when another session has the same id.
pub fn has_twin(session: &SessionRow, all: &[SessionRow]) -> bool {
    let begin = session.uid.as_bytes().first_chunk::<SHORT_ID_CHARS>();
    let is_near = |other: &&SessionRow| other.uid.as_bytes().first_chunk() == begin;
    let mut near = all.iter().filter(is_near);
    near.any(|o| o.id != session.id && o.uid == session.uid)
}

/// Returns true for an id as agents make them.
pub fn is_plain(uid: &str) -> bool {
    !uid.starts_with('-')
        && uid
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Returns a session's title on one line, or else its folder and start.
pub fn title(session: &SessionRow) -> String {
    match visible_title(session) {
        Some(title) => safe_line(title),
        None => place_and_time(session),
    }
}

/// A session's title, if it has one that can be seen.
pub fn visible_title(session: &SessionRow) -> Option<&str> {
    let title = session.title.as_deref()?;
    (!safe_line(title).is_empty()).then_some(title)
}

fn place_and_time(session: &SessionRow) -> String {
    let began = session.started_ms.or(session.ended_ms);
    let place = safe_line(project(session));
    format!("{place}, {}", minute(began))
}

/// The name of a session's project.
pub fn project(session: &SessionRow) -> &str {
    match session.project.as_deref().map(project_name) {
        Some(name) if !name.is_empty() => name,
        _ => session.project.as_deref().unwrap_or("-"),
    }
}
