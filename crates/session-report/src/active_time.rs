//! Active time of turns: elapsed time without pauses, overlaps counted once.

use session_core::PAUSE_MS;
use session_store::{TurnRecord, TurnRow};

/// Computes the active time of the turns in milliseconds.
///
/// Active time runs from the first message to the last, without the idle time within
/// turns and without gaps of more than [`PAUSE_MS`] between them. Turns that overlap, such
/// as those of a subagent and its parent, count once. When a turn was idle is not
/// recorded, only for how long: its active time is taken to lie where other turns were
/// active, as far as it fits there. A gap in which one of the `uncounted` turns lies is theirs.
pub(crate) fn compute_active_ms<'t>(
    turns: impl Iterator<Item = &'t TurnRecord>,
    uncounted: &UncountedTime,
) -> i64 {
    let mut all: Vec<ActiveInterval> = turns
        .filter_map(|turn| turn_interval(&turn.row, turn.content.turn_stats.idle_ms))
        .collect();
    all.sort_unstable_by_key(|s| (s.start, s.end));
    let (without_idle, mut with_idle): (Vec<ActiveInterval>, Vec<ActiveInterval>) =
        all.iter().partition(|s| s.idle_ms == 0);
    let busy = merge_intervals(&without_idle);
    with_idle.sort_by_key(|s| std::cmp::Reverse(s.active_ms()));
    let mut active_ms = busy.iter().map(ActiveInterval::duration_ms).sum::<i64>();
    let mut counted: Vec<CountedInterval> = Vec::new();
    for turn in with_idle {
        let overlap_ms = turn.overlap_ms(&busy) + sum_overlapping_counted_ms(turn, &counted);
        let counted_ms = (turn.active_ms() - overlap_ms).max(0);
        counted.push(CountedInterval {
            interval: turn,
            counted_ms,
        });
        active_ms += counted_ms;
    }
    let merged = merge_intervals(&all);
    let gaps = merged.windows(2).filter(|pair| {
        let is_short = pair[1].start - pair[0].end <= PAUSE_MS;
        is_short && !uncounted.meets(pair[0].end, pair[1].start)
    });
    active_ms + gaps.map(|pair| pair[1].start - pair[0].end).sum::<i64>()
}

/// The time of turns of a session that are not counted, as disjoint intervals in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct UncountedTime(Vec<ActiveInterval>);

impl UncountedTime {
    pub(crate) fn new(turns: &[TurnRow]) -> Self {
        Self::merge(turns.iter().filter_map(|turn| turn_interval(turn, 0)))
    }

    /// Adds the time of more turns.
    pub(crate) fn add(&mut self, turns: &[TurnRecord]) {
        let more = turns.iter().filter_map(|turn| turn_interval(&turn.row, 0));
        *self = Self::merge(self.0.iter().copied().chain(more));
    }

    fn merge(intervals: impl Iterator<Item = ActiveInterval>) -> Self {
        let mut sorted: Vec<ActiveInterval> = intervals.collect();
        sorted.sort_unstable_by_key(|interval| (interval.start, interval.end));
        Self(merge_intervals(&sorted))
    }

    /// Returns true if it has a part between two times, or touches one of them.
    fn meets(&self, start: i64, end: i64) -> bool {
        let next = self.0.partition_point(|interval| interval.start <= end);
        let last = next.checked_sub(1).and_then(|last| self.0.get(last));
        last.is_some_and(|last| last.end >= start)
    }
}

/// The time of a turn in milliseconds since 1970, and how many milliseconds of it were idle.
#[derive(Debug, Clone, Copy)]
struct ActiveInterval {
    start: i64,
    end: i64,
    idle_ms: i64,
}

/// An interval with idle time, and the milliseconds of it that were counted as active.
struct CountedInterval {
    interval: ActiveInterval,
    counted_ms: i64,
}

impl ActiveInterval {
    fn duration_ms(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }

    fn active_ms(&self) -> i64 {
        self.duration_ms().saturating_sub(self.idle_ms).max(0)
    }

