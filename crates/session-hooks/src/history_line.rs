//! A line about the history, as a block of its own.

use jiff::Timestamp;
use session_config::Config;
use session_core::text::shorten_words;
use session_memory::{BlockItem, FrontmatterTime, Importance, InjectionLimits, MemoryBlock};
use std::borrow::Cow;

/// The characters of a block beside its line: the fence, the label and the time.
const FENCE_CHARS: usize = 200;

/// A line that says what happened in a session.
pub(crate) struct HistoryLine {
    /// The kind for the model.
    pub(crate) label: &'static str,
    /// The text.
    pub(crate) text: String,
    /// The command that shows the session or the turn; the line is injected once for each.
    pub(crate) id: String,
    /// The time, in milliseconds.
    pub(crate) time_ms: i64,
    /// The most characters of the line.
    pub(crate) max_chars: usize,
}

impl HistoryLine {
    /// Makes a block of the line, redacted, within `total_chars`; `None` if its time is none or nothing of it fits.
    pub(crate) fn into_block(self, config: &Config) -> Option<MemoryBlock> {
        let budget = config.injection;
        let settings = InjectionLimits {
            item_chars: self.max_chars,
            total_chars: budget.total_chars.min(self.max_chars + FENCE_CHARS),
            ..budget
        };
        let item = BlockItem {
            label: self.label.to_owned(),
            text: self.text,
            id: self.id,
            show: None,
            origin: Some("from your history"),
            updated: FrontmatterTime(Timestamp::from_millisecond(self.time_ms).ok()?),
            importance: Importance::Normal,
            relevance: 0,
        };
        let mut block = MemoryBlock::assemble(vec![item], &settings, None)?;
        config.redactor().redact_in_place(&mut block.text);
        Some(block)
    }
}

/// Shortens a command or an error to the beginning of its first line, of at most `bytes`, and marks the cut: what is
/// left may mean something else than the whole, such as `DELETE FROM t` without its `WHERE`.
pub(crate) fn shorten(text: &str, bytes: usize) -> Cow<'_, str> {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    shorten_words(text, bytes.min(line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_within_its_own_limit_and_that_of_all() {
        let chars_of = |total_chars| {
            let mut config = Config::default();
            config.injection.total_chars = total_chars;
            let line = HistoryLine {
                label: "failed before",
                text: "word ".repeat(200),
                id: "fe000000:0".to_owned(),
                time_ms: 0,
                max_chars: 400,
            };
            line.into_block(&config).map(|block| block.char_count())
        };
        let of_many = chars_of(2000).unwrap();
        assert!((400..=600).contains(&of_many), "{of_many}");
        assert!(chars_of(300).unwrap() <= 300);
        assert_eq!(chars_of(0), None);
    }

    #[test]
    fn a_command_that_is_shortened_ends_with_a_mark() {
        let long = format!(
            "psql -c \"DELETE FROM leases WHERE {}\"",
            "a = 1 AND ".repeat(9)
        );
        let short = shorten(&long, 80);
        assert!(short.len() <= 80 + "…".len(), "{short}");
        assert!(
            long.starts_with(short.strip_suffix('…').unwrap()),
            "{short}"
        );
        let heredoc = "psql shop <<'EOF'\nDELETE FROM leases\nWHERE id = 1;\nEOF\n";
        assert_eq!(shorten(heredoc, 80), "psql shop <<'EOF'…");
        for whole in ["make clean", "make\n"] {
            assert_eq!(shorten(whole, 80), whole.trim());
        }
    }
}
