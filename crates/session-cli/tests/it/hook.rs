//! The hook in an agent's settings.

use crate::inject_hook::payload;
use crate::memory::MemoryProject;
use serde_json::Value;

const SETTINGS: &str = "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\n    ]\n  },\n  \"z\": 1.0\n}\n";

#[test]
fn it_is_shown_first_then_installed_and_removed() {
    let project = MemoryProject::new();
    let path = project.env.home(".claude/settings.json");
    project.env.write(&path, SETTINGS);
    let read = || fs_err::read_to_string(&path).unwrap();
    let ran = project.run(&["hook", "install"]).exits(2);
    assert!(
        ran.stderr().contains("+ ") && ran.stderr().contains("hook run"),
        "{ran}"
    );
    assert_eq!(read(), SETTINGS);
    project.run(&["hook", "install", "--yes"]).succeeded();
    let new: Value = serde_json::from_str(&read()).unwrap();
    let groups = new["hooks"]["UserPromptSubmit"].as_array().unwrap();
    assert_eq!(groups[0]["hooks"][0]["command"], "mine");
    let command = groups[1]["hooks"][0]["command"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(command.ends_with("session-search hook run"), "{command}");
    let backup = project.env.home(".claude/settings.json.backup");
    assert_eq!(fs_err::read_to_string(backup).unwrap(), SETTINGS);
    let installed = read();
    assert_eq!(
        project.json(&["hook", "install", "--yes"])["outcome"],
        "unchanged"
    );
    assert_eq!(read(), installed);
    let status = &project.json(&["hook", "status"])["hooks"];
    assert_eq!(
        (&status[0]["events"][0], &status[0]["works"]),
        (&"UserPromptSubmit".into(), &true.into())
    );
    project.run(&["hook", "uninstall", "--yes"]).succeeded();
    assert_eq!(read(), SETTINGS);
    project.run(&["hook", "status"]).exits(1);
}

#[test]
fn each_agent_has_the_hook_in_its_own_way() {
    let project = MemoryProject::new();
    for (agent, file, last) in [
        (
            "opencode",
            ".config/opencode/plugins/session-search.js",
            "PostToolUseFailure",
        ),
        ("codex", ".codex/hooks.json", "PostToolUse"),
    ] {
        let install = ["hook", "install", "--agent", agent, "--yes"];
        assert_eq!(project.json(&install)["outcome"], "written");
        let status = &project.json(&["hook", "status"])["hooks"];
        let of_agent = status.as_array().unwrap().last().unwrap().clone();
        assert_eq!(
            (&of_agent["agent"], &of_agent["events"][3]),
            (&agent.into(), &last.into())
        );
        // Codex skips it until it is trusted.
        assert_eq!(of_agent["works"], agent != "codex");
        let uninstall = ["hook", "uninstall", "--agent", agent, "--yes"];
        project.run(&uninstall).succeeded();
        assert!(!project.env.home(file).exists());
    }
    let events = [
        "hook",
        "install",
        "--agent",
        "opencode",
        "--event",
        "SessionStart",
    ];
    project.run(&events).exits(2);
}

#[test]
fn the_only_agent_gets_the_hook_and_who_has_it_is_named() {
    let project = MemoryProject::new();
    fs_err::create_dir_all(project.env.home(".codex")).unwrap();
    let hooks = project.env.home(".codex/hooks.json");
    project.run(&["hook", "install", "--yes"]).succeeded();
    assert!(hooks.exists() && !project.env.home(".claude/settings.json").exists());
    fs_err::create_dir_all(project.env.home(".claude/projects")).unwrap();
    let ran = project.run(&["hook", "uninstall", "--yes"]).succeeded();
    let note = "note: it is installed for Codex: `session-search hook uninstall --agent codex`\n";
    assert!(ran.stderr().ends_with(note) && hooks.exists(), "{ran}");
}

#[test]
fn a_patch_and_the_output_of_a_command_bring_memories_in_codex() {
    let project = MemoryProject::new();
    let when = ["--when-path", "db/**", "--when-error", "PoolTimedOut"];
    let id = project.save("Connection pool too small", "40 per pod", &when);
    let patch = "*** Begin Patch\n*** Add File: db/schema.sql\n+x\n*** End Patch\n";
    let patched = serde_json::json!({"tool_name": "apply_patch", "tool_input": {"command": patch}});
    let ran = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": "PoolTimedOut\n"});
    let own = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "uvx session-search memory list"}, "tool_response": "PoolTimedOut\n"});
    let answer = about_tool(&project, "PostToolUse", "s2", own);
    assert_eq!(answer, Value::Null, "its own output");
    for (event, session, call) in [("PreToolUse", "s1", patched), ("PostToolUse", "s2", ran)] {
        let answer = about_tool(&project, event, session, call);
        let context = answer["hookSpecificOutput"]["additionalContext"].to_string();
        assert!(context.contains(&id), "{answer}");
    }
}

