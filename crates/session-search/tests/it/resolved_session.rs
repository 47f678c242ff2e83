//! Ids as users type them.

use crate::library::{Library, meta, turn};
use session_search::{ResolvedSession, resolve_session_uid};
use session_store::{SessionId, SessionRow};

fn resolved(ids: &[&str], wanted: &str) -> Vec<String> {
    let mut library = Library::new();
    for id in ids {
        let words = format!("The session with the id {id} has one turn.");
        library.add("claude", &meta(id), &[(turn(0, &words), None)], None);
    }
    let sessions = library.reader().sessions().unwrap();
    match resolve_session_uid(&sessions, wanted) {
        ResolvedSession::One(session) => vec![session.uid],
        ResolvedSession::Many(sessions) => {
            assert!(sessions.len() > 1);
            sessions.into_iter().map(|s| s.uid).collect()
        }
        ResolvedSession::None => Vec::new(),
    }
}

#[test]
fn a_beginning_that_one_id_has_names_it() {
    let ids = ["7a1e0c52-0000", "7a2b0000-0000", "ses_Ab12", "agent-7a"];
    let of = |wanted| resolved(&ids, wanted);
    assert_eq!(of("7a1"), ["7a1e0c52-0000"]);
    assert_eq!(of("7A1E0C52-0000"), ["7a1e0c52-0000"]);
    assert_eq!(of("ses_a"), ["ses_Ab12"]);
    assert_eq!(of("7a"), ["7a1e0c52-0000", "7a2b0000-0000"]);
    for nothing in ["", "e0c52", "7a1e0c52-0000-", "8"] {
        assert_eq!(of(nothing), [""; 0], "{nothing:?}");
    }
}

#[test]
fn a_whole_id_goes_before_longer_ones() {
    assert_eq!(
        resolved(&["agent-1", "agent-12", "agent-123"], "agent-12"),
        ["agent-12"]
    );
    assert_eq!(resolved(&["agent-12", "agent-123"], "agent-1").len(), 2);
}

#[test]
fn an_id_names_the_session_of_this_machine_not_its_copy_of_another() {
    let row = |id: i64, is_elsewhere: bool, gone: bool| SessionRow {
        id: SessionId::new(id),
        uid: "same".into(),
        is_elsewhere,
        gone,
        ..SessionRow::default()
    };
    let resolved = |rows: &[SessionRow]| match resolve_session_uid(rows, "same") {
        ResolvedSession::One(session) => Some(session.id),
        _ => None,
    };
    let (own, copy) = (row(2, false, false), row(1, true, false));
    assert_eq!(resolved(&[copy.clone(), own.clone()]), Some(own.id));
    assert_eq!(
        resolved(&[copy.clone(), row(2, false, true)]),
        Some(copy.id)
    );
    assert_eq!(resolved(&[copy.clone(), row(3, true, false)]), None);
    let repeated = SessionRow {
        is_repeated: true,
        ..row(4, false, false)
    };
    assert_eq!(resolved(&[repeated.clone(), own.clone()]), Some(own.id));
    let gone = row(5, false, true);
    assert_eq!(resolved(&[gone, repeated.clone()]), Some(repeated.id));
}

#[test]
fn a_number_names_one_of_two_with_the_same_id() {
    let mut library = Library::new();
    for source in ["claude", "opencode"] {
        let words = format!("One of {source} with the same id as another.");
        library.add(source, &meta("same"), &[(turn(0, &words), None)], None);
    }
    let sessions = library.reader().sessions().unwrap();
    assert!(
        matches!(resolve_session_uid(&sessions, "same"), ResolvedSession::Many(both) if both.len() == 2)
    );
    for session in &sessions {
        let named = resolve_session_uid(&sessions, &format!("#{}", session.id));
        assert_eq!(named, ResolvedSession::One(Box::new(session.clone())));
    }
    for nothing in ["#", "#99", "#x", "# 1"] {
        assert_eq!(
            resolve_session_uid(&sessions, nothing),
            ResolvedSession::None,
            "{nothing}"
        );
    }
}
