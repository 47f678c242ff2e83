//! Any text is a query.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::history::{DOCKER, WATCHER, docker, small, watcher};
use std::ffi::OsStr;

/// Asserts that a query is answered: found or not, but no error.
#[track_caller]
fn answered(env: &TestEnvironment, args: &[impl AsRef<OsStr>]) {
    let ran = env.run(args);
    assert!(matches!(ran.code(), 0 | 1), "{ran}");
    assert!(!ran.stderr().contains("panic"), "{ran}");
}

/// The arguments of a process, which no lower test has.
#[test]
fn nothing_in_a_query_is_syntax() {
    let env = small();
    for query in ["", "\"", "--no-verify", "\\0", "\u{202e}docker", "AND"] {
        answered(&env, &["search", query]);
        answered(&env, &["search", query, "--depth", "2", "--json"]);
    }
}

#[test]
fn a_flag_can_be_looked_for() {
    let env = TestEnvironment::indexed(&[
        docker(),
        watcher().bash("git commit --no-verify", "[main 1a2b3c] wip"),
    ]);
    for query in ["--no-verify", "commit --no-verify", "no-verify"] {
        assert_eq!(env.found(&[query, "--limit", "1"]), [WATCHER], "{query}");
    }
    assert_eq!(env.found(&["--limit", "1", "--", "--no-verify"]), [WATCHER]);
    assert_eq!(
        env.found(&["--no-verify", "--limit", "1", "--project", "parser"]),
        [WATCHER]
    );
}

#[test]
fn words_need_no_quotes() {
    let env = small();
    assert_eq!(
        env.found(&["docker", "bridge", "dns", "--limit", "1"]),
        [DOCKER]
    );
}

#[cfg(unix)]
#[test]
fn bytes_that_are_no_text_are_a_query() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let env = small();
    for bytes in [&b"docker \xff\xfe bridge"[..], b"\x80", b"\xed\xa0\x80"] {
        let query = OsString::from_vec(bytes.to_vec());
        answered(&env, &[OsStr::new("search"), &query]);
        answered(&env, &[OsStr::new("search"), &query, OsStr::new("--json")]);
    }
}

#[test]
fn long_queries_are_answered() {
    let env = small();
    let (words, word) = ("docker bridge ".repeat(750), "x".repeat(10_000));
    for query in [&words, &word, &"\"".repeat(10_000), &"日".repeat(3_000)] {
        answered(&env, &["search", query]);
    }
    assert_eq!(env.found(&[&words, "--limit", "1"]), [DOCKER]);
}

/// The models in the binary read no Japanese: all of it looks alike to them.
#[test]
fn exact_phrases_in_a_script_that_no_model_reads_come_first() {
    let phrases = [
        "ダークモードの切り替え",
        "設定画面を追加",
        "コミットして",
        "テストが失敗する原因",
        "検索結果の並び順",
        "日付の表示形式",
        "キャッシュの有効期限",
    ];
    let id = |n: usize| format!("e6000000-0000-4000-8000-00000000000{n}");
    let session = |(n, phrase): (usize, &&str)| {
        ClaudeTranscript::new(&id(n), "/home/ann/tegami")
            .user(&format!("今日は{phrase}をお願いします。"))
            .assistant("わかりました。変更を保存しました。")
    };
    let sessions: Vec<ClaudeTranscript> = phrases.iter().enumerate().map(session).collect();
    let env = TestEnvironment::indexed(&sessions);
    for model in ["table", "all-minilm-l6-v2"] {
        let config = format!("model = \"{model}\"\nbackground = false\n");
        env.write(&env.path("config/config.toml"), config);
        env.run(&["index"]).succeeded();
        for (n, phrase) in phrases.iter().enumerate() {
            assert_eq!(env.found(&[phrase])[0], id(n), "{model}: {phrase}");
        }
        for nonsense in ["犬の散歩に行く", "量子 ダークマター 観測", "モードコミ設替"]
        {
            let answer = env.json(&["search", nonsense]);
            for hit in answer["hits"].as_array().unwrap() {
                assert_ne!(hit["band"], "strong", "{model}: {nonsense}: {hit}");
            }
        }
    }
}

