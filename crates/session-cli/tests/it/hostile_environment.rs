//! A project can set variables, by an agent's settings or direnv, and name paths to an agent.
#![cfg(unix)]

use crate::background::run_start_hook;
use crate::environment::{TestEnvironment, wait_until};
use crate::hostile::{ID, INFO, PROMPT, TOPIC, clone_with_memory, memory, tree};
use crate::inject_hook::payload;
use crate::memory::MemoryProject;
use rustix::process::test_kill_process_group;
use serde_json::Value;
use std::os::unix::fs::{PermissionsExt, symlink};

/// Runs a command in a folder that was deleted.
fn run_in_deleted_folder(project: &MemoryProject, args: &[&str]) -> crate::environment::Ran {
    let folder = project.env.home("gone");
    fs_err::create_dir_all(&folder).unwrap();
    let mut shell = std::process::Command::new("sh");
    project.env.isolate(&mut shell);
    let script = "cd \"$0\" && rmdir \"$0\" && exec \"$@\"";
    shell
        .args(["-c", script])
        .arg(&folder)
        .arg(env!("CARGO_BIN_EXE_session-search"));
    project.env.ran(shell.args(args).output().unwrap())
}

#[test]
fn a_folder_that_was_deleted_is_in_no_project() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    for args in [
        ["search", "docker"].as_slice(),
        &["inject", "--prompt", "docker"],
        &["doctor"],
        &["hook", "status"],
        &["config"],
        &["forget", "--match", "docker", "--dry-run"],
    ] {
        let ran = run_in_deleted_folder(&project, args);
        assert!(!ran.stderr().contains("current folder"), "{args:?}: {ran}");
        assert!(!ran.stderr().contains("error: "), "{args:?}: {ran}");
    }
    for args in [["memory", "stats"], ["memory", "list"]] {
        let ran = run_in_deleted_folder(&project, &args);
        assert!(ran.stderr().contains("memories for all projects"), "{ran}");
        assert!(!ran.stderr().contains("error: "), "{args:?}: {ran}");
    }
}

#[test]
fn a_folder_that_was_deleted_is_named_where_something_is_written() {
    let project = MemoryProject::new();
    for args in [
        ["memory", "activate", ID].as_slice(),
        &["memory", "export"],
        &["memory", "sync-context"],
        &["hook", "install", "--project", "--yes"],
    ] {
        let ran = run_in_deleted_folder(&project, args).exits(2);
        assert!(ran.stderr().contains("folder"), "{args:?}: {ran}");
        assert!(ran.stderr().contains("hint: "), "{args:?}: {ran}");
    }
}

#[test]
fn a_variable_alone_sends_nothing() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let server =
        crate::endpoint_server::EndpointServer::start(crate::endpoint_server::reply_with_vectors);
    let url = server.url();
    let with = |args: &[&str]| {
        let mut command = project.command();
        let set = [
            ("EMBEDDINGS_URL", url.as_str()),
            ("EMBEDDINGS_MODEL", "tiny"),
            ("SESSION_SEARCH_MODEL", "remote"),
        ];
        command.envs(set).args(args);
        project.env.ran(command.output().unwrap())
    };
    let ran = with(&["search", "docker"]);
    let note = "the variable SESSION_SEARCH_MODEL is left out: only your own configuration chooses";
    let said = ran.succeeded().stderr();
    assert!(said.contains(note), "{said}");
    with(&["index"]).succeeded();
    assert!(server.take_requests().is_empty());
    let shown: Value = serde_json::from_str(&with(&["config", "--json"]).stdout()).unwrap();
    let ignored = shown["ignored"].as_array().unwrap().iter();
    let ignored: Vec<&Value> = ignored.map(|setting| &setting["from"]).collect();
    assert_eq!(ignored, ["SESSION_SEARCH_MODEL", "EMBEDDINGS_URL"]);
}

/// The user configured an endpoint, and chose another model.
#[test]
fn a_variable_does_not_choose_the_endpoint_of_the_user() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let server =
        crate::endpoint_server::EndpointServer::start(crate::endpoint_server::reply_with_vectors);
    let config = format!(
        "model = \"table\"\nbackground = false\n[remote]\nurl = \"{}\"\nmodel = \"m\"\n",
        server.url()
    );
    fs_err::write(project.env.path("config/config.toml"), config).unwrap();
    for args in [&["index"][..], &["search", "docker"]] {
        let mut command = project.command();
        command.env("SESSION_SEARCH_MODEL", "remote").args(args);
        let ran = project.env.ran(command.output().unwrap()).succeeded();
        assert!(
            ran.stderr().contains("SESSION_SEARCH_MODEL is left out"),
            "{ran}"
        );
    }
    assert!(server.take_requests().is_empty());
}

