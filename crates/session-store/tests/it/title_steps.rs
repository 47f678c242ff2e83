//! Titles of sessions that are read in steps, as their histories grow.

use crate::support::{Index, SOURCE, bash, deliver, meta, turn};
use proptest::prelude::*;
use session_core::{CallDialog, CallStatus, DeliveredCall, KnownTurns, ToolCall, Turn, TurnPart};
use session_store::{Reader, SessionId, Writer};

const TYPED: &str = "Set up the puffin importer for the invoices of the harbour";

fn titles(index: &Reader) -> Vec<Option<String>> {
    let sessions = index.sessions().unwrap();
    sessions.into_iter().map(|session| session.title).collect()
}

#[track_caller]
fn assert_title(writer: &mut Writer, expected: &str) {
    writer.commit().unwrap();
    let titles = titles(writer.reader().unwrap());
    assert_eq!(titles, [Some(expected.to_owned())]);
}

/// A call with the user's words in its result.
fn replied(words: &str) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: "AskUserQuestion".into(),
        dialog: CallDialog::new(Some("Which store?".into()), Some(words.into())),
        ..ToolCall::default()
    })
}

fn committed(subject: &str) -> TurnPart {
    bash(&format!("git commit -m '{subject}'"), "")
}

/// More of a turn that was delivered.
fn more(index: u32, part: TurnPart) -> Turn {
    Turn {
        continues: true,
        prompt: String::new(),
        parts: vec![part],
        ..turn(index, "", &[])
    }
}

/// Delivers turns that a session's history got since it was read.
fn append(writer: &mut Writer, id: &str, turns: &[Turn]) -> SessionId {
    let path = format!("/h/{id}.jsonl");
    let file = writer.upsert_file(SOURCE, &path).unwrap();
    let session = writer
        .open_session(file, SOURCE, &meta(id), KnownTurns::Keep)
        .unwrap();
    for turn in turns {
        writer.add_turn(session, turn).unwrap();
    }
    session
}

#[test]
fn replies_of_a_turn_are_not_in_the_title() {
    let index = Index::new();
    let mut writer = index.writer();
    deliver(&mut writer, &meta("a"), &[turn(0, TYPED, &[])]);
    assert_title(&mut writer, TYPED);
    let replies = ["wombatstore", "please keep it"].map(|words| more(0, replied(words)));
    append(&mut writer, "a", &replies);
    assert_title(&mut writer, TYPED);
    let session = append(&mut writer, "a", &[turn(1, "Oil the gate", &[])]);
    assert_title(&mut writer, TYPED);
    let later = writer.reader().unwrap().turns(session).unwrap()[1].id;
    writer.exclude_turn(later).unwrap();
    assert_title(&mut writer, TYPED);
}

#[test]
fn replies_do_not_fill_a_template() {
    let index = Index::new();
    let mut writer = index.writer();
    for n in 0..4 {
        let turn = Turn {
            parts: vec![replied(&format!("Use store {n}"))],
            ..turn(0, TYPED, &[])
        };
        deliver(&mut writer, &meta(&n.to_string()), &[turn]);
    }
    writer.commit().unwrap();
    let titles = titles(writer.reader().unwrap());
    assert_eq!(titles, vec![Some(TYPED.to_owned()); 4]);
}

#[test]
fn a_commit_that_comes_after_its_prompt_names_the_session() {
    let index = Index::new();
    let mut writer = index.writer();
    let prompts = ["ok lets get back to main", "Oil the gate of the harbour"];
    let turns = [turn(0, prompts[0], &[]), turn(1, prompts[1], &[])];
    deliver(&mut writer, &meta("a"), &turns);
    assert_title(&mut writer, prompts[1]);
    append(&mut writer, "a", &[more(1, committed("Grease the gate"))]);
    assert_title(&mut writer, "Grease the gate");
}

