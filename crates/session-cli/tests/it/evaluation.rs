//! Questions of one's own, asked by `eval` as `docs/evaluation.md` says.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, WATCHER, small};
use std::path::{Path, PathBuf};

/// A home with a set of two questions about its history.
fn asked() -> (TestEnvironment, PathBuf) {
    let env = small();
    let set = env.path("my-questions");
    fs_err::create_dir_all(&set).unwrap();
    let questions = [
        r#"{"id": "1", "query": "containers cannot talk to each other on the docker bridge"}"#,
        r#"{"id": "2", "query": "a question about cooking that no session answers"}"#,
    ];
    fs_err::write(set.join("queries.jsonl"), questions.join("\n")).unwrap();
    let right = format!("1\t{DOCKER}\t1\n2\t{WATCHER}\t1\n");
    fs_err::write(set.join("qrels.session.tsv"), right).unwrap();
    (env, set)
}

/// The best hit's score for the first question, with these options.
fn score(env: &TestEnvironment, set: &Path, options: &[&str]) -> f64 {
    let runs = env.path("runs");
    let (set, to) = (set.to_string_lossy(), runs.to_string_lossy());
    let args = [&["eval", &set, "--runs", &to], options].concat();
    let _ = env.run(&args).succeeded();
    let ranking = fs_err::read_to_string(runs.join("session.tsv")).unwrap();
    let best: Vec<&str> = ranking.lines().next().unwrap().split('\t').collect();
    assert_eq!(best[..2], ["1", DOCKER]);
    let scores = ranking.lines().filter_map(|line| line.split('\t').nth(2));
    scores.map(|score| score.parse::<f64>().unwrap()).sum()
}

#[test]
fn the_right_session_counts_and_the_rankings_are_written() {
    let (env, set) = asked();
    let reports = env.json(&["eval", &set.to_string_lossy()]);
    assert_eq!(reports["levels"][0]["level"], "session");
    assert_eq!(reports["levels"][0]["all"]["questions"], 2);
    assert!(reports["levels"][0]["all"]["hit@1"].as_f64().unwrap() >= 0.5);
    assert!(score(&env, &set, &[]) > 0.0);
}

#[test]
fn a_set_that_is_not_there_is_named_with_a_hint() {
    let env = TestEnvironment::new();
    let ran = env.run(&["eval", "missing"]).exits(2);
    let said = "error: there is no folder `missing`\nhint: ";
    assert!(ran.stderr().starts_with(said), "{ran}");
}

#[test]
fn constants_of_the_ranking_can_be_tried() {
    let (env, set) = asked();
    let usual = score(&env, &set, &[]);
    assert_eq!(score(&env, &set, &["--tune", "base=0.35"]), usual);
    let other = ["--tune", "base=0", "--tune", "power=0.2"];
    assert_ne!(score(&env, &set, &other), usual);
    for wrong in ["bass=0.5", "base=2", "base=NaN", "base"] {
        let ran = env.run(&["eval", &set.to_string_lossy(), "--tune", wrong]);
        let said = ran.exits(2).stderr();
        assert!(said.contains("base, power, context"), "{said}");
    }
}

#[test]
fn the_model_is_the_one_in_use() {
    let (env, set) = asked();
    let said = score(&env, &set, &[]);
    assert_eq!(score(&env, &set, &["--model", "table"]), said);
    let hit = &env.json(&[
        "search",
        "containers cannot talk to each other on the docker bridge",
    ])["hits"][0];
    assert!(
        (hit["score"].as_f64().unwrap() - said).abs() < 1e-3,
        "{hit}"
    );
}

#[test]
fn a_model_that_has_embedded_nothing_is_named() {
    let (env, set) = asked();
    let args = [
        "eval",
        &set.to_string_lossy(),
        "--model",
        "all-minilm-l6-v2",
    ];
    let ran = env.run(&args).succeeded();
    let said = "note: all-minilm-l6-v2 has embedded 0 of 4 sessions";
    assert!(ran.stderr().contains(said), "{ran}");
}

