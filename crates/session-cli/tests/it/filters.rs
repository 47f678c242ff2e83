//! Conditions on what is found.

use crate::claude::Transcript;
use crate::environment::TestEnvironment;
use crate::opencode::OpenCode;
use jiff::{Timestamp, ToSpan, Zoned};
use serde_json::json;

const A: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const B: &str = "bbbbbbbb-0000-4000-8000-000000000002";
const C: &str = "cccccccc-0000-4000-8000-000000000003";
const D: &str = "dddddddd-0000-4000-8000-000000000004";
const AGENT: &str = "agent-e5";

/// A session that names the kettle, so that one query finds all of them.
fn session(id: &str, cwd: &str, at: Timestamp) -> Transcript {
    Transcript::new(id, cwd)
        .at_ms(at.as_millisecond())
        .user("Wire the kettle sensor to the dashboard")
        .assistant("The kettle reports its temperature now.")
}

fn days_ago(days: i64) -> Timestamp {
    let noon = Zoned::now()
        .with_time_zone(jiff::tz::TimeZone::UTC)
        .start_of_day()
        .unwrap();
    noon.checked_sub(days.days())
        .unwrap()
        .checked_add(12.hours())
        .unwrap()
        .timestamp()
}

/// Four sessions: a today, b yesterday, c ten days ago, d in 2026-01; and an
/// OpenCode session (s) and a subagent of a.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let edit = json!({"file_path": "/home/ann/kitchen/src/kettle/probe.rs"});
    env.claude(
        &session(
            D,
            "/home/ann/kitchen/.worktrees/probe",
            "2026-01-10T12:00:00Z".parse().unwrap(),
        )
        .branch("probe")
        .user("Now calibrate the kettle probe")
        .call("Read", edit, "fn main() {}", false),
    );
    env.claude(&session(C, "/home/ann/Workshop", days_ago(10)));
    env.claude(&session(B, "/home/ann/kitchen", days_ago(1)).branch("steam"));
    env.claude(&session(A, "/home/ann/kitchen", days_ago(0)));
    env.claude(&session(AGENT, "/home/ann/kitchen", days_ago(0)).agent_of(A));
    OpenCode::open(&env).session(
        "ses_kettle",
        "/srv/kitchen-api",
        "Kettle endpoint",
        &[("Expose the kettle over HTTP", "Done.")],
    );
    env.run(&["index"]).succeeded();
    env
}

#[track_caller]
fn check(env: &TestEnvironment, filter: &[&str], expected: &str) {
    assert_eq!(
        env.names(&[&["kettle"], filter].concat()),
        expected,
        "{filter:?}"
    );
    let deep = [&["kettle", "--depth", "2", "--limit", "50"], filter].concat();
    let mut names: Vec<char> = env.names(&deep).chars().collect();
    names.dedup();
    assert_eq!(
        names.iter().collect::<String>(),
        expected,
        "{filter:?} at depth 2"
    );
}

#[test]
fn projects_are_named_by_name_path_part_or_worktree() {
    let env = env();
    check(&env, &[], "abcds");
    check(&env, &["--project", "kitchen"], "abds");
    check(&env, &["--project", "/home/ann/kitchen"], "abd");
    check(&env, &["--project", "/home/ann/kitchen/"], "abd");
    check(
        &env,
        &["--project", "/home/ann/kitchen/.worktrees/probe"],
        "d",
    );
    check(&env, &["--project", "workshop"], "c");
    check(&env, &["--project", "ann/work"], "c");
    check(&env, &["--project", "/srv"], "s");
    check(&env, &["--project", "nowhere"], "");
}

#[test]
fn a_dot_is_the_folder_that_one_is_in() {
    let env = TestEnvironment::new();
    let (here, there) = (env.path("home/here"), env.path("home/there"));
    fs_err::create_dir_all(here.join("src")).unwrap();
    let real = fs_err::canonicalize(&here).unwrap();
    env.claude(&session(A, &real.to_string_lossy(), days_ago(3)));
    env.claude(&session(B, &there.to_string_lossy(), days_ago(3)));
    env.run(&["index"]).succeeded();
    let found = |project: &str, from: &str| {
        let mut command = env.command();
        command.args(["search", "kettle", "--json", "--project", project]);
        let ran = env.ran(command.current_dir(here.join(from)).output().unwrap());
        (
            ran.code(),
            ran.stdout().contains(A),
            ran.stdout().contains(B),
        )
    };
    assert_eq!(found(".", ""), (0, true, false));
    assert_eq!(found("..", "src"), (0, true, false));
    assert_eq!(found(".", "src"), (1, false, false));
}

