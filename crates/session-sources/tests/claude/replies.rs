//! Reading the agent's lines.

use crate::support::{Transcript, fixture, indexed, shown};
use crate::turns::searched;
use insta::assert_snapshot;
use session_sources::CollectedTurn;

#[test]
fn every_kind_of_reply() {
    assert_snapshot!(indexed(fixture("replies.jsonl")), @r##"
    0 Typed: "Build it"
      text "I build it now."
      call Bash(toolu_1) $ "make all" -> "main.c:3: error: expected ';'" failed
      call Read(toolu_2) @/home/ann/app/Makefile
      call Grep(toolu_3)
      call Agent(toolu_4) subagent=agent-1a2b3c4d
      call NotebookEdit(toolu_5) @/home/ann/app/plot.ipynb unfinished
      call mcp__pencil__open(toolu_6) @/home/ann/app/a.pen unfinished
      call PowerShell(toolu_7) $ "Get-Item x"
      text "A semicolon was missing."
      recap "Fixed the missing semicolon; the build passes."
    "##);
}

#[test]
fn every_kind_of_reply_in_full() {
    assert_snapshot!(shown(fixture("replies.jsonl")), @r##"
    0 Typed: "Build it"
      thinking "The build needs a target."
      text "I build it now."
      call Bash(toolu_1) $ "make all" {"command":"make all","description":"build"} -> "Exit code 2\ncc main.c\nmain.c:3: error: expected ';'" failed
      call Read(toolu_2) @/home/ann/app/Makefile {"file_path":"/home/ann/app/Makefile"} -> "all: app\n[Image]"
      call Grep(toolu_3) {"path":"/home/ann/app","pattern":"all"} -> "No files found"
      call Agent(toolu_4) {"prompt":"Find the semicolon"} -> "Line 3." subagent=agent-1a2b3c4d
      call NotebookEdit(toolu_5) @/home/ann/app/plot.ipynb {"notebook_path":"/home/ann/app/plot.ipynb"} unfinished
      call mcp__pencil__open(toolu_6) @/home/ann/app/a.pen {"command":"open","filePath":"/home/ann/app/a.pen"} unfinished
      call PowerShell(toolu_7) $ "Get-Item x" {"command":"Get-Item x"} -> "0 errors, 0 failed"
      notice "You've hit your session limit"
      notice "API overloaded (529)"
      notice "Reloaded 3 plugins"
      notice "Remote control disconnected"
      text "A semicolon was missing."
      recap "Fixed the missing semicolon; the build passes."
    "##);
}

#[test]
fn a_turn_knows_its_first_and_last_line() {
    let content = fixture("replies.jsonl");
    let found = Transcript::new(&content).read(None);
    let CollectedTurn { turn, .. } = &found.turns[0];
    assert_eq!(turn.origin.as_deref(), Some("u1"));
    assert_eq!(turn.leaf.as_deref(), Some("a8"));
    assert_eq!(turn.started_ms, Some(1_772_442_000_000));
    assert_eq!(turn.ended_ms, Some(1_772_442_013_000), "the recap is later");
    assert_eq!(
        (turn.span.start, turn.span.end),
        (0, content.len() as u64 - 1)
    );
}

#[test]
fn a_recap_in_the_users_absence_is_no_work() {
    let lines = concat!(
        r#"{"type":"user","gitBranch":"oil","timestamp":"2026-03-02T09:00:00.000Z","message":"a"}"#,
        "\n",
        r#"{"type":"assistant","timestamp":"2026-03-02T09:00:09.000Z","message":{"content":"b"}}"#,
        "\n",
        r#"{"type":"system","subtype":"away_summary","gitBranch":"main","timestamp":"2026-03-02T09:03:00.000Z","content":"It is b."}"#,
        "\n",
    );
    let found = Transcript::new(lines).read(None);
    let turn = &found.turns[0].turn;
    assert_eq!(turn.ended_ms.unwrap() - turn.started_ms.unwrap(), 9000);
    assert_eq!(turn.parts.len(), 2);
    assert_eq!(turn.branch.as_deref(), Some("oil"));
    let recap = lines.lines().next_back().unwrap();
    let alone = &Transcript::new(recap).read(None).turns[0].turn;
    assert_eq!(alone.started_ms, Some(1_772_442_180_000));
    assert_eq!(alone.branch.as_deref(), Some("main"));
}

#[test]
fn times_may_go_backwards() {
    let lines = concat!(
        r#"{"type":"user","uuid":"u1","timestamp":"2026-03-02T09:00:05.000Z","message":"a"}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a1","timestamp":"2026-03-02T09:00:09.000Z","message":{"content":"b"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a2","timestamp":"2026-03-02T09:00:01.000Z","message":{"content":"c"}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a3","timestamp":"some day","message":{"content":"d"}}"#,
        "\n",
    );
    let found = Transcript::new(lines).read(None);
    let turn = &found.turns[0].turn;
    assert_eq!(turn.ended_ms.unwrap() - turn.started_ms.unwrap(), 4000);
    assert_eq!(turn.leaf.as_deref(), Some("a3"));
}

fn reply(id: &str, blocks: &str) -> String {
    format!(r#"{{"type":"assistant","message":{{"id":{id},"content":[{blocks}]}}}}"#) + "\n"
}

#[test]
fn cumulative_snapshots_are_told_once() {
    let one = r#"{"type":"text","text":"One."}"#;
    let begun = r#"{"type":"text","text":"Two is"}"#;
    let two = r#"{"type":"text","text":"Two is longer."}"#;
    let call = r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}"#;
    let lines = [
        reply("\"m1\"", one),
        reply("\"m1\"", &format!("{one},{begun}")),
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"x","content":"between"}]}}"#.to_owned() + "\n",
        reply("\"m1\"", &format!("{one},{two},{call}")),
        reply("\"m1\"", call),
        reply("\"m2\"", one),
    ];
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      text "One."
      text "Two is longer."
      call Bash(toolu_1) $ "ls" unfinished
      text "One."
    "##);
}

