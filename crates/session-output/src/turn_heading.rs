//! How a turn is named in a list of turns.

use crate::layout::{LineField, TitledLine};
use crate::session_label::{make_gone_field, make_title_field};
use crate::style::{FAINT, ID, PROJECT};
use session_core::TurnAddress;
use session_display::{SessionIds, fit_line, format_minute, project_label, sanitize_line};
use session_store::SessionRow;

/// Most columns of a project's name.
const PROJECT_COLUMNS: usize = 24;

/// Returns the field of a session's project.
pub(crate) fn make_project_field(session: &SessionRow) -> LineField {
    LineField::whole(PROJECT, fit_line(project_label(session), PROJECT_COLUMNS))
}

/// Returns true if sessions are of more than one agent: then each is named with its own.
pub(crate) fn are_of_several_agents<'a>(
    mut sessions: impl Iterator<Item = &'a SessionRow>,
) -> bool {
    let first = sessions.next();
    first.is_some_and(|first| sessions.any(|other| other.source != first.source))
}

/// Returns the line of a turn: its time, address, project and title; with `names_agent` the agent, too.
pub(crate) fn make_turn_heading(
    session: &SessionRow,
    ids: &SessionIds<'_>,
    turn: u32,
    time_ms: Option<i64>,
    names_agent: bool,
) -> TitledLine {
    let address = TurnAddress::new(ids.short_id(session), turn);
    let mut fields = vec![
        LineField::whole(FAINT, format_minute(time_ms)),
        LineField::whole(ID, address.to_string()),
    ];
    fields.extend(names_agent.then(|| LineField::whole(FAINT, sanitize_line(&session.source))));
    fields.push(make_project_field(session));
    fields.extend(make_gone_field(session));
    TitledLine {
        fields,
        title: make_title_field(session),
    }
}

/// Returns the part of a path that is below the session's project; the whole path where it is elsewhere.
pub(crate) fn strip_project<'p>(path: &'p str, session: &SessionRow) -> &'p str {
    let root = session.project.as_deref();
    let below = root.and_then(|root| path.strip_prefix(root));
    below
        .and_then(|path| path.strip_prefix(['/', '\\']))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_shown_from_its_project_on() {
        let session = SessionRow {
            project: Some("/home/ann/pier".to_owned()),
            ..SessionRow::default()
        };
        assert_eq!(strip_project("/home/ann/pier/lamp.rs", &session), "lamp.rs");
        let elsewhere = "/home/ann/pier-2/lamp.rs";
        assert_eq!(strip_project(elsewhere, &session), elsewhere);
        let nowhere = SessionRow::default();
        assert_eq!(strip_project("/etc/hosts", &nowhere), "/etc/hosts");
    }

    #[test]
    fn the_agent_is_named_where_there_are_several() {
        let row = |source: &str| SessionRow {
            source: source.to_owned(),
            uid: "a1b2c3d4".to_owned(),
            ..SessionRow::default()
        };
        let all = [row("pi"), row("codex")];
        assert!(are_of_several_agents(all.iter()));
        assert!(!are_of_several_agents(all[..1].iter()));
        assert!(!are_of_several_agents([].iter()));
        let heading = |names_agent| {
            let line =
                make_turn_heading(&all[0], &SessionIds::new(&all[..1]), 3, None, names_agent);
            line.fields.len()
        };
        assert_eq!(heading(true), heading(false) + 1);
    }
}
