//! How two lists become one ranking.

use crate::library::{DIMS, FAR, Library, QUERY, SCALE, cosine, ids, meta, place, turn};
use session_core::CosineScale;
use session_core::{ConfidenceBand, Query, Turn};
use session_search::{FusionMode, Level, SearchHit, SearchRequest, SearchResults};

const BOTH: &str = "The docker network is slow since the upgrade.";
const ONE: &str = "Which network do the tests run in, please?";
const NONE: &str = "Containers cannot reach each other any more.";

/// Three turns: with both words and a good cosine, with one word and no vector,
/// with no word and a fair cosine.
fn three() -> Library {
    let mut library = Library::new();
    library.say("a", &[(BOTH, Some(cosine(0.75)))]);
    library.say("b", &[(ONE, None)]);
    library.say("c", &[(NONE, Some(cosine(0.5)))]);
    // Words that most turns hold count for nothing: these hold others.
    let other = ["lexer", "token", "borrow", "checker"]
        .map(|word| format!("Something quite different about the {word}."));
    library.say(
        "other",
        &other.each_ref().map(|words| (words.as_str(), None)),
    );
    library
}

fn turns(query: &str) -> SearchRequest {
    SearchRequest {
        level: Level::Turn,
        ..SearchRequest::new(query)
    }
}

fn with(fusion: FusionMode) -> SearchRequest {
    SearchRequest {
        fusion,
        // In another order than the texts have them: no turn holds them in a row.
        ..turns("network docker")
    }
}

fn assert_near(a: f32, b: f32) {
    assert!((a - b).abs() < 1e-3, "{a} is not {b}");
}

/// The fused score of a turn that is all of its session, by its score without that.
fn in_session(score: f32) -> f32 {
    score * (0.6 + 0.4 * score)
}

/// An endpoint that counts words gives such vectors.
#[test]
fn vectors_that_are_orthogonal_to_the_query_are_sound() {
    let mut library = Library::new();
    let texts: Vec<String> = (0..8)
        .map(|n| format!("Something about subject number{n}."))
        .collect();
    let turns: Vec<_> = texts
        .iter()
        .map(|text| (text.as_str(), Some(cosine(0.0))))
        .collect();
    library.say("a", &turns);
    let found = library.search(&self::turns("subject number3"), Some(QUERY));
    assert_eq!(place(&found.hits[0]), ("a", Some(3)));
}

/// In rank and in band.
#[test]
fn a_model_counts_for_the_share_of_a_query_that_it_reads() {
    let (library, models) = (three(), [("f00d", SCALE)]);
    let request = self::turns("docker network kubernetes");
    let found = [1.0, 0.5, 0.0].map(|read| {
        library
            .search_read(&request, QUERY, &models, read)
            .explanation
    });
    let [whole, half, none] = found.each_ref().map(|found| found.weights.dense);
    assert_near(half.strength, whole.strength / 2.0);
    assert_near(half.confidence, whole.confidence / 2.0);
    assert_eq!((none.strength, none.confidence), (0.0, 0.0));
    assert_eq!(found[2].weights.alpha, 0.0);
}

