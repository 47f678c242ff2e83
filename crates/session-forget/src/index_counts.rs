//! Counts of what an index holds, by which what came back to it is told.

use crate::apply::RemovedCounts;
use session_store::{Reader, StoreError};

/// The sessions, turns and given titles of an index, without those that were forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexCounts {
    sessions: usize,
    turns: usize,
    titles: usize,
}

impl IndexCounts {
    /// Counts what an index holds.
    ///
    /// # Errors
    /// When the index fails.
    pub fn read(index: &Reader) -> Result<Self, StoreError> {
        let mut counts = Self {
            titles: index.given_titles()?.len(),
            ..Self::default()
        };
        for session in index.sessions()? {
            let turns = index.turns(session.id)?;
            counts.turns += turns.iter().filter(|turn| !turn.is_blank()).count();
            counts.sessions += 1;
        }
        Ok(counts)
    }

    /// Returns what came since. A session that came brings its title, which is not counted.
    pub fn since(&self, before: &Self) -> RemovedCounts {
        let sessions = self.sessions.saturating_sub(before.sessions);
        let titles = self.titles.saturating_sub(before.titles);
        RemovedCounts {
            sessions,
            turns: self.turns.saturating_sub(before.turns),
            titles: if sessions == 0 { titles } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_session_that_came_back_is_not_counted() {
        let counts = |sessions, turns, titles| IndexCounts {
            sessions,
            turns,
            titles,
        };
        let came = |after: IndexCounts| after.since(&counts(1, 2, 1));
        assert_eq!(came(counts(1, 2, 2)).titles, 1);
        let session = came(counts(2, 5, 2));
        assert_eq!((session.sessions, session.turns, session.titles), (1, 3, 0));
    }
}
