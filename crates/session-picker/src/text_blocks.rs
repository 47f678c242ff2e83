//! Turns as lines of a screen, laid out block by block where they are looked at: a conversation may have a
//! million lines.

use crate::text_lines::{LineRole, TextLayout, TextLine};
use session_search::Exchange;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// The position of a line in the text. It is the same whatever the columns and the detail of calls; where a block is
/// not shown, or is shorter, the position is that of a line nearby.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextPosition {
    block: usize,
    /// Lines of the block before it.
    offset: usize,
}

impl TextPosition {
    fn at_block(block: usize) -> Self {
        Self { block, offset: 0 }
    }
}

/// The direction in which the next match or candidate is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchDirection {
    Forwards,
    Backwards,
}

/// Lines, or blocks that have none, in which matches are looked for at a time.
const CHUNK_LINES: usize = 256;

/// The turns of a session with their lines, as far as these were looked at.
#[derive(Debug, Default)]
pub(crate) struct TextBlocks {
    exchanges: Vec<Exchange>,
    layout: TextLayout,
    blocks: Vec<TextBlock>,
}

/// The rule and the prompt of a turn, or one of its parts.
#[derive(Debug)]
struct TextBlock {
    /// Position in `exchanges`.
    exchange: usize,
    /// 0 for the prompt, else the number of the part, from 1.
    part: usize,
    lines: OnceCell<Vec<TextLine>>,
}

impl TextBlocks {
    /// Takes turns of a session that has `turns` of them, where rules with their numbers are to stand above them.
    pub(crate) fn new(exchanges: Vec<Exchange>, turns: impl Into<Option<u32>>) -> Self {
        let mut blocks = Vec::new();
        for (exchange, at) in exchanges.iter().zip(0..) {
            blocks.extend((0..=exchange.turn.parts.len()).map(|part| TextBlock {
                exchange: at,
                part,
                lines: OnceCell::new(),
            }));
        }
        let layout = TextLayout {
            turns: turns.into(),
            ..TextLayout::default()
        };
        Self {
            exchanges,
            layout,
            blocks,
        }
    }

    pub(crate) fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    pub(crate) fn layout(&self) -> TextLayout {
        self.layout
    }

    /// Lays the lines out otherwise. The positions are then those where the text of their lines stands.
    pub(crate) fn set_layout(&mut self, layout: TextLayout, positions: &mut [&mut TextPosition]) {
        let letters: Vec<Option<usize>> = positions
            .iter()
            .map(|position| self.letters_before(position))
            .collect();
        self.layout = layout;
        for block in &mut self.blocks {
            block.lines.take();
        }
        for (position, letters) in positions.iter_mut().zip(letters) {
            if let Some(letters) = letters {
                **position = self.position_after(position.block, letters);
            }
        }
    }

    /// Counts the letters of a block before a line; `None` if the block is not shown.
    fn letters_before(&self, position: &TextPosition) -> Option<usize> {
        let lines = self.lines(position.block);
        let before = lines.iter().take(position.offset).map(count_letters);
        (!lines.is_empty()).then(|| before.sum())
    }

    /// Takes all `turns` of the session in the place of some of them. The positions are then those where their lines stand.
    pub(crate) fn replace_turns(
        &mut self,
        exchanges: Vec<Exchange>,
        turns: u32,
        positions: &mut [&mut TextPosition],
    ) {
        let turns_before: Vec<u32> = positions
            .iter_mut()
            .map(|position| {
                let turn = self.turn_at(**position).unwrap_or_default();
                position.block -= self.turn_start(turn).block.min(position.block);
                turn
            })
            .collect();
        let layout = self.layout;
        *self = Self::new(exchanges, turns);
        self.layout = TextLayout {
            turns: Some(turns),
            ..layout
        };
        for (position, turn) in positions.iter_mut().zip(turns_before) {
            position.block += self.turn_start(turn).block;
        }
    }

    /// Returns the line of a block that has so many letters before it, or holds the last of them.
    fn position_after(&self, block: usize, letters_before: usize) -> TextPosition {
        let mut sum = 0;
        let lines = self.lines(block).iter().take_while(|line| {
            sum += count_letters(line);
            sum <= letters_before
        });
        let offset = lines.count();
        TextPosition { block, offset }
    }

    /// Returns the number of the turn of a line in the session, from 0; `None` if there are no turns.
    pub(crate) fn turn_at(&self, position: TextPosition) -> Option<u32> {
        let last = self.blocks.len().checked_sub(1)?;
        let block = self.blocks.get(position.block.min(last))?;
        Some(self.exchanges.get(block.exchange)?.turn.index)
    }

    /// Returns the first line of a turn, or of the next one that there is; after the last, the end.
    pub(crate) fn turn_start(&self, turn: u32) -> TextPosition {
        let is_before = |block: &TextBlock| self.exchanges[block.exchange].turn.index < turn;
        TextPosition::at_block(self.blocks.partition_point(is_before))
    }

    /// Returns the position behind the last line.
    pub(crate) fn end(&self) -> TextPosition {
        TextPosition::at_block(self.blocks.len())
    }

