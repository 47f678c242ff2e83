//! Sessions are resumed.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use session_store::Writer;

const MAIN: &str = "7a1e0c52-0000-4000-8000-000000000001";
const FAR: &str = "8b2f1d63-0000-4000-8000-000000000002";
const AGENT: &str = "agent-93c02e74";

/// A session in a folder that is there, one in a folder that is not, and a
/// subagent of the first.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let folder = env.home("app's code");
    fs_err::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let lit = |id: &str, cwd: &str| ClaudeTranscript::new(id, cwd).user("Light the lantern");
    env.write_transcript(&lit(MAIN, folder).assistant("Lit.").folder("app"));
    env.write_transcript(&lit(FAR, "/srv/gone").assistant("Lit again."));
    let agent = lit(AGENT, folder).agent_of(MAIN).folder("app");
    env.write_transcript(&agent.assistant("I lit it."));
    env.run(&["index"]).succeeded();
    env
}

#[test]
fn the_command_is_shown() {
    let env = env();
    assert_snapshot!(env.run(&["resume", "7a1e", "--print"]), @r#"
    exit code: 0
    ----- stdout -----
    cd "[TMP]/home/app's code" && claude --resume 7a1e0c52-0000-4000-8000-000000000001
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&["resume", "8b2f", "--print"]), @r"
    exit code: 0
    ----- stdout -----
    cd /srv/gone && claude --resume 8b2f1d63-0000-4000-8000-000000000002
    ----- stderr -----
    note: the session's folder `/srv/gone` is not there any more
    ");
    let json = env.json(&["resume", "7a1e"]);
    assert_eq!(json["path_exists"], true);
    assert_eq!(
        json["command"],
        serde_json::json!(["claude", "--resume", MAIN])
    );
    assert_eq!(env.json(&["resume", "8b2f"])["path_exists"], false);
}

