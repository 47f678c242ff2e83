//! The session that a command is run from.

use crate::session_row::claude_session;
use session_agents::CallingProcess;
use session_sources::Env;
use session_store::SessionRow;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const NOW_MS: u64 = 1_770_000_000_000;
const MINUTE_MS: i64 = 60_000;

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(NOW_MS)
}

/// Returns a session in `/home/ann/harbour` whose last turn ended some minutes ago.
fn session(id: i64, minutes_ago: i64) -> SessionRow {
    SessionRow {
        cwd: Some("/home/ann/harbour".into()),
        ended_ms: Some(NOW_MS.cast_signed() - minutes_ago * MINUTE_MS),
        ..claude_session(id)
    }
}

fn find(env: &Env, directory: &str, is_interactive: bool, all: &[SessionRow]) -> Vec<i64> {
    find_as_client(None, env, directory, is_interactive, all)
}

fn find_as_client(
    client: Option<&str>,
    env: &Env,
    directory: &str,
    is_interactive: bool,
    all: &[SessionRow],
) -> Vec<i64> {
    let process = CallingProcess {
        env,
        directory: Path::new(directory),
        is_interactive,
        client,
        now: now(),
    };
    let found = process.find_sessions(all);
    found.iter().map(|session| session.id.into()).collect()
}

fn unnamed() -> Env {
    Env::default().var("CLAUDECODE", "1")
}

#[test]
fn without_an_agents_variables_no_session_asks() {
    let all = [session(1, 3)];
    assert_eq!(
        find(&Env::default(), "/home/ann/harbour", false, &all),
        [0; 0]
    );
}

#[test]
fn a_named_session_is_found_from_any_directory_and_at_a_terminal() {
    let all = [session(1, 3), session(2, 100_000)];
    let env = Env::default().var("CLAUDE_CODE_SESSION_ID", "session-2");
    assert_eq!(find(&env, "/elsewhere", true, &all), [2]);
}

/// After an undo Codex writes the same thread to another file.
#[test]
fn a_named_session_of_several_files_is_the_latest_of_them() {
    let codex = |id: i64, uid: &str| SessionRow {
        source: "codex".into(),
        uid: uid.into(),
        ..session(id, 10 - id)
    };
    let all = [codex(1, "t1"), codex(2, "t1_s2"), codex(3, "t2")];
    let env = Env::default().var("CODEX_THREAD_ID", "t1");
    assert_eq!(find(&env, "/elsewhere", false, &all), [2]);
}

#[test]
fn an_agent_that_names_no_session_is_found_by_the_directory() {
    let all = [session(1, 9), session(2, 3), session(3, 100_000)];
    let env = unnamed();
    assert_eq!(
        find(&env, "/home/ann/harbour", false, &all),
        [2],
        "the latest"
    );
    assert_eq!(find(&env, "/home/ann/harbour/pier", false, &all), [2]);
    assert_eq!(find(&env, "/home/ann/elsewhere", false, &all), [0; 0]);
    assert_eq!(find(&env, "/home/ann/harbour", true, &all), [0; 0]);
    let other_agent = Env::default().var("OPENCODE", "1");
    assert_eq!(find(&other_agent, "/home/ann/harbour", false, &all), [0; 0]);
}

#[test]
fn a_session_that_ended_long_ago_does_not_ask() {
    assert_eq!(
        find(&unnamed(), "/home/ann/harbour", false, &[session(1, 15)]),
        [1]
    );
    assert_eq!(
        find(&unnamed(), "/home/ann/harbour", false, &[session(1, 16)]),
        [0; 0]
    );
}

#[test]
fn a_subagent_does_not_ask() {
    let subagent = SessionRow {
        parent: Some("session-1".into()),
        ..session(2, 1)
    };
    let all = [session(1, 3), subagent, session(3, 3)];
    assert_eq!(find(&unnamed(), "/home/ann/harbour", false, &all[..2]), [1]);
}

#[test]
fn a_client_is_in_the_latest_session_also_where_the_variables_name_an_older_one() {
    let all = [session(1, 9), session(2, 3)];
    let find = |client: &str, env: &Env| {
        find_as_client(Some(client), env, "/home/ann/harbour", false, &all)
    };
    let unset = Env::default();
    assert_eq!(find("claude-code", &unset), [2]);
    assert_eq!(find("opencode", &unset), [0; 0]);
    assert_eq!(find("claudette", &unset), [0; 0]);
    let older = Env::default().var("CLAUDE_CODE_SESSION_ID", "session-1");
    assert_eq!(find("claude-code", &older), [1, 2]);
    assert_eq!(find("claude-code", &unnamed()), [2]);
}
