//! How much was done, day by day.

use crate::time::active_ms;
use crate::told::{Told, turns};
use session_store::{Reader, SessionRow, StoreError};
use std::collections::HashSet;
use std::ops::Range;

/// What was done on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Day {
    /// Sessions of the user's own with a turn that began then.
    pub sessions: HashSet<i64>,
    /// Projects of these.
    pub projects: HashSet<String>,
    /// Turns of these that began then.
    pub turns: usize,
    /// Milliseconds of work: of each session by itself, and of subagents within
    /// those who sent them.
    pub active_ms: i64,
}

/// Counts what was done on each of `days`, in the order of time and without
/// overlap, each from its beginning to before its end in milliseconds since
/// 1970. Subagents are left out, as are copies of turns.
///
/// # Errors
/// When the index fails.
pub fn stats(
    index: &Reader,
    sessions: &[SessionRow],
    days: &[Range<i64>],
    wanted: impl Fn(&SessionRow) -> bool,
) -> Result<Vec<Day>, StoreError> {
    let mut counted = vec![Day::default(); days.len()];
    for session in sessions.iter().filter(|s| s.parent.is_none() && wanted(s)) {
        let mut told = turns(index, session.id)?;
        told.retain(|turn| turn.row.owner.is_none());
        let at = |turn: &Told| day_of(turn, days).unwrap_or(usize::MAX);
        told.sort_by_key(at);
        for same_day in told.chunk_by(|a, b| at(a) == at(b)) {
            let day = same_day.first().map(at).and_then(|at| counted.get_mut(at));
            if let Some(day) = day {
                day.add(session, same_day);
            }
        }
    }
    Ok(counted)
}

impl Day {
    fn add(&mut self, session: &SessionRow, told: &[Told]) {
        self.sessions.insert(session.id);
        self.projects.extend(session.project.clone());
        self.turns += told.len();
        self.active_ms += active_ms(told.iter());
    }
}

fn day_of(turn: &Told, days: &[Range<i64>]) -> Option<usize> {
    let at = turn.at()?;
    let next = days.partition_point(|day| day.start <= at);
    let day = next.checked_sub(1)?;
    days.get(day)?.contains(&at).then_some(day)
}
