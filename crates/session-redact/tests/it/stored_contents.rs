//! Turns as an index keeps them are redacted again by rules that came later.

use crate::support::redactor;
use proptest::prelude::*;
use session_core::{CallStatus, CommandRunEntry, SessionMeta, Turn, TurnContent};
use session_redact::{RedactionSettings, Redactor};

fn with_patterns(patterns: &[&str]) -> Redactor {
    let settings = RedactionSettings {
        patterns: patterns.iter().map(|text| (*text).to_owned()).collect(),
        ..RedactionSettings::default()
    };
    Redactor::new(&settings).unwrap()
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

#[test]
fn every_text_of_a_stored_turn_is_redacted() {
    let secret = "ACME-77123";
    let in_long_name = "claude-acme-model/ACME-77123";
    let with = |text: &str| text.replace("{}", secret);
    let mut content = TurnContent {
        prompt: with("Mend {}"),
        answer: with("I mend {}.\n\nDone: {}."),
        last_message_start: with("I mend {}.\n\n").len(),
        commands: texts(&[&with("ship {}")]),
        files: texts(&[&with("/w/{}.rs")]),
        errors: texts(&[&with("error: {} is gone")]),
        tools: texts(&[secret, in_long_name, "Bash"]),
        ..TurnContent::default()
    };
    content.turn_stats.models = texts(&[in_long_name]);
    content.turn_stats.pull_requests = texts(&[&with("https://h/{}/pull/1")]);
    assert!(!redactor().redact_content(&mut content.clone()));
    let redactor = with_patterns(&["ACME-[0-9]+"]);
    assert!(redactor.redact_content(&mut content));
    assert!(!format!("{content:?}").contains("77123"), "{content:?}");
    assert_eq!(content.last_message(), "Done: [redacted:custom].");
    assert!(!redactor.redact_content(&mut content));
    assert!(!Redactor::off().redact_content(&mut content));
}

/// A name that is shorter than any key may be what a pattern of the user's is about.
#[test]
fn patterns_redact_short_names_of_branches_and_projects() {
    let session = || SessionMeta {
        branch: Some("ACME-77".into()),
        cwd: Some("/w/ACME-77".into()),
        ..SessionMeta::default()
    };
    let mut redacted = session();
    let redactor = with_patterns(&["ACME-[0-9]+"]);
    redactor.redact_session(&mut redacted);
    redactor.redact_project(&mut redacted);
    assert_eq!(redacted.branch.as_deref(), Some("[redacted:custom]"));
    assert_eq!(redacted.project.as_deref(), Some("/w/[redacted:custom]"));
    assert_eq!(redacted.cwd, session().cwd);
    let mut turn = Turn {
        branch: session().branch,
        ..Turn::default()
    };
    redactor.redact_turn(&mut turn);
    assert_eq!(turn.branch, redacted.branch);
}

#[test]
fn what_was_typed_ends_where_it_did_when_it_is_redacted() {
    let key = ["gh", "p_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"].concat();
    let typed = format!("Push with {key} to main");
    let mut content = TurnContent {
        typed_end: Some(typed.len()),
        prompt: format!("{typed}\n\nno, with {key}"),
        ..TurnContent::default()
    };
    assert!(redactor().redact_content(&mut content));
    let redacted = "Push with [redacted:github-token] to main";
    assert_eq!(content.typed_prompt(), redacted);
    let reply = "\n\nno, with [redacted:github-token]";
    assert_eq!(content.prompt, format!("{redacted}{reply}"));
}

#[test]
fn commands_that_differed_in_the_secret_alone_become_one() {
    let run = |command| CommandRunEntry {
        command,
        status: CallStatus::Done,
        changes_before: 0,
    };
    let mut content = TurnContent {
        commands: texts(&["ship ACME-1", "ls", "ship ACME-2"]),
        runs: [0, 1, 2].map(run).to_vec(),
        ..TurnContent::default()
    };
    assert!(with_patterns(&["ACME-[0-9]+"]).redact_content(&mut content));
    assert_eq!(content.commands, ["ship [redacted:custom]", "ls"]);
    assert_eq!(content.runs, [0, 1, 0].map(run));
}

#[test]
fn a_pattern_does_not_match_in_a_mark() {
    let once = with_patterns(&["[a-z]{6,}", "custom\\] [a-z]+"]);
    let text = "lanterns on [redacted:url-password] lit";
    let redacted = "[redacted:custom] on [redacted:url-password] lit";
    assert_eq!(once.redact(text), redacted);
    assert_eq!(once.redact(redacted), redacted);
    // What only begins as a mark hides nothing.
    let forged = once.redact("[redacted:é lanterns [redacted:x lanterns");
    assert!(!forged.contains("lanterns"), "{forged}");
}

/// Fragments of texts with secrets of the bundled rules and of a user's.
const FRAGMENTS: &[&str] = &[
    "ACME-77123",
    "DB_PASSWORD=correct-horse-9",
    "postgres://ann:pa55@db:5432/app",
    "[redacted:password]",
    "the password is `Tr0ub4dor&3`",
    "lantern",
    "é\u{301}",
    "\n\n",
    " ",
    "\u{1b}[31m",
    "curl -u ann:hunter2 https://api",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..6).prop_map(|parts| parts.concat())
}

prop_compose! {
    fn content()(
        prompt in text(),
        reply in prop::option::of(text()),
        head in text(),
        last in text(),
        commands in prop::collection::vec(text(), 0..3),
        errors in prop::collection::vec(text(), 0..3),
    ) -> TurnContent {
        TurnContent {
            typed_end: reply.as_ref().map(|_| prompt.len()),
            prompt: [prompt, reply.unwrap_or_default()].concat(),
            last_message_start: head.len(),
            answer: [head, last].concat(),
            commands,
            errors,
            ..TurnContent::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn redacting_a_stored_turn_again_changes_nothing(mut content in content()) {
        let redactor = with_patterns(&["ACME-[0-9]+", "[a-z]{7,}"]);
        let before = content.clone();
        prop_assert_eq!(redactor.redact_content(&mut content), content != before);
        let once = content.clone();
        prop_assert!(!redactor.redact_content(&mut content));
        prop_assert_eq!(content, once);
    }
}
