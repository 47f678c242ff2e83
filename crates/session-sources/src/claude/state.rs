//! The state that a reader keeps from one line to the next, and from one read
//! to the next.

use super::background::BackgroundCalls;
use super::queue::PromptQueue;
use super::reply::{ReplyBlocks, SidechainReplies};
use super::session_facts::{SessionFacts, SessionIdentity};
use crate::cursor::{CursorState, SeenIds, is_default};
use crate::turn_assembler::TurnProgress;
use crate::{Cursor, CursorRedaction};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the cursors.
pub(super) const VERSION: u32 = 7;

/// All that the next line needs to know of those before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TranscriptState {
    #[serde(flatten)]
    pub progress: TurnProgress,
    /// Count of turns up to the last read's end, those of prompts that waited there included.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivered: u32,
    /// Offset of the summary that came before the first turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub preface: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub seen: SeenIds,
    #[serde(default, skip_serializing_if = "is_default")]
    pub reply: ReplyBlocks,
    #[serde(default, skip_serializing_if = "is_default")]
    pub sidechain_replies: SidechainReplies,
    #[serde(default, skip_serializing_if = "is_default")]
    pub queue: PromptQueue,
    #[serde(default, skip_serializing_if = "is_default")]
    pub facts: SessionFacts,
    #[serde(default, skip_serializing_if = "is_default")]
    pub background: BackgroundCalls,
    /// The failures of background tasks that were reported in the turn at hand.
    #[serde(default, skip_serializing_if = "is_default")]
    pub failures: SeenIds,
}

/// Returns a redacted cursor of a transcript without the excluded titles and branch, and without its titles and branch where
/// its session is excluded.
pub(super) fn redact_cursor(at: &Path, cursor: &Cursor, redaction: &CursorRedaction<'_>) -> Cursor {
    let stem = at.file_stem().unwrap_or_default();
    let identity = SessionIdentity {
        id: stem.to_string_lossy().into_owned(),
        parent: None,
    };
    CursorState::<TranscriptState>::redact(cursor, VERSION, |state| {
        if (redaction.excludes_session)(&state.facts.meta(&identity)) {
            state.facts.clear_described();
        }
        state.facts.redact_branch(redaction);
        state.facts.redact_titles(redaction);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn_assembler::TurnState;

    /// Cursors lie in every index: a key that changes would be read as its default.
    #[test]
    fn a_cursor_of_an_earlier_version_is_read_as_it_was_meant() {
        let cursor = r#"{"version":7,"offset":7,"tail":"t","state":{"next":2,"standing":"Open","delivered":2,"seen":[1],
            "facts":{"cwd":"/home/ann","custom_title":"Lamp"}}}"#;
        let read = CursorState::<TranscriptState>::parse(&Cursor(cursor.into()), VERSION).unwrap();
        assert_eq!((read.state.progress.next, read.state.delivered), (2, 2));
        assert_eq!(read.state.progress.turn_state, TurnState::Open);
        let compact: String = cursor.split_whitespace().collect();
        assert_eq!(read.cursor().0.replace(' ', ""), compact);
    }
}
