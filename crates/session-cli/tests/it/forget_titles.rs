//! Titles that are forgotten.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::forget::{KILN, LAMP, WORD, configure, decoded, kiln, lamp};
use serde_json::json;

/// A title that the agent gave stands in the session, in its cursor and among the words.
#[test]
fn a_title_that_matches_is_forgotten_though_no_turn_does() {
    let named = |title: &str| kiln().title(title);
    let title = format!("Fix {WORD} for good");
    let env = TestEnvironment::indexed(&[named(&title)]);
    assert!(decoded(&env).contains(WORD));
    let ran = env.run(&["forget", "--match", WORD, "--yes"]).succeeded();
    assert!(
        ran.stderr()
            .ends_with("\nforgot 0 sessions, 0 turns, 1 title\n"),
        "{ran}"
    );
    assert!(!decoded(&env).contains(WORD));
    assert!(env.found(&["kiln gearbox"]).contains(&KILN.to_owned()));
    let listed = env.run(&["forget", "--list"]).succeeded().stdout();
    assert!(listed.ends_with("  match     1 title\n"), "{listed}");
    let listed = env.json(&["forget", "--list"]);
    assert_eq!(listed["forgotten"][0]["titles"], 1, "{listed}");
    env.write_transcript(&named(&title).user("And the flue?"));
    for full in [&["index"][..], &["index", "--full"]] {
        env.run(full).succeeded();
        assert!(!decoded(&env).contains(WORD), "{full:?}");
    }
    env.run(&["forget", "--undo", "1"]).succeeded();
    assert!(decoded(&env).contains(WORD));

    configure(&env, &format!("[exclude]\npatterns = [\"{WORD}\"]\n"));
    let ran = env.run(&["index"]).succeeded();
    assert!(
        ran.stderr()
            .contains("removed 0 sessions, 0 turns, 1 title"),
        "{ran}"
    );
    assert!(!decoded(&env).contains(WORD));
}

/// Agents make a title of the first prompt.
#[test]
fn the_title_of_a_session_is_forgotten_with_its_first_turn() {
    let named = || lamp().title(&format!("Fill the {WORD}"));
    let env = TestEnvironment::indexed(&[named()]);
    let second = env.run(&["forget", &format!("{LAMP}:1"), "--yes"]);
    assert!(!second.succeeded().stderr().contains("title"));
    let first = env.run(&["forget", &format!("{LAMP}:0"), "--yes"]);
    assert!(first.succeeded().stderr().ends_with("1 turn, 1 title\n"));
    assert!(!decoded(&env).contains(WORD));
    env.write_transcript(&named().user("And the flue?"));
    for full in [&["index"][..], &["index", "--full"]] {
        env.run(full).succeeded();
        assert!(!decoded(&env).contains(WORD), "{full:?}");
    }
}

/// Where a user renamed a session, the title before is no longer shown, and stands in its cursor.
#[test]
fn a_title_behind_another_one_is_forgotten_with_it() {
    let hidden = format!("Oil the {WORD}");
    let renamed = |title: &str| {
        let line = json!({"type": "custom-title", "customTitle": title});
        lamp().title(&hidden).line(line)
    };
    for (title, forget) in [
        (format!("Clean the {WORD}"), &["--match", WORD][..]),
        ("Clean the wick".into(), &["--match", WORD]),
        ("Clean the wick".into(), &[&format!("{LAMP}:0")]),
    ] {
        let env = TestEnvironment::indexed(&[renamed(&title)]);
        assert!(decoded(&env).contains(WORD));
        env.run(&[&["forget", "--yes"], forget].concat())
            .succeeded();
        assert!(!decoded(&env).contains(WORD), "{title} {forget:?}");
        let mut grown = renamed(&title);
        for index in [&["index"][..], &["index"], &["index", "--full"]] {
            grown = grown.user("And the flue?");
            env.write_transcript(&grown);
            env.run(index).succeeded();
            assert!(!decoded(&env).contains(WORD), "{title} {index:?}");
        }
    }
}

/// A transcript may tell of another session, by one of its messages.
#[test]
fn a_title_in_the_transcript_of_another_session_is_forgotten() {
    let summary =
        json!({"type": "summary", "summary": format!("Oil the {WORD}"), "leafUuid": "gone"});
    let env = TestEnvironment::indexed(&[kiln().line(summary.clone())]);
    assert!(decoded(&env).contains(WORD));
    let ran = env.run(&["forget", "--match", WORD, "--yes"]).succeeded();
    assert!(ran.stderr().contains("0 turns, 1 title"), "{ran}");
    assert!(!decoded(&env).contains(WORD));

    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    env.run(&["forget", LAMP, "--yes"]).succeeded();
    env.write_transcript(&kiln().line(summary));
    for index in [&["index"][..], &["index", "--full"]] {
        env.run(index).succeeded();
        assert!(!decoded(&env).contains(WORD), "{index:?}");
    }
}

/// The list is the answer of a dry run; before a question its beginning is enough.
#[test]
fn a_dry_run_lists_all_that_would_be_forgotten() {
    let ids: Vec<String> = (10..22)
        .map(|n| format!("f04600{n}-0000-4000-8000-000000000001"))
        .collect();
    let quays = ids
        .iter()
        .map(|id| ClaudeTranscript::new(id, "/home/ann/quay").user("Paint the quay"));
    let env = TestEnvironment::indexed(&quays.collect::<Vec<_>>());
    let planned = env
        .run(&["forget", "--project", "quay", "--dry-run"])
        .succeeded();
    assert_eq!(planned.stdout().lines().count(), 12, "{planned}");
    assert!(
        ids.iter().all(|id| planned.stdout().contains(&id[..8])),
        "{planned}"
    );
    assert_eq!(planned.stderr(), "would forget 12 sessions, 12 turns\n");
    let refused = env.run(&["forget", "--project", "quay"]).exits(2);
    assert_eq!(refused.stdout(), "");
    assert!(refused.stderr().contains("  … and 2 more\n"), "{refused}");
}
