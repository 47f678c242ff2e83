//! How long somebody worked.

use crate::told::Told;
use session_core::PAUSE_MS;

/// Milliseconds of work in these turns: from the first message to the last,
/// without the pauses in turns and between them. Turns that overlap, as those
/// of subagents and of those who sent them, count once.
pub(crate) fn active_ms<'t>(turns: impl Iterator<Item = &'t Told>) -> i64 {
    let mut spans: Vec<(i64, i64, i64)> = turns.filter_map(span).collect();
    spans.sort_unstable();
    let mut stretches: Vec<Stretch> = Vec::new();
    for (start, end, idle) in spans {
        let active = end.saturating_sub(start).saturating_sub(idle).max(0);
        match stretches.last_mut().filter(|last| start <= last.end) {
            Some(last) => {
                last.end = last.end.max(end);
                last.active = last.active.saturating_add(active);
            }
            None => stretches.push(Stretch { start, end, active }),
        }
    }
    let worked: i64 = stretches.iter().map(Stretch::worked).sum();
    let gaps = stretches
        .windows(2)
        .map(|two| two[1].start.saturating_sub(two[0].end));
    worked + gaps.filter(|gap| *gap <= PAUSE_MS).sum::<i64>()
}

/// Turns that overlap or touch.
struct Stretch {
    start: i64,
    end: i64,
    /// The work in each of them, added up.
    active: i64,
}

impl Stretch {
    /// What two do at once counts once; while one waits, another may work.
    fn worked(&self) -> i64 {
        self.active.min(self.end.saturating_sub(self.start))
    }
}

fn span(turn: &Told) -> Option<(i64, i64, i64)> {
    let start = turn.at()?;
    let end = turn.row.ended_ms.unwrap_or(start).max(start);
    Some((start, end, turn.content.tally.idle_ms))
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
            92,
            "it waited for another"
        );
    }
}
