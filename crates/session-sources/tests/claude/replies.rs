//! What becomes of the agent's lines.

use crate::support::{Transcript, fixture, indexed, shown};
use insta::assert_snapshot;

#[test]
fn every_kind_of_reply() {
    assert_snapshot!(indexed(fixture("replies.jsonl")), @r##"
    0 Typed: "Build it"
      text "I build it now."
      call Bash(toolu_1) $ "make all" -> "main.c:3: error: expected ';'" failed
      call Read(toolu_2) @/home/ann/app/Makefile
      call Grep(toolu_3)
      call Agent(toolu_4) subagent=agent-1a2b3c4d
      call NotebookEdit(toolu_5) @/home/ann/app/plot.ipynb
      call mcp__pencil__open(toolu_6) @/home/ann/app/a.pen
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
      call NotebookEdit(toolu_5) @/home/ann/app/plot.ipynb {"notebook_path":"/home/ann/app/plot.ipynb"}
      call mcp__pencil__open(toolu_6) @/home/ann/app/a.pen {"command":"open","filePath":"/home/ann/app/a.pen"}
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
    let (_, turn) = &found.turns[0];
    assert_eq!(turn.origin.as_deref(), Some("u1"));
    assert_eq!(turn.leaf.as_deref(), Some("a8"));
    assert_eq!(turn.started_ms, Some(1_772_442_000_000));
    assert_eq!(turn.ended_ms, Some(1_772_442_600_000));
    assert_eq!(
        (turn.span.start, turn.span.end),
        (0, content.len() as u64 - 1)
    );
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
    let turn = &found.turns[0].1;
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
      call Bash(toolu_1) $ "ls"
      text "One."
    "##);
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
            "0 None: \"\"\n  call Bash(t)\n",
            "{input}"
        );
    }
    let call = r#"{"type":"tool_use"}"#;
    assert_eq!(indexed(reply("\"m\"", call)), "0 None: \"\"\n  call ()\n");
}

#[test]
fn a_late_result_tells_only_what_is_new() {
    let result = |id: &str, content: &str| {
        let block =
            format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{content}"}}"#);
        format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#) + "\n"
    };
    let call = r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}"#;
    let lines = [
        reply("\"m\"", call),
        r#"{"type":"user","message":"Go on"}"#.to_owned() + "\n",
        result(
            "t1",
            r"main.c:3: error: expected ';'\nmake: *** [all] Error 2",
        ),
        result("t0", "all is well"),
    ];
    assert_snapshot!(indexed(lines.concat()), @r##"
    0 None: ""
      call Bash(t1) $ "make"
    1 Typed: "Go on"
      call (t1) $ "" -> "main.c:3: error: expected ';'\nmake: *** [all] Error 2"
    "##);
}
