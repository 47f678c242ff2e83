//! The digest of a day.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::work::{BOILER, boiler, in_new_york, kettle, night};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn a_day_is_told_by_project_and_session() {
    assert_snapshot!(in_new_york(&night(), &["digest", "2026-03-08"]), @r"
    exit code: 0
    ----- stdout -----
    ## March 8, 2026: 2 sessions, 2 projects

    ### boiler (1 session, 13 min)

    - **Warm start of the boiler** (`ab000000`, warm-start, 00:10, 13 min)
      - Asked: Mend it and open a pull request
      - Outcome: The order of filling and heating is in NOTES.md.
      - Changed: boiler.c, NOTES.md
      - 3 commands; [#12](https://github.com/ann/boiler/pull/12); 1 subagent

    ### kettle (1 session, 1 min)

    - **How hot does the kettle get?** (`cd000000`, main, 11:00, 1 min)
      - Outcome: To 100 degrees at sea level.
    ----- stderr -----
    ");
}

#[test]
fn what_was_done_before_midnight_is_the_day_befores() {
    assert_snapshot!(in_new_york(&night(), &["digest", "2026-03-07"]), @r"
    exit code: 0
    ----- stdout -----
    ## March 7, 2026: 1 session, 1 project

    ### boiler (1 session, 5 min)

    - **Warm start of the boiler** (`ab000000`, warm-start, 23:50, 5 min)
      - Asked: The boiler starts cold after each restart, find out why
      - Outcome: It fills after it heats.
      - 1 command (1 failed)
    ----- stderr -----
    ");
}

#[test]
fn several_days_are_one_report() {
    let env = night();
    let told = in_new_york(
        &env,
        &["digest", "2026-03-07..2026-03-08", "--project", "boiler"],
    );
    assert_snapshot!(told, @r"
    exit code: 0
    ----- stdout -----
    ## March 7 to March 8, 2026: 1 session, 1 project

    ### boiler (1 session, 33 min)

    - **Warm start of the boiler** (`ab000000`, warm-start, Sat 07 23:50, 33 min)
      - Asked: The boiler starts cold after each restart, find out why
      - Outcome: The order of filling and heating is in NOTES.md.
      - Changed: boiler.c, NOTES.md
      - 4 commands (1 failed); [#12](https://github.com/ann/boiler/pull/12); 1 subagent
    ----- stderr -----
    ");
}

/// On this day the clocks go forward: it ends 23 hours after it began.
/// As far as the range leaves it open.
#[test]
fn a_session_of_a_long_range_has_its_month_and_year() {
    let env = night();
    for (range, begins) in [
        ("2026-03-01..2026-03-28", ", Sat 07 23:50,"),
        ("2026-03-01..2026-03-29", ", Mar 7 23:50,"),
        ("2025-12-01..2026-03-29", ", 2026-03-07 23:50,"),
    ] {
        let told = in_new_york(&env, &["digest", range, "--project", "boiler"]).stdout();
        assert!(told.contains(begins), "{range}: {told}");
    }
}

#[test]
fn a_days_bounds_are_those_of_the_place() {
    let env = night();
    let ran = in_new_york(&env, &["digest", "2026-03-08", "--format", "json"]);
    let told: Value = serde_json::from_slice(&ran.output.stdout).unwrap();
    assert_eq!(told["from"], "2026-03-08T05:00:00Z");
    assert_eq!(told["to"], "2026-03-09T04:00:00Z");
    assert_eq!(told["sessions"], 2);
    let session = &told["projects"][0]["sessions"][0];
    assert_eq!(session["session"], BOILER);
    assert_eq!(
        (&session["turns"], &session["subagents"]),
        (&2.into(), &1.into())
    );
    // From 5:10 to 5:20, and two minutes in the afternoon: the night is no work.
    assert_eq!(session["active_seconds"], (10 + 3) * 60);
    assert_eq!(session["commands"], 3);
    let files = session["files"].as_array().unwrap();
    assert_eq!(files.len(), 2, "an edit that failed touches nothing");
    assert_eq!(
        session["pull_requests"][0],
        "https://github.com/ann/boiler/pull/12"
    );
}

#[test]
fn a_time_after_an_option_is_one_before_it() {
    let env = night();
    let digest = |time: &[&str]| env.json(&[&["digest"], time].concat());
    let asked = digest(&["2026-03-08..2026-03-09"]);
    assert_eq!(asked["sessions"], 2);
    assert_eq!(digest(&["--when", "2026-03-08..2026-03-09"]), asked);
    assert_eq!(
        digest(&["--since", "2026-03-08", "--until", "2026-03-09"]),
        asked
    );
}

#[test]
fn an_open_beginning_is_that_of_the_history() {
    let env = night();
    let report = env.run(&["digest", "..2026-03-09"]).succeeded().stdout();
    assert!(!report.contains("1970"), "{report}");
    assert!(
        report.starts_with("## March 8 to March 9, 2026: "),
        "{report}"
    );
}

#[test]
fn nothing_is_said_to_be_nothing() {
    let env = night();
    assert_snapshot!(env.run(&["digest", "2026-03-01"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no session on March 1, 2026
    ");
    assert_snapshot!(env.run(&["digest", "2026-03-08", "--project", "teapot"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no project has `teapot` in its name or path
    hint: `session-search status` lists the projects
    ");
    assert_snapshot!(env.run(&["digest", "--json", "2026-03-01"]), @r#"
    exit code: 1
    ----- stdout -----
    {
      "from": "2026-03-01T00:00:00Z",
      "to": "2026-03-02T00:00:00Z",
      "complete": true,
      "hints": [
        "no session on March 1, 2026"
      ],
      "sessions": 0,
      "projects": []
    }
    ----- stderr -----
    no session on March 1, 2026
    "#);
    assert_snapshot!(env.run(&["digest", "someday"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `someday` is not a time
    hint: write a date (2026-01-15), a month (2026-01), a day or month by name (15 jan, may 2026), a time (2026-01-15T09:00), a while ago (3d, 2w, 12h, 2 months ago), a day (yesterday, last monday), or a week or month (last week, this month, last june); a range is FROM..TO, by --when
    ");
    assert_snapshot!(TestEnvironment::new().run(&["digest"]).exits(1).stdout(), @"");
}

#[test]
fn days_are_counted() {
    let env = night();
    let counted = env.json(&["stats", "--days", "3660"]);
    assert_eq!(counted["total"]["sessions"], 2);
    assert_eq!(counted["total"]["turns"], 4);
    let by_day = counted["by_day"].as_array().unwrap();
    let days: Vec<&str> = by_day.iter().map(|d| d["date"].as_str().unwrap()).collect();
    assert_eq!(days, ["2026-03-08"], "in UTC");
    assert_eq!(
        env.json(&["stats", "--days", "3660", "--project", "kettle"])["total"]["turns"],
        1
    );
    let of = |time: &[&str]| env.json(&[&["stats"], time].concat());
    let day = of(&["--when", "2026-03-08"]);
    assert_eq!(
        (&day["days"], &day["total"]["turns"]),
        (&1.into(), &4.into())
    );
    let before = env.run(&["stats", "--until", "2026-03-07"]).exits(1);
    assert_eq!(
        before.stderr(),
        "no session in that period\nhint: try a longer period\n"
    );
    assert_eq!(of(&["--since", "2026-03-01"])["total"]["turns"], 4);
    env.run(&["stats", "--days", "1"]).exits(1);
    let printed = env.run(&["stats", "--days", "3660"]).succeeded().stdout();
    let lines: Vec<&str> = printed.lines().take(4).collect();
    assert_snapshot!(lines.join("\n"), @r"
    STATS  2 sessions, 4 turns, 2 projects, 34 min

                            sessions  turns projects   time
    2026-03-02 to 03-08            2      4        2   34 min
    ");
    assert!(
        printed.contains("Mon") && printed.contains("less · ░ ▒ ▓ █ more"),
        "{printed}"
    );
    assert!(
        printed.lines().all(|line| line.chars().count() <= 100),
        "{printed}"
    );
}

/// The history that ships in the binary, as a history of one's own.
#[test]
fn the_demo_has_a_day_to_tell_of() {
    let env = TestEnvironment::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../session-query/demo");
    for entry in fs_err::read_dir(demo).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs_err::read(&path).unwrap();
        env.write(
            &env.home(&format!(".claude/projects/-home-ann-demo/{name}")),
            text,
        );
    }
    assert_snapshot!(env.run(&["digest", "2026-01-15"]), @r#"
    exit code: 0
    ----- stdout -----
    ## January 15, 2026: 1 session, 1 project

    ### homelab (1 session, 2 min)

    - **docker-network-debug** (`a1b2c3d4`, main, 19:02, 2 min)
      - Asked: The containers on the backend network can't reach each other by name. `api` gets "could not resolve host: db" since I split the compose file.
      - Outcome: nginx looked the name up once at start. With the `resolver` line it asks Docker's DNS again every five seconds, and `depends_on` with a health check keeps it from starting before `api` is ready.
      - Changed: docker-compose.yaml, nginx.conf
      - 3 commands
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&["commands", "docker", "-n", "2"]), @r#"
    exit code: 0
    ----- stdout -----
    COMMANDS   "docker"   3 runs, none failed, in 2 turns of 1 session

    2026-01-15 19:02   a1b2c3d4:1   homelab   docker-network-debug
        ok         $ docker compose up -d && docker compose exec api getent hosts db

    2026-01-15 19:02   a1b2c3d4:0   homelab   docker-network-debug
        ok         $ docker network ls && docker compose ps
        ok         $ docker network inspect backend --format '{{range .Containers}}{{.Name}} {{end}}'
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&["files", "docker-compose"]), @r#"
    exit code: 0
    ----- stdout -----
    FILES   "docker-compose"   1 file in 1 turn of 1 session

    2026-01-15 19:02   a1b2c3d4:1   homelab   docker-network-debug
        edited   docker-compose.yaml
    ----- stderr -----
    "#);
}

/// Which of two subagents was indexed first follows from when their files were written.
#[test]
fn the_work_of_subagents_is_in_the_order_in_which_they_began() {
    let write = |id: &str, time: &str, file: &str| {
        let input =
            json!({"file_path": format!("/home/ann/boiler/{file}"), "content": "Fill first."});
        ClaudeTranscript::new(id, "/home/ann/boiler")
            .agent_of(BOILER)
            .at(time)
            .user("Write down how it fills, in a file of its own")
            .call("Write", input, "Written.", false)
            .assistant("Done as told, in a file.")
    };
    let early = write("agent-2b3c4d5e", "2026-03-08T05:13:00Z", "early.md");
    let late = write("agent-3c4d5e6f", "2026-03-08T05:14:00Z", "late.md");
    for sessions in [
        [boiler(), early.clone(), late.clone()],
        [boiler(), late, early],
    ] {
        let [first, second, third] = sessions;
        let env = TestEnvironment::indexed(&[first, second]);
        env.write_transcript(&third);
        let told = in_new_york(&env, &["digest", "2026-03-08", "--format", "json"]).stdout();
        let places: Vec<_> = ["early.md", "late.md"].map(|file| told.find(file)).into();
        assert!(places[0].is_some() && places[0] < places[1], "{told}");
    }
}

#[test]
fn a_report_is_filtered_by_agent_and_branch() {
    let env = night();
    let counted = |filter: &[&str]| {
        let arguments = [&["stats", "--days", "3660", "--json"], filter].concat();
        let printed = env.run(&arguments).stdout();
        let counted: Value = serde_json::from_str(&printed).unwrap();
        counted["total"]["turns"].clone()
    };
    assert_eq!(counted(&["--source", "claude"]), 4);
    assert_eq!(counted(&["--source", "codex"]), 0);
    assert_eq!(counted(&["--branch", "main"]), 1);
    let told = env.json(&["digest", "2026-03-07..2026-03-08", "--branch", "main"]);
    assert_eq!(told["sessions"], 1);
    assert_eq!(told["projects"][0]["project"], "kettle", "{told}");
    let wrong = env.run(&["digest", "--source", "nobody"]).exits(2);
    assert!(
        wrong
            .stderr()
            .contains("invalid value 'nobody' for '--source <AGENT>'"),
        "{wrong}"
    );
}

#[test]
fn where_nothing_was_done_the_last_day_with_work_is_named() {
    let said = |arguments: &[&str]| night().run(arguments).exits(1).stderr();
    assert_eq!(
        said(&["digest", "2026-04-01"]),
        "no session on April 1, 2026; the last was on March 8, 2026\nhint: `session-search digest 2026-03-08`\n"
    );
    assert_eq!(
        said(&["stats", "--when", "2026-04", "--branch", "main"]),
        "no session in that period; the last was on March 8, 2026\nhint: try a longer period, or fewer filters\n"
    );
}

/// They count in `stats`, and the digest has nothing to tell of them.
#[test]
fn sessions_without_an_answer_are_named() {
    let asked = ClaudeTranscript::new("a5000000-0000-4000-8000-000000000005", "/home/ann/kettle")
        .at("2026-04-01T10:00:00Z")
        .user("Why does the whistle fail?");
    let env = TestEnvironment::indexed(&[kettle(), asked]);
    let said = |time: &str| env.run(&["digest", time]).exits(1).stderr();
    assert_eq!(
        said("2026-04-01"),
        "nothing was done in 1 session on April 1, 2026, since no prompt was answered; the last was on March 8, 2026\nhint: `session-search digest 2026-03-08`\n"
    );
    assert_eq!(
        said("2026-04-02"),
        "no session on April 2, 2026; the last was on March 8, 2026\nhint: `session-search digest 2026-03-08`\n"
    );
}

/// A session that goes between branches: the pauses around another branch's turn are not a branch's own.
#[test]
fn the_time_of_a_branch_is_not_that_of_others() {
    let turn = |transcript: ClaudeTranscript, branch: &str, from: &str, to: &str| {
        let time = |minute: &str| format!("2026-04-01T10:{minute}:00Z");
        let asked = transcript.branch(branch).at(&time(from));
        asked.user("Go on").at(&time(to)).assistant("Done.")
    };
    let moving = ClaudeTranscript::new("a5000000-0000-4000-8000-000000000005", "/home/ann/kettle");
    let moving = turn(moving, "main", "00", "05");
    let moving = turn(moving, "fix", "08", "18");
    let moving = turn(moving, "main", "20", "21");
    let env = TestEnvironment::indexed(&[moving]);
    let minutes = |filter: &[&str]| {
        let arguments = [&["stats", "--when", "2026-04-01"], filter].concat();
        env.json(&arguments)["total"]["active_seconds"]
            .as_i64()
            .unwrap()
            / 60
    };
    assert_eq!(minutes(&[]), 21);
    assert_eq!(minutes(&["--branch", "main"]), 6);
    assert_eq!(minutes(&["--branch", "fix"]), 10);
}

/// The session has no turn on that day: its answer came before midnight, or after it.
#[test]
fn the_work_of_a_subagent_is_of_the_branch_on_which_it_was_started() {
    for answered in ["2026-03-31T23:10:00Z", "2026-04-01T11:00:00Z"] {
        let session = ClaudeTranscript::new(BOILER, "/home/ann/boiler")
            .branch("main")
            .at("2026-03-31T22:00:00Z")
            .user("How does the boiler fill?")
            .assistant("Before it heats.")
            .branch("fix")
            .at("2026-03-31T23:00:00Z")
            .user("Mend it in the background")
            .at(answered)
            .assistant("It is being mended.");
        let subagent = ClaudeTranscript::new("agent-2b3c4d5e", "/home/ann/boiler")
            .agent_of(BOILER)
            .branch("main")
            .at("2026-04-01T10:00:00Z")
            .user("Mend the boiler")
            .bash("make boiler", "It fills first now.")
            .assistant("Mended.");
        let env = TestEnvironment::indexed(&[session, subagent]);
        let sessions = |filter: &[&str]| {
            let told = env.json(&[&["digest", "2026-04-01"], filter].concat());
            told["sessions"].as_i64()
        };
        assert_eq!(sessions(&[]), Some(1), "{answered}");
        assert_eq!(sessions(&["--branch", "fix"]), Some(1), "{answered}");
        assert_eq!(sessions(&["--branch", "main"]), Some(0), "{answered}");
    }
}

/// Such a prompt counts with the turn before it.
#[test]
fn a_prompt_without_a_time_counts_on_the_day_of_the_turn_before() {
    let untimed = json!({
        "type": "user", "timestamp": null,
        "message": {"role": "user", "content": "And how hot does the boiler get?"},
    });
    let answer = json!({
        "type": "assistant", "timestamp": null,
        "message": {"role": "assistant", "content": [{"type": "text", "text": "To 160 degrees under pressure."}]},
    });
    let env = TestEnvironment::indexed(&[kettle().line(untimed).line(answer)]);
    let counted = env.json(&["stats", "2026-03-08"]);
    assert_eq!(counted["total"]["turns"], 2, "{counted}");
    let told = env.json(&["digest", "2026-03-08"]);
    let session = &told["projects"][0]["sessions"][0];
    assert_eq!(session["turns"], 2, "{told}");
    assert_eq!(session["active_seconds"], 60, "{told}");
}

#[test]
fn a_brief_digest_has_a_line_a_session() {
    let env = night();
    let brief = ["digest", "2026-03-07..2026-03-08", "--brief"];
    assert_snapshot!(in_new_york(&env, &brief), @r"
    exit code: 0
    ----- stdout -----
    ## March 7 to March 8, 2026: 2 sessions, 2 projects, 34 min, 1 pull request

    ### boiler (1 session, 33 min)

    - Sat 7 Warm start of the boiler (`ab000000`, 33 min, 2 files, [#12](https://github.com/ann/boiler/pull/12))

    ### kettle (1 session, 1 min)

    - 1 session without a known change, 1 min
    ----- stderr -----
    ");
    let told = env.json(&["digest", "2026-03-08", "--brief"]);
    let session = told["projects"][0]["sessions"][0].as_object().unwrap();
    for long in ["problem", "solution", "files", "failed"] {
        assert!(!session.contains_key(long), "{long}: {told}");
    }
    assert_eq!(session["commands"], 4);
}

#[test]
fn many_sessions_are_told_briefly() {
    let sessions: Vec<ClaudeTranscript> = (10..31)
        .map(|n| {
            let id = format!("a50000{n}-0000-4000-8000-000000000005");
            let asked = ClaudeTranscript::new(&id, "/home/ann/kettle").at("2026-04-01T10:00:00Z");
            asked
                .user(&format!("How hot is cup {n}?"))
                .assistant("It is at 80 degrees.")
        })
        .collect();
    let env = TestEnvironment::indexed(&sessions);
    let told = |option: &[&str]| {
        env.run(&[&["digest", "2026-04-01"], option].concat())
            .succeeded()
    };
    let brief = told(&[]);
    assert!(!brief.stdout().contains("Outcome:"), "{brief}");
    assert!(brief.stderr().contains("--full"), "{brief}");
    let full = told(&["--full"]);
    assert_eq!(full.stdout().matches("Outcome:").count(), 21, "{full}");
    assert_eq!(full.stderr(), "");
    assert_eq!(
        told(&["--json"]).stdout(),
        told(&["--json", "--full"]).stdout()
    );
}
