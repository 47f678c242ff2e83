//! Words and names that no turn holds, and those that were meant.

use session_config::Home;
use session_indexer::{RefreshMode, SilentProgress};
use session_query::{SearchEngine, Snapshot};
use session_search::{FusionMode, SearchRequest, SearchResults, SpellingCorrection};
use session_sources::Env;
use session_store::Reader;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;

/// Prompts, each of its own session.
const PROMPTS: [&str; 9] = [
    "mend renderLanternOil",
    "mend renderLampOilGauge",
    "render the oil of the lamp with a gauge",
    "wire useHarbour",
    "paint useGate",
    "paint openGate",
    "paint the date on the harbour wall of the quay",
    "sweep the quay",
    "read https://git.example/ann/lamp/pull/91 again",
];

/// Returns what was searched in place of words of a query, and whether something was found.
fn correct(test: &TestHome, query: &str) -> (Vec<SpellingCorrection>, bool) {
    let found = search(test, query);
    (found.explanation.unfound.corrected, !found.hits.is_empty())
}

/// Returns the probability of the first hit.
fn probability(test: &TestHome, query: &str) -> f32 {
    search(test, query).hits[0].probability
}

fn search(test: &TestHome, query: &str) -> SearchResults {
    let home = Home::new(Env::with_home(&test.home("")), test.path("index"));
    let engine = SearchEngine::new(home).unwrap();
    let index = Reader::open(&test.path("index")).unwrap();
    let sessions = index.sessions().unwrap();
    let request = SearchRequest {
        fusion: FusionMode::LexicalOnly,
        ..SearchRequest::new(query)
    };
    let found = engine.search(&Snapshot { index, sessions }, &request);
    found.unwrap()
}

fn indexed() -> TestHome {
    let test = TestHome::new();
    for (number, prompt) in (0..).zip(PROMPTS) {
        let id = format!("aaaaaaaa-0000-4000-8000-00000000000{number}");
        test.write_transcript(&ClaudeTranscript::new(&id, "/w").user(prompt));
    }
    let home = Home::new(Env::with_home(&test.home("")), test.path("index"));
    let engine = SearchEngine::new(home).unwrap();
    engine
        .refresh_when_unlocked(RefreshMode::Changes, &|| Box::new(SilentProgress), || {})
        .unwrap();
    test
}

#[test]
fn a_slip_in_a_name_is_corrected_where_nothing_holds_the_name() {
    let test = indexed();
    for (typed, searched) in [
        ("renderLanternOli", "renderLanternOil"),
        ("renderLanterOil", "renderLanternOil"),
        ("RenderLantrenOil", "renderLanternOil"),
        // Turns hold most of its words.
        ("renderLampOilGuage", "renderLampOilGauge"),
        ("useHarbuor", "useHarbour"),
    ] {
        let (corrected, is_found) = correct(&test, typed);
        let expected = SpellingCorrection {
            typed: typed.to_owned(),
            searched: searched.to_owned(),
        };
        assert_eq!(corrected, [expected], "{typed}");
        assert!(is_found, "{typed}");
    }
}

#[test]
fn a_name_that_may_be_right_is_not_corrected() {
    let test = indexed();
    for typed in [
        "renderLanternOil",
        // The beginning of a longer one.
        "renderLanternOi",
        "\"renderLanternOli\"",
        "mend «renderLanternOli»",
        "renderLanternOli2",
        "render_lantern_oli",
        // Turns hold each of its words.
        "openDate",
        // Of few letters others are a letter away.
        "useGaet",
    ] {
        let (corrected, _) = correct(&test, typed);
        assert!(corrected.is_empty(), "{typed}: {corrected:?}");
    }
}

#[test]
fn of_a_mistyped_filter_the_value_is_searched() {
    let test = indexed();
    for (typed, searched) in [
        ("agent:cluade", "claude"),
        ("agnet:claude", "claude"),
        ("porject:harbour", "harbour"),
        ("since:quay", "quay"),
    ] {
        let (corrected, is_found) = correct(&test, &format!("paint {typed}"));
        let expected = SpellingCorrection {
            typed: typed.to_owned(),
            searched: searched.to_owned(),
        };
        assert_eq!(corrected, [expected], "{typed}");
        assert!(is_found, "{typed}");
    }
    for typed in [
        "lamp:harbour",
        "fill:harbour",
        "\"porject:harbour\"",
        "porject:/harbour",
    ] {
        let (corrected, _) = correct(&test, &format!("paint {typed}"));
        assert!(corrected.is_empty(), "{typed}: {corrected:?}");
    }
}

#[test]
fn an_address_of_a_part_of_a_page_finds_the_page() {
    let test = indexed();
    let page = "https://git.example/ann/lamp/pull/91";
    for tail in ["/files", "?diff=split", "/files/ab12?w=1", "/#/oil"] {
        let typed = format!("{page}{tail}");
        let (corrected, is_found) = correct(&test, &format!("review of {typed}, please"));
        let expected = SpellingCorrection {
            typed,
            searched: page.to_owned(),
        };
        assert_eq!(corrected, [expected], "{tail}");
        assert!(is_found, "{tail}");
    }
    for other in [
        "https://git.example/ann/lamp/pull/91",
        "https://git.example/ann/lamp/pull/92/files",
        "https://git.example/ann/lamp/pull/9",
        "https://git.example/ann/lamp/pull?q=oil",
        "\"https://git.example/ann/lamp/pull/91/files\"",
    ] {
        let (corrected, _) = correct(&test, other);
        assert!(corrected.is_empty(), "{other}: {corrected:?}");
    }
}

#[test]
fn an_address_that_begins_another_one_is_corrected_by_itself() {
    let test = indexed();
    let page = "https://git.example/ann/lamp/pull/91";
    for tail in ["/files/ab12", "/files?w=1"] {
        let found = search(&test, &format!("{page}/files and {page}{tail}"));
        let unfound = found.explanation.unfound;
        assert_eq!(unfound.corrected.len(), 2, "{tail}");
        assert_eq!(unfound.missing, [""; 0], "{tail}");
    }
}

/// The same page is as likely as with its own address.
#[test]
fn a_shorter_address_is_no_doubtful_correction() {
    let test = indexed();
    let page = "https://git.example/ann/lamp/pull/91";
    let likely = |query: &str| probability(&test, query);
    let of_files = likely(&format!("{page}/files"));
    assert!((of_files - likely(page)).abs() < 1e-6, "{of_files}");
    assert!(likely("renderLanternOli") < 0.7);
}
