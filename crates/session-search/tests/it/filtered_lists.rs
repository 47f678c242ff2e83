//! A filter leaves out turns, and changes nothing of the others in either list.

use crate::library::{Library, QUERY, SCALE, Vector, vector};
use proptest::prelude::*;
use session_search::{FusionMode, Level, SearchFilter, SearchHit, SearchRequest};
use session_store::SessionId;
use std::collections::HashMap;

const WORDS: [&str; 6] = ["docker", "bridge", "network", "lexer", "token", "borrow"];

/// The words and the vector of a turn.
type Said = (Vec<&'static str>, Vector);

fn words(least: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), least..6)
}

fn sessions() -> impl Strategy<Value = Vec<Vec<Said>>> {
    let turn = (words(0), vector());
    prop::collection::vec(prop::collection::vec(turn, 1..5), 2..8)
}

/// Writes sessions into an index, and returns their numbers.
fn write(sessions: &[Vec<Said>]) -> (Library, Vec<SessionId>) {
    let mut library = Library::new();
    let ids = sessions.iter().enumerate().map(|(n, said)| {
        let prompts: Vec<(String, Vector)> = said
            .iter()
            .enumerate()
            .map(|(at, (words, vector))| {
                // No two words stand in a row: runs of words are those of the turns that the filter lets through.
                let words = words.join(" beside ");
                let text = format!("Please look at {n} and {at}: {words}.");
                (text, *vector)
            })
            .collect();
        let prompts: Vec<(&str, Option<Vector>)> = prompts
            .iter()
            .map(|(text, vector)| (text.as_str(), Some(*vector)))
            .collect();
        library.say(&format!("s{n}"), &prompts)
    });
    let ids = ids.collect();
    (library, ids)
}

/// The session and the turn of a hit.
type Place = (SessionId, u32);

fn place(hit: &SearchHit) -> Option<Place> {
    Some((hit.session.id, hit.turn.as_ref()?.index))
}

/// The cosine of a stored vector is rounded to so much.
const ROUNDING: f32 = 0.02;

fn request(asked: &[&str], only: &[SessionId], fusion: FusionMode) -> SearchRequest {
    SearchRequest {
        fusion,
        level: Level::Turn,
        limit: 1000,
        filter: SearchFilter {
            only_sessions: only.to_vec(),
            ..SearchFilter::default()
        },
        ..SearchRequest::new(&asked.join(" "))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_filter_leaves_out_words_of_other_sessions_alone(
        sessions in sessions(), kept in prop::collection::vec(any::<bool>(), 8), asked in words(1),
    ) {
        let (library, ids) = write(&sessions);
        let only: Vec<SessionId> = ids.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(id, _)| id).collect();
        prop_assume!(!only.is_empty());
        // Of the list itself: a turn is ranked by its session, too, whose weight depends on the others.
        let search = |only: &[SessionId]| -> Vec<(Place, f32)> {
            let found = library.search(&request(&asked, only, FusionMode::LexicalOnly), None);
            let hits = found.hits.iter().filter_map(|hit| Some((place(hit)?, hit.lexical?.score)));
            let mut hits: Vec<_> = hits.collect();
            hits.sort_by_key(|(place, _)| *place);
            hits
        };
        let mut expected = search(&[]);
        expected.retain(|((session, _), _)| only.contains(session));
        prop_assert_eq!(search(&only), expected);
    }

    #[test]
    fn the_nearest_of_a_filter_are_those_of_a_plain_loop(
        sessions in sessions(), kept in prop::collection::vec(any::<bool>(), 8),
    ) {
        let (library, ids) = write(&sessions);
        let mut cosines = HashMap::new();
        let mut only = Vec::new();
        for ((id, said), _) in ids.into_iter().zip(&sessions).zip(kept).filter(|(_, kept)| *kept) {
            only.push(id);
            cosines.extend((0u32..).zip(said).map(|(at, (_, vector))| ((id, at), vector[0])));
        }
        prop_assume!(!only.is_empty());
        let found = library.search(&request(&["quay"], &only, FusionMode::DenseOnly), Some(QUERY));
        let mut hits: Vec<&SearchHit> = found.hits.iter().collect();
        hits.sort_by_key(|hit| hit.dense.map(|score| score.rank));
        let ranked: Vec<f32> = hits.iter().filter_map(|hit| cosines.get(&place(hit)?).copied()).collect();
        prop_assert_eq!(ranked.len(), hits.len(), "a hit is none of the filter");
        prop_assert!(ranked.windows(2).all(|pair| pair[0] >= pair[1] - ROUNDING), "{:?}", ranked);
        let best = cosines.values().copied().fold(0.0, f32::max);
        if best > SCALE.related {
            prop_assert!(ranked.first().is_some_and(|first| *first >= best - ROUNDING), "{} {:?}", best, ranked);
        }
    }
}
