//! Turns that are laid out for the columns of a pane, with a place in them.

use crate::text_blocks::{Direction, LinePosition, TextBlocks};
use crate::text_lines::{CallDetail, LineLayout, TextLine};
use session_search::Exchange;
use session_store::find_term_ranges;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The words that are marked in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Marked {
    #[default]
    Nothing,
    /// Words, and what they match in the word index.
    Terms(Vec<String>),
    /// A text, whatever its case.
    Text(String),
}

/// Turns as lines, with what is marked and the first line that is drawn. Matches are looked for in the
/// lines that are drawn, and from there on as far as one moment allows: the rest is for
/// [`TextPane::go_on_searching`].
#[derive(Debug, Default)]
pub(crate) struct TextPane {
    pub(crate) text: TextBlocks,
    pub(crate) marked: Marked,
    pub(crate) height: usize,
    /// The first line that is drawn, where it is shown.
    scroll: LinePosition,
    search: Option<MatchSearch>,
}

/// A search for the next match.
#[derive(Debug)]
struct MatchSearch {
    /// Where it is still to be looked for.
    ranges: Vec<Range<LinePosition>>,
    direction: Direction,
    /// The begin of the turn that is opened at its match.
    opened_at: Option<LinePosition>,
}

/// The state of a search for the next match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchState {
    Found,
    NotFound,
    /// It takes longer than a moment.
    Running,
}

/// Longest time that a search may keep the screen waiting.
const SEARCH_STEP: Duration = Duration::from_millis(20);

impl TextPane {
    /// Takes turns of a session that has `turns` of them; they are laid out when they are drawn.
    pub(crate) fn new(exchanges: Vec<Exchange>, turns: u32) -> Self {
        Self {
            text: TextBlocks::new(exchanges, turns),
            ..Self::default()
        }
    }

    /// Lays the turns out where the columns or the detail of calls have changed; returns true where they
    /// have. The line at the top stays there.
    pub(crate) fn lay_out(&mut self, columns: usize, height: usize, calls: CallDetail) -> bool {
        self.height = height;
        let known = self.text.layout();
        let layout = LineLayout {
            columns,
            calls,
            ..known
        };
        if layout == known {
            return false;
        }
        self.scroll = self.text.set_layout(layout, self.scroll);
        true
    }

    /// Takes all turns of the session in the place of some of them. The line at the top stays there.
    pub(crate) fn replace_turns(&mut self, exchanges: Vec<Exchange>) {
        self.scroll = self.text.replace_turns(exchanges, self.scroll);
    }

    /// Returns the lines that are drawn, with the byte ranges that match.
    pub(crate) fn visible(&self) -> Vec<(&TextLine, Vec<Range<usize>>)> {
        let lines = self.text.lines_from(self.top()).take(self.height);
        let lines: Vec<&TextLine> = lines.map(|(_, line)| line).collect();
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let matches = self.matches(&texts);
        lines.into_iter().zip(matches).collect()
    }

    fn matches(&self, lines: &[&str]) -> Vec<Vec<Range<usize>>> {
        match &self.marked {
            Marked::Nothing => vec![Vec::new(); lines.len()],
            Marked::Text(text) => {
                let needle = text.to_lowercase();
                let lines = lines.iter();
                lines.map(|line| occurrences(line, &needle)).collect()
            }
            Marked::Terms(terms) => {
                let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
                let found = find_term_ranges(&terms, lines);
                found.unwrap_or_else(|_| vec![Vec::new(); lines.len()])
            }
        }
    }

    /// Returns the first line that is drawn.
    pub(crate) fn top(&self) -> LinePosition {
        self.text.shown(self.scroll)
    }

    /// Returns the turn at the top, from 0.
    pub(crate) fn turn(&self) -> Option<u32> {
        self.text.turn(self.top())
    }

    /// Moves to a line.
    pub(crate) fn go_to(&mut self, position: LinePosition) {
        self.scroll = position;
    }

    /// Moves by lines; the end of the text may stand at most in the middle.
    pub(crate) fn scroll_by(&mut self, lines: isize) {
        let (top, count) = (self.top(), lines.unsigned_abs());
        let moved = match lines < 0 {
            true => self.text.lines_before(top).take(count).last(),
            false => self.text.lines_from(top).take(count + 1).last(),
        };
        let moved = moved.map_or(top, |(at, _)| at);
        // A match, or the last turn, may stand further down already.
        self.scroll = moved.min(self.lowest_top().max(top));
    }

    /// Moves to the end.
    pub(crate) fn go_to_end(&mut self) {
        self.scroll = self.lowest_top().max(self.top());
    }

