//! An identifier that one session alone holds puts that session first.

use crate::library::{FAR, Library, QUERY, cosine, ids, meta, place, turn};
use session_core::ConfidenceBand;
use session_search::{Level, SearchRequest};

/// Things with a name, and what its one session says of it.
const NAMED: [(&str, &str); 5] = [
    (
        "ERR_SYNC_701",
        "The importer stops with ERR_SYNC_701 after midnight.",
    ),
    (
        "--no-verify",
        "Somebody pushed with --no-verify and the hooks were skipped.",
    ),
    (
        "retry_queue.rs",
        "The backoff is computed twice in src/jobs/retry_queue.rs today.",
    ),
    ("E0597", "rustc says E0597 for the borrowed row."),
    ("maxInFlight", "We set maxInFlight to four on the relay."),
];

/// Prompts of other sessions that are nearer in meaning, and in the same words.
const OTHERS: [&str; 6] = [
    "How did we fix the sync error last time, and where is it written down?",
    "There is no need to verify the fix again, last time it was fine.",
    "The retry queue was the problem last time: fix how it is drained.",
    "What was the error in the max in flight setting that we had last time?",
    "How did we fix that last time? Time and again the same fix.",
    "err sync: how was it fixed, and when did we see it for the last time?",
];

pub(crate) fn library() -> Library {
    let mut library = Library::new();
    for (name, said) in NAMED {
        library.say(
            name,
            &[
                ("Hello there, a new day of work begins.", None),
                (said, Some(cosine(0.05))),
            ],
        );
    }
    for (n, said) in OTHERS.iter().enumerate() {
        library.say(&format!("other{n}"), &[(*said, Some(cosine(0.8)))]);
    }
    library
}

/// Many say the word, one session says the flag, another a longer one.
#[test]
fn a_flag_that_is_an_everyday_word_is_not_part_of_a_longer_one() {
    let mut library = Library::new();
    for n in 0..300 {
        let said = format!("The agent of day {n} asks another agent for advice.");
        library.say(&format!("agent{n}"), &[(said.as_str(), None)]);
    }
    library.say(
        "longer",
        &[("Start it with --agent-name dori, please.", None)],
    );
    library.say(
        "flag",
        &[("Start it once more with --agent, please.", None)],
    );
    let found = library.search(&SearchRequest::new("--agent"), None);
    assert_eq!(ids(&found).first(), Some(&"flag"));
}

#[test]
fn it_is_first_alone_and_in_a_sentence() {
    let library = library();
    for (name, said) in NAMED {
        for query in [
            name.to_owned(),
            format!("how did we fix {name} last time"),
            format!("where did we see {name}?"),
            format!("what was the error with {name} in the sync"),
        ] {
            let found = library.search(&SearchRequest::new(&query), Some(QUERY));
            assert_eq!(ids(&found).first(), Some(&name), "{query}");
            assert_eq!(found.explanation.rare_exact_terms, [name], "{query}");
            let turns = SearchRequest {
                level: Level::Turn,
                ..SearchRequest::new(&query)
            };
            let found = library.search(&turns, Some(QUERY));
            assert_eq!(place(&found.hits[0]), (name, Some(1)), "{query}: {said}");
        }
        let alone = library.search(&SearchRequest::new(name), Some(QUERY));
        assert_eq!(alone.hits[0].band, ConfidenceBand::Strong, "{name}");
    }
}

/// Of three the one that works with it most goes first; four are no few.
#[test]
fn of_few_sessions_the_one_that_works_with_it_most_is_first() {
    let mut library = library();
    library.say(
        "works",
        &[
            ("Rename ERR_SYNC_701 to what it is, in the importer.", None),
            ("And where is ERR_SYNC_701 raised, and caught?", None),
            ("ERR_SYNC_701 wants a test of its own.", None),
        ],
    );
    library.say("again", &[(NAMED[0].1, Some(cosine(0.9)))]);
    let asked = |query: &str, level| SearchRequest {
        level,
        ..SearchRequest::new(query)
    };
    for level in [Level::Session, Level::Turn] {
        let found = library.search(&asked("ERR_SYNC_701", level), Some(QUERY));
        assert_eq!(found.explanation.rare_exact_terms, ["ERR_SYNC_701"]);
        assert_eq!(place(&found.hits[0]).0, "works");
        // Where there are other words, they tell which one is meant.
        let asked = asked("how did we fix ERR_SYNC_701 last time", level);
        assert_eq!(
            place(&library.search(&asked, Some(QUERY)).hits[0]).0,
            "again"
        );
    }
    let asked = asked("ERR_SYNC_701", Level::Session);
    library.say("fourth", &[("ERR_SYNC_701 came up once more today.", None)]);
    let found = library.search(&asked, Some(QUERY));
    assert_eq!(found.explanation.rare_exact_terms, [""; 0]);
}