#[test]
fn what_was_forgotten_is_not_read_again_for_an_evaluation() {
    let (env, set) = asked();
    env.run(&["forget", WATCHER, "--yes"]).succeeded();
    let ran = env.run(&["eval", &set.to_string_lossy()]).succeeded();
    let said = format!("no session of this history, or several: 1, as `{WATCHER}`");
    assert!(ran.stderr().contains(&said), "{ran}");
}

#[test]
fn the_users_own_index_is_not_kept_for_an_evaluation() {
    let (env, set) = asked();
    env.run(&["index"]).succeeded();
    let (set, own) = (set.to_string_lossy(), env.index(""));
    let own = own.to_string_lossy();
    let kept = env.path("kept");
    let kept = kept.to_string_lossy();
    let ran = env.run(&["eval", &set, "--index", &own]).exits(2);
    assert!(ran.stderr().contains("no evaluation made"), "{ran}");
    for _ in 0..2 {
        env.run(&["eval", &set, "--index", &kept]).succeeded();
    }
}

#[test]
fn a_session_may_be_said_by_the_beginning_of_its_id() {
    let (env, set) = asked();
    let labels = format!("1\t{}\t1\n2\tnonsense\t1\n3\t{WATCHER}\t1\n", &DOCKER[..8]);
    fs_err::write(set.join("qrels.session.tsv"), labels).unwrap();
    let ran = env
        .run(&["eval", &set.to_string_lossy(), "--json"])
        .succeeded();
    let reports: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(reports["levels"][0]["all"]["hit@1"], 0.5);
    let said = ran.stderr();
    assert!(
        said.contains("no session of this history, or several: 1, as `nonsense`"),
        "{said}"
    );
    assert!(said.contains("1 label names no question: `3`"), "{said}");
}

#[test]
fn what_is_not_counted_is_named() {
    let (env, set) = asked();
    fs_err::write(set.join("qrels.session.tsv"), format!("1\t{DOCKER}\t1\n")).unwrap();
    let ran = env.run(&["eval", &set.to_string_lossy()]).succeeded();
    assert_eq!(
        ran.stderr(),
        "note: questions without a label, not counted: 1, as `2`\n"
    );
    let widest = ran.stdout().lines().map(str::len).max();
    assert!(widest.is_some_and(|columns| columns <= 80), "{ran}");
    let ran = env.run(&["eval", &set.to_string_lossy(), "--level", "turn"]);
    let said = "note: no question has a label at turn level\n";
    assert!(ran.exits(1).stderr().ends_with(said));
}

#[test]
fn a_mistake_in_a_set_is_named() {
    let (env, set) = asked();
    let wrong = |file: &str, text: &str, said: &str| {
        let path = set.join(file);
        let before = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, text).unwrap();
        let ran = env.run(&["eval", &set.to_string_lossy()]).exits(2).stderr();
        assert!(ran.contains(said), "{ran}");
        fs_err::write(&path, before).unwrap();
    };
    wrong(
        "qrels.session.tsv",
        "1 x 1\n",
        "line 1: expected question, target and 1 or 0",
    );
    wrong(
        "qrels.session.tsv",
        "q\td\tscore\n1\tx\tyes\n",
        "line 2: expected question, target and 1 or 0",
    );
    wrong("queries.jsonl", "\n", "has no question");
    wrong("qrels.session.tsv", "", "hint: write qrels.session.tsv");
    let twice = "{\"id\": \"1\", \"query\": \"a\"}\n{\"id\": \"1\", \"query\": \"b\"}\n";
    wrong("queries.jsonl", twice, "the question `1` is there twice");
}

#[test]
fn labels_may_be_as_other_tools_write_them() {
    let (env, set) = asked();
    let written = [
        format!("\u{feff}1\t{DOCKER}\t1\t\n\t\t\n2\t{WATCHER}\n"),
        format!("query-id\tcorpus-id\tscore\r\n1\t{DOCKER}\t2\r\n2\t{WATCHER}\t0.5\r\n"),
    ];
    for labels in written {
        fs_err::write(set.join("qrels.session.tsv"), labels).unwrap();
        let ran = env
            .run(&["eval", &set.to_string_lossy(), "--json"])
            .succeeded();
        let reports: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
        assert_eq!(reports["levels"][0]["all"]["questions"], 2, "{ran}");
        assert_eq!(ran.stderr(), "");
    }
}
