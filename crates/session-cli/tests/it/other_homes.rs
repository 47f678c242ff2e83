//! The histories of other machines, in home folders that the configuration lists.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use serde_json::Value;

const OWN: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const OLD: &str = "bbbbbbbb-0000-4000-8000-000000000002";

fn session(id: &str, words: &str) -> ClaudeTranscript {
    ClaudeTranscript::new(id, "/home/ann/garden")
        .user(words)
        .assistant("Done.")
}

/// A home with one session, and the homes of an old machine, with another one, and of a machine that is away.
fn environment() -> TestEnvironment {
    let env = TestEnvironment::new();
    let homes = ["old", "away"].map(|home| env.path(home));
    let config = format!(
        "model = \"table\"\nbackground = false\n[sources]\nhomes = {:?}\n",
        homes.map(|home| home.display().to_string())
    );
    fs_err::write(env.path("config/config.toml"), config).unwrap();
    env.write_transcript(&session(OWN, "Prune the espalier pear"));
    write_old(&env, &session(OLD, "Sharpen the secateurs"));
    env
}

fn write_old(env: &TestEnvironment, transcript: &ClaudeTranscript) {
    let path = env.path("old").join(transcript.path_in_home());
    env.write(&path, transcript.text());
}

fn hit(env: &TestEnvironment, query: &str) -> Value {
    let answer = env.json(&["search", query, "--keyword-only"]);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1, "{answer}");
    answer["hits"][0].clone()
}

#[test]
fn a_session_of_another_machine_is_found_and_shown_and_not_resumed() {
    let env = environment();
    let found = hit(&env, "secateurs");
    assert_eq!(
        (&found["session"], &found["gone"]),
        (&OLD.into(), &false.into())
    );
    assert_eq!(found["resume"], Value::Null);
    assert_eq!(
        hit(&env, "espalier")["resume"],
        format!("claude --resume {OWN}")
    );
    let shown = env.json(&["show", "bbbb"]);
    assert_eq!(shown["shown"][0]["origin"], "history");
    assert_snapshot!(env.run(&["resume", "bbbb", "--print"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: bbbbbbbb is a session of another machine, so its agent cannot resume it here
    hint: `session-search export bbbbbbbb` writes all that was said, for a new session to read
    ");
    env.run(&["export", "bbbb", "--format", "markdown"])
        .succeeded();
}

#[test]
fn a_home_that_is_away_is_named_and_its_sessions_stay() {
    let env = environment();
    env.run(&["index"]).succeeded();
    let homes = |env: &TestEnvironment| {
        let status = env.json(&["status"]);
        let homes = status["homes"].as_array().unwrap().clone();
        homes
            .iter()
            .map(|home| home["exists"] == true)
            .collect::<Vec<_>>()
    };
    assert_eq!(homes(&env), [true, false]);
    let away = env.path("away").display().to_string();
    let doctor = env.run(&["doctor"]).stdout();
    assert!(
        doctor.contains(&format!("the home folder `{away}` is not there")),
        "{doctor}"
    );
    fs_err::rename(env.path("old"), env.path("unmounted")).unwrap();
    assert_eq!(hit(&env, "secateurs")["gone"], true);
    assert_eq!(homes(&env), [false, false]);
    assert_eq!(env.problems(), [""; 0]);
    fs_err::rename(env.path("unmounted"), env.path("old")).unwrap();
    assert_eq!(hit(&env, "secateurs")["gone"], false);
}

#[test]
fn a_folder_in_the_home_that_was_meant_is_named() {
    let env = environment();
    let old = env.path("old").display().to_string();
    let table = format!("[sources]\nhomes = [{:?}]\n", format!("{old}/.claude"));
    env.write(&env.path("config/config.toml"), table);
    env.run(&["index"]).succeeded();
    let status = env.json(&["status"]);
    assert_eq!(status["homes"][0]["has_history"], false, "{status}");
    let hint = format!("no agent's history is found in it; `{old}` has one");
    let doctor = env.json(&["doctor"]);
    assert!(doctor["findings"].to_string().contains(&hint), "{doctor}");
}

/// The other machine went on with it: what it has beyond the own home is found there.
#[test]
fn an_id_that_both_machines_have_names_the_own_session() {
    let env = environment();
    let longer = session(OWN, "Prune the espalier pear").user("And the quince hedge?");
    write_old(&env, &longer.assistant("Only the inward shoots."));
    let shown = env.json(&["show", OWN]);
    assert_eq!(shown["turns"], 1);
    env.run(&["resume", OWN, "--print"]).succeeded();
    assert_eq!(
        hit(&env, "espalier")["resume"],
        format!("claude --resume {OWN}")
    );
    assert_eq!(hit(&env, "quince")["resume"], Value::Null);
    let listed = env.run(&["search", "quince", "--keyword-only"]).stdout();
    assert!(listed.contains('#'), "the other one has a number: {listed}");
    let (_, number) = listed.split_once('#').unwrap();
    let number = number.split(':').next().unwrap();
    let hint = format!("hint: `session-search export '#{number}'` writes");
    let refused = env.run(&["resume", &format!("#{number}")]).exits(2);
    assert!(refused.stderr().contains(&hint), "{refused}");
    let missing = env.run(&["show", &format!("#{number}:9")]).exits(1);
    let expected = format!("session #{number} has no such turn\nhint: its turns are 0 to 1\n");
    assert_eq!(missing.stderr(), expected);
}

#[test]
fn a_relative_home_is_a_mistake() {
    let env = TestEnvironment::new();
    let config = "[sources]\nhomes = [\n  \"old\",\n]\n";
    fs_err::write(env.path("config/config.toml"), config).unwrap();
    assert_snapshot!(env.run(&["status"]), @r#"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `sources.homes` has an invalid value: string "old", expected an absolute path, or one that begins with `~/`, without `..` (line 2 of [TMP]/config/config.toml)
    hint: [DOCS]/configuration.md has the keys and their values
    "#);
}

#[cfg(unix)]
#[test]
fn the_agent_gets_the_variable_of_the_folder_with_the_session() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnvironment::new();
    let work = env.home("it's work");
    let transcript = session(OLD, "Sharpen the secateurs").folder("garden");
    let home = env.path("home").display().to_string();
    let transcript = transcript.text().replace("/home/ann/garden", &home);
    env.write(
        &work.join(format!("projects/garden/{OLD}.jsonl")),
        transcript,
    );
    let list = format!(
        "{}, relative,{}",
        env.home(".claude").display(),
        work.display()
    );
    let agent = env.home("bin/claude");
    env.write(&agent, "#!/bin/sh\necho \"$CLAUDE_CONFIG_DIR\"\n");
    fs_err::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    let run = |args: &[&str]| {
        let mut command = env.command();
        command.env("CLAUDE_CONFIG_DIR", &list).args(args);
        env.ran(command.env("PATH", env.home("bin")).output().unwrap())
            .succeeded()
    };
    let printed = run(&["resume", OLD, "--print"]);
    let command = format!(
        "&& CLAUDE_CONFIG_DIR=\"{}\" claude --resume {OLD}\n",
        work.display()
    );
    assert!(printed.stdout().ends_with(&command), "{printed}");
    let note = "note: of the variable CLAUDE_CONFIG_DIR only `";
    assert!(printed.stderr().starts_with(note), "{printed}");
    assert_eq!(
        run(&["resume", OLD]).stdout().trim_end(),
        work.display().to_string()
    );
}
