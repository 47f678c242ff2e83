//! Codex CLI.

use crate::codex_history::{
    ID, PATH, call, codex, content, event, item, legacy, meta, output, paginated, started, user,
};
use crate::support::{AgentHome, check_damage, check_splits, indexed, lines, session, shown};
use crate::turns::{joined, rendered, searched};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::{SessionMeta, TokenTotals, Turn};
use session_sources::Caller;

#[test]
fn a_legacy_history_is_read() {
    assert_snapshot!(indexed(codex(), PATH, legacy()), @r##"
    0 Typed: "Fix the flaky test"
      text "I look at it."
      call Bash(c1) $ "cargo test" -> "test a ... FAILED" failed
      call ApplyPatch(c2) @/home/ann/app/src/a.rs @/home/ann/app/src/b.rs
      call ApplyPatch(c3) @/home/ann/app/c.rs -> "apply_patch verification failed: no such file" failed
      text "Done."
    1 Typed: "And what is this?"
    2 Typed: "Go on"
      error "You've hit your usage limit."
    "##);
}

#[test]
fn a_legacy_history_is_shown() {
    assert_snapshot!(shown(codex(), PATH, legacy()), @r##"
    0 Typed: "Fix the flaky test"
      thinking "Look first."
      text "I look at it."
      call Bash(c1) $ "cargo test" {"command":"cargo test","workdir":"/home/ann/app"} -> "running\ntest a ... FAILED" failed
      call ApplyPatch(c2) @/home/ann/app/src/a.rs @/home/ann/app/src/b.rs {"patch":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n-1\n+2\n*** Add File: src/b.rs\n+3\n*** End Patch"} -> "Success."
      call ApplyPatch(c3) @/home/ann/app/c.rs {"patch":"cd /home/ann/app && apply_patch <<'E'\n*** Begin Patch\n*** Delete File: c.rs\n*** End Patch\nE"} -> "apply_patch verification failed: no such file" failed
      text "Done."
    1 Typed: "And what is this?"
      notice "turn interrupted"
    2 Typed: "Go on"
      error "You've hit your usage limit."
    "##);
}

#[test]
fn a_paginated_history_is_read() {
    assert_snapshot!(indexed(codex(), PATH, paginated()), @r##"
    0 Typed: "Start the server"
      text "It starts."
      call Bash(c1) $ "make serve" failed
      call BashOutput(c2) -> "fatal: port is taken" failed
    1 Typed: "And tell me the port"
      call AskUserQuestion(c3)
      call Task(c4) subagent=019e0000-0000-7000-8000-000000000002
      call mcp__docs__find(c5)
      call WebSearch()
    2 Command: "!ls"
      call Bash(u1) $ "ls" -> "ls: denied" failed
    3 Command: "/review current changes"
      text "Good."
      text "P1\nA leak."
      error "400 bad request"
    "##);
}

#[test]
fn a_paginated_history_is_shown() {
    assert_snapshot!(shown(codex(), PATH, paginated()), @r##"
    0 Typed: "Start the server"
      text "It starts."
      call Bash(c1) $ "make serve" {"command":"make serve"} -> "listening" failed
      call BashOutput(c2) {"chars":"","session_id":77} -> "fatal: port is taken" failed
    1 Typed: "And tell me the port"
      call AskUserQuestion(c3) {"questions":[{"id":"q","question":"Which port?"}]} -> "{\"answers\":{\"q\":{\"answers\":[\"8080\"]}}}"
      call Task(c4) {"prompt":"Find the port","subagent_type":"default"} -> "{\"agent_id\":\"019e0000-0000-7000-8000-000000000002\",\"nickname\":\"Kepler\"}" subagent=019e0000-0000-7000-8000-000000000002
      call mcp__docs__find(c5) {"q":"port"} -> "found"
      call WebSearch() {"query":"ports","type":"search"}
    2 Command: "!ls"
      call Bash(u1) $ "ls" {"command":"ls"} -> "ls: denied" failed
      summary "Another language model: A summary of all that was said."
    3 Command: "/review current changes"
      text "Good."
      text "P1\nA leak."
      error "400 bad request"
    "##);
}

#[test]
fn a_process_that_is_not_seen_to_end_is_unfinished() {
    let [task, context] = started("t1");
    let running = "Chunk ID: 1a\nProcess running with session ID 77\nOutput:\nlistening\n";
    let text = content(&[
        meta(json!({})),
        task,
        context,
        user("Serve"),
        call("c1", "exec_command", &json!({"cmd": "make serve"})),
        output("c1", running),
    ]);
    assert!(indexed(codex(), PATH, &text).ends_with("$ \"make serve\" unfinished\n"));
    assert!(shown(codex(), PATH, &text).ends_with("-> \"listening\" unfinished\n"));
}

#[test]
fn questions_and_their_answers_are_searched() {
    let found = AgentHome::with(codex(), PATH, paginated()).read(None);
    let contents = searched(&[found]);
    assert_eq!(contents[1].prompt, "And tell me the port\n\n8080");
    assert!(contents[1].answer.contains("Which port?"));
    assert_eq!(contents[0].errors, ["fatal: port is taken"]);
}

#[test]
fn tokens_are_counted_once() {
    let found = AgentHome::with(codex(), PATH, legacy()).read(None);
    let stats: Vec<_> = found
        .turns
        .iter()
        .map(|collected| &collected.turn.turn_stats)
        .collect();
    let once = TokenTotals {
        input: 20,
        cached: 10,
        output: 5,
    };
    assert_eq!(stats[0].tokens, once);
    assert_eq!(stats[0].models, ["gpt-x"]);
    assert_eq!(
        (stats[1].tokens, stats[2].tokens),
        (TokenTotals::default(), once)
    );
}

/// Two answers may lie between two counts, of which the later names its own answer alone.
#[test]
fn tokens_are_counted_by_what_the_thread_has_more() {
    let count = |total: [u64; 3], last: u64| {
        let usage = |[input, cached, output]: [u64; 3]| json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output});
        event(json!({"type": "token_count", "info":
            {"total_token_usage": usage(total), "last_token_usage": usage([last, 0, 1])}}))
    };
    let tokens = |counts: &[(&'static str, Value)]| {
        let first = [meta(json!({})), user("Fix it")];
        let text = content(&[&first, counts].concat());
        let contents = searched(&[AgentHome::with(codex(), PATH, text).read(None)]);
        let tokens = contents[0].turn_stats.tokens;
        [tokens.input, tokens.cached, tokens.output]
    };
    // A thread may begin with the counts of another.
    let mut counts = vec![count([1000, 400, 50], 70)];
    assert_eq!(tokens(&counts), [70, 0, 1]);
    counts.push(count([1100, 440, 55], 20));
    assert_eq!(tokens(&counts), [70 + 60, 40, 1 + 5]);
    counts.push(count([90, 0, 2], 30));
    assert_eq!(tokens(&counts), [70 + 60 + 30, 40, 1 + 5 + 1]);
    counts.push(count([120, 0, 3], 30));
    assert_eq!(tokens(&counts), [70 + 60 + 30 + 30, 40, 1 + 5 + 1 + 1]);
}

#[test]
fn a_session_is_described() {
    let found = session(codex(), PATH, paginated());
    let expected = SessionMeta {
        id: ID.to_owned(),
        title: Some("The server".to_owned()),
        cwd: Some("/home/ann/app".to_owned()),
        branch: Some("main".to_owned()),
        ..SessionMeta::default()
    };
    assert_eq!(found, expected);
    assert_eq!(codex().resume(&found).unwrap(), ["codex", "resume", ID]);
    assert_eq!(codex().fork(&found).unwrap(), ["codex", "fork", ID]);
    let env = AgentHome::new(codex()).env().var("CODEX_THREAD_ID", ID);
    assert_eq!(
        codex().agent().caller(&env),
        Some(Caller::Session(ID.to_owned()))
    );
}

#[test]
fn the_name_that_the_user_gave_last_is_the_title() {
    let home = AgentHome::with(codex(), PATH, legacy());
    let named = |id: &str, name: &str| json!({"id": id, "thread_name": name});
    let index = [named(ID, "First"), named(ID, "Second"), named("other", ID)];
    home.write(".codex/session_index.jsonl", lines(&index));
    let titles = home
        .read(None)
        .sessions
        .pop()
        .and_then(|session| session.title);
    assert_eq!(titles.as_deref(), Some("Second"));
}

#[test]
fn a_name_may_stand_in_the_database_alone() {
    let home = AgentHome::with(codex(), PATH, legacy());
    let database = |version: u32, name: &str| {
        let path = home.path(&format!(".codex/state_{version}.sqlite"));
        let tables = format!(
            "CREATE TABLE threads (id TEXT, title TEXT, name TEXT);
             INSERT INTO threads VALUES ('{ID}', 'Its first prompt', {name})"
        );
        let database = rusqlite::Connection::open(path).unwrap();
        database.execute_batch(&tables).unwrap();
    };
    let title = || home.read(None).sessions.pop()?.title;
    database(4, "'Older'");
    assert_eq!(title().as_deref(), Some("Older"));
    database(5, "'Dark lamp'");
    assert_eq!(title().as_deref(), Some("Dark lamp"));
    database(11, "NULL");
    assert_eq!(title(), None);
}

#[test]
fn a_name_that_the_database_would_compute_is_none() {
    let home = AgentHome::with(codex(), PATH, legacy());
    let database = rusqlite::Connection::open(home.path(".codex/state_5.sqlite")).unwrap();
    let tables = format!(
        "CREATE TABLE threads (id TEXT, title TEXT, name TEXT AS (hex(zeroblob(9))) VIRTUAL);
         INSERT INTO threads (id) VALUES ('{ID}')"
    );
    database.execute_batch(&tables).unwrap();
    assert_eq!(home.read(None).sessions[0].title, None);
}

#[test]
fn subagents_are_a_models() {
    let parent = "019e0000-0000-7000-8000-000000000009";
    let spawned = json!({"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}});
    for (source, of) in [
        (spawned, Some(parent)),
        (json!({"subagent": "memory"}), None),
    ] {
        let text = content(&[meta(json!({"source": source})), user("Find it")]);
        assert_eq!(indexed(codex(), PATH, &text), "0 Model: \"Find it\"\n");
        assert_eq!(session(codex(), PATH, &text).parent.as_deref(), of);
    }
}

/// The copied lines have new times, and the ids of turns that they had.
#[test]
fn a_legacy_fork_begins_with_copies() {
    let other = "019e0000-0000-7000-8000-000000000002";
    let [task, context] = started("t1");
    let own = [
        meta(json!({})),
        task.clone(),
        context.clone(),
        user("First"),
        user("Second"),
    ];
    let forked = [
        meta(json!({"id": other, "forked_from_id": ID})),
        meta(json!({})),
        task,
        context,
        user("First"),
        user("Second"),
        event(json!({"type": "task_started", "turn_id": "t9"})),
        user("Third"),
    ];
    let origins = |text: &str| {
        let found = AgentHome::with(codex(), PATH, text).read(None);
        let session = found.sessions.last().cloned().unwrap();
        let origins = found
            .turns
            .into_iter()
            .filter_map(|collected| collected.turn.origin);
        (session, origins.collect::<Vec<_>>())
    };
    let (session, copied) = origins(&content(&forked));
    assert_eq!(
        (session.id.as_str(), session.forked_from.as_deref()),
        (other, Some(ID))
    );
    assert_eq!(copied[..2], origins(&content(&own)).1);
    assert_eq!(copied, ["t1/0", "t1/1", "t9/0"]);
}

const SEGMENT: &str = "_019e0000-0000-7000-8000-00000000000a";

/// The file that Codex begins when the user takes turns back.
fn segment() -> (String, String) {
    let path = PATH.replace(".jsonl", &format!("{SEGMENT}.jsonl"));
    let text = content(&[
        meta(json!({"history_base": {"thread_id": ID}})),
        user("Instead"),
    ]);
    (path, text)
}

#[test]
fn what_follows_an_undo_goes_on_with_the_thread() {
    let (path, text) = segment();
    let first = content(&[meta(json!({})), user("First"), user("Second")]);
    let home = AgentHome::with(codex(), PATH, &first);
    let before = home.read(None);
    home.write(&path, &text);
    assert_eq!(home.found(), [PATH]);
    let added = home.read(before.cursor.as_ref());
    let whole = home.read(None);
    assert_eq!(
        joined(&[before, added]),
        joined(std::slice::from_ref(&whole))
    );
    let prompts = |turns: Vec<Turn>| {
        turns
            .into_iter()
            .map(|turn| turn.prompt)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        prompts(joined(std::slice::from_ref(&whole))),
        ["First", "Second", "Instead"]
    );
    assert_eq!(prompts(home.show(&whole)), ["First", "Second", "Instead"]);
    assert_eq!(whole.sessions.last().unwrap().id, ID);
    // The segment goes on in its turn.
    home.write(&path, format!("{text}{}", content(&[user("And then")])));
    let more = home.read(whole.cursor.as_ref());
    assert_eq!(prompts(joined(&[whole, more]))[3..], ["And then"]);
}

#[test]
fn a_segment_without_its_thread_is_a_session() {
    let (path, text) = segment();
    let found = session(codex(), &path, &text);
    assert_eq!(found.id, format!("{ID}{SEGMENT}"));
    assert_eq!(found.forked_from.as_deref(), Some(ID));
    assert_eq!(codex().resume(&found).unwrap(), ["codex", "resume", ID]);
}

#[test]
fn bare_items_of_old_versions_are_read() {
    let message = |role: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]});
    let text = lines(&[
        json!({"id": ID, "timestamp": "2025-06-01T10:00:00Z", "instructions": null, "git": {"branch": "main"}}),
        message("user", "<environment_context>\n</environment_context>"),
        message("user", "List the files"),
        json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"ls\"]}", "call_id": "c1"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"error: no\",\"metadata\":{\"exit_code\":1}}"}),
        json!({"type": "local_shell_call", "call_id": "c2", "action": {"type": "exec", "command": ["ls", "-l"]}}),
        message("assistant", "There are none."),
    ]);
    assert_snapshot!(indexed(codex(), PATH, text), @r##"
    0 Typed: "List the files"
      call Bash(c1) $ "ls" -> "error: no" failed
      call Bash(c2) $ "ls -l" unfinished
      text "There are none."
    "##);
}

/// Events tell what was typed; only a whole block is a program's.
#[test]
fn prompts_that_begin_as_a_programs_text_are_prompts() {
    let typed = [
        "# AGENTS.md instructions for the build are wrong",
        "<user_instructions> is what I see, why?",
    ];
    let block = "<environment_context>\n<cwd>/a</cwd>\n</environment_context>";
    let events = [typed[0], block, typed[1]].map(user);
    let records = [&[meta(json!({}))][..], &events].concat();
    let turns = indexed(codex(), PATH, content(&records));
    let prompts = typed.iter().zip(0..);
    let expected: String = prompts
        .map(|(text, n)| format!("{n} Typed: {text:?}\n"))
        .collect();
    assert_eq!(turns, expected);
}

/// Where there is an event for it, too, that one counts.
#[test]
fn a_shell_escape_is_told_once() {
    let told = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 2\nDuration: 0.1 seconds\nOutput:\nls: denied\n</result>\n</user_shell_command>";
    let told = item(
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": told}]}),
    );
    let end = event(
        json!({"type": "exec_command_end", "call_id": "u1", "source": "user_shell", "command": ["/bin/bash", "-lc", "ls"], "status": "failed", "aggregated_output": "ls: denied\n"}),
    );
    let alone = indexed(codex(), PATH, content(&[meta(json!({})), told.clone()]));
    let both = indexed(codex(), PATH, content(&[meta(json!({})), end, told]));
    assert_snapshot!(alone, @r##"
    0 Command: "!ls"
      call Bash(shell-1) $ "ls" -> "ls: denied" failed
    "##);
    assert_eq!(alone.replace("shell-1", "u1"), both);
}

#[test]
fn prompts_are_left_of_a_thread_that_is_gone() {
    let home = AgentHome::new(codex());
    let prompt = |id: &str, ts: u64, text: &str| json!({"session_id": id, "ts": ts, "text": text});
    let prompts = [
        prompt("a", 1_780_000_000, "Find the leak"),
        prompt("a", 1_780_000_060, "!ls"),
    ];
    home.write(".codex/history.jsonl", lines(&prompts));
    home.write(PATH, legacy());
    let reads = home.read_all();
    let history = reads.last().unwrap();
    assert!(history.sessions[0].prompts_only);
    assert_eq!(history.turns[0].turn.started_ms, Some(1_780_000_000_000));
    let turns = history.turns.iter().map(|collected| &collected.turn);
    assert_snapshot!(rendered(turns), @r##"
    0 Typed: "Find the leak"
    1 Command: "!ls"
      call Bash() $ "ls"
    "##);
}

#[test]
fn archived_and_packed_histories_are_found() {
    let home = AgentHome::new(codex());
    let name = PATH.rsplit('/').next().unwrap();
    home.write(&format!(".codex/archived_sessions/{name}"), legacy());
    home.write(
        &format!(".codex/sessions/{name}.zst"),
        zstd::encode_all(legacy().as_bytes(), 3).unwrap(),
    );
    home.write(".codex/sessions/2026/notes.jsonl", legacy());
    home.write(".codex/log/rollout-x.jsonl", legacy());
    assert_eq!(home.found().len(), 2);
    let reads = home.read_all();
    assert_eq!(reads[0].turns, reads[1].turns);
    assert_eq!(
        codex()
            .locate(&home.env().var("CODEX_HOME", "~/none"))
            .warnings
            .len(),
        1
    );
}

#[test]
fn files_may_be_split_and_damaged_anywhere() {
    for content in [legacy(), paginated()] {
        check_splits(codex(), PATH, content.as_bytes());
        check_damage(codex(), PATH, content.as_bytes());
    }
}

/// The thread goes on in a file that cannot be read. What was read of the turn at hand may be less than an index has of it.
#[cfg(target_os = "linux")]
#[test]
fn a_read_that_breaks_off_is_repeated() {
    use session_sources::{CollectingSink, Retry};
    let (path, text) = segment();
    let home = AgentHome::with(codex(), PATH, content(&[meta(json!({})), user("First")]));
    let first = home.read(None);
    let more = [
        meta(json!({})),
        user("First"),
        user("Second"),
        user("Third"),
    ];
    home.write(PATH, content(&more));
    home.write(&path, text);
    let location = home.locate().locations.remove(0);
    let read = |from| {
        let mut found = CollectingSink::default();
        codex().read(&location, from, &mut found);
        found
    };
    let whole = joined(&[read(None)]);
    session_test::files::make_unreadable(&home.path(&path));

    let begun = read(None);
    assert_eq!(joined(std::slice::from_ref(&begun)), whole[..2]);
    assert_eq!(begun.cursor, None, "it is read from its beginning");
    assert_eq!(begun.warnings[0].retry, Retry::NextRefresh);

    let added = read(first.cursor.as_ref());
    assert_eq!(added.warnings[0].retry, Retry::NextRefresh);
    fs_err::remove_file(home.path(&path)).unwrap();
    home.write(&path, segment().1);
    let rest = read(added.cursor.as_ref());
    let prompts = |turns: Vec<Turn>| turns.into_iter().map(|turn| turn.prompt);
    let found = prompts(joined(&[first, added, rest])).collect::<Vec<_>>();
    assert_eq!(found, ["First", "Second", "Third", "Instead"]);
}