/// The worked example of `docs/ranking.md`.
#[test]
fn a_score_is_what_the_formula_says() {
    let library = three();
    let found = library.search(&turns("docker network kubernetes"), Some(QUERY));
    assert_eq!(ids(&found), ["a", "c", "b"]);
    let told = &found.explanation;
    // Two cosines, 0.75 and 0.5, and the usual ones as sixteen more:
    // 1.25 / 18, and sqrt((0.03125 + 16 * 0.125^2) / 18) = 0.125.
    let model = &told.cosines[0];
    assert_near(model.mean, 0.069_44);
    // (0.75 - 0.06944) / (0.125 * sqrt(2 ln 16)), and its square.
    assert_near(model.z, 2.312_05);
    assert_near(told.weights.dense.strength, 5.345_58);
    // Three words: (0.75 - 0.25 - 3/32) / (0.75 - 0.25).
    assert_near(told.weights.dense.confidence, 0.8125);
    // Of seven turns one holds `docker`, two `network`, none `kubernetes`:
    // ln(1 + 6.5/1.5), ln(1 + 5.5/2.5), ln(1 + 7.5/0.5). The first two of three.
    assert_near(told.weights.lexical.confidence, 0.5058);
    assert_near(told.weights.lexical.strength, 0.6206);
    // 0.35 * 5.34558 against 0.65 * 0.6206.
    assert_near(told.weights.alpha, 0.8154);
    let fused = |hit: usize| found.hits[hit].fused_score;
    assert_near(fused(0), 1.0);
    // (0.5 - 0.06944) / (0.75 - 0.06944), in its session.
    let second = in_session(0.815_367 * 0.632_65);
    assert_near(fused(1), second);
    // 1 / (1 + exp(3.7 - evidence * (2 + 5.1 * margin))).
    assert_near(found.hits[0].probability, logistic(0.8125 + 0.5058, second));
    assert_near(found.hits[0].probability, 0.9460);
    assert_eq!(found.hits[0].band, ConfidenceBand::Strong);
    assert_near(
        found.hits[1].probability,
        logistic(0.8125 * 0.632_65, 1.0 / second),
    );
    // Words alone: its part of the best BM25, which the index gives, by the
    // roots of the shares: `network` of three, `docker network` of three.
    let bm25 = library
        .reader()
        .search_lexical(&Query::new("docker network kubernetes"), 10, |_| Ok(true))
        .unwrap();
    let part = bm25.turns[1].score / bm25.turns[0].score * (0.207_35f32 / 0.505_75).sqrt();
    assert_near(fused(2), in_session(0.1846 * part));
    assert_eq!(
        (found.hits[2].dense, found.hits[2].lexical.unwrap().rank),
        (None, 2)
    );
}

/// The probability that a hit answers, by its evidence and its rival's score over its own.
fn logistic(evidence: f32, rival: f32) -> f32 {
    1.0 / (1.0 + (3.7 - evidence * (2.0 + 5.1 * (1.0 - rival))).exp())
}

#[test]
fn a_fixed_weight_is_taken_as_it_is() {
    let found = three().search(&with(FusionMode::Fixed(0.7)), Some(QUERY));
    let told = &found.explanation;
    assert_near(told.weights.alpha, 0.7);
    assert_near(told.weights.dense.confidence, 0.875);
    assert_near(found.hits[0].fused_score, 1.0);
    assert_near(found.hits[1].fused_score, in_session(0.7 * 0.632_65));
}

/// Ten turns that words do not tell apart: meaning has nearly all the weight.
#[test]
fn words_that_tell_nothing_apart_count_less() {
    let alpha = |count: usize| {
        let mut library = Library::new();
        for n in 0..count {
            library.say(
                &format!("s{n}"),
                &[("The network is slow today, again.", None)],
            );
        }
        library.say(
            "near",
            &[(
                "It takes ages until an answer comes back.",
                Some(cosine(0.75)),
            )],
        );
        let found = library.search(&turns("network latency"), Some(QUERY));
        found.explanation.weights.alpha
    };
    assert!(
        alpha(10) > 0.999 && alpha(9) < 0.999,
        "{} {}",
        alpha(10),
        alpha(9)
    );
}

/// Neither words nor meaning tell ten turns apart: that is no certainty.
#[test]
fn ten_equal_turns_that_no_vector_is_near_are_weak() {
    let mut library = Library::new();
    for n in 0..10 {
        library.say(&format!("s{n}"), &[("The kiln is warm.", None)]);
    }
    let others: Vec<String> = (0..110).map(|n| format!("Of subject number{n}.")).collect();
    let others = others.iter().map(|text| (text.as_str(), Some(cosine(0.0))));
    library.say("other", &others.collect::<Vec<_>>());
    let found = library.search(&turns("kiln"), Some(QUERY));
    let told = &found.explanation.weights;
    assert_eq!(
        (told.alpha, told.lexical.strength, told.dense.confidence),
        (0.0, 0.0, 0.0)
    );
    let bands = found.hits.iter().map(|hit| hit.band);
    assert!(bands.eq([ConfidenceBand::Weak; 10]), "{found:?}");
}

