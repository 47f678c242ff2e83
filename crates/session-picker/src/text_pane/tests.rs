use super::*;
use SearchDirection::{Backwards, Forwards};
use session_core::{ToolCall, Turn, TurnPart};
use session_search::TurnOrigin;

/// A turn of so many parts of two lines, of which some say "lamp".
fn turn(index: u32, parts: usize, lamps: &[usize]) -> Exchange {
    let text = |at: usize| {
        if lamps.contains(&at) {
            "the LAMP".into()
        } else {
            "the dark at the foot of the stairs".into()
        }
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
        pane.set_marked(marked);
        for (direction, expected, line) in [
            (Forwards, SearchState::Found, first),
            (Forwards, SearchState::Found, second),
            (Forwards, SearchState::FoundAround(Forwards), first),
            (Backwards, SearchState::FoundAround(Backwards), second),
            (Backwards, SearchState::Found, first),
        ] {
            let state = pane.go_to_match(direction);
            assert_eq!(finish(&mut pane, state), expected);
            assert_eq!(top(&pane), line);
        }
        pane.go_to(TextPosition::default());
    }
}

#[test]
fn the_next_match_is_the_one_after_that_which_was_found_last() {
    let turns = || vec![turn(0, 10, &[]), turn(1, 100, &[30, 31, 60])];
    let mut pane = pane(turns().split_off(1));
    let found = |pane: &TextPane| {
        let lines = pane.visible_lines();
        let current = lines.iter().position(|line| line.is_current);
        (top(pane), current)
    };
    let first = 21 + 1 + 2 * 30;
    let state = pane.open_at_match(pane.text.turn_start(1)..pane.text.turn_start(2));
    assert_eq!(finish(&mut pane, state), SearchState::Found);
    // As when all turns of a conversation come behind the one that is shown.
    pane.replace_turns(turns(), 2);
    pane.lay_out(60, 10, CallDetail::Short);
    assert_eq!(found(&pane), (first - 3, Some(3)));
    assert_eq!(pane.go_to_match(Forwards), SearchState::Found);
    assert_eq!(found(&pane), (first + 2, Some(0)));
    pane.scroll_by(-5);
    assert_eq!(pane.go_to_match(Backwards), SearchState::Found);
    assert_eq!(found(&pane), (first, Some(0)));
    // Where it is not on the screen, the first one on the screen is the next.
    pane.scroll_by(-30);
    assert_eq!(found(&pane).1, None);
    assert_eq!(pane.go_to_match(Forwards), SearchState::Found);
    assert_eq!(found(&pane), (first, Some(0)));
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
        for direction in [Forwards, Backwards] {
            let mut pane = folded();
            pane.marked = MarkedWords::Text(phrase.into());
            // The second time from the match itself, around the end.
            for _ in 0..2 {
                let state = pane.go_to_match(direction);
                let is_found = matches!(state, SearchState::Found | SearchState::FoundAround(_));
                assert!(is_found, "{phrase}");
                let VisibleLine { line, matches, .. } = pane.visible_lines().remove(0);
                let first = matches.first().map(|range| &line.text[range.clone()]);
                assert_eq!(first, parts.first().copied(), "{phrase}");
            }
            let found = pane.visible_lines().into_iter().flat_map(
                |VisibleLine { line, matches, .. }| {
                    let texts = matches.into_iter().map(|range| line.text[range].to_owned());
                    texts.collect::<Vec<_>>()
                },
            );
            assert_eq!(found.collect::<Vec<_>>(), parts, "{phrase}");
        }
    }
}

#[test]
fn a_phrase_that_begins_above_the_screen_is_marked() {
    let mut pane = folded();
    pane.marked = MarkedWords::Text("the keeper fills".into());
    assert_eq!(pane.go_to_match(Forwards), SearchState::Found);
    pane.scroll_by(1);
    let VisibleLine { line, matches, .. } = pane.visible_lines().remove(0);
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
        for direction in [Forwards, Backwards] {
            let state = pane.go_to_match(direction);
            assert_eq!(finish(&mut pane, state), SearchState::NotFound);
            assert_eq!(top(&pane), 7);
        }
    }
    let mut empty = TextPane::new(Vec::new(), 0);
    let state = empty.go_to_match(Forwards);
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
fn the_match_that_was_found_last_is_counted_among_all() {
    let number = |pane: &mut TextPane, direction| {
        let state = pane.go_to_match(direction);
        finish(pane, state);
        let counted = (0..1000).find_map(|_| pane.continue_count());
        counted.unwrap().to_string()
    };
    let mut pane = pane(vec![turn(0, 10, &[1]), turn(1, 1000, &[700, 701])]);
    assert_eq!(number(&mut pane, Forwards), "match 1/3");
    assert_eq!(number(&mut pane, Forwards), "match 2/3");
    assert_eq!(pane.continue_count(), None);
    assert_eq!(number(&mut pane, Backwards), "match 1/3");
    assert_eq!(number(&mut pane, Backwards), "match 3/3");
    pane.lay_out(8, 10, CallDetail::Short);
    assert_eq!(number(&mut pane, Backwards), "match 2/3");
    pane.set_marked(MarkedWords::Text("the LAMP".into()));
    assert_eq!(number(&mut pane, Forwards), "match 2/3");
    pane.replace_turns(vec![turn(0, 10, &[]), turn(1, 1000, &[700])], 2);
    assert_eq!(number(&mut pane, Backwards), "match 1/1");
    pane.go_to_match(Forwards);
    pane.stop_searching();
    assert!(!pane.is_busy() && pane.continue_count().is_none());
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
    assert_eq!(top(&pane), 201 - 10, "it stands at the bottom");
    pane.scroll_by(3);
    assert_eq!(top(&pane), 201 - 7);
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
    let state = pane.go_to_match(Forwards);
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
    let state = pane.go_to_match(Forwards);
    let found = SearchState::FoundAround(Forwards);
    assert_eq!(finish(&mut pane, state), found);
    pane.visible_lines();
    assert!(pane.text.count_kept_blocks() < 50);
}