    /// Computes how many milliseconds of it overlap with `others`, which are disjoint.
    fn overlap_ms(&self, others: &[Self]) -> i64 {
        let within = |other: &Self| self.end.min(other.end) - self.start.max(other.start);
        others.iter().map(within).filter(|ms| *ms > 0).sum()
    }
}

/// Sums the milliseconds that were counted for idle turns that overlap with `turn`: they may
/// be the same time.
fn sum_overlapping_counted_ms(turn: ActiveInterval, counted: &[CountedInterval]) -> i64 {
    let overlaps = |other: &ActiveInterval| other.start < turn.end && turn.start < other.end;
    let overlapping = counted.iter().filter(|other| overlaps(&other.interval));
    overlapping.map(|other| other.counted_ms).sum()
}

/// Merges intervals that overlap or touch. `sorted` is in the order of the starts.
fn merge_intervals(sorted: &[ActiveInterval]) -> Vec<ActiveInterval> {
    let mut merged: Vec<ActiveInterval> = Vec::new();
    for interval in sorted {
        match merged.last_mut().filter(|last| interval.start <= last.end) {
            Some(last) => last.end = last.end.max(interval.end),
            None => merged.push(*interval),
        }
    }
    merged
}

fn turn_interval(turn: &TurnRow, idle_ms: i64) -> Option<ActiveInterval> {
    let start = turn.timestamp_ms()?;
    let end = turn.ended_ms.unwrap_or(start).max(start);
    Some(ActiveInterval {
        start,
        end,
        idle_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record((start, end, idle): (i64, i64, i64)) -> TurnRecord {
        let mut turn = TurnRecord::default();
        turn.row.started_ms = Some(start * 60_000);
        turn.row.ended_ms = Some(end * 60_000);
        turn.content.turn_stats.idle_ms = idle * 60_000;
        turn
    }

    fn minutes(turns: &[(i64, i64, i64)]) -> i64 {
        minutes_beside(turns, &[])
    }

    fn minutes_beside(turns: &[(i64, i64, i64)], left_out: &[(i64, i64, i64)]) -> i64 {
        let turns: Vec<TurnRecord> = turns.iter().copied().map(record).collect();
        let left_out = left_out.iter().map(|turn| record(*turn).row);
        let uncounted = UncountedTime::new(&left_out.collect::<Vec<_>>());
        compute_active_ms(turns.iter(), &uncounted) / 60_000
    }

    #[test]
    fn a_gap_with_other_turns_is_not_counted() {
        let session = [(0, 5, 0), (8, 20, 0), (22, 30, 0), (33, 40, 0)];
        let [first, second, third, fourth] = session;
        assert_eq!(minutes(&session), 40);
        assert_eq!(minutes_beside(&[first, third], &[second, fourth]), 5 + 8);
        assert_eq!(minutes_beside(&[second, fourth], &[first, third]), 12 + 7);
        assert_eq!(
            minutes_beside(&[third, fourth], &[first, second]),
            18,
            "a gap between neighbours is counted"
        );
    }

    #[test]
    fn pauses_are_not_active_time() {
        assert_eq!(
            minutes(&[(0, 5, 0), (10, 20, 0)]),
            20,
            "a short gap is active time"
        );
        assert_eq!(minutes(&[(0, 5, 0), (36, 40, 0)]), 9);
        assert_eq!(minutes(&[(0, 100, 60)]), 40);
        assert_eq!(minutes(&[]), 0);
    }

    #[test]
    fn overlapping_turns_count_once() {
        assert_eq!(minutes(&[(0, 30, 0), (5, 20, 0), (10, 40, 0)]), 40);
        assert_eq!(
            minutes(&[(0, 92, 90), (1, 91, 0)]),
            90,
            "the parent waited for its subagent"
        );
        assert_eq!(
            minutes(&[(0, 100, 90), (0, 10, 0)]),
            10,
            "the parent was idle after its subagent"
        );
        assert_eq!(minutes(&[(0, 10, 0), (5, 60, 0), (50, 120, 30)]), 90);
        assert_eq!(minutes(&[(0, 100, 60), (0, 100, 50), (100, 120, 0)]), 70);
    }
}