#[test]
fn one_list_alone_may_be_asked_for() {
    let library = three();
    let vector = library.search(&with(FusionMode::DenseOnly), Some(QUERY));
    assert_eq!(ids(&vector), ["a", "c"]);
    assert_near(vector.hits[1].fused_score, in_session(0.632_65));
    assert!(vector.hits.iter().all(|h| h.lexical.is_none()));
    let keyword = library.search(&with(FusionMode::LexicalOnly), Some(QUERY));
    assert_eq!(ids(&keyword), ["a", "b"]);
    assert_near(keyword.hits[0].fused_score, 1.0);
    assert!(keyword.hits.iter().all(|h| h.dense.is_none()));
    assert_eq!(
        ids(&library.search(&with(FusionMode::DenseOnly), None)),
        [""; 0]
    );
}

/// A model may not know a word whole that turns hold.
#[test]
fn a_word_of_the_index_means_something_by_vectors_alone() {
    let library = three();
    let confidence = |query: &str, fusion| {
        let request = SearchRequest {
            fusion,
            ..turns(query)
        };
        let found = library.search_by_pieces(&request, QUERY);
        found.explanation.weights.dense.confidence
    };
    let both = confidence("docker", FusionMode::Fixed(1.0));
    assert!(both > 0.0);
    assert_near(confidence("docker", FusionMode::DenseOnly), both);
    assert_near(confidence("zebra", FusionMode::DenseOnly), 0.0);
}

#[test]
fn where_one_list_cannot_speak_the_other_has_all_the_weight() {
    let library = three();
    let alpha = |found: &SearchResults| found.explanation.weights.alpha;
    // No model, or a model that knows no word of the query.
    for vector in [None, Some([0.0; DIMS])] {
        let found = library.search(&turns("docker network"), vector);
        assert_eq!((ids(&found), alpha(&found)), (vec!["a", "b"], 0.0));
        assert_near(found.hits[0].fused_score, 1.0);
    }
    // No word in the query.
    let found = library.search(&turns("🐳 ?!"), Some(QUERY));
    assert_eq!((ids(&found), alpha(&found)), (vec!["a", "c"], 1.0));
    // Neither.
    for vector in [None, Some([0.0; DIMS])] {
        assert_eq!(ids(&library.search(&turns(""), vector)), [""; 0]);
    }
}

#[test]
fn the_best_of_a_bad_lot_is_weak_or_nothing() {
    let mut library = Library::new();
    library.say("a", &[(NONE, Some(cosine(0.375)))]);
    library.say("b", &[(ONE, Some(cosine(0.25)))]);
    let found = library.search(&turns("kubernetes"), Some(QUERY));
    // (0.375 - 0.28125) / 0.5; no word is found, so that the weight is 1.
    assert_eq!(ids(&found), ["a", "b"]);
    assert_near(found.explanation.weights.dense.confidence, 0.1875);
    assert_eq!(found.explanation.unfound.missing, ["kubernetes"]);
    assert_eq!(found.hits[0].band, ConfidenceBand::Weak);
    let far = library.search(&turns("kubernetes"), Some(FAR));
    assert_eq!(ids(&far), [""; 0]);
}

#[test]
fn a_rare_word_that_is_not_there_lowers_the_confidence_of_the_lexical_list() {
    let library = three();
    let found = library.search(&turns("network kubernetes"), None);
    let top = found.explanation.weights.lexical.confidence;
    assert!(top > 0.0 && top < 0.5, "{top}");
    assert_eq!(found.hits[0].band, ConfidenceBand::Weak);
}

