//! The turns of a session that a report counts, and those that it leaves out.

use crate::active_time::UncountedTime;
use session_store::{Reader, SessionRow, StoreError, TurnRecord, TurnRow};

/// The turns of a session that a report counts, and the time of those that it leaves out.
#[derive(Default)]
pub(crate) struct CountedTurns {
    /// The counted turns in order. One without a time has that of the turn before it in the session, else that at which
    /// the session began.
    pub(crate) turns: Vec<TurnRecord>,
    pub(crate) uncounted: UncountedTime,
}

impl CountedTurns {
    /// Reads the turns that `is_counted` accepts by row and time, in milliseconds since 1970. Copies of another session's
    /// turns are left out.
    pub(crate) fn read(
        index: &Reader,
        session: &SessionRow,
        mut is_counted: impl FnMut(&TurnRow, i64) -> bool,
    ) -> Result<Self, StoreError> {
        let mut before_ms = session.started_ms;
        let (mut times, mut left_out) = (Vec::new(), Vec::new());
        let mut turns = index.turn_records(session.id, |row| {
            let time_ms = row.timestamp_ms().or(before_ms);
            before_ms = time_ms;
            let is_own = row.owner.is_none() && !row.is_excluded();
            let counted_ms = time_ms.filter(|at| is_own && is_counted(row, *at));
            match counted_ms {
                Some(at) => times.push(at),
                None if row.is_excluded() => {}
                None => left_out.push(row.clone()),
            }
            counted_ms.is_some()
        })?;
        for (turn, time_ms) in turns.iter_mut().zip(times) {
            turn.row.started_ms = Some(time_ms);
        }
        Ok(Self {
            turns,
            uncounted: UncountedTime::new(&left_out),
        })
    }
}
