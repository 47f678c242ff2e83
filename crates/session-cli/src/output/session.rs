//! How sessions are named in output.

use crate::output::layout::{Field, line, safe_line};
use crate::output::style::FAINT;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use session_agents::resume_arguments;
use session_core::project_name;
use session_store::SessionRow;

/// Shortest and longest beginning of an id that is ever shown.
const SHORT: usize = 8;
const LONG: usize = 24;

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
    let longest = all
        .iter()
        .filter(|o| o.id != session.id)
        .map(shared)
        .max()
        .unwrap_or(0);
    match longest + 1 {
        shared if shared > LONG => format!("#{}", session.id),
        shared => uid.iter().take(shared.max(SHORT)).collect(),
    }
}

fn has_twin(session: &SessionRow, all: &[SessionRow]) -> bool {
    all.iter()
        .any(|o| o.id != session.id && o.uid == session.uid)
}

/// True for an id as agents make them.
fn is_plain(uid: &str) -> bool {
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

/// Says what is not there any more of a session's history, if something is not.
pub fn gone(session: &SessionRow) -> Option<Field> {
    let mark = match (session.prompts_only, session.gone) {
        (true, _) => "(prompts only)",
        (false, true) => "(history gone)",
        (false, false) => return None,
    };
    Some(Field::whole(FAINT, mark))
}

/// Formats the command that resumes a session, as it is typed.
pub fn resume(session: &SessionRow) -> Option<String> {
    resume_arguments(session).map(|words| words.join(" "))
}

/// RFC 3339, UTC.
pub fn rfc3339(ms: Option<i64>) -> Option<String> {
    Some(Timestamp::from_millisecond(ms?).ok()?.to_string())
}

/// The day, local time.
pub fn day(ms: Option<i64>) -> String {
    local(ms, "%Y-%m-%d")
}

/// Day and minute, local time.
pub fn minute(ms: Option<i64>) -> String {
    local(ms, "%Y-%m-%d %H:%M")
}

fn local(ms: Option<i64>, format: &str) -> String {
    match ms.and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
        Some(at) => at.to_zoned(TimeZone::system()).strftime(format).to_string(),
        None => "no date".into(),
    }
}

/// Most sessions listed when an id names several.
const CANDIDATES: usize = 10;

/// The message for an id that names several sessions.
pub fn candidates(id: &str, found: &[SessionRow]) -> String {
    let mut numbered = false;
    let mut out = format!("`{id}` is the beginning of {} session ids:", found.len());
    for session in found.iter().take(CANDIDATES) {
        let by_number = !is_plain(&session.uid) || has_twin(session, found);
        numbered |= by_number;
        let name = if by_number {
            format!("#{} ({})", session.id, session.uid)
        } else {
            session.uid.clone()
        };
        let title = line(&title(session), 40);
        out.push_str(&format!(
            "\n  {name}   {}   {}   {title}",
            project(session),
            day(session.ended_ms)
        ));
    }
    if found.len() > CANDIDATES {
        out.push_str(&format!("\n  … and {} more", found.len() - CANDIDATES));
    }
    out.push_str("\nhint: write more of it");
    if numbered {
        out.push_str(", or the number with its `#`, in quotes");
    }
    out
}