#[derive(Debug, Clone)]
enum Step {
    Prompt(&'static str),
    Reply(&'static str),
    Commit(&'static str),
    /// A call without a result.
    OpenCommit(&'static str),
    /// The result of the first call of a turn, counted from the end.
    Result(usize),
    /// A commit in a turn before the last.
    LateCommit(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let prompts = prop::sample::select(vec![
        "ok lets get back to main",
        "go on",
        "Oil the gate of the harbour",
    ]);
    let subjects = prop::sample::select(vec!["Grease the gate", "Hang the lamp"]);
    let replies = prop::sample::select(vec!["Use the store", "no"]);
    prop_oneof![
        5 => prompts.prop_map(Step::Prompt),
        1 => replies.prop_map(Step::Reply),
        2 => subjects.clone().prop_map(Step::Commit),
        1 => subjects.clone().prop_map(Step::OpenCommit),
        1 => (0..3usize).prop_map(Step::Result),
        1 => subjects.prop_map(Step::LateCommit),
    ]
}

/// The pieces of a history, in its order.
fn pieces(steps: &[Step]) -> Vec<Turn> {
    let mut pieces = vec![turn(0, "!git switch main", &[])];
    let mut last = 0;
    for step in steps {
        pieces.push(match step {
            Step::Prompt(prompt) => {
                last += 1;
                turn(last, prompt, &[])
            }
            Step::Reply(words) => more(last, replied(words)),
            Step::Commit(subject) => more(last, committed(subject)),
            Step::LateCommit(subject) => more(last.saturating_sub(1), committed(subject)),
            Step::OpenCommit(subject) => {
                let TurnPart::Call(mut call) = committed(subject) else {
                    unreachable!()
                };
                call.status = CallStatus::Unfinished;
                more(last, TurnPart::Call(call))
            }
            Step::Result(back) => more(
                last.saturating_sub(u32::try_from(*back).unwrap()),
                TurnPart::Call(ToolCall {
                    name: "Bash".into(),
                    delivered: Some(Box::new(DeliveredCall {
                        run: Some(0),
                        ..DeliveredCall::default()
                    })),
                    ..ToolCall::default()
                }),
            ),
        });
    }
    pieces
}

/// The turns with each piece added to the one before it, where both are of one turn.
fn joined(pieces: &[Turn]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for piece in pieces {
        match turns.last_mut() {
            Some(last) if piece.continues && last.index == piece.index => {
                last.parts.extend(piece.parts.iter().cloned());
            }
            _ => turns.push(piece.clone()),
        }
    }
    turns
}

/// The title of the session that an index has.
fn title(writer: &mut Writer) -> Option<String> {
    writer.commit().unwrap();
    titles(writer.reader().unwrap()).remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_session_that_is_read_in_steps_has_the_title_of_one_that_is_read_at_once(
        steps in prop::collection::vec(step(), 1..10),
        ends in prop::collection::vec(any::<bool>(), 10),
    ) {
        let pieces = pieces(&steps);
        let mut reads = vec![Vec::new()];
        for (piece, ends_read) in pieces.iter().zip(ends) {
            reads.last_mut().unwrap().push(piece.clone());
            if ends_read {
                reads.push(Vec::new());
            }
        }
        let rest = pieces.len().min(10);
        reads.last_mut().unwrap().extend_from_slice(&pieces[rest..]);
        reads.retain(|turns| !turns.is_empty());
        let whole = Index::new();
        let mut whole = whole.writer();
        deliver(&mut whole, &meta("a"), &joined(&pieces));
        let expected = title(&mut whole);
        let index = Index::new();
        let mut writer = index.writer();
        for turns in &reads {
            append(&mut writer, "a", turns);
            writer.commit().unwrap();
        }
        prop_assert_eq!(&title(&mut writer), &expected);
        deliver(&mut writer, &meta("a"), &joined(&pieces));
        prop_assert_eq!(&title(&mut writer), &expected, "read again");
    }
}
