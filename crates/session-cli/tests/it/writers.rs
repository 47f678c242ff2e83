//! One writes, many read, nobody fails.

use crate::environment::{Ran, TestEnvironment};
use crate::generator::generate;
use serde_json::{Value, json};
use std::process::{Child, Stdio};

fn start(env: &TestEnvironment, args: &[&str]) -> Child {
    env.command()
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn end(env: &TestEnvironment, child: Child) -> Ran {
    env.ran(child.wait_with_output().unwrap())
}

#[test]
fn two_indexers_both_come_to_their_end() {
    let env = TestEnvironment::new();
    generate(&env, 0..30);
    for args in [&["index"][..], &["index", "--full"]] {
        let children = [(); 3].map(|()| start(&env, args));
        for child in children {
            end(&env, child).succeeded();
        }
    }
    assert_eq!(env.json(&["status"])["changed"], 0);
    assert!(
        env.run(&["index"])
            .succeeded()
            .stderr()
            .starts_with("nothing new")
    );
}

/// Its number is what a user needs to end it.
#[test]
fn a_process_that_writes_is_named() {
    let env = TestEnvironment::new();
    generate(&env, 0..2);
    env.run(&["index"]).succeeded();
    let writer = session_store::Writer::open(&env.index("")).unwrap();
    let pid = cfg!(target_os = "linux").then(std::process::id);
    assert_eq!(env.json(&["status"])["writer"], json!({ "pid": pid }));
    let named = "a process is writing to the index now";
    assert!(env.run(&["status"]).succeeded().stdout().contains(named));
    assert!(env.run(&["doctor"]).succeeded().stdout().contains(named));
    drop(writer);
    assert_eq!(env.json(&["status"])["writer"], Value::Null);
}

/// A program that looks into databases may hold it for minutes.
#[test]
fn a_database_that_another_program_holds_is_searched_as_it_is() {
    let env = TestEnvironment::new();
    generate(&env, 0..2);
    env.run(&["index"]).succeeded();
    generate(&env, 2..3);
    let other = rusqlite::Connection::open(env.index("index.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran = env.run(&["search", "turn", "--json"]);
    assert!(ran.code() < 2 && ran.stderr().contains("note: "), "{ran}");
    drop(other);
    env.run(&["index"]).succeeded();
    assert_eq!(env.json(&["status"])["changed"], 0);
}

/// The first search of all begins while another process makes the index.
#[test]
fn the_first_search_waits_for_the_first_index() {
    let env = TestEnvironment::new();
    generate(&env, 0..30);
    let index = start(&env, &["index"]);
    let searches = [(); 4].map(|()| start(&env, &["search", "lantern"]));
    for search in searches {
        end(&env, search).succeeded();
    }
    end(&env, index).succeeded();
}

#[test]
fn searches_are_answered_while_the_index_is_written() {
    let env = TestEnvironment::new();
    generate(&env, 0..30);
    env.run(&["index"]).succeeded();
    for _ in 0..3 {
        let mut index = start(&env, &["index", "--full"]);
        while index.try_wait().unwrap().is_none() {
            for search in [
                &["search", "lantern"][..],
                &["show", "00000001"],
                &["status"],
            ] {
                let ran = env.run(search).succeeded();
                assert!(!ran.stdout().is_empty(), "{ran}");
            }
            // While all is embedded anew, some of it is not there yet.
            let ran = env.run(&["search", "lantern", "--vector-only", "--depth", "2"]);
            assert!(matches!(ran.code(), 0 | 1), "{ran}");
        }
        end(&env, index).succeeded();
    }
}
