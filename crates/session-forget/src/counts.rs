//! Counts of the sessions, turns and titles that an index holds, that are removed from it, or that come back to it.

use serde::Serialize;
use session_store::{Reader, StoreError};
use std::ops::AddAssign;

/// Counts of sessions, turns and given titles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ContentCounts {
    /// Sessions.
    pub sessions: usize,
    /// Turns.
    pub turns: usize,
    /// Titles that were given to sessions.
    pub titles: usize,
}

impl ContentCounts {
    /// Counts what an index holds, without what was forgotten.
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
            counts.turns += turns.iter().filter(|turn| !turn.is_excluded()).count();
            counts.sessions += 1;
        }
        Ok(counts)
    }

    /// Returns what came since. A session that came brings its title, which is not counted.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let sessions = self.sessions.saturating_sub(before.sessions);
        let titles = self.titles.saturating_sub(before.titles);
        Self {
            sessions,
            turns: self.turns.saturating_sub(before.turns),
            titles: if sessions == 0 { titles } else { 0 },
        }
    }
}

impl AddAssign for ContentCounts {
    fn add_assign(&mut self, more: Self) {
        self.sessions += more.sessions;
        self.turns += more.turns;
        self.titles += more.titles;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_session_that_came_back_is_not_counted() {
        let counts = |sessions, turns, titles| ContentCounts {
            sessions,
            turns,
            titles,
        };
        let came = |after: ContentCounts| after.since(&counts(1, 2, 1));
        assert_eq!(came(counts(1, 2, 2)).titles, 1);
        assert_eq!(came(counts(2, 5, 2)), counts(1, 3, 0));
    }
}