/// The directory lies outside the project, and nothing is in it.
#[test]
fn an_empty_folder_of_a_variable_lifts_nothing() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let own = project.env.home(".config/session-search/config.toml");
    let text = "model = \"table\"\nenabled = false\n[exclude]\npaths = [\".claude/projects\"]\n";
    project.env.write(&own, text);
    let empty = project.env.path("empty");
    for name in ["XDG_CONFIG_HOME", "SESSION_SEARCH_CONFIG"] {
        let run = |args: &[&str]| {
            let mut command = project.command();
            command.env_remove("SESSION_SEARCH_CONFIG");
            command.env("SESSION_SEARCH_BACKGROUND", "0");
            command.env(name, &empty).args(args);
            project.env.ran(command.output().unwrap())
        };
        run(&["memory", "list"]).exits(2);
        run(&["index"]).succeeded();
        let found = run(&["search", "docker", "--json"]);
        let answer: Value = serde_json::from_str(&found.stdout()).unwrap();
        assert!(answer["hits"].as_array().unwrap().is_empty(), "{found}");
    }
}

#[test]
fn variables_that_lead_into_the_project_are_left_out() {
    let project = MemoryProject::new();
    let config = project.env.home("shop/conf");
    fs_err::create_dir_all(&config).unwrap();
    project.env.write(
        &config.join("config.toml"),
        "[injection]\npast_turns = true\n",
    );
    let evil = project.env.home("shop/evil.sh");
    project.env.write(&evil, "#!/bin/sh\ntouch ../harmed\n");
    fs_err::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    let id = project.save("T", "I", &[]);
    for (name, value, args) in [
        ("SESSION_SEARCH_CONFIG", "conf", vec!["config"]),
        ("SESSION_SEARCH_HOME", "index", vec!["search", "x"]),
        ("XDG_CONFIG_HOME", "conf", vec!["config"]),
        ("EDITOR", "./evil.sh", vec!["memory", "edit", &id]),
        ("PAGER", "./evil.sh", vec!["memory", "list"]),
        ("HF_ENDPOINT", "file://conf", vec!["model", "list"]),
    ] {
        let mut command = project.command();
        command.env(name, value).args(&args);
        let ran = project.env.ran(command.output().unwrap());
        assert!(
            ran.stderr()
                .contains(&format!("the variable {name} is left out")),
            "{ran}"
        );
    }
    assert!(!project.env.home("harmed").exists());
    assert!(!project.env.home("shop/index").exists());
}

/// The process that a search leaves behind runs in another folder; what was refused stays so.
#[test]
fn what_is_refused_is_refused_to_the_background_process() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let server =
        crate::endpoint_server::EndpointServer::start(crate::endpoint_server::reply_with_vectors);
    let config = format!(
        "model = \"remote\"\non_battery = \"run\"\n[remote]\nurl = \"{}\"\nmodel = \"m\"\n",
        server.url()
    );
    for folder in ["shop/evil", "shop/evil/session-search", "shop/evil:/cfg"] {
        project
            .env
            .write(&project.env.home(folder).join("config.toml"), &config);
    }
    project.configure("background = true", "");
    let own = fs_err::read_to_string(project.env.path("config/config.toml")).unwrap();
    let own = own
        .replace("background = false\n", "")
        .replace("\"table\"", "\"all-minilm-l6-v2\"");
    fs_err::write(project.env.path("config/config.toml"), own).unwrap();
    let evil = project.env.home("shop/evil").display().to_string();
    for (name, value) in [
        ("SESSION_SEARCH_CONFIG", evil.as_str()),
        ("SESSION_SEARCH_CONFIG", "../home/shop/evil"),
        ("SESSION_SEARCH_CONFIG", "evil://cfg"),
        ("XDG_CONFIG_HOME", evil.as_str()),
    ] {
        let mut command = project.command();
        command.env_remove("SESSION_SEARCH_CONFIG").env(name, value);
        command.args(["search", "docker"]);
        let ran = project.env.ran(command.output().unwrap());
        assert!(
            ran.stderr()
                .contains(&format!("the variable {name} is left out")),
            "{ran}"
        );
    }
    // A request would come while the vectors are made.
    let vectors = project.env.index("vectors");
    wait_until(
        || fs_err::read_dir(&vectors).map_or(0, Iterator::count) >= 2,
        || "no vectors were made".to_owned(),
    );
    assert!(server.take_requests().is_empty());
}

