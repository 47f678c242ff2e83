//! The configuration file.

use crate::environment::{Ran, TestEnvironment, redact_snapshots};
use crate::history::docker;
use crate::memory::MemoryProject;
use insta::assert_snapshot;
use serde_json::Value;
use std::collections::BTreeMap;

const FILE: &str = ".config/session-search/config.toml";

fn with(config: &str) -> TestEnvironment {
    let env = TestEnvironment::unconfigured();
    env.write_transcript(&docker());
    env.write(&env.home(FILE), config);
    env
}

fn refused(config: &str) -> Ran {
    with(config).run(&["search", "docker"]).exits(2)
}

/// A value for each key, none of them the default.
const EVERY_KEY: &str = r#"
    model = "remote"
    background = false
    threads = 2
    nice = 19
    on_battery = "run"
    device = "cpu"
    hub = "https://hub.example.org"
    enabled = false
    auto_save = true
    auto_retrieve = false

    [remote]
    url = "http://127.0.0.1:1/v1"
    api_key = "secret"
    model = "tiny"
    max_tokens = 512

    [redaction]
    enabled = false
    patterns = ["LANTERN-[0-9]+"]
    allow = ["LANTERN-0"]

    [sources]
    homes = ["/mnt/old-laptop/home/ann"]

    [exclude]
    projects = ["bank"]
    paths = ["/srv/bank"]
    patterns = ["IBAN"]

    [storage]
    location = "project-only"
    auto_archive = false
    archive_above = 80
    archive_after_days = 30
    retention_days = 90

    [retrieval]
    time_decay_rate = 0.75
    decay_floor = 0.25
    project_weight = 2.0
    global_weight = 0.5
    scope_days = 60
    max_results = 5

    [injection]
    min_score = 0.75
    min_trigger_relevance = 0.5
    max_items = 3
    item_chars = 100
    total_chars = 500
    overview_tokens = 600
    timeout_ms = 100
    past_turns = true
    last_session = true

    [hook]
    hold = true
    agent_prompts = true
"#;

/// Returns the value of each key that `config` reports.
fn reported_values(config: &str) -> BTreeMap<String, Value> {
    let report = with(config).json(&["config"]);
    let keys = report["keys"].as_array().unwrap().iter();
    keys.map(|key| {
        (
            key["key"].as_str().unwrap().to_owned(),
            key["value"].clone(),
        )
    })
    .collect()
}

#[test]
fn every_key_is_reported_as_it_was_given() {
    let given: Value = toml::from_str(EVERY_KEY).unwrap();
    let defaults = reported_values("");
    let reported = reported_values(EVERY_KEY);
    assert_eq!(reported.len(), defaults.len());
    for (key, value) in reported {
        let expected = match key.as_str() {
            "remote.api_key" => Value::from("(set)"),
            _ => given
                .pointer(&format!("/{}", key.replace('.', "/")))
                .unwrap()
                .clone(),
        };
        assert_eq!(value, expected, "{key}");
        assert_ne!(value, defaults[&key], "{key} is set to its default");
    }
}

