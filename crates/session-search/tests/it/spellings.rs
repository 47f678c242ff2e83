//! A name that is written in snake case here and in camel case there.

use crate::library::{Library, QUERY, cosine};
use session_core::ConfidenceBand;
use session_search::{SearchRequest, SubstitutedTerm};
use session_store::SubstituteKind;

#[test]
fn a_name_in_the_other_case_goes_before_its_words() {
    let mut library = Library::new();
    let words = "Please use provider detection as we did before.";
    library.say("words", &[(words, Some(cosine(0.8)))]);
    library.say(
        "camel",
        &[("Mend useProviderDetection.", Some(cosine(0.1)))],
    );
    library.say_others();
    let find = |query: &str| {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        found.hits[0].session.uid.clone()
    };
    for query in ["use_provider_detection", "where is USE_PROVIDER_DETECTION"] {
        assert_eq!(find(query), "camel", "{query}");
    }
    assert_eq!(find("\"use provider detection\""), "words");
}

/// Returns the sessions that a query finds, the best first.
fn find(library: &Library, query: &str) -> Vec<String> {
    let found = library.search(&SearchRequest::new(query), Some(QUERY));
    let sessions = found.hits.iter().map(|hit| hit.session.uid.clone());
    sessions.collect()
}

/// A library of `said` among sessions that have nothing to do with it.
fn library_of(said: &[(&str, &str)]) -> Library {
    let mut library = Library::new();
    for (id, text) in said {
        library.say(id, &[(*text, Some(cosine(0.1)))]);
    }
    library.say_others();
    library
}

#[test]
fn a_word_is_no_name_in_camel_case() {
    let mut said = vec![("snake", "The importer reads file_name of the upload first.")];
    let word = "Which filename does the filename dialog propose for a file?";
    said.extend(["w0", "w1", "w2", "w3", "w4", "w5"].map(|id| (id, word)));
    let library = library_of(&said);
    for query in ["file_name", "why does file_name fail"] {
        assert_eq!(find(&library, query)[0], "snake", "{query}");
    }
}

#[test]
fn a_version_is_found_with_a_v_and_without() {
    let library = library_of(&[
        ("bare", "Release 0.4.1 to the registry today."),
        ("marked", "Tag v0.5.2 and push it to the registry."),
    ]);
    for (query, expected) in [
        ("v0.4.1", "bare"),
        ("0.4.1", "bare"),
        ("0.5.2", "marked"),
        ("when did we tag v0.5.2", "marked"),
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.hits[0].session.uid, expected, "{query}");
        assert_eq!(found.explanation.unfound.missing, [""; 0], "{query}");
    }
}

#[test]
fn a_pull_request_is_found_by_its_address() {
    let library = library_of(&[
        ("lines", "The lines 172 and 172 and 172 of the log are cut."),
        (
            "opened",
            "It is open now: https://example.com/o/r/pull/172 waits for a review.",
        ),
    ]);
    for query in ["PR #172", "pr 172", "#172", "who reviews pull request 172"] {
        assert_eq!(find(&library, query)[0], "opened", "{query}");
    }
}

#[test]
fn a_longer_name_is_told_to_stand_for_its_end() {
    let library = library_of(&[("card", "Mend RemediationHistoryCard.tsx in the client.")]);
    for query in ["HistoryCard", "HistoryCard.tsx"] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.hits[0].session.uid, "card", "{query}");
        let unfound = found.explanation.unfound;
        assert_eq!(
            (unfound.missing, unfound.substituted),
            substituted(query, SubstituteKind::LongerNames)
        );
    }
}

/// The report on a query of one term that is searched by something else.
fn substituted(query: &str, by: SubstituteKind) -> (Vec<String>, Vec<SubstitutedTerm>) {
    let typed = query.to_owned();
    (vec![typed.clone()], vec![SubstitutedTerm { typed, by }])
}

