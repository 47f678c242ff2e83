//! Conditions on what is found.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::opencode::OpenCodeHistory;
use insta::assert_snapshot;
use jiff::{Timestamp, ToSpan};
use serde_json::json;

const A: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const B: &str = "bbbbbbbb-0000-4000-8000-000000000002";
const C: &str = "cccccccc-0000-4000-8000-000000000003";
const D: &str = "dddddddd-0000-4000-8000-000000000004";
const AGENT: &str = "agent-e5";

/// Said in every session, so that all are found alike.
const PROMPT: &str = "Wire the kettle sensor to the dashboard";
const ANSWER: &str = "The kettle reports its temperature now.";

fn session(id: &str, cwd: &str, at: Timestamp) -> ClaudeTranscript {
    ClaudeTranscript::new(id, cwd).at_ms(at.as_millisecond())
}

trait Wire {
    /// The one exchange, with a file that is read in it.
    fn wire(self, file: &str) -> Self;
}

impl Wire for ClaudeTranscript {
    fn wire(self, file: &str) -> Self {
        self.user(PROMPT)
            .call("Read", json!({"file_path": file}), "", false)
            .assistant(ANSWER)
    }
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::now().checked_sub((24 * days).hours()).unwrap()
}

/// Four sessions: a today, b yesterday, c ten days ago, d in 2026-01; and an
/// OpenCode session (s) and a subagent of a.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let (spout, probe) = (
        "/home/ann/src/Kettle/spout.rs",
        "/home/ann/src/Kettle/probe.rs",
    );
    let january: Timestamp = "2026-01-10T12:00:00Z".parse().unwrap();
    let worktree = "/home/ann/kitchen/.worktrees/probe";
    env.write_transcript(&session(D, worktree, january).branch("probe").wire(probe));
    env.write_transcript(&session(C, "/home/ann/Workshop", days_ago(10)).wire(spout));
    env.write_transcript(
        &session(B, "/home/ann/kitchen", days_ago(1))
            .branch("steam")
            .wire(spout),
    );
    env.write_transcript(&session(A, "/home/ann/kitchen", days_ago(0)).wire(spout));
    let later = days_ago(0).checked_add(1.hours()).unwrap();
    env.write_transcript(
        &session(AGENT, "/home/ann/kitchen", later)
            .agent_of(A)
            .wire(spout),
    );
    let unnamed = "New session - 2026-02-01T10:00:00.000Z";
    OpenCodeHistory::open(&env).session(
        "ses_kettle",
        "/srv/kitchen-api",
        unnamed,
        &[(PROMPT, ANSWER)],
    );
    env.run(&["index"]).succeeded();
    env
}

/// Asserts which sessions pass, by meaning and by word, at both depths.
#[track_caller]
fn check(env: &TestEnvironment, filter: &[&str], expected: &str) {
    let names = |more: &[&str]| env.names(&[&[PROMPT, "--limit", "50"], filter, more].concat());
    for depth in ["1", "2"] {
        let found = names(&["--vector-only", "--depth", depth]);
        assert_eq!(found, expected, "{filter:?} at depth {depth}");
        if !filter.contains(&"--source") {
            let found = names(&["--keyword-only", "--depth", depth, "--source", "claude"]);
            assert_eq!(
                found,
                expected.replace('s', ""),
                "{filter:?} by words at depth {depth}"
            );
        }
    }
}

#[test]
fn projects_are_named_by_name_path_or_worktree() {
    let env = env();
    check(&env, &["--project", "kitchen"], "abds");
    check(&env, &["--project", "/home/ann/kitchen/"], "abd");
    check(
        &env,
        &["--project", "/home/ann/kitchen/.worktrees/probe"],
        "d",
    );
}

#[test]
fn a_dot_is_the_folder_that_one_is_in() {
    let env = TestEnvironment::new();
    let (here, there) = (env.home("here"), env.home("there"));
    for folder in [".git", "src", ".worktrees/fix"] {
        fs_err::create_dir_all(here.join(folder)).unwrap();
    }
    let real = fs_err::canonicalize(&here).unwrap();
    env.write_transcript(&session(A, &real.to_string_lossy(), days_ago(3)).wire("a.rs"));
    env.write_transcript(&session(B, &there.to_string_lossy(), days_ago(3)).wire("a.rs"));
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
    assert_eq!(found(".", ".worktrees/fix"), (0, true, false));
}

