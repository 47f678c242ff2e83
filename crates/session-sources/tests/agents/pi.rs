//! pi.

use crate::support::{
    AgentHome, check_damage, check_splits, indexed, lines, session, shown, source,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::TurnContent;
use session_sources::{Caller, Env, Source};

const ID: &str = "01a20000-0000-7000-8000-000000000001";
const PATH: &str = ".pi/agent/sessions/--home-ann-harbour--/2026-01-10T09-00-00-000Z_01a20000-0000-7000-8000-000000000001.jsonl";

fn pi() -> &'static dyn Source {
    source("pi")
}

fn entry(number: u32, kind: &str, mut fields: Value) -> Value {
    fields["type"] = kind.into();
    fields["id"] = format!("{number:08x}").into();
    fields["timestamp"] = format!("2026-01-10T09:00:{number:02}Z").into();
    fields
}

fn message(number: u32, message: Value) -> Value {
    entry(number, "message", json!({ "message": message }))
}

fn user(number: u32, words: &str) -> Value {
    let content = json!([{"type": "text", "text": words}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}]);
    message(number, json!({"role": "user", "content": content}))
}

fn assistant(number: u32, content: Value) -> Value {
    let usage = json!({"input": 10, "output": 3, "cacheRead": 100, "cacheWrite": 5});
    message(
        number,
        json!({"role": "assistant", "content": content, "model": "m1", "usage": usage, "stopReason": "toolUse"}),
    )
}

fn result(number: u32, call: &str, words: &str, is_error: bool) -> Value {
    let content = json!([{"type": "text", "text": words}]);
    message(
        number,
        json!({"role": "toolResult", "toolCallId": call, "content": content, "isError": is_error}),
    )
}

fn call(id: &str, name: &str, arguments: Value) -> Value {
    json!({"type": "toolCall", "id": id, "name": name, "arguments": arguments})
}

fn head() -> Value {
    json!({"type": "session", "version": 3, "id": ID, "timestamp": "2026-01-10T09:00:00Z", "cwd": "/home/ann/harbour"})
}

