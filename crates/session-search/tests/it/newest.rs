//! The newest sessions and turns, without words.

use crate::library::{Library, ids, meta, place, turn};
use session_core::{SessionMeta, Turn, TurnPart};
use session_search::{
    FilterClause, FilterCondition, HitOrder, Level, SearchFilter, SearchRequest, SearchResults,
    list_newest,
};

fn at(index: u32, time: i64, branch: &str) -> Turn {
    Turn {
        started_ms: Some(time),
        ended_ms: Some(time + 10),
        branch: Some(branch.into()),
        ..turn(index, &format!("Said at {time}."))
    }
}

/// `long` goes on after `short` began and ended; a subagent is newer than both.
fn two() -> Library {
    let mut library = Library::new();
    let mut add = |meta: &SessionMeta, turns: &[Turn]| {
        let turns: Vec<_> = turns.iter().map(|turn| (turn.clone(), None)).collect();
        library.add("claude", meta, &turns, None);
    };
    add(
        &meta("long"),
        &[
            at(0, 1000, "main"),
            at(1, 2000, "topic"),
            at(2, 5000, "main"),
        ],
    );
    add(&meta("short"), &[at(0, 3000, "main"), at(1, 4000, "topic")]);
    let subagent = SessionMeta {
        parent: Some("long".into()),
        ..meta("agent-1")
    };
    add(&subagent, &[at(0, 9000, "main")]);
    library
}

/// A session that went on after the filter's time is older than one whose turn there is newer.
#[test]
fn a_session_counts_by_its_newest_turn_that_passes() {
    let library = two();
    let until = [FilterCondition::until(3500)];
    let found = list(&library, Level::Session, &until, 1);
    assert_eq!(ids(&found), ["short"]);
    assert_eq!(found.hits[0].time_ms, Some(3000));
    assert_eq!(found.hits[0].session.ended_ms, Some(4010));
    let found = list(&library, Level::Session, &[], 1);
    assert_eq!(found.hits[0].time_ms, Some(5010));
    let found = list(&library, Level::Turn, &until, 1);
    assert_eq!(found.hits[0].time_ms, Some(3000));
    assert_eq!(found.hits[0].session.ended_ms, Some(4010));
}

#[test]
fn a_turn_whose_prompt_is_the_title_is_shown_by_its_answer() {
    let prompt = "Where is the port set?";
    let mut library = Library::new();
    let meta = SessionMeta {
        title: Some(prompt.into()),
        ..meta("ports")
    };
    let text = "In compose.yaml.".to_owned();
    let only = Turn {
        parts: vec![TurnPart::Text { text }],
        ..turn(0, prompt)
    };
    library.add("claude", &meta, &[(only, None)], None);
    for level in [Level::Session, Level::Turn] {
        let found = list(&library, level, &[], 1);
        assert_eq!(found.hits[0].preview, "In compose.yaml.");
    }
}

fn list(
    library: &Library,
    level: Level,
    clauses: &[FilterCondition],
    limit: usize,
) -> SearchResults {
    let request = SearchRequest {
        level,
        limit,
        filter: SearchFilter {
            clauses: clauses.iter().cloned().map(FilterClause::new).collect(),
            ..SearchFilter::default()
        },
        ..SearchRequest::new("")
    };
    let index = library.reader();
    list_newest(&index, &index.sessions().unwrap(), &request).unwrap()
}

fn check(level: Level, clauses: &[FilterCondition], limit: usize, expected: &str) {
    let results = list(&two(), level, clauses, limit);
    let places = results.hits.iter().map(|hit| {
        let (session, turn) = place(hit);
        format!("{session}:{}", turn.unwrap())
    });
    assert_eq!(places.collect::<Vec<_>>().join(" "), expected);
    assert_eq!(results.order, HitOrder::Newest);
    let ranks: Vec<usize> = results.hits.iter().map(|hit| hit.rank).collect();
    assert_eq!(ranks, (1..=results.hits.len()).collect::<Vec<_>>());
}

#[test]
fn sessions_are_listed_by_their_end_with_their_last_turn() {
    check(Level::Session, &[], 10, "long:2 short:1");
    check(Level::Session, &[], 1, "long:2");
    check(Level::Session, &[], 0, "");
}

#[test]
fn turns_are_listed_by_their_beginning_across_sessions() {
    check(Level::Turn, &[], 10, "long:2 short:1 short:0 long:1 long:0");
    check(Level::Turn, &[], 3, "long:2 short:1 short:0");
    check(Level::Turn, &[], 1, "long:2");
    check(Level::Turn, &[], 0, "");
}

#[test]
fn what_a_filter_leaves_is_listed() {
    let topic = [FilterCondition::Branch("topic".into())];
    check(Level::Turn, &topic, 10, "short:1 long:1");
    check(Level::Session, &topic, 10, "short:1 long:1");
    let until = [FilterCondition::until(2500)];
    check(Level::Session, &until, 10, "long:1");
    check(Level::Turn, &[FilterCondition::since(6000)], 10, "");
}

/// As a database and its backup hold one: which of them was read first must not matter.
#[test]
fn of_equal_sessions_that_which_their_id_names_goes_first() {
    let mut library = Library::new();
    for source in ["claude", "opencode"] {
        let turn = (at(0, 1000, "main"), None);
        library.add(source, &meta("same"), &[turn], None);
    }
    let index = library.reader();
    let mut sessions = index.sessions().unwrap();
    for repeated in [0, 1] {
        (0..)
            .zip(&mut sessions)
            .for_each(|(n, row)| row.is_repeated = n == repeated);
        let listed = list_newest(&index, &sessions, &SearchRequest::new("")).unwrap();
        let marks = listed.hits.iter().map(|hit| hit.session.is_repeated);
        assert_eq!(marks.collect::<Vec<_>>(), [false, true]);
    }
}

#[test]
fn of_copies_one_is_listed() {
    let mut library = Library::new();
    let asked = |index, time| Turn {
        origin: Some(format!("m{time}")),
        ..at(index, time, "main")
    };
    let first = library.add("claude", &meta("first"), &[(asked(0, 1000), None)], None);
    let fork = [(asked(0, 1000), None), (asked(1, 2000), None)];
    library.add("claude", &meta("fork"), &fork, None);
    let places = |library: &Library| {
        let found = list(library, Level::Turn, &[], 10);
        found
            .hits
            .iter()
            .map(place)
            .map(|(s, t)| (s.to_owned(), t))
            .collect::<Vec<_>>()
    };
    let expected = |first: &str| [("fork".to_owned(), Some(1)), (first.to_owned(), Some(0))];
    assert_eq!(places(&library), expected("first"));
    library.lose(first);
    assert_eq!(places(&library), expected("fork"));
    assert_eq!(
        ids(&list(&library, Level::Session, &[], 10)),
        ["fork", "first"]
    );
}