#[test]
fn a_home_in_the_repository_is_not_the_users() {
    let project = clone_with_memory();
    let shop = project.env.home("shop");
    for home in [".", "/proc/self/cwd", &shop.display().to_string()] {
        let mut command = project.command();
        command.env("HOME", home).args(["hook", "run"]);
        command.env("XDG_DATA_HOME", project.env.path("data"));
        let before = tree(&shop);
        let ran = project
            .piped(command, &payload(&project, PROMPT, "s1"))
            .succeeded();
        assert!(!ran.stdout().contains(ID), "{home}: {ran}");
        assert_eq!(tree(&shop), before, "{home}");
    }
}

#[test]
fn a_relative_home_is_left_out_and_the_one_that_is_used_is_named() {
    let env = TestEnvironment::new();
    let mut command = env.command();
    command.env("HOME", "rel").args(["completions", "bash"]);
    let said = env.ran(command.output().unwrap()).stderr();
    let reason = "it names a relative path, which depends on the current folder";
    let note = format!("note: the variable HOME is left out: {reason}; the home folder is `/");
    assert!(said.contains(&note), "{said}");
}

/// The folder around the nearest root is the repository's, too.
#[test]
fn a_nested_root_hides_no_variable() {
    let project = MemoryProject::new();
    let config = project.env.home("shop/conf");
    project.env.write(
        &config.join("config.toml"),
        "[injection]\ntotal_chars = 100000\n",
    );
    fs_err::create_dir_all(project.env.home("shop/pkg/.claude")).unwrap();
    let mut command = project.command();
    command.current_dir(project.env.home("shop/pkg"));
    command
        .env("SESSION_SEARCH_CONFIG", &config)
        .args(["config", "--json"]);
    let ran = project.env.ran(command.output().unwrap());
    assert!(
        ran.stderr().contains("SESSION_SEARCH_CONFIG is left out"),
        "{ran}"
    );
    assert!(!ran.stdout().contains("100000"), "{ran}");
}

/// From wherever it is named.
#[test]
fn no_variable_makes_an_index_of_a_folder_of_the_user() {
    let project = MemoryProject::new();
    let letters = project.env.home("letters");
    for file in ["letter.md", "index.db.old", "queries/f00d/mine.md"] {
        project.env.write(&letters.join(file), "mine");
    }
    fs_err::set_permissions(&letters, std::fs::Permissions::from_mode(0o775)).unwrap();
    for args in [&["search", "docker"][..], &["index"], &["index", "--full"]] {
        let mut command = project.command();
        command.env("SESSION_SEARCH_HOME", &letters).args(args);
        let ran = project.env.ran(command.output().unwrap()).exits(2);
        assert!(
            ran.stderr().contains("hint: set SESSION_SEARCH_HOME"),
            "{ran}"
        );
    }
    assert_eq!(fs_err::read_dir(&letters).unwrap().count(), 3);
    assert!(letters.join("queries/f00d/mine.md").exists());
    let mode = fs_err::metadata(&letters).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o775);
}

#[test]
fn a_path_into_a_repository_is_the_repositorys_from_anywhere() {
    let project = MemoryProject::new();
    let file = project.env.home("shop/export.json");
    let text = memory(ID, TOPIC, INFO);
    let export = serde_json::json!({"format": "session-search-memories", "version": 1, "memories": [
        {"id": ID, "state": "active", "scope": "project", "file": text, "raw": null}]});
    project.env.write(&file, export.to_string());
    let ran = project
        .env
        .run(&["memory", "import", "shop/export.json", "--global"])
        .exits(2);
    assert!(ran.stderr().contains("cannot become global"), "{ran}");
    let bashrc = project.env.home(".bashrc");
    project.env.write(&bashrc, "mine");
    symlink(&bashrc, project.env.home("shop/backup.json")).unwrap();
    fs_err::create_dir(project.env.home("shop/man")).unwrap();
    symlink(&bashrc, project.env.home("shop/man/session-search.1")).unwrap();
    project
        .env
        .run(&["memory", "export", "--to", "shop/backup.json"])
        .exits(2);
    project.env.run(&["man", "--to", "shop/man"]).exits(2);
    assert_eq!(fs_err::read_to_string(&bashrc).unwrap(), "mine");
    project
        .run(&["memory", "export", "--to", "../ok.json"])
        .succeeded();
    assert!(project.env.home("ok.json").is_file());
}

#[test]
fn the_hub_that_a_variable_names_is_none_of_the_configuration() {
    let project = MemoryProject::new();
    let mut command = project.command();
    command.env("SESSION_SEARCH_HUB", "http://127.0.0.1:1");
    command.args(["config", "--json"]);
    let shown: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let keys = shown["keys"].as_array().unwrap();
    let hub = keys.iter().find(|key| key["key"] == "hub").unwrap();
    assert!(hub["value"].is_null() && hub["variable"].is_null(), "{hub}");
}