/// The command that is installed answers as the settings' reader runs it: by a shell.
#[cfg(unix)]
#[test]
fn the_installed_command_answers_a_payload() {
    let project = MemoryProject::new();
    let id = project.save("Connection pool too small", "time-outs under load", &[]);
    project
        .run(&["hook", "install", "--project", "--yes"])
        .succeeded();
    let text = fs_err::read_to_string(project.env.home("shop/.claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let command = settings["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let payload = serde_json::json!({
        "session_id": "s1", "transcript_path": "/x.jsonl", "cwd": project.env.home("shop"),
        "hook_event_name": "UserPromptSubmit", "prompt": "is the connection pool too small for the load?",
    });
    let mut shell = std::process::Command::new("sh");
    project
        .env
        .isolate(shell.args(["-c", &format!("printf '%s' \"$PAYLOAD\" | {command}")]));
    let ran = project
        .env
        .ran(shell.env("PAYLOAD", payload.to_string()).output().unwrap())
        .succeeded();
    assert!(ran.stdout().contains(&id), "{ran}");
}

/// Returns the answer to a hook about a tool, and asserts that it succeeds.
fn about_tool(project: &MemoryProject, event: &str, session: &str, more: Value) -> Value {
    let mut asked = serde_json::json!({"session_id": session, "cwd": project.env.home("shop"), "hook_event_name": event, "permission_mode": "default"});
    let fields = more.as_object().unwrap().clone();
    asked.as_object_mut().unwrap().extend(fields);
    let ran = project.fed(&["hook", "run"], &asked.to_string());
    let answer = ran.succeeded().stdout();
    serde_json::from_str(&answer).unwrap_or_default()
}

#[test]
fn a_memory_comes_with_the_file_the_command_and_the_error_that_it_names() {
    let project = MemoryProject::new();
    let when = [
        "--when-path",
        "db/**",
        "--when-command",
        "psql *",
        "--when-error",
        "PoolTimedOut",
    ];
    let id = project.save("Connection pool too small", "40 per pod", &when);
    let file = project.env.home("shop/db/schema.sql");
    let read = serde_json::json!({"tool_name": "Read", "tool_input": {"file_path": file}});
    let ran =
        serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "cd x && psql -f a"}});
    let failed = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Exit code 3\n\u{1b}[31mPool\u{1b}[0mTimedOut"});
    for (event, session, call) in [
        ("PreToolUse", "s1", &read),
        ("PreToolUse", "s2", &ran),
        ("PostToolUseFailure", "s3", &failed),
    ] {
        let answer = about_tool(&project, event, session, call.clone());
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], event);
        assert!(
            output["additionalContext"].as_str().unwrap().contains(&id),
            "{answer}"
        );
        assert!(output.get("permissionDecision").is_none(), "{answer}");
        let again = about_tool(&project, event, session, call.clone());
        assert_eq!(again, Value::Null, "once a session");
    }
    let other = serde_json::json!({"tool_name": "Read", "tool_input": {"file_path": project.env.home("shop/src/a.rs")}});
    assert_eq!(about_tool(&project, "PreToolUse", "s4", other), Value::Null);
    let odd = serde_json::json!({"tool_name": "Read", "tool_input": [1]});
    assert_eq!(about_tool(&project, "PreToolUse", "s4", odd), Value::Null);
}

