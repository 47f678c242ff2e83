//! How sessions are named in output.

use crate::layout::{LineField, fit_line};
use crate::style::{FAINT, TITLE};
pub(crate) use session_agents::resume_line;
use session_display::SessionIds;
pub(crate) use session_display::{
    format_day, format_minute, format_rfc3339, project_label, session_title, visible_title,
};
use session_search::{Level, SearchHit};
use session_store::SessionRow;

/// Returns the mark of what is not there any more of a session's history, if something is not.
pub(crate) fn make_gone_field(session: &SessionRow) -> Option<LineField> {
    let mark = match (session.prompts_only, session.gone) {
        (true, _) => "(prompts only)",
        (false, true) => "(history gone)",
        (false, false) => return None,
    };
    Some(LineField::whole(FAINT, mark))
}

/// Fewest columns of a title beside other fields: where there are fewer, it has a line of its own.
const MIN_TITLE_WIDTH: usize = 48;

/// Returns the field of a session's title, of a subagent with that word before it.
pub(crate) fn make_title_field(session: &SessionRow) -> LineField {
    let title = session_title(session);
    let text = match session.parent {
        Some(_) => format!("subagent: {title}"),
        None => title,
    };
    LineField::cut_to(TITLE, text, MIN_TITLE_WIDTH)
}

/// Returns the time of a hit in milliseconds: the turn's, or the session's last activity.
pub(crate) fn hit_time(level: Level, hit: &SearchHit) -> Option<i64> {
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
    let ids = SessionIds::new(found);
    let mut numbered = false;
    let mut out = format!("`{id}` is the beginning of {} session ids:", found.len());
    for session in found.iter().take(MAX_CANDIDATES) {
        let by_number = ids.needs_number(session);
        numbered |= by_number;
        let name = if by_number {
            format!("#{} ({})", session.id, session.uid)
        } else {
            ids.short_id(session)
        };
        let title = fit_line(&session_title(session), 30);
        out.push_str(&format!(
            "\n  {name}   {}   {}   {title}",
            fit_line(project_label(session), 20),
            format_day(session.ended_ms)
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
