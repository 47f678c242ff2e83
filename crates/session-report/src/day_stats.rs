//! Counts of sessions, projects, turns and active time per day.

use crate::active_time::compute_active_ms;
use crate::report_scope::ReportScope;
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
    /// both count. The time between a day's last turn and the next day's first is the next day's.
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
/// not overlap. Sessions of subagents, sessions and turns outside of `scope` and copies of
/// another session's turns are left out.
///
/// # Errors
/// When the index fails.
pub fn count_by_day(
    index: &Reader,
    sessions: &[SessionRow],
    days: &[Range<i64>],
    scope: ReportScope<'_>,
) -> Result<Vec<DayStats>, StoreError> {
    let mut stats = vec![DayStats::default(); days.len()];
    let roots = sessions.iter().filter(|s| s.parent.is_none());
    for session in roots.filter(|s| (scope.includes_root)(s)) {
        let mut turns = read_turns(index, session.id)?;
        turns.retain(|turn| turn.row.owner.is_none() && scope.covers_turn(session, turn));
        add_session(&mut stats, days, session, turns);
    }
    Ok(stats)
}

fn add_session(
    stats: &mut [DayStats],
    days: &[Range<i64>],
    session: &SessionRow,
    mut turns: Vec<TurnRecord>,
) {
    let day_index = |turn: &TurnRecord| find_day_index(turn, days);
    turns.sort_by_key(TurnRecord::timestamp_ms);
    let Some(last) = turns.iter().rposition(|turn| day_index(turn).is_some()) else {
        return;
    };
    turns.truncate(last + 1);
    let (mut counted, mut counted_ms) = (0, 0);
    for same_day in turns.chunk_by(|a, b| day_index(a) == day_index(b)) {
        counted += same_day.len();
        // With the turns of the days before, since the pause after the last of them counts, too.
        let active_ms = compute_active_ms(turns.iter().take(counted));
        if let Some(day) = same_day.first().and_then(day_index) {
            stats[day].add_turns(session, same_day.len(), (active_ms - counted_ms).max(0));
        }
        counted_ms = active_ms;
    }
}

impl DayStats {
    fn add_turns(&mut self, session: &SessionRow, turns: usize, active_ms: i64) {
        self.sessions.insert(session.id);
        self.projects.extend(session.project.clone());
        self.turns += turns;
        self.active_ms += active_ms;
    }
}

fn find_day_index(turn: &TurnRecord, days: &[Range<i64>]) -> Option<usize> {
    let timestamp_ms = turn.timestamp_ms()?;
    let next = days.partition_point(|day| day.start <= timestamp_ms);
    let day = next.checked_sub(1)?;
    days.get(day)?.contains(&timestamp_ms).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_around_midnight_is_whole() {
        let turn = |start: i64, end: i64| {
            let mut turn = TurnRecord::default();
            turn.row.started_ms = Some(start * 60_000);
            turn.row.ended_ms = Some(end * 60_000);
            turn
        };
        let day = |n: i64| n * 1440 * 60_000..(n + 1) * 1440 * 60_000;
        let days = [day(0), day(1)];
        let turns = vec![
            turn(-30, -10), // on the day before, and the pause after it on this one
            turn(10, 20),
            turn(1400, 1430),
            turn(1450, 1460),
            turn(1500, 1510),
        ];
        let mut stats = vec![DayStats::default(); days.len()];
        add_session(&mut stats, &days, &SessionRow::default(), turns);
        let minutes: Vec<i64> = stats.iter().map(|day| day.active_ms / 60_000).collect();
        assert_eq!(minutes, [20 + 10 + 30, 20 + 10 + 10]);
    }
}
