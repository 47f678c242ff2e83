//! Turns read again in full.

use crate::support::{Home, SESSION, Transcript, claude, shown};
use crate::turns::rendered;
use session_core::{SessionMeta, TurnSpan};
use session_sources::{IndexedSpan, ShownTurns};

const CONTENT: &str = concat!(
    r#"{"type":"user","message":"first"}"#,
    "\n",
    r#"{"type":"assistant","message":{"content":"one"}}"#,
    "\n",
    r#"{"type":"user","message":"second"}"#,
    "\n",
    r#"{"type":"assistant","message":{"content":"two"}}"#,
    "\n",
);

fn show(transcript: &Transcript, spans: &[IndexedSpan]) -> ShownTurns {
    let meta = SessionMeta {
        id: SESSION.to_owned(),
        ..SessionMeta::default()
    };
    claude().show(&transcript.location().path, &meta, spans)
}

#[test]
fn turns_come_in_the_order_asked_for() {
    let transcript = Transcript::new(CONTENT);
    let found = transcript.read(None);
    let spans: Vec<_> = found
        .turns
        .iter()
        .rev()
        .map(|collected| IndexedSpan::from(&collected.turn))
        .collect();
    let shown = show(&transcript, &spans);
    assert_eq!(
        rendered(&shown.turns),
        "1 Typed: \"second\"\n  text \"two\"\n0 Typed: \"first\"\n  text \"one\"\n"
    );
    assert_eq!(shown.turns[1], found.turns[0].turn);
}

#[test]
fn a_span_that_is_no_turn_is_a_warning() {
    let transcript = Transcript::new(CONTENT);
    let found = transcript.read(None);
    let second = found.turns[1].turn.span;
    let end = CONTENT.len() as u64;
    for start in [second.start - 1, second.start + 1, end, end + 100] {
        let shown = show(
            &transcript,
            &[
                IndexedSpan {
                    index: 1,
                    span: TurnSpan {
                        start,
                        end: end + 200,
                    },
                },
                IndexedSpan {
                    index: 1,
                    span: second,
                },
            ],
        );
        assert_eq!(shown.turns.len(), 1, "{start}");
        assert_eq!(shown.warnings.len(), 1, "{start}");
    }
}

#[test]
fn a_span_holds_only_the_turn_it_begins_with() {
    let transcript = Transcript::new(CONTENT);
    let shown = show(
        &transcript,
        &[IndexedSpan {
            index: 0,
            span: TurnSpan {
                start: 0,
                end: 1 << 40,
            },
        }],
    );
    assert_eq!(
        rendered(&shown.turns),
        "0 Typed: \"first\"\n  text \"one\"\n"
    );
}

#[test]
fn a_file_that_is_gone_is_a_warning() {
    let home = Home::new();
    let meta = SessionMeta::default();
    let shown = claude().show(
        &home.path("gone.jsonl"),
        &meta,
        &[IndexedSpan {
            index: 0,
            span: TurnSpan { start: 0, end: 9 },
        }],
    );
    assert_eq!((shown.turns.len(), shown.warnings.len()), (0, 1));
}

fn persisted(saved_to: &str) -> String {
    let output = format!(
        r"<persisted-output>\nOutput too large (42KB). Full output saved to: {saved_to}\n\nPreview:\nhead"
    );
    let call = r#"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"x"}}"#;
    let result = format!(r#"{{"type":"tool_result","tool_use_id":"t","content":"{output}"}}"#);
    format!(
        "{}\n{{\"type\":\"assistant\",\"message\":{{\"content\":[{call}]}}}}\n{{\"type\":\"user\",\"message\":{{\"content\":[{result}]}}}}\n",
        r#"{"type":"user","message":"Run"}"#,
    )
}

fn output_of(saved_to: &str) -> String {
    let transcript = Transcript::new(persisted(saved_to));
    let home = transcript.home();
    home.write(
        &home.project(&format!("{SESSION}/tool-results/b1.txt")),
        "all of it",
    );
    home.write(&home.project(&format!("{SESSION}/b1.txt")), "secret");
    home.write(&home.project("b2.txt"), "secret");
    rendered(&transcript.show(&transcript.read(None)))
}

#[test]
fn large_outputs_are_read_from_the_sessions_own_folder() {
    let own = format!("/home/ann/.claude/projects/-home-ann-app/{SESSION}/tool-results/b1.txt");
    assert!(output_of(&own).contains(r#"-> "all of it""#));
    for other in [
        "/etc/passwd",
        "/x/tool-results/../b1.txt",
        "/x/tool-results/..",
        "/x/tool-results/b2.txt",
        "/b1.txt",
        "",
    ] {
        assert!(output_of(other).contains("Preview:"), "{other}");
    }
}

#[cfg(unix)]
#[test]
fn the_folder_of_large_outputs_is_no_link() {
    let transcript = Transcript::new(persisted("/x/tool-results/b1.txt"));
    let home = transcript.home();
    home.write(&home.path("private/b1.txt"), "secret");
    let link = home.project(&format!("{SESSION}/tool-results"));
    fs_err::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(home.path("private"), link).unwrap();
    let shown = rendered(&transcript.show(&transcript.read(None)));
    assert!(shown.contains("Preview:"), "{shown}");
}

#[test]
fn long_texts_are_cut() {
    let content = format!(
        "{{\"type\":\"user\",\"message\":\"{}\"}}\n",
        "ü".repeat(200_000)
    );
    let shown = shown(content);
    assert!(
        shown.len() < session_core::TEXT_LIMIT + 100,
        "{}",
        shown.len()
    );
}
