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
    best[2].parse().unwrap()
}

#[test]
fn the_right_session_counts_and_the_rankings_are_written() {
    let (env, set) = asked();
    let reports = env.json(&["eval", &set.to_string_lossy()]);
    assert_eq!(reports[0]["level"], "session");
    assert_eq!(reports[0]["all"]["questions"], 2);
    assert!(reports[0]["all"]["hit@1"].as_f64().unwrap() >= 0.5);
    assert!(score(&env, &set, &[]) > 0.0);
}

#[test]
fn constants_of_the_ranking_can_be_tried() {
    let (env, set) = asked();
    let usual = score(&env, &set, &[]);
    assert_eq!(score(&env, &set, &["--tune", "base=0.73"]), usual);
    let other = ["--tune", "base=0.05", "--tune", "power=0.2"];
    assert_ne!(score(&env, &set, &other), usual);
    for wrong in ["bass=0.5", "base=2", "base=NaN", "base"] {
        let ran = env.run(&["eval", &set.to_string_lossy(), "--tune", wrong]);
        let said = ran.exits(2).stderr();
        assert!(
            said.contains("base, power, chance, least, context"),
            "{said}"
        );
    }
}