#[test]
fn a_memory_that_could_not_be_shown_is_injected() {
    let project = MemoryProject::new();
    let id = project.save("Commits", "sign them", &["--when-command", "git commit*"]);
    let run = |session: &str, event: &str, command: &str| {
        let call = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": command}, "error": "Exit code 1"});
        about_tool(&project, event, session, call)
    };
    let show = format!("cd /nope && session-search memory show {id}");
    for (session, is_injected) in [("s1", false), ("s2", true)] {
        run(session, "PreToolUse", &show);
        if is_injected {
            run(session, "PostToolUseFailure", &show);
        }
        let answer = run(session, "PreToolUse", "git commit -m x");
        assert_eq!(answer != Value::Null, is_injected, "{session}: {answer}");
    }
}

/// Claude Code goes to the directory of a `cd`, which may hold settings of its own.
#[test]
fn a_call_belongs_to_the_project_that_the_session_began_in() {
    let project = MemoryProject::new();
    let id = project.save("Migrations", "never edit one", &["--when-path", "db/"]);
    let shop = project.env.home("shop");
    let web = project.env.home("shop/web");
    fs_err::create_dir_all(web.join(".claude")).unwrap();
    let answer = |session: &str, start: Option<&std::path::Path>| {
        let call = serde_json::json!({"session_id": session, "cwd": web, "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "../db/1.sql"}});
        let mut command = project.command();
        command.args(["hook", "run"]);
        command.envs(start.map(|start| ("CLAUDE_PROJECT_DIR", start)));
        let ran = project.piped(command, &call.to_string());
        ran.succeeded().stdout()
    };
    // It has no memories: what the agent writes there cuts nobody off.
    assert!(answer("s1", None).contains(&id));
    fs_err::write(web.join(".claude/session-search.toml"), "").unwrap();
    assert_eq!(answer("s2", None), "");
    assert!(answer("s3", Some(&shop)).contains(&id));
}

#[test]
fn a_call_is_held_once_where_the_user_wants_it() {
    let project = MemoryProject::new();
    let id = project.save(
        "Migrations",
        "never edit one that has run",
        &["--when-path", "db/"],
    );
    project.configure("hook.hold = true", "");
    let call = |tool: &str| serde_json::json!({"tool_name": tool, "tool_input": {"file_path": project.env.home("shop/db/1.sql")}});
    let read = about_tool(&project, "PreToolUse", "s1", call("Read"));
    assert!(
        read["hookSpecificOutput"]["additionalContext"].is_string(),
        "{read}"
    );
    assert_eq!(
        about_tool(&project, "PreToolUse", "s1", call("Edit")),
        Value::Null,
        "it is known"
    );
    let edit = about_tool(&project, "PreToolUse", "s2", call("Edit"));
    let output = &edit["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    assert!(
        output["permissionDecisionReason"]
            .as_str()
            .unwrap()
            .contains(&id),
        "{edit}"
    );
    assert_eq!(
        about_tool(&project, "PreToolUse", "s2", call("Edit")),
        Value::Null
    );
    let run = |session: &str, command: &str| {
        let call = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": command}});
        let answer = about_tool(&project, "PreToolUse", session, call);
        answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    };
    assert!(!run("s4", "cat db/1.sql"), "it changes nothing");
    assert!(run("s5", "psql -f db/1.sql"));
    project.configure("", "");
    project.env.write(
        &project.env.home("shop/.claude/session-search.toml"),
        "hook.hold = true\n",
    );
    let edit = about_tool(&project, "PreToolUse", "s3", call("Edit"));
    assert!(
        edit["hookSpecificOutput"]["additionalContext"].is_string(),
        "{edit}"
    );
}

#[test]
fn the_task_of_a_subagent_gets_memories_where_the_user_wants_it() {
    let project = MemoryProject::new();
    let id = project.save(
        "Connection pool too small",
        "time-outs under load; 40 per pod",
        &[],
    );
    let prompt = "is the connection pool too small for the load?";
    let call = serde_json::json!({"tool_name": "Agent", "tool_input": {"prompt": prompt, "description": "look"}});
    let ask = || about_tool(&project, "PreToolUse", "s1", call.clone());
    assert_eq!(ask(), Value::Null);
    project.configure("hook.agent_prompts = true", "");
    let answer = ask();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], Value::Null);
    assert_eq!(output["updatedInput"]["description"], "look");
    let task = output["updatedInput"]["prompt"].as_str().unwrap();
    let (before, after) = task.split_once("\n\n<system-reminder>\n").unwrap();
    assert_eq!(before, prompt);
    assert!(after.contains(&id), "{answer}");
    assert_ne!(ask(), Value::Null, "another subagent does not know it");
    let whole = "a1000000-0000-4000-8000-000000000001";
    project
        .run(&["inject", "--session", whole, "--off"])
        .succeeded();
    let ask_in_whole = about_tool(&project, "PreToolUse", whole, call.clone());
    assert_eq!(ask_in_whole, Value::Null, "its session is switched off");
}

