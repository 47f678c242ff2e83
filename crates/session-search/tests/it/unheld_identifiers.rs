//! An identifier that no searched session holds is told.

use crate::identifiers::library;
use crate::library::{FAR, QUERY, ids, meta, turn};
use session_core::SessionMeta;
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
