//! Scores are those that FTS5 computes itself, though its function is not called.

use crate::support::{Index, deliver, meta, turn};
use proptest::prelude::*;
use session_core::{Query, Turn};

const WORDS: [&str; 9] = [
    "docker", "network", "bridge", "resolve", "harbour", "lantern", "tide", "quay", "gate",
];

/// The word between all others.
const BETWEEN: &str = "zebra";

/// The words of a prompt and of its answer.
type Said = (Vec<&'static str>, Vec<&'static str>);

fn words(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..most)
}

fn sessions() -> impl Strategy<Value = Vec<Vec<Said>>> {
    let said = (words(12), words(60));
    prop::collection::vec(prop::collection::vec(said, 1..12), 1..5)
}

/// A query of words and phrases, some of which nothing holds. No two words of a query stand beside each other in a turn:
/// that counts as a term of its own.
fn query() -> impl Strategy<Value = String> {
    let term = (prop::sample::select(WORDS.to_vec()), 0..9).prop_map(|(word, kind)| match kind {
        0 => "nothing".to_owned(),
        1 | 2 => format!("\"{word} {BETWEEN}\""),
        _ => word.to_owned(),
    });
    prop::collection::vec(term, 1..5).prop_map(|terms| terms.join(" "))
}

fn write(sessions: &[Vec<Said>]) -> Index {
    let index = Index::new();
    let mut writer = index.writer();
    for (n, said) in sessions.iter().enumerate() {
        let turns: Vec<Turn> = (0u32..)
            .zip(said)
            .map(|(at, (prompt, answer))| {
                // So that no two turns are copies of each other.
                let between = format!(" {BETWEEN} ");
                let prompt = format!("prompt {n} {at} {}", prompt.join(&between));
                turn(at, &prompt, &[&answer.join(&between)])
            })
            .collect();
        deliver(&mut writer, &meta(&format!("s{n}")), &turns);
    }
    writer.commit().unwrap();
    index
}

/// Returns the scores of FTS5's own function, by turn.
fn expected_scores(index: &Index, query: &Query) -> Vec<(i64, f32)> {
    let db = rusqlite::Connection::open(index.root().join("index.db")).unwrap();
    let phrases = query.terms.iter().map(|term| format!("\"{}\"", term.text));
    let select = "SELECT rowid, -bm25(words, 1.0, 1.2, 0.5, 0.8, 0.8, 1.0, 0.4) FROM words WHERE words MATCH ?1 ORDER BY rowid";
    let mut find = db.prepare(select).unwrap();
    let rows = find.query_map([phrases.collect::<Vec<_>>().join(" OR ")], |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn scores_are_the_bm25_of_fts5(sessions in sessions(), queries in prop::collection::vec(query(), 1..6)) {
        let index = write(&sessions);
        for text in queries {
            let query = Query::new(&text);
            let found = index.reader().search_lexical(&query, 1000, |_| Ok(true)).unwrap();
            let mut scores: Vec<(i64, f32)> = found.turns.iter().map(|hit| (hit.id.into(), hit.score)).collect();
            scores.sort_by_key(|(turn, _)| *turn);
            let expected = expected_scores(&index, &query);
            prop_assert_eq!(scores.len(), expected.len(), "{}", text);
            for ((turn, score), (of, bm25)) in scores.into_iter().zip(expected) {
                prop_assert!(turn == of && (score - bm25).abs() <= 1e-5 * bm25.abs().max(1e-3), "{} {}: {} {}", text, turn, score, bm25);
            }
        }
    }
}