#[test]
fn settings_that_are_not_json_are_left_alone() {
    let project = MemoryProject::new();
    let path = project.env.home(".claude/settings.json");
    project.env.write(&path, "{ // mine\n}");
    let ran = project.run(&["hook", "install", "--yes"]).exits(2);
    assert!(ran.stderr().contains("cannot be changed"), "{ran}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "{ // mine\n}");
}

#[test]
fn status_notes_settings_that_are_not_json() {
    let project = MemoryProject::new();
    let path = project.env.home(".claude/settings.json");
    project.env.write(&path, "// mine\n{}");
    let said = project.run(&["hook", "status"]).exits(1).stderr();
    assert!(
        said.contains("settings.json") && said.contains("not valid JSON"),
        "{said}"
    );
}

#[test]
fn what_keeps_the_hook_from_working_is_said() {
    let project = MemoryProject::new();
    let user = project.env.home(".claude/settings.json");
    project.env.write(&user, "{\"disableAllHooks\": true}");
    let install = ["hook", "install", "--yes"];
    for _ in 0..2 {
        let said = project.run(&install).succeeded().stderr();
        assert!(said.contains("`disableAllHooks` in"), "{said}");
        assert!(!said.contains("it works"), "{said}");
    }
    let said = project.run(&["hook", "status"]).exits(1).stdout();
    assert!(said.contains("`disableAllHooks` turns it off"), "{said}");
    let said = project.run(&["doctor"]).stdout();
    assert!(said.contains("`disableAllHooks` in"), "{said}");
    let dead = "{\"hooks\": {\"Stop\": [], \"PreCompact\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/gone/session-search-v0.1.0 hook run\"}]}]}}";
    project.env.write(&user, dead);
    let said = project.run(&["hook", "status"]).exits(1).stdout();
    assert!(said.contains("its program is not there"), "{said}");
    let remedy = "hook install --agent claude --event PreCompact` repairs it";
    assert!(said.contains(remedy), "{said}");
    let said = project.run(&["doctor"]).exits(1).stdout();
    assert!(said.contains("`session-search hook status` says"), "{said}");
}

#[test]
fn tools_that_settings_leave_out_are_named() {
    let project = MemoryProject::new();
    let user = project.env.home(".claude/settings.json");
    let install = ["hook", "install", "--event", "PreToolUse", "--yes"];
    project.run(&install).succeeded();
    let installed = fs_err::read_to_string(&user).unwrap();
    let narrow = installed.replace("Read|Grep|Glob|Edit|MultiEdit|", "");
    project.env.write(&user, &narrow);
    let left_out = "the `matcher` of PreToolUse leaves out Read, Grep, Glob, Edit, MultiEdit\n";
    let said = project.run(&install).succeeded().stderr();
    assert!(said.contains(left_out), "{said}");
    let said = project.run(&["hook", "status"]).succeeded().stdout();
    assert!(said.contains(left_out), "{said}");
}

#[test]
fn the_users_own_settings_of_a_project_are_read() {
    let project = MemoryProject::new();
    let user = project.env.home(".claude/settings.json");
    project.run(&["hook", "install", "--yes"]).succeeded();
    let installed = fs_err::read_to_string(&user).unwrap();
    let local = project.env.home("shop/.claude/settings.local.json");
    project.env.write(&local, &installed);
    fs_err::remove_file(user).unwrap();
    let status = &project.json(&["hook", "status"])["hooks"];
    assert_eq!(status[2]["scope"], "local", "{status}");
    assert_eq!(status[2]["works"], true, "{status}");
}

/// The plugin and the settings may both have the hook: one of them answers.
#[test]
fn the_plugin_leaves_an_event_to_the_hook_of_the_settings() {
    let project = MemoryProject::new();
    project.save("Connection pool too small", "time-outs under load", &[]);
    let prompt = "is the connection pool too small for the load?";
    let answer = |session: &str| {
        let asked = payload(&project, prompt, session);
        let ran = project.fed(&["hook", "run", "--plugin"], &asked);
        ran.succeeded().stdout()
    };
    assert!(answer("s1").contains("Connection pool"));
    for place in [&[][..], &["--project"]] {
        let change = |command| project.run(&[&["hook", command, "--yes"], place].concat());
        change("install").succeeded();
        assert_eq!(answer("s2"), "", "{place:?}");
        change("uninstall").succeeded();
    }
    let start = ["hook", "install", "--event", "SessionStart", "--yes"];
    project.run(&start).succeeded();
    project.run(&["hook", "status"]).succeeded();
    assert!(answer("s3").contains("Connection pool"), "another event");
}

#[test]
fn status_names_the_setting_that_switches_injection_off() {
    let project = MemoryProject::new();
    project.run(&["hook", "install", "--yes"]).succeeded();
    let status = || project.run(&["hook", "status"]).succeeded().stderr();
    assert_eq!(status(), "");
    project.configure("enabled = false", "");
    let said = status();
    assert!(said.starts_with("note: `enabled = false` in "), "{said}");
    assert!(said.contains("config.toml"), "{said}");
}

#[test]
fn status_names_the_plugin() {
    let project = MemoryProject::new();
    project.run(&["hook", "status"]).exits(1);
    let settings = project.env.home(".claude/settings.json");
    let plugins = "{\"enabledPlugins\": {\"session-search@tools\": true}}";
    project.env.write(&settings, plugins);
    let said = project.run(&["hook", "status"]).succeeded().stderr();
    assert!(said.contains("session-search@tools"), "{said}");
    project.configure("bogus = [", "");
    let said = project.run(&["hook", "status"]).exits(1).stderr();
    let note = "note: the hook of the plugin prints nothing: ";
    assert!(
        said.contains(note) && said.contains("config.toml"),
        "{said}"
    );
    project.run(&["hook", "install", "--yes"]).succeeded();
    let said = project.run(&["hook", "status"]).exits(1);
    assert!(!said.stderr().contains(note), "told already: {said}");
}

#[test]
fn a_session_of_the_plugin_begins_with_a_word_about_a_second_skill() {
    let project = MemoryProject::new();
    let start = |source: &str| {
        let asked = serde_json::json!({"session_id": "s1", "cwd": project.env.home("shop"), "hook_event_name": "SessionStart", "source": source});
        let ran = project.fed(&["hook", "run", "--plugin"], &asked.to_string());
        ran.succeeded().stdout()
    };
    assert_eq!(start("startup"), "");
    project.run(&["skill", "install"]).succeeded();
    assert!(start("startup").contains("skill uninstall"));
    assert_eq!(start("resume"), "");
}

#[test]
fn an_unknown_argument_blocks_no_prompt() {
    let project = MemoryProject::new();
    for arguments in [
        &["hook", "run", "--future-flag"][..],
        &["hook", "--json", "run"],
        &["hook", "run", "now"],
        &["--quiet", "hook", "run", "--event", "PreToolUse"],
    ] {
        let ran = project.run(arguments).succeeded();
        assert_eq!(ran.stdout() + &ran.stderr(), "", "{arguments:?}");
    }
    let help = project.run(&["hook", "run", "--help"]).succeeded();
    assert!(help.stdout().contains("Usage:"), "{help}");
    project.run(&["hook", "install", "--future-flag"]).exits(2);
}