/// Two sessions that met the same error are as probable as each other, and none is next to impossible.
#[test]
fn who_holds_an_identifier_as_another_does_is_as_probable() {
    let mut library = library();
    library.say(
        "again",
        &[("The importer stops with ERR_SYNC_701 once more.", None)],
    );
    let found = library.search(&SearchRequest::new("ERR_SYNC_701"), Some(QUERY));
    let [first, second] = [&found.hits[0], &found.hits[1]];
    assert!(
        first.probability >= second.probability && second.probability > 0.45,
        "{found:?}"
    );
    assert!(found.hits.get(2).is_none_or(|hit| hit.probability < 0.4));
}

/// A session with two of the names goes before one that has one of them more often.
#[test]
fn who_holds_more_of_the_identifiers_is_first() {
    let mut library = library();
    library.say(
        "often",
        &[
            ("Read tokenizer.js from the beginning.", None),
            ("What does tokenizer.js do with spaces?", None),
        ],
    );
    library.say(
        "both",
        &[("Let addModel of tokenizer.js take a name.", None)],
    );
    let found = library.search(&SearchRequest::new("tokenizer.js addModel"), Some(QUERY));
    assert_eq!(ids(&found)[0], "both");
}

/// Other sessions speak of the same words, and nearer to the query in meaning.
#[test]
fn who_holds_a_pasted_error_as_it_stands_is_first() {
    let mut library = library();
    library.say(
        "held",
        &[(
            "error: Script not found \"lint\" in the lamp",
            Some(cosine(0.1)),
        )],
    );
    library.say(
        "near",
        &[(
            "The lint script is not found, an error of the lint script.",
            Some(cosine(0.9)),
        )],
    );
    let found = library.search(
        &SearchRequest::new("error: Script not found \"lint\""),
        Some(QUERY),
    );
    assert_eq!(ids(&found)[0], "held");
    let asked = SearchRequest::new("error: Script not found \"oil\"");
    let found = library.search(&asked, Some(QUERY));
    assert_eq!(
        found.explanation.unfound.missing,
        ["oil"],
        "the line itself is none"
    );
}

#[test]
fn a_number_that_one_session_holds_puts_it_first() {
    let mut library = library();
    library.say(
        "run",
        &[("See 164556913424-ab.apps there.", Some(cosine(0.1)))],
    );
    library.say("near", &[("OTP: 581546", Some(cosine(0.9)))]);
    let found = library.search(&SearchRequest::new("164556913424"), Some(QUERY));
    assert_eq!(ids(&found)[0], "run");
}

/// Words that stand together are no name, neither is what a filter keeps out.
#[test]
fn what_nobody_holds_as_a_name_is_not_promoted() {
    let mut library = library();
    library.say(
        "apart",
        &[("The disk of docker is full. Is it so again?", None)],
    );
    let found = library.search(&SearchRequest::new("docker_is"), Some(QUERY));
    assert_eq!(found.explanation.rare_exact_terms, [""; 0]);
    let far = Some(FAR);
    let mut asked = SearchRequest::new("ERR_SYNC_701");
    let all = library.reader().sessions().unwrap();
    asked.filter.only_sessions = all
        .iter()
        .filter(|s| s.uid == "E0597")
        .map(|s| s.id)
        .collect();
    assert_eq!(ids(&library.search(&asked, far)), [""; 0]);
}

/// Of the turns of a holder the one is shown that both lists find best.
#[test]
fn the_turn_that_is_shown_is_the_best_of_those_that_hold_it() {
    let mut library = library();
    library.say(
        "works",
        &[
            ("Why does parseHeader lose the second boundary?", None),
            ("Something else before lunch, please, about tea.", None),
            ("Move parseHeader to another file.", None),
        ],
    );
    let found = library.search(&SearchRequest::new("parseHeader second boundary"), None);
    assert_eq!(place(&found.hits[0]), ("works", Some(0)));
}

