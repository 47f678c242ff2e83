//! The content of a turn.

use super::*;
use crate::{CallDialog, PauseClock, PromptKind, TokenTotals};
use proptest::prelude::*;

fn turn(parts: Vec<TurnPart>) -> Turn {
    Turn {
        kind: PromptKind::Typed,
        prompt: String::new(),
        parts,
        turn_stats: TurnStats {
            tokens: TokenTotals::from([1, 2, 3]),
            ..TurnStats::default()
        },
        ..Turn::default()
    }
}

fn bash(command: &str, failed: bool) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: "Bash".into(),
        command: Some(command.into()),
        status: CallStatus::from_failure(failed),
        ..ToolCall::default()
    })
}

fn tool(name: &str, file: &str, failed: bool) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: name.into(),
        files: vec![file.into()],
        status: CallStatus::from_failure(failed),
        ..ToolCall::default()
    })
}

fn runs(content: &TurnContent) -> Vec<(&str, bool)> {
    content
        .command_runs()
        .map(|run| (run.command, run.status.is_failed()))
        .collect()
}

fn accessed(content: &TurnContent) -> Vec<(&str, FileAccess)> {
    let files = content.accessed_files();
    files.map(|file| (file.path, file.access)).collect()
}

#[test]
fn the_last_message_of_a_long_answer_is_kept() {
    let mut content = TurnContent::default();
    content.add_answer("The first step.");
    (0..400).for_each(|step| content.add_answer(&format!("Step {step}: {}", "w".repeat(2000))));
    content.add_answer("All is done.");
    assert!(content.answer.starts_with("The first step.\n\nStep 0: www"));
    assert!(content.answer.len() <= TEXT_LIMIT);
    assert_eq!(content.last_message(), "All is done.");
    content.add_answer(&"é".repeat(TEXT_LIMIT));
    assert!(content.answer.len() <= TEXT_LIMIT);
    assert!(content.last_message().starts_with("éé"));
}

#[test]
fn commands_are_told_in_order_with_how_they_ended() {
    let plain = TurnContent::from_turn(&turn(vec![bash("make", false), bash("make run", false)]));
    assert_eq!(runs(&plain), [("make", false), ("make run", false)]);
    let again = TurnContent::from_turn(&turn(vec![
        bash("make", true),
        bash("session-search search make", false),
        bash("vi main.c", false),
        bash("make", false),
    ]));
    assert_eq!(
        runs(&again),
        [("make", true), ("vi main.c", false), ("make", false)]
    );
    assert_eq!(again.commands, ["make", "vi main.c"]);
}

#[test]
fn errors_in_the_output_of_this_program_are_not_kept() {
    let content = |command: &str| {
        let call = ToolCall {
            name: "Bash".into(),
            command: Some(command.into()),
            output: Some("Error: EMFILE: too many open files".into()),
            status: CallStatus::Failed,
            ..ToolCall::default()
        };
        TurnContent::from_turn(&turn(vec![TurnPart::Call(call)]))
    };
    let own = content("session-search search 'EMFILE error'");
    assert_eq!((own.commands.len(), own.errors.len()), (0, 0));
    let other = content("make watch");
    assert_eq!((other.commands.len(), other.errors.len()), (1, 1));
}

#[test]
fn a_prompt_without_information_is_not_indexed() {
    let is_indexed = |prompt: &str| {
        let turn = Turn {
            prompt: prompt.into(),
            ..turn(Vec::new())
        };
        !TurnContent::from_turn(&turn).indexed_prompt().is_empty()
    };
    assert!(is_indexed("Where did we put the telescope tripod?"));
    for prompt in [
        "yes, go on",
        r#"{"telescope": {"mount": "altazimuth", "readings": [1, 2, 3]}}"#,
        "TURNS  \"telescope tripod\"   1 turn",
    ] {
        assert!(!is_indexed(prompt), "{prompt}");
    }
}

#[test]
fn files_are_told_with_the_most_that_was_done() {
    let content = TurnContent::from_turn(&turn(vec![
        tool("Read", "a", false),
        tool("Edit", "a", false),
        tool("Edit", "b", true),
        tool("Write", "c", false),
        tool("Edit", "c", false),
        tool("", "d", false),
    ]));
    let touched = accessed(&content);
    let expected = [
        ("a", FileAccess::Edited),
        ("c", FileAccess::Written),
        ("d", FileAccess::Edited),
    ];
    assert_eq!(touched, expected);
    assert_eq!(content.files, ["a", "b", "c", "d"], "all are named");
}

#[test]
fn a_change_that_failed_is_none() {
    let content = TurnContent::from_turn(&turn(vec![
        tool("Read", "read before", false),
        tool("Edit", "read before", true),
        tool("Write", "read after", true),
        tool("Read", "read after", false),
        tool("Edit", "at last", true),
        tool("Edit", "at last", false),
        tool("ApplyPatch", "never", true),
        tool("Edit", "never", true),
    ]));
    let touched = accessed(&content);
    let expected = [
        ("read before", FileAccess::Read),
        ("read after", FileAccess::Read),
        ("at last", FileAccess::Edited),
    ];
    assert_eq!(touched, expected);
}

