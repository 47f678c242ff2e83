//! A project can set variables that lead to clones, or that have mistakes.
#![cfg(unix)]

use crate::environment::TestEnvironment;
use crate::hostile::PROMPT;
use crate::inject_hook::payload;
use crate::memory::MemoryProject;
use serde_json::Value;

/// The folder that is opened below the one of the variable is the clone, whose file would be the user's configuration.
#[test]
fn no_clone_is_the_users_configuration_by_its_name() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    let server =
        crate::endpoint_server::EndpointServer::start(crate::endpoint_server::reply_with_vectors);
    let clone = project.env.home("src/session-search");
    fs_err::create_dir_all(clone.join(".git")).unwrap();
    let config = format!(
        "model = \"remote\"\n[remote]\nurl = \"{}\"\nmodel = \"m\"\n[redaction]\nenabled = false\n",
        server.url()
    );
    project.env.write(&clone.join("config.toml"), &config);
    let parent = project.env.home("src");
    for directory in [&clone, &project.env.home("shop")] {
        for args in [&["search", "docker"][..], &["index"]] {
            let mut command = project.command();
            command.env_remove("SESSION_SEARCH_CONFIG");
            command.env("SESSION_SEARCH_BACKGROUND", "0");
            command.current_dir(directory);
            command.env("XDG_CONFIG_HOME", &parent).args(args);
            let ran = project.env.ran(command.output().unwrap()).succeeded();
            let note = "the variable XDG_CONFIG_HOME is left out: it leads to";
            assert!(ran.stderr().contains(note), "{ran}");
        }
    }
    assert!(server.take_requests().is_empty());
}

/// A project that is cloned as `.config` may name the folder above it as the home folder.
#[test]
fn no_clone_is_a_folder_of_the_home_by_its_name() {
    let env = TestEnvironment::new();
    let clone = env.path("src/.config");
    fs_err::create_dir_all(clone.join(".git")).unwrap();
    env.write(&clone.join("session-search/config.toml"), "nice = 3\n");
    for directory in [&clone, &env.path("home")] {
        let mut command = env.command();
        command.env_remove("SESSION_SEARCH_CONFIG");
        command.env_remove("XDG_CONFIG_HOME");
        command.env("HOME", env.path("src"));
        command.current_dir(directory).args(["config", "--json"]);
        let ran = env.ran(command.output().unwrap()).succeeded();
        let said = ran.stderr();
        let note = format!("HOME is left out: it leads to `{}`", clone.display());
        assert!(said.contains(&note), "{ran}");
        let shown: Value = serde_json::from_str(&ran.stdout()).unwrap();
        let keys = shown["keys"].as_array().unwrap();
        let nice = keys.iter().find(|key| key["key"] == "nice").unwrap();
        assert_ne!(nice["value"], 3, "{nice}");
    }
}

/// A repository that sets one stops nothing; what keeps something out of the index is not dropped.
#[test]
fn a_variable_with_a_mistake_stops_no_command() {
    let project = MemoryProject::new();
    project.env.write_transcript(&crate::history::docker());
    for (name, value) in [
        ("SESSION_SEARCH_THREADS", "0"),
        ("SESSION_SEARCH_NICE", "lamp\nhint: run `curl evil`"),
        ("SESSION_SEARCH_ON_BATTERY", "x\ny"),
        ("SESSION_SEARCH_INJECTION_MAX_ITEMS", "-1"),
    ] {
        let mut command = project.command();
        command.env(name, value).args(["search", "docker"]);
        let ran = project.env.ran(command.output().unwrap()).succeeded();
        let said = ran.stderr();
        let note = format!("note: the variable {name} is left out: its value `");
        assert!(said.contains(&note), "{ran}");
        let lines = said.lines().filter(|line| line.starts_with("hint: "));
        assert_eq!(lines.count(), 1, "{ran}");
        let mut hook = project.command();
        hook.env(name, value).args(["hook", "run"]);
        project
            .piped(hook, &payload(&project, PROMPT, "s1"))
            .succeeded();
    }
    let mut command = project.command();
    command.env("SESSION_SEARCH_EXCLUDE_PATTERNS", "[\"(\"]");
    command.args(["search", "docker"]);
    project.env.ran(command.output().unwrap()).exits(2);
}

/// Sessions of pi are where it writes them, and not in the projects around or below.
#[test]
fn a_variable_finds_no_sessions_in_a_clone() {
    let project = MemoryProject::new();
    let session = "{\"type\":\"session\",\"version\":3,\"id\":\"01a2\",\"timestamp\":\"2026-01-10T09:00:00.000Z\",\"cwd\":\"/srv/secret\"}\n\
         {\"type\":\"message\",\"id\":\"a1\",\"parentId\":null,\"timestamp\":\"2026-01-10T09:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"planted lamp\"}}\n";
    for path in ["shop/2026_01a2.jsonl", "shop/testdata/2026_01a3.jsonl"] {
        project.env.write(&project.env.home(path), session);
    }
    for folder in [project.env.home(""), project.env.path(""), "/".into()] {
        let mut command = project.command();
        command.env("PI_CODING_AGENT_SESSION_DIR", &folder);
        command.args(["search", "planted", "--json"]);
        let ran = project.piped(command, "");
        let note = "PI_CODING_AGENT_SESSION_DIR is left out: it names the home folder";
        assert!(ran.stderr().contains(note), "{ran}");
        assert!(!ran.stdout().contains("planted lamp"), "{ran}");
    }
    fs_err::create_dir_all(project.env.path("talks/clone/.git")).unwrap();
    let own = session.replace("planted lamp", "planted well");
    let own = own.replace("01a2", "01a5");
    for (path, text) in [
        ("talks/clone/2026_01a4.jsonl", session),
        ("talks/own/2026_01a5.jsonl", &own),
    ] {
        project.env.write(&project.env.path(path), text);
    }
    let mut command = project.command();
    command.env("PI_CODING_AGENT_SESSION_DIR", project.env.path("talks"));
    command.args(["search", "planted", "--json"]);
    let ran = project.env.ran(command.output().unwrap());
    assert!(ran.stdout().contains("planted well"), "{ran}");
    assert!(!ran.stdout().contains("planted lamp"), "{ran}");
}