#[test]
fn sources_are_told_apart() {
    let env = env();
    check(&env, &["--source", "claude"], "abcd");
    check(&env, &["--source", "opencode"], "s");
    let ran = env.run(&["search", "kettle", "--source", "emacs"]).exits(2);
    insta::assert_snapshot!(ran, @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no source `emacs`
    hint: one of claude, opencode
    ");
}

#[test]
fn times_are_days_dates_or_spans() {
    let env = env();
    check(&env, &["--today"], "a");
    check(&env, &["--yesterday"], "b");
    check(&env, &["--days", "1"], "a");
    check(&env, &["--days", "2"], "ab");
    check(&env, &["--days", "11"], "abc");
    check(&env, &["--since", "5d"], "ab");
    check(&env, &["--since", "2w"], "abc");
    check(&env, &["--until", "5d"], "cds");
    check(
        &env,
        &["--since", "2026-01-01", "--until", "2026-01-31"],
        "d",
    );
    check(
        &env,
        &["--since", "2026-01-10", "--until", "2026-01-10"],
        "d",
    );
    check(&env, &["--until", "2026-01-09"], "");
    check(
        &env,
        &["--since", "2026-02-01T09:00", "--until", "2026-02-01 11:00"],
        "s",
    );
}

#[test]
fn what_is_no_time_is_said() {
    let env = env();
    insta::assert_snapshot!(env.run(&["search", "kettle", "--since", "soon"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `soon` is not a time
    hint: write a date (2026-01-15), a time (2026-01-15T09:00), or a while ago (3d, 12h)
    ");
    for bad in [
        ["--days", "x"],
        ["--days", "-1"],
        ["--days", "4000000000"],
        ["--since", "99999w"],
    ] {
        let ran = env
            .run(&[&["search", "kettle"], &bad[..]].concat())
            .exits(2);
        assert!(ran.stderr().starts_with("error: "), "{ran}");
    }
    env.run(&["search", "kettle", "--today", "--days", "3"])
        .exits(2);
}

#[test]
fn branches_and_files_are_of_turns() {
    let env = env();
    check(&env, &["--branch", "steam"], "b");
    check(&env, &["--branch", "ste"], "");
    check(&env, &["--file", "probe.rs"], "d");
    check(&env, &["--file", "KETTLE/probe"], "d");
    check(&env, &["--file", "nothing.rs"], "");
    let turns = env.json(&["search", "kettle", "--depth", "2", "--file", "probe.rs"]);
    assert_eq!(turns["hits"].as_array().unwrap().len(), 1);
    assert_eq!(turns["hits"][0]["turn"], 1);
}

#[test]
fn sessions_are_asked_for_or_left_out() {
    let env = env();
    check(&env, &["--session", "bbbb"], "b");
    check(&env, &["--exclude-session", "bbbb"], "acds");
    check(
        &env,
        &["--exclude-session", "bbbb", "--exclude-session", "ses_k"],
        "acd",
    );
    check(
        &env,
        &["--session", "bbbb", "--exclude-session", "bbbb"],
        "",
    );
}

#[test]
fn subagents_are_found_when_asked_for() {
    let env = env();
    let agents = |args: &[&str]| env.found(args).iter().filter(|id| *id == AGENT).count();
    assert_eq!(agents(&["kettle"]), 0);
    assert_eq!(agents(&["kettle", "--subagents"]), 1);
    assert_eq!(agents(&["kettle", "--session", AGENT]), 1);
    let hit = env.json(&["search", "kettle", "--session", AGENT]);
    assert_eq!(hit["hits"][0]["parent"], A);
    assert_eq!(hit["hits"][0]["resume"], json!(null));
}

#[test]
fn all_conditions_hold_together() {
    let env = env();
    check(
        &env,
        &[
            "--project",
            "kitchen",
            "--source",
            "claude",
            "--days",
            "2",
            "--branch",
            "main",
        ],
        "a",
    );
    check(
        &env,
        &[
            "--project",
            "kitchen",
            "--source",
            "opencode",
            "--days",
            "2",
        ],
        "",
    );
    check(
        &env,
        &[
            "--project",
            "kitchen",
            "--file",
            "probe.rs",
            "--branch",
            "probe",
            "--until",
            "2026-01-10",
        ],
        "d",
    );
}

#[test]
fn no_more_are_shown_than_asked_for() {
    let env = env();
    assert_eq!(env.found(&["kettle", "--limit", "2"]).len(), 2);
    assert_eq!(env.found(&["kettle", "-n", "1"]).len(), 1);
    env.run(&["search", "kettle", "--limit", "0"]).exits(1);
    env.run(&["search", "kettle", "--limit", "18446744073709551615"])
        .exits(0);
}
