//! Prompts that waited in the queue: each exactly once.

use crate::support::{Transcript, indexed, shown};
use insta::assert_snapshot;

struct Session(Vec<String>);

impl Session {
    fn new() -> Self {
        Self(vec![user("Begin")])
    }

    fn then(mut self, line: String) -> Self {
        self.0.push(line);
        self
    }

    fn content(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }

    fn prompts(&self) -> Vec<String> {
        let found = Transcript::new(self.content()).read(None);
        found
            .turns
            .iter()
            .map(|collected| collected.turn.prompt.clone())
            .collect()
    }
}

fn user(text: &str) -> String {
    format!(
        r#"{{"type":"user","timestamp":"2026-03-02T09:09:00.000Z","message":{{"content":"{text}"}}}}"#
    )
}

fn text(words: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{words}"}}]}}}}"#
    )
}

fn operation(name: &str, fields: &str) -> String {
    format!(
        r#"{{"type":"queue-operation","operation":"{name}","timestamp":"2026-03-02T09:00:00.000Z"{fields}}}"#
    )
}

fn enqueue(text: &str) -> String {
    operation("enqueue", &format!(r#","content":"{text}""#))
}

fn attachment(prompt: &str) -> String {
    format!(
        r#"{{"type":"attachment","uuid":"t-{prompt}","timestamp":"2026-03-02T09:00:30.000Z","attachment":{{"type":"queued_command","prompt":"{prompt}","timestamp":"2026-03-02T09:00:00.000Z"}}}}"#
    )
}

const NEWS: &str = "<task-notification>build</task-notification>";

#[test]
fn what_is_dequeued_shows_up_as_a_user_line() {
    let session = Session::new()
        .then(enqueue("Also test it"))
        .then(operation("dequeue", ""))
        .then(user("Also test it"));
    assert_eq!(session.prompts(), ["Begin", "Also test it"]);
}

#[test]
fn what_is_removed_is_a_turn_from_there_on() {
    let session = Session::new()
        .then(text("Working."))
        .then(enqueue("Also test it"))
        .then(text("Still working."))
        .then(operation("remove", ""))
        .then(text("I test it, too."));
    assert_snapshot!(indexed(session.content()), @r##"
    0 Typed: "Begin"
      text "Working."
      text "Still working."
    1 Typed: "Also test it"
      text "I test it, too."
    "##);
    assert_eq!(shown(session.content()), indexed(session.content()));
    let found = Transcript::new(session.content()).read(None);
    assert_eq!(
        found.turns[1].turn.started_ms,
        Some(1_772_442_000_000),
        "when it was typed"
    );
}

#[test]
fn the_operation_may_name_the_text() {
    let session = Session::new()
        .then(enqueue("first"))
        .then(enqueue("second"))
        .then(operation("remove", r#","content":"second""#))
        .then(operation("remove", r#","content":"never seen""#))
        .then(operation("dequeue", ""))
        .then(user("first"));
    assert_eq!(
        session.prompts(),
        ["Begin", "second", "never seen", "first"]
    );
}

#[test]
fn attachments_and_removals_tell_of_the_same_text() {
    let removal = || operation("remove", r#","content":"steer""#);
    let orders = [
        vec![enqueue("steer"), attachment("steer"), removal()],
        vec![enqueue("steer"), removal(), attachment("steer")],
        vec![
            enqueue("steer"),
            attachment("steer"),
            operation("remove", ""),
        ],
        vec![
            enqueue("steer"),
            operation("remove", ""),
            attachment("steer"),
        ],
        vec![attachment("steer"), removal()],
        vec![removal(), attachment("steer")],
        vec![attachment("steer")],
    ];
    for order in orders {
        let session = order.iter().cloned().fold(Session::new(), Session::then);
        assert_eq!(session.prompts(), ["Begin", "steer"], "{order:#?}");
        let found = Transcript::new(session.content()).read(None);
        assert_eq!(
            found.turns[1].turn.started_ms,
            Some(1_772_442_000_000),
            "{order:#?}"
        );
    }
}

#[test]
fn news_of_the_program_are_never_prompts() {
    let json = r#"{\"task_id\":\"t1\",\"description\":\"build\"}"#;
    let session = Session::new()
        .then(enqueue(NEWS))
        .then(enqueue(json))
        .then(operation("enqueue", ""))
        .then(attachment(NEWS))
        .then(operation("remove", &format!(r#","content":"{NEWS}""#)))
        .then(operation("remove", ""))
        .then(operation("dequeue", ""))
        .then(user(NEWS));
    assert_eq!(session.prompts(), ["Begin"]);
}

#[test]
fn words_of_the_user_come_before_news() {
    let session = Session::new()
        .then(enqueue(NEWS))
        .then(enqueue("steer"))
        .then(operation("remove", ""))
        .then(operation("dequeue", ""))
        .then(user(NEWS));
    assert_eq!(session.prompts(), ["Begin", "steer"]);
}

#[test]
fn slash_commands_wait_for_their_own_line() {
    let command = "<command-name>/clear</command-name>";
    let session = Session::new()
        .then(enqueue("/clear"))
        .then(enqueue(NEWS))
        .then(operation("remove", ""))
        .then(operation("dequeue", ""))
        .then(user(command));
    assert_eq!(session.prompts(), ["Begin", "/clear"]);
}

#[test]
fn a_slash_command_takes_no_working_turn() {
    let command = "<command-name>/model</command-name>";
    for removal in ["", r#","content":"/model""#] {
        let session = Session::new()
            .then(text("Planning."))
            .then(enqueue("/model"))
            .then(operation("remove", removal))
            .then(text("The plan is ready."));
        let expected = "0 Typed: \"Begin\"\n  text \"Planning.\"\n";
        let rest = "  text \"The plan is ready.\"\n";
        assert_eq!(indexed(session.content()), format!("{expected}{rest}"));
        assert_eq!(
            shown(session.content()),
            format!("{expected}  notice \"/model\"\n{rest}")
        );
        let session = session.then(user(command));
        assert_eq!(session.prompts(), ["Begin", "/model"], "its own line");
    }
    let unknown = Session::new().then(operation("remove", r#","content":"/model""#));
    assert_eq!(unknown.prompts(), ["Begin"]);
}

#[test]
fn queued_prompts_are_shown_as_they_were_found() {
    let branch = r#"{"type":"user","gitBranch":"main","message":"On a branch"}"#;
    let session = Session::new()
        .then(branch.to_owned())
        .then(enqueue("one"))
        .then(enqueue("two"))
        .then(operation("remove", ""))
        .then(text("First."))
        .then(operation("remove", ""))
        .then(text("Second."))
        .then(user("three"));
    let transcript = Transcript::new(session.content());
    let mut found = transcript.read(None);
    found.turns.reverse();
    let branches: Vec<_> = found
        .turns
        .iter()
        .map(|collected| collected.turn.branch.clone())
        .collect();
    assert_eq!(branches[..4], vec![Some("main".to_owned()); 4]);
    let turns: Vec<_> = found
        .turns
        .iter()
        .map(|collected| collected.turn.clone())
        .collect();
    assert_eq!(transcript.show(&found), turns);
}

#[test]
fn a_removed_text_that_comes_as_a_line_after_all_is_known() {
    let session = Session::new()
        .then(enqueue("steer"))
        .then(operation("remove", ""))
        .then(operation("dequeue", ""))
        .then(user("steer"));
    assert_eq!(session.prompts(), ["Begin", "steer"]);
}

#[test]
fn a_text_may_be_typed_twice() {
    let session = Session::new()
        .then(enqueue("go on"))
        .then(operation("remove", ""))
        .then(text("Going."))
        .then(user("go on"));
    assert_eq!(session.prompts(), ["Begin", "go on", "go on"]);
}

#[test]
fn what_goes_back_to_the_editor_was_not_sent() {
    let session = Session::new()
        .then(enqueue("half a though"))
        .then(operation("popAll", r#","content":"half a though""#))
        .then(operation("remove", ""))
        .then(user("half a thought"));
    assert_eq!(session.prompts(), ["Begin", "half a thought"]);
}

#[test]
fn a_text_may_come_in_blocks() {
    let blocks = r#","content":[{"type":"text","text":"<ide_opened_file>a</ide_opened_file>"},{"type":"text","text":"in blocks"}]"#;
    let session = Session::new()
        .then(operation("enqueue", blocks))
        .then(operation("remove", ""));
    assert_eq!(session.prompts(), ["Begin", "in blocks"]);
}

#[test]
fn a_prompt_that_waits_at_the_end_is_a_turn() {
    let session = Session::new()
        .then(text("Working."))
        .then(enqueue("Also test it"))
        .then(enqueue(NEWS))
        .then(enqueue("/clear"))
        .then(enqueue("And lint it"))
        .then(text("Still working."));
    assert_snapshot!(indexed(session.content()), @r##"
    0 Typed: "Begin"
      text "Working."
      text "Still working."
    1 Typed: "Also test it"
    2 Typed: "And lint it"
    "##);
    assert_eq!(shown(session.content()), indexed(session.content()));
    let found = Transcript::new(session.content()).read(None);
    assert_eq!(found.turns[1].turn.started_ms, Some(1_772_442_000_000));
}

#[test]
fn a_prompt_that_waited_is_replaced_where_it_arrives() {
    let waits = Session::new().then(enqueue("Also test it"));
    let transcript = Transcript::new(waits.content());
    let first = transcript.read(None);
    assert_eq!(first.turns[1].turn.prompt, "Also test it");
    let again = transcript.read(first.cursor.as_ref());
    assert_eq!((again.turns.len(), &again.cursor), (0, &first.cursor));
    let arrived = waits
        .then(operation("dequeue", ""))
        .then(user("Also test it"))
        .then(text("It is tested."));
    transcript.write(arrived.content());
    let second = transcript.read(first.cursor.as_ref());
    let turns: Vec<_> = second
        .turns
        .iter()
        .map(|collected| &collected.turn)
        .collect();
    assert_snapshot!(crate::turns::rendered(turns), @r##"
    1 Typed: "Also test it"
      text "It is tested."
    "##);
}

#[test]
fn a_prompt_that_was_taken_back_is_retracted() {
    let waits = Session::new().then(enqueue("half a though"));
    let transcript = Transcript::new(waits.content());
    let first = transcript.read(None);
    assert_eq!(first.turns.len(), 2);
    transcript.write(waits.then(operation("popAll", "")).content());
    let second = transcript.read(first.cursor.as_ref());
    assert_eq!(
        second.turns.len(),
        1,
        "the session is read from its beginning"
    );
    assert_eq!(second.turns[0].turn.prompt, "Begin");
}

#[test]
fn a_session_may_hold_nothing_but_what_waits() {
    let transcript = Transcript::new(format!("{}\n", enqueue("Hello there")));
    let first = transcript.read(None);
    assert_eq!(first.turns[0].turn.prompt, "Hello there");
    assert_eq!(transcript.show(&first)[0].prompt, "Hello there");
    let popped = [enqueue("Hello there"), operation("popAll", "")];
    transcript.write(popped.join("\n"));
    let second = transcript.read(first.cursor.as_ref());
    assert_eq!((second.sessions.len(), second.turns.len()), (1, 0));
}

#[test]
fn a_failure_that_is_told_in_the_middle_of_the_work_is_told_once() {
    let report = "<task-notification><task-id>a1</task-id><status>failed</status><summary>Agent failed: no oil</summary></task-notification>";
    let begun = || Session::new().then(enqueue(report));
    for session in [
        begun(),
        begun().then(operation("remove", "")),
        Session::new().then(user(report)),
        Session::new().then(attachment(report)),
        begun()
            .then(operation("remove", ""))
            .then(attachment(report)),
        begun().then(operation("dequeue", "")).then(user(report)),
    ] {
        let found = indexed(session.content());
        assert_eq!(
            found,
            "0 Typed: \"Begin\"\n  error \"Agent failed: no oil\"\n"
        );
    }
}

/// A fork begins with the reports that were told at its beginning, and repeats the session below them.
#[test]
fn a_failure_before_the_first_turn_begins_none() {
    let report = "<task-notification><task-id>a1</task-id><status>failed</status><summary>Agent failed: no oil</summary></task-notification>";
    let lines = [
        operation("enqueue", &format!(r#","content":"{report}""#)),
        operation("dequeue", ""),
        user("Begin"),
        user(report),
    ];
    let found = Transcript::new(lines.join("\n")).read(None);
    let turn = &found.turns[0].turn;
    assert_eq!((found.turns.len(), &*turn.prompt), (1, "Begin"));
    assert_eq!(turn.started_ms, Some(1_772_442_540_000));
    assert_eq!(turn.parts.len(), 1);
}
