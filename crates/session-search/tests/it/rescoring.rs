//! Nearly equal hits are ordered by cosines as precise as the model makes them, not by rounded vectors.

use crate::library::{DIMS, Library, QUERY, Vector, cosine, ids, meta, place, turn};
use session_core::{Query, Turn, TurnContent};
use session_search::{FusionMode, Level, SearchRequest, SearchResults, TextCosines};
use session_store::SessionContents;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Cosines by the prompt of a turn and by that of a session's first, and for which prompts they were asked.
#[derive(Debug, Default)]
struct KnownCosines {
    turns: HashMap<String, f32>,
    chunks: HashMap<String, f32>,
    asked: Mutex<Vec<String>>,
}

impl TextCosines for KnownCosines {
    fn turn_cosine(&self, content: &TurnContent) -> Option<f32> {
        self.asked.lock().unwrap().push(content.prompt.clone());
        self.turns.get(&content.prompt).copied()
    }

    fn greatest_chunk_cosine(&self, contents: &SessionContents) -> Option<f32> {
        let first = &contents.turns[0].content;
        self.asked.lock().unwrap().push(first.prompt.clone());
        self.chunks.get(&first.prompt).copied()
    }
}

fn by_vector(level: Level) -> SearchRequest {
    SearchRequest {
        query: Query::new("zebra"),
        fusion: FusionMode::DenseOnly,
        level,
        ..SearchRequest::new("")
    }
}

/// Two sessions of one turn each, and a third far from the query.
fn two(first: f32, second: f32) -> Library {
    let mut library = Library::new();
    for (id, cosine) in [("a", first), ("b", second), ("c", 0.1)] {
        library.say(id, &[(&subject(id), Some(self::cosine(cosine)))]);
    }
    library
}

fn subject(id: &str) -> String {
    format!("Something about subject {id} in a few words.")
}

fn search(library: &Library, level: Level, turns: [f32; 2]) -> (SearchResults, Vec<String>) {
    let known = KnownCosines {
        turns: ["a", "b"].map(subject).into_iter().zip(turns).collect(),
        ..KnownCosines::default()
    };
    let known = Arc::new(known);
    let found = library.search_precise(&by_vector(level), QUERY, &known);
    let asked = known.asked.lock().unwrap().clone();
    (found, asked)
}

#[test]
fn nearly_equal_hits_are_ordered_by_their_texts() {
    let library = two(0.7505, 0.75);
    for level in [Level::Turn, Level::Session] {
        let (found, asked) = search(&library, level, [0.7498, 0.7502]);
        assert_eq!(place(&found.hits[0]).0, "b", "{level:?}");
        assert_eq!(found.explanation.cosines[0].best, 0.7502);
        assert_eq!(asked.len(), 2, "the third is far below");
    }
}

#[test]
fn hits_that_are_apart_are_left_as_they_are() {
    let (found, asked) = search(&two(0.75, 0.7), Level::Turn, [0.1, 0.9]);
    assert_eq!(place(&found.hits[0]).0, "a");
    assert!(asked.is_empty(), "{asked:?}");
}

/// The last two of three hits change places, and with them the best cosine of none.
#[test]
fn scores_are_the_same_however_many_hits_are_listed() {
    let mut library = two(0.6005, 0.6);
    library.say("first", &[(&subject("first"), Some(self::cosine(0.9)))]);
    let known = Arc::new(KnownCosines {
        turns: HashMap::from([(subject("a"), 0.5998), (subject("b"), 0.6002)]),
        ..KnownCosines::default()
    });
    let scores = |limit: usize| {
        let request = SearchRequest {
            limit,
            ..by_vector(Level::Turn)
        };
        let found = library.search_precise(&request, QUERY, &known);
        let hits = found.hits.iter();
        hits.map(|hit| (hit.session.uid.clone(), hit.probability))
            .collect()
    };
    let all: Vec<(String, f32)> = scores(10);
    assert_eq!(all[1].0, "b");
    for limit in 1..all.len() {
        assert_eq!(scores(limit), all[..limit]);
    }
}

#[test]
fn a_text_that_is_gone_keeps_its_stored_cosine() {
    let library = two(0.7505, 0.75);
    for (known, cosine, expected) in [("a", 0.7499, "b"), ("b", 0.7504, "a")] {
        let known = Arc::new(KnownCosines {
            turns: HashMap::from([(subject(known), cosine)]),
            ..KnownCosines::default()
        });
        let found = library.search_precise(&by_vector(Level::Turn), QUERY, &known);
        assert_eq!(place(&found.hits[0]).0, expected);
    }
}

#[test]
fn beside_another_model_nothing_is_computed() {
    let mut library = two(0.7505, 0.75);
    let words = "Something by another model in a few words.";
    let session = library.say("d", &[(words, None)]);
    library.embed(
        "beef",
        session,
        &[(turn(0, words), Some(cosine(0.1)))],
        None,
    );
    let known = Arc::new(KnownCosines::default());
    library.search_precise_with(&by_vector(Level::Turn), QUERY, &known, &["beef"]);
    assert!(known.asked.lock().unwrap().is_empty());
}