#[test]
fn what_never_ended_is_unfinished() {
    let killed = |part: TurnPart| match part {
        TurnPart::Call(call) => TurnPart::Call(ToolCall {
            status: CallStatus::Unfinished,
            ..call
        }),
        other => other,
    };
    let content = TurnContent::from_turn(&turn(vec![
        bash("make", false),
        killed(bash("sleep 60", false)),
        bash("make", true),
        killed(bash("make", false)),
        killed(tool("Edit", "a", false)),
    ]));
    let runs: Vec<_> = content
        .command_runs()
        .map(|run| (run.command, run.status))
        .collect();
    let expected = [
        ("make", CallStatus::Done),
        ("sleep 60", CallStatus::Unfinished),
        ("make", CallStatus::Failed),
        ("make", CallStatus::Unfinished),
    ];
    assert_eq!(runs, expected);
    assert_eq!(content.accessed_files().count(), 0);
}

#[test]
fn errors_of_answers_are_kept_with_those_of_outputs() {
    let error = TurnPart::Error {
        text: "APIError: overloaded".into(),
    };
    let content = TurnContent::from_turn(&turn(vec![error]));
    assert_eq!(content.errors, ["APIError: overloaded"]);
}

#[test]
fn a_list_of_changed_files_is_no_tool() {
    let content = TurnContent::from_turn(&turn(vec![tool(ToolCall::PATCH, "a", false)]));
    assert_eq!(accessed(&content), [("a", FileAccess::Edited)]);
    assert_eq!(content.tools, [""; 0]);
}

#[test]
fn what_failed_was_not_done() {
    let content = TurnContent::from_turn(&turn(vec![
        tool("Read", "a", true),
        tool("Read", "b", true),
        tool("Read", "b", false),
        tool("Read", "c", false),
        tool("Edit", "c", true),
    ]));
    let touched = accessed(&content);
    assert_eq!(touched, [("b", FileAccess::Read), ("c", FileAccess::Read)]);
    assert_eq!(content.files, ["a", "b", "c"], "all are searched");
    let older = TurnContent {
        files: vec!["a".into()],
        ..TurnContent::default()
    };
    assert_eq!(accessed(&older), [("a", FileAccess::Read)]);
}

#[test]
fn questions_and_replies_are_said() {
    let asked = ToolCall {
        name: "AskUserQuestion".into(),
        dialog: CallDialog::new(
            Some("Which port?".into()),
            Some("8443, behind the proxy".into()),
        ),
        ..ToolCall::default()
    };
    let mut content = TurnContent::from_turn(&turn(vec![TurnPart::Call(asked)]));
    assert_eq!(content.prompt, "8443, behind the proxy");
    assert_eq!(content.answer, "Which port?");
    let later = ToolCall {
        dialog: CallDialog::new(None, Some("no, 9443".into())),
        ..ToolCall::default()
    };
    content.append(&turn(vec![TurnPart::Call(later)]));
    assert_eq!(content.prompt, "8443, behind the proxy\n\nno, 9443");
    assert_eq!(content.typed_prompt(), "");
}

#[test]
fn replies_are_told_from_what_was_typed() {
    let reply = ToolCall {
        dialog: CallDialog::new(None, Some("no, 9443".into())),
        ..ToolCall::default()
    };
    let asked = Turn {
        prompt: "Open a pört".into(),
        ..turn(vec![])
    };
    let mut content = TurnContent::from_turn(&asked);
    assert_eq!(content.typed_prompt(), "Open a pört");
    for _ in 0..2 {
        content.append(&turn(vec![TurnPart::Call(reply.clone())]));
        assert_eq!(content.typed_prompt(), "Open a pört");
    }
    assert_eq!(content.prompt, "Open a pört\n\nno, 9443\n\nno, 9443");
    content.typed_end = Some(9); // within a letter
    assert_eq!(content.typed_prompt(), content.prompt);
}

#[test]
fn a_late_result_finds_its_call() {
    let calls = [
        bash("make", false),
        tool("Edit", "a", false),
        bash("make", false),
    ];
    let mut content = TurnContent::from_turn(&turn(calls.to_vec()));
    let result_of = |delivered: DeliveredCall| {
        turn(vec![TurnPart::Call(ToolCall {
            status: CallStatus::Failed,
            delivered: Some(Box::new(delivered)),
            ..ToolCall::default()
        })])
    };
    let run = DeliveredCall {
        run: Some(1),
        ..DeliveredCall::default()
    };
    let change = DeliveredCall {
        change_count: 1,
        ..DeliveredCall::default()
    };
    content.append(&result_of(run));
    content.append(&result_of(change));
    assert_eq!(runs(&content), [("make", false), ("make", true)]);
    assert_eq!(content.accessed_files().next(), None);
    assert_eq!(content.turn_stats.tokens, TokenTotals::from([3, 6, 9]));
}