    /// Returns the line at the top when the end stands in the middle.
    fn lowest_top(&self) -> LinePosition {
        let shown = self.height.div_ceil(2).max(1);
        let last = self.text.lines_before(self.text.end()).take(shown).last();
        last.map_or(LinePosition::default(), |(at, _)| at)
    }

    /// Moves to the next match after the line at the top, or to the one before it; around the end.
    pub(crate) fn go_to_match(&mut self, direction: Direction) -> SearchState {
        let top = self.top();
        let next = self.text.lines_from(top).nth(1);
        match direction {
            Direction::Forwards => self.search_from(next.map_or(top, |(at, _)| at), direction),
            Direction::Backwards => self.search_from(top, direction),
        }
    }

    /// Moves to the first match from the line at the top on; around the end.
    pub(crate) fn go_to_match_from_top(&mut self) -> SearchState {
        self.search_from(self.top(), Direction::Forwards)
    }

    fn search_from(&mut self, from: LinePosition, direction: Direction) -> SearchState {
        let before = LinePosition::default()..from;
        let after = from..self.text.end();
        self.begin_search(MatchSearch {
            ranges: match direction {
                Direction::Forwards => vec![before, after],
                Direction::Backwards => vec![after, before],
            },
            direction,
            opened_at: None,
        })
    }

    /// Moves to lines that begin a turn, so that the first match in them stands in the upper third.
    pub(crate) fn open_at_match(&mut self, lines: Range<LinePosition>) -> SearchState {
        self.scroll = lines.start;
        self.begin_search(MatchSearch {
            opened_at: Some(lines.start),
            ranges: vec![lines],
            direction: Direction::Forwards,
        })
    }

    fn begin_search(&mut self, search: MatchSearch) -> SearchState {
        self.search = Some(search);
        self.go_on_searching()
    }

    pub(crate) fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Gives the search up.
    pub(crate) fn stop_searching(&mut self) {
        self.search = None;
    }

    /// Goes on with the search for a moment.
    pub(crate) fn go_on_searching(&mut self) -> SearchState {
        let begun = Instant::now();
        while let Some(search) = &mut self.search {
            let Some(range) = search.ranges.last_mut() else {
                self.search = None;
                return SearchState::NotFound;
            };
            if range.is_empty() {
                search.ranges.pop();
                continue;
            }
            let lines = self.text.take_lines(range, search.direction);
            let opened_at = search.opened_at;
            if let Some(found) = self.first_match(&lines) {
                self.search = None;
                self.show_found(found, opened_at);
                return SearchState::Found;
            }
            if begun.elapsed() > SEARCH_STEP {
                return SearchState::Running;
            }
        }
        SearchState::NotFound
    }

    fn first_match(&self, lines: &[(LinePosition, String)]) -> Option<LinePosition> {
        let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        let found = self.matches(&texts);
        let found = found.iter().position(|ranges| !ranges.is_empty())?;
        Some(lines[found].0)
    }

    fn show_found(&mut self, found: LinePosition, opened_at: Option<LinePosition>) {
        let Some(first) = opened_at else {
            return self.scroll = found;
        };
        let below = self.text.lines_from(first).take(self.height / 2 + 1);
        if below.into_iter().any(|(at, _)| at == found) {
            return;
        }
        let above = self.text.lines_before(found).take(self.height / 3).last();
        self.scroll = above.map_or(found, |(at, _)| at);
    }
}

