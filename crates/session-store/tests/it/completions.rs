//! The last word of a query that is still being typed.

use crate::support::{Index, deliver, meta, turn};
use session_core::Query;
use session_store::{LexicalMatches, Reader, TurnId, Writer};

/// Writes a session with a prompt for each turn, in a commit of its own.
fn write(writer: &mut Writer, session: &str, prompts: &[&str]) {
    let turns: Vec<_> = (0u32..)
        .zip(prompts)
        .map(|(index, prompt)| turn(index, prompt, &[]))
        .collect();
    deliver(writer, &meta(session), &turns);
    writer.commit().unwrap();
}

fn filled(prompts: &[&str]) -> (Index, Reader) {
    let index = Index::new();
    write(&mut index.writer(), "a", prompts);
    let reader = index.reader();
    (index, reader)
}

fn search(reader: &Reader, query: &Query) -> LexicalMatches {
    reader.search_lexical(query, 100, |_| Ok(true)).unwrap()
}

/// Returns the prompts that an unfinished query finds, best first.
fn typed(reader: &Reader, query: &str) -> Vec<String> {
    let hits = search(reader, &Query::parse_unfinished(query)).turns;
    let prompt = |turn: TurnId| reader.content(turn).unwrap().prompt;
    hits.iter().map(|hit| prompt(hit.id)).collect()
}

const LAMP: &str = "The lamplighter of the harbour walks along the quay.";
const GATE: &str = "The gate of the lock sticks after the connection was cut.";

#[test]
fn a_word_is_found_before_it_is_typed_to_its_end() {
    let (_index, reader) = filled(&[LAMP, GATE]);
    for query in ["lam", "lampl", "LAMPLIGHT", "gull lampl", "harbou"] {
        assert_eq!(typed(&reader, query), [LAMP], "{query}");
    }
    for query in ["\"lampl\"", "la", "lampt", "amplight", "lam "] {
        assert_eq!(typed(&reader, query), [""; 0], "{query}");
    }
}

#[test]
fn a_word_is_found_though_its_beginning_is_longer_than_its_stem() {
    for word in [
        "database",
        "connections",
        "hoping",
        "mapping",
        "useful",
        "happiness",
        "configuration",
        "authentication",
        "dependencies",
        "availability",
        "processes",
        "deployment",
    ] {
        let prompt = format!("Where does the {word} of the harbour stand?");
        let (_index, reader) = filled(&[prompt.as_str(), "The gulls cry over the quay."]);
        for end in 4..word.len() {
            assert_eq!(
                typed(&reader, &word[..end]),
                [prompt.as_str()],
                "{}",
                &word[..end]
            );
        }
    }
}

#[test]
fn the_last_word_of_an_identifier_is_completed_behind_the_others() {
    let prompts = [
        "Open src/harbour/lantern.rs with the gauge.",
        "Rename read_tide_table, please, in the gauge.",
        "The FilteredTides of the lantern are wrong.",
    ];
    let (_index, reader) = filled(&prompts);
    assert_eq!(typed(&reader, "src/harbour/lant"), [prompts[0]]);
    assert_eq!(typed(&reader, "read_tide_tab"), [prompts[1]]);
    assert_eq!(typed(&reader, "tide_gau"), [""; 0]);
    assert_eq!(typed(&reader, "FilteredTid"), [prompts[2]]);
}

#[test]
fn accents_are_folded_and_other_scripts_completed() {
    let prompts = [
        "Das Lämpchen am Kai brennt nicht.",
        "Очереди сообщений у причала.",
    ];
    let (_index, reader) = filled(&prompts);
    assert_eq!(typed(&reader, "lampc"), [prompts[0]]);
    assert_eq!(typed(&reader, "Lämpc"), [prompts[0]]);
    assert_eq!(typed(&reader, "сообщ"), [prompts[1]]);
}

#[test]
fn words_of_all_commits_are_found() {
    let index = Index::new();
    let mut writer = index.writer();
    write(&mut writer, "a", &[LAMP]);
    let reader = index.reader();
    reader.begin_snapshot().unwrap();
    assert_eq!(typed(&reader, "lam"), [LAMP]);
    let later = "Two lampshades are for the harbour.";
    write(&mut writer, "b", &[later]);
    assert_eq!(typed(&reader, "lam"), [LAMP]);
    reader.end_snapshot().unwrap();
    let mut found = typed(&reader, "lam");
    found.sort();
    assert_eq!(found, [LAMP, later]);
}

#[test]
fn a_word_as_typed_goes_before_its_completions_and_keeps_its_score() {
    let exact = [
        "A lamp on the quay, and the gulls.",
        "The lamp, the lamp, a lamplighter.",
    ];
    let rare = "The lampoon, lampoon, lampoon of the harbour.";
    let (_index, reader) = filled(&[exact[0], rare, exact[1], GATE, GATE, GATE, GATE]);
    let as_typed = search(&reader, &Query::new("lamp"));
    let unfinished = search(&reader, &Query::parse_unfinished("lamp"));
    assert_eq!(unfinished.turns[..2], as_typed.turns);
    assert_eq!(unfinished.turns.len(), 3);
    let [best, last] = [0, 2].map(|at| unfinished.turns[at].id);
    assert_eq!(unfinished.idf_share(best), 1.0);
    let share = unfinished.idf_share(last);
    assert!(share > 0.0 && share < 0.6, "{share}");
    let counts = |found: &LexicalMatches| (found.terms[0].turns, found.terms[0].idf);
    assert_eq!(counts(&unfinished), counts(&as_typed));
}

#[test]
fn completions_alone_stand_for_the_word() {
    let (_index, reader) = filled(&[LAMP, GATE, GATE]);
    let whole = search(&reader, &Query::new("lamplighter"));
    let part = search(&reader, &Query::parse_unfinished("lamplig"));
    assert_eq!(part.turns, whole.turns);
    assert_eq!(part.terms[0].turns, 1);
    assert_eq!(part.idf_share(part.turns[0].id), 1.0);
    let words: Vec<&str> = part.terms[0].words().collect();
    assert_eq!(words, ["lamplig", "lamplight"]);
}

#[test]
fn the_commonest_of_many_words_are_taken() {
    let mut prompts = vec!["The harbour has a lampstand by the gate.".to_owned(); 3];
    let rare = |n: usize| format!("The quay has lamp{}x in its store.", "qz".repeat(n));
    prompts.extend((1..60).map(rare));
    let prompts: Vec<&str> = prompts.iter().map(String::as_str).collect();
    let (_index, reader) = filled(&prompts);
    let found = search(&reader, &Query::parse_unfinished("lam"));
    assert_eq!(found.terms[0].words().nth(1), Some("lampstand"));
    assert!(found.terms[0].words().count() <= 17);
}
