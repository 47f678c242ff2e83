use super::*;
use session_core::{CommandRunEntry, FileEntry};
use session_store::TurnRow;

fn turn_record(index: u32, kind: PromptKind, prompt: &str, answers: &[&str]) -> TurnRecord {
    let mut content = TurnContent {
        prompt: prompt.into(),
        ..TurnContent::default()
    };
    for answer in answers {
        content.add_answer(answer);
    }
    let row = TurnRow {
        index,
        kind,
        ..TurnRow::default()
    };
    TurnRecord { row, content }
}

#[test]
fn noise_is_no_problem_and_no_solution() {
    let turns = [
        turn_record(0, PromptKind::Command, "/clear", &[]),
        turn_record(1, PromptKind::Typed, "ok", &["Hello."]),
        turn_record(
            2,
            PromptKind::Typed,
            "The cold start takes nine seconds.",
            &[
                "Let me measure.",
                "The cache was read twice. It is read once now.",
            ],
        ),
        turn_record(3, PromptKind::Typed, "thanks", &["ok"]),
    ];
    let work = WorkSummary::from_turns(&turns);
    assert_eq!(work.problem.unwrap(), "The cold start takes nine seconds.");
    assert_eq!(
        work.solution.unwrap(),
        "The cache was read twice. It is read once now."
    );
    assert_eq!(work.turns, 4);
}

#[test]
fn an_announcement_is_no_solution_beside_a_result() {
    let turns = [
        turn_record(
            0,
            PromptKind::Typed,
            "Is the pool too small?",
            &["It was too small; the pool has 40 connections now."],
        ),
        turn_record(
            1,
            PromptKind::Typed,
            "commit that",
            &["I'm committing it now."],
        ),
    ];
    let solution = |turns| WorkSummary::from_turns(turns).solution.unwrap();
    assert_eq!(
        solution(&turns),
        "It was too small; the pool has 40 connections now."
    );
    assert_eq!(solution(&turns[1..]), "I'm committing it now.");
}

#[test]
fn a_receipt_is_no_solution_beside_a_result() {
    let turn = |index, prompt, answer| turn_record(index, PromptKind::Typed, prompt, &[answer]);
    let turns = [
        turn(
            0,
            "Is the pool too small?",
            "The pool has 40 connections now.",
        ),
        turn(1, "commit it", "Committed as `b567018`. All hooks passed."),
        turn(2, "push", "I'm pushing it now."),
        turn(3, "thanks", "You're welcome!"),
    ];
    let solution = |turns| WorkSummary::from_turns(turns).solution.unwrap();
    assert_eq!(solution(&turns), "The pool has 40 connections now.");
    assert_eq!(
        solution(&turns[1..3]),
        "Committed as `b567018`. All hooks passed."
    );
}

#[test]
fn a_command_without_arguments_is_the_last_resort() {
    let clear = turn_record(0, PromptKind::Command, "/clear", &[]);
    let work = WorkSummary::from_turns(std::slice::from_ref(&clear));
    assert_eq!(work.problem, None);
    assert!(work.is_empty());
    let gates = turn_record(1, PromptKind::Command, "/gates", &["There are eight."]);
    let work = WorkSummary::from_turns(&[clear, gates]);
    assert_eq!(work.problem.as_deref(), Some("/gates"));
}

#[test]
fn a_prompt_that_needs_a_context_is_no_problem() {
    let resume = turn_record(0, PromptKind::Typed, "resume please", &["It runs again."]);
    let back = turn_record(1, PromptKind::Typed, "ok lets get back to main", &["Done."]);
    let mut turns = vec![resume, back];
    assert_eq!(WorkSummary::from_turns(&turns).problem, None);
    turns.push(turn_record(
        2,
        PromptKind::Typed,
        "Oil the gate",
        &["Done."],
    ));
    let problem = WorkSummary::from_turns(&turns).problem;
    assert_eq!(problem.as_deref(), Some("Oil the gate"));
}