/// Returns where a text occurs in a line, whatever the case. A line whose lower case has another length
/// is searched as it is written.
fn occurrences(line: &str, needle: &str) -> Vec<Range<usize>> {
    let folded = line.to_lowercase();
    let text = match folded.len() == line.len() {
        true => folded.as_str(),
        false => line,
    };
    let found = text.match_indices(needle);
    found
        .map(|(at, found)| at..at + found.len())
        .filter(|range| !range.is_empty() && line.get(range.clone()).is_some())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::{Part, Turn};
    use session_search::Origin;

    /// A turn of so many parts of two lines, of which some say "lamp".
    fn turn(index: u32, parts: usize, lamps: &[usize]) -> Exchange {
        let text = |at: usize| match lamps.contains(&at) {
            true => "the LAMP".into(),
            false => "the dark at the foot of the stairs".into(),
        };
        let parts = (0..parts).map(|at| Part::Text { text: text(at) });
        Exchange {
            origin: Origin::History,
            turn: Turn {
                index,
                parts: parts.collect(),
                ..Turn::default()
            },
        }
    }

    fn pane(turns: Vec<Exchange>) -> TextPane {
        let mut pane = TextPane::new(turns, 2);
        pane.lay_out(80, 10, CallDetail::Short);
        pane.marked = Marked::Text("lamp".into());
        pane
    }

    /// The number of the line at the top, from 0.
    fn top(pane: &TextPane) -> usize {
        pane.text.lines_before(pane.top()).count()
    }

    fn finish(pane: &mut TextPane, mut state: SearchState) -> SearchState {
        while state == SearchState::Running {
            state = pane.go_on_searching();
        }
        state
    }

    #[test]
    fn matches_are_found_forwards_and_backwards_around_the_ends() {
        let mut pane = pane(vec![turn(0, 10, &[1]), turn(1, 1000, &[700])]);
        let [first, second] = [1 + 2, 1 + 20 + 1 + 2 * 700];
        for marked in [
            Marked::Text("lamp".into()),
            Marked::Terms(vec!["lamps".into()]),
        ] {
            pane.marked = marked;
            for (direction, expected) in [
                (Direction::Forwards, first),
                (Direction::Forwards, second),
                (Direction::Forwards, first),
                (Direction::Backwards, second),
                (Direction::Backwards, first),
            ] {
                let state = pane.go_to_match(direction);
                assert_eq!(finish(&mut pane, state), SearchState::Found);
                assert_eq!(top(&pane), expected);
            }
            pane.go_to(LinePosition::default());
        }
    }

    #[test]
    fn what_is_nowhere_leaves_the_place() {
        let mut pane = pane(vec![turn(0, 300, &[])]);
        pane.scroll_by(7);
        for marked in [
            Marked::Nothing,
            Marked::Text("lamp".into()),
            Marked::Text(String::new()),
        ] {
            pane.marked = marked;
            for direction in [Direction::Forwards, Direction::Backwards] {
                let state = pane.go_to_match(direction);
                assert_eq!(finish(&mut pane, state), SearchState::NotFound);
                assert_eq!(top(&pane), 7);
            }
        }
        let mut empty = self::pane(Vec::new());
        let state = empty.go_to_match(Direction::Forwards);
        assert_eq!(state, SearchState::NotFound);
        assert_eq!(empty.visible().len(), 0);
    }

    #[test]
    fn matches_are_those_of_the_lines_that_are_drawn() {
        let mut pane = pane(vec![turn(0, 100, &[50])]);
        pane.scroll_by(95);
        let drawn = pane.visible();
        let mut ranges = drawn.into_iter().flat_map(|(_, ranges)| ranges);
        assert_eq!((ranges.next(), ranges.next()), (Some(4..8), None));
    }

    #[test]
    fn a_turn_is_opened_at_its_beginning_or_with_its_match_in_the_upper_third() {
        for (lamp, expected) in [(2, 21), (700, 21 + 1 + 2 * 700 - 3), (5000, 21)] {
            let mut pane = pane(vec![turn(0, 10, &[]), turn(1, 1000, &[lamp])]);
            let lines = pane.text.turn_start(1)..pane.text.turn_start(2);
            let state = pane.open_at_match(lines);
            finish(&mut pane, state);
            assert_eq!(top(&pane), expected);
        }
    }

    #[test]
    fn the_end_stands_at_most_in_the_middle() {
        let mut pane = pane(vec![turn(0, 100, &[])]);
        pane.go_to_end();
        assert_eq!(top(&pane), 201 - 5);
        pane.scroll_by(3);
        assert_eq!(top(&pane), 201 - 5);
        pane.scroll_by(-10);
        assert_eq!(top(&pane), 201 - 15);
        pane.scroll_by(-1000);
        assert_eq!(top(&pane), 0);
    }

    #[test]
    fn the_line_at_the_top_stays_in_other_columns_and_among_more_turns() {
        let mut pane = pane(vec![turn(1, 10, &[7])]);
        let state = pane.go_to_match(Direction::Forwards);
        assert_eq!(finish(&mut pane, state), SearchState::Found);
        let top_line = |pane: &TextPane| pane.visible()[0].0.text.clone();
        for columns in [20, 8, 80] {
            pane.lay_out(columns, 10, CallDetail::Short);
            assert!("the LAMP".starts_with(&top_line(&pane)), "{columns}");
        }
        pane.replace_turns(vec![turn(0, 5, &[]), turn(1, 10, &[7])]);
        assert_eq!(
            (top_line(&pane).as_str(), pane.turn()),
            ("the LAMP", Some(1))
        );
    }

    #[test]
    fn no_more_is_kept_as_lines_than_was_looked_at() {
        let mut pane = pane(vec![turn(0, 5000, &[2500]), turn(1, 5000, &[])]);
        pane.visible();
        pane.go_to_end();
        pane.visible();
        let state = pane.go_to_match(Direction::Forwards);
        assert_eq!(finish(&mut pane, state), SearchState::Found);
        pane.visible();
        assert!(pane.text.count_kept_blocks() < 50);
    }
}
