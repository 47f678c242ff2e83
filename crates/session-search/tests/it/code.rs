//! Turns that are code.

use crate::library::{Library, QUERY, SCALE, cosine, ids, meta, place, turn};
use session_core::Standing;
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

fn code(words: &str) -> String {
    format!("```\n{words}\n```")
}

fn assert_near(a: f32, b: f32) {
    assert!((a - b).abs() < 1e-3, "{a} is not {b}");
}

/// In code a word is mostly there by chance: its meaning counts the more.
#[test]
fn words_count_less_in_a_turn_that_is_code() {
    let mut library = Library::new();
    let code = code(BOTH);
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
    // A weight that was asked for is the same for all.
    let fixed = Request {
        ranking: Ranking::Hybrid(0.5),
        ..turns("docker network")
    };
    let results = library.search_with(
        &fixed,
        QUERY,
        &[("f00d", DenseScale { code: 1.0, ..SCALE })],
    );
    assert_eq!(weights(&results), (0.5, 0.5));
}

/// Of two models the one that reads code is heard there.
#[test]
fn a_model_may_be_heard_less_on_code() {
    let mut library = Library::new();
    let code = code(BOTH);
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
    let reads = DenseScale { code: 1.0, ..SCALE };
    let dense = |scale: DenseScale| {
        let found = library.search_with(&request, QUERY, &[("beef", reads), ("f00d", scale)]);
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
        (
            of(0),
            of(1),
            found.explanation.spreads[0].strength * found.explanation.spreads[0].part(0.25),
        )
    };
    let (heard, prose, alone) = dense(SCALE);
    // But for the thousandth that is always left.
    assert!((heard - alone).abs() < 0.01, "{heard} is not {alone}");
    assert!(heard < dense(reads).0);
    assert_near(prose, dense(reads).1);
}

/// Turns of which one is nearer to the query, and like all others, and one like none.
fn crowd(size: usize, say: impl Fn(&str) -> String) -> Vec<u32> {
    let mut library = Library::new();
    let other = (0..size).map(|n| (say(&format!("Number {n} of the crowd.")), cosine(0.2)));
    let lone = [0.48, 0.0, (1.0_f32 - 0.48 * 0.48).sqrt(), 0.0];
    let best = [
        (say("One of the crowd."), cosine(0.5)),
        (say("Like no other."), lone),
    ];
    let told: Vec<_> = best.into_iter().chain(other).collect();
    let told: Vec<_> = told
        .iter()
        .map(|(words, v)| (words.as_str(), Some(*v)))
        .collect();
    library.say("a", &told);
    let request = Request {
        ranking: Ranking::Vector,
        limit: 2,
        ..turns("kettle")
    };
    let found = library.search_with(&request, QUERY, &[("f00d", READS)]);
    found.hits.iter().map(|hit| place(hit).1.unwrap()).collect()
}

#[test]
fn code_that_is_like_all_code_stands_back() {
    assert_eq!(crowd(520, code), [1, 0]);
    // Prose does not, and few functions are no crowd.
    assert_eq!(crowd(520, str::to_owned), [0, 1]);
    assert_eq!(crowd(300, code), [0, 1]);
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
    assert_near(1.0 - context(&code(BOTH)), (1.0 - context(BOTH)) / 4.0);
}
