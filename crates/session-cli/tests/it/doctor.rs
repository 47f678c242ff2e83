//! What is wrong is named, with what to do; fixes may be run twice.

use crate::environment::TestEnvironment;
use crate::forget::configure;
use crate::history::{DOCKER, docker, small};
use rusqlite::Connection;
use serde_json::{Value, json};

/// The findings of a check that are not `ok`, as JSON.
fn faults(env: &TestEnvironment, check: &str) -> Vec<Value> {
    let found: Value = serde_json::from_str(&env.run(&["doctor", "--json"]).stdout()).unwrap();
    let findings = found["findings"].as_array().unwrap().clone();
    let is_meant = |finding: &Value| finding["check"] == check && finding["severity"] != "ok";
    findings.into_iter().filter(is_meant).collect()
}

#[test]
fn a_healthy_index_has_no_problem() {
    let env = small();
    let ran = env.run(&["doctor"]).succeeded();
    for check in [
        "index",
        "vectors",
        "permissions",
        "histories",
        "hook",
        "skill",
        "disk",
    ] {
        assert!(ran.stdout().contains(check), "{check}: {ran}");
        assert_eq!(faults(&env, check), [] as [Value; 0], "{check}");
    }
    let nothing = TestEnvironment::new();
    assert_eq!(faults(&nothing, "index")[0]["severity"], "note");
}

#[test]
fn what_agents_got_is_checked() {
    let env = small();
    let server =
        "[mcp_servers.session-search]\ncommand = \"/gone/session-search\"\nargs = [\"mcp\"]\n";
    env.write(&env.home(".codex/config.toml"), server);
    let fault = &faults(&env, "mcp")[0];
    assert!(fault["found"].to_string().contains("/gone/"), "{fault}");
    let setup = ["setup", "--agent", "codex", "--yes"];
    env.run(&setup).succeeded();
    assert_eq!(faults(&env, "mcp"), [] as [Value; 0]);
    let untrusted = faults(&env, "hook")[0]["found"].to_string();
    assert!(untrusted.contains("until you trust it"), "{untrusted}");
    let gone = "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"command\": \"/gone/session-search hook run\"}]}]}}";
    env.write(&env.home(".codex/hooks.json"), gone);
    let fault = &faults(&env, "hook")[0];
    assert!(
        fault["hint"]
            .to_string()
            .contains("--agent codex --event SessionStart"),
        "{fault}"
    );
    let command = [env!("CARGO_BIN_EXE_session-search"), "mcp"];
    let disabled = json!({"mcp": {"session-search": {"command": command, "enabled": false}}});
    let config = env.home(".config/opencode/opencode.json");
    env.write(&config, disabled.to_string());
    let fault = &faults(&env, "mcp")[0];
    let found = fault["found"].to_string();
    assert!(found.contains("opencode, and switched off"), "{fault}");
    fs_err::remove_file(config).unwrap();
    let other = "[mcp_servers.session-search]\ncommand = \"uvx\"\n";
    env.write(&env.home(".codex/config.toml"), other);
    assert_eq!(faults(&env, "mcp"), [] as [Value; 0], "it is the user's");
    env.run(&["skill", "install"]).succeeded();
    let settings = env.home(".claude/settings.json");
    env.write(
        &settings,
        "{\"enabledPlugins\": {\"session-search@tools\": true}}",
    );
    let fault = &faults(&env, "skill")[0];
    assert!(
        fault["found"].to_string().contains("session-search@tools"),
        "{fault}"
    );
}

#[test]
fn doctor_writes_nothing_without_fix() {
    let env = small();
    let before = fs_err::read(env.index("index.db")).unwrap();
    env.run(&["doctor"]).succeeded();
    assert_eq!(fs_err::read(env.index("index.db")).unwrap(), before);
}

#[test]
fn damage_is_named_and_mended() {
    let env = small();
    let db = Connection::open(env.index("index.db")).unwrap();
    db.execute_batch("UPDATE models SET turn_rows = 4611686018427387904")
        .unwrap();
    drop(db);
    let fault = &faults(&env, "index")[0];
    assert_eq!(
        (fault["severity"].as_str(), fault["fix"].as_str()),
        (Some("problem"), Some("rebuild"))
    );
    env.run(&["doctor"]).exits(1);
    for _ in 0..2 {
        env.run(&["doctor", "--fix"]).succeeded();
        let faults = faults(&env, "index");
        assert!(
            faults.iter().all(|fault| fault["severity"] == "note"),
            "{faults:?}"
        );
    }
}

/// Deletes the history of a session from an index, which is then damaged by `statements`.
fn damaged_with_a_vanished_session(statements: &str) -> TestEnvironment {
    let env = small();
    fs_err::remove_file(env.home(&docker().path_in_home())).unwrap();
    env.run(&["index"]).succeeded();
    let db = Connection::open(env.index("index.db")).unwrap();
    db.execute_batch(&format!("PRAGMA foreign_keys = 0; {statements}"))
        .unwrap();
    env
}

