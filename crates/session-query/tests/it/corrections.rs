//! Words and names that no turn holds, and those that were meant.

use session_config::Home;
use session_indexer::{RefreshMode, SilentProgress};
use session_query::{SearchEngine, Snapshot};
use session_search::{FusionMode, SearchRequest, SpellingCorrection};
use session_sources::Env;
use session_store::Reader;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;

/// Prompts, each of its own session.
const PROMPTS: [&str; 8] = [
    "mend renderLanternOil",
    "mend renderLampOilGauge",
    "render the oil of the lamp with a gauge",
    "wire useHarbour",
    "paint useGate",
    "paint openGate",
    "paint the date on the harbour wall of the quay",
    "sweep the quay",
];

/// Returns what was searched in place of words of a query, and whether something was found.
fn correct(test: &TestHome, query: &str) -> (Vec<SpellingCorrection>, bool) {
    let home = Home::new(Env::with_home(&test.home("")), test.path("index"));
    let engine = SearchEngine::new(home).unwrap();
    let index = Reader::open(&test.path("index")).unwrap();
    let sessions = index.sessions().unwrap();
    let request = SearchRequest {
        fusion: FusionMode::LexicalOnly,
        ..SearchRequest::new(query)
    };
    let found = engine.search(&Snapshot { index, sessions }, &request);
    let found = found.unwrap();
    (found.explanation.unfound.corrected, !found.hits.is_empty())
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
