//! The work of a turn: commands and how they ended, files, pull requests,
//! time, tokens.

use crate::scripted::in_background;
use crate::support::{Transcript, fixture};
use crate::turns::searched;
use session_core::{CallStatus, FileAccess, TokenTotals, TurnContent, TurnPart};

fn contents() -> Vec<TurnContent> {
    searched(&[Transcript::new(fixture("work.jsonl")).read(None)])
}

#[test]
fn commands_have_their_exit_state() {
    let contents = contents();
    let runs: Vec<_> = contents[0]
        .command_runs()
        .map(|run| (run.command, run.status.is_failed()))
        .collect();
    let expected = [
        ("make test", true),
        ("make test", false),
        ("gh pr create --fill", false),
    ];
    assert_eq!(runs, expected);
}

#[test]
fn changes_that_failed_are_none() {
    let contents = contents();
    let accessed = contents[0].accessed_files();
    let touched: Vec<_> = accessed.map(|file| (file.path, file.access)).collect();
    let expected = [
        ("/home/ann/app/boiler.c", FileAccess::Edited),
        ("/home/ann/app/NOTES.md", FileAccess::Written),
    ];
    assert_eq!(touched, expected);
}

#[test]
fn only_pull_requests_that_were_opened_are_told() {
    let contents = contents();
    let opened = |turn: usize| contents[turn].turn_stats.pull_requests.clone();
    assert_eq!(opened(0), ["https://github.com/ann/app/pull/12"]);
    assert!(opened(1).is_empty(), "it was looked at");
}

#[test]
fn a_reply_is_counted_once() {
    let turn_stats = &contents()[0].turn_stats;
    assert_eq!(turn_stats.models, ["claude-opus-4-6", "claude-sonnet-4-6"]);
    let tokens = TokenTotals {
        input: 2003 + 101 + 51 + 51 + 6 + 6 + 6 + 6,
        cached: 2000 + 2100 + 2200 + 2300 + 2310 + 2320 + 2330,
        output: 40 + 30 + 80 + 90 + 10 + 20 + 20 + 25,
    };
    assert_eq!(turn_stats.tokens, tokens);
}

#[test]
fn waiting_for_an_answer_is_no_work() {
    let idle = &contents()[0].turn_stats.idle_ms;
    assert_eq!(*idle, (73 * 60 + 30) * 1000, "from 9:01:30 to 10:15:00");
}

/// Words that are given to the agent at its work begin a turn; results of calls
/// before them do not count as its own.
#[test]
fn a_late_failure_is_not_the_next_turns() {
    let contents = contents();
    assert_eq!(contents.len(), 3);
    let runs: Vec<_> = contents[2]
        .command_runs()
        .map(|run| (run.command, run.status.is_failed()))
        .collect();
    assert_eq!(runs, [("ask ben", true)]);
}

#[test]
fn a_command_in_the_background_ends_as_it_is_told_later() {
    let transcript = Transcript::new(in_background());
    let found = transcript.read(None);
    let shown = transcript.show(&found);
    let contents = searched(&[found]);
    let runs = contents[0].command_runs();
    let runs: Vec<_> = runs.map(|run| (run.command, run.status)).collect();
    let expected = [
        ("make serve", CallStatus::Failed),
        ("make docs", CallStatus::Done),
        ("make watch", CallStatus::Unfinished),
        ("make lint", CallStatus::Unfinished),
    ];
    assert_eq!(runs, expected);
    let errors: Vec<_> = contents[0].errors_of_run(0).collect();
    assert_eq!(errors, ["error: port is taken"]);
    let calls = shown[0].parts.iter().filter_map(|part| match part {
        TurnPart::Call(call) => Some((call.command.as_deref()?, call.status)),
        _ => None,
    });
    assert_eq!(calls.collect::<Vec<_>>(), expected);
}

#[test]
fn the_failure_of_an_agent_in_the_background_is_an_error_of_the_turn_that_it_is_told_in() {
    let transcript = Transcript::new(in_background());
    let found = transcript.read(None);
    let shown = transcript.show(&found);
    let contents = searched(&[found]);
    let failure = "Agent \"Find the <port>\" failed: portOf is not defined";
    assert_eq!(contents[1].errors, [failure]);
    assert_eq!(contents[1].command_runs().count(), 0);
    let parts: Vec<_> = shown[1].parts.iter().rev().take(2).collect();
    let [
        TurnPart::Notice { text: notice },
        TurnPart::Error { text: error },
    ] = parts[..]
    else {
        panic!("a notice and its error: {parts:?}");
    };
    assert_eq!(error, failure);
    assert!(
        notice.ends_with("Full transcript available at: /tmp/a1"),
        "{notice}"
    );
}
