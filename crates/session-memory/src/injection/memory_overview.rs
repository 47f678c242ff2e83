//! The overview at the start of a session: a line for each memory, by which the agent knows what it
//! can read.

use crate::content::memory::{Importance, Memory};
use crate::injection::block_fence::BlockFence;
use crate::injection::escaped_text::{FittedText, char_count, truncate_escaped};
use crate::injection::memory_block::MemoryBlock;
use session_core::text::{collapse_whitespace, escape_tags, sanitize_text};

/// The most characters of an overview: Claude Code cuts what a hook says at 10,000.
const MAX_CHARS: usize = 9000;
/// The layouts of a line: the first with which all memories have one, else the last.
const LAYOUTS: [LineLayout; 16] = [
    LineLayout::full(30),
    LineLayout::full(24),
    LineLayout::compact(24, 24),
    LineLayout::compact(24, 20),
    LineLayout::compact(24, 18),
    LineLayout::compact(24, 16),
    LineLayout::compact(24, 14),
    LineLayout::compact(24, 12),
    LineLayout::compact(24, 11),
    LineLayout::compact(24, 10),
    LineLayout::compact(24, 9),
    LineLayout::compact(24, 8),
    LineLayout::compact(20, 8),
    LineLayout::compact(16, 8),
    LineLayout::compact(12, 8),
    LineLayout::compact(8, 8),
];
/// The end of the minute in an id without `mem-`: `20260108-1200`.
const MINUTE_END: usize = 13;
/// The most ids that are named of memories that are gone.
const MAX_GONE_IDS: usize = 10;
/// The count that the length of the last line (`and N more`) is reserved for.
const MAX_COUNT: usize = 9999;

const WHOLE_HEADING: &str = "Notes that were saved for this project, a line each. Before work that one concerns, read it: `session-search memory show ID`\n";
const UPDATE_HEADING: &str = "Saved notes that are new or changed since. Before work that one concerns, read it: `session-search memory show ID`\n";

/// The layout of the line of a memory.
#[derive(Debug, Clone, Copy)]
struct LineLayout {
    /// The most estimated tokens of an important memory's topic.
    important_tokens: usize,
    /// The most estimated tokens of any other topic.
    topic_tokens: usize,
    /// The kind is left out, and the id is cut after its minute.
    is_compact: bool,
}

impl LineLayout {
    const fn full(topic_tokens: usize) -> Self {
        Self {
            important_tokens: topic_tokens,
            topic_tokens,
            is_compact: false,
        }
    }

    const fn compact(important_tokens: usize, topic_tokens: usize) -> Self {
        Self {
            important_tokens,
            topic_tokens,
            is_compact: true,
        }
    }

    /// Returns the most estimated tokens of a memory's topic.
    fn tokens_of(self, memory: &Memory) -> usize {
        match memory.front.importance {
            Importance::High => self.important_tokens,
            Importance::Normal | Importance::Low => self.topic_tokens,
        }
    }
}

/// Returns true if even the widest line of an overview has no room for the whole topic of a memory.
pub(crate) fn is_topic_cut(memory: &Memory) -> bool {
    shorten_topic(memory, LAYOUTS[0]).truncated
}

/// Returns the topic of a memory as its line has it.
fn shorten_topic(memory: &Memory, layout: LineLayout) -> FittedText {
    let topic = collapse_whitespace(&sanitize_text(&memory.front.topic));
    let room = chars_within(&escape_tags(&topic), layout.tokens_of(memory));
    truncate_escaped(&topic, room)
}

/// The text of an overview.
#[derive(Debug, Default)]
pub(crate) struct OverviewContent<'a> {
    /// The memories, the most important first.
    pub(crate) memories: Vec<&'a Memory>,
    /// The ids of all files that an id is looked up in, whatever their state.
    pub(crate) all_ids: Vec<String>,
    /// The ids of memories that the agent knows and that are no longer active.
    pub(crate) gone: Vec<String>,
    /// The agent knows all other memories.
    pub(crate) is_update: bool,
}

