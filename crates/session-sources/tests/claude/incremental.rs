//! Reading on from a cursor tells the same as reading at once.

use crate::scripted::{in_background, interleaved_words, steered};
use crate::support::{Transcript, fixture};
use crate::turns::{joined, rendered, sorted};
use proptest::prelude::*;
use serde_json::json;
use session_core::{KnownTurns, SessionMeta, Turn, TurnContent, TurnPart};
use session_sources::{CollectingSink, Cursor, Sink, Warning};
use std::ops::ControlFlow;

#[test]
fn everything_said_is_searched() {
    let contents = sorted(&grown(&interleaved_words(), &[]));
    let prompts: Vec<_> = contents.iter().map(|c| c.prompt.as_str()).collect();
    let expected = [
        "Deploy it to the staging host\n\nthe one of the proxy",
        "And tell ben",
        "!make deploy",
        "It has moved to /c",
        "Then update the notes",
        "And go home",
    ];
    assert_eq!(prompts, expected);
    assert_eq!(contents[0].answer, "Which port?");
    assert_eq!(contents[2].commands, ["make deploy"]);
    assert_eq!(contents[2].accessed_files().next(), None, "its read failed");
    let transcript = Transcript::new(interleaved_words());
    let shown = transcript.show(&transcript.read(None));
    let shown: Vec<_> = shown.iter().map(TurnContent::from_turn).collect();
    let prompts: Vec<_> = shown.iter().map(|c| c.prompt.as_str()).collect();
    assert_eq!(prompts, expected);
}

