//! Turns that are laid out for the columns of a pane, with a place in them.

use crate::marked::MarkedWords;
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
    pub(crate) marked: MarkedWords,
    pub(crate) height: usize,
    /// The first line that is drawn, where it is shown.
    scroll: TextPosition,
    search: Option<MatchSearch>,
}

/// A search for the next match.
#[derive(Debug)]
struct MatchSearch {
    /// Where it is still to be looked for.
    ranges: Vec<Range<TextPosition>>,
    direction: SearchDirection,
    /// The begin of the turn that is opened at its match.
    opened_at: Option<TextPosition>,
}

/// The state of a search for the next match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchState {
    Found,
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
}

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
        let layout = TextLayout {
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

    /// Takes all `turns` of the session in the place of some of them. The line at the top stays there.
    pub(crate) fn replace_turns(&mut self, exchanges: Vec<Exchange>, turns: u32) {
        self.scroll = self.text.replace_turns(exchanges, turns, self.scroll);
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
        let lines = lines.into_iter().zip(matches);
        let lines = lines.map(|(line, matches)| VisibleLine { line, matches });
        lines.skip(above).take(self.height).collect()
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

    /// Moves to a line.
    pub(crate) fn go_to(&mut self, position: TextPosition) {
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
    fn lowest_top(&self) -> TextPosition {
        let shown = self.height.div_ceil(2).max(1);
        let last = self.text.lines_before(self.text.end()).take(shown).last();
        last.map_or(TextPosition::default(), |(at, _)| at)
    }

    /// Moves to the next match after the line at the top, or to the one before it; around the end.
    pub(crate) fn go_to_match(&mut self, direction: SearchDirection) -> SearchState {
        let top = self.top();
        let next = self.text.lines_from(top).nth(1);
        match direction {
            SearchDirection::Forwards => {
                self.search_from(next.map_or(top, |(at, _)| at), direction)
            }
            SearchDirection::Backwards => self.search_from(top, direction),
        }
    }

    /// Moves to the first match from the line at the top on; around the end.
    pub(crate) fn go_to_match_from_top(&mut self) -> SearchState {
        self.search_from(self.top(), SearchDirection::Forwards)
    }

    fn search_from(&mut self, from: TextPosition, direction: SearchDirection) -> SearchState {
        let before = TextPosition::default()..from;
        let after = from..self.text.end();
        self.begin_search(MatchSearch {
            ranges: match direction {
                SearchDirection::Forwards => vec![before, after],
                SearchDirection::Backwards => vec![after, before],
            },
            direction,
            opened_at: None,
        })
    }

    /// Moves to lines that begin a turn, so that the first match in them stands in the upper third.
    pub(crate) fn open_at_match(&mut self, lines: Range<TextPosition>) -> SearchState {
        self.scroll = lines.start;
        self.begin_search(MatchSearch {
            opened_at: Some(lines.start),
            ranges: vec![lines],
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

    /// Gives the search up.
    pub(crate) fn stop_searching(&mut self) {
        self.search = None;
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
                continue;
            }
            let (searched, direction) = (range.clone(), search.direction);
            let lines = self.text.take_lines(range, direction);
            let opened_at = search.opened_at;
            if let Some(found) = self.find_next_match(&lines, &searched, direction) {
                self.search = None;
                self.scroll_to_match(found, opened_at);
                return SearchState::Found;
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
        let texts: Vec<&TextLine> = lines.iter().map(|(_, line)| line).collect();
        let unfolded = UnfoldedLine::join(&texts);
        let found = unfolded.iter().zip(self.marked.find_in(&unfolded));
        let found = found.flat_map(|(text, ranges)| {
            let begins = ranges.into_iter();
            begins.filter_map(|range| text.line_at(range.start))
        });
        let mut found = found
            .map(|line| lines[line].0)
            .filter(|at| range.contains(at));
        match direction {
            SearchDirection::Forwards => found.next(),
            SearchDirection::Backwards => found.next_back(),
        }
    }

    fn scroll_to_match(&mut self, found: TextPosition, opened_at: Option<TextPosition>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::{ToolCall, Turn, TurnPart};
    use session_search::TurnOrigin;

    /// A turn of so many parts of two lines, of which some say "lamp".
    fn turn(index: u32, parts: usize, lamps: &[usize]) -> Exchange {
        let text = |at: usize| match lamps.contains(&at) {
            true => "the LAMP".into(),
            false => "the dark at the foot of the stairs".into(),
        };
        let parts = (0..parts).map(|at| TurnPart::Text { text: text(at) });
        Exchange {
            origin: TurnOrigin::History,
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
        pane.marked = MarkedWords::Text("lamp".into());
        pane
    }

    /// The number of the line at the top, from 0.
    fn top(pane: &TextPane) -> usize {
        pane.text.lines_before(pane.top()).count()
    }

    fn finish(pane: &mut TextPane, mut state: SearchState) -> SearchState {
        while state == SearchState::Running {
            state = pane.continue_search();
        }
        state
    }

    #[test]
    fn matches_are_found_forwards_and_backwards_around_the_ends() {
        let mut pane = pane(vec![turn(0, 10, &[1]), turn(1, 1000, &[700])]);
        let [first, second] = [1 + 2, 1 + 20 + 1 + 2 * 700];
        for marked in [
            MarkedWords::Text("lamp".into()),
            MarkedWords::Terms(vec!["lamps".into()]),
        ] {
            pane.marked = marked;
            for (direction, expected) in [
                (SearchDirection::Forwards, first),
                (SearchDirection::Forwards, second),
                (SearchDirection::Forwards, first),
                (SearchDirection::Backwards, second),
                (SearchDirection::Backwards, first),
            ] {
                let state = pane.go_to_match(direction);
                assert_eq!(finish(&mut pane, state), SearchState::Found);
                assert_eq!(top(&pane), expected);
            }
            pane.go_to(TextPosition::default());
        }
    }

    /// A pane of 16 columns with a call, a paragraph and a long word, each folded.
    fn folded() -> TextPane {
        let call = ToolCall {
            name: "Bash".into(),
            input: serde_json::json!({"command": "light every lamp of the harbour"}),
            ..ToolCall::default()
        };
        let text = "before it is dark the keeper fills the lamp with oil\n\nunfathomablylongword";
        let mut folded = turn(0, 1, &[]);
        folded.turn.parts.push(TurnPart::Call(call));
        folded.turn.parts.push(TurnPart::Text { text: text.into() });
        let mut pane = TextPane::new(vec![folded], 2);
        pane.lay_out(16, 10, CallDetail::Short);
        pane
    }

    #[test]
    fn a_phrase_is_found_in_lines_that_it_was_folded_over() {
        for (phrase, parts) in [
            ("LIGHT every lamp", &["light", "every lamp"][..]),
            ("harbour", &["harbour"]),
            (
                "it is dark the KEEPER fills",
                &["it is", "dark the keeper", "fills"],
            ),
            ("fathomablylongword", &["fathomablylong", "word"]),
        ] {
            for direction in [SearchDirection::Forwards, SearchDirection::Backwards] {
                let mut pane = folded();
                pane.marked = MarkedWords::Text(phrase.into());
                // The second time from the match itself, around the end.
                for _ in 0..2 {
                    assert_eq!(pane.go_to_match(direction), SearchState::Found, "{phrase}");
                    let VisibleLine { line, matches } = pane.visible_lines().remove(0);
                    let first = matches.first().map(|range| &line.text[range.clone()]);
                    assert_eq!(first, parts.first().copied(), "{phrase}");
                }
                let found =
                    pane.visible_lines()
                        .into_iter()
                        .flat_map(|VisibleLine { line, matches }| {
                            let texts =
                                matches.into_iter().map(|range| line.text[range].to_owned());
                            texts.collect::<Vec<_>>()
                        });
                assert_eq!(found.collect::<Vec<_>>(), parts, "{phrase}");
            }
        }
    }

    #[test]
    fn a_phrase_that_begins_above_the_screen_is_marked() {
        let mut pane = folded();
        pane.marked = MarkedWords::Text("the keeper fills".into());
        assert_eq!(
            pane.go_to_match(SearchDirection::Forwards),
            SearchState::Found
        );
        pane.scroll_by(1);
        let VisibleLine { line, matches } = pane.visible_lines().remove(0);
        assert_eq!(&line.text[matches[0].clone()], "fills");
    }

    #[test]
    fn what_is_nowhere_leaves_the_place() {
        let mut pane = pane(vec![turn(0, 300, &[])]);
        pane.scroll_by(7);
        for marked in [
            MarkedWords::Nothing,
            MarkedWords::Text("lamp".into()),
            MarkedWords::Text(String::new()),
        ] {
            pane.marked = marked;
            for direction in [SearchDirection::Forwards, SearchDirection::Backwards] {
                let state = pane.go_to_match(direction);
                assert_eq!(finish(&mut pane, state), SearchState::NotFound);
                assert_eq!(top(&pane), 7);
            }
        }
        let mut empty = self::pane(Vec::new());
        let state = empty.go_to_match(SearchDirection::Forwards);
        assert_eq!(state, SearchState::NotFound);
        assert_eq!(empty.visible_lines().len(), 0);
    }

    #[test]
    fn matches_are_those_of_the_lines_that_are_drawn() {
        let mut pane = pane(vec![turn(0, 100, &[50])]);
        pane.scroll_by(95);
        let drawn = pane.visible_lines();
        let mut ranges = drawn.into_iter().flat_map(|line| line.matches);
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
        let state = pane.go_to_match(SearchDirection::Forwards);
        assert_eq!(finish(&mut pane, state), SearchState::Found);
        let top_line = |pane: &TextPane| pane.visible_lines()[0].line.text.clone();
        for columns in [20, 8, 80] {
            pane.lay_out(columns, 10, CallDetail::Short);
            assert!("the LAMP".starts_with(&top_line(&pane)), "{columns}");
        }
        pane.replace_turns(vec![turn(0, 5, &[]), turn(1, 10, &[7])], 2);
        assert_eq!(
            (top_line(&pane).as_str(), pane.top_turn()),
            ("the LAMP", Some(1))
        );
    }

    #[test]
    fn no_more_is_kept_as_lines_than_was_looked_at() {
        let mut pane = pane(vec![turn(0, 5000, &[2500]), turn(1, 5000, &[])]);
        pane.visible_lines();
        pane.go_to_end();
        pane.visible_lines();
        let state = pane.go_to_match(SearchDirection::Forwards);
        assert_eq!(finish(&mut pane, state), SearchState::Found);
        pane.visible_lines();
        assert!(pane.text.count_kept_blocks() < 50);
    }
}
