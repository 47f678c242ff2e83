//! The overview at the start of a session: a line for each memory, by which the agent knows what it
//! can read.

use crate::memory::Memory;
use crate::memory_block::{MemoryBlock, char_count, escape, truncate_escaped, wrap_in_fence};
use crate::trust::Trust;
use session_core::text::{one_line, printable};

/// The most characters of an overview: Claude Code cuts what a hook says at 10,000.
const MAX_CHARS: usize = 9000;
/// The most estimated tokens of a topic: the first of these with which all memories have a line, else the last.
const TOPIC_TOKENS: [usize; 5] = [30, 24, 18, 14, 10];
/// The most ids that are named of memories that are gone.
const MAX_GONE_IDS: usize = 10;
/// The number for which there is room where memories are counted.
const MAX_COUNT: usize = 9999;

const WHOLE_HEADING: &str = "Notes that were saved for this project, a line each. Before work that one concerns, read it: `session-search memory show ID`\n";
const UPDATE_HEADING: &str = "Saved notes that are new or changed since. Before work that one concerns, read it: `session-search memory show ID`\n";

/// The text of an overview.
#[derive(Debug, Default)]
pub(crate) struct OverviewContent<'a> {
    /// The memories, the most important first.
    pub(crate) memories: Vec<&'a Memory>,
    /// The ids of memories that the agent knows and that are no longer active.
    pub(crate) gone: Vec<String>,
    /// The agent knows all other memories.
    pub(crate) is_update: bool,
}

impl OverviewContent<'_> {
    /// Assembles the overview of at most `max_tokens` estimated tokens and [`MAX_CHARS`] characters.
    /// Returns `None` where there is nothing to say, or no room for it.
    pub(crate) fn assemble(&self, max_tokens: usize) -> Option<MemoryBlock> {
        let mut lines = Vec::new();
        for topic_tokens in TOPIC_TOKENS {
            lines = self.format_lines(topic_tokens, max_tokens);
            if lines.len() == self.memories.len() {
                break;
            }
        }
        let is_useful = !lines.is_empty() || (self.memories.is_empty() && !self.gone.is_empty());
        let left_out = self.memories.len() - lines.len();
        let listed = self.memories.iter().take(lines.len());
        is_useful.then(|| MemoryBlock {
            text: self.format(&lines, left_out),
            ids: listed.map(|memory| memory.id().to_owned()).collect(),
            truncated: left_out > 0,
        })
    }

    /// Formats the lines of the first memories, as many as fit.
    fn format_lines(&self, topic_tokens: usize, max_tokens: usize) -> Vec<String> {
        let mut size = self.frame_size();
        let lines = self
            .memories
            .iter()
            .map(|memory| format_line(memory, topic_tokens));
        let fitting = lines.take_while(|line| {
            size = size.plus(line).plus("\n");
            size.fits(max_tokens)
        });
        fitting.collect()
    }

    /// Returns the size of everything but the lines, whatever their number.
    fn frame_size(&self) -> TextSize {
        TextSize::default()
            .plus(self.heading())
            .plus(&wrap_in_fence(&[], false))
            .plus(&MAX_COUNT.to_string())
            .plus(&format_left_out(MAX_COUNT))
            .plus(&self.format_gone())
    }

    fn heading(&self) -> &'static str {
        match self.is_update {
            true => UPDATE_HEADING,
            false => WHOLE_HEADING,
        }
    }

    fn format(&self, lines: &[String], left_out: usize) -> String {
        let listed = match lines.is_empty() {
            true => String::new(),
            false => self.heading().to_owned() + &wrap_in_fence(lines, left_out > 0),
        };
        listed + &format_left_out(left_out) + &self.format_gone()
    }

    fn format_gone(&self) -> String {
        let named = &self.gone[..self.gone.len().min(MAX_GONE_IDS)];
        let more = match self.gone.len() - named.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        match named.is_empty() {
            true => String::new(),
            false => format!("No longer kept: {}{more}\n", named.join(", ")),
        }
    }
}

fn format_left_out(count: usize) -> String {
    match count {
        0 => String::new(),
        n => format!("and {n} more: `session-search memory list`\n"),
    }
}

/// Formats the line of a memory: `[decision] PostgreSQL with pgBouncer (mem-20260108-120000)`.
fn format_line(memory: &Memory, topic_tokens: usize) -> String {
    let topic = one_line(&printable(&memory.front.topic));
    let topic = truncate_escaped(&topic, chars_within(&escape(&topic), topic_tokens)).text;
    let origin = match memory.trust {
        Trust::Own => String::new(),
        other => format!(", {}", other.origin_label()),
    };
    let (label, id) = (memory.front.kind.label(), escape(memory.id()));
    format!("[{label}] {topic} ({id}{origin})")
}

/// Counts the characters with which a text begins within so many estimated tokens.
fn chars_within(text: &str, max_tokens: usize) -> usize {
    let mut size = TextSize::default();
    let mut bytes = [0; 4];
    let within = text.chars().take_while(|c| {
        size = size.plus(c.encode_utf8(&mut bytes));
        size.tokens() <= max_tokens
    });
    within.count()
}

/// The size of a text, from which its tokens are estimated: ASCII by fours, every other character by
/// itself.
#[derive(Debug, Clone, Copy, Default)]
struct TextSize {
    ascii: usize,
    other: usize,
}

impl TextSize {
    fn plus(self, text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count();
        Self {
            ascii: self.ascii + ascii,
            other: self.other + char_count(text) - ascii,
        }
    }

    fn tokens(self) -> usize {
        self.ascii.div_ceil(4) + self.other
    }

    fn fits(self, max_tokens: usize) -> bool {
        self.tokens() <= max_tokens && self.ascii + self.other <= MAX_CHARS
    }
}