#[test]
fn what_nothing_answers_is_weak_at_best() {
    let env = small();
    let bands = |query: &str, depth: &str| -> Vec<String> {
        let answer = env.json(&["search", query, "--depth", depth]);
        let hits = answer["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["band"].as_str().unwrap().to_owned())
            .collect()
    };
    for query in ["sourdough starter hydration", "the", "what was it again"] {
        for depth in ["1", "2"] {
            let is_strong = bands(query, depth).iter().any(|band| band == "strong");
            assert!(!is_strong, "{query} at depth {depth}");
        }
    }
    // Words that no model knows.
    for query in ["otnfobyvf pptadenvbgabsh wlmoggigjrqly", "xqzvv grblfnk"] {
        let is_weak = bands(query, "2").iter().all(|band| band == "weak");
        assert!(is_weak, "{query}");
    }
}

#[test]
fn what_is_answered_is_strong() {
    let env = small();
    for (query, id) in [
        ("docker bridge dns by name", DOCKER),
        ("EMFILE", WATCHER),
        ("file watcher crashes", WATCHER),
    ] {
        let answer = env.json(&["search", query]);
        assert_eq!(answer["hits"][0]["session"], id, "{query}");
        assert_eq!(
            answer["hits"][0]["band"], "strong",
            "{query}: {}",
            answer["hits"][0]
        );
    }
}

#[test]
fn a_number_joined_to_its_option_is_no_word() {
    let env = TestEnvironment::new();
    env.write_transcript(&docker());
    for args in [["search", "-n1", "docker"], ["search", "-n=1", "docker"]] {
        let said = env.run(&args).succeeded().stdout();
        assert!(said.contains("\"docker\""), "{said}");
    }
    let ran = env.run(&["commands", "-n2", "docker"]);
    assert!(matches!(ran.code(), 0 | 1), "{ran}");
    let ran = env.run(&["memory", "search", "-n2", "docker"]).exits(1);
    assert_eq!(ran.stdout(), "");
    assert!(!ran.stderr().contains("-n2"), "{ran}");
    let literal = env.run(&["search", "--", "-n1"]);
    assert!(
        literal.stdout().is_empty() || literal.stdout().contains("\"-n1\""),
        "{literal}"
    );
}

#[test]
fn a_time_beyond_the_calendar_is_said() {
    let env = TestEnvironment::new();
    env.write_transcript(&docker());
    for args in [
        &["search", "x", "--since", "9999-12-31"][..],
        &["search", "x", "--until", "9999-12-31"],
        &["search", "x", "--days", "7304484"],
        &["digest", "9999-12-31"],
    ] {
        let ran = env.run(args).exits(2);
        assert!(
            ran.stderr().contains("beyond the calendar") && ran.stderr().contains("hint: "),
            "{ran}"
        );
    }
}

#[test]
fn a_time_in_words_is_searched_as_text_and_told_as_a_filter() {
    let env = small();
    let ran = env.run(&["search", "docker in january 2026", "-n1"]);
    let note =
        "note: the time is searched as text; `when:\"january 2026\"` in its place keeps to it\n";
    assert_eq!(ran.exits(0).stderr(), note);
    let found = env.json(&["search", "docker yesterday"]);
    let hint = found["hints"][0].as_str().unwrap();
    assert!(hint.contains("`when:yesterday`"), "{hint}");
    let found = env.json(&["search", "2026-07-22 docker"]);
    let hint = found["hints"][0].as_str().unwrap();
    assert!(hint.contains("`when:2026-07-22`"), "{hint}");
    assert_eq!(found["missing"][0], "2026-07-22");
    let limited = env.run(&["search", "docker yesterday", "--days", "9000"]);
    assert_eq!(limited.stderr(), "");
    let asked = env.run(&["search", "what did we do yesterday"]);
    let note = "note: `session-search digest yesterday` lists what was done then\n";
    assert!(asked.stderr().starts_with(note), "{asked}");
    let asked = env.run(&["search", "what did we do yesterday", "--source", "claude"]);
    let note = "note: `session-search digest yesterday` with the same filters lists ";
    assert!(asked.stderr().starts_with(note), "{asked}");
}
