//! An identifier that no searched session holds is told.

use crate::identifiers::library;
use crate::library::{FAR, Library, QUERY, cosine, ids, meta, turn};
use session_core::{ConfidenceBand, SessionMeta};
use session_search::{
    FilterClause, FilterCondition, ProjectPattern, SearchFilter, SearchRequest, UnfoundTerms,
};

#[test]
fn what_no_session_holds_is_told() {
    let library = library();
    let found = library.search(&SearchRequest::new("EMFILE"), Some(QUERY));
    assert_eq!(found.explanation.unfound.missing, ["EMFILE"]);
    assert!(found.hits.len() <= 3, "{}", found.hits.len());
    let found = library.search(&SearchRequest::new("EMFILE in the importer"), Some(QUERY));
    assert_eq!(found.explanation.unfound.missing, ["EMFILE"]);
    let found = library.search(&SearchRequest::new("ダークモード"), Some(QUERY));
    assert_eq!(found.explanation.unfound.missing, ["ダークモード"]);
    let nonsense = Some(FAR);
    assert_eq!(
        ids(&library.search(&SearchRequest::new("🎉"), nonsense)),
        [""; 0]
    );
    let found = library.search(&SearchRequest::new("nonesuch importer"), Some(QUERY));
    assert_eq!(found.explanation.unfound.missing, [""; 0]);
}

/// A model knows each word of such a name, and short prompts are near to any of them.
#[test]
fn a_name_that_no_session_holds_is_unlikely_though_its_words_are_known() {
    let mut library = Library::new();
    library.say("near", &[("comit", Some(cosine(0.9)))]);
    library.say_others();
    let search = |query: &str| library.search(&SearchRequest::new(query), Some(QUERY));
    for name in ["www.example.com", "ann@example.com", "lantern_wick"] {
        let found = search(name);
        assert_eq!(found.explanation.unfound.missing, [name]);
        assert!(!found.hits.is_empty(), "{name}");
        assert_eq!(found.hits[0].band, ConfidenceBand::Weak, "{name}");
    }
    // Of one word, or of words that stand for it, the model knows the meaning.
    for query in ["SAML", "GitHub", "single-signon", "example", ".nonesuch"] {
        assert_eq!(
            search(query).hits[0].band,
            ConfidenceBand::Strong,
            "{query}"
        );
    }
    let probability = |query: &str| search(query).hits[0].probability;
    assert!(probability("nonesuch example.com") < probability("nonesuch GitHub"));
}

/// Of what is near by vector alone it says nothing that other turns hold the words of a name.
#[test]
fn a_name_that_is_found_by_its_words_makes_no_other_turn_likely() {
    let name = "read_gauge_level";
    let search = |nearer: f32, holder: f32| {
        let mut library = Library::new();
        library.say("near", &[("comit", Some(cosine(nearer)))]);
        let said = "Mend read_tide_gauge_level in the harbour.";
        library.say("holder", &[(said, Some(cosine(holder)))]);
        library.say_others();
        let found = library.search(&SearchRequest::new(name), Some(QUERY));
        let first = &found.hits[0];
        (first.session.uid.clone(), first.band)
    };
    let weak = ("near".to_owned(), ConfidenceBand::Weak);
    assert_eq!(search(0.9, 0.0), weak);
    let likely = ("holder".to_owned(), ConfidenceBand::Strong);
    assert_eq!(search(0.0, 0.9), likely);
}

/// Only its signs tell a number from its digits.
#[test]
fn a_version_that_no_session_holds_is_told_and_unlikely() {
    let mut library = library();
    library.say("versions", &[("the pattern 4.1|4.2 finds both", None)]);
    let search = |version: &str| library.search(&SearchRequest::new(version), Some(FAR));
    let found = search("1.4.2");
    assert_eq!(found.explanation.unfound.missing, ["1.4.2"]);
    let likely = found.hits.iter().any(|hit| hit.probability > 0.0);
    assert!(!likely, "{:?}", found.hits);
    let found = search("4.1");
    assert_eq!(found.explanation.unfound.missing, [""; 0]);
    assert!(found.hits[0].probability > 0.0, "{:?}", found.hits);
}

/// A subagent's session and another project's are left out, each named by what would find it. Whoever searches typed the
/// identifier, which says nothing.
#[test]
fn what_no_searched_session_holds_is_told_with_who_does() {
    let mut library = library();
    library.add(
        "claude",
        &SessionMeta {
            parent: Some("E0597".into()),
            ..meta("agent")
        },
        &[(turn(0, "Met ERR_DEEP_11 in the importer."), None)],
        None,
    );
    let asker = library.say("asker", &[("What was ERR_ASKED_12?", None)]);
    let unfound = |query: &str, filter: SearchFilter| {
        let request = SearchRequest {
            filter,
            ..SearchRequest::new(query)
        };
        library.search(&request, Some(QUERY)).explanation.unfound
    };
    let deep = unfound("ERR_DEEP_11 in the importer", SearchFilter::default());
    assert_eq!(deep.only_subagents, ["ERR_DEEP_11"]);
    let filter = SearchFilter {
        excluded_sessions: vec![asker],
        ..SearchFilter::default()
    };
    let asked = unfound("ERR_ASKED_12", filter.clone());
    assert_eq!(asked.missing, ["ERR_ASKED_12"]);
    let elsewhere = FilterCondition::Project(ProjectPattern::Part("nowhere".into()));
    let filter = SearchFilter {
        clauses: vec![FilterClause::new(elsewhere)],
        ..filter
    };
    let narrow = unfound("ERR_SYNC_701 midnight nonesuch", filter);
    assert_eq!(narrow.filtered, ["ERR_SYNC_701", "midnight"]);
    assert_eq!(narrow.missing, ["nonesuch"]);
    let found = unfound("ERR_SYNC_701", SearchFilter::default());
    assert_eq!(found, UnfoundTerms::default());
}