#[test]
fn a_call_without_a_result_is_unfinished() {
    let call = |id: &str, name: &str, input: &str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
    };
    let calls = [
        call("t1", "Bash", r#"{"command":"make test"}"#),
        call("t2", "Edit", r#"{"file_path":"/a/b.rs"}"#),
        call("t3", "Grep", r#"{"pattern":"lamp"}"#),
    ];
    let lines = reply("\"m1\"", &calls.join(","));
    let expected = [
        r#"call Bash(t1) $ "make test" unfinished"#,
        "call Edit(t2) @/a/b.rs unfinished",
        "call Grep(t3) unfinished",
    ];
    let found = indexed(&lines);
    let found: Vec<&str> = found.lines().skip(1).map(str::trim).collect();
    assert_eq!(found, expected);
    let contents = searched(&[Transcript::new(&lines).read(None)]);
    assert_eq!(contents[0].accessed_files().next(), None);
}

#[test]
fn thinking_grows_in_snapshots_too() {
    let call = r#"{"type":"tool_use","id":"toolu_1","name":"Glob"}"#;
    let thinking = |words: &str| format!(r#"{{"type":"thinking","thinking":"{words}"}}"#);
    let lines = [
        reply("\"m\"", &format!("{call},{}", thinking("Or"))),
        reply("\"m\"", &format!("{call},{}", thinking("Or not."))),
    ];
    assert_eq!(
        shown(lines.concat()),
        "0 None: \"\"\n  call Glob(toolu_1) {} unfinished\n  thinking \"Or not.\"\n"
    );
}

#[test]
fn a_reply_may_say_what_it_thought() {
    let prompt = r#"{"type":"user","message":"Why?"}"#.to_owned() + "\n";
    let thinking = r#"{"type":"thinking","thinking":"The port is taken."}"#;
    for words in ["The port is taken.", "The port is taken. By node."] {
        let text = format!(r#"{{"type":"text","text":"{words}"}}"#);
        let apart = [reply("\"m\"", thinking), reply("\"m\"", &text)].concat();
        let together = reply("\"m\"", &format!("{thinking},{text}"));
        for lines in [apart, together] {
            let found = shown(format!("{prompt}{lines}"));
            let expected = format!("  thinking \"The port is taken.\"\n  text \"{words}\"\n");
            assert_eq!(found, format!("0 Typed: \"Why?\"\n{expected}"));
        }
    }
}

#[test]
fn a_reply_may_begin_two_texts_alike() {
    let text = |words: &str| format!(r#"{{"type":"text","text":"{words}"}}"#);
    let call = |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Glob"}}"#);
    let texts = |blocks: &[String]| {
        let lines: String = blocks.iter().map(|block| reply("\"m\"", block)).collect();
        let found = indexed(lines);
        found.lines().filter(|line| line.contains("text")).count()
    };
    let (done, more) = (text("Done."), text("Done. I also tested it."));
    assert_eq!(texts(&[done.clone(), more.clone()]), 2);
    assert_eq!(texts(&[done.clone(), call("t1"), more.clone()]), 2);
    assert_eq!(texts(&[format!("{done},{more}")]), 2);
    assert_eq!(texts(&[call("t1"), done.clone(), call("t2"), more]), 2);
    assert_eq!(texts(&[call("t1"), done.clone(), call("t2"), done]), 2);
}

#[test]
fn without_an_id_nothing_is_a_repetition() {
    let lines = reply("null", r#"{"type":"text","text":"Yes."}"#).repeat(2);
    assert_eq!(
        indexed(lines),
        "0 None: \"\"\n  text \"Yes.\"\n  text \"Yes.\"\n"
    );
}

#[test]
fn what_comes_before_the_first_prompt_is_a_turn_if_it_is_worth_it() {
    let thinking = reply("\"m\"", r#"{"type":"thinking","thinking":"Hm."}"#);
    let notice = r#"{"type":"system","content":"Welcome"}"#.to_owned() + "\n";
    let prompt = r#"{"type":"user","message":"Go on"}"#.to_owned() + "\n";
    let text = reply("\"m\"", r#"{"type":"text","text":"Done."}"#);
    assert_eq!(
        indexed([&*notice, &thinking, &prompt].concat()),
        "0 Typed: \"Go on\"\n"
    );
    assert_eq!(
        indexed([&*notice, &text, &prompt].concat()),
        "0 None: \"\"\n  text \"Done.\"\n1 Typed: \"Go on\"\n",
    );
}

#[test]
fn inputs_may_have_any_shape() {
    for input in [
        "null",
        "7",
        "\"ls\"",
        "[1]",
        r#"{"command":["ls"],"file_path":{}}"#,
    ] {
        let call = format!(r#"{{"type":"tool_use","id":"t","name":"Bash","input":{input}}}"#);
        assert_eq!(
            indexed(reply("\"m\"", &call)),
            "0 None: \"\"\n  call Bash(t) unfinished\n",
            "{input}"
        );
    }
    let call = r#"{"type":"tool_use"}"#;
    assert_eq!(indexed(reply("\"m\"", call)), "0 None: \"\"\n  call ()\n");
}

fn result(id: &str, content: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{content}"}}"#);
    format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#) + "\n"
}

const MAKE: &str = r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}"#;

#[test]
fn a_result_may_come_before_its_call() {
    let text = r#"{"type":"text","text":"I build it."}"#;
    let lines = [
        reply("\"m\"", text),
        result("t2", "error: two"),
        result("t1", "error: one"),
        reply("\"m\"", MAKE),
        reply("\"m\"", &MAKE.replace("t1", "t2")),
    ];
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      text "I build it."
      call Bash(t1) $ "make" -> "error: one"
      call Bash(t2) $ "make" -> "error: two"
    "##);
    let quiet = [reply("\"m\"", text), result("t1", ""), reply("\"m\"", MAKE)];
    assert_snapshot!(shown(quiet.concat()), @r##"
    0 None: ""
      text "I build it."
      call Bash(t1) $ "make" {"command":"make"} -> ""
    "##);
}

#[test]
fn a_call_without_a_result_is_told_from_one_without_output() {
    let lines = [
        reply("\"m\"", MAKE),
        reply("\"m\"", &MAKE.replace("t1", "t2")),
        result("t1", ""),
    ];
    assert_snapshot!(shown(lines.concat()), @r##"
    0 None: ""
      call Bash(t1) $ "make" {"command":"make"} -> ""
      call Bash(t2) $ "make" {"command":"make"} unfinished
    "##);
    assert!(!indexed(lines.concat()).contains("->"));
}

#[test]
fn an_output_that_is_cut_says_so() {
    let words = "lamp ".repeat(60_000);
    let shown = shown([reply("\"m\"", MAKE), result("t1", &words)].concat());
    let end = r#"\n[cut: 37 KB of this output are not shown]""#;
    assert!(shown.trim_end().ends_with(end));
}

#[test]
fn a_result_told_twice_keeps_its_output() {
    let lines = [
        reply("\"m\"", MAKE),
        result("t1", "built"),
        result("t1", ""),
    ];
    assert!(shown(lines.concat()).ends_with("-> \"built\"\n"));
}

#[test]
fn a_late_result_tells_only_what_is_new() {
    let lines = [
        reply("\"m\"", MAKE),
        r#"{"type":"user","message":"Go on"}"#.to_owned() + "\n",
        result(
            "t1",
            r"main.c:3: error: expected ';'\nmake: *** [all] Error 2",
        ),
        result("t0", "all is well"),
        result("t2", ""),
    ];
    assert!(!shown(lines.concat()).contains("t2"));
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      call Bash(t1) $ "make" unfinished
    0 None continues: ""
      call (t1) $ "" -> "main.c:3: error: expected ';'\nmake: *** [all] Error 2"
    1 Typed: "Go on"
    "##);
}
