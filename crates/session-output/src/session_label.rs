//! How sessions are named in output.

use crate::layout::LineField;
use crate::style::{FAINT, TITLE};
use session_display::{
    SessionIds, fit_line, format_day, pad_to_columns, project_label, session_title,
};
use session_query::SessionIdError;
use session_store::SessionRow;
use std::borrow::Cow;
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
struct CandidateRow {
    name: String,
    project: String,
    day: String,
    title: String,
}

impl CandidateRow {
    fn new(session: &SessionRow, ids: &SessionIds<'_>) -> Self {
        let name = if ids.needs_number(session) {
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
}

/// Formats below its error the sessions of an id that names several, a line each; `None` for another error.
pub(crate) fn format_candidates(error: &SessionIdError) -> Option<String> {
    let SessionIdError::Ambiguous { found, .. } = error else {
        return None;
    };
    let ids = SessionIds::new(found);
    let shown = found.iter().take(MAX_CANDIDATES);
    let rows: Vec<CandidateRow> = shown.map(|row| CandidateRow::new(row, &ids)).collect();
    let width = |text: fn(&CandidateRow) -> &str| {
        let widths = rows.iter().map(|row| text(row).width());
        widths.max().unwrap_or(0)
    };
    let (names, projects) = (width(|row| &row.name), width(|row| &row.project));
    let mut out = String::from(":");
    for row in &rows {
        let name = pad_to_columns(&row.name, names);
        let project = pad_to_columns(&row.project, projects);
        out.push_str(&format!(
            "\n  {name}   {project}   {}   {}",
            row.day, row.title
        ));
    }
    if found.len() > MAX_CANDIDATES {
        out.push_str(&format!("\n  … and {} more", found.len() - MAX_CANDIDATES));
    }
    Some(out)
}

/// Returns what to do about an id that names no session or several.
pub(crate) fn find_session_id_hint(error: &SessionIdError) -> Cow<'static, str> {
    let hint = error.hint();
    match error {
        SessionIdError::Ambiguous { found, .. } if has_number(found) => {
            format!("{hint}, or the number with its `#`, in quotes").into()
        }
        _ => hint.into(),
    }
}

/// Returns true if one of the sessions that are listed is named by its number.
fn has_number(found: &[SessionRow]) -> bool {
    let ids = SessionIds::new(found);
    let mut shown = found.iter().take(MAX_CANDIDATES);
    shown.any(|session| ids.needs_number(session))
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
        let error = SessionIdError::Ambiguous {
            id: "a1".to_owned(),
            found: found.to_vec(),
        };
        let message = format!("{error}{}", format_candidates(&error).unwrap());
        insta::assert_snapshot!(message, @r"
        `a1` is the beginning of 3 session ids:
          a1000000-1    app        no date   Hang the lamp
          a1000000-20   lanterns   no date   Hang the lamp
          a1000000-22   灯台       no date   Hang the lamp
        ");
    }
}
