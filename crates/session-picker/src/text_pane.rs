//! Turns that are laid out for the columns of a pane, with a place in them.

use crate::marked::MarkedWords;
use crate::match_count::{MatchCount, MatchNumber};
use crate::text_blocks::{SearchDirection, TextBlocks, TextPosition};
use crate::text_lines::{CallDetail, TextLayout, TextLine};
use crate::unfolded_line::UnfoldedLine;
use session_search::Exchange;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Turns as lines, with what is marked and the first line that is drawn. Matches are looked for in the
/// lines that are drawn, and from there on as far as one moment allows: the rest is for
/// [`TextPane::continue_search`].
#[derive(Debug, Default)]
pub(crate) struct TextPane {
    pub(crate) text: TextBlocks,
    marked: MarkedWords,
    /// The line of the match that was found last.
    current: Option<TextPosition>,
    pub(crate) height: usize,
    /// The first line that is drawn, where it is shown.
    scroll: TextPosition,
    /// The end was gone to, and stands at the bottom.
    is_at_end: bool,
    search: Option<MatchSearch>,
    count: MatchCount,
    /// The number of the match that was found last is wanted, and not known.
    is_counting: bool,
}

/// A search for the next match.
#[derive(Debug)]
struct MatchSearch {
    /// Where it is still to be looked for, the last one first.
    ranges: Vec<Range<TextPosition>>,
    /// The search has passed the end of the text, or backwards its beginning.
    is_around: bool,
    direction: SearchDirection,
    /// The begin of the turn that is opened at its match.
    opened_at: Option<TextPosition>,
}

/// The state of a search for the next match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchState {
    Found,
    /// It is found around the end of the text, or backwards around its beginning.
    FoundAround(SearchDirection),
    NotFound,
    /// It takes longer than a moment.
    Running,
}

/// Lines above and below the screen into which a phrase on it is followed: nobody looks for a longer one.
const PHRASE_LINES: usize = 8;

/// Longest time that a search may keep the screen waiting.
const SEARCH_STEP: Duration = Duration::from_millis(20);

/// A line that is drawn.
pub(crate) struct VisibleLine<'p> {
    /// The line.
    pub(crate) line: &'p TextLine,
    /// The byte ranges of it that match.
    pub(crate) matches: Vec<Range<usize>>,
    /// The match that was found last begins in it.
    pub(crate) is_current: bool,
}

impl TextPane {
    /// Takes turns of a session that has `turns` of them; they are laid out when they are drawn. Without `turns` no rule with
    /// the number of a turn stands above it.
    pub(crate) fn new(exchanges: Vec<Exchange>, turns: impl Into<Option<u32>>) -> Self {
        Self {
            text: TextBlocks::new(exchanges, turns),
            ..Self::default()
        }
    }

    /// Lays the turns out where the columns or the detail of calls have changed; returns true if they
    /// have. The line at the top stays there.
    pub(crate) fn lay_out(&mut self, columns: usize, height: usize, calls: CallDetail) -> bool {
        self.height = height;
        let known = self.text.layout();
        let layout = TextLayout {
            columns,
            calls,
            ..known
        };
        if layout == known {
            return false;
        }
        let mut kept: Vec<_> = std::iter::once(&mut self.scroll)
            .chain(&mut self.current)
            .collect();
        self.text.set_layout(layout, &mut kept);
        self.forget_lines();
        true
    }

    /// Takes all `turns` of the session in the place of some of them. The line at the top stays there.
    pub(crate) fn replace_turns(&mut self, exchanges: Vec<Exchange>, turns: u32) {
        let mut kept: Vec<_> = std::iter::once(&mut self.scroll)
            .chain(&mut self.current)
            .collect();
        self.text.replace_turns(exchanges, turns, &mut kept);
        self.forget_lines();
    }

    /// Forgets what is known of lines that are now others.
    fn forget_lines(&mut self) {
        self.is_at_end = false;
        self.count = MatchCount::default();
    }

    /// Sets what is marked; returns true if that has changed.
    pub(crate) fn set_marked(&mut self, marked: MarkedWords) -> bool {
        let has_changed = self.marked != marked;
        if has_changed {
            self.marked = marked;
            self.current = None;
            self.count = MatchCount::default();
        }
        has_changed
    }