#[test]
fn a_mistake_is_named_with_its_line_and_key() {
    let _redactions = redact_snapshots();
    assert_snapshot!(refused("# mine\nmodel = \"table\"\nbackgrund = false\n"), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: unknown key `backgrund` (line 3 of [TMP]/home/.config/session-search/config.toml)
    hint: known are `model`, `background`, `threads`, `nice`, `on_battery`, `device`, `hub`, `remote`, `redaction`, `sources`, `exclude`, `enabled`, `auto_save`, `auto_retrieve`, `storage`, `retrieval`, `injection`, `hook`; [DOCS]/configuration.md has the keys and their values
    ");
    assert_snapshot!(refused("background = \"yes\""), @r#"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `background` has an invalid value: string "yes", expected true or false (line 1 of [TMP]/home/.config/session-search/config.toml)
    hint: [DOCS]/configuration.md has the keys and their values
    "#);
    assert_snapshot!(refused("[remote]\nurl = \"http://localhost\"\ntoken = \"x\""), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: unknown key `token` (line 3 of [TMP]/home/.config/session-search/config.toml)
    hint: known are `url`, `api_key`, `model`, `max_tokens`; [DOCS]/configuration.md has the keys and their values
    ");
    let nameless = refused("= 3").stderr();
    assert!(!nameless.contains("``"), "{nameless}");
    assert_snapshot!(refused("model = table"), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `model` has an invalid value: neither true, false nor text in double quotes (line 1 of [TMP]/home/.config/session-search/config.toml)
    hint: [DOCS]/configuration.md has the keys and their values; text stands in double quotes
    ");
}

#[test]
fn values_are_checked() {
    let check = |config: &str, reason: &str| {
        let ran = refused(config);
        assert!(ran.stderr().contains(reason), "{config}: {ran}");
        assert!(ran.stderr().contains("hint: "), "{ran}");
    };
    check("model = \" \"", "expected a name");
    check("threads = 0", "expected a whole number from 1 to 1024");
    check("threads = -3", "expected a whole number from 1 to 1024");
    check("threads = 1.5", "invalid value");
    check("nice = 20", "expected a whole number from 0 to 19");
    check("nice = -1", "expected a whole number from 0 to 19");
    check("on_battery = \"stop\"", "known are `pause` or `run`");
    check("device = \"vulkan\"", "`auto`, `cpu`, `metal`");
    check(
        "[remote]\nmax_tokens = 0",
        "`remote.max_tokens` has an invalid value",
    );
    check(
        "[remote]\nurl = \"\"",
        "`remote.url` has an invalid value: string \"\", expected an address",
    );
    check("[remotes]", "unknown key `remotes`");
    check("model = \"table\"\nmodel = \"table\"", "(line 2 of ");
}

#[test]
fn the_file_is_where_the_variables_say() {
    let env = TestEnvironment::unconfigured();
    env.write(&env.path("xdg/session-search/config.toml"), "xdg = 1");
    env.write(&env.path("own/config.toml"), "own = 1");
    let said = |vars: &[(&str, &str)]| {
        let vars = vars.iter().map(|(name, path)| (*name, env.path(path)));
        let mut command = env.command();
        command.arg("status").envs(vars);
        env.ran(command.output().unwrap()).stderr()
    };
    let xdg = ("XDG_CONFIG_HOME", "xdg");
    assert!(said(&[xdg]).contains("unknown key `xdg`"));
    assert!(said(&[xdg, ("SESSION_SEARCH_CONFIG", "own")]).contains("unknown key `own`"));
    assert!(said(&[]).contains("there is no index yet"));
}

/// The keys are those that an unknown one is told of.
#[test]
fn every_key_is_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let page = fs_err::read_to_string(page).unwrap();
    let mut keys = 0;
    let tables =
        ["remote", "storage", "retrieval", "injection", "hook"].map(|t| format!("[{t}]\nno = 1"));
    for config in ["no = 1".to_owned()].iter().chain(&tables) {
        let said = refused(config).stderr();
        let (_, known) = said.split_once("hint: known are ").unwrap();
        let list = known.lines().next().unwrap();
        for key in list.split('`').skip(1).step_by(2) {
            keys += 1;
            assert!(page.contains(&format!("\n| `{key}` |")), "{key}");
        }
    }
    assert!(keys >= 36, "{keys}");
}

#[test]
fn settings_are_shown_with_who_said_them() {
    let project = MemoryProject::new();
    let file = project.env.home("shop/.claude/session-search.toml");
    project.env.write(
        &file,
        "auto_retrieve = false\n[retrieval]\nmax_results = 2\n",
    );
    let mut command = project.command();
    command
        .env("SESSION_SEARCH_RETRIEVAL_DECAY_FLOOR", "0.25")
        .args(["config", "--json"]);
    let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let of = |key: &str| {
        let keys = answer["keys"].as_array().unwrap();
        let found = keys.iter().find(|k| k["key"] == key).unwrap();
        format!("{} {}", found["value"], found["origin"].as_str().unwrap())
    };
    assert_eq!(of("model"), "\"table\" file");
    assert_eq!(of("auto_retrieve"), "false file");
    assert_eq!(of("retrieval.max_results"), "2 file");
    assert_eq!(of("retrieval.decay_floor"), "0.25 variable");
    assert_eq!(of("retrieval.scope_days"), "-1 default");
    let refused = |config: &str, reason: &str| {
        fs_err::write(&file, config).unwrap();
        let ran = project.run(&["memory", "list"]).exits(1);
        assert!(
            ran.stderr().contains("note: left out: ")
                && ran.stderr().contains(reason)
                && ran.stderr().contains("hint: "),
            "{ran}"
        );
    };
    refused(
        "[retrieval]\ntime_decay_rate = 2\n",
        "`retrieval.time_decay_rate` has an invalid value",
    );
    refused(
        "[storage]\nlocation = \"cloud\"\n",
        "`storage.location` has an invalid value: unknown value `cloud`",
    );
    // What does not concern memories goes on.
    project.env.write_transcript(&docker());
    project.run(&["search", "docker"]).succeeded();
}
