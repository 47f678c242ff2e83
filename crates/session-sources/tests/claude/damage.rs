//! Bad input costs at most itself.

use crate::support::{Transcript, indexed};
use crate::turns::rendered;
use proptest::prelude::*;
use session_sources::IndexedSpan;
use std::time::{Duration, SystemTime};

const GOOD: &str = r#"{"type":"user","message":"good"}"#;

#[test]
fn damaged_lines_are_counted() {
    let zeros = format!("\0\0\0\n{}\n", "\0".repeat(4096));
    let content =
        format!("{GOOD}\n{GOOD} trailing\n\n[1]\n7\n{{\"type\":\nuser\n{zeros}{GOOD}\r\n");
    let found = Transcript::new(content).read(None);
    assert_eq!(found.turns.len(), 2);
    assert_eq!(found.warnings.len(), 1);
    let warning = &found.warnings[0];
    assert_eq!(warning.reason, "line is not valid JSON");
    assert_eq!(
        (warning.offset, warning.count),
        (Some(GOOD.len() as u64 + 1), 7)
    );
}

#[test]
fn values_of_another_kind_cost_only_themselves() {
    let odd = [
        r#"{"type":7}"#,
        r#"{"type":"user","message":[1,{"a":null}]}"#,
        r#"{"type":"assistant","message":{"content":{"type":"text"}}}"#,
        r#"{"type":"user","timestamp":"yesterday","cwd":5,"message":{"content":[[]]}}"#,
        r#"{"type":"user","timestamp":"2026-02-30T00:00:00Z","message":"late"}"#,
    ];
    let content = format!("{GOOD}\n{}\n{GOOD}\n", odd.join("\n"));
    let found = Transcript::new(content).read(None);
    let prompts = found.turns.iter().map(|read| read.turn.prompt.as_str());
    assert_eq!(prompts.collect::<Vec<_>>(), ["good", "late", "good"]);
    assert_eq!(found.turns[1].turn.started_ms, None);
    assert_eq!(found.warnings, []);
}

#[test]
fn kinds_of_lines_that_are_not_known_cost_nothing() {
    let kinds = [
        "api-request-shape",
        "api-request",
        "atis-latch",
        "cost-state",
        "tools-used",
        "file-history-delta",
        "continued-in",
        "history-suppression",
        "worktree-state",
        "artifact-comment-monitor",
    ];
    let unknown = |kind: &&str| {
        format!(
            r#"{{"type":"{kind}","body":{{"type":"user","messages":[{{"role":"user","content":"x"}}]}},"message":{{"content":"y"}},"content":"z"}}"#
        )
    };
    let attachments = ["environment", "prompt_snapshot", "invoked_skills", "date"];
    let attachment = |kind: &&str| {
        format!(
            r#"{{"type":"attachment","rendered":"x","renderedRole":"user","renderedBesideToolResult":true,"attachment":{{"type":"{kind}","prompt":"y","content":"z"}}}}"#
        )
    };
    let lines = kinds.iter().map(unknown);
    let lines: Vec<String> = lines.chain(attachments.iter().map(attachment)).collect();
    let around = |lines: &[String]| format!("{0}\n{1}\n{0}\n", GOOD, lines.join("\n"));
    let found = Transcript::new(around(&lines)).read(None);
    let turns: Vec<_> = found
        .turns
        .iter()
        .map(|collected| &collected.turn)
        .collect();
    assert_eq!(rendered(turns), "0 Typed: \"good\"\n1 Typed: \"good\"\n");
    assert_eq!((found.warnings.len(), found.titles.len()), (0, 0));
}

#[test]
fn a_byte_order_mark_costs_only_itself() {
    let found = Transcript::new(format!("\u{feff}{GOOD}\n{GOOD}\n")).read(None);
    assert_eq!((found.turns.len(), found.warnings.len()), (2, 0));
}

#[test]
fn bad_characters_cost_only_themselves() {
    let line = |text: &[u8]| [br#"{"type":"user","message":""#, text, br#""}"#].concat();
    assert_eq!(indexed(line(b"a\xffb")), "0 Typed: \"a\u{fffd}b\"\n");
    assert_eq!(indexed(line(br"a\ud83db")), "0 Typed: \"a\u{fffd}b\"\n");
    assert_eq!(
        indexed(line(br"a\ude00\ud83d\ud83d\ude00")),
        "0 Typed: \"a\u{fffd}\u{fffd}😀\"\n"
    );
    assert_eq!(indexed(line(br"a\\ud83db")), "0 Typed: \"a\\\\ud83db\"\n");
    assert_eq!(indexed(line(br"a\u0000b")), "0 Typed: \"a\\0b\"\n");
}

#[test]
fn bad_characters_in_results_and_inputs_cost_only_themselves() {
    let content = concat!(
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"echo \ud83d"}}]}}"#,
        "\n",
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"error: \udead"}]}}"#,
        "\n",
    );
    let expected = "0 None: \"\"\n  call Bash(t) $ \"echo \u{fffd}\" -> \"error: \u{fffd}\"\n";
    assert_eq!(indexed(content), expected);
}

#[test]
fn an_unreadable_file_is_a_warning() {
    let transcript = Transcript::new(GOOD);
    fs_err::remove_file(&transcript.location().path).unwrap();
    let found = transcript.read(None);
    assert_eq!((found.turns.len(), found.warnings.len()), (0, 1));
    assert!(found.cursor.is_none(), "it is to be tried again");
}

