//! Resolves the uid of a session that a user types.

use session_store::SessionRow;
use std::collections::HashMap;

/// The sessions that a prefix of a uid names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolvedSession {
    /// One session.
    One(Box<SessionRow>),
    /// Several: the user has to type more of the id.
    Many(Vec<SessionRow>),
    /// None.
    None,
}

/// Finds the session whose uid begins with `wanted`, in any case.
///
/// - A whole uid goes before longer ones that begin with it.
/// - Of sessions with one uid those that are [first in rank](SessionRow::id_rank) go before the others.
/// - `#12` is the index's own number, for two sessions with one uid.
pub fn resolve_session_uid(sessions: &[SessionRow], wanted: &str) -> ResolvedSession {
    if let Some(number) = wanted.strip_prefix('#') {
        let found = sessions.iter().find(|s| s.id.to_string() == number);
        return found.map_or(ResolvedSession::None, |s| {
            ResolvedSession::One(Box::new(s.clone()))
        });
    }
    let wanted = wanted.to_lowercase();
    let is_meant =
        |s: &&SessionRow| !wanted.is_empty() && s.uid.to_lowercase().starts_with(&wanted);
    let mut found: Vec<SessionRow> = sessions.iter().filter(is_meant).cloned().collect();
    if found.iter().any(|s| s.uid.to_lowercase() == wanted) {
        found.retain(|s| s.uid.to_lowercase() == wanted);
    }
    drop_outranked(&mut found);
    match found.len() {
        0 => ResolvedSession::None,
        1 => ResolvedSession::One(Box::new(found.remove(0))),
        _ => ResolvedSession::Many(found),
    }
}

/// Removes each session for which another of the same uid is better by its rank.
fn drop_outranked(sessions: &mut Vec<SessionRow>) {
    let mut best = HashMap::new();
    for session in &*sessions {
        let rank = session.id_rank();
        let known = best.entry(session.uid.clone()).or_insert(rank);
        *known = rank.min(*known);
    }
    sessions.retain(|session| best.get(&session.uid) == Some(&session.id_rank()));
}