impl OverviewContent<'_> {
    /// Assembles the overview of at most `max_tokens` estimated tokens and [`MAX_CHARS`] characters.
    /// Returns `None` if there is nothing to say, or no room for it.
    pub(crate) fn assemble(&self, max_tokens: usize) -> Option<MemoryBlock> {
        let mut lines = Vec::new();
        for layout in LAYOUTS {
            lines = self.format_lines(layout, max_tokens);
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
            truncated: left_out > 0 || lines.iter().any(|line| line.truncated),
        })
    }

    /// Formats the lines of the first memories, as many as fit.
    fn format_lines(&self, layout: LineLayout, max_tokens: usize) -> Vec<FittedText> {
        let mut size = self.frame_size();
        let mut origins = Vec::new();
        let lines = self.memories.iter().map(|memory| {
            let origin = memory.trust.origin_label();
            (origin, self.format_line(memory, layout))
        });
        let fitting = lines.take_while(|(origin, line)| {
            if !origins.contains(origin) {
                origins.push(*origin);
                size = size.plus(&open_fence(*origin, true).wrap(&[]));
            }
            size = size.plus(&line.text).plus("\n");
            size.fits(max_tokens)
        });
        fitting.map(|(_, line)| line).collect()
    }

    /// Returns the size of everything but the lines, whatever their number, and their fences.
    fn frame_size(&self) -> TextSize {
        TextSize::default()
            .plus(self.heading())
            .plus(&format_left_out(MAX_COUNT))
            .plus(&self.format_gone())
    }

    /// Returns the owners of the memories, each once, in their order.
    fn origins(&self) -> Vec<Option<&'static str>> {
        let mut origins = Vec::new();
        for memory in &self.memories {
            let origin = memory.trust.origin_label();
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        origins
    }

    fn heading(&self) -> &'static str {
        if self.is_update {
            UPDATE_HEADING
        } else {
            WHOLE_HEADING
        }
    }

    fn format(&self, lines: &[FittedText], left_out: usize) -> String {
        let heading = if lines.is_empty() { "" } else { self.heading() };
        let listed: String = self
            .origins()
            .into_iter()
            .map(|origin| self.format_lines_of(origin, lines, left_out > 0))
            .collect();
        heading.to_owned() + &listed + &format_left_out(left_out) + &self.format_gone()
    }

    /// Formats the lines of one owner in a fence that names it: in each line its name would take a quarter of the room.
    fn format_lines_of(
        &self,
        origin: Option<&'static str>,
        lines: &[FittedText],
        is_left_out: bool,
    ) -> String {
        let lines = self.memories.iter().zip(lines);
        let lines = lines.filter(|(memory, _)| memory.trust.origin_label() == origin);
        let lines: Vec<&FittedText> = lines.map(|(_, line)| line).collect();
        if lines.is_empty() {
            return String::new();
        }
        let is_cut = is_left_out || lines.iter().any(|line| line.truncated);
        let texts: Vec<String> = lines.into_iter().map(|line| line.text.clone()).collect();
        open_fence(origin, is_cut).wrap(&texts)
    }

    /// Formats the line of a memory: `[decision] PostgreSQL with pgBouncer (mem-20260108-120000)`.
    fn format_line(&self, memory: &Memory, layout: LineLayout) -> FittedText {
        let FittedText { text, truncated } = shorten_topic(memory, layout);
        let text = if layout.is_compact {
            format!("{text} ({})", escape_tags(self.short_id(memory.id())))
        } else {
            let (label, id) = (memory.front.kind.label(), escape_tags(memory.id()));
            format!("[{label}] {text} ({id})")
        };
        FittedText { text, truncated }
    }

    /// Returns the part of an id that ends with its minute, where no other memory's id begins with it, else all
    /// of it. Archived and deleted memories count: they are found by it, too.
    fn short_id<'i>(&self, id: &'i str) -> &'i str {
        let minute = |id: &'i str| id.strip_prefix("mem-")?.get(..MINUTE_END);
        let Some(short) = minute(id) else {
            return id;
        };
        let holders = self.all_ids.iter().filter(|id| {
            let id = id.strip_prefix("mem-").unwrap_or(id);
            id.starts_with(short)
        });
        if holders.count() > 1 { id } else { short }
    }

    fn format_gone(&self) -> String {
        let named = &self.gone[..self.gone.len().min(MAX_GONE_IDS)];
        let more = match self.gone.len() - named.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        if named.is_empty() {
            String::new()
        } else {
            format!("No longer kept: {}{more}\n", named.join(", "))
        }
    }
}

fn open_fence(origin: Option<&'static str>, truncated: bool) -> BlockFence {
    BlockFence {
        origin,
        ..BlockFence::marked(truncated)
    }
}

fn format_left_out(count: usize) -> String {
    match count {
        0 => String::new(),
        n => format!("and {n} more: `session-search memory list`\n"),
    }
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