#[test]
fn filters_are_typed_in_the_query() {
    let env = env();
    let check = |filters: &[&str], expected: &str| {
        let words = [&["kettle"], filters].concat();
        assert_eq!(env.names(&words), expected, "{filters:?}");
        let one = words.join(" ");
        assert_eq!(env.names(&[one.as_str()]), expected, "{one}");
    };
    check(&["agent:opencode"], "s");
    check(&["-agent:opencode", "sensor"], "abcd");
    check(&["project:kitchen", "-project:kitchen-api"], "abd");
    check(&["branch:steam", "branch:probe"], "bd");
    check(&["file:spout.rs", "since:2w", "-since:5d"], "c");
    let options = ["kettle", "agent:claude", "--project", "/srv", "-n5"];
    assert_eq!(env.names(&options), "");
    // The shell has taken the quotes.
    assert_eq!(env.names(&["kettle", "since:3 days"]), "ab");
    // A phrase is no filter.
    assert_eq!(
        env.names(&["\"agent:opencode\" kettle", "--keyword-only"]),
        "abcds"
    );
}

#[test]
fn filters_alone_list_the_newest() {
    let env = env();
    let listed = |args: &[&str]| env.json(&[&["search"], args].concat());
    let by_time = listed(&["agent:claude -project:workshop"]);
    let hits = by_time["hits"].as_array().unwrap();
    let ids: Vec<&str> = hits
        .iter()
        .map(|hit| hit["session"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [A, B, D]);
    assert!(
        hits.iter()
            .all(|hit| hit["score"].is_null() && hit["band"].is_null())
    );
    assert_eq!(by_time["query"], "agent:claude -project:workshop");
    let turn = &listed(&["branch:steam", "--depth", "2"])["hits"];
    assert_eq!(
        (&turn[0]["session"], &turn[0]["turn"]),
        (&json!(B), &json!(0))
    );
    let by_option = listed(&["", "--branch", "steam", "--depth", "2"]);
    assert_eq!(by_option["hits"][0]["turn"], 0, "{by_option}");
    assert_eq!(listed(&[""])["hits"].as_array().unwrap().len(), 5);
    let line = listed(&["branch:steam", "--compact"]);
    assert!(line["hits"][0]["band"].is_null());
    assert_snapshot!(env.run(&["search", "branch:probe"]), @r#"
    exit code: 0
    ----- stdout -----
    SESSIONS  "branch:probe"   1 session, 1 project (claude 1)

    claude   dddddddd:0   kitchen   2026-01-10   1 turn   Wire the kettle sensor to the dashboard
        The kettle reports its temperature now.
        files: probe.rs    resume: session-search resume dddddddd

    Next: session-search search "branch:probe" --depth 2 --session dddddddd
    ----- stderr -----
    "#);
    let near = "no turn is on the branch `prob`\nhint: there is `probe`\n";
    assert_eq!(
        env.run(&["search", "branch:prob", "--json"])
            .exits(1)
            .stderr(),
        near
    );
    assert_eq!(
        env.run(&["commands", "make", "--branch", "prob"])
            .exits(1)
            .stderr(),
        near
    );
    assert_snapshot!(env.run(&["search", "branch:nothing"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no turn is on the branch `nothing`
    hint: give the whole name of a branch, or leave it out
    ");
}

#[test]
fn a_typed_filter_with_a_value_that_it_cannot_have_is_searched_as_text() {
    let env = env();
    let ran = env.run(&["search", "kettle agent:emacs", "-n1"]).exits(0);
    let stderr = ran.stderr();
    let note = "note: `agent:emacs` is searched as text; the agents are claude, ";
    assert!(stderr.starts_with(note), "{stderr}");
    assert!(ran.stdout().contains("kettle"));
    let ran = env
        .run(&["search", "kettle", "-agent:emacs", "--json"])
        .exits(0);
    assert!(ran.stderr().starts_with("note: `-agent:emacs` is"));
    let pasted = env
        .run(&["search", "error: project:lost not found"])
        .exits(1);
    let stderr = pasted.stderr();
    let hint = "\nhint: in double quotes a filter is searched as text\n";
    assert!(stderr.ends_with(hint), "{stderr}");
    let ran = env.run(&["search", "since:today until:yesterday"]).exits(2);
    assert!(ran.stderr().contains("ends before it begins"));
}

#[test]
fn turns_behind_a_session_in_a_query_do_not_count() {
    let env = env();
    let ran = env.run(&["search", "kettle session:bbbbbbbb:7"]).exits(0);
    let note = "note: `session:` takes no turn; all of bbbbbbbb counts\n";
    assert_eq!(ran.stderr(), note);
    let ran = env.run(&["search", "kettle session:bbbbbbbb"]).exits(0);
    assert_eq!(ran.stderr(), "");
    let searched = "note: `--session` takes no turn; all of bbbbbbbb is searched\n";
    let left_out = "note: `--exclude-session` takes no turn; all of bbbbbbbb is left out\n";
    for (command, option, note) in [
        (&["search", "kettle"][..], "--session", searched),
        (&["search", "kettle"], "--exclude-session", left_out),
        (&["files", "*"], "--exclude-session", left_out),
    ] {
        let told = |id| env.run(&[command, &[option, id]].concat()).stderr();
        assert_eq!(told("bbbbbbbb:3"), note.to_owned() + &told("bbbbbbbb"));
    }
}

#[test]
fn sources_are_told_apart() {
    let env = env();
    check(&env, &["--source", "claude"], "abcd");
    check(&env, &["--source", "opencode"], "s");
    check(&env, &["--source", "Claude Code"], "abcd");
    let refused = env.run(&["search", "kettle", "--source", "emacs"]).exits(2);
    let reason = "invalid value 'emacs' for '--source <AGENT>'\n  [possible values: claude, ";
    assert!(refused.stderr().contains(reason), "{refused}");
}

#[test]
fn what_is_no_time_is_said() {
    let env = env();
    assert_snapshot!(env.run(&["search", "kettle", "--since", "soon"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `soon` is not a time
    hint: write a date (2026-01-15), a month (2026-01), a day or month by name (15 jan, may 2026), a time (2026-01-15T09:00), a while ago (3d, 2w, 12h, 2 months ago), a day (yesterday, last monday), or a week or month (last week, this month, last june); a range is FROM..TO, by --when
    ");
    for bad in [["--days", "x"], ["--days", "-1"], ["--days", "4000000000"]] {
        let ran = env
            .run(&[&["search", "kettle"], &bad[..]].concat())
            .exits(2);
        assert!(ran.stderr().starts_with("error: "), "{ran}");
    }
    let ran = env.run(&["search", "kettle", "--since", "2w..1w"]).exits(2);
    let error = "error: `2w..1w` is not a time\nhint: write `--when 2w..1w`\n";
    assert_eq!(ran.stderr(), error);
    env.run(&["search", "kettle", "--today", "--days", "3"])
        .exits(2);
}

/// As an unset variable of a script gives it.
#[test]
fn an_empty_value_filters_nothing() {
    let env = env();
    for option in ["--project", "--branch", "--file"] {
        check(&env, &[option, ""], "abcds");
    }
}

/// Sessions are counted before their turns are judged: the heading says so.
#[test]
fn sessions_are_counted_by_the_turns_that_pass() {
    let env = env();
    let heading = |filter: &[&str]| {
        let ran = env
            .run(&[&["search", "kettle"], filter].concat())
            .succeeded();
        ran.stdout().lines().next().unwrap().to_owned()
    };
    assert_snapshot!(heading(&["--source", "claude"]), @r#"SESSIONS  "kettle"   4 sessions, 2 projects (claude 4)"#);
    assert_snapshot!(heading(&["--branch", "steam"]), @r#"SESSIONS  "kettle"   1 session, 1 project (claude 1)"#);
    assert_snapshot!(heading(&["--file", "probe.rs", "--depth", "2"]), @r#"TURNS  "kettle"   1 session, 1 project (claude 1)"#);
    assert_snapshot!(env.run(&["search", "kettle", "--file", "nothing.rs"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no turn names a file with `nothing.rs` in its path
    hint: give a shorter part of the path, or leave it out
    ");
}

#[test]
fn sessions_are_asked_for_or_left_out() {
    let env = env();
    check(&env, &["--session", "bbbb"], "b");
    check(
        &env,
        &["--exclude-session", "bbbb", "--exclude-session", "ses_k"],
        "acd",
    );
}

#[test]
fn subagents_are_found_when_asked_for() {
    let env = env();
    let agents = |args: &[&str]| {
        let found = env.found(&[&[PROMPT, "--vector-only"], args].concat());
        found.iter().filter(|id| *id == AGENT).count()
    };
    assert_eq!(agents(&[]), 0);
    assert_eq!(agents(&["--subagents"]), 1);
    assert_eq!(agents(&["--session", AGENT]), 1);
    let hit = &env.json(&["search", PROMPT, "--session", AGENT])["hits"][0];
    assert_eq!(hit["parent"], A);
    assert_eq!(hit["resume"], json!(null));
    let printed = env
        .run(&["search", PROMPT, "--session", AGENT])
        .succeeded()
        .stdout();
    assert!(printed.contains("subagent: Wire the kettle"), "{printed}");
}

#[test]
fn no_more_are_shown_than_asked_for() {
    let env = env();
    assert_eq!(
        env.found(&[PROMPT, "--vector-only", "--limit", "2"]).len(),
        2
    );
    assert_eq!(env.found(&[PROMPT, "-n", "1"]).len(), 1);
    for none in ["0", "-1", "many", ""] {
        let limit = format!("--limit={none}");
        let ran = env.run(&["search", PROMPT, &limit]).exits(2);
        assert!(
            ran.stderr().contains("not a whole number from 1 on"),
            "{ran}"
        );
    }
    env.run(&["search", PROMPT, "--limit", "18446744073709551615"])
        .exits(0);
}
