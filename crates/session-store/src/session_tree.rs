//! Which session started which.

use crate::id::SessionId;
use crate::row::SessionRow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter::successors;

/// Maximum number of parent links that are followed, so that a cycle ends.
const MAX_PARENT_LINKS: usize = 32;

/// Lookup from a subagent to the sessions that started it: a subagent may start others.
pub struct SessionTree<'s> {
    by_uid: HashMap<&'s str, &'s SessionRow>,
}

impl<'s> SessionTree<'s> {
    /// Makes the lookup for the sessions of an index.
    pub fn new(sessions: &'s [SessionRow]) -> Self {
        let by_uid = sessions.iter().map(|s| (s.uid.as_str(), s)).collect();
        Self { by_uid }
    }

    /// Returns the session that no session of the index has started.
    pub fn find_root(&self, session: &'s SessionRow) -> &'s SessionRow {
        self.ancestors(session).last().unwrap_or(session)
    }

    /// Returns true for the session with this id, and for its subagents and theirs. The session itself need not be in
    /// the index.
    pub fn is_within(&self, session: &'s SessionRow, uid: &str) -> bool {
        session.uid == uid || self.is_below(session, uid)
    }

    /// Returns true for the subagents of the session with this id, and for theirs.
    fn is_below(&self, session: &'s SessionRow, uid: &str) -> bool {
        let mut ancestors = self.ancestors(session);
        ancestors.any(|one| one.parent.as_deref() == Some(uid))
    }

    /// Returns a session and those above it, the nearest first.
    fn ancestors(&self, session: &'s SessionRow) -> impl Iterator<Item = &'s SessionRow> {
        let parent = |session: &&'s SessionRow| {
            let parent = self.by_uid.get(session.parent.as_deref()?).copied();
            parent.filter(|parent| parent.id != session.id)
        };
        successors(Some(session), parent).take(MAX_PARENT_LINKS + 1)
    }
}

/// Returns these sessions with the subagents that they started, and theirs.
pub fn with_subagents(roots: &BTreeSet<SessionId>, all: &[SessionRow]) -> BTreeSet<SessionId> {
    let mut included = roots.clone();
    if roots.is_empty() {
        return included;
    }
    loop {
        let is_included = |row: &&SessionRow| included.contains(&row.id);
        let rows = all.iter().filter(is_included);
        let uids: HashSet<&str> = rows.map(|row| row.uid.as_str()).collect();
        let is_started =
            |row: &&SessionRow| row.parent.as_deref().is_some_and(|uid| uids.contains(uid));
        let started = all.iter().filter(is_started);
        let count = included.len();
        included.extend(started.map(|row| row.id));
        if included.len() == count {
            return included;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: i64, uid: &str, parent: Option<&str>) -> SessionRow {
        SessionRow {
            id: SessionId::new(id),
            uid: uid.to_owned(),
            parent: parent.map(str::to_owned),
            ..SessionRow::default()
        }
    }

    #[test]
    fn a_subagent_of_a_subagent_is_within_the_session() {
        let all = [
            session(1, "a", None),
            session(2, "b", Some("a")),
            session(3, "c", Some("b")),
            session(4, "d", Some("missing")),
        ];
        let tree = SessionTree::new(&all);
        let within = |uid| -> Vec<&str> {
            let rows = all.iter().filter(|row| tree.is_within(row, uid));
            rows.map(|row| row.uid.as_str()).collect()
        };
        assert_eq!(within("a"), ["a", "b", "c"]);
        assert_eq!(within("b"), ["b", "c"]);
        assert_eq!(within("missing"), ["d"]);
        let roots = all.each_ref().map(|row| tree.find_root(row).uid.as_str());
        assert_eq!(roots, ["a", "a", "a", "d"]);
    }

    #[test]
    fn a_namesake_is_not_a_subagent() {
        let all = [
            session(1, "a", None),
            session(2, "a", None),
            session(3, "b", Some("a")),
            session(4, "c", Some("b")),
        ];
        let found = with_subagents(&BTreeSet::from([SessionId::new(1)]), &all);
        assert_eq!(found, BTreeSet::from([1, 3, 4].map(SessionId::new)));
        assert!(with_subagents(&BTreeSet::new(), &all).is_empty());
    }

    #[test]
    fn a_cycle_ends() {
        let all = [session(1, "a", Some("b")), session(2, "b", Some("a"))];
        let tree = SessionTree::new(&all);
        assert!(all.iter().all(|row| tree.is_within(row, "a")));
        assert!(!tree.is_within(&all[0], "c"));
        let found = with_subagents(&BTreeSet::from([SessionId::new(1)]), &all);
        assert_eq!(found.len(), 2);
    }
}
