//! Turns that are code.

use crate::library::{Library, QUERY, SCALE, cosine, ids, meta, place, turn};
use session_core::{Standing, Turn};
use session_search::{DenseScale, Level, Ranking, Request, Results};

const BOTH: &str = "The docker network is slow since the upgrade.";
const NONE: &str = "Containers cannot reach each other any more.";
/// A model that reads code as well as anything else.
const READS: DenseScale = DenseScale { code: 1.0, ..SCALE };

fn turns(query: &str) -> Request {
    Request {
        level: Level::Turn,
        ..Request::new(query)
    }
}

fn fenced(words: &str) -> String {
    format!("```\n{words}\n```")
}

fn assert_near(a: f32, b: f32) {
    assert!((a - b).abs() < 1e-3, "{a} is not {b}");
}

/// In code a word is mostly there by chance: its meaning counts the more.
#[test]
fn words_count_less_in_a_turn_that_is_code() {
    let mut library = Library::new();
    let code = fenced(BOTH);
    library.say("code", &[(&code, Some(cosine(0.5)))]);
    library.say("too", &[(BOTH, None)]);
    library.say("said", &[(NONE, Some(cosine(0.75)))]);
    let found = |query: &str, reads: f32| {
        let scale = DenseScale {
            code: reads,
            ..SCALE
        };
        library.search_with(&turns(query), QUERY, &[("f00d", scale)])
    };
    let weights = |found: &Results| {
        let of = |id: &str| found.hits.iter().find(|h| h.session.uid == id).unwrap();
        assert_near(of("said").alpha, found.explanation.fusion.alpha);
        (found.explanation.fusion.alpha, of("code").alpha)
    };
    let results = found("docker network", 1.0);
    let (all, code) = weights(&results);
    assert_near(code, all + (1.0 - all) * 0.8);
    let hit = results.hits.iter().find(|h| h.code > 0.0).unwrap();
    assert_near(hit.code, 1.0);
    let scaled = |standing: Option<Standing>| standing.unwrap().scaled;
    let score = code * scaled(hit.dense) + (1.0 - code) * scaled(hit.lexical);
    assert_near(hit.score, score * hit.context);
    // A model that takes words one by one reads it no better than they do.
    let (all, code) = weights(&found("docker network", 0.0));
    assert_near(code, all);
    // What is quoted or an identifier is meant as it stands.
    let (all, code) = weights(&found("\"docker network\"", 1.0));
    assert_near(code, all);
    // Nor does one that has not read it yet.
    let mut unread = Library::new();
    unread.say("code", &[(&fenced(BOTH), None)]);
    unread.say("said", &[(NONE, Some(cosine(0.75)))]);
    let (all, code) = weights(&unread.search_with(&turns("docker"), QUERY, &[("f00d", READS)]));
    assert_near(code, all);
    // A weight that was asked for is the same for all.
    let fixed = Request {
        ranking: Ranking::Hybrid(0.5),
        ..turns("docker network")
    };
    let results = library.search_with(&fixed, QUERY, &[("f00d", READS)]);
    assert_eq!(weights(&results), (0.5, 0.5));
}

/// Of two models the one that reads code is heard there.
#[test]
fn a_model_may_be_heard_less_on_code() {
    let mut library = Library::new();
    let code = fenced(BOTH);
    let told = [
        (turn(0, &code), Some(cosine(0.75))),
        (turn(1, NONE), Some(cosine(0.75))),
    ];
    let session = library.add("claude", &meta("a"), &told, None);
    let other = [
        (turn(0, &code), Some(cosine(0.25))),
        (turn(1, NONE), Some(cosine(0.5))),
    ];
    library.embed("beef", session, &other, None);
    let request = Request {
        ranking: Ranking::Vector,
        ..turns("kettle")
    };
    let dense = |scale: DenseScale| {
        let found = library.search_with(&request, QUERY, &[("beef", READS), ("f00d", scale)]);
        let of = |turn| {
            found
                .hits
                .iter()
                .find(|h| place(h).1 == Some(turn))
                .unwrap()
                .dense
                .unwrap()
                .score
        };
        let [beef, food] = [0, 1].map(|n: usize| &found.explanation.spreads[n]);
        // Both have the same weight: as much as the best by both would have.
        let most = f32::midpoint(beef.strength, food.strength);
        (of(0), of(1), beef.part(0.25) * most)
    };
    let (heard, prose, alone) = dense(SCALE);
    // But for the thousandth that is always left.
    assert!((heard - alone).abs() < 0.01, "{heard} is not {alone}");
    let (both, same, _) = dense(READS);
    assert!(heard < both);
    assert_near(prose, same);
}

/// A turn that is near to the query and like a crowd of this size, and one less near and like none;
/// the places of the two best, the second's part of the first, and the best cosine.
fn crowd(size: usize, say: impl Fn(&str) -> String) -> ([u32; 2], f32, f32) {
    let mut library = Library::new();
    let unit = |x: f32, axis: usize, sign: f32| {
        let mut vector = [x, 0.0, 0.0, 0.0];
        vector[axis] = sign * (1.0 - x * x).sqrt();
        vector
    };
    let few = (0..60).map(|n| unit(0.3, 2 + n % 2, 1.0));
    let others = few.chain((0..size).map(|_| unit(0.1, 1, 1.0)));
    let best = [unit(0.5, 1, 1.0), unit(0.48, 1, -1.0)];
    let told: Vec<(Turn, Option<[f32; 4]>)> = (0..)
        .zip(best.into_iter().chain(others))
        .map(|(n, v)| (turn(n, &say(&format!("Number {n} of them all."))), Some(v)))
        .collect();
    library.add("claude", &meta("a"), &told, None);
    let request = Request {
        ranking: Ranking::Vector,
        limit: 2,
        ..turns("kettle")
    };
    let found = library.search_with(&request, QUERY, &[("f00d", READS)]);
    let [first, second] = &found.hits[..] else {
        panic!("two hits");
    };
    let part = second.dense.unwrap().score / first.dense.unwrap().score;
    let places = [first, second].map(|hit| place(hit).1.unwrap());
    (places, part, found.explanation.spreads[0].best)
}

#[test]
fn code_that_is_like_all_code_stands_back() {
    let (places, part, best) = crowd(520, fenced);
    assert_eq!(places, [1, 0]);
    assert!(part < 0.85, "{part}");
    // What is like none comes forward by no more than 0.03.
    assert_near(best, 0.51);
    // Prose stays where it is, and few functions are no crowd.
    for (places, part, best) in [crowd(520, str::to_owned), crowd(300, fenced)] {
        assert_eq!(places, [0, 1]);
        assert!(part > 0.94, "{part}");
        assert_near(best, 0.5);
    }
    // Of a great crowd a part is looked at.
    assert_eq!(crowd(5000, fenced).0, [1, 0]);
}

/// A function stands for itself: its session says little about it.
#[test]
fn the_session_counts_little_for_code() {
    let context = |words: &str| {
        let mut library = Library::new();
        library.say("best", &[(NONE, Some(cosine(0.75)))]);
        library.say("other", &[(words, Some(cosine(0.5)))]);
        let found = library.search_with(&turns("kettle"), QUERY, &[("f00d", SCALE)]);
        assert_eq!(ids(&found), ["best", "other"]);
        found.hits[1].context
    };
    assert_near(1.0 - context(&fenced(BOTH)), (1.0 - context(BOTH)) / 4.0);
}
