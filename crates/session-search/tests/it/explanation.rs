//! Each score can be checked by hand from what is told with it.

use crate::library::{FAR, Library, Vector, vector};
use proptest::prelude::*;
use session_core::{ConfidenceBand, ListScore};
use session_search::{FusionMode, Level, SearchRequest, SearchResults};

const WORDS: [&str; 6] = ["docker", "bridge", "network", "lexer", "token", "borrow"];

type LoggedScores = Vec<(Vec<&'static str>, Option<Vector>)>;

fn words() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..5)
}

fn sessions() -> impl Strategy<Value = Vec<LoggedScores>> {
    let turn = (words(), prop::option::of(vector()));
    prop::collection::vec(prop::collection::vec(turn, 0..4), 0..7)
}

fn request() -> impl Strategy<Value = SearchRequest> {
    let fusion = prop_oneof![
        4 => Just(FusionMode::Adaptive),
        2 => (0.0f32..=1.0).prop_map(FusionMode::Fixed),
        1 => Just(FusionMode::DenseOnly),
        1 => Just(FusionMode::LexicalOnly)
    ];
    let level = prop::sample::select(vec![Level::Session, Level::Turn]);
    (words(), fusion, level, 0..12usize).prop_map(|(words, fusion, level, limit)| SearchRequest {
        fusion,
        level,
        limit,
        ..SearchRequest::new(&words.join(" "))
    })
}

/// The part of a list's best score, `max`.
fn scaled(list_score: Option<ListScore>, max: f32) -> f32 {
    list_score.map_or(0.0, |s| (s.score / max).max(0.0))
}

/// The weight, from what each list found.
fn weighed(found: &SearchResults, fusion: FusionMode) -> Option<f32> {
    let weighing = found.explanation.weights;
    let doubt = weighing.lexical.confidence.powi(2) * (1.0 - weighing.dense.confidence);
    let (dense, lexical) = (
        0.35 * weighing.dense.strength * (1.0 - doubt),
        0.65 * weighing.lexical.strength,
    );
    (fusion == FusionMode::Adaptive && dense > 0.0 && lexical > 0.0)
        .then(|| dense / (dense + lexical) * (1.0 - weighing.exact_share))
}

fn best(
    results: &SearchResults,
    of: impl Fn(&session_search::SearchHit) -> Option<ListScore>,
) -> Option<f32> {
    let first = results.hits.iter().filter_map(of).find(|s| s.rank == 1);
    first.map(|s| s.score)
}

fn check(all: &SearchResults, found: &SearchResults) {
    let alpha = found.explanation.weights.alpha;
    let max = (best(all, |h| h.lexical), best(all, |h| h.dense));
    for (n, hit) in found.hits.iter().enumerate() {
        assert_eq!(hit.rank, n + 1);
        assert!(
            (0.0..=1.0 + 1e-5).contains(&hit.probability),
            "{}",
            hit.probability
        );
        assert!(
            (0.0..=1.0 + 1e-5).contains(&hit.fused_score),
            "{}",
            hit.fused_score
        );
        assert_eq!(hit.band, ConfidenceBand::from_probability(hit.probability));
        let told = |s: Option<ListScore>| s.map_or(0.0, |s| s.scaled);
        let sum = alpha * told(hit.dense) + (1.0 - alpha) * told(hit.lexical);
        let beyond = hit.fused_score - sum * hit.context_factor * hit.exact_factor;
        // Who holds an identifier that few sessions hold is raised.
        let is_raised = !found.explanation.rare_exact_terms.is_empty();
        assert!(beyond.abs() < 1e-5 || is_raised && beyond > 0.0, "{beyond}");
        for (list_score, max) in [(hit.lexical, max.0), (hit.dense, max.1)] {
            if let Some(max) = max.filter(|max| *max > 0.0) {
                assert!((scaled(list_score, max) - told(list_score)).abs() < 1e-4);
            }
        }
        if let Some(turn) = &hit.turn {
            assert_eq!(turn.session, hit.session.id);
        }
    }
    let sorted = found.hits.windows(2).all(|pair| {
        pair[0].fused_score >= pair[1].fused_score && pair[0].probability >= pair[1].probability
    });
    assert!(sorted && found.hits.len() <= all.hits.len());
}

/// The weight follows from what the lists found, and no confidence is more than one.
fn check_weight(found: &SearchResults, fusion: FusionMode) {
    let explanation = &found.explanation;
    let sides = [explanation.weights.lexical, explanation.weights.dense];
    let confidences = sides.iter().map(|side| side.confidence);
    for confidence in confidences {
        assert!((0.0..=1.0001).contains(&confidence), "{confidence}");
    }
    if let Some(alpha) = weighed(found, fusion) {
        assert!((alpha - explanation.weights.alpha).abs() < 1e-5);
    }
    assert!(explanation.terms.iter().all(|t| t.idf > 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn scores_follow_from_their_explanation(
        sessions in sessions(), request in request(), vector in prop::option::of(vector()),
    ) {
        let mut library = Library::new();
        // So that there is a model.
        library.say("first", &[("Nothing of all this is said in here.", Some(FAR))]);
        for (n, said) in sessions.iter().enumerate() {
            let prompts: Vec<(String, Option<Vector>)> = said
                .iter()
                .map(|(words, vector)| (format!("Please look into this: {}.", words.join(" ")), *vector))
                .collect();
            let prompts: Vec<(&str, Option<Vector>)> = prompts.iter().map(|(p, v)| (p.as_str(), *v)).collect();
            library.say(&format!("s{n}"), &prompts);
        }
        let found = library.search(&request, vector);
        let all = library.search(&SearchRequest { limit: 1000, ..request.clone() }, vector);
        prop_assert!(found.hits.len() <= request.limit);
        check(&all, &found);
        check(&all, &all);
        check_weight(&all, request.fusion);
    }
}