#[test]
fn nothing_in_a_query_is_syntax() {
    let library = three();
    let odd = [
        "",
        " ",
        "\"",
        "\"\"",
        "\"unclosed",
        "a \"b\" \"",
        "AND",
        "NOT",
        "docker AND",
        "OR docker",
        "*",
        "dock*",
        "foo(",
        "()",
        "NEAR(a b)",
        "NEAR(docker bridge, 5)",
        "prompt:docker",
        "col:x",
        "^docker",
        "^",
        "-x",
        "-",
        "--no-verify",
        "-docker",
        "{a b}",
        "a + b",
        "'",
        "''; DROP TABLE words; --",
        "%_%",
        "\\0",
        "\\",
        "a\u{1}b",
        "a\nb\tc",
        "\u{feff}",
        "ﬃ",
        "İ",
        "é e\u{301}",
        "日本語",
        "🎉",
        "👨‍👩‍👧",
        "🎉 docker",
        "\u{202e}docker",
        "ß",
        "....",
        "://",
        "a.b.c:d",
        "C:\\Users\\ann",
        "$(reboot)",
        "`ls`",
        "#1",
        "@",
        "0",
        "-1",
    ];
    for query in odd {
        for level in [Level::Session, Level::Turn] {
            let request = SearchRequest {
                level,
                ..SearchRequest::new(query)
            };
            let found = library.search(&request, Some(QUERY));
            let hits = found.hits.iter();
            let mut previews = hits.map(|hit| &hit.preview);
            assert!(previews.all(|preview| !preview.is_empty()), "{query:?}");
        }
    }
}

#[test]
fn hits_are_ranked_up_to_the_limit_ties_to_the_newer() {
    let mut library = Library::new();
    for id in ["a", "b", "c", "d"] {
        library.say(id, &[(NONE, Some(cosine(0.5)))]);
    }
    let of = |limit| {
        let request = SearchRequest {
            limit,
            ..SearchRequest::new("containers")
        };
        library.search(&request, Some(QUERY))
    };
    assert_eq!(ids(&of(10)), ["d", "c", "b", "a"]);
    assert_eq!(ids(&of(2)), ["d", "c"]);
    assert_eq!(ids(&of(0)), [""; 0]);
    let ranks: Vec<usize> = of(3).hits.iter().map(|h| h.rank).collect();
    assert_eq!(ranks, [1, 2, 3]);
}

#[test]
fn a_session_counts_by_its_best_evidence() {
    let mut library = Library::new();
    library.say(
        "a",
        &[
            (NONE, Some(cosine(0.5))),
            (
                "Something else that is of no interest.",
                Some(cosine(0.625)),
            ),
            ("And a third one of no interest at all.", None),
        ],
    );
    let told = [(turn(0, ONE), Some(cosine(0.375)))];
    library.add("claude", &meta("b"), &told, Some(cosine(0.75)));
    let found = library.search(&SearchRequest::new("kubernetes"), Some(QUERY));
    let places: Vec<_> = found.hits.iter().map(place).collect();
    // The chunk speaks for the session; its best turn is shown.
    assert_eq!(places, [("b", Some(0)), ("a", Some(1))]);
    // Above the mean of three turns and sixteen usual ones, 1.5 / 19.
    let scores: Vec<f32> = found.hits.iter().map(|h| h.dense.unwrap().score).collect();
    assert_near(
        scores[1] / scores[0],
        (0.625 - 0.078_95) / (0.75 - 0.078_95),
    );
    // At turn level, turns alone count.
    let found = library.search(&turns("kubernetes"), Some(QUERY));
    let places: Vec<_> = found.hits.iter().map(place).collect();
    assert_eq!(places, [("a", Some(1)), ("a", Some(0)), ("b", Some(0))]);
}

