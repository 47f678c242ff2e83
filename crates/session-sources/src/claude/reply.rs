//! Which blocks of a reply are new.

use super::entry::ContentBlock;
use crate::cursor::fingerprint;
use crate::cursor::is_default;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use session_core::{TEXT_LIMIT, TokenTotals, text};

/// Blocks of one reply that are remembered. They are part of each cursor.
const MAX_BLOCKS: usize = 64;

/// The blocks so far of the reply that is being written. Its lines share an
/// id. Most bring one more block each, but old versions wrote snapshots: all
/// blocks so far, of which the last may have grown.
///
/// A text of a reply may equal an earlier one, or begin with it, and be said
/// again all the same. So only a line that begins with all blocks so far is
/// taken for a snapshot, and a block has only grown when another before it
/// is the same to the letter. In doubt all is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReplyBlocks {
    #[serde(default, skip_serializing_if = "is_default")]
    id: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    blocks: Vec<BlockDigest>,
    /// Its tokens, as counted so far.
    #[serde(default, skip_serializing_if = "TokenTotals::is_zero")]
    tokens: TokenTotals,
}

/// Replies of which the tokens are remembered. They are part of each cursor.
const MAX_REPLIES: usize = 16;

/// The tokens of the last replies of subagents whose lines are in the file of their parent, as counted
/// so far. Where several work at once, the lines of their replies alternate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct SidechainReplies(Vec<(u64, TokenTotals)>);

impl SidechainReplies {
    /// Takes the tokens so far that a line of the reply of this id counts; returns how many more they are than its lines
    /// before counted. Without an id nothing was counted before.
    pub(super) fn count(&mut self, id: Option<&str>, so_far: TokenTotals) -> TokenTotals {
        let Some(id) = id.map(fingerprint) else {
            return so_far;
        };
        let at = self.0.iter().position(|(reply, _)| *reply == id);
        let known = at.map(|at| self.0.remove(at).1).unwrap_or_default();
        let news = so_far.saturating_sub(known);
        let mut counted = known;
        counted += news;
        self.0.push((id, counted));
        if self.0.len() > MAX_REPLIES {
            self.0.remove(0);
        }
        news
    }
}

/// How a block relates to those before it in its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockNovelty {
    New,
    /// It repeats an earlier block.
    Repeated,
    /// It begins with an earlier block of so many bytes, and goes on.
    Extended(usize),
}

/// A block to compare others with: its length in bytes and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct BlockDigest(BlockKind, usize, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum BlockKind {
    Text,
    Thinking,
    /// With an id, which no other call has.
    Call,
    Other,
}

impl ReplyBlocks {
    /// Takes the blocks of a line of the reply of this id, and says of each
    /// what it is. Without an id nothing is compared.
    pub(super) fn classify_blocks(
        &mut self,
        id: Option<&str>,
        line: &[ContentBlock<'_>],
    ) -> Vec<BlockNovelty> {
        self.select_reply(id);
        if self.id == 0 {
            return vec![BlockNovelty::New; line.len()];
        }
        let marks: Vec<BlockDigest> = line.iter().map(BlockDigest::from_block).collect();
        let novelties = self
            .snapshot(line, &marks)
            .unwrap_or_else(|| self.addition(&marks));
        self.blocks.truncate(MAX_BLOCKS);
        novelties
    }

    fn select_reply(&mut self, id: Option<&str>) {
        let id = id.map_or(0, fingerprint);
        if id != self.id {
            *self = Self {
                id,
                ..Self::default()
            };
        }
    }

    /// Takes the tokens so far that a line of the last reply counts; returns how many more they are than its lines before
    /// counted.
    pub(super) fn count(&mut self, so_far: TokenTotals) -> TokenTotals {
        if self.id == 0 {
            return so_far;
        }
        let news = so_far.saturating_sub(self.tokens);
        self.tokens += news;
        news
    }

    /// Returns the line as a snapshot of the reply; `None` when it is none.
    fn snapshot(
        &mut self,
        line: &[ContentBlock<'_>],
        marks: &[BlockDigest],
    ) -> Option<Vec<BlockNovelty>> {
        let pairs = self.blocks.iter().zip(marks);
        let same = pairs.take_while(|(before, now)| before == now).count();
        let grown = match self.blocks.get(same..)? {
            _ if same == 0 => return None,
            [] => None,
            [last] => Some(last.grown_length(line.get(same)?)?),
            _ => return None,
        };
        self.blocks.truncate(same);
        self.blocks.extend(marks.iter().skip(same));
        let mut novelties = vec![BlockNovelty::Repeated; same];
        novelties.extend(grown.map(BlockNovelty::Extended));
        novelties.resize(marks.len(), BlockNovelty::New);
        Some(novelties)
    }

    fn addition(&mut self, marks: &[BlockDigest]) -> Vec<BlockNovelty> {
        let novelty = |mark: &BlockDigest| {
            if mark.0 == BlockKind::Call && self.blocks.contains(mark) {
                return BlockNovelty::Repeated;
            }
            self.blocks.push(*mark);
            BlockNovelty::New
        };
        marks.iter().map(novelty).collect()
    }
}

impl BlockDigest {
    fn from_block(block: &ContentBlock<'_>) -> Self {
        let (kind, key) = digest_key(block);
        Self(kind, key.len(), fingerprint(key))
    }

    /// Returns the length of this block, when the other one is a longer state of it.
    fn grown_length(self, longer: &ContentBlock<'_>) -> Option<usize> {
        let (kind, key) = digest_key(longer);
        let begin = key.get(..self.1)?;
        let grows = matches!(kind, BlockKind::Text | BlockKind::Thinking);
        (grows && kind == self.0 && fingerprint(begin) == self.2).then_some(self.1)
    }
}

/// Returns the digest that identifies a block.
fn digest_key<'b>(block: &'b ContentBlock<'_>) -> (BlockKind, &'b str) {
    let kind = block.kind.or_empty();
    match (kind, block.id.get()) {
        ("text", _) => (BlockKind::Text, words(block)),
        ("thinking", _) => (BlockKind::Thinking, words(block)),
        ("tool_use" | "server_tool_use", Some(id)) => (BlockKind::Call, id),
        _ => {
            let input = block.input.map(RawValue::get);
            let key = block.tool_use_id.get().or(input);
            (BlockKind::Other, key.unwrap_or(kind))
        }
    }
}

/// Returns the words of a block of type `text` or `thinking`, as a turn holds them.
pub(super) fn words<'b>(block: &'b ContentBlock<'_>) -> &'b str {
    let words = match block.kind.get() {
        Some("thinking") => block.thinking.or_empty(),
        _ => block.text.or_empty(),
    };
    text::clip_words(words.trim(), TEXT_LIMIT)
}
