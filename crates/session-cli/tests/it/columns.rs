//! Lines are as wide as the terminal, in columns, whatever is in them.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::opencode::OpenCodeHistory;
use insta::assert_snapshot;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

const LONG: &str = "e5000000-0000-4000-8000-000000000005";
const TWIN: &str = "e5000000-0000-4000-8000-000000000006";
const WIDE: &str = "f6000000-0000-4000-8000-000000000007";

/// Sessions with much to say, in long words and in wide ones.
fn talkative() -> TestEnvironment {
    let env = TestEnvironment::new();
    let long = |id: &str| {
        let files = [
            "lantern-controller-service.ts",
            "harbour_gate_repository.rs",
            "x.rs",
        ];
        let file = |name: &str| json!({"file_path": format!("/home/ann/quay/{name}")});
        let talk = ClaudeTranscript::new(id, "/home/ann/a-project-with-a-rather-long-name")
            .user(&"Hang the lantern at the harbour gate and trim its wick. ".repeat(9))
            .assistant(&"It-hangs-there-without-a-space.".repeat(20));
        let read = |talk: ClaudeTranscript, name: &&str| talk.call("Read", file(name), "", false);
        files
            .iter()
            .fold(talk, read)
            .title(&"Where the lantern hangs at night ".repeat(4))
    };
    env.write_transcript(&long(LONG));
    env.write_transcript(&long(TWIN));
    env.write_transcript(&long("agent-e7").agent_of(LONG));
    let wide = ClaudeTranscript::new(WIDE, "/home/ann/港の灯台を修理するための長い名前の企画")
        .user(
            &"港の lantern を灯台の門に掛けて👨\u{200d}👩\u{200d}👧芯を整えてください。".repeat(12),
        )
        .assistant("灯しました。")
        .title(&"灯台のlanternはどこに掛かっていますか".repeat(5));
    env.write_transcript(&wide);
    OpenCodeHistory::open(&env).session(
        "ses_0123456789abcdefghijklmnop",
        "/home/ann/quay",
        "Lantern ☁\u{fe0f} weather",
        &[("Where is the lantern?", "At the gate.")],
    );
    let broken = format!(".claude/projects/-quay/{}.jsonl", "long-name-".repeat(12));
    env.write(&env.home(&broken), "{\n{}\nnonsense\n");
    env.run(&["index"]).succeeded();
    env
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let env = talkative();
    let long = "where did we hang the lantern at the harbour gate and who trims its wick at night";
    let wide = "港の lantern を灯台の門に掛けて芯を整えてください 灯台の灯りを修理する";
    for columns in [60, 80, 100, 120] {
        for args in [
            vec!["search", "lantern"],
            vec!["search", "lantern", "--explain", "--subagents"],
            vec!["search", "lantern", "--depth", "2", "-n", "50"],
            vec!["search", "lantern", "--branch", "main"],
            vec!["search", long],
            vec!["search", wide, "--depth", "2"],
            vec!["search", wide],
            vec!["status"],
            vec!["demo"],
        ] {
            let printed = env.printed(&args, columns);
            // What is shown in full is not folded.
            let printed = printed.split("SESSION  ").next().unwrap();
            for line in printed.lines() {
                assert!(
                    line.width() <= columns,
                    "{} > {columns}: {line}",
                    line.width()
                );
            }
        }
    }
}

#[test]
fn what_does_not_fit_begins_a_line() {
    let env = talkative();
    let hit = |id: &str, columns: usize| {
        let search = [
            "search",
            "lantern harbour gate",
            "--keyword-only",
            "--session",
            id,
        ];
        env.printed(&search, columns)
    };
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(?m)^\[[^\]]*\]", "[SCORE]");
    let _redactions = settings.bind_to_scope();
    assert_snapshot!(hit(LONG, 60), @r#"
    SESSIONS  "lantern harbour gate"
        1 session, 1 project (claude 1)

    [SCORE]   claude   #2:0   a-project-with-a-rather…
        2026-01-15   1 turn
        Where the lantern hangs at night Where the lantern hang…
        Hang the lantern at the harbour gate and trim its wick.
        Hang the lantern at the harbour gate and trim its wick.…
        files: lantern-controller-service.ts and 2 more
        resume: session-search resume '#2'

    Next: session-search search "lantern harbour gate" \
        --depth 2 --session '#2'
    "#);
    assert_snapshot!(hit(LONG, 80), @r#"
    SESSIONS  "lantern harbour gate"   1 session, 1 project (claude 1)

    [SCORE]   claude   #2:0   a-project-with-a-rather…   2026-01-15   1 turn
        Where the lantern hangs at night Where the lantern hangs at night Where the…
        Hang the lantern at the harbour gate and trim its wick. Hang the lantern at
        the harbour gate and trim its wick. Hang the lantern at the harbour gate an…
        files: lantern-controller-service.ts, harbour_gate_repository.rs, x.rs
        resume: session-search resume '#2'

    Next: session-search search "lantern harbour gate" --depth 2 --session '#2'
    "#);
    assert_snapshot!(hit(WIDE, 60), @r#"
    SESSIONS  "lantern harbour gate"
        1 session, 1 project (claude 1)

    [SCORE]   claude   f6000000:0   港の灯台を修理するため…
        2026-01-15   1 turn
        灯台のlanternはどこに掛かっていますか灯台のlanternはど…
        港の lantern を灯台の門に掛けて👨‍👩‍👧芯を整えてください。港
        の lantern を灯台の門に掛けて👨‍👩‍👧芯を整えてください。港の…
        resume: session-search resume f6000000

    Next: session-search search "lantern harbour gate" \
        --depth 2 --session f6000000
    "#);
    assert_snapshot!(hit("ses_", 100), @r#"
    SESSIONS  "lantern harbour gate"   1 session, 1 project (opencode 1)

    [SCORE]   opencode   ses_0123:0   quay   2026-02-01   1 turn   Lantern ☁️ weather
        Where is the lantern?
        resume: session-search resume ses_0123

    Next: session-search search "lantern harbour gate" --depth 2 --session ses_0123
    "#);
}