#[test]
fn source_that_is_shown_is_no_error() {
    let shown = |command: &str, failed: bool| {
        let TurnPart::Call(mut call) = bash(command, failed) else {
            unreachable!()
        };
        call.output = Some("error: no oil".into());
        TurnContent::from_turn(&turn(vec![TurnPart::Call(call)])).errors
    };
    assert_eq!(shown("sed -n '1,9p' a.rs", false), [""; 0]);
    assert_eq!(shown("sed -n '1,9p' a.rs", true), ["error: no oil"]);
    assert_eq!(shown("tail build.log", false), ["error: no oil"]);
}

#[test]
fn hits_of_a_search_that_failed_are_no_errors() {
    let errors = |command: &str, output: &str| {
        let mut call = bash(command, true);
        if let TurnPart::Call(call) = &mut call {
            call.output = Some(output.into());
        }
        TurnContent::from_turn(&turn(vec![call])).errors
    };
    let hits = "rg: apps: No such file or directory (os error 2)\nREADME.md:4:- a list of errors\n";
    assert_eq!(
        errors("rg -n error README.md apps", hits),
        ["rg: apps: No such file or directory (os error 2)"]
    );
    let found = "src/a.rs:4:fn fail() -> Error\n";
    let found_nothing = [""; 0];
    assert_eq!(errors("rg -n a src && rg -n b src", found), found_nothing);
    assert_eq!(errors("cd app && git grep -n a", found), found_nothing);
    assert_eq!(
        errors("make lint", found),
        ["src/a.rs:4:fn fail() -> Error"]
    );
}

#[test]
fn a_late_result_ends_its_call() {
    let open = |part: TurnPart| match part {
        TurnPart::Call(call) => TurnPart::Call(ToolCall {
            status: CallStatus::Unfinished,
            ..call
        }),
        other => other,
    };
    let calls = [bash("make", false), tool("Edit", "a", false)].map(open);
    let mut content = TurnContent::from_turn(&turn(calls.to_vec()));
    assert!(!content.has_succeeded(0));
    assert_eq!(content.accessed_files().next(), None);
    let position = DeliveredCall {
        run: Some(0),
        change_count: 1,
        ..DeliveredCall::default()
    };
    content.append(&turn(vec![TurnPart::Call(ToolCall {
        delivered: Some(Box::new(position)),
        ..ToolCall::default()
    })]));
    assert!(content.has_succeeded(0));
    assert_eq!(accessed(&content), [("a", FileAccess::Edited)]);
}

#[test]
fn a_pause_is_not_worked_through() {
    let mut clock = PauseClock::default();
    let minute = 60_000;
    let times = [Some(0), Some(20), None, Some(10), Some(51), Some(80)];
    let idle = times.map(|at| clock.advance(at.map(|at| at * minute)));
    assert_eq!(idle, [0, 0, 0, 0, 31 * minute, 0]);
}

proptest! {
    /// A turn that is split at any part and appended has the same content.
    #[test]
    fn pieces_add_up(calls in prop::collection::vec((0u8..4, "[a-c]", any::<bool>()), 0..12), at in 0usize..12) {
        let part = |(kind, name, failed): &(u8, String, bool)| match kind {
            0 => bash(name, *failed),
            1 => tool("Edit", name, *failed),
            2 => tool("Read", name, *failed),
            _ => tool("Write", name, *failed),
        };
        let parts: Vec<TurnPart> = calls.iter().map(part).collect();
        let (first, rest) = parts.split_at(at.min(parts.len()));
        let mut pieces = TurnContent::from_turn(&turn(first.to_vec()));
        pieces.append(&Turn { turn_stats: TurnStats::default(), ..turn(rest.to_vec()) });
        prop_assert_eq!(pieces, TurnContent::from_turn(&turn(parts)));
    }
}

#[test]
fn texts_are_as_they_are_seen() {
    let hidden = "\u{1b}[31mcrim\u{8}son\u{1b}[0m la\u{200b}mp";
    let seen = "crimson lamp";
    let failed = ToolCall {
        command: Some(hidden.into()),
        files: vec![hidden.into()],
        output: Some(format!("\u{1b}[1;31merror\u{1b}[0m: {hidden}")),
        status: CallStatus::Failed,
        ..ToolCall::default()
    };
    let text = TurnPart::Text {
        text: hidden.into(),
    };
    let mut turn = turn(vec![text, TurnPart::Call(failed)]);
    turn.prompt = hidden.into();
    let content = TurnContent::from_turn(&turn);
    let texts: Vec<&str> = content.searched_texts().collect();
    let error = "error: crimson lamp";
    assert_eq!(texts, [seen, seen, seen, seen, error]);
}
