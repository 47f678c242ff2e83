//! The MCP server where its folder is no project, and where its program was replaced.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::mcp_client::McpClient;
use serde_json::json;

fn lamps() -> ClaudeTranscript {
    ClaudeTranscript::new("aaaaaaaa-0000-4000-8000-000000000001", "/home/ann/harbour")
        .user("why do the lamps at the gate flicker?")
        .assistant("the generator of the gate lamps was worn out")
}

/// Starts a server as a client does that knows no project.
fn start_in_home(env: &TestEnvironment) -> McpClient {
    let mut command = env.command();
    command.arg("mcp").current_dir(env.home(""));
    McpClient::start_as("test-client", command)
}

#[test]
fn the_home_folder_is_no_project() {
    let env = TestEnvironment::new();
    env.write_transcript(&lamps());
    let mut client = start_in_home(&env);
    let said = client.refuse("search", json!({"query": "lamps", "project": "."}));
    assert!(
        said.contains("`.` is no project") && said.contains("name the project"),
        "{said}"
    );
    let nothing = client.call("recall", json!({"query": ""}));
    assert!(nothing.ends_with("next: search(query: \"\")"), "{nothing}");
    assert!(client.follow("search(query: \"\")").contains("lamps"));
}

#[test]
fn it_is_said_that_a_memory_is_for_all_projects() {
    let env = TestEnvironment::new();
    let mut client = start_in_home(&env);
    let memory = json!({"topic": "Gate", "info": ["the lamps have an own generator"]});
    let saved = client.call("remember", memory.clone());
    assert!(saved.contains("saved for all projects"), "{saved}");
    let mut for_all = memory;
    for_all["topic"] = "Buoy".into();
    for_all["global"] = true.into();
    let saved = client.call("remember", for_all);
    assert!(!saved.contains("saved for all projects"), "{saved}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_was_deleted_is_no_project() {
    let env = TestEnvironment::new();
    let folder = env.home("gone");
    fs_err::create_dir_all(&folder).unwrap();
    let mut command = env.command();
    command.arg("mcp").current_dir(&folder);
    let mut client = McpClient::start_as("test-client", command);
    fs_err::remove_dir(&folder).unwrap();
    let memory = json!({"topic": "Gate", "info": ["the lamps have an own generator"]});
    let said = client.fail("remember", memory.clone());
    assert!(
        said.contains("the current folder cannot be found"),
        "{said}"
    );
    let mut for_all = memory;
    for_all["global"] = true.into();
    client.call("remember", for_all);
    let found = client.call("recall", json!({"query": "gate lamps"}));
    assert!(found.contains("own generator"), "{found}");
    assert!(
        found.contains("the folder in which the server runs is gone"),
        "{found}"
    );
}

#[test]
fn the_id_of_a_memory_leads_to_it() {
    let env = TestEnvironment::new();
    env.write_transcript(&lamps());
    let mut client = start_in_home(&env);
    let said = client.fail("show", json!({"id": "mem-20260101-101500"}));
    assert!(
        said.contains("recall(query: \"mem-20260101-101500\")"),
        "{said}"
    );
}

/// An upgrade replaces the file of a program that runs.
#[cfg(target_os = "linux")]
#[test]
fn a_server_whose_program_was_replaced_starts_the_background_process() {
    let env = TestEnvironment::new();
    env.write_transcript(&lamps());
    let config = "model = \"all-minilm-l6-v2\"\non_battery = \"run\"\n";
    fs_err::write(env.path("config/config.toml"), config).unwrap();
    let program = env.path("session-search");
    fs_err::copy(env!("CARGO_BIN_EXE_session-search"), &program).unwrap();
    let mut command = std::process::Command::new(&program);
    env.isolate(&mut command);
    command.arg("mcp");
    let mut client = McpClient::start_as("test-client", command);
    let upgrade = env.path("upgrade");
    fs_err::copy(env!("CARGO_BIN_EXE_session-search"), &upgrade).unwrap();
    fs_err::rename(&upgrade, &program).unwrap();
    client.call("search", json!({"query": "lamps"}));
    let vectors = env.index("vectors");
    crate::environment::wait_until(
        || fs_err::read_dir(&vectors).map_or(0, Iterator::count) >= 2,
        || "no vectors were made".to_owned(),
    );
}