fn history() -> String {
    let edits = json!({"path": "oil.toml", "edits": [{"oldText": "0", "newText": "9"}]});
    lines(&[
        head(),
        entry(
            1,
            "model_change",
            json!({"provider": "mock", "modelId": "m1"}),
        ),
        message(
            2,
            json!({"role": "system", "content": "", "sections": {"preamble": "You are pi."}}),
        ),
        user(3, "Why is the lamp dark?"),
        assistant(
            4,
            json!([
                {"type": "thinking", "thinking": "The oil?"},
                {"type": "text", "text": "I will look."},
                call("c1", "bash", json!({"command": "lamp --test"})),
                call("c2", "edit", edits),
            ]),
        ),
        result(5, "c1", "error: no oil\n\nCommand exited with code 3", true),
        result(6, "c2", "edited", false),
        message(
            7,
            json!({"role": "bashExecution", "command": "ls /nowhere", "output": "ls: no such file\n", "exitCode": 2, "cancelled": false, "excludeFromContext": true}),
        ),
        user(8, "And the other?"),
        message(
            9,
            json!({"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "400 bad request"}),
        ),
        entry(10, "compaction", json!({"summary": "The lamp has oil."})),
        user(11, "Try again"),
        assistant(
            12,
            json!([{"type": "text", "text": "It burns."}, call("c3", "write", json!({"path": "/tmp/log", "content": "x"}))]),
        ),
        entry(13, "session_info", json!({"name": "Lamps"})),
    ])
}

#[test]
fn a_history_is_read() {
    assert_snapshot!(indexed(pi(), PATH, history()), @r##"
    0 Typed: "Why is the lamp dark?"
      text "I will look."
      call Bash(c1) $ "lamp --test" -> "error: no oil" failed
      call MultiEdit(c2) @/home/ann/harbour/oil.toml
    1 Command: "!!ls /nowhere"
      call Bash(00000007) $ "ls /nowhere" -> "ls: no such file" failed
    2 Typed: "And the other?"
      error "400 bad request"
    3 Typed: "Try again"
      text "It burns."
      call Write(c3) @/tmp/log unfinished
    "##);
}

#[test]
fn a_history_is_shown() {
    assert_snapshot!(shown(pi(), PATH, history()), @r##"
    0 Typed: "Why is the lamp dark?"
      thinking "The oil?"
      text "I will look."
      call Bash(c1) $ "lamp --test" {"command":"lamp --test"} -> "error: no oil\n\nCommand exited with code 3" failed
      call MultiEdit(c2) @/home/ann/harbour/oil.toml {"edits":[{"new_string":"9","old_string":"0"}],"file_path":"oil.toml"} -> "edited"
    1 Command: "!!ls /nowhere"
      call Bash(00000007) $ "ls /nowhere" {"command":"ls /nowhere"} -> "ls: no such file" failed
    2 Typed: "And the other?"
      error "400 bad request"
      summary "The lamp has oil."
    3 Typed: "Try again"
      text "It burns."
      call Write(c3) @/tmp/log {"content":"x","file_path":"/tmp/log"} unfinished
    "##);
}

/// The result of a script of the model lists what it ran.
fn scripted() -> String {
    let edits = json!([{"oldText": "0", "newText": "9"}]);
    let calls = json!([
        {"id": "c1/1", "name": "bash", "status": "ok", "arguments": {"command": "lamp --test"}, "durationMs": 39},
        {"id": "c1/2", "name": "bash", "status": "error", "arguments": {"command": "ls /nowhere"}, "durationMs": 52,
            "error": "ls: cannot access '/nowhere': No such file or directory\n\n\nCommand exited with code 2"},
        {"id": "c1/3", "name": "write", "status": "ok", "arguments": {"path": "log.txt", "content": "x"}},
        {"id": "c1/4", "name": "edit", "status": "error", "arguments": {"path": "oil.toml", "edits": edits},
            "error": "Could not find the exact text in oil.toml."},
        {"id": "c1/5", "name": "write", "status": "ok", "argumentsBytes": 9000},
        {"id": "c1/6", "name": "mcp__shop__order", "status": "ok", "arguments": {"what": "oil"}},
        {"id": "c1/7", "name": "bash", "status": "unfinished", "arguments": {"command": "sleep 90"}},
    ]);
    let code = "await tools.bash({command: \"lamp --test\"});";
    let mut done = result(3, "c1", "Script completed\nOutput:\nlit", false);
    done["message"]["nestedCalls"] = json!({"calls": calls, "complete": false});
    lines(&[
        head(),
        user(1, "Look at the lamp"),
        assistant(2, json!([call("c1", "codemode", json!({ "code": code }))])),
        done,
    ])
}

#[test]
fn what_a_script_ran_is_read() {
    assert_snapshot!(indexed(pi(), PATH, scripted()), @r##"
    0 Typed: "Look at the lamp"
      call codemode(c1)
      call Bash(c1/1) $ "lamp --test"
      call Bash(c1/2) $ "ls /nowhere" -> "ls: cannot access '/nowhere': No such file or directory" failed
      call Write(c1/3) @/home/ann/harbour/log.txt
      call MultiEdit(c1/4) @/home/ann/harbour/oil.toml -> "Could not find the exact text in oil.toml." failed
      call Write(c1/5)
      call mcp__shop__order(c1/6)
      call Bash(c1/7) $ "sleep 90" unfinished
    "##);
}

#[test]
fn what_a_script_ran_is_shown() {
    assert_snapshot!(shown(pi(), PATH, scripted()), @r##"
    0 Typed: "Look at the lamp"
      call codemode(c1) {"code":"await tools.bash({command: \"lamp --test\"});"} -> "Script completed\nOutput:\nlit"
      call Bash(c1/1) $ "lamp --test" {"command":"lamp --test"} -> ""
      call Bash(c1/2) $ "ls /nowhere" {"command":"ls /nowhere"} -> "ls: cannot access '/nowhere': No such file or directory\n\n\nCommand exited with code 2" failed
      call Write(c1/3) @/home/ann/harbour/log.txt {"content":"x","file_path":"log.txt"} -> ""
      call MultiEdit(c1/4) @/home/ann/harbour/oil.toml {"edits":[{"new_string":"9","old_string":"0"}],"file_path":"oil.toml"} -> "Could not find the exact text in oil.toml." failed
      call Write(c1/5) -> ""
      call mcp__shop__order(c1/6) {"what":"oil"} -> ""
      call Bash(c1/7) $ "sleep 90" {"command":"sleep 90"} -> "" unfinished
    "##);
}

#[test]
fn what_a_script_ran_may_be_split_and_damaged_anywhere() {
    check_splits(pi(), PATH, scripted().as_bytes());
    check_damage(pi(), PATH, scripted().as_bytes());
}

/// `pi @oil.toml @lamp.png "Why is the lamp dark?"` sends the text of the files first.
#[test]
fn attached_files_are_not_the_words_of_a_prompt() {
    let oil = "<file name=\"/home/ann/harbour/oil.toml\">\npumice = 0\n\n</file>\n";
    let lamp = "<file name=\"/home/ann/lamp.png\"></file>\n";
    let text = lines(&[
        head(),
        user(1, &format!("{oil}{lamp}Why is the lamp dark?")),
        user(2, lamp),
    ]);
    assert_snapshot!(indexed(pi(), PATH, &text), @r##"
    0 Typed: "Why is the lamp dark?\n\n@oil.toml @lamp.png"
      call Read() @/home/ann/harbour/oil.toml
      call Read() @/home/ann/lamp.png
    1 Typed: "@lamp.png"
      call Read() @/home/ann/lamp.png
    "##);
    let turns = AgentHome::with(pi(), PATH, &text).read(None).turns;
    let typed = turns.iter().map(|found| found.turn.typed_prompt());
    assert_eq!(typed.collect::<Vec<_>>(), ["Why is the lamp dark?", ""]);
}

#[test]
fn the_session_is_known_by_its_file() {
    let home = AgentHome::with(pi(), PATH, history());
    let found = home.read(None);
    let known = &found.sessions[0];
    assert_eq!(
        (known.id.as_str(), known.title.as_deref()),
        (ID, Some("Lamps"))
    );
    assert_eq!(known.cwd.as_deref(), Some("/home/ann/harbour"));
    assert_eq!(pi().resume(known).unwrap(), ["pi", "--session", ID]);
    assert_eq!(pi().fork(known).unwrap(), ["pi", "--fork", ID]);
    let counted = found.turns[0].turn.turn_stats.tokens;
    assert_eq!(
        (counted.input, counted.cached, counted.output),
        (15, 100, 3)
    );
    let moved = AgentHome::with(pi(), "elsewhere/sessions/a/b_c.jsonl", history());
    let variable = moved.path("elsewhere").display().to_string();
    let env = moved.env().var("PI_CODING_AGENT_DIR", &variable);
    assert_eq!(pi().locate(&env).locations.len(), 1);
}

#[test]
fn the_session_that_runs_a_command_is_known_by_a_variable() {
    let env = AgentHome::new(pi()).env();
    let caller = |env: &Env| pi().agent().caller(env);
    assert_eq!(caller(&env), None);
    let inside = env.var("PI_CODING_AGENT", "true");
    assert_eq!(caller(&inside), Some(Caller::Unnamed));
    let named = inside.var("PI_SESSION_ID", ID);
    assert_eq!(caller(&named), Some(Caller::Session(ID.to_owned())));
}

#[test]
fn an_id_that_the_user_gave_may_hold_underscores() {
    let path = PATH.replace(ID, "team_1");
    assert_eq!(session(pi(), &path, history()).id, "team_1");
}

#[test]
fn what_powershell_ran_is_a_command() {
    let ran = call("t1", "powershell", json!({"command": "Get-ChildItem oil"}));
    let lines = lines(&[head(), user(1, "Look"), assistant(2, json!([ran]))]);
    let turns = AgentHome::with(pi(), PATH, lines).read(None).turns;
    let commands = TurnContent::from_turn(&turns[0].turn).commands;
    assert_eq!(commands, ["Get-ChildItem oil"]);
}

#[test]
fn a_fork_names_its_origin_and_its_copies_are_known() {
    let mut fork = head();
    fork["parentSession"] =
        "/home/ann/.pi/agent/sessions/x/2026-01-10T09-00-00-000Z_01a2.jsonl".into();
    let fork = lines(&[
        fork,
        user(3, "Why is the lamp dark?"),
        user(30, "And then?"),
    ]);
    assert_eq!(
        session(pi(), PATH, &fork).forked_from.as_deref(),
        Some("01a2")
    );
    let turns = AgentHome::with(pi(), PATH, fork).read(None).turns;
    let origins = AgentHome::with(pi(), PATH, history()).read(None).turns;
    assert_eq!(turns[0].turn.origin, origins[0].turn.origin);
    assert_ne!(turns[1].turn.origin, origins[1].turn.origin);
}

#[test]
fn a_shell_escape_that_was_cancelled_is_unfinished() {
    let ran = json!({"role": "bashExecution", "command": "make", "output": "", "cancelled": true});
    let text = lines(&[head(), message(1, ran)]);
    assert!(indexed(pi(), PATH, text).ends_with("$ \"make\" unfinished\n"));
}

#[test]
fn a_read_goes_on_wherever_it_stopped() {
    check_splits(pi(), PATH, history().as_bytes());
}

#[test]
fn no_bytes_are_fatal() {
    check_damage(pi(), PATH, history().as_bytes());
}

#[test]
fn sessions_may_lie_in_a_folder_of_their_own() {
    let home = AgentHome::with(pi(), PATH, history());
    home.write("talks/2026-01-11T09-00-00-000Z_b2.jsonl", history());
    let found = |folder: &str| {
        let env = home.env().var("PI_CODING_AGENT_SESSION_DIR", folder);
        let listing = pi().locate(&env);
        (listing.locations.len(), listing.warnings.len())
    };
    assert_eq!(found("~/talks"), (2, 0));
    assert_eq!(found("~/none"), (1, 1));
    home.write(
        "talks/--home-ann--/2026-01-12T09-00-00-000Z_b3.jsonl",
        history(),
    );
    assert_eq!(found("~/talks"), (3, 0));
    // Where the folder is one of projects, their files are none of pi's.
    home.write("src/app/data/2026-01-12T09-00-00-000Z_b4.jsonl", history());
    home.write("src/clone/2026-01-12T09-00-00-000Z_b5.jsonl", history());
    home.write("src/clone/.git/HEAD", "");
    home.write("src/archive/2026-01-12T09-00-00-000Z_b6.jsonl", history());
    home.write("src/archive/.envrc", "");
    assert_eq!(found("~/src"), (1, 2));
}

/// A variable may name the folder above those of projects.
#[test]
fn a_project_below_the_folder_of_a_variable_holds_no_sessions() {
    let home = AgentHome::new(pi());
    home.write("src/sessions/clone/deep/a_b5.jsonl", history());
    let env = home.env().var("PI_CODING_AGENT_DIR", "~/src");
    assert_eq!(pi().locate(&env).locations.len(), 1);
    home.write("src/sessions/clone/.git/HEAD", "");
    assert_eq!(pi().locate(&env).locations.len(), 0);
    home.write(".pi/agent/sessions/own/a_b6.jsonl", history());
    home.write(".pi/agent/sessions/own/.git/HEAD", "");
    assert_eq!(
        pi().locate(&home.env()).locations.len(),
        1,
        "no variable named it"
    );
}