/// A result belongs to the turn of its call, whatever was typed meanwhile.
#[test]
fn results_find_the_turn_of_their_call() {
    let contents = sorted(&grown(&steered(), &[]));
    let runs = |turn: usize| {
        let runs = contents[turn].command_runs();
        runs.map(|run| (run.command.to_owned(), run.status.is_failed()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        runs(0),
        [("make".to_owned(), false), ("make test".to_owned(), true)]
    );
    assert_eq!(runs(1), [("ld --version".to_owned(), true)]);
    assert_eq!(
        contents[0].accessed_files().next(),
        None,
        "its read and edit failed"
    );
    assert_eq!(contents[0].files, ["/a/b.rs"]);
    assert_eq!(
        contents[0].errors,
        ["No such file", "error: 2 tests failed"]
    );
    assert_eq!(contents[1].errors, ["ld: fatal error"]);
    let transcript = Transcript::new(steered());
    let shown = transcript.show(&transcript.read(None));
    let test = shown[0].parts.iter().find_map(|part| match part {
        TurnPart::Call(call) if call.id == "t2" => {
            Some((call.output.as_deref(), call.status.is_failed()))
        }
        _ => None,
    });
    assert_eq!(test, Some((Some("error: 2 tests failed"), true)));
    let is_nameless =
        |part: &TurnPart| matches!(part, TurnPart::Call(call) if call.name.is_empty());
    assert!(!shown[1].parts.iter().any(is_nameless), "it is told once");
}

/// A turn without a prompt begins with its first call, which counts in it.
#[test]
fn results_of_a_turn_that_begins_with_a_call_find_their_calls() {
    let call = |id: &str, command: &str| {
        json!({"type": "assistant", "uuid": id, "timestamp": "2026-01-10T09:00:00Z", "message": {"id": id, "role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}})
    };
    let result = |id: &str, output: &str, is_error: bool| {
        json!({"type": "user", "uuid": format!("r{id}"), "timestamp": "2026-01-10T09:01:00Z", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error}]}})
    };
    let records = [
        call("a", "make a"),
        call("b", "make b"),
        result("b", "Exit code 2", true),
        result("a", "fine", false),
    ];
    let lines: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    let calls = lines[..2].concat().len();
    let contents = sorted(&grown(lines.concat().as_bytes(), &[calls]));
    let runs = contents[0].command_runs();
    let runs: Vec<_> = runs
        .map(|run| (run.command, run.status.is_failed()))
        .collect();
    assert_eq!(runs, [("make a", false), ("make b", true)]);
}

fn last_meta(reads: &[CollectingSink]) -> Option<&SessionMeta> {
    reads.iter().rev().find_map(|read| read.sessions.last())
}

/// Reads a content that grows in steps that end at these offsets.
fn grown(content: &[u8], ends: &[usize]) -> Vec<CollectingSink> {
    let transcript = Transcript::new("");
    let mut cursor: Option<Cursor> = None;
    let ends = ends.iter().copied().chain([content.len()]);
    ends.map(|end| {
        transcript.write(&content[..end]);
        let read = transcript.read(cursor.as_ref());
        cursor = read.cursor.clone();
        read
    })
    .collect()
}

fn assert_same(content: &[u8], ends: &[usize]) {
    let whole = grown(content, &[]);
    let parts = grown(content, ends);
    assert_eq!(joined(&parts), joined(&whole), "{ends:?}");
    assert_eq!(sorted(&parts), sorted(&whole), "{ends:?}");
    assert_eq!(last_meta(&parts), last_meta(&whole), "{ends:?}");
    let damaged = |reads: &[CollectingSink]| {
        reads
            .iter()
            .flat_map(|read| &read.warnings)
            .map(|w| w.count)
            .sum::<u64>()
    };
    assert_eq!(damaged(&parts), damaged(&whole), "{ends:?}");
}

fn contents() -> Vec<Vec<u8>> {
    [
        "smallest.jsonl",
        "user-lines.jsonl",
        "replies.jsonl",
        "long-session.jsonl",
        "work.jsonl",
    ]
    .map(fixture)
    .into_iter()
    .chain([steered(), interleaved_words(), in_background()])
    .collect()
}

/// Where a content is split: at an offset, as a share of its length, or at the end of the line there.
#[derive(Debug, Clone, Copy)]
enum SplitPlace {
    Offset(f64),
    /// Before its line feed.
    BeforeLineEnd(f64),
    /// Behind its line feed.
    AfterLineEnd(f64),
}

impl SplitPlace {
    fn any() -> impl Strategy<Value = Self> {
        prop_oneof![
            (0.0..1.0).prop_map(Self::Offset),
            (0.0..1.0).prop_map(Self::BeforeLineEnd),
            (0.0..1.0).prop_map(Self::AfterLineEnd),
        ]
    }

    fn find(self, content: &[u8]) -> usize {
        let (Self::Offset(share) | Self::BeforeLineEnd(share) | Self::AfterLineEnd(share)) = self;
        let offset = (content.len() as f64 * share) as usize;
        let rest = content[offset..].iter();
        let line_end = || offset + rest.take_while(|byte| **byte != b'\n').count();
        match self {
            Self::Offset(_) => offset,
            Self::BeforeLineEnd(_) => line_end(),
            Self::AfterLineEnd(_) => (line_end() + 1).min(content.len()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_file_may_be_split_anywhere(
        which in 0usize..8,
        places in prop::collection::vec(SplitPlace::any(), 1..6),
    ) {
        let content = &contents()[which];
        let mut ends: Vec<usize> = places.iter().map(|place| place.find(content)).collect();
        ends.sort_unstable();
        assert_same(content, &ends);
    }
}

#[test]
fn each_line_in_a_read_of_its_own() {
    for content in contents() {
        let ends: Vec<usize> = content
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        assert_same(&content, &ends);
    }
}

#[test]
fn only_news_is_told() {
    let content = fixture("replies.jsonl");
    let transcript = Transcript::new(&content);
    let first = transcript.read(None);
    let again = transcript.read(first.cursor.as_ref());
    assert_eq!((again.sessions.len(), again.turns.len()), (0, 0));
    assert_eq!(again.cursor, first.cursor);
}

#[test]
fn a_live_tail_waits() {
    let line = r#"{"type":"user","message":"first"}"#;
    let (begun, rest) = (r#"{"type":"user","mess"#, r#"age":"second"}"#);
    let transcript = Transcript::new(format!("{line}\n{begun}"));
    let first = transcript.read(None);
    assert_eq!((first.turns.len(), first.warnings.len()), (1, 0));
    transcript.write(format!("{line}\n{begun}{rest}"));
    let second = transcript.read(first.cursor.as_ref());
    assert_eq!(
        second.turns[0].turn.prompt, "second",
        "whole, though the line has no end yet"
    );
    transcript.write(format!("{line}\n{begun}{rest}\n"));
    let third = transcript.read(second.cursor.as_ref());
    assert_eq!((third.turns.len(), third.warnings.len()), (0, 0));
}

#[test]
fn a_title_is_news() {
    let line = r#"{"type":"user","message":"first"}"#;
    let transcript = Transcript::new(format!("{line}\n"));
    let first = transcript.read(None);
    transcript.write(format!(
        "{line}\n{}\n",
        r#"{"type":"custom-title","customTitle":"named"}"#
    ));
    let second = transcript.read(first.cursor.as_ref());
    assert_eq!(second.turns.len(), 0);
    assert_eq!(second.sessions[0].title.as_deref(), Some("named"));
}

/// Remembers how sessions were opened.
#[derive(Default)]
struct Openings {
    fresh: Vec<bool>,
    turns: usize,
    checkpoints: Vec<Cursor>,
    stop_after: Option<usize>,
    calls: usize,
}

impl Openings {
    fn flow(&mut self) -> ControlFlow<()> {
        self.calls += 1;
        if self.stop_after == Some(self.calls) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for Openings {
    fn session(&mut self, _: &SessionMeta, known: KnownTurns) -> ControlFlow<()> {
        self.fresh.push(known == KnownTurns::Replace);
        self.flow()
    }
    fn turn(&mut self, _: Turn) -> ControlFlow<()> {
        self.turns += 1;
        self.flow()
    }
    fn checkpoint(&mut self, cursor: Cursor) -> ControlFlow<()> {
        self.checkpoints.push(cursor);
        self.flow()
    }
    fn report_gone_session(&mut self, _: &str) -> ControlFlow<()> {
        self.flow()
    }
    fn receive_foreign_title(&mut self, _: &str, _: &str) -> ControlFlow<()> {
        self.flow()
    }
    fn warning(&mut self, _: Warning) {}
}

fn openings(transcript: &Transcript, from: Option<&Cursor>) -> Openings {
    let mut openings = Openings::default();
    crate::support::claude().read(&transcript.location(), from, &mut openings);
    openings
}

#[test]
fn a_file_that_was_rewritten_is_read_anew() {
    let content = fixture("replies.jsonl");
    let text = String::from_utf8(content.clone()).unwrap();
    let rewritten = [
        text.replace("Build it", "Test it"),
        text.lines().take(3).collect::<Vec<_>>().join("\n"),
        r#"{"type":"mode","mode":"normal"}"#.to_owned(),
        String::new(),
    ];
    for new in rewritten.iter().filter(|new| new.len() != text.len()) {
        let transcript = Transcript::new(&content);
        let first = openings(&transcript, None);
        assert_eq!(first.fresh, [true]);
        transcript.write(new);
        let second = openings(&transcript, first.checkpoints.last());
        assert_eq!(second.fresh.first(), Some(&true), "{new}");
    }
}

#[test]
fn a_stop_is_heeded() {
    let transcript = Transcript::new(fixture("user-lines.jsonl"));
    let all = openings(&transcript, None).calls;
    for stop_after in 1..=all {
        let mut sink = Openings {
            stop_after: Some(stop_after),
            ..Openings::default()
        };
        crate::support::claude().read(&transcript.location(), None, &mut sink);
        assert_eq!(sink.calls, stop_after);
    }
}

#[test]
fn long_files_have_checkpoints_between_turns() {
    let filler = "x".repeat(60_000);
    let turn = format!(
        "{}\n{}\n",
        r#"{"type":"user","message":"Go on"}"#,
        format_args!(
            r#"{{"type":"assistant","message":{{"content":"Done."}},"toolUseResult":"{filler}"}}"#
        ),
    );
    let content = turn.repeat((40 << 20) / turn.len());
    let transcript = Transcript::new(&content);
    let whole = openings(&transcript, None);
    assert_eq!(whole.checkpoints.len(), 3);
    let rest = openings(&transcript, whole.checkpoints.first());
    assert_eq!(
        (rest.fresh.as_slice(), rest.checkpoints.len()),
        (&[false][..], 2)
    );
    assert!(rest.turns < whole.turns && rest.turns > whole.turns / 2);
    assert_eq!(rest.checkpoints.last(), whole.checkpoints.last());
}

#[test]
fn an_endless_turn_is_told_in_pieces() {
    let filler = "x".repeat(60_000);
    let line = format!(
        r#"{{"type":"assistant","message":{{"content":"Step."}},"toolUseResult":"{filler}"}}"#
    ) + "\n";
    let content = line.repeat((70 << 20) / line.len());
    let read = Transcript::new(&content).read(None);
    let continues: Vec<bool> = read
        .turns
        .iter()
        .map(|collected| collected.turn.continues)
        .collect();
    assert_eq!(continues, [false, true, true]);
    let parts: usize = read
        .turns
        .iter()
        .map(|collected| collected.turn.parts.len())
        .sum();
    assert_eq!(parts, content.len() / line.len());
}

#[test]
fn growing_snapshots_across_reads_tell_the_rest() {
    let reply = |text: &str| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m\",\"content\":[\"Hm.\",\"{text}\"]}}}}\n"
        )
    };
    let (begun, ended) = (reply("The port"), reply("The port is taken."));
    let parts = grown(format!("{begun}{ended}").as_bytes(), &[begun.len()]);
    assert_eq!(
        rendered(&joined(&parts)),
        "0 None: \"\"\n  text \"Hm.\"\n  text \"The port\"\n  text \"is taken.\"\n"
    );
    let begun = reply("The po");
    let parts = grown(format!("{begun}{ended}").as_bytes(), &[begun.len()]);
    assert_eq!(
        rendered(&joined(&parts)),
        "0 None: \"\"\n  text \"Hm.\"\n  text \"The po\"\n  text \"port is taken.\"\n"
    );
}

#[test]
fn a_summary_before_the_first_prompt_may_be_read_before_it() {
    let summary = "{\"type\":\"user\",\"isCompactSummary\":true,\"message\":\"So far\"}\n";
    let content = format!("{summary}{{\"type\":\"user\",\"message\":\"Go on\"}}\n");
    let whole = grown(content.as_bytes(), &[]);
    assert_eq!(whole[0].turns[0].turn.span.start, 0);
    assert_same(content.as_bytes(), &[summary.len()]);
}

#[test]
fn a_cursor_stays_small() {
    let mut content = String::new();
    for at in 0..400 {
        let long = "w".repeat(5000);
        content += &format!(
            "{{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"{at} {long}\"}}\n{{\"type\":\"assistant\",\"uuid\":\"{at}\",\"cwd\":\"/{long}\",\"gitBranch\":\"{long}\",\"message\":{{\"id\":\"m\",\"content\":\"{at} {long}\"}}}}\n{{\"type\":\"custom-title\",\"customTitle\":\"{long}\"}}\n"
        );
    }
    let read = Transcript::new(content).read(None);
    let size = read.cursor.unwrap().0.len();
    assert!(size < 16 * 1024, "{size}");
}
