//! What each command prints.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, small};
use insta::assert_snapshot;

#[test]
fn sessions_are_listed_for_people() {
    let env = small();
    assert_snapshot!(env.run(&["search", "docker bridge dns"]), @"");
    assert_snapshot!(env.run(&["search", "docker bridge dns", "--limit", "1", "--explain"]), @"");
}

#[test]
fn turns_are_listed_for_people() {
    let env = small();
    assert_snapshot!(env.run(&["search", "docker bridge dns", "--depth", "2", "--limit", "2"]), @"");
}

#[test]
fn sessions_are_listed_as_json() {
    let env = small();
    assert_snapshot!(env.run(&["search", "EMFILE watcher", "--limit", "1", "--json"]), @"");
}

#[test]
fn turns_are_listed_as_json() {
    let env = small();
    let search = [
        "search",
        "network in compose.yaml",
        "--depth",
        "2",
        "--limit",
        "1",
        "--json",
    ];
    assert_snapshot!(env.run(&search), @"");
}

#[test]
fn turns_are_shown_for_people() {
    let env = small();
    assert_snapshot!(env.run(&["show", DOCKER]), @"");
    assert_snapshot!(env.run(&["show", "b2:0", "--brief"]), @"");
}

#[test]
fn turns_are_shown_as_json() {
    let env = small();
    assert_snapshot!(env.run(&["show", "a1:0-0", "--json"]), @"");
}

#[test]
fn brief_cuts_what_is_long() {
    let output: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let env = TestEnvironment::indexed(&[crate::history::checkout().bash("seq 40", &output)]);
    let whole = env.run(&["show", "c3"]).succeeded().stdout();
    let brief = env.run(&["show", "c3", "--brief"]).succeeded().stdout();
    assert!(
        whole.contains("line 39") && !brief.contains("line 39"),
        "{brief}"
    );
    assert!(
        brief.contains("line 7\n") && brief.contains("… 32 more lines"),
        "{brief}"
    );
}

#[test]
fn status_tells_what_is_indexed() {
    let env = small();
    assert_snapshot!(env.run(&["status"]), @"");
    assert_snapshot!(env.run(&["status", "--json"]), @"");
}

#[test]
fn index_tells_what_it_did() {
    let env = small();
    assert_snapshot!(env.run(&["index"]), @"");
    assert_snapshot!(env.run(&["index", "--full"]), @"");
    assert_snapshot!(env.run(&["index", "--full", "--json"]), @"");
}

#[test]
fn the_demo_walks_three_levels() {
    let env = TestEnvironment::new();
    assert_snapshot!(env.run(&["demo"]), @"");
    assert!(!env.index("").exists() && !env.home(".cache").exists());
}

#[test]
fn nothing_found_is_said_on_stderr() {
    let env = small();
    assert_snapshot!(env.run(&["search", "zygomorphic", "--keyword-only"]), @"");
    assert_snapshot!(env.run(&["search", "EMFILE", "--project", "nowhere"]), @"");
    assert_snapshot!(env.run(&["search", "EMFILE", "--project", "nowhere", "--json"]), @"");
    assert_snapshot!(env.run(&["show", "b2:7"]), @"");
}

#[test]
fn without_history_the_way_on_is_shown() {
    let env = TestEnvironment::new();
    assert_snapshot!(env.run(&["status"]), @"");
    assert_snapshot!(env.run(&["search", "docker"]), @"");
    assert_snapshot!(env.run(&["search", "docker", "--json"]), @"");
    assert_snapshot!(env.run(&["search", "docker", "--or-demo", "--limit", "1"]), @"");
    assert_snapshot!(env.run(&["show", "a1"]), @"");
    assert_snapshot!(env.run(&["index"]), @"");
}

#[test]
fn the_demo_does_not_stand_in_for_a_history() {
    let env = small();
    assert_eq!(
        env.found(&["EMFILE", "--or-demo", "--limit", "1"]),
        [crate::history::WATCHER]
    );
}
