//! The state of an index as text to be compared.

use session_core::Query;
use session_store::{DocumentKind, Reader, SessionId, SessionRow};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// All sessions and turns with their contents, the index's own numbers left
/// out, in the order of the sessions' ids.
pub fn dump(index: &Reader) -> String {
    let mut out = String::new();
    let mut sessions = index.sessions().unwrap();
    sessions.sort_by(|a, b| a.uid.cmp(&b.uid));
    for s in &sessions {
        let facts = (
            &s.uid,
            &s.title,
            &s.project,
            &s.branch,
            s.started_ms,
            s.ended_ms,
            s.turns,
            s.gone,
        );
        writeln!(out, "{facts:?}").unwrap();
        for turn in index.turns(s.id).unwrap() {
            let content = index.content(turn.id).unwrap();
            let facts = (
                turn.index,
                turn.started_ms,
                &turn.branch,
                turn.span,
                turn.owner.is_some(),
            );
            writeln!(out, "  {facts:?} {content:?}").unwrap();
        }
    }
    writeln!(out, "{:?}", index.problems().unwrap()).unwrap();
    out
}

/// The same with the index's own numbers.
pub fn numbered_dump(index: &Reader) -> String {
    let mut out = dump(index);
    for session in index.sessions().unwrap() {
        let turns = index.turns(session.id).unwrap();
        writeln!(out, "{session:?} {turns:?}").unwrap();
    }
    out
}

/// Returns the content of each turn that is no copy, sorted.
pub fn texts(index: &Reader) -> Vec<String> {
    let mut texts = Vec::new();
    for session in index.sessions().unwrap() {
        let contents = index.session_contents(session.id).unwrap();
        texts.extend(
            contents
                .turns
                .iter()
                .map(|stored| format!("{:?}", stored.content)),
        );
    }
    texts.sort();
    texts
}

/// Sessions (by id) and turns (from 0) that a query finds by its words.
pub fn found(index: &Reader, query: &str) -> BTreeSet<(String, u32)> {
    let sessions: HashMap<SessionId, SessionRow> = index
        .sessions()
        .unwrap()
        .into_iter()
        .map(|s| (s.id, s))
        .collect();
    let found = index
        .search_lexical(&Query::new(query), usize::MAX, |_| Ok(true))
        .unwrap();
    let place = |turn| {
        let turn = index.turn(turn).unwrap().unwrap();
        (sessions[&turn.session].uid.clone(), turn.index)
    };
    found.turns.iter().map(|hit| place(hit.id)).collect()
}

/// Each vector of a model with what it stands for, in the order of sessions.
pub fn vectors(index: &Reader, fingerprint: &str) -> Vec<String> {
    let Some(model) = index.model(fingerprint).unwrap() else {
        return Vec::new();
    };
    let sessions: HashMap<SessionId, String> = index
        .sessions()
        .unwrap()
        .into_iter()
        .map(|s| (s.id, s.uid))
        .collect();
    let mut out = Vec::new();
    for kind in DocumentKind::ALL {
        let matrix = index.matrix(&model, kind).unwrap();
        for owner in index.vector_owners(model.id, kind).unwrap().rows() {
            let turn = owner.turn.and_then(|turn| index.turn(turn).unwrap());
            let turn = turn.map(|t| t.index);
            let uid = &sessions[&owner.session];
            out.push(format!(
                "{kind:?} {uid} {turn:?} {:?}",
                matrix.row(owner.row)
            ));
        }
    }
    out.sort();
    out
}