/// At most three hits by meaning, none of them likely.
#[test]
fn letters_count_where_they_tell_sessions_apart() {
    let mut library = library();
    library.say(
        "small",
        &[("The word err_sync_701 is written small in here.", None)],
    );
    for (query, first) in [("ERR_SYNC_701", "ERR_SYNC_701"), ("err_sync_701", "small")] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], first);
    }
}

#[test]
fn an_identifier_among_many_words_is_in_passing() {
    let mut library = library();
    let report = "The nightly export is slow since the database moved to another disk, and the \
                  dashboard shows numbers of yesterday; retry_queue.rs was touched in between.";
    library.add(
        "claude",
        &meta("export"),
        &[(turn(0, report), Some(cosine(0.9)))],
        None,
    );
    library.say(
        "second",
        &[("Touched retry_queue.rs for the linter.", None)],
    );
    let found = library.search(
        &SearchRequest::new(&report.replace("retry_queue.rs", "E0597")),
        Some(QUERY),
    );
    assert_eq!(
        (ids(&found)[0], found.explanation.rare_exact_terms.len()),
        ("export", 0)
    );
}

#[test]
fn a_name_by_itself_goes_before_longer_ones_that_end_in_it() {
    let mut library = library();
    for (session, said) in [
        (
            "numbered",
            "Wrote the plan into docs/12-SUMMARY.md and then pushed it.",
        ),
        (
            "titled",
            "Read 12-SUMMARY.md again, it is out of date in places.",
        ),
        (
            "alone",
            "Put the figures into docs/SUMMARY.md, please. Sorry, yes.",
        ),
        (
            "ruled",
            "echo \"---remote of the fork---\" and then list it all again",
        ),
        (
            "flag",
            "git submodule update --remote public/tokenizer does that",
        ),
    ] {
        library.say(session, &[(said, Some(cosine(0.05)))]);
    }
    for (query, first) in [
        ("SUMMARY.md", "alone"),
        ("summary.md", "alone"),
        ("--remote", "flag"),
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], first);
        assert_eq!(found.explanation.rare_exact_terms, [query]);
    }
}

#[test]
fn an_identifier_beside_a_phrase_without_spaces_is_looked_up_by_itself() {
    let mut library = library();
    library.say(
        "other-ja",
        &[("借用した行の検査が失敗した。", Some(cosine(0.8)))],
    );
    // No session holds this phrase, so it is searched by pairs of characters.
    let request = SearchRequest::new("失敗する E0597");
    let results = library.search(&request, Some(QUERY));
    assert_eq!(ids(&results).first(), Some(&"E0597"), "{:?}", ids(&results));
    assert_eq!(results.explanation.rare_exact_terms, ["E0597"]);
}

/// Five sessions hold the name, which makes it no rare one; others speak of what has the same stem or the same
/// words, and are nearer to the query in meaning.
#[test]
fn all_that_hold_a_common_name_go_before_those_that_do_not() {
    let mut library = library();
    for n in 0..5 {
        let held = format!("Run {n} of evaluate.ts ends with --check, as we said before lunch.");
        library.say(&format!("held{n}"), &[(&held, Some(cosine(0.1)))]);
        let stem =
            format!("See evaluation.ts, and check evaluation.ts again: {n}, said. Before lunch!");
        library.say(&format!("near{n}"), &[(&stem, Some(cosine(0.9)))]);
    }
    for query in [
        "evaluate.ts",
        "what became of evaluate.ts?",
        "--check",
        "what became of --check?",
        "\"said before lunch\"",
        "what became of \"said before lunch\"?",
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        let first: Vec<&str> = ids(&found).into_iter().take(5).collect();
        let are_holders = first.iter().all(|id| id.starts_with("held"));
        assert!(are_holders, "{query}: {first:?}");
        assert_eq!(found.explanation.rare_exact_terms, [""; 0], "{query}");
    }
}

/// The turn of a session that is shown is one with the name, though another one is nearer in meaning.
#[test]
fn of_a_session_a_turn_with_the_common_name_is_shown() {
    let mut library = library();
    for n in 0..5 {
        let held = format!("Run {n} ends within evaluate.ts, and so on until the evening.");
        let near = format!("And what of the other matter, the one of number {n}?");
        let prompts = [
            (held.as_str(), Some(cosine(0.1))),
            (near.as_str(), Some(cosine(0.9))),
        ];
        library.say(&format!("held{n}"), &prompts);
    }
    let request = SearchRequest::new("evaluate.ts until lunch");
    let found = library.search(&request, Some(QUERY));
    assert_eq!(place(&found.hits[0]).1, Some(0));
}

