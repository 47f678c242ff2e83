//! Contents of turns that were read and not yet unpacked.

use crate::embeddings::vectors::SessionContents;
use crate::error::Result;
use crate::frames::contents::{OWN_TURNS, StoredContent, TurnFrame, read_frame};
use crate::frames::frame;
use crate::frames::last_frames::LastFrames;
use crate::id::{SessionId, TurnId};
use crate::reader::Reader;
use crate::sql::Statements;
use session_core::TurnContent;

/// Contents of turns as the index holds them. To unpack them takes longer than to read them, and any thread can.
pub struct PackedTurns<'r> {
    last_frames: &'r LastFrames,
    frames: Vec<PackedFrame>,
}

/// A frame with those of its turns that are wanted.
pub(crate) struct PackedFrame {
    packed: Vec<u8>,
    turns: Vec<TurnId>,
}

impl PackedFrame {
    /// Returns the contents in order.
    pub(crate) fn unpack(&self, last_frames: &LastFrames) -> Vec<StoredContent> {
        let raw = last_frames.decompress(&self.packed);
        frame::raw_contents(&raw, &self.turns)
    }
}

impl PackedTurns<'_> {
    /// Returns the contents in order.
    pub fn unpack(&self) -> Vec<StoredContent> {
        let unpack = |frame: &PackedFrame| frame.unpack(self.last_frames);
        self.frames.iter().flat_map(unpack).collect()
    }

    /// Returns the content of the first turn, an empty one where there is none.
    pub fn unpack_first(&self) -> TurnContent {
        let first = self.unpack().into_iter().next();
        first.map(|first| first.content).unwrap_or_default()
    }
}

/// A session's title, and the contents of its turns that are not copies.
pub struct PackedSession<'r> {
    title: Option<String>,
    turns: PackedTurns<'r>,
}

impl PackedSession<'_> {
    /// Returns what [`Reader::session_contents`] does.
    pub fn unpack(&self) -> SessionContents {
        SessionContents {
            title: self.title.clone(),
            turns: self.turns.unpack(),
        }
    }
}

impl Reader {
    /// Reads the content of a turn, without any where the turn is unknown.
    ///
    /// # Errors
    /// When the database fails.
    pub fn packed_turn(&self, turn: TurnId) -> Result<PackedTurns<'_>> {
        let select =
            "SELECT c.frame FROM turns t JOIN contents c ON c.id = t.frame WHERE t.id = ?1";
        let packed = self.db.first(select, [turn], read_frame)?;
        let frame = packed.map(|packed| PackedFrame {
            packed,
            turns: vec![turn],
        });
        Ok(PackedTurns {
            last_frames: &self.last_frames,
            frames: frame.into_iter().collect(),
        })
    }

    /// Reads a session's title, and the contents of its turns that are not copies.
    ///
    /// # Errors
    /// When the database fails.
    pub fn packed_session(&self, session: SessionId) -> Result<PackedSession<'_>> {
        let turns = self.turn_frames(OWN_TURNS, session)?;
        Ok(PackedSession {
            title: self.session_title(session)?,
            turns: PackedTurns {
                last_frames: &self.last_frames,
                frames: self.packed_frames(&turns).collect::<Result<_>>()?,
            },
        })
    }

    /// Reads the frames of turns one by one, each once where its turns follow each other.
    pub(crate) fn packed_frames(
        &self,
        turns: &[TurnFrame],
    ) -> impl Iterator<Item = Result<PackedFrame>> {
        turns.chunk_by(|a, b| a.frame == b.frame).map(|of_one| {
            Ok(PackedFrame {
                packed: self.packed_frame(of_one[0].frame)?,
                turns: of_one.iter().map(|turn| turn.turn).collect(),
            })
        })
    }
}