#[test]
fn problem_and_solution_are_of_the_task_that_was_found() {
    let turns = [
        turn_record(
            0,
            PromptKind::Typed,
            "Oil the gate",
            &["The gate is oiled."],
        ),
        turn_record(1, PromptKind::Typed, "Hang the lamp", &["The lamp hangs."]),
    ];
    let pair = |found| {
        let work = WorkSummary::from_session(&turns, found);
        (
            work.problem.unwrap(),
            work.solution.unwrap(),
            work.task_turn,
        )
    };
    let of_pair = |problem: &str, solution: &str, task| (problem.into(), solution.into(), task);
    assert_eq!(
        pair(Some(0)),
        of_pair("Oil the gate", "The gate is oiled.", Some(0))
    );
    assert_eq!(
        pair(Some(1)),
        of_pair("Hang the lamp", "The lamp hangs.", Some(1))
    );
    assert_eq!(pair(None), of_pair("Oil the gate", "The lamp hangs.", None));
}

#[test]
fn the_last_task_has_its_own_errors() {
    let mut first = turn_record(0, PromptKind::Typed, "Oil the gate", &["It is oiled."]);
    first.content.errors = vec!["error: no oil".into()];
    let lamp = turn_record(1, PromptKind::Typed, "Hang the lamp", &["It hangs."]);
    let work = WorkSummary::from_last_task(&[first.clone(), lamp]);
    assert_eq!(work.problem.as_deref(), Some("Hang the lamp"));
    assert_eq!(work.errors, [""; 0]);
    let only = WorkSummary::from_last_task(&[first]);
    assert_eq!(only.errors, ["error: no oil"]);
}

#[test]
fn the_line_before_a_plan_is_no_problem() {
    let plan = "Implement the following plan:\n\n# Warm start\n\nThe boiler heats before it fills.";
    let turn = turn_record(0, PromptKind::Typed, plan, &[]);
    let work = WorkSummary::from_turns(&[turn]);
    assert_eq!(work.problem.unwrap(), "The boiler heats before it fills.");
}

#[test]
fn a_file_keeps_its_strongest_access() {
    let mut first = turn_record(0, PromptKind::Typed, "Edit", &[]);
    first.content.files = vec!["a".into(), "b".into()];
    let mut second = first.clone();
    second.content.changes = vec![FileEntry {
        file: 1,
        access: FileAccess::Edited,
        failed: false,
    }];
    let work = WorkSummary::from_turns(&[first, second]);
    let files: Vec<_> = work
        .files
        .iter()
        .map(|f| (f.path.as_str(), f.access))
        .collect();
    assert_eq!(files, [("a", FileAccess::Read), ("b", FileAccess::Edited)]);
    assert_eq!(work.changed_files().count(), 1);
}

#[test]
fn what_did_not_end_or_run_has_not_failed() {
    let mut turn = turn_record(0, PromptKind::Typed, "Heat it", &[]);
    turn.content.commands = vec!["make".into(), "heat".into()];
    let told = [
        CallStatus::Done,
        CallStatus::Unfinished,
        CallStatus::NotRun,
        CallStatus::Failed,
    ];
    let run = |(command, status)| CommandRunEntry {
        command: command % 2,
        status,
        changes_before: 0,
    };
    turn.content.runs = told.into_iter().enumerate().map(run).collect();
    let work = WorkSummary::from_turns(&[turn]);
    let statuses: Vec<CallStatus> = work.commands.iter().map(|run| run.status).collect();
    assert_eq!((&statuses[..], work.failed_command_count()), (&told[..], 1));
    assert_eq!(work.ran_command_count(), 3);
}

#[test]
fn a_search_that_found_nothing_has_not_failed() {
    let mut turn = turn_record(0, PromptKind::Typed, "Heat it", &[]);
    turn.content.commands = vec!["make".into(), "rg -n oil src".into()];
    let run = |command| CommandRunEntry {
        command,
        status: CallStatus::Failed,
        changes_before: 0,
    };
    turn.content.runs = [0, 1].map(run).into();
    let work = WorkSummary::from_turns(&[turn]);
    assert_eq!(
        (work.ran_command_count(), work.failed_command_count()),
        (2, 1)
    );
}

#[test]
fn opened_and_mentioned_pull_requests_are_listed() {
    let mut turn = turn_record(
        0,
        PromptKind::Typed,
        "Review https://github.com/ann/app/pull/3",
        &["See https://github.com/ann/app/pull/9", "Opened it."],
    );
    turn.content
        .turn_stats
        .add_pull_request("https://github.com/ann/app/pull/4");
    let expected = [4, 3].map(|n| format!("https://github.com/ann/app/pull/{n}"));
    assert_eq!(WorkSummary::from_turns(&[turn]).pull_requests, expected);
}