#[test]
fn a_huge_line_costs_little() {
    let image = "iVBORw0KGgo".repeat(3 << 18);
    let content = format!(
        "{}\n{}\n{}\n",
        r#"{"type":"user","message":"look"}"#,
        format_args!(
            r#"{{"type":"user","message":{{"content":[{{"type":"text","text":"see this"}},{{"type":"image","source":{{"data":"{image}"}}}}]}}}}"#
        ),
        format_args!(r#"{{"type":"user","message":"{image}"}}"#),
    );
    let transcript = Transcript::new(content);
    let found = transcript.read(None);
    assert_eq!(found.turns.len(), 3);
    assert_eq!(found.turns[1].turn.prompt, "see this");
    assert!(found.turns[2].turn.prompt.ends_with(" bytes left out"));
    assert_eq!(
        rendered(&transcript.show(&found)),
        rendered(found.turns.iter().map(|collected| &collected.turn))
    );
}

#[test]
fn a_line_that_stays_huge_is_left_out() {
    let content = format!("{GOOD}\n[{}0]\n{GOOD}\n", "1,".repeat(5 << 20));
    let found = Transcript::new(content).read(None);
    assert_eq!(found.turns.len(), 2);
    assert_eq!(found.warnings[0].reason, "line is too long");
}

#[test]
fn a_tail_that_no_one_would_write_is_damage() {
    let tail = |size: usize| format!("{GOOD}\n{}", "x".repeat(size));
    let live = Transcript::new(tail(16 << 20)).read(None);
    assert_eq!((live.turns.len(), live.warnings.len()), (1, 0));
    let transcript = Transcript::new(tail((16 << 20) + 1));
    let written = transcript.read(None);
    assert_eq!(written.warnings, [], "it is being written");
    let path = transcript.location().path;
    let file = fs_err::OpenOptions::new().append(true).open(path).unwrap();
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    file.file().set_modified(hour_ago).unwrap();
    let found = transcript.read(None);
    assert_eq!((found.turns.len(), found.warnings.len()), (1, 1));
    assert_eq!(found.warnings[0].offset, Some(GOOD.len() as u64 + 1));
    let again = transcript.read(found.cursor.as_ref());
    assert_eq!(again.warnings, [], "it is counted once");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let transcript = Transcript::new(GOOD);
    let path = transcript.location().path;
    let found = transcript.read(None);
    fs_err::remove_file(&path).unwrap();
    crate::support::make_pipe(&path);
    for cursor in [None, found.cursor.as_ref()] {
        let read = transcript.read(cursor);
        assert_eq!((read.turns.len(), read.warnings.len()), (0, 1));
        assert!(read.cursor.is_none(), "it is to be tried again");
    }
    let spans = [IndexedSpan::from(&found.turns[0].turn)];
    let shown = crate::support::claude().show(&path, &found.sessions[0], &spans);
    assert_eq!((shown.turns.len(), shown.warnings.len()), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_bytes_are_too_bad(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let transcript = Transcript::new(&bytes);
        let found = transcript.read(None);
        prop_assert!(found.cursor.is_some());
    }

    /// Valid lines with one stretch of bytes overwritten.
    #[test]
    fn no_damage_is_too_bad(at in 0.0..1.0, bytes in prop::collection::vec(any::<u8>(), 1..40)) {
        let mut content = crate::support::fixture("replies.jsonl");
        let start = ((content.len() - bytes.len()) as f64 * at) as usize;
        content[start..start + bytes.len()].copy_from_slice(&bytes);
        let transcript = Transcript::new(&content);
        let found = transcript.read(None);
        let damaged: u64 = found.warnings.iter().map(|warning| warning.count).sum();
        let parts: usize = found.turns.iter().map(|collected| collected.turn.parts.len()).sum();
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() as u64 + 2;
        prop_assert!(damaged <= lines, "{damaged} {lines}");
        prop_assert!(parts >= 4);
    }

    /// A cursor is not trusted.
    #[test]
    fn no_cursor_is_too_bad(cursor in ".{0,80}", offset in any::<u64>()) {
        let transcript = Transcript::new(GOOD);
        let forged = format!(r#"{{"version":1,"offset":{offset},"tail":"","state":{{}}}}"#);
        for cursor in [cursor, forged] {
            let found = transcript.read(Some(&session_sources::Cursor(cursor)));
            prop_assert_eq!(found.turns.len(), 1);
        }
    }
}

/// An error says nothing of what the file holds.
#[cfg(target_os = "linux")]
#[test]
fn a_transcript_that_cannot_be_read_now_is_left_as_it_was() {
    let transcript = Transcript::new(GOOD);
    let cursor = transcript.read(None).cursor;
    assert!(cursor.is_some());
    session_test::files::make_unreadable(&transcript.location().path);
    for from in [None, cursor.as_ref()] {
        let found = transcript.read(from);
        assert_eq!((found.sessions, found.turns), (vec![], vec![]));
        assert_eq!((found.gone, found.cursor), (vec![], None));
        let [warning] = found.warnings.as_slice() else {
            panic!("{:?}", found.warnings)
        };
        assert_eq!(
            warning.retry,
            session_sources::Retry::NextRefresh,
            "{}",
            warning.reason
        );
    }
}
