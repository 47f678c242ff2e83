//! Finds turns whose contents cannot be read.

use crate::error::Result;
use crate::frames::frame::damaged_turns;
use crate::id::{FrameId, SessionId, TurnId};
use crate::reader::Reader;
use crate::sql::Statements;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A session some of whose contents are damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedSession {
    /// Number of the session.
    pub session: SessionId,
    /// Number of its turns with a damaged content, or without one.
    pub turns: usize,
}

/// A turn with the frame that holds its content, and its session.
#[derive(Debug, Clone, Copy)]
struct FramedTurn {
    turn: TurnId,
    frame: FrameId,
    session: SessionId,
}

/// Frames that are checked at once, on all threads.
const FRAMES_AT_ONCE: usize = 256;

impl Reader {
    /// Reads the contents of all turns, and returns the sessions that have damaged ones, by number. Frames of earlier
    /// versions have no checksum: what is damaged there may read as another text.
    ///
    /// # Errors
    /// When the database fails.
    pub fn damaged_contents(&self) -> Result<Vec<DamagedSession>> {
        let turns = self.framed_turns()?;
        let frames: Vec<&[FramedTurn]> = turns.chunk_by(|a, b| a.frame == b.frame).collect();
        let mut damaged: BTreeMap<SessionId, usize> = BTreeMap::new();
        for part in frames.chunks(FRAMES_AT_ONCE) {
            for session in self.damaged_turns_of(part)? {
                *damaged.entry(session).or_default() += 1;
            }
        }
        let damaged = damaged.into_iter();
        Ok(damaged
            .map(|(session, turns)| DamagedSession { session, turns })
            .collect())
    }

    /// Returns the session of each damaged turn of some frames.
    fn damaged_turns_of(&self, frames: &[&[FramedTurn]]) -> Result<Vec<SessionId>> {
        let packed = frames.iter().map(|turns| self.packed_frame(turns[0].frame));
        let packed = packed.collect::<Result<Vec<_>>>()?;
        let damaged = packed
            .par_iter()
            .zip(frames)
            .flat_map_iter(|(packed, turns)| {
                let ids: Vec<TurnId> = turns.iter().map(|turn| turn.turn).collect();
                let damaged = damaged_turns(packed, &ids);
                let damaged = turns
                    .iter()
                    .filter(move |turn| damaged.contains(&turn.turn));
                damaged.map(|turn| turn.session)
            });
        Ok(damaged.collect())
    }

    /// Returns all turns by frame, but for forgotten ones.
    fn framed_turns(&self) -> Result<Vec<FramedTurn>> {
        let select = "SELECT id, frame, session FROM turns WHERE start < stop ORDER BY frame";
        self.db.rows(select, [], |row| {
            Ok(FramedTurn {
                turn: row.get(0)?,
                frame: row.get(1)?,
                session: row.get(2)?,
            })
        })
    }
}