#[test]
fn a_session_that_cannot_be_resumed_says_why() {
    let env = env();
    assert_snapshot!(env.run(&["resume", "8b2f"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the session's folder `/srv/gone` is not there any more
    hint: make it again, or `session-search show 8b2f1d63-0000-4000-8000-000000000002`
    ");
    assert_snapshot!(env.run(&["resume", AGENT, "--print"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: agent-93 is the session of a subagent, which cannot be resumed
    hint: `session-search resume 7a1e0c52` resumes the session that started it
    ");
    assert_snapshot!(env.run(&["resume", "ffff"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no session begins with `ffff`
    hint: `session-search search QUERY` prints ids
    ");
    fs_err::remove_dir_all(env.home(".claude/projects/app")).unwrap();
    assert_snapshot!(env.run(&["resume", "7a1e"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the history of 7a1e0c52 is gone, so its agent cannot resume it
    hint: `session-search show 7a1e0c52` has what was indexed of it
    ");
}

#[cfg(unix)]
#[test]
fn the_agent_is_started_in_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    let start = |path: &std::path::Path| {
        let mut command = env.command();
        command.args(["resume", "7a1e"]).env("PATH", path);
        env.ran(command.output().unwrap())
    };
    let bin = env.path("bin");
    fs_err::create_dir(&bin).unwrap();
    assert_snapshot!(start(&bin), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no `claude` on PATH
    hint: `session-search resume 7a1e0c52-0000-4000-8000-000000000001 --print` shows what to type
    ");
    let agent = bin.join("claude");
    fs_err::write(&agent, "#!/bin/sh\npwd\necho \"$@\"\nexit 7\n").unwrap();
    fs_err::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    let ran = start(&bin).exits(7);
    let folder = fs_err::canonicalize(env.home("app's code")).unwrap();
    assert_eq!(
        ran.stdout(),
        format!("{}\n--resume {MAIN}\n", folder.display())
    );
}

/// The agent gets the variables that this process leaves out for itself.
#[cfg(unix)]
#[test]
fn the_agent_gets_the_variables_that_were_removed() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    let agent = env.home("bin/claude");
    env.write(&agent, "#!/bin/sh\necho \"$RUST_MIN_STACK\"\n");
    fs_err::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = env.command();
    command.env("PATH", env.home("bin"));
    command.env("RUST_MIN_STACK", "8388608");
    let ran = env.ran(command.args(["resume", "7a1e"]).output().unwrap());
    assert_eq!(ran.succeeded().stdout(), "8388608\n");
}

/// Another shell names another home of the agent.
#[test]
fn a_session_of_a_home_that_no_variable_names_now_is_not_gone() {
    let env = env();
    let second = env.path("second");
    let id = "9c3a2e74-0000-4000-8000-000000000003";
    let transcript = ClaudeTranscript::new(id, "/srv/gone").user("Trim the beacon lamp");
    let path = transcript.path_in_home();
    let file = second.join(path.strip_prefix(".claude/").unwrap());
    env.write(&file, transcript.assistant("Trimmed.").text());
    let mut index = env.command();
    index.arg("index").env("CLAUDE_CONFIG_DIR", &second);
    env.ran(index.output().unwrap()).succeeded();
    let expected = format!(
        "CLAUDE_CONFIG_DIR={} claude --resume {id}\n",
        second.display()
    );
    let resume = || env.run(&["resume", id, "--print"]).succeeded().stdout();
    let writer = Writer::open(&env.index("")).unwrap();
    let unrefreshed = resume();
    assert!(unrefreshed.ends_with(&expected), "{unrefreshed}");
    drop(writer);
    env.run(&["index"]).succeeded();
    let hit = &env.json(&["search", "beacon lamp"])["hits"][0];
    assert_eq!((&hit["session"], &hit["gone"]), (&id.into(), &false.into()));
    let shown = env.run(&["show", id]).succeeded().stdout();
    assert!(
        !shown.contains("gone)") && !shown.contains("from the index"),
        "{shown}"
    );
    let line = resume();
    assert!(line.ends_with(&expected), "{line}");
    fs_err::remove_file(&file).unwrap();
    let refused = env.run(&["resume", id, "--print"]).exits(2);
    assert!(refused.stderr().contains("is gone"), "{refused}");
}

/// Claude Code without its variable, and with one that names its usual folder, keeps its account in two files.
#[test]
fn for_a_session_of_the_usual_folder_the_variable_is_unset() {
    let env = env();
    fs_err::create_dir_all(env.path("work/projects")).unwrap();
    let run = |args: &[&str]| {
        let mut command = env.command();
        command
            .args(args)
            .env("CLAUDE_CONFIG_DIR", env.path("work"));
        command.env("PATH", env.home("bin"));
        env.ran(command.output().unwrap())
    };
    let line = run(&["resume", "8b2f", "--print"]).succeeded().stdout();
    let expected = format!("cd /srv/gone && env -u CLAUDE_CONFIG_DIR claude --resume {FAR}\n");
    assert_eq!(line, expected);
    let json = run(&["resume", "8b2f", "--json"]).succeeded().stdout();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let unset = serde_json::json!({"CLAUDE_CONFIG_DIR": null});
    assert_eq!(json["environment"], unset);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let agent = env.home("bin/claude");
        env.write(&agent, "#!/bin/sh\necho \"${CLAUDE_CONFIG_DIR-unset}\"\n");
        fs_err::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
        let ran = run(&["resume", "7a1e"]);
        assert_eq!(ran.succeeded().stdout(), "unset\n");
    }
}

#[test]
fn a_session_in_a_folder_that_its_path_does_not_tell_is_refused() {
    let env = env();
    let id = "9c3a2e74-0000-4000-8000-000000000003";
    let lines = [
        serde_json::json!({"type": "session", "id": id, "timestamp": "2026-01-10T09:00:00Z", "cwd": "/srv/gone"}),
        serde_json::json!({"type": "message", "id": "a1b2c3d4", "timestamp": "2026-01-10T09:00:01Z",
            "message": {"role": "user", "content": "Trim the beacon lamp"}}),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n");
    env.write(&env.path(&format!("team/t_{id}.jsonl")), &(lines + "\n"));
    let mut index = env.command();
    index
        .arg("index")
        .env("PI_CODING_AGENT_SESSION_DIR", env.path("team"));
    env.ran(index.output().unwrap()).succeeded();
    env.run(&["index"]).succeeded();
    assert_snapshot!(env.run(&["resume", id, "--print"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the history of 9c3a2e74 is in a folder that no variable names now, so its agent does not find it
    hint: set the variable that named the folder, or `session-search show 9c3a2e74` has what was said in it
    ");
}

/// Without it the name would be that of another folder.
#[test]
fn no_folder_with_an_invisible_character_is_printed() {
    let env = TestEnvironment::new();
    let folder = env.home("app\u{200b}");
    let session = ClaudeTranscript::new(MAIN, folder.to_str().unwrap()).user("How is it lit?");
    env.write_transcript(&session.assistant("By hand.").folder("app"));
    for option in ["--print", "--json"] {
        let refused = env.run(&["resume", MAIN, option]).exits(2);
        assert_eq!(refused.stdout(), "");
        let hint = format!("hint: `session-search resume {MAIN}` starts its agent there\n");
        assert!(refused.stderr().ends_with(&hint), "{refused}");
    }
}
