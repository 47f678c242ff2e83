//! Counts of sessions, projects, turns and active time per day.

use crate::active_time::compute_active_ms;
use crate::calendar_range::CalendarDay;
use crate::counted_turns::CountedTurns;
use crate::report_scope::ReportScope;
use session_store::{Reader, SessionId, SessionRow, StoreError, TurnRecord, TurnRow};
use std::collections::HashSet;

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

/// A day and what was done on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedDay {
    /// The day.
    pub day: CalendarDay,
    /// Its counts.
    pub stats: DayStats,
}

/// Counts sessions, projects, turns and active time for each of `days`.
///
/// The days are sorted and do not overlap. Sessions of subagents, sessions and turns outside of `scope` and copies of
/// another session's turns are left out.
///
/// # Errors
/// When the index fails.
pub fn count_by_day(
    index: &Reader,
    sessions: &[SessionRow],
    days: Vec<CalendarDay>,
    scope: ReportScope<'_>,
) -> Result<Vec<CountedDay>, StoreError> {
    let days = days.into_iter().map(|day| CountedDay {
        day,
        stats: DayStats::default(),
    });
    let mut days: Vec<CountedDay> = days.collect();
    for session in scope.roots(sessions) {
        let is_covered = |turn: &TurnRow, _| scope.covers_turn(session, turn);
        let turns = CountedTurns::read(index, session, is_covered)?;
        add_session(&mut days, session, turns);
    }
    Ok(days)
}

fn add_session(days: &mut [CountedDay], session: &SessionRow, turns: CountedTurns) {
    let CountedTurns {
        mut turns,
        uncounted,
    } = turns;
    turns.sort_by_key(|turn| turn.row.timestamp_ms());
    let day_indexes = turns.iter().map(|turn| find_day_index(turn, days));
    let mut day_indexes: Vec<Option<usize>> = day_indexes.collect();
    let last = day_indexes.iter().rposition(Option::is_some);
    day_indexes.truncate(last.map_or(0, |last| last + 1));
    let (mut counted, mut counted_ms) = (0, 0);
    for same_day in day_indexes.chunk_by(|a, b| a == b) {
        counted += same_day.len();
        // With the turns of the days before, since the pause after the last of them counts, too.
        let active_ms = compute_active_ms(turns.iter().take(counted), &uncounted);
        if let Some(day) = same_day.first().copied().flatten() {
            let stats = &mut days[day].stats;
            stats.add_turns(session, same_day.len(), (active_ms - counted_ms).max(0));
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

fn find_day_index(turn: &TurnRecord, days: &[CountedDay]) -> Option<usize> {
    let time_ms = turn.row.timestamp_ms()?;
    let next = days.partition_point(|day| day.day.milliseconds.start <= time_ms);
    let day = next.checked_sub(1)?;
    let milliseconds = &days.get(day)?.day.milliseconds;
    milliseconds.contains(&time_ms).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::Date;

    #[test]
    fn work_around_midnight_is_whole() {
        let turn = |start: i64, end: i64| {
            let mut turn = TurnRecord::default();
            turn.row.started_ms = Some(start * 60_000);
            turn.row.ended_ms = Some(end * 60_000);
            turn
        };
        let day = |n: i64| CountedDay {
            day: CalendarDay {
                date: Date::default(),
                milliseconds: n * 1440 * 60_000..(n + 1) * 1440 * 60_000,
            },
            stats: DayStats::default(),
        };
        let mut days = [day(0), day(1)];
        let turns = vec![
            turn(-30, -10), // on the day before, and the pause after it on this one
            turn(10, 20),
            turn(1400, 1430),
            turn(1450, 1460),
            turn(1500, 1510),
        ];
        let counted = CountedTurns {
            turns,
            ..CountedTurns::default()
        };
        add_session(&mut days, &SessionRow::default(), counted);
        let minutes = days.map(|day| day.stats.active_ms / 60_000);
        assert_eq!(minutes, [20 + 10 + 30, 20 + 10 + 10]);
    }
}