    /// Returns the lines that are drawn.
    pub(crate) fn visible_lines(&self) -> Vec<VisibleLine<'_>> {
        let mut lines = self.lines_above();
        let above = lines.len();
        let mut from_top = self.text.lines_from(self.top()).map(|(_, line)| line);
        lines.extend(from_top.by_ref().take(self.height));
        let below = from_top.take(PHRASE_LINES);
        lines.extend(below.take_while(|line| line.fold.is_some()));
        let matches = self.find_matches(&lines);
        let positions = self.text.lines_from(self.top()).map(|(at, _)| at);
        let drawn = lines.into_iter().zip(matches).skip(above).zip(positions);
        let drawn = drawn.map(|((line, matches), at)| VisibleLine {
            line,
            matches,
            is_current: self.current == Some(at),
        });
        drawn.take(self.height).collect()
    }

    /// Returns the lines before those that are drawn whose text goes on there.
    fn lines_above(&self) -> Vec<&TextLine> {
        let top = self.top();
        let is_folded = |line: &TextLine| line.fold.is_some();
        let first = self.text.lines_from(top).next();
        let mut goes_on = first.is_some_and(|(_, line)| is_folded(line));
        if !goes_on {
            return Vec::new();
        }
        let before = self.text.lines_before(top).take(PHRASE_LINES);
        let before = before.map(|(_, line)| line);
        let mut above: Vec<_> = before
            .take_while(|line| std::mem::replace(&mut goes_on, is_folded(line)))
            .collect();
        above.reverse();
        above
    }

    /// Returns the byte ranges that match in each line; a match may go on in the next one.
    fn find_matches(&self, lines: &[&TextLine]) -> Vec<Vec<Range<usize>>> {
        let mut matches = vec![Vec::new(); lines.len()];
        let unfolded = UnfoldedLine::join(lines);
        for (text, ranges) in unfolded.iter().zip(self.marked.find_in(&unfolded)) {
            for (line, range) in ranges.into_iter().flat_map(|range| text.line_ranges(range)) {
                matches[line].push(range);
            }
        }
        matches
    }

    /// Returns the first line that is drawn.
    pub(crate) fn top(&self) -> TextPosition {
        self.text.clamp_position(self.scroll)
    }

    /// Returns the turn at the top, from 0.
    pub(crate) fn top_turn(&self) -> Option<u32> {
        self.text.turn_at(self.top())
    }

    /// Returns the last turn, from 0, where the end was gone to.
    pub(crate) fn turn_at_end(&self) -> Option<u32> {
        let last = self.text.turn_at(self.text.end());
        last.filter(|_| self.is_at_end)
    }

    /// Returns the lines of a page.
    pub(crate) fn page_lines(&self) -> isize {
        isize::try_from(self.height.saturating_sub(2).max(1)).unwrap_or(isize::MAX)
    }

    /// Moves to a line.
    pub(crate) fn go_to(&mut self, position: TextPosition) {
        self.scroll = position;
        self.is_at_end = false;
    }

    /// Moves by lines; the end of the text may stand at most in the middle.
    pub(crate) fn scroll_by(&mut self, lines: isize) {
        let (top, count) = (self.top(), lines.unsigned_abs());
        let moved = if lines < 0 {
            self.text.lines_before(top).take(count).last()
        } else {
            self.text.lines_from(top).take(count + 1).last()
        };
        let moved = moved.map_or(top, |(at, _)| at);
        // A match, or the last turn, may stand further down already.
        let lowest = self.top_of_last_lines(self.height.div_ceil(2));
        self.go_to(moved.min(lowest.max(top)));
    }

    /// Moves to the end, which stands at the bottom then.
    pub(crate) fn go_to_end(&mut self) {
        self.go_to(self.top_of_last_lines(self.height));
        self.is_at_end = true;
    }

    /// Returns the line at the top when the last `count` lines are drawn.
    fn top_of_last_lines(&self, count: usize) -> TextPosition {
        let last = self.text.lines_before(self.text.end());
        let first = last.take(count.max(1)).last();
        first.map_or(TextPosition::default(), |(at, _)| at)
    }

    /// Moves to the next match after the one that was found last, or to the one before it; around the end. Where that one is
    /// not on the screen, the line at the top is where the search begins.
    pub(crate) fn go_to_match(&mut self, direction: SearchDirection) -> SearchState {
        let from = self.search_start(direction);
        let before = TextPosition::default()..from;
        let after = from..self.text.end();
        self.begin_search(MatchSearch {
            ranges: match direction {
                SearchDirection::Forwards => vec![before, after],
                SearchDirection::Backwards => vec![after, before],
            },
            is_around: false,
            direction,
            opened_at: None,
        })
    }

    /// Returns where the next match may begin; backwards the one before must.
    fn search_start(&self, direction: SearchDirection) -> TextPosition {
        let top = self.top();
        let mut drawn = self.text.lines_from(top).take(self.height);
        let current = drawn.find(|(at, _)| self.current == Some(*at));
        match (current, direction) {
            (None, _) => top,
            (Some((current, _)), SearchDirection::Backwards) => current,
            (Some((current, _)), SearchDirection::Forwards) => {
                let next = self.text.lines_from(current).nth(1);
                next.map_or(self.text.end(), |(at, _)| at)
            }
        }
    }

    /// Moves to lines that begin a turn, so that the first match in them stands in the upper third.
    pub(crate) fn open_at_match(&mut self, lines: Range<TextPosition>) -> SearchState {
        self.go_to(lines.start);
        self.begin_search(MatchSearch {
            opened_at: Some(lines.start),
            ranges: vec![lines],
            is_around: false,
            direction: SearchDirection::Forwards,
        })
    }

    fn begin_search(&mut self, search: MatchSearch) -> SearchState {
        self.search = Some(search);
        self.continue_search()
    }

    pub(crate) fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Returns true while a match is looked for, or the matches are counted.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_searching() || self.is_counting
    }

    /// Gives the search and the count up.
    pub(crate) fn stop_searching(&mut self) {
        self.search = None;
        self.is_counting = false;
    }

    /// Goes on for a moment to count the matches. Returns the number of the one that was found last, once, when all are
    /// counted.
    pub(crate) fn continue_count(&mut self) -> Option<MatchNumber> {
        let current = self.current.filter(|_| self.is_counting)?;
        let begun = Instant::now();
        let mut count = std::mem::take(&mut self.count);
        while !count.is_complete(&self.text) && begun.elapsed() <= SEARCH_STEP {
            count.extend(&self.text, |lines, range| {
                self.find_match_lines(lines, range)
            });
        }
        self.is_counting = !count.is_complete(&self.text);
        self.count = count;
        (!self.is_counting).then(|| self.count.number_of(current))
    }

    /// Goes on with the search for a moment.
    pub(crate) fn continue_search(&mut self) -> SearchState {
        let begun = Instant::now();
        while let Some(search) = &mut self.search {
            let Some(range) = search.ranges.last_mut() else {
                self.search = None;
                return SearchState::NotFound;
            };
            if range.is_empty() {
                search.ranges.pop();
                search.is_around = true;
                continue;
            }
            let (searched, direction) = (range.clone(), search.direction);
            let lines = self.text.take_lines(range, direction);
            let (opened_at, is_around) = (search.opened_at, search.is_around);
            if let Some(found) = self.find_next_match(&lines, &searched, direction) {
                self.search = None;
                self.current = Some(found);
                self.is_counting = opened_at.is_none();
                self.scroll_to_match(found, opened_at);
                return match is_around {
                    true => SearchState::FoundAround(direction),
                    false => SearchState::Found,
                };
            }
            if begun.elapsed() > SEARCH_STEP {
                return SearchState::Running;
            }
        }
        SearchState::NotFound
    }

    /// Returns the first line of a range in which a match begins, or backwards the last one.
    fn find_next_match(
        &self,
        lines: &[(TextPosition, TextLine)],
        range: &Range<TextPosition>,
        direction: SearchDirection,
    ) -> Option<TextPosition> {
        let found = self.find_match_lines(lines, range);
        match direction {
            SearchDirection::Forwards => found.first().copied(),
            SearchDirection::Backwards => found.last().copied(),
        }
    }

    /// Returns the lines of a range in which matches begin.
    fn find_match_lines(
        &self,
        lines: &[(TextPosition, TextLine)],
        range: &Range<TextPosition>,
    ) -> Vec<TextPosition> {
        let texts: Vec<&TextLine> = lines.iter().map(|(_, line)| line).collect();
        let unfolded = UnfoldedLine::join(&texts);
        let found = unfolded.iter().zip(self.marked.find_in(&unfolded));
        let found = found.flat_map(|(text, ranges)| {
            let begins = ranges.into_iter();
            begins.filter_map(|range| text.line_at(range.start))
        });
        let found = found.map(|line| lines[line].0);
        let mut found: Vec<_> = found.filter(|at| range.contains(at)).collect();
        found.dedup();
        found
    }

    fn scroll_to_match(&mut self, found: TextPosition, opened_at: Option<TextPosition>) {
        let Some(first) = opened_at else {
            return self.go_to(found);
        };
        let below = self.text.lines_from(first).take(self.height / 2 + 1);
        if below.into_iter().any(|(at, _)| at == found) {
            return;
        }
        let above = self.text.lines_before(found).take(self.height / 3).last();
        self.go_to(above.map_or(found, |(at, _)| at));
    }
}

#[cfg(test)]
mod tests;