/// Sets of questions are files of whoever made them.
#[test]
fn an_evaluation_reads_no_further_than_its_set() {
    let project = MemoryProject::new();
    let set = project.env.home("shop/set");
    project.env.write(
        &set.join("queries.jsonl"),
        "{\"id\": \"q\", \"query\": \"x\"}\n",
    );
    for to in ["/dev/zero", "/etc/hostname"] {
        let labels = set.join("qrels.session.tsv");
        let _ = fs_err::remove_file(&labels);
        symlink(to, &labels).unwrap();
        let ran = project.run(&["eval", "set"]).exits(2);
        assert!(ran.stderr().contains("is a link"), "{ran}");
    }
    crate::hostile::fifo(&set.join("qrels.turn.tsv"));
    project.run(&["eval", "set"]).exits(2);
}

/// A library reads whatever file the variable names, to its end.
#[test]
fn no_time_zone_is_read_from_a_file() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    project.env.run(&["index"]).succeeded();
    let fifo = project.env.home("shop/fifo");
    crate::hostile::fifo(&fifo);
    for (name, value) in [
        ("TZ", fifo.to_str().unwrap()),
        ("TZ", "fifo"),
        ("TZ", "/dev/zero"),
        ("TZDIR", project.env.home("shop").to_str().unwrap()),
    ] {
        let mut command = project.command();
        command.env(name, value).args(["search", "docker"]);
        let ran = project.piped(command, "").succeeded();
        let note = format!("the variable {name} is left out");
        assert!(ran.stderr().contains(&note), "{value}: {ran}");
    }
}

/// Elsewhere no variable names any.
#[cfg(target_os = "linux")]
#[test]
fn no_authority_of_a_project_is_trusted() {
    let project = MemoryProject::new();
    let (theirs, own) = (project.env.home("shop/ca.pem"), project.env.path("own.pem"));
    for file in [&theirs, &own] {
        project.env.write(file, "");
    }
    let said_with = |file, args: &[&str]| {
        let mut command = project.command();
        command.env("SSL_CERT_FILE", file).args(args);
        project.piped(command, "").stderr()
    };
    let note = "the variable SSL_CERT_FILE is left out";
    for args in [&["model", "list"][..], &["index"], &["status"], &["doctor"]] {
        let said = said_with(&theirs, args);
        assert!(said.contains(note), "{args:?}: {said}");
    }
    let said = said_with(&own, &["model", "list"]);
    assert!(!said.contains(note), "{said}");
}

/// Threads that no machine has, and stacks that no thread gets.
#[test]
fn no_variable_sizes_threads() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let sized = |args: &[&str]| {
        let mut command = project.command();
        command.env("RUST_MIN_STACK", "4000000000000");
        command.env("RAYON_NUM_THREADS", "30000").args(args);
        command
    };
    for args in [&["index"][..], &["search", "docker"]] {
        let ran = sized(args).output().unwrap();
        project.env.ran(ran).succeeded();
    }
    let input = payload(&project, PROMPT, "s1");
    project.piped(sized(&["hook", "run"]), &input).succeeded();
}

/// Nobody asked for a refresh there: it is one as the user's last search made, or none.
#[test]
fn the_variables_of_a_repository_change_nothing_where_a_session_begins() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let config = project.env.path("config/config.toml");
    let configure = |background: bool| {
        let keys = format!("model = \"table\"\nbackground = {background}\n");
        let text = format!("{keys}[injection]\nlast_session = true\n");
        fs_err::write(&config, text).unwrap();
    };
    configure(false);
    project.run(&["index"]).succeeded();
    let held = || {
        let status = project.env.json(&["status"]);
        ["turns", "gone", "models"].map(|key| status[key].clone())
    };
    let before = held();
    let elsewhere = project.env.path("elsewhere").display().to_string();
    let start_with = |name: &str, value: &str| {
        let mut command = project.command();
        command.env(name, value);
        let group = run_start_hook(command, &project.env.home("shop"));
        let is_alone = test_kill_process_group(group).is_err();
        assert!(is_alone, "{name}: a process was started");
        assert_eq!(held(), before, "{name}");
    };
    for is_background in [false, true] {
        configure(is_background);
        for (name, value) in [
            ("SESSION_SEARCH_EXCLUDE_PATTERNS", "[\".\"]"),
            ("SESSION_SEARCH_EXCLUDE_PROJECTS", "[\"shop\"]"),
            ("SESSION_SEARCH_MODEL", "all-minilm-l6-v2"),
            ("CLAUDE_CONFIG_DIR", &elsewhere),
            ("XDG_CONFIG_HOME", &elsewhere),
        ] {
            start_with(name, value);
        }
    }
    configure(false);
    start_with("SESSION_SEARCH_BACKGROUND", "1");
}
