//! Counts of sessions, projects, turns and active time per day.

use crate::active_time::compute_active_ms;
use crate::turn_record::{TurnRecord, read_turns};
use session_store::{Reader, SessionId, SessionRow, StoreError};
use std::collections::HashSet;
use std::ops::Range;

/// The counts of one day. Sessions of subagents are not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DayStats {
    /// Row ids of the sessions with a turn that started on this day.
    pub sessions: HashSet<SessionId>,
    /// Project paths of these sessions.
    pub projects: HashSet<String>,
    /// Number of turns that started on this day.
    pub turns: usize,
    /// Active time in milliseconds, summed over the sessions. Sessions that ran at once
    /// both count.
    pub active_ms: i64,
}

impl DayStats {
    /// Sums days: sessions and projects that several of them share count once.
    pub fn sum<'d>(days: impl Iterator<Item = &'d Self>) -> Self {
        let mut total = Self::default();
        for day in days {
            total.sessions.extend(&day.sessions);
            total.projects.extend(day.projects.iter().cloned());
            total.turns += day.turns;
            total.active_ms += day.active_ms;
        }
        total
    }
}

/// Counts sessions, projects, turns and active time for each of `days`.
///
/// Each day is a half-open range in milliseconds since 1970. The days are sorted and do
/// not overlap. Sessions of subagents, sessions that `wanted` rejects and copies of
/// another session's turns are left out.
///
/// # Errors
/// When the index fails.
pub fn count_by_day(
    index: &Reader,
    sessions: &[SessionRow],
    days: &[Range<i64>],
    wanted: impl Fn(&SessionRow) -> bool,
) -> Result<Vec<DayStats>, StoreError> {
    let mut stats = vec![DayStats::default(); days.len()];
    for session in sessions.iter().filter(|s| s.parent.is_none() && wanted(s)) {
        let mut turns = read_turns(index, session.id)?;
        turns.retain(|turn| turn.row.owner.is_none());
        let day_index = |turn: &TurnRecord| find_day_index(turn, days).unwrap_or(usize::MAX);
        turns.sort_by_key(day_index);
        for same_day in turns.chunk_by(|a, b| day_index(a) == day_index(b)) {
            let day = same_day.first().map(day_index);
            if let Some(day) = day.and_then(|day| stats.get_mut(day)) {
                day.add_turns(session, same_day);
            }
        }
    }
    Ok(stats)
}

impl DayStats {
    fn add_turns(&mut self, session: &SessionRow, turns: &[TurnRecord]) {
        self.sessions.insert(session.id);
        self.projects.extend(session.project.clone());
        self.turns += turns.len();
        self.active_ms += compute_active_ms(turns.iter());
    }
}

fn find_day_index(turn: &TurnRecord, days: &[Range<i64>]) -> Option<usize> {
    let timestamp_ms = turn.timestamp_ms()?;
    let next = days.partition_point(|day| day.start <= timestamp_ms);
    let day = next.checked_sub(1)?;
    days.get(day)?.contains(&timestamp_ms).then_some(day)
}