/// Nothing else holds its text.
#[test]
fn a_session_without_history_outlives_a_repair() {
    for statements in [
        "UPDATE models SET dims = -5",
        "UPDATE models SET turn_rows = -1",
        "DROP TABLE models",
        "PRAGMA user_version = 0",
    ] {
        let env = damaged_with_a_vanished_session(statements);
        let fixed = env.run(&["doctor", "--fix"]).succeeded();
        assert!(!fixed.stderr().contains("note:"), "{statements}: {fixed}");
        let found = env.found(&["docker bridge", "--limit", "1"]);
        assert_eq!(found, [DOCKER], "{statements}");
        assert!(!env.index("index.db.old").exists(), "{statements}");
    }
}

#[test]
fn a_database_that_a_repair_puts_aside_is_noted() {
    for statements in ["DROP TABLE files", "PRAGMA user_version = 3"] {
        let env = damaged_with_a_vanished_session(statements);
        let fixed = env.run(&["doctor", "--fix"]).succeeded();
        let note = "note: the old index could not be read to its end";
        assert!(fixed.stderr().contains(note), "{statements}: {fixed}");
        assert!(env.index("index.db.old").exists(), "{statements}");
    }
}

#[cfg(unix)]
#[test]
fn files_that_others_can_read_are_closed() {
    use std::os::unix::fs::PermissionsExt;
    let env = small();
    let path = env.index("index.db");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(faults(&env, "permissions")[0]["fix"], "permissions");
    for _ in 0..2 {
        env.run(&["doctor", "--fix"]).succeeded();
        assert_eq!(
            fs_err::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

/// A fix that fails says why, and the others are made.
#[cfg(unix)]
#[test]
fn a_fix_that_fails_is_a_finding() {
    use std::os::unix::fs::PermissionsExt;
    let env = small();
    let db = Connection::open(env.index("index.db")).unwrap();
    db.execute_batch("UPDATE models SET dims = -5").unwrap();
    drop(db);
    let path = env.index("index.db");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    // No writer gets its lock.
    fs_err::remove_file(env.index("lock")).unwrap();
    fs_err::create_dir(env.index("lock")).unwrap();
    let ran = env.run(&["doctor", "--fix", "--json"]).exits(1);
    let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(answer["fixed"], json!(["permissions"]));
    let last = answer["findings"].as_array().unwrap().last().unwrap();
    let found = last["found"].as_str().unwrap();
    assert!(
        found.starts_with("`--fix` failed: ") && found.contains("/lock"),
        "{last}"
    );
    assert_eq!(last["check"], "index");
    assert!(last["hint"].is_string(), "{last}");
}

#[test]
fn what_is_excluded_since_is_a_problem_until_it_is_applied() {
    let env = small();
    configure(&env, "[exclude]\npatterns = [\"docker\"]\n");
    let fault = &faults(&env, "forget")[0];
    assert_eq!(
        (&fault["severity"], &fault["fix"]),
        (&json!("problem"), &json!("refresh"))
    );
    let status = env.run(&["status"]).succeeded();
    assert!(!status.stdout().contains("up to date"), "{status}");
    env.run(&["doctor", "--fix"]).succeeded();
    assert_eq!(faults(&env, "forget"), [] as [Value; 0]);
    let status = env.run(&["status"]).succeeded();
    assert!(status.stdout().contains("up to date"), "{status}");
}

#[test]
fn dead_rows_and_a_waiting_purge_are_removed() {
    let env = small();
    let db = Connection::open(env.index("index.db")).unwrap();
    db.execute_batch(
        "DELETE FROM vectors; DELETE FROM owner_blocks; INSERT INTO pending_purge(id) VALUES(1)",
    )
    .unwrap();
    drop(db);
    assert_eq!(faults(&env, "vectors")[0]["fix"], "purge");
    assert_eq!(faults(&env, "forget")[0]["severity"], "problem");
    env.run(&["doctor", "--fix"]).succeeded();
    assert_eq!(faults(&env, "vectors"), [] as [Value; 0]);
    assert_eq!(faults(&env, "forget"), [] as [Value; 0]);
}

#[test]
fn transcripts_that_go_within_a_week_are_counted() {
    let env = small();
    let settings = "{\"cleanupPeriodDays\": 100000}";
    env.write(&env.home(".claude/settings.json"), settings);
    assert_eq!(faults(&env, "retention"), [] as [Value; 0]);
    env.write(
        &env.home(".claude/settings.json"),
        "{\"cleanupPeriodDays\": 5}",
    );
    let fault = faults(&env, "retention");
    assert!(
        fault[0]["found"]
            .as_str()
            .unwrap()
            .contains("go within a week"),
        "{fault:?}"
    );
}
