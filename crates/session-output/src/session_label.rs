//! How sessions are named in output.

use crate::layout::{Field, line};
use crate::style::FAINT;
pub use session_agents::resume_line;
pub use session_display::{day, minute, project, rfc3339, short_id, title, visible_title};
use session_display::{has_twin, is_plain};
use session_search::{Hit, Level};
use session_store::SessionRow;

/// Returns the mark of what is not there any more of a session's history, if something is not.
pub fn gone_field(session: &SessionRow) -> Option<Field> {
    let mark = match (session.prompts_only, session.gone) {
        (true, _) => "(prompts only)",
        (false, true) => "(history gone)",
        (false, false) => return None,
    };
    Some(Field::whole(FAINT, mark))
}

/// Returns the time of a hit in milliseconds: the turn's, or the session's last activity.
pub fn hit_time(level: Level, hit: &Hit) -> Option<i64> {
    let turn = hit.turn.as_ref().and_then(|t| t.started_ms);
    match level {
        Level::Session => hit.session.ended_ms.or(turn),
        Level::Turn => turn.or(hit.session.ended_ms),
    }
}

/// Most sessions listed when an id names several.
const MAX_CANDIDATES: usize = 10;

/// Formats the message for an id that names several sessions.
pub fn format_candidates(id: &str, found: &[SessionRow]) -> String {
    let mut numbered = false;
    let mut out = format!("`{id}` is the beginning of {} session ids:", found.len());
    for session in found.iter().take(MAX_CANDIDATES) {
        let by_number = !is_plain(&session.uid) || has_twin(session, found);
        numbered |= by_number;
        let name = if by_number {
            format!("#{} ({})", session.id, session.uid)
        } else {
            short_id(session, found)
        };
        let title = line(&title(session), 30);
        out.push_str(&format!(
            "\n  {name}   {}   {}   {title}",
            line(project(session), 20),
            day(session.ended_ms)
        ));
    }
    if found.len() > MAX_CANDIDATES {
        out.push_str(&format!("\n  … and {} more", found.len() - MAX_CANDIDATES));
    }
    out.push_str("\nhint: write more of it");
    if numbered {
        out.push_str(", or the number with its `#`, in quotes");
    }
    out
}
