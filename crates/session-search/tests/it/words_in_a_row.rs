//! A short query whose words stand in a row, and the beginning of a hash.

use crate::library::{Library, QUERY, cosine, ids};
use session_search::SearchRequest;

/// All hold both words, and one holds them in a row.
#[test]
fn words_that_stand_in_a_row_put_their_holder_first() {
    let mut library = Library::new();
    for n in 0..30 {
        let said = format!("Push day {n} to git, and take the diff from there.");
        library.say(&format!("near{n}"), &[(said.as_str(), Some(cosine(0.8)))]);
    }
    library.say(
        "far",
        &[("It printed what git diff said.", Some(cosine(0.05)))],
    );
    for query in ["git diff", "\"git diff\""] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], "far", "{query}");
    }
    let found = library.search(&SearchRequest::new("diff git"), Some(QUERY));
    assert_ne!(ids(&found)[0], "far");
}

/// Its halves are one term; where nothing holds it, that is found.
#[test]
fn a_pattern_of_one_word_in_two_cases_puts_its_holder_first() {
    let mut library = Library::new();
    for n in 0..30 {
        let said = format!("Day {n}: the streaming of a lantern.");
        library.say(&format!("near{n}"), &[(said.as_str(), Some(cosine(0.8)))]);
    }
    let said = r#"It ran grep "streaming\|Streaming" there."#;
    library.say("far", &[(said, Some(cosine(0.05)))]);
    let search = |query: &str| library.search(&SearchRequest::new(query), Some(QUERY));
    assert_eq!(ids(&search(r"streaming\|Streaming"))[0], "far");
    assert!(ids(&search(r"lantern\|Lantern"))[0].starts_with("near"));
}

/// The words of a name with signs between them are not those of a query: who speaks of them goes first.
#[test]
fn a_name_of_the_same_words_does_not_count_as_words_in_a_row() {
    let mut library = Library::new();
    for n in 0..30 {
        let said = format!("Day {n}: a wick, a lantern and its holder.");
        library.say(&format!("near{n}"), &[(said.as_str(), Some(cosine(0.3)))]);
    }
    library.say(
        "class",
        &[("Pad .lantern-wick-holder by 4px.", Some(cosine(0.05)))],
    );
    library.say(
        "meant",
        &[("Draw the holder of a lantern wick.", Some(cosine(0.8)))],
    );
    let found = library.search(&SearchRequest::new("lantern wick holder"), Some(QUERY));
    assert_eq!(ids(&found)[0], "meant");
}

#[test]
fn the_beginning_of_a_hash_finds_its_session_first() {
    let mut library = Library::new();
    let hash = "787ad70021687990369249bc2183c7691c0f5d39";
    let said = format!("It came with {hash} last week.");
    library.say("hash", &[(said.as_str(), Some(cosine(0.05)))]);
    library.say("near", &[("What came last week?", Some(cosine(0.9)))]);
    let found = library.search(&SearchRequest::new("787ad7002"), Some(QUERY));
    assert_eq!(ids(&found)[0], "hash");
    assert!(found.explanation.unfound.missing.is_empty());
}
