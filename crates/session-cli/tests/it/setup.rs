//! `setup` by its options; how it asks is tested beside it.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

const SETTINGS: &str = ".claude/settings.json";

#[test]
fn without_a_terminal_and_options_it_says_what_it_would_do() {
    let env = TestEnvironment::new();
    assert_snapshot!(env.run(&["setup"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: nobody can be asked, and the options say nothing
    setup decides four things, each of which may stay as it is:
      1. the model: in process, or an endpoint (--model NAME, --remote URL)
      2. how long Claude Code keeps its history (--keep-history DAYS)
      3. the skill for Claude Code (--skill, --no-skill)
      4. whether Claude Code loads it without asking (--allow-skill)
    hint: give the options, and --yes to write what they say
    ");
    assert_snapshot!(env.run(&["setup", "--yes"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: nobody can be asked, and the options say nothing
    setup decides four things, each of which may stay as it is:
      1. the model: in process, or an endpoint (--model NAME, --remote URL)
      2. how long Claude Code keeps its history (--keep-history DAYS)
      3. the skill for Claude Code (--skill, --no-skill)
      4. whether Claude Code loads it without asking (--allow-skill)
    hint: give the options, and --yes to write what they say
    ");
}

#[test]
fn nothing_is_written_without_consent() {
    let env = TestEnvironment::new();
    let settings = "{\n  \"model\": \"x\",\n  \"cleanupPeriodDays\": 30\n}\n";
    env.write(&env.home(SETTINGS), settings);
    assert_snapshot!(env.run(&["setup", "--keep-history", "365", "--skill"]), @r#"
    exit code: 2
    ----- stdout -----

    ----- stderr -----

    [TMP]/home/.claude/settings.json
          "model": "x",
      -   "cleanupPeriodDays": 30
      +   "cleanupPeriodDays": 365
        }

    The skill for agents goes to [TMP]/home/.claude/skills/session-search.
    error: nothing of it is written
    hint: --yes writes it
    "#);
    assert_eq!(
        fs_err::read_to_string(env.home(SETTINGS)).unwrap(),
        settings
    );
    assert!(!env.home(".claude/skills").exists());
}

#[test]
fn what_the_options_say_is_written_and_once() {
    let env = TestEnvironment::new();
    let settings = "{\n  \"z\": 1.0,\n  \"a\": {}\n}\n";
    env.write(&env.home(SETTINGS), settings);
    let options = [
        "setup",
        "--keep-history",
        "365",
        "--skill",
        "--model",
        "table",
        "--yes",
    ];
    assert_snapshot!(env.run(&options), @r#"
    exit code: 0
    ----- stdout -----

    ----- stderr -----

    [TMP]/home/.claude/settings.json
        {
      +   "cleanupPeriodDays": 365,
          "z": 1.0,
    the old file is kept as [TMP]/home/.claude/settings.json.backup

    The skill for agents goes to [TMP]/home/.claude/skills/session-search.
    "#);
    let new = settings.replace("{\n  \"z\"", "{\n  \"cleanupPeriodDays\": 365,\n  \"z\"");
    assert_eq!(fs_err::read_to_string(env.home(SETTINGS)).unwrap(), new);
    let backup = env.home(".claude/settings.json.backup");
    assert_eq!(fs_err::read_to_string(backup).unwrap(), settings);
    let again = env.json(&options);
    let unchanged = serde_json::json!({
        "model": "unchanged", "history": "unchanged", "skill": "unchanged", "permission": "skipped",
    });
    assert_eq!(again, unchanged);
}

#[test]
fn the_rule_for_the_skill_is_shown_first_and_goes_with_it() {
    let env = TestEnvironment::new();
    env.write(&env.home(SETTINGS), "{\n  \"model\": \"x\"\n}\n");
    assert_snapshot!(env.run(&["setup", "--allow-skill", "--yes"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no skill that Claude Code could load
    hint: --skill installs it
    ");
    assert_snapshot!(env.run(&["setup", "--skill", "--allow-skill"]), @r#"
    exit code: 2
    ----- stdout -----

    ----- stderr -----

    The skill for agents goes to [TMP]/home/.claude/skills/session-search.

    Claude Code asks before it loads the skill, since the skill may run searches without a question.
    A rule in its settings lets it load this one without asking:

    [TMP]/home/.claude/settings.json
        {
      -   "model": "x"
      +   "model": "x",
      +   "permissions": {
      +     "allow": [
      +       "Skill(session-search)"
      +     ]
      +   }
        }
    error: nothing of it is written
    hint: --yes writes it
    "#);
    env.run(&["setup", "--skill", "--allow-skill", "--yes"])
        .succeeded();
    let allowed = fs_err::read_to_string(env.home(SETTINGS)).unwrap();
    assert!(allowed.contains("\"Skill(session-search)\""), "{allowed}");
    let uninstall = ["skill", "uninstall"];
    let said = env.run(&[&uninstall[..], &["--dry-run"]].concat()).stderr();
    assert!(
        said.contains("without asking would be removed from"),
        "{said}"
    );
    assert_eq!(fs_err::read_to_string(env.home(SETTINGS)).unwrap(), allowed);
    let said = env.run(&uninstall).succeeded().stderr();
    assert!(said.contains("without asking is removed from"), "{said}");
    let settings = fs_err::read_to_string(env.home(SETTINGS)).unwrap();
    assert_eq!(settings, "{\n  \"model\": \"x\"\n}\n");
}

#[test]
fn settings_that_are_none_are_left_alone() {
    let env = TestEnvironment::new();
    env.write(&env.home(SETTINGS), "{ // mine\n}");
    assert_snapshot!(env.run(&["setup", "--keep-history", "365", "--yes"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: [TMP]/home/.claude/settings.json cannot be changed: not valid JSON: key must be a string at line 1 column 3
    hint: correct it first
    ");
    assert_eq!(
        fs_err::read_to_string(env.home(SETTINGS)).unwrap(),
        "{ // mine\n}"
    );
}

#[test]
fn an_endpoint_is_configured() {
    let env = TestEnvironment::new();
    let options = [
        "setup",
        "--remote",
        "http://127.0.0.1:1/v1",
        "--model",
        "tiny",
        "--yes",
    ];
    env.run(&options).succeeded();
    let config = fs_err::read_to_string(env.path("config/config.toml")).unwrap();
    assert_snapshot!(config, @r#"
    model = "remote"
    background = false

    [remote]
    url = "http://127.0.0.1:1/v1"
    model = "tiny"
    "#);
    let models = env.json(&["model", "list"]);
    let remote = models["models"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&remote["name"], &remote["state"]),
        (&"remote".into(), &"remote".into())
    );
}