    /// Returns the position of a line that is shown: the same, or one nearby.
    pub(crate) fn clamp_position(&self, position: TextPosition) -> TextPosition {
        let own = self.lines(position.block).len();
        if own > 0 {
            let offset = position.offset.min(own - 1);
            return TextPosition { offset, ..position };
        }
        let next = TextPosition::at_block(position.block.saturating_add(1));
        let next = self.lines_from(next).next();
        let before = || self.lines_before(position).next();
        next.or_else(before)
            .map_or(TextPosition::default(), |(at, _)| at)
    }

    /// Iterates over the lines from a position on.
    pub(crate) fn lines_from(
        &self,
        from: TextPosition,
    ) -> impl Iterator<Item = (TextPosition, &TextLine)> {
        (from.block..self.blocks.len()).flat_map(move |block| {
            let first = if block == from.block { from.offset } else { 0 };
            let lines = self.lines(block).iter().enumerate().skip(first);
            lines.map(move |(offset, line)| (TextPosition { block, offset }, line))
        })
    }

    /// Iterates backwards over the lines before a position.
    pub(crate) fn lines_before(
        &self,
        end: TextPosition,
    ) -> impl Iterator<Item = (TextPosition, &TextLine)> {
        let blocks = (0..self.blocks.len()).rev();
        let blocks = blocks.skip_while(move |block| *block > end.block);
        blocks.flat_map(move |block| {
            let lines = self.lines(block);
            let own = if block == end.block {
                end.offset
            } else {
                lines.len()
            };
            let lines = lines.iter().enumerate().take(own).rev();
            lines.map(move |(offset, line)| (TextPosition { block, offset }, line))
        })
    }

    /// Takes lines from the beginning of a range, or backwards from its end, which leaves it shorter. They
    /// are not kept: whoever looks for a word passes by all of them. They come in the order of the text, with those
    /// behind the range that go on with its last text.
    pub(crate) fn take_lines(
        &self,
        range: &mut Range<TextPosition>,
        direction: SearchDirection,
    ) -> Vec<(TextPosition, TextLine)> {
        let (mut blocks, mut lines) = (Vec::new(), 0);
        while !range.is_empty() && lines < CHUNK_LINES && blocks.len() < CHUNK_LINES {
            let block = self.take_block_lines(range, direction);
            lines += block.len();
            blocks.push(block);
        }
        if direction == SearchDirection::Backwards {
            blocks.reverse();
        }
        blocks.into_iter().flatten().collect()
    }

    /// Takes the lines of the first or the last block of a range that is not empty.
    fn take_block_lines(
        &self,
        range: &mut Range<TextPosition>,
        direction: SearchDirection,
    ) -> Vec<(TextPosition, TextLine)> {
        let block = match (direction, range.end.offset) {
            (SearchDirection::Forwards, _) => range.start.block,
            (SearchDirection::Backwards, 0) => range.end.block.saturating_sub(1),
            (SearchDirection::Backwards, _) => range.end.block,
        };
        let own = TextPosition::at_block(block)..TextPosition::at_block(block + 1);
        let wanted = own.start.max(range.start)..own.end.min(range.end);
        match direction {
            SearchDirection::Forwards => range.start = wanted.end,
            SearchDirection::Backwards => range.end = wanted.start,
        }
        let lines = self.peek_lines(block).into_owned().into_iter().enumerate();
        let lines = lines.map(|(offset, line)| (TextPosition { block, offset }, line));
        let lines = lines.skip_while(|(at, _)| *at < wanted.start);
        lines
            .take_while(|(at, line)| *at < wanted.end || line.fold.is_some())
            .collect()
    }

    /// Returns the lines of a block, and keeps them.
    fn lines(&self, block: usize) -> &[TextLine] {
        match self.blocks.get(block) {
            Some(block) => block.lines.get_or_init(|| self.lay_out_block(block)),
            None => &[],
        }
    }

    /// Returns the lines of a block, and does not keep them.
    fn peek_lines(&self, block: usize) -> Cow<'_, [TextLine]> {
        let Some(block) = self.blocks.get(block) else {
            return Cow::Borrowed(&[]);
        };
        match block.lines.get() {
            Some(lines) => Cow::Borrowed(lines),
            None => Cow::Owned(self.lay_out_block(block)),
        }
    }

    #[cfg(test)]
    pub(crate) fn count_kept_blocks(&self) -> usize {
        let kept = self.blocks.iter();
        kept.filter(|block| block.lines.get().is_some()).count()
    }

    fn lay_out_block(&self, block: &TextBlock) -> Vec<TextLine> {
        let exchange = self.exchanges.get(block.exchange);
        exchange.map_or(Vec::new(), |exchange| {
            self.layout.lay_out_lines(exchange, block.part)
        })
    }
}

/// Counts the letters by which a line is found again in other columns, where rules and spaces differ.
fn count_letters(line: &TextLine) -> usize {
    let words = line.text.split_whitespace();
    match line.role {
        LineRole::Rule => 1,
        _ => words.map(str::len).sum::<usize>().max(1),
    }
}
