//! Subagents: in files of their own, or inline as old versions wrote them.

use crate::support::{SESSION, Transcript, claude, indexed, shown};
use crate::turns::{rendered, searched};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::TokenTotals;

fn line(kind: &str, content: &str) -> String {
    format!(
        r#"{{"type":"{kind}","isSidechain":true,"agentId":"1a2b3c4d","sessionId":"{SESSION}","message":{{"content":"{content}"}}}}"#
    ) + "\n"
}

fn agent(content: impl AsRef<[u8]>) -> Transcript {
    Transcript::named("agent-1a2b3c4d.jsonl", content)
}

#[test]
fn a_subagent_is_prompted_by_a_model() {
    let transcript = agent(line("user", "Find the semicolon") + &line("assistant", "Line 3."));
    let found = transcript.read(None);
    assert_eq!(found.sessions[0].id, "agent-1a2b3c4d");
    assert_eq!(found.sessions[0].parent.as_deref(), Some(SESSION));
    assert_eq!(claude().resume(&found.sessions[0]), None);
    assert_snapshot!(rendered(found.turns.iter().map(|collected| &collected.turn)), @r##"
    0 Model: "Find the semicolon"
      text "Line 3."
    "##);
    assert_eq!(
        rendered(&transcript.show(&found)),
        rendered(found.turns.iter().map(|collected| &collected.turn))
    );
}

#[test]
fn the_new_layout_tells_the_parent_by_its_folder() {
    let transcript = Transcript::new(line("user", "unused"));
    let home = transcript.home();
    home.write(
        &home.project("7a1e0c52-0000-4000-8000-000000000009/subagents/agent-1.jsonl"),
        line("user", "Look"),
    );
    let listing = home.locate();
    let at = listing
        .locations
        .iter()
        .find(|at| at.path_session.parent.is_some())
        .unwrap();
    let mut found = session_sources::CollectingSink::default();
    claude().read(at, None, &mut found);
    assert_eq!(
        found.sessions[0].parent.as_deref(),
        Some("7a1e0c52-0000-4000-8000-000000000009")
    );
    assert_eq!(found.turns[0].turn.prompt, "Look");
}

#[test]
fn a_team_leads_message_is_a_prompt() {
    let lead = r#"<teammate-message teammate_id=\"lead\">\nResearch queues\n</teammate-message>"#;
    let found = agent(line("user", lead)).read(None);
    assert_eq!(found.turns[0].turn.prompt, "Research queues");
}

#[test]
fn warm_ups_are_nothing() {
    let warm_up = line("user", "Warmup") + &line("assistant", "I am ready.");
    let found = agent(&warm_up).read(None);
    assert_eq!((found.sessions.len(), found.turns.len()), (0, 0));
    let found = agent(warm_up.clone() + &line("user", "Now work")).read(None);
    assert_eq!(
        rendered(found.turns.iter().map(|collected| &collected.turn)),
        "0 Model: \"Now work\"\n"
    );
    assert_eq!(indexed(warm_up), "", "a sidechain of a main session, too");
}

/// Answers to a warm-up whose prompt is not in the file.
#[test]
fn answers_alone_are_nothing_until_a_call_comes() {
    let ready = line("assistant", "I am ready to explore.");
    let transcript = agent(&ready);
    let first = transcript.read(None);
    assert_eq!((first.sessions.len(), first.turns.len()), (0, 0));
    let more = ready + &line("assistant", "Still ready.");
    transcript.write(&more);
    let second = transcript.read(first.cursor.as_ref());
    assert_eq!((second.sessions.len(), second.turns.len()), (0, 0));
    let call = json!({"type": "assistant", "isSidechain": true, "sessionId": SESSION, "message":
        {"content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/w/a.rs"}}]}});
    let called = format!("{more}{call}\n");
    transcript.write(&called);
    let third = transcript.read(second.cursor.as_ref());
    assert_eq!(third.sessions[0].parent.as_deref(), Some(SESSION));
    let whole = rendered(third.turns.iter().map(|collected| &collected.turn));
    assert_snapshot!(whole, @r##"
    0 None: ""
      text "I am ready to explore."
      text "Still ready."
      call Read(t1) @/w/a.rs unfinished
    "##);
    let shown = rendered(&transcript.show(&third));
    assert_eq!(shown.lines().count(), whole.lines().count());
    transcript.write(called + &line("assistant", "It is done."));
    let fourth = transcript.read(third.cursor.as_ref());
    let rest = &fourth.turns[0].turn;
    assert!(rest.continues && rest.index == 0 && rest.parts.len() == 1);
}

#[test]
fn answers_before_a_prompt_come_with_it() {
    let ready = line("assistant", "I am ready.");
    let transcript = agent(&ready);
    let first = transcript.read(None);
    transcript.write(ready.clone() + &line("user", "Find the semicolon"));
    let found = transcript.read(first.cursor.as_ref());
    assert_snapshot!(rendered(found.turns.iter().map(|collected| &collected.turn)), @r##"
    0 None: ""
      text "I am ready."
    1 Model: "Find the semicolon"
    "##);
    let own = ready.replace("true", "false");
    assert_eq!(indexed(own), "0 None: \"\"\n  text \"I am ready.\"\n");
}

#[test]
fn a_user_may_type_warmup() {
    let line = r#"{"type":"user","message":"Warmup"}"#;
    assert_eq!(indexed(line), "0 Typed: \"Warmup\"\n");
}

#[test]
fn inline_sidechains_are_not_the_sessions_turns() {
    let content = r#"{"type":"user","message":"Ask an agent"}"#.to_owned()
        + "\n"
        + &line("user", "You are an agent")
        + &line("assistant", "Agent's words")
        + r#"{"type":"assistant","message":{"content":"It says hello."}}"#;
    assert_snapshot!(indexed(&content), @r##"
    0 Typed: "Ask an agent"
      text "It says hello."
    "##);
    assert_snapshot!(shown(&content), @r##"
    0 Typed: "Ask an agent"
      notice "You are an agent"
      notice "Agent's words"
      text "It says hello."
    "##);
}

/// A reply is counted once, also where replies of two subagents alternate.
#[test]
fn the_tokens_of_inline_sidechains_are_the_parents() {
    let usage = |output: u64| json!({"input_tokens": 3, "output_tokens": output});
    let reply = |side: bool, id: &str, output: u64| {
        json!({"type": "assistant", "isSidechain": side, "sessionId": SESSION, "message":
            {"id": id, "model": "claude-haiku-4-5", "content": "Yes.", "usage": usage(output)}})
    };
    let lines = [
        json!({"type": "user", "message": "Ask two agents"}),
        reply(false, "m1", 10),
        reply(true, "s1", 1),
        reply(true, "s2", 7),
        reply(true, "s1", 20),
        reply(true, "s2", 7),
        reply(false, "m1", 11),
    ];
    let content: String = lines
        .iter()
        .map(|line: &Value| format!("{line}\n"))
        .collect();
    let contents = searched(&[Transcript::new(content).read(None)]);
    let expected = TokenTotals {
        input: 9,
        cached: 0,
        output: 11 + 20 + 7,
    };
    assert_eq!(contents[0].turn_stats.tokens, expected);
}