#[test]
fn the_turn_that_is_shown_is_the_best_by_both_lists() {
    let mut library = three();
    let fair = "By the way, docker and its network were slow once more, as they were on most of the days before.";
    library.say(
        "long",
        &[
            (BOTH, Some(cosine(0.28125))),
            (NONE, Some(cosine(0.625))),
            (fair, Some(cosine(0.59375))),
        ],
    );
    let shown = |request: &SearchRequest| {
        let found = library.search(request, Some(QUERY));
        let hit = found.hits.iter().find(|hit| hit.session.uid == "long");
        let hit = hit.unwrap();
        (place(hit).1.unwrap(), hit.preview.clone())
    };
    for (query, turn, text) in [("network docker", 2, fair), ("kubernetes podman", 1, NONE)] {
        let expected = (turn, text.to_owned());
        assert_eq!(shown(&SearchRequest::new(query)), expected);
        assert_eq!(shown(&turns(query)), expected, "depth 2 agrees");
    }
    let words = SearchRequest {
        fusion: FusionMode::LexicalOnly,
        ..SearchRequest::new("network docker")
    };
    assert_eq!(shown(&words), (0, BOTH.to_owned()));
}

#[test]
fn what_was_searched_is_counted() {
    let mut library = three();
    library.add("opencode", &meta("ses_a"), &[(turn(0, BOTH), None)], None);
    library.add("opencode", &meta("ses_empty"), &[], None);
    let searched = library.search(&turns("docker"), None).searched;
    assert_eq!((searched.sessions, searched.projects), (5, 0));
    let sources: Vec<_> = searched
        .sources
        .iter()
        .map(|(s, n)| (s.as_str(), *n))
        .collect();
    assert_eq!(sources, [("claude", 4), ("opencode", 1)]);
}

/// Each model speaks for what it has embedded; where two have, by their weights.
#[test]
fn two_models_speak_by_their_weights() {
    let mut library = Library::new();
    let both = library.say("both", &[(BOTH, Some(cosine(0.75)))]);
    library.say("one", &[(ONE, Some(cosine(0.5)))]);
    library.embed("beef", both, &[(turn(0, BOTH), Some(cosine(0.125)))], None);
    let better = CosineScale {
        unrelated: 0.0,
        related: 1.0,
        per_word: 0.0,
        weight: 0.75,
        ..SCALE
    };
    let models = [("beef", better), ("f00d", SCALE)];
    let request = SearchRequest {
        fusion: FusionMode::DenseOnly,
        ..turns("kettle")
    };
    let results = library.search_with(&request, QUERY, &models);
    assert_eq!(results.explanation.models.len(), 2);
    let told = |hit: &SearchHit| (place(hit).0.to_owned(), hit.dense.unwrap().score);
    let told: Vec<(String, f32)> = results.hits.iter().map(told).collect();
    assert_eq!((told[0].0.as_str(), told[1].0.as_str()), ("one", "both"));
    // By the other model alone: strength 5.34558, 0.63265 of its best.
    assert_near(told[0].1, 5.345_58 * 0.632_65);
    // The better model's best does not stand out.
    let z = results.explanation.cosines[0].z;
    assert!(z < 1.0, "{z}");
    assert_near(told[1].1, 0.75 * z * z + 0.25 * 5.345_58);
    let alone = library.search_with(&request, QUERY, &models[1..]);
    assert_eq!(ids(&alone), ["both", "one"]);
}

/// Numbers of sessions depend on when they were indexed; their times do not.
#[test]
fn hits_of_equal_scores_stand_in_the_order_of_their_times() {
    let order = |sessions: [(&str, i64); 3]| {
        let mut library = Library::new();
        for (id, at) in sessions {
            let burns = Turn {
                started_ms: Some(at),
                ended_ms: Some(at),
                ..turn(0, "the lantern burns")
            };
            library.add("claude", &meta(id), &[(burns, None)], None);
        }
        let results = library.search(&SearchRequest::new("lantern"), None);
        ids(&results)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let expected = ["new", "mid", "old"];
    assert_eq!(
        order([("old", 1000), ("mid", 2000), ("new", 3000)]),
        expected
    );
    assert_eq!(
        order([("new", 3000), ("old", 1000), ("mid", 2000)]),
        expected
    );
}
