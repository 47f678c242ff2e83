//! Sessions that a query names by their ids.

use crate::error::PickerError;
use crate::list_answer::{ListRequest, ListRow};
use session_core::{ConfidenceBand, SessionReference};
use session_display::{mark_words, session_title};
use session_query::{SessionArgument, Snapshot};
use session_search::{ResolvedSession, UnfoundTerms, resolve_session_uid};
use session_store::SessionRow;

/// Takes the ids of sessions out of what was not found, and the terms that are missing for being such ids: their sessions
/// are listed.
pub(crate) fn take_named_ids(unfound: &mut UnfoundTerms) -> Vec<String> {
    let ids = std::mem::take(&mut unfound.session_ids);
    let is_named = |term: &str| ids.iter().any(|id| id == SessionReference::parse(term).id);
    unfound.missing.retain(|term| !is_named(term));
    ids
}

/// Puts the rows of the sessions that a query names by `ids` first, whatever its filters let through.
pub(crate) fn put_named_first(
    rows: &mut Vec<ListRow>,
    ids: &[String],
    request: &ListRequest,
    snapshot: &Snapshot,
) -> Result<(), PickerError> {
    for id in ids.iter().rev() {
        if let ResolvedSession::One(session) = resolve_session_uid(&snapshot.sessions, id) {
            let turn = find_named_turn(&request.typed, id, &session);
            let row = make_row(snapshot, *session, turn)?;
            rows.retain(|other| !other.is_same_target(&row, request.level));
            rows.insert(0, row);
        }
    }
    Ok(())
}

/// Returns the first turn that a query names behind an id: `ID:7`, `ID:5-9`.
fn find_named_turn(typed: &str, id: &str, session: &SessionRow) -> Option<u32> {
    let words = typed.split_whitespace();
    let mut named = words.filter_map(|word| SessionArgument::parse(word).ok());
    let named = named.find(|named| named.session == id && named.turns.is_some())?;
    Some(*named.turn_range(session).start())
}

fn make_row(
    snapshot: &Snapshot,
    session: SessionRow,
    turn: Option<u32>,
) -> Result<ListRow, PickerError> {
    let turns = match turn {
        Some(_) => snapshot.index.turns(session.id)?,
        None => Vec::new(),
    };
    let turn = turns.into_iter().find(|row| Some(row.index) == turn);
    let title = session_title(&session);
    Ok(ListRow {
        text: mark_words(&[], &[&title])?.pop().unwrap_or_default(),
        time_ms: turn
            .as_ref()
            .map_or(session.ended_ms, |turn| turn.started_ms),
        band: Some(ConfidenceBand::Strong),
        session,
        turn,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::RowList;
    use session_core::{FileStamp, KnownTurns, SessionMeta, Turn};
    use session_query::OpenIndex;
    use session_search::Level;
    use session_store::Writer;

    /// Calls `test` with an index of two sessions of three turns.
    fn with_two_sessions(test: impl FnOnce(&Snapshot)) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(folder.path()).unwrap();
        for uid in ["2095544c-1", "a7da6a22-1"] {
            let file = writer.upsert_file("claude", uid).unwrap();
            let meta = SessionMeta {
                id: uid.to_owned(),
                ..SessionMeta::default()
            };
            let session = writer.open_session(file, "claude", &meta, KnownTurns::Replace);
            let session = session.unwrap();
            for index in 0..3 {
                let turn = Turn {
                    index,
                    prompt: "Light the lantern.".into(),
                    ..Turn::default()
                };
                writer.add_turn(session, &turn).unwrap();
            }
            writer.checkpoint(file, "", FileStamp::default()).unwrap();
        }
        writer.commit().unwrap();
        let mut index = OpenIndex::new(folder.path());
        let tested = index.with_snapshot(|snapshot| {
            test(snapshot);
            Ok::<(), PickerError>(())
        });
        tested.unwrap();
    }

    #[test]
    fn a_session_is_listed_first_whose_id_is_pasted() {
        with_two_sessions(|snapshot| {
            let other = make_row(snapshot, snapshot.sessions[1].clone(), None).unwrap();
            let named = make_row(snapshot, snapshot.sessions[0].clone(), None).unwrap();
            let list = |typed: &str, level| {
                let mut request = RowList::default().make_request(typed, false);
                request.level = level;
                let mut rows = vec![other.clone(), named.clone()];
                let ids = ["2095544c".to_owned()];
                put_named_first(&mut rows, &ids, &request, snapshot).unwrap();
                let rows = rows.iter();
                rows.map(|row| format!("{}:{}", row.session.uid, row.turn_index()))
                    .collect::<Vec<_>>()
            };
            let [first, other] = ["2095544c-1", "a7da6a22-1:0"];
            for (typed, turn) in [("2095544c", 0), ("oil `2095544c:2`", 2), ("2095544c:7", 0)] {
                let rows = list(typed, Level::Session);
                assert_eq!(rows, [&format!("{first}:{turn}"), other], "{typed}");
            }
            let rows = list("2095544c:2", Level::Turn);
            assert_eq!(rows, ["2095544c-1:2", other, "2095544c-1:0"]);
        });
    }

    #[test]
    fn an_id_whose_session_is_listed_is_no_missing_word() {
        let mut unfound = UnfoundTerms {
            missing: ["2095544c:8", "emfile"].map(str::to_owned).to_vec(),
            session_ids: vec!["2095544c".to_owned()],
            ..UnfoundTerms::default()
        };
        assert_eq!(take_named_ids(&mut unfound), ["2095544c"]);
        assert_eq!(unfound.missing, ["emfile"]);
        assert!(unfound.session_ids.is_empty());
    }
}
