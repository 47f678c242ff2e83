//! Terms that no session holds.

use crate::library::{Library, QUERY};
use session_search::SearchRequest;

#[test]
fn the_id_of_a_session_is_told_apart() {
    let mut library = Library::new();
    library.say("2095544c-9d0f", &[("The error of the importer.", None)]);
    let unfound = |query: &str| {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        found.explanation.unfound
    };
    for id in ["2095544c", "2095544c-9d0f", "209554", "2095544C"] {
        let told = unfound(&format!("error {id}"));
        assert_eq!(told.session_ids, [id]);
        assert_eq!(told.missing, [id], "it is no text of a turn");
    }
    assert_eq!(unfound("error 2095544d").session_ids, [""; 0]);
}

#[test]
fn the_address_of_a_turn_and_the_path_of_a_transcript_stand_for_their_session() {
    let uuid = "a7da6a22-9d0f-4000-8000-000000000001";
    let mut library = Library::new();
    library.say(uuid, &[("The error of the importer.", None)]);
    for (query, id) in [
        ("a7da6a22:4", "a7da6a22"),
        ("`a7da6a22:5-9`", "a7da6a22"),
        ("error a7da6a22:4 a7da6a22:7", "a7da6a22"),
        (&format!("{uuid}.jsonl"), uuid),
        (&format!("~/.agent/projects/x/{uuid}.jsonl"), uuid),
        (&format!("agent --resume {uuid}"), uuid),
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.explanation.unfound.session_ids, [id], "{query}");
    }
}

#[test]
fn an_id_that_a_session_mentions_is_told_where_it_is_the_whole_query() {
    let mut library = Library::new();
    library.say("a7da6a22-9d0f", &[("The error of the importer.", None)]);
    library.say("ses_3f0aXb", &[("See a7da6a22:4 for lanterns.", None)]);
    library.say("lanterns", &[("The other is ses_3f0aXb.", None)]);
    for (query, ids) in [
        ("a7da6a22", &["a7da6a22"][..]),
        ("a7da6a22:4", &["a7da6a22"]),
        ("error a7da6a22", &[]),
        ("a7da6a", &["a7da6a"]),
        ("ses_3f0aXb", &["ses_3f0aXb"]),
        ("lanterns", &[]),
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.explanation.unfound.session_ids, ids, "{query}");
    }
}

#[test]
fn a_date_that_no_turn_holds_is_named() {
    let mut library = Library::new();
    library.say("dated", &[("The lantern of 2026-02-12 burns.", None)]);
    let missing = |query: &str| {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        found.explanation.unfound.missing
    };
    for date in ["2026-07-22", "2026/07/22", "2026-07"] {
        assert_eq!(missing(&format!("lantern {date}")), [date]);
    }
    for held in ["2026-02-12", "2026/02/12", "2026-02", "22"] {
        assert_eq!(missing(&format!("lantern {held}")), [""; 0], "{held}");
    }
}