/// Sessions that have a chunk alone, the first of them with the greater stored cosine.
fn chunks(first: f32, second: f32, turns: u32) -> Library {
    let mut library = Library::new();
    for (id, cosine) in [("a", first), ("b", second), ("c", 0.1)] {
        let prompt = |n| subject(&format!("{id}{n}"));
        let turns: Vec<_> = (0..turns).map(|n| (turn(n, &prompt(n)), None)).collect();
        library.add("claude", &meta(id), &turns, Some(self::cosine(cosine)));
    }
    library
}

fn search_chunks(library: &Library) -> (SearchResults, usize) {
    let known = Arc::new(KnownCosines {
        chunks: HashMap::from([(subject("a0"), 0.7498), (subject("b0"), 0.7502)]),
        ..KnownCosines::default()
    });
    let found = library.search_precise(&by_vector(Level::Session), QUERY, &known);
    let asked = known.asked.lock().unwrap().len();
    (found, asked)
}

#[test]
fn sessions_are_ordered_by_their_chunks() {
    let (found, asked) = search_chunks(&chunks(0.7505, 0.75, 2));
    assert_eq!((place(&found.hits[0]).0, asked), ("b", 2));
}

#[test]
fn sessions_that_are_long_are_not_read_for_it() {
    let (found, asked) = search_chunks(&chunks(0.7505, 0.75, 801));
    assert_eq!((place(&found.hits[0]).0, asked), ("a", 0));
}

#[test]
fn a_turn_moves_by_the_chunk_of_its_session() {
    let mut library = Library::new();
    for (id, chunk) in [("a", 0.9005), ("b", 0.9)] {
        let turns = [(turn(0, &subject(id)), Some(cosine(0.75)))];
        library.add("claude", &meta(id), &turns, Some(cosine(chunk)));
    }
    let known = Arc::new(KnownCosines {
        chunks: HashMap::from([(subject("a"), 0.9), (subject("b"), 0.9005)]),
        ..KnownCosines::default()
    });
    let request = by_vector(Level::Turn);
    let found = library.search_precise(&request, QUERY, &known);
    assert_eq!(place(&found.hits[0]).0, "b");
}

/// A nightly job asks the same each time: all or none of its turns get another cosine.
#[test]
fn many_equal_turns_stay_in_the_order_of_their_time() {
    let mut library = Library::new();
    let words = "Run the nightly integration suite and tell me what has failed.";
    for day in 0..120 {
        let turn = Turn {
            started_ms: Some(day * 86_400_000),
            ..turn(0, words)
        };
        library.add(
            "claude",
            &meta(&format!("{day:03}")),
            &[(turn, Some(cosine(0.7505)))],
            None,
        );
    }
    let known = Arc::new(KnownCosines {
        turns: HashMap::from([(words.to_owned(), 0.75)]),
        ..KnownCosines::default()
    });
    for level in [Level::Session, Level::Turn] {
        let found = library.search_precise(&by_vector(level), QUERY, &known);
        assert_eq!(ids(&found)[..3], ["119", "118", "117"], "{level:?}");
    }
    assert_eq!(known.asked.lock().unwrap().len(), 2, "once a search");
}

/// A generator of numbers between -1 and 1, the same each time.
struct Numbers(u64);

impl Iterator for Numbers {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Some((self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0)
    }
}

fn random_unit(numbers: &mut Numbers) -> Vector {
    let mut vector: Vector = std::array::from_fn(|_| numbers.next().unwrap());
    vector[0] = 2.0 + numbers.next().unwrap(); // as near to the query as texts of one subject are
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.map(|x| x / norm)
}

/// Compares with a search over the vectors as they were before they were rounded.
#[test]
fn the_hits_are_those_of_exact_vectors() {
    let mut differ = 0;
    for seed in 1..=20 {
        let numbers = &mut Numbers(seed);
        let mut library = Library::new();
        let vectors: Vec<Vector> = (0..300).map(|_| random_unit(numbers)).collect();
        let words: Vec<String> = (0..300)
            .map(|turn| format!("Something about subject number{turn} of many."))
            .collect();
        let turns = words.iter().zip(&vectors);
        let turns: Vec<_> = turns.map(|(words, v)| (words.as_str(), Some(*v))).collect();
        library.say("a", &turns);
        let query = random_unit(numbers);
        let exact = |vector: &Vector| -> f32 { (0..DIMS).map(|i| vector[i] * query[i]).sum() };
        let known = KnownCosines {
            turns: words.into_iter().zip(vectors.iter().map(exact)).collect(),
            ..KnownCosines::default()
        };
        let request = SearchRequest {
            limit: 10,
            ..by_vector(Level::Turn)
        };
        let found = library.search_precise(&request, query, &Arc::new(known));
        let mut expected: Vec<usize> = (0..300).collect();
        expected.sort_by(|a, b| exact(&vectors[*b]).total_cmp(&exact(&vectors[*a])));
        let found = found.hits.iter().map(|hit| place(hit).1.unwrap() as usize);
        differ += found.zip(expected).filter(|(a, b)| a != b).count();
    }
    assert_eq!(differ, 0, "of 200 places");
}
