//! The output where nothing is found.

use crate::claude::ClaudeTranscript;
use crate::environment::{Ran, TestEnvironment};
use crate::history::{small, watcher};
use insta::assert_snapshot;
use serde_json::{Value, json};

#[test]
fn nothing_found_is_said_on_stderr() {
    let env = small();
    assert_snapshot!(env.run(&["search", "zygomorphic", "--keyword-only"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no prompt, answer, command, path or error line holds `zygomorphic`
    nothing found in 4 sessions
    ");
    assert_snapshot!(env.run(&["search", "EMFILE", "--project", "nowhere"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no project has `nowhere` in its name or path
    hint: `session-search status` lists the projects
    ");
    let asked = ["search", "EMFILE", "--project", "nowhere", "--json"];
    let hints = [
        "no project has `nowhere` in its name or path",
        "`session-search status` lists the projects",
    ];
    assert_nothing(env.run(&asked), "EMFILE", &["EMFILE"], json!(hints));
    assert_snapshot!(env.run(&["show", "b2:7"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    session b2000000 has no such turn
    hint: its turns are 0 to 0
    ");
}

/// The program answered in JSON that it found nothing in nothing; what the filters leave out holds these terms.
fn assert_nothing(ran: Ran, query: &str, filtered: &[&str], hints: Value) -> Ran {
    let ran = ran.exits(1);
    let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
    let expected = json!({
        "query": query,
        "level": "session",
        "hits": [],
        "searched": { "sessions": 0, "projects": 0, "sources": {} },
        "complete": true,
        "index": { "files_left": 0, "sessions_left": 0, "places_unread": 0, "locked": false },
        "left_out": [],
        "missing": [],
        "session_ids": [],
        "only_subagents": [],
        "filtered": filtered,
        "corrected": [],
        "hints": hints,
    });
    assert_eq!(answer, expected);
    ran
}

#[test]
fn a_mistyped_word_is_corrected_and_named() {
    let env = TestEnvironment::indexed(&[watcher(), untitled()]);
    let ran = env.run(&["search", "telescpoe on", "--json"]).succeeded();
    let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(answer["query"], "telescpoe on");
    assert_eq!(
        answer["hits"][0]["session"],
        "e5000000-0000-4000-8000-000000000005"
    );
    let corrected = json!([{ "typed": "telescpoe", "searched": "telescope" }]);
    assert_eq!(answer["corrected"], corrected);
    let ran = env.run(&["search", "telescpoe on"]).succeeded();
    assert_eq!(
        ran.stderr(),
        "nothing holds `telescpoe`; searched `telescope`\n"
    );
    for query in ["\"telescpoe\"", "telescpoe2"] {
        let ran = env
            .run(&["search", query, "--json", "--keyword-only"])
            .exits(1);
        let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
        assert_eq!(answer["corrected"], json!([]), "{query}");
    }
}

#[test]
fn an_empty_index_has_nothing_in_brackets() {
    let env = TestEnvironment::new();
    env.run(&["index"]).succeeded();
    let status = env.printed(&["status"], 100);
    assert!(
        status.contains("history   0 sessions, 0 turns, 0 projects\n"),
        "{status}"
    );
    let status = env.run(&["status"]).succeeded().stderr();
    assert!(
        status.contains("\nhint: try `session-search demo`"),
        "{status}"
    );
}

#[test]
fn a_session_without_a_title_is_named_by_its_folder_and_time() {
    let env = TestEnvironment::indexed(&[watcher(), untitled()]);
    let listed = env.printed(&["search", "telescope", "--limit", "1"], 100);
    assert!(listed.contains("1 turn   attic, 20"), "{listed}");
    let shown = env.printed(&["show", "e5"], 100);
    assert!(shown.contains("\nattic, 20"), "{shown}");
}

fn untitled() -> ClaudeTranscript {
    ClaudeTranscript::new("e5000000-0000-4000-8000-000000000005", "/home/ann/attic")
        .user("ok")
        .assistant("The telescope stands on the balcony.")
}

#[test]
fn without_history_the_way_on_is_shown() {
    let env = TestEnvironment::new();
    assert_snapshot!(env.run(&["status"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    there is no index yet
    hint: the first `session-search search` makes it
    ");
    assert_snapshot!(env.run(&["search", "docker"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no [AGENTS] history in `[TMP]/home`
    hint: try `session-search demo`, or add --or-demo to a search; [DOCS]/sources.md says where histories are looked for
    ");
    let ran = env.run(&["search", "docker", "--json"]);
    let said = ran.stderr().replace("hint: ", "");
    let hints = said.lines().collect::<Vec<_>>();
    let ran = assert_nothing(ran, "docker", &[], json!(hints));
    assert!(ran.stderr().starts_with("no Claude Code"), "{ran}");
    let ran = env
        .run(&["search", "docker", "--or-demo", "--limit", "1"])
        .succeeded();
    assert!(
        ran.stdout()
            .starts_with("SESSIONS  \"docker\"   6 sessions, 3 projects"),
        "{ran}"
    );
    assert!(ran.stdout().contains("docker-network-debug"), "{ran}");
    assert_eq!(
        ran.stderr(),
        "note: this machine has no history yet; this is the built-in demo\n"
    );
    let answer = env.json(&["search", "docker", "--or-demo", "--quiet"]);
    let hint = answer["hints"][0].as_str().unwrap();
    assert!(hint.contains("built-in demo"), "{answer}");
    assert_snapshot!(env.run(&["show", "a1"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no session begins with `a1`
    hint: `session-search search QUERY` prints ids
    ");
    assert_snapshot!(env.run(&["index"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    nothing new ([TIME] s)
    ");
}

#[test]
fn the_demo_does_not_stand_in_for_a_history() {
    let env = small();
    assert_eq!(
        env.found(&["EMFILE", "--or-demo", "--limit", "1"]),
        [crate::history::WATCHER]
    );
}

#[test]
fn without_history_no_option_is_blamed() {
    let env = TestEnvironment::new();
    for command in [
        &["files", "config"][..],
        &["commands", "cargo"],
        &["fix", "error: linker `cc` not found"],
        &["stats"],
        &["digest", "--project", "app"],
    ] {
        let said = env.run(command).exits(1).stderr();
        assert!(said.starts_with("no Claude Code, "), "{command:?}: {said}");
        assert!(said.contains("hint: try `session-search demo`"), "{said}");
    }
}

#[test]
fn filters_that_leave_nothing_are_told_of() {
    let env = small();
    for command in [
        &["files", "config"][..],
        &["commands", "cargo"],
        &["fix", "error: linker `cc` not found"],
    ] {
        let filtered = [command, &["--project", "nowhere"]].concat();
        assert_eq!(
            env.run(&filtered).exits(1).stderr(),
            "no project has `nowhere` in its name or path\nhint: `session-search status` lists the projects\n"
        );
        let filtered = [command, &["--branch", "nope"]].concat();
        let said = "no turn is on the branch `nope`\nhint: give the whole name of a branch, or leave it out\n";
        assert_eq!(env.run(&filtered).exits(1).stderr(), said);
        let filtered = [command, &["--project", "homelab", "--source", "opencode"]].concat();
        assert_eq!(
            env.run(&filtered).exits(1).stderr(),
            "no session passes all the filters\nhint: remove one of them\n"
        );
    }
    for command in ["digest", "stats"] {
        let said = |filter: &str, value: &str| env.run(&[command, filter, value]).exits(1).stderr();
        let branch = "no turn is on the branch `nope`\nhint: give the whole name of a branch, or leave it out\n";
        assert_eq!(said("--branch", "nope"), branch);
        let agent = "no session is of codex\nhint: there are `claude`, `opencode`\n";
        assert_eq!(said("--source", "codex"), agent);
    }
    let ran = env.run(&["commands", "zygomorphic"]).exits(1);
    assert_eq!(ran.stderr(), "no turn ran `zygomorphic` in 4 sessions\n");
}

#[test]
fn json_tells_why_nothing_was_found() {
    let env = small();
    let unknown = json!([
        "no project has `parsr` in its name or path",
        "there is `parser`"
    ]);
    let branch = json!([
        "no turn is on the branch `nope`",
        "give the whole name of a branch, or leave it out"
    ]);
    for command in [
        &["search", "EMFILE"][..],
        &["search", "EMFILE", "--compact"],
        &["files", "config"],
        &["commands", "cargo"],
        &["fix", "error: linker `cc` not found"],
    ] {
        let hints = |filter: [&str; 2]| {
            let ran = env.run(&[command, &filter, &["--json", "--quiet"]].concat());
            let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
            answer["hints"].clone()
        };
        assert_eq!(hints(["--project", "parsr"]), unknown, "{command:?}");
        assert_eq!(hints(["--branch", "nope"]), branch, "{command:?}");
        let both = hints(["--project=homelab", "--source=opencode"]);
        let none = json!(["no session passes all the filters", "remove one of them"]);
        assert_eq!(both, none, "{command:?}");
    }
    for command in ["digest", "stats"] {
        let hints = |filter: [&str; 2]| {
            let ran = env.run(&[&[command, "--json", "--quiet"][..], &filter].concat());
            let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
            answer["hints"].clone()
        };
        assert_eq!(hints(["--project", "parsr"]), unknown, "{command}");
        assert_eq!(hints(["--branch", "nope"]), branch, "{command}");
    }
    let found = env.json(&["search", "EMFILE", "--project", "parser"]);
    assert_eq!(found["hints"], json!([]), "{found}");
    let typed = env.json(&["search", "EMFILE agent:nobody"]);
    let hint = typed["hints"][0].as_str().unwrap();
    assert!(
        hint.starts_with("`agent:nobody` is searched as text; "),
        "{hint}"
    );
}

#[test]
fn a_query_without_a_word_says_so_in_each_form() {
    let env = small();
    let reason = "the query has no word to search";
    for query in ["?", "\"\"", "*"] {
        let told = env.run(&["search", query]).exits(1).stderr();
        assert_eq!(told, format!("{reason}\n"), "{query}");
        for form in [&["--json"][..], &["--json", "--compact"]] {
            let ran = env.run(&[&["search", query], form].concat()).exits(1);
            let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
            assert_eq!(answer["hints"], json!([reason]), "{query} {form:?}");
        }
    }
}

#[test]
fn turns_without_what_was_asked_for_say_so() {
    let env = small();
    for (kind, said) in [
        ("commands", "no command ran in these turns\n"),
        ("files", "no file was read or changed in these turns\n"),
        ("errors", "no error stands in these turns\n"),
    ] {
        let ran = env.run(&["show", "c3:0", "--only", kind]).exits(1);
        assert_eq!((ran.stdout().as_str(), ran.stderr().as_str()), ("", said));
        let quiet = env.run(&["show", "c3:0", "--only", kind, "--quiet"]);
        assert_eq!(quiet.succeeded().stderr(), said);
    }
}

#[test]
fn an_unknown_project_is_told_alike_by_each_command() {
    let env = small();
    for command in [
        &["search", "EMFILE"][..],
        &["files", "config"],
        &["digest"],
        &["stats"],
        &["forget", "--yes"],
    ] {
        let ran = env.run(&[command, &["--project", "nosuch"]].concat());
        assert_eq!(
            ran.exits(1).stderr(),
            "no project has `nosuch` in its name or path\nhint: `session-search status` lists the projects\n"
        );
    }
}

#[test]
fn a_filter_that_nothing_passes_may_have_been_meant_as_text() {
    let ran = small().run(&["search", "after:2"]).exits(1);
    let hint = "hint: in double quotes a filter is searched as text\n";
    assert!(ran.stderr().ends_with(hint), "{ran}");
}

#[test]
fn a_home_folder_that_is_mistyped_is_not_made() {
    let env = TestEnvironment::unconfigured();
    let home = env.path("hmoe/ann");
    for args in [
        &["search", "docker"][..],
        &["stats"],
        &["status"],
        &["show", "a1"],
        &["memory", "list"],
        &["memory", "save", "--topic", "Lamp", "--info", "on the pier"],
        &["hook", "install", "--yes"],
    ] {
        let mut command = env.command();
        command
            .env("HOME", &home)
            .env_remove("SESSION_SEARCH_HOME")
            .args(args);
        let ran = env.ran(command.output().unwrap());
        assert!(!env.path("hmoe").exists(), "{args:?}: {ran}");
        let named = "hmoe/ann` does not exist\nhint: correct HOME";
        assert!(
            ran.code() == 2 && ran.stderr().contains(named),
            "{args:?}: {ran}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let env = TestEnvironment::new();
    for args in [&["--help"][..], &["help", "search"], &["--version"]] {
        let full = fs_err::OpenOptions::new().write(true).open("/dev/full");
        let mut command = env.command();
        command.args(args).stdout(full.unwrap().into_file());
        let ran = env.ran(command.output().unwrap()).exits(2);
        assert!(
            ran.stderr()
                .starts_with("error: the help cannot be printed: "),
            "{args:?}: {ran}"
        );
    }
}

/// The first refresh may be stopped before it has read a session.
#[test]
fn an_index_that_has_read_nothing_yet_is_not_told_that_there_is_no_history() {
    let env = TestEnvironment::new();
    env.run(&["index"]).succeeded();
    let empty = env.run(&["status"]).succeeded().stderr();
    assert!(empty.starts_with("no Claude Code, "), "{empty}");
    env.write_transcript(&watcher());
    assert_eq!(
        env.run(&["status"]).succeeded().stderr(),
        "no session is read yet\nhint: the next search reads on, or run `session-search index`\n"
    );
}

#[test]
fn commands_that_name_a_file_are_counted_by_the_filters() {
    let env = TestEnvironment::indexed(&[ClaudeTranscript::new(
        "5e000000-0000-4000-8000-000000000006",
        "/home/ann/pump",
    )
    .user("Format the pump")
    .bash("gofmt -w src/pump_test.go", "")
    .assistant("It is formatted.")]);
    let files = ["files", "src/pump_test.go", "--project", "pump"];
    let none = env.run(&files).exits(1).stderr();
    let hint = "`session-search commands src/pump_test.go` with the same filters has 1 run\n";
    assert!(none.contains(hint), "{none}");
}

#[test]
fn words_of_a_command_with_others_between_them_are_told() {
    let env = TestEnvironment::indexed(&[ClaudeTranscript::new(
        "5e000000-0000-4000-8000-000000000006",
        "/home/ann/pump",
    )
    .user("Test the pump")
    .bash("go test ./... -bench=valve", "")
    .bash("go test ./src -bench=gauge", "")
    .assistant("It is tested.")]);
    let none = env.run(&["commands", "go test bench"]).exits(1);
    let hint = "hint: `session-search commands 'go * test * bench'` has 2 runs\n";
    assert!(none.stderr().ends_with(hint), "{none}");
    let found = env.json(&["commands", "go bench*gauge"]);
    let hint = "`session-search commands 'go * bench * gauge'` has 1 run";
    assert_eq!(found["hints"][1], hint);
    for pattern in ["bench test", "gopher", "go test lamp"] {
        let none = env.run(&["commands", pattern]).exits(1);
        assert!(!none.stderr().contains("hint: "), "{none}");
    }
}
