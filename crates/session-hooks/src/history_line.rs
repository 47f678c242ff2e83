//! A line about the history, as a block of its own.

use crate::memories::Memories;
use jiff::Timestamp;
use session_memory::{BlockItem, FrontmatterTime, Importance, InjectionSettings, MemoryBlock};

/// The characters of a block beside its line: the fence, the label and the time.
const FENCE_CHARS: usize = 200;

/// A line that says what happened in a session.
pub(crate) struct HistoryLine {
    /// The kind for the model.
    pub(crate) label: &'static str,
    /// The text.
    pub(crate) text: String,
    /// The id of the session or the turn, by which the line is given once.
    pub(crate) id: String,
    /// The time, in milliseconds.
    pub(crate) time_ms: i64,
    /// The most characters of the line.
    pub(crate) max_chars: usize,
}

impl Memories {
    /// Makes a block of a line, redacted, within `total_chars`; `None` where its time is none or nothing
    /// of it fits.
    pub(crate) fn history_block(&self, line: HistoryLine) -> Option<MemoryBlock> {
        let budget = self.home.config.injection;
        let settings = InjectionSettings {
            item_chars: line.max_chars,
            total_chars: budget.total_chars.min(line.max_chars + FENCE_CHARS),
            ..budget
        };
        let item = BlockItem {
            label: line.label.to_owned(),
            text: line.text,
            id: line.id,
            origin: Some("from your history"),
            updated: FrontmatterTime(Timestamp::from_millisecond(line.time_ms).ok()?),
            importance: Importance::Normal,
            relevance: 0,
        };
        let mut block = MemoryBlock::assemble(vec![item], &settings)?;
        self.home.config.redactor().redact_in_place(&mut block.text);
        Some(block)
    }
}
