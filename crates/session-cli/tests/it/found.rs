//! Turns by what they touched and ran; and what was done, beside hits.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::history::small;
use crate::work::{BOILER, HELPER, boiler, night};
use insta::assert_snapshot;
use serde_json::json;
#[cfg(target_os = "linux")]
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};

#[test]
fn files_are_found_with_what_was_done() {
    let env = night();
    assert_snapshot!(env.run(&["files", "boiler/"]), @r#"
    exit code: 0
    ----- stdout -----
    FILES   "boiler/"   2 files in 3 turns of 1 session

    2026-03-08 18:00   ab000000:2   boiler   Warm start of the boiler
        written  NOTES.md

    2026-03-08 05:10   ab000000:1   boiler   Warm start of the boiler
        edited   boiler.c

    2026-03-08 04:50   ab000000:0   boiler   Warm start of the boiler
        read     boiler.c
    ----- stderr -----
    "#);
    let found = env.json(&["files", "NOTES.md"]);
    assert_eq!(found["found"][0]["turn"], 2);
    assert_eq!(found["found"][0]["what"][0]["touch"], "written");
    assert_eq!(found["turns"], 1, "a copy is not told twice");
    assert_snapshot!(env.run(&["files", "teapot.c"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no turn read or changed `teapot.c` and no command names it in 4 sessions
    ");
}

#[test]
fn files_are_narrowed_to_what_was_changed() {
    let env = night();
    let turns = |args: &[&str]| {
        let found = env.json(args);
        let found = found["found"].as_array().unwrap();
        let turns = found.iter().map(|turn| turn["turn"].as_u64().unwrap());
        turns.collect::<Vec<_>>()
    };
    assert_eq!(turns(&["files", "boiler.c"]), [1, 0]);
    assert_eq!(turns(&["files", "boiler.c", "--changed"]), [1]);
    assert_eq!(turns(&["files", "--changed", "--session", BOILER]), [2, 1]);
    let none = env.run(&["files", "teapot.c", "--changed"]).exits(1);
    assert!(
        none.stderr().starts_with("no turn changed `teapot.c`"),
        "{none}"
    );
}

/// The listing prints the address of a turn: it is a session with one turn.
#[test]
fn a_session_with_turns_is_these_alone() {
    let env = night();
    let turns = |command: &str, session: &str| {
        let found = env.json(&[command, "--session", session]);
        let found = found["found"].as_array().unwrap();
        let turns = found.iter().map(|turn| turn["turn"].as_u64().unwrap());
        turns.collect::<Vec<_>>()
    };
    assert_eq!(turns("commands", "ab000000:0"), [0]);
    assert_eq!(turns("files", "ab000000:last"), [2]);
    assert_eq!(turns("files", "ab000000:1-"), [2, 1]);
    let none = env.run(&["files", "--session", "ab000000:9"]).exits(2);
    let error = "`ab000000:9` names no turn: the session has 3, counted from 0";
    assert!(none.stderr().contains(error), "{none}");
}

/// As a compiler, a mention or a diff writes it.
#[test]
fn a_pasted_path_is_found() {
    let env = night();
    let turns = |args: &[&str]| env.json(args)["turns"].as_u64();
    for path in [
        "boiler/boiler.c:12",
        "@boiler.c#L12",
        "\"boiler.c\"",
        "a/boiler.c",
    ] {
        assert_eq!(turns(&["files", path]), Some(2), "{path}");
    }
    let query = ["search", "file:@boiler.c:12", "--depth", "2"];
    let hits = env.json(&query);
    assert_eq!(hits["hits"].as_array().unwrap().len(), 2, "{hits}");
}

#[test]
fn commands_are_found_with_how_they_ended() {
    let env = night();
    assert_snapshot!(env.run(&["commands", "make * test", "--project", "boiler"]), @r#"
    exit code: 0
    ----- stdout -----
    COMMANDS   "make * test"   2 runs (1 failed) in 2 turns of 1 session

    2026-03-08 05:10   ab000000:1   boiler   Warm start of the boiler
        ok         $ make test

    2026-03-08 04:50   ab000000:0   boiler   Warm start of the boiler
        failed     $ make test
    ----- stderr -----
    "#);
    let same = |pattern| {
        env.run(&["commands", pattern])
            .stdout()
            .lines()
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(same("MAKE"), same("make * test"), "whatever the case");

    let grep = env.json(&["commands", "grep"]);
    assert_eq!(
        (&grep["found"][0]["session"], &grep["found"][0]["parent"]),
        (&HELPER.into(), &BOILER.into())
    );
    let failed = env.json(&["commands", "make", "--failed"]);
    assert_eq!(
        (&failed["turns"], &failed["found"][0]["turn"]),
        (&1.into(), &0.into())
    );
    let none = env.run(&["commands", "gh", "--failed"]).exits(1);
    assert!(
        none.stderr().starts_with("no run of `gh` failed in "),
        "{none}"
    );
    let filtered = env.run(&["commands", "make", "--until", "2026-03-07"]);
    assert_eq!(filtered.exits(1).stdout(), "");
}

#[test]
fn hits_are_told_with_what_was_done() {
    let env = night();
    let search = ["search", "boiler starts cold", "--keyword-only", "-n", "1"];
    let with = |parts: &'static str| [&search[..], &["--with", parts]].concat();
    assert_snapshot!(env.run(&with("problem,solution,commands")), @r#"
    exit code: 0
    ----- stdout -----
    SESSIONS  "boiler starts cold"   3 sessions, 2 projects (claude 3)

    [# strong]   claude   ab000000:0   boiler   2026-03-08   3 turns   Warm start of the boiler
        The boiler starts cold after each restart, find out why
        asked in ab000000:0:
        PROBLEM   The boiler starts cold after each restart, find out why
        SOLUTION  It fills after it heats.
        done in the whole session:
        COMMANDS  $ make test (failed)
                  $ make test
                  $ gh pr create --fill
        files: boiler.c    resume: session-search resume ab000000

    Next: session-search search "boiler starts cold" --depth 2 --session ab000000
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&with("all")).stdout(), @r#"
    SESSIONS  "boiler starts cold"   3 sessions, 2 projects (claude 3)

    [# strong]   claude   ab000000:0   boiler   2026-03-08   3 turns   Warm start of the boiler
        The boiler starts cold after each restart, find out why
        asked in ab000000:0:
        PROBLEM   The boiler starts cold after each restart, find out why
        SOLUTION  It fills after it heats.
        done in the whole session:
        COMMANDS  $ make test (failed)
                  $ make test
                  $ gh pr create --fill
        FILES     (2)  boiler.c, NOTES.md
        ERRORS    The user does not want this.
                  boiler.c:7: error: no water
        PRS       https://github.com/ann/boiler/pull/12
        BRANCH    warm-start
        TIME      33 min
        MODELS    model-1
        resume: session-search resume ab000000

    Next: session-search search "boiler starts cold" --depth 2 --session ab000000
    "#);
    let hit = &env.json(&with("commands,files,time"))["hits"][0];
    let done = hit["done"].as_object().unwrap();
    let parts: Vec<&String> = done.keys().collect();
    assert_eq!(parts, ["active_seconds", "commands", "files"]);
    assert!(env.json(&search)["hits"][0].get("done").is_none());
    let turn = [&with("commands")[..], &["--depth", "2"]].concat();
    let commands = &env.json(&turn)["hits"][0]["done"]["commands"];
    assert_eq!(commands.as_array().unwrap().len(), 1, "those of the turn");
}

#[test]
fn one_kind_of_thing_is_shown() {
    let env = night();
    assert_snapshot!(env.run(&["show", "ab0", "--only", "commands"]).stdout(), @r"
    ab000000:0
      $ make test   failed
    ab000000:1
      $ make test
      $ gh pr create --fill
    ");
    assert_snapshot!(env.run(&["show", "ab0", "--only", "files"]).stdout(), @r"
    ab000000:0
      /home/ann/boiler/boiler.c   read
    ab000000:1
      /home/ann/boiler/boiler.c   edited
    ab000000:2
      /home/ann/boiler/NOTES.md   written
    ");
    assert_snapshot!(env.run(&["show", "ab0:0", "--only", "errors"]).stdout(), @r"
    ab000000:0
      boiler.c:7: error: no water
    ");
    assert_snapshot!(env.run(&["show", "cd0", "--only", "prompts"]).stdout(), @r"
    cd000000:0
    How hot does the kettle get?
    ");
    assert_snapshot!(env.run(&["show", "cd0", "--only", "answers"]).stdout(), @r"
    cd000000:0
    To 100 degrees at sea level.
    ");
    let shown = env.json(&["show", "ab0:1", "--only", "files"]);
    assert_eq!(shown["shown"][0]["files"][0]["touch"], "edited");
    assert!(shown["shown"][0].get("commands").is_none());
}

#[test]
fn turns_come_with_those_around_them() {
    let env = night();
    let turns = |args: &[&str]| {
        env.json(&[&["show"], args].concat())["shown"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(turns(&["ab0:0"]), 1);
    assert_eq!(turns(&["ab0:0", "--context", "1"]), 2);
    assert_eq!(turns(&["ab0:1", "-C", "9"]), 3);
}

#[test]
fn a_session_is_shown_as_markdown() {
    let env = small();
    let only = ["show", "a1", "--format", "markdown", "--only", "commands"];
    let refused = env.run(&only).exits(2);
    assert!(refused.stderr().contains("--only prints text or JSON"));
    assert_snapshot!(env.run(&["show", "a1", "--format", "markdown"]).stdout(), @r#"
    # Docker bridge DNS

    - Session: `a1000000-0000-4000-8000-000000000001`
    - Agent: claude
    - Project: homelab
    - Branch: main
    - Began: 2026-01-15 10:00
    - Resume: `claude --resume a1000000-0000-4000-8000-000000000001`

    ## a1000000:0, 1 of 2, 2026-01-15 10:00

    **You:**

    > The containers cannot resolve each other by name on the docker bridge

    *Thinking:*

    > The default bridge has no DNS.

    **Bash**

    ```sh
    docker network inspect bridge
    ```

    ```text
    [{"Name": "bridge"}]
    ```

    The default bridge has no DNS. Create a network of your own and attach both.

    ## a1000000:1, 2 of 2, 2026-01-15 10:05

    **You:**

    > Write that into compose.yaml

    **Edit** `/home/ann/homelab/compose.yaml`

    ```diff
    +networks:
    +  inner:
     services:
    ```

    ```text
    The file has been updated.
    ```

    Both services are on the network `inner` now.
    "#);
}

#[test]
fn formats_agree() {
    let env = night();
    let [json, format] = [&["--json"][..], &["--format", "json"]].map(|how| {
        env.run(&[&["show", "cd0"], how].concat())
            .succeeded()
            .stdout()
    });
    assert_eq!(json, format);
    let full = env
        .run(&["show", "ab0", "--full", "--no-pager"])
        .succeeded()
        .stdout();
    assert_eq!(
        full,
        env.run(&["show", "ab0"]).stdout(),
        "where it is no terminal nothing is cut"
    );
}

/// Returns what `show` prints on a terminal of ten lines, and what its pager gets.
#[cfg(target_os = "linux")]
fn on_a_terminal(arguments: &str, pager: &Path) -> (String, Option<String>) {
    let env = night();
    let paged = pager.with_file_name("paged");
    let _ = fs_err::remove_file(&paged);
    let typed = format!(
        "stty rows 10 cols 80; exec {} show ab0 {arguments}",
        env!("CARGO_BIN_EXE_session-search")
    );
    let mut script = Command::new("script");
    env.isolate(&mut script);
    script
        .args(["-qec", &typed, "/dev/null"])
        .stdin(Stdio::null());
    script.env("PAGER", pager).env("TERM", "xterm");
    let printed = env.ran(script.output().unwrap()).succeeded().stdout();
    (printed, fs_err::read_to_string(&paged).ok())
}

#[cfg(target_os = "linux")]
#[test]
fn long_text_on_a_terminal_goes_through_the_pager() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let [pager, shell] = ["less", "sh"].map(|name| folder.path().join(name));
    for path in [&pager, &shell] {
        fs_err::write(path, "#!/bin/sh\ncat > \"${0%/*}/paged\"\n").unwrap();
        fs_err::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let (printed, paged) = on_a_terminal("", &pager);
    let paged = paged.unwrap();
    assert!(
        paged.contains("cold after each restart") && paged.contains('\u{1b}'),
        "{paged}"
    );
    assert!(!printed.contains("cold after each restart"), "{printed}");
    for (arguments, pager) in [
        ("--no-pager", pager.as_path()),
        ("", Path::new("/no/such/less")),
        ("", shell.as_path()),
    ] {
        let (printed, paged) = on_a_terminal(arguments, pager);
        assert!(printed.contains("cold after each restart"), "{printed}");
        assert_eq!(paged, None);
    }
    let short = on_a_terminal("--only errors", &pager);
    assert_eq!(short.1, None, "what fits is printed");
}

#[test]
fn a_filter_takes_the_place_of_a_pattern() {
    let env = night();
    for (command, filter) in [
        ("files", &["--session", "ab0"][..]),
        ("files", &["--exclude-session", "cd0"]),
        ("commands", &["--exclude-session", "cd0"]),
        ("commands", &["--session", "ab0"]),
        ("commands", &["--failed"]),
        ("commands", &["--failed", "--project", "boiler"]),
    ] {
        let all = env.json(&[&[command, "*"], filter].concat());
        let found = env.json(&[&[command], filter].concat());
        assert_eq!(found, all, "{command} {filter:?}");
        assert_ne!(found["turns"], 0, "{command} {filter:?}");
    }
    for command in ["files", "commands"] {
        let ran = env.run(&[command]).exits(2);
        let hint = format!("hint: `session-search {command} '*'` lists all; ");
        assert!(ran.stderr().contains(&hint), "{ran}");
    }
    let none = env
        .run(&["commands", "--failed", "--session", "cd0"])
        .exits(1);
    assert!(
        none.stderr().starts_with("no run of a command failed in "),
        "{none}"
    );
}

#[test]
fn commands_that_failed_have_their_error_and_their_success() {
    let fail = |id: &str, time: &str, command: &str, output: &str| {
        let id = format!("{id}-0000-4000-8000-000000000006");
        let asked = ClaudeTranscript::new(&id, "/home/ann/pump").at(time);
        let asked = asked.user("Prime the pump");
        let input = json!({"command": command});
        asked
            .call("Bash", input, output, true)
            .assistant("It is stuck.")
    };
    let prime = "cd /home/ann/pump && ./prime --all";
    let stuck = "Exit code 2\nprime: cannot open the valve";
    let env = TestEnvironment::indexed(&[
        boiler(),
        fail("5e000000", "2026-03-09T08:00:00Z", prime, stuck),
        fail(
            "5f000000",
            "2026-03-09T09:00:00Z",
            "rg -n valve src",
            "Exit code 1",
        ),
    ]);
    assert_snapshot!(env.run(&["commands", "--failed"]), @r"
    exit code: 0
    ----- stdout -----
    COMMANDS   2 failed runs in 2 turns of 2 sessions; 1 more only found nothing (--all)

    2026-03-09 08:00   5e000000:0   pump   Prime the pump
        failed   $ … ./prime --all
                 prime: cannot open the valve

    2026-03-08 04:50   ab000000:0   boiler   Warm start of the boiler
        failed   $ make test
                 boiler.c:7: error: no water
                 ok later in :1, after boiler.c

    Next: session-search fix 'prime: cannot open the valve'
    ----- stderr -----
    ");
    let found = env.json(&["commands", "--failed"]);
    assert_eq!(
        (&found["turns"], &found["found_nothing"]),
        (&2.into(), &1.into())
    );
    let run = &found["found"][1]["what"][0];
    assert_eq!(run["errors"][0], "boiler.c:7: error: no water");
    let cured = json!({"turn": 1, "files": ["/home/ann/boiler/boiler.c"]});
    assert_eq!(run["cured"], cured);
    assert!(found["found"][0]["what"][0].get("cured").is_none());
    for search in ["--all", "rg"] {
        let found = env.json(&["commands", "--failed", search]);
        assert!(found.to_string().contains("rg -n valve"), "{found}");
        assert_eq!(found["found_nothing"], 0);
    }
    let none = env
        .run(&["commands", "--failed", "--session", "5f0"])
        .exits(1);
    let hint = "hint: 1 run only found nothing; --all lists it\n";
    assert!(none.stderr().ends_with(hint), "{none}");
}

#[test]
fn a_file_that_commands_name_is_looked_for_there() {
    let env = TestEnvironment::indexed(&[ClaudeTranscript::new(
        "5e000000-0000-4000-8000-000000000006",
        "/home/ann/pump",
    )
    .user("Format the pump")
    .bash("gofmt -w src/pump_test.go", "")
    .bash("git diff src/pump_test.go", "")
    .assistant("It is formatted.")]);
    let hint = "no turn read or changed `src/pump_test.go` in 1 session\nhint: `session-search commands src/pump_test.go` \
         has 2 runs\n";
    assert_eq!(
        env.run(&["files", "src/pump_test.go"]).exits(1).stderr(),
        hint
    );
    let found = env.json(&["files", "/home/ann/pump/src/pump_test.go:3"]);
    assert_eq!(
        found["hints"][1],
        "`session-search commands pump_test.go` has 2 runs"
    );
    let none = env.run(&["files", "valve.go"]).exits(1);
    assert_eq!(
        none.stderr(),
        "no turn read or changed `valve.go` and no command names it in 1 session\n"
    );
    let blank = env.run(&["files", " "]).exits(1);
    assert!(!blank.stderr().contains("hint: "), "{blank}");
}
