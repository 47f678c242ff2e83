//! The facts of a session as a whole.

use crate::support::{SESSION, Transcript, meta};
use insta::assert_debug_snapshot;
use session_core::SessionMeta;

const PROMPT: &str = concat!(r#"{"type":"user","uuid":"u1","message":"Hello"}"#, "\n");

fn title(lines: &[&str]) -> Option<String> {
    meta(PROMPT.to_owned() + &lines.join("\n")).title
}

#[test]
fn the_first_directory_and_the_last_branch() {
    let line = |fields: &str| format!("{{\"type\":\"user\",\"message\":\"a\",{fields}}}\n");
    let content = [
        line(r#""cwd":"","gitBranch":"""#),
        line(r#""cwd":"/home/ann/app/.claude/worktrees/fix","gitBranch":"main""#),
        line(r#""cwd":"/tmp","gitBranch":"fix""#),
        line(r#""cwd":7,"gitBranch":"""#),
    ];
    assert_debug_snapshot!(meta(content.concat()), @r##"
    SessionMeta {
        id: "7a1e0c52-0000-4000-8000-000000000001",
        parent: None,
        title: None,
        cwd: Some(
            "/home/ann/app/.claude/worktrees/fix",
        ),
        project: Some(
            "/home/ann/app",
        ),
        branch: Some(
            "fix",
        ),
        forked_from: None,
        is_unnamed_fork: false,
        prompts_only: false,
    }
    "##);
}

#[test]
fn a_branch_belongs_to_its_turn() {
    let line = |branch: &str| {
        format!("{{\"type\":\"user\",\"message\":\"a\",\"gitBranch\":\"{branch}\"}}\n")
    };
    let found = Transcript::new(line("main") + &line("fix")).read(None);
    let branches: Vec<_> = found
        .turns
        .iter()
        .map(|collected| collected.turn.branch.as_deref())
        .collect();
    assert_eq!(branches, [Some("main"), Some("fix")]);
}

#[test]
fn progress_lines_may_be_the_first_to_tell_the_directory() {
    let progress = r#"{"uuid":"p","cwd":"/home/ann/app","type":"progress","data":{}}"#.to_owned();
    assert_eq!(
        meta(progress + "\n" + PROMPT).cwd.as_deref(),
        Some("/home/ann/app")
    );
}

#[test]
fn titles_have_an_order() {
    let custom = r#"{"type":"custom-title","customTitle":"mine"}"#;
    let ai = r#"{"type":"ai-title","aiTitle":"its"}"#;
    let last = r#"{"type":"last-prompt","lastPrompt":"Bye"}"#;
    assert_eq!(title(&[last]), None, "the last prompt is no title");
    assert_eq!(title(&[ai, last]).as_deref(), Some("its"));
    assert_eq!(title(&[custom, ai]).as_deref(), Some("mine"));
    assert_eq!(
        title(&[custom, ai, r#"{"type":"custom-title","customTitle":"new"}"#]).as_deref(),
        Some("new")
    );
    assert_eq!(
        title(&[custom, ai, r#"{"type":"custom-title","customTitle":""}"#]).as_deref(),
        Some("its")
    );
    assert_eq!(
        title(&[custom, r#"{"type":"custom-title","customTitle":" "}"#]),
        None
    );
}

#[test]
fn renaming_is_a_title() {
    let content = r"<command-name>/rename</command-name><command-args>port clash</command-args>";
    let system = format!(r#"{{"type":"system","subtype":"local_command","content":"{content}"}}"#);
    assert_eq!(title(&[&system]).as_deref(), Some("port clash"));
    let user = format!(r#"{{"type":"user","message":"{content}"}}"#);
    assert_eq!(title(&[&user]).as_deref(), Some("port clash"));
}

#[test]
fn a_summary_names_a_message_of_another_file() {
    let summary = r#"{"type":"summary","summary":"Port clash","leafUuid":"a9"}"#;
    let found = Transcript::new(format!("{summary}\n{PROMPT}")).read(None);
    let titles = found
        .titles
        .iter()
        .map(|given| [&*given.message, &*given.title]);
    assert_eq!(titles.collect::<Vec<_>>(), [["a9", "Port clash"]]);
    assert_eq!(found.sessions[0].title, None);
    let alone = Transcript::new(summary).read(None);
    assert_eq!((alone.titles.len(), alone.sessions.len()), (1, 0));
}

/// A summary names the last message that it knows. A caveat belongs to the command after it, which may be days later and on
/// another branch.
#[test]
fn a_caveat_does_not_end_a_turn() {
    let lines = [
        r#"{"type":"user","uuid":"u1","gitBranch":"oil","timestamp":"2026-03-02T09:00:00.000Z","message":"a"}"#,
        r#"{"type":"assistant","uuid":"a1","gitBranch":"oil","timestamp":"2026-03-02T09:00:05.000Z","message":{"content":"b"}}"#,
        r#"{"type":"user","uuid":"u2","gitBranch":"main","isMeta":true,"timestamp":"2026-03-04T08:00:00.000Z","message":"<local-command-caveat>Caveat: x</local-command-caveat>"}"#,
        r#"{"type":"user","uuid":"u3","gitBranch":"main","timestamp":"2026-03-04T08:00:00.000Z","message":"<command-name>/clear</command-name>"}"#,
        r#"{"type":"user","uuid":"u4","gitBranch":"main","timestamp":"2026-03-04T08:00:00.000Z","message":"<local-command-stdout></local-command-stdout>"}"#,
    ];
    let found = Transcript::new(lines.join("\n")).read(None);
    let turns: Vec<_> = found.turns.iter().map(|found| &found.turn).collect();
    let leaves: Vec<_> = turns.iter().map(|turn| turn.leaf.as_deref()).collect();
    assert_eq!(leaves, [Some("a1"), Some("u4")]);
    let branches: Vec<_> = turns.iter().map(|turn| turn.branch.as_deref()).collect();
    assert_eq!(branches, [Some("oil"), Some("main")]);
    assert_eq!(
        turns[0].ended_ms.unwrap() - turns[0].started_ms.unwrap(),
        5000
    );
    assert_eq!(turns[0].turn_stats.idle_ms, 0);
}

#[test]
fn a_fork_tells_its_origin() {
    let line = r#"{"type":"user","uuid":"new","forkedFrom":{"sessionId":"s0","messageUuid":"old"},"message":"a"}"#;
    let found = Transcript::new(line.to_owned() + "\n").read(None);
    assert_eq!(found.sessions[0].forked_from.as_deref(), Some("s0"));
    assert_eq!(found.turns[0].turn.origin.as_deref(), Some("old"));
}

/// The first line is the fork's own: copies of older ones follow it.
#[test]
fn a_fork_that_names_no_session_queues_its_prompt_after_what_it_copied() {
    let queued = |time: &str| {
        format!(
            "{{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"timestamp\":\"2026-07-{time}Z\"}}\n"
        )
    };
    let said = |time: &str| {
        format!(
            "{{\"type\":\"user\",\"cwd\":\"/w\",\"timestamp\":\"2026-07-{time}Z\",\"message\":\"a\"}}\n"
        )
    };
    let early = "22T20:19:28.800";
    let late = "23T08:20:55.030";
    for (lines, is_fork) in [
        (queued(late) + &said(early), true),
        (queued(early) + &said(late), false),
        // Queued while the agent worked, and written before a line that waited.
        (said(early) + &queued(late) + &said(early), false),
        (said(early), false),
    ] {
        assert_eq!(meta(lines.clone()).is_unnamed_fork, is_fork, "{lines}");
    }
}

#[test]
fn the_file_name_is_the_session_and_an_old_id_its_origin() {
    let line =
        |id: &str| format!("{{\"type\":\"user\",\"sessionId\":\"{id}\",\"message\":\"a\"}}\n");
    let told = meta(line("s0") + &line(SESSION));
    assert_eq!(
        (told.id.as_str(), told.forked_from.as_deref()),
        (SESSION, Some("s0"))
    );
    assert_eq!(meta(line(SESSION)).forked_from, None);
}

#[test]
fn files_without_a_turn_are_no_sessions() {
    for content in [
        "",
        "\n\n",
        r#"{"type":"mode","mode":"normal"}"#,
        r#"{"type":"ai-title","aiTitle":"x"}"#,
    ] {
        let found = Transcript::new(content).read(None);
        assert_eq!(
            (found.sessions.len(), found.turns.len()),
            (0, 0),
            "{content}"
        );
        assert!(found.cursor.is_some());
    }
}

#[test]
fn resuming_is_a_command() {
    let found = Transcript::new(PROMPT).read(None);
    let command = crate::support::claude().resume(&found.sessions[0]);
    assert_eq!(command.unwrap(), ["claude", "--resume", SESSION]);
    let odd = |id: &str| {
        let meta = SessionMeta {
            id: id.to_owned(),
            ..SessionMeta::default()
        };
        crate::support::claude().resume(&meta)
    };
    for id in ["--help", "a b", "$(x)", ""] {
        assert_eq!(odd(id), None, "{id}");
    }
}