#[test]
fn a_name_that_is_remembered_slightly_wrong_is_found_by_its_words() {
    let mut said = vec![
        ("wick", "Mend LampWickOilService, it starves."),
        ("snake", "Mend read_tide_gauge_level in the harbour."),
    ];
    let common = "The service trims each lamp, and reads the level.";
    said.extend(["w0", "w1", "w2"].map(|id| (id, common)));
    let library = library_of(&said);
    for (query, expected) in [
        ("LampOilService", "wick"),
        ("LampWickOilHandler", "wick"),
        ("LampOilService.ts", "wick"),
        ("read_gauge_level", "snake"),
        ("readTideLevel", "snake"),
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.hits[0].session.uid, expected, "{query}");
        assert_ne!(found.hits[0].band, ConfidenceBand::Strong, "{query}");
        assert!(found.hits[0].preview.contains("Mend"), "{query}");
        let unfound = found.explanation.unfound;
        assert_eq!(
            (unfound.missing, unfound.substituted),
            substituted(query, SubstituteKind::NameWords)
        );
    }
    for query in ["quayOilStove", "LampStove"] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.explanation.unfound.substituted, [], "{query}");
    }
}

#[test]
fn the_words_of_a_compound_are_told_and_doubted() {
    let library = library_of(&[
        ("german", "Die Verbindung zur Datenbank bricht ab."),
        ("english", "The codecs and the parser install well."),
    ]);
    let typed = "Datenbankverbindung";
    let found = library.search(&SearchRequest::new(typed), None);
    assert_eq!(found.hits[0].session.uid, "german");
    assert_ne!(found.hits[0].band, ConfidenceBand::Strong);
    let unfound = found.explanation.unfound;
    assert_eq!(
        (unfound.missing, unfound.substituted),
        substituted(typed, SubstituteKind::CompoundWords)
    );
}

#[test]
fn forms_of_a_language_that_no_word_shows_are_told_and_doubted() {
    let library = library_of(&[
        ("german", "Die Rechnungen gehen als PDF heraus."),
        ("english", "The codecs and the parser install well."),
    ]);
    let find = |query: &str| library.search(&SearchRequest::new(query), None);
    for query in ["Rechnung", "how is the Rechnung made"] {
        let found = find(query);
        assert_eq!(found.hits[0].session.uid, "german", "{query}");
        assert_ne!(found.hits[0].band, ConfidenceBand::Strong, "{query}");
        let unfound = found.explanation.unfound;
        assert_eq!(
            (unfound.missing, unfound.substituted),
            substituted("Rechnung", SubstituteKind::OtherForms),
            "{query}"
        );
    }
    for query in ["wo sind die Rechnung PDF", "für Rechnung"] {
        let found = find(query);
        assert_eq!(found.hits[0].session.uid, "german", "{query}");
        assert_eq!(found.explanation.unfound.missing, [""; 0], "{query}");
    }
    for query in ["coden", "how do I install codeca"] {
        let unfound = find(query).explanation.unfound;
        assert_eq!(unfound.substituted, [], "{query}");
    }
}

#[test]
fn words_that_signs_join_are_told_to_stand_for_what_nothing_holds() {
    let library = library_of(&[
        ("mode", "Set LAMPMODE of the harbour to night."),
        ("other", "Sweep the quay of the harbour."),
    ]);
    for query in ["LAMPMODE=night", "lampmode=night", "LAMPMODE:night"] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(found.hits[0].session.uid, "mode", "{query}");
        let unfound = found.explanation.unfound;
        assert_eq!(
            (unfound.missing, unfound.substituted),
            substituted(query, SubstituteKind::NameWords)
        );
    }
}

/// The spelling that a turn holds as typed goes before its parts.
#[test]
fn the_alternatives_of_a_pattern_are_words() {
    let library = library_of(&[
        ("type", "Its type is lantern|oilcan, as before."),
        ("apart", "The oilcan is far away, and so is the lantern."),
        ("one", "A lantern."),
    ]);
    assert_eq!(find(&library, "lantern|oilcan")[0], "type");
    let found = find(&library, "oilcan|lantern|trawler");
    let both = &found[..2];
    assert!(
        both.iter().all(|id| id == "type" || id == "apart"),
        "{found:?}"
    );
    let missing = library.search(&SearchRequest::new("trawler|lantern"), Some(QUERY));
    assert_eq!(missing.explanation.unfound.missing, [""; 0]);
}
