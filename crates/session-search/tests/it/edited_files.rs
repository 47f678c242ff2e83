//! The name of a file: who changed it, and who only mentions it.

use crate::library::{Library, QUERY, cosine, ids, meta, turn};
use session_core::{ConfidenceBand, ToolCall, Turn, TurnPart};
use session_search::SearchRequest;

/// A library of sessions that mention a file twice, and one that changes it once; they are nearer in meaning.
fn library(mentions: usize) -> Library {
    let mut library = Library::new();
    let call = ToolCall {
        name: "Edit".into(),
        files: vec!["/home/ann/src/wick_trim.rs".into()],
        ..ToolCall::default()
    };
    let edit = Turn {
        parts: vec![TurnPart::Call(call)],
        ..turn(0, "Mend the lamp so that it burns at night.")
    };
    library.add(
        "claude",
        &meta("editor"),
        &[(edit, Some(cosine(0.1)))],
        None,
    );
    let said = "Is wick_trim.rs read at night?";
    let again = "Then who reads wick_trim.rs in the morning?";
    for n in 0..mentions {
        let turns = [(said, Some(cosine(0.8))), (again, Some(cosine(0.7)))];
        library.say(&format!("mention{n}"), &turns);
    }
    library.say_others();
    library
}

#[test]
fn who_changed_a_file_goes_before_who_mentions_it() {
    for mentions in [1, 2, 7] {
        let library = library(mentions);
        for query in ["wick_trim.rs", "src/wick_trim.rs"] {
            let found = library.search(&SearchRequest::new(query), Some(QUERY));
            assert_eq!(ids(&found)[0], "editor", "{query} {mentions}");
            let is_strong = found.hits[0].band == ConfidenceBand::Strong;
            let is_common = query == "wick_trim.rs" && mentions == 7;
            assert!(!(is_strong && is_common), "many hold it");
        }
    }
}

#[test]
fn other_words_decide_among_those_that_hold_a_file() {
    for mentions in [1, 7] {
        let library = library(mentions);
        let query = "who reads wick_trim.rs in the morning";
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_ne!(ids(&found)[0], "editor", "{mentions}");
    }
}
