//! How long somebody worked.

use crate::told::Told;
use session_core::PAUSE_MS;

/// Milliseconds of work in these turns: from the first message to the last,
/// without the pauses in turns and between them. Turns that overlap, as those
/// of subagents and of those who sent them, count once: where one paused in a turn is not
/// known, so that its work counts as done while others worked.
pub(crate) fn active_ms<'t>(turns: impl Iterator<Item = &'t Told>) -> i64 {
    let mut all: Vec<Stretch> = turns.filter_map(span).collect();
    all.sort_unstable_by_key(|s| (s.start, s.end));
    let (busy, mut waiting): (Vec<Stretch>, Vec<Stretch>) = all.iter().partition(|s| s.idle == 0);
    let busy = united(&busy);
    waiting.sort_by_key(|s| std::cmp::Reverse(s.active()));
    let (mut extra, mut active) = (Vec::new(), busy.iter().map(Stretch::length).sum::<i64>());
    for turn in waiting {
        let more = (turn.active() - turn.shared(&busy) - shared_extra(turn, &extra)).max(0);
        extra.push((turn, more));
        active += more;
    }
    let gaps = united(&all);
    let gaps = gaps.windows(2).map(|two| two[1].start - two[0].end);
    active + gaps.filter(|gap| *gap <= PAUSE_MS).sum::<i64>()
}

/// Time from one message to another, and how much of it was spent waiting, somewhere in it.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: i64,
    end: i64,
    idle: i64,
}

impl Stretch {
    fn length(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }

    fn active(&self) -> i64 {
        self.length().saturating_sub(self.idle).max(0)
    }

    /// How much of it lies in others, which do not overlap.
    fn shared(&self, others: &[Self]) -> i64 {
        let within = |other: &Self| self.end.min(other.end) - self.start.max(other.start);
        others.iter().map(within).filter(|ms| *ms > 0).sum()
    }
}

/// What was counted of those that overlap with one: it may be the same time.
fn shared_extra(turn: Stretch, extra: &[(Stretch, i64)]) -> i64 {
    let overlaps = |other: &Stretch| other.start < turn.end && turn.start < other.end;
    let counted = extra.iter().filter(|(other, _)| overlaps(other));
    counted.map(|(_, more)| more).sum()
}

/// Stretches, sorted by their start, with those joined that overlap or touch.
fn united(sorted: &[Stretch]) -> Vec<Stretch> {
    let mut united: Vec<Stretch> = Vec::new();
    for stretch in sorted {
        match united.last_mut().filter(|last| stretch.start <= last.end) {
            Some(last) => last.end = last.end.max(stretch.end),
            None => united.push(*stretch),
        }
    }
    united
}

fn span(turn: &Told) -> Option<Stretch> {
    let start = turn.at()?;
    let end = turn.row.ended_ms.unwrap_or(start).max(start);
    let idle = turn.content.tally.idle_ms;
    Some(Stretch { start, end, idle })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(turns: &[(i64, i64, i64)]) -> i64 {
        let told: Vec<Told> = turns
            .iter()
            .map(|&(start, end, idle)| {
                let mut told = Told::default();
                told.row.started_ms = Some(start * 60_000);
                told.row.ended_ms = Some(end * 60_000);
                told.content.tally.idle_ms = idle * 60_000;
                told
            })
            .collect();
        active_ms(told.iter()) / 60_000
    }

    #[test]
    fn pauses_are_no_work() {
        assert_eq!(
            minutes(&[(0, 5, 0), (10, 20, 0)]),
            20,
            "a short gap is work"
        );
        assert_eq!(minutes(&[(0, 5, 0), (36, 40, 0)]), 9);
        assert_eq!(minutes(&[(0, 100, 60)]), 40);
        assert_eq!(minutes(&[]), 0);
    }

    #[test]
    fn what_is_done_at_once_counts_once() {
        assert_eq!(minutes(&[(0, 30, 0), (5, 20, 0), (10, 40, 0)]), 40);
        assert_eq!(
            minutes(&[(0, 92, 90), (1, 91, 0)]),
            90,
            "it waited for another"
        );
        assert_eq!(minutes(&[(0, 100, 90), (0, 10, 0)]), 10, "then for nobody");
        assert_eq!(minutes(&[(0, 10, 0), (5, 60, 0), (50, 120, 30)]), 90);
        assert_eq!(minutes(&[(0, 100, 60), (0, 100, 50), (100, 120, 0)]), 70);
    }
}
