//! How sessions are named in output.

use crate::layout::{LineField, fit_line};
use crate::style::{FAINT, TITLE};
pub(crate) use session_agents::resume_line;
use session_display::SessionIds;
pub(crate) use session_display::{
    format_day, format_minute, format_rfc3339, project_label, session_title, visible_title,
};
use session_store::SessionRow;
use unicode_width::UnicodeWidthStr;

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

/// Most sessions listed when an id names several.
const MAX_CANDIDATES: usize = 10;

/// A session in the list of those that an id names.
struct Candidate {
    name: String,
    project: String,
    day: String,
    title: String,
}

impl Candidate {
    fn new(session: &SessionRow, by_number: bool, ids: &SessionIds<'_>) -> Self {
        let name = if by_number {
            format!("#{} ({})", session.id, session.uid)
        } else {
            ids.short_id(session)
        };
        Self {
            name,
            project: fit_line(project_label(session), 20),
            day: format_day(session.ended_ms),
            title: fit_line(&session_title(session), 30),
        }
    }

    /// Formats a line with columns of so many characters.
    fn format(&self, names: usize, projects: usize) -> String {
        let pad = |text: &str, columns: usize| {
            let spaces = " ".repeat(columns.saturating_sub(text.width()));
            format!("{text}{spaces}")
        };
        let (name, project) = (pad(&self.name, names), pad(&self.project, projects));
        format!("\n  {name}   {project}   {}   {}", self.day, self.title)
    }
}

/// Formats the message for an id that names several sessions.
pub fn format_candidates(id: &str, found: &[SessionRow]) -> String {
    let ids = SessionIds::new(found);
    let mut numbered = false;
    let mut out = format!("`{id}` is the beginning of {} session ids:", found.len());
    let candidates: Vec<Candidate> = found
        .iter()
        .take(MAX_CANDIDATES)
        .map(|session| {
            let by_number = ids.needs_number(session);
            numbered |= by_number;
            Candidate::new(session, by_number, &ids)
        })
        .collect();
    let width = |text: fn(&Candidate) -> &str| {
        let widths = candidates.iter().map(|candidate| text(candidate).width());
        widths.max().unwrap_or(0)
    };
    let (names, projects) = (width(|it| &it.name), width(|it| &it.project));
    for candidate in &candidates {
        out.push_str(&candidate.format(names, projects));
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

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::SessionId;

    #[test]
    fn candidates_stand_in_columns() {
        let session = |number, uid: &str, project: &str| SessionRow {
            id: SessionId::new(number),
            uid: uid.to_owned(),
            project: Some(project.to_owned()),
            title: Some("Hang the lamp".to_owned()),
            ..SessionRow::default()
        };
        let found = [
            session(1, "a1000000-1", "/home/ann/app"),
            session(2, "a1000000-20", "/home/ann/lanterns"),
            session(3, "a1000000-22", "/home/ann/灯台"),
        ];
        insta::assert_snapshot!(format_candidates("a1", &found), @r"
        `a1` is the beginning of 3 session ids:
          a1000000-1    app        no date   Hang the lamp
          a1000000-20   lanterns   no date   Hang the lamp
          a1000000-22   灯台       no date   Hang the lamp
        hint: write more of it
        ");
    }
}
