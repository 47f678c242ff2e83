//! The manual: the help of each command.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

fn help(command: &[&str]) -> String {
    TestEnvironment::new()
        .run(&[command, &["--help"]].concat())
        .succeeded()
        .stdout()
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(help(&[]), @"");
}

#[test]
fn help_of_search() {
    assert_snapshot!(help(&["search"]), @"");
}

#[test]
fn help_of_show() {
    assert_snapshot!(help(&["show"]), @"");
}

#[test]
fn help_of_index() {
    assert_snapshot!(help(&["index"]), @"");
}

#[test]
fn help_of_status() {
    assert_snapshot!(help(&["status"]), @"");
}

#[test]
fn help_of_demo() {
    assert_snapshot!(help(&["demo"]), @"");
}

#[test]
fn no_command_is_an_error() {
    let ran = TestEnvironment::new().run::<&str>(&[]).exits(2);
    assert!(ran.stderr().contains("Usage: session-search"), "{ran}");
}
