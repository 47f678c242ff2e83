//! How sessions are told apart: the shortest ids that name them.

use session_core::shell::is_plain_word;
use session_store::SessionRow;

/// Shortest and longest beginning of an id that is ever shown.
const SHORT_ID_CHARS: usize = 8;
const LONG_ID_CHARS: usize = 24;

/// The ids of all sessions, to name some of them as shortly as possible.
#[derive(Debug, Clone, Default)]
pub struct SessionIds<'a> {
    /// Sessions by their ids, each behind the first bytes of its id: most comparisons end with these.
    sorted: Vec<(u64, &'a SessionRow)>,
}

impl<'a> SessionIds<'a> {
    /// Sorts the sessions by their ids. Of one id, those that it does not name go: sessions that are behind another one in
    /// [rank](SessionRow::id_rank).
    pub fn new(sessions: &'a [SessionRow]) -> Self {
        let rank = SessionRow::id_rank;
        let mut sorted: Vec<_> = sessions.iter().map(|s| (first_bytes(s), s)).collect();
        sorted.sort_unstable_by_key(|&(begin, s)| (begin, s.uid.as_str(), rank(s), s.id));
        sorted.dedup_by(|(_, next), (_, kept)| next.uid == kept.uid && rank(next) > rank(kept));
        Self { sorted }
    }

    /// Returns the shortest beginning of a session's id that no other one shares. It is the index's own number where
    /// another session has the same id or shares much of it, or where the id would mean something to a shell or a
    /// terminal.
    pub fn short_id(&self, session: &SessionRow) -> String {
        let shared = self.longest_shared(session);
        match shared + 1 {
            least if least > LONG_ID_CHARS => format!("#{}", session.id),
            _ if self.needs_number(session) => format!("#{}", session.id),
            least => session
                .uid
                .chars()
                .take(least.max(SHORT_ID_CHARS))
                .collect(),
        }
    }

    /// Returns true when a session cannot be named by its id: another one has it, or it is not plain.
    pub fn needs_number(&self, session: &SessionRow) -> bool {
        let is_shared = |other: &SessionRow| other.uid == session.uid;
        !is_plain_word(&session.uid) || self.neighbours(session).any(is_shared)
    }

    /// Returns how many characters of its id a session shares with another one, at most.
    fn longest_shared(&self, session: &SessionRow) -> usize {
        let shared = |other: &SessionRow| {
            let pairs = session.uid.chars().zip(other.uid.chars());
            pairs.take_while(|(a, b)| a == b).count()
        };
        self.neighbours(session).map(shared).max().unwrap_or(0)
    }

    /// Returns the sessions before and behind this one: none shares more of its id.
    fn neighbours(&self, session: &SessionRow) -> impl Iterator<Item = &'a SessionRow> {
        let key = (first_bytes(session), session.uid.as_str(), session.id);
        let place = |&(begin, other): &(u64, &'a SessionRow)| (begin, other.uid.as_str(), other.id);
        let before = self.sorted.partition_point(|other| place(other) < key);
        let behind = self.sorted.partition_point(|other| place(other) <= key);
        let found = [before.checked_sub(1), Some(behind)].into_iter().flatten();
        let found: Vec<_> = found.filter_map(|at| self.sorted.get(at)).collect();
        found.into_iter().map(|&(_, other)| other)
    }
}

/// Returns the first eight bytes of a session's id, as a number that sorts as they do.
fn first_bytes(session: &SessionRow) -> u64 {
    let mut bytes = [0; 8];
    let begin = session.uid.bytes().take(bytes.len());
    bytes
        .iter_mut()
        .zip(begin)
        .for_each(|(to, byte)| *to = byte);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use session_store::SessionId;

    fn sessions(ids: &[&str]) -> Vec<SessionRow> {
        let session = |(number, uid): (i64, &&str)| SessionRow {
            id: SessionId::new(number),
            uid: (*uid).to_owned(),
            ..SessionRow::default()
        };
        (1..).zip(ids).map(session).collect()
    }

    fn shorten(ids: &[&str]) -> Vec<String> {
        let all = sessions(ids);
        let names = SessionIds::new(&all);
        all.iter().map(|session| names.short_id(session)).collect()
    }

    #[test]
    fn an_id_is_as_short_as_the_others_allow() {
        let ids = ["0f3a11aa-1", "0f3a11ab-2", "0f3a11aa-2", "abc"];
        assert_eq!(
            shorten(&ids),
            ["0f3a11aa-1", "0f3a11ab", "0f3a11aa-2", "abc"]
        );
    }

    #[test]
    fn what_no_id_tells_apart_has_its_number() {
        let long = "a".repeat(30);
        let other = format!("{long}b");
        let ids = ["same", "same", "-x", "a b", &long, &other, ""];
        assert_eq!(shorten(&ids), ["#1", "#2", "#3", "#4", "#5", "#6", "#7"]);
    }

    proptest! {
        #[test]
        fn no_two_sessions_have_one_name(ids in prop::collection::vec("[ab]{6,12}", 0..20)) {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let names = shorten(&ids);
            for (at, name) in names.iter().enumerate() {
                let others = ids.iter().enumerate().filter(|(other, _)| *other != at);
                let mut shared = others.filter(|(_, id)| id.starts_with(name.as_str()));
                // A whole id that begins a longer one names its own session.
                prop_assert!(shared.next().is_none() || ids[at] == name, "{name} of {ids:?}");
            }
        }
    }
}