#[test]
fn a_phrase_may_be_broken_over_two_lines() {
    let mut library = library();
    library.say(
        "broken",
        &[(
            "It was said before\n  lunch that this ends.",
            Some(cosine(0.1)),
        )],
    );
    library.say("near", &[("Said before, lunch.", Some(cosine(0.9)))]);
    let found = library.search(&SearchRequest::new("\"said before lunch\""), Some(QUERY));
    assert_eq!(ids(&found)[0], "broken");
}

/// Texts write a name in another way than it is typed.
#[test]
fn a_name_is_known_as_it_is_written_elsewhere() {
    let written = [
        ("\"don't show\"", "Please don’t show it any more."),
        ("@docs/plan.md", "Read docs/plan.md before you begin."),
    ];
    let mut library = library();
    for (n, (_, said)) in written.iter().enumerate() {
        library.say(&format!("w{n}"), &[(said, Some(cosine(0.1)))]);
    }
    for (n, (query, _)) in written.iter().enumerate() {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], format!("w{n}"), "{query}");
        assert_eq!(found.explanation.rare_exact_terms.len(), 1, "{query}");
    }
}

/// The other words tell which spelling is meant; alone it is the one that was typed.
#[test]
fn beside_other_words_a_name_typed_in_small_letters_is_held_in_any_case() {
    let mut library = library();
    library.say(
        "small",
        &[("See design.md of the toolbox.", Some(cosine(0.1)))],
    );
    library.say(
        "capitals",
        &[("DESIGN.md: the quay is trimmed.", Some(cosine(0.2)))],
    );
    for (query, expected) in [
        ("design.md quay trimmed", "capitals"),
        ("DESIGN.md quay trimmed", "capitals"),
        ("design.md toolbox", "small"),
        ("design.md", "small"),
    ] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], expected, "{query}");
        assert_eq!(found.explanation.rare_exact_terms.len(), 1, "{query}");
    }
}

/// Five sessions name the file in capitals; one that does not is no better for who types none.
#[test]
fn a_name_typed_in_small_letters_is_one_in_any_case() {
    let mut library = library();
    for n in 0..5 {
        let held = format!("Time {n}: README.md tells how README.md is written, README.md!");
        library.say(&format!("held{n}"), &[(&held, Some(cosine(0.9)))]);
    }
    library.say(
        "small",
        &[(
            "A list: a.txt, b.txt, readme.md, c.txt, d.txt, e.txt",
            Some(cosine(0.1)),
        )],
    );
    let found = library.search(&SearchRequest::new("readme.md"), Some(QUERY));
    assert!(ids(&found)[0].starts_with("held"), "{:?}", ids(&found));
}

/// Its word stands in many turns.
#[test]
fn a_file_whose_name_begins_with_a_dot_is_a_name() {
    let mut library = library();
    for n in 0..5 {
        let near =
            format!("Run {n}: the env of cross-env is empty, so is an env var. Before lunch!");
        library.say(&format!("near{n}"), &[(&near, Some(cosine(0.9)))]);
    }
    library.say(
        "file",
        &[("Add .env to the list, please, again.", Some(cosine(0.1)))],
    );
    for query in [".env", "where is .env missing"] {
        let found = library.search(&SearchRequest::new(query), Some(QUERY));
        assert_eq!(ids(&found)[0], "file", "{query}");
        assert_eq!(found.explanation.rare_exact_terms, [".env"], "{query}");
    }
}

/// Who types `.clear()` means it behind any name.
#[test]
fn a_name_with_a_dot_stands_behind_other_names() {
    let mut library = library();
    for n in 0..5 {
        let near = format!("Run {n}: is it clear that we clear the table? Before lunch!");
        library.say(&format!("near{n}"), &[(&near, Some(cosine(0.9)))]);
    }
    library.say(
        "held",
        &[(
            "Call lampMap.clear() in the end, please.",
            Some(cosine(0.1)),
        )],
    );
    let found = library.search(&SearchRequest::new(".clear()"), Some(QUERY));
    assert_eq!(ids(&found)[0], "held");
}
