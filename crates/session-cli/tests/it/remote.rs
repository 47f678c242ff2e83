//! A model behind an endpoint: asked by whoever chose it, and by nobody else.

use crate::endpoint_server::{EndpointServer, reply_with_status, reply_with_vectors};
use crate::environment::{Ran, TestEnvironment};
use crate::history::{docker, small_in};
use crate::mcp_client::McpClient;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn run(env: &TestEnvironment, url: &str, args: &[&str]) -> Ran {
    env.write(
        &env.path("config/.env"),
        format!("EMBEDDINGS_URL={url}\nEMBEDDINGS_MODEL=tiny\n"),
    );
    env.run(args)
}

fn choose(env: &TestEnvironment, model: &str) {
    let config = format!("model = \"{model}\"\nbackground = false\n");
    env.write(&env.path("config/config.toml"), config);
}

#[test]
fn it_is_asked_by_who_chose_it() {
    let (env, server) = (
        small_in(TestEnvironment::new()),
        EndpointServer::start(reply_with_vectors),
    );
    let run = |args: &[&str]| run(&env, &server.url(), args);
    run(&["search", "docker"]).succeeded();
    run(&["index"]).succeeded();
    run(&["model", "list"]).succeeded();
    assert!(server.take_requests().is_empty());
    run(&["model", "use", "remote"]).succeeded();
    run(&["index"]).succeeded();
    assert!(server.take_requests().len() > 1);
    run(&["search", "docker"]).succeeded();
    let requests = server.take_requests();
    assert_eq!(requests.last().unwrap().texts, ["docker"], "{requests:?}");
    choose(&env, "table");
    run(&["search", "watcher"]).succeeded();
    run(&["index", "--full"]).succeeded();
    choose(&env, "all-minilm-l6-v2");
    run(&["search", "watcher"]).succeeded();
    assert!(server.take_requests().is_empty());
}

/// A repository that somebody unpacked must not say where a history goes.
#[test]
fn variables_in_the_working_directory_are_not_read() {
    let (env, server) = (
        small_in(TestEnvironment::new()),
        EndpointServer::start(reply_with_vectors),
    );
    let text = format!("EMBEDDINGS_URL={}\nEMBEDDINGS_MODEL=tiny\n", server.url());
    env.write(&env.home(".env"), &text);
    let refused = env.run(&["model", "use", "remote"]).exits(2);
    assert!(
        refused
            .stderr()
            .contains("hint: [remote] in your configuration"),
        "{refused}"
    );
    assert!(server.take_requests().is_empty());
    env.write(&env.path("config/.env"), &text);
    env.run(&["model", "use", "remote"]).succeeded();
    assert!(!server.take_requests().is_empty());
}

/// As on a laptop that is offline.
#[test]
fn a_search_without_the_endpoint_is_answered_by_the_other_models() {
    let is_gone = Arc::new(AtomicBool::new(false));
    let (gone, env) = (Arc::clone(&is_gone), small_in(TestEnvironment::new()));
    let server = EndpointServer::start(move |request| {
        if gone.load(Ordering::Relaxed) {
            None
        } else {
            reply_with_vectors(request)
        }
    });
    let run = |args: &[&str]| run(&env, &server.url(), args);
    run(&["model", "use", "remote"]).succeeded();
    run(&["index"]).succeeded();
    is_gone.store(true, Ordering::Relaxed);
    server.take_requests();
    let ran = run(&["search", "docker bridge"]).succeeded();
    assert!(ran.stdout().contains("docker"), "{ran}");
    let notes: Vec<_> = ran.stderr().lines().map(str::to_owned).collect();
    assert_eq!(notes.len(), 1, "{ran}");
    assert!(notes[0].starts_with("note: http://"), "{ran}");
    let advice = "; the other models answer in its place; see that the endpoint runs";
    assert!(notes[0].contains(advice), "{ran}");
    assert_eq!(server.take_requests().len(), 1);
    // What needs its vectors fails.
    env.write_transcript(&docker().user("Renew the wildcard certificate of the proxy"));
    let ran = run(&["index"]).exits(2);
    assert!(ran.stderr().contains("gave no vectors"), "{ran}");
}

/// Nobody reads the stderr of a background process.
#[test]
fn a_failure_of_the_endpoint_is_said_until_it_embeds() {
    let is_open = Arc::new(AtomicBool::new(false));
    let (open, env) = (Arc::clone(&is_open), small_in(TestEnvironment::new()));
    let server = EndpointServer::start(move |request| {
        let is_small = ["dimensions", "docker"].contains(&request.texts[0].as_str());
        if open.load(Ordering::Relaxed) || is_small {
            reply_with_vectors(request)
        } else {
            reply_with_status(401, "")
        }
    });
    let run = |args: &[&str]| run(&env, &server.url(), args);
    let status = || env.json(&["status"]);
    run(&["model", "use", "remote"]).succeeded();
    run(&["index"]).exits(2);
    let said = run(&["search", "docker"]).succeeded().stderr();
    let note = "; another model ranks the rest; http://";
    assert!(said.starts_with("note: remote has read 0 of "), "{said}");
    assert!(said.contains(note) && said.contains("status 401"), "{said}");
    let answer = McpClient::start(&env).call("search", json!({"query": "docker"}));
    let note = "note: not all sessions are embedded: http://";
    assert!(answer.starts_with(note), "{answer}");
    let found = status();
    let failure = |status: &Value| {
        let models = status["models"].as_array().unwrap();
        let remote = models.iter().find(|model| model["name"] == "remote");
        remote.unwrap()["failure"].clone()
    };
    let reason = failure(&found);
    assert!(reason.as_str().unwrap().contains("status 401"), "{found}");
    assert_eq!(found["problems"], json!([]));
    let doctor = run(&["doctor"]).stdout();
    assert!(!doctor.contains("could not be read"), "{doctor}");
    is_open.store(true, Ordering::Relaxed);
    run(&["index"]).succeeded();
    assert_eq!(failure(&status()), Value::Null);
}

#[test]
fn a_text_that_the_endpoint_refuses_is_left_out_and_noted() {
    let env = small_in(TestEnvironment::new());
    env.write_transcript(&docker().user("Renew the wildcard certificate of the proxy"));
    let server = EndpointServer::start(|request| {
        let is_refused = |text: &String| text.contains("wildcard");
        if request.texts.iter().any(is_refused) {
            reply_with_status(400, "")
        } else {
            reply_with_vectors(request)
        }
    });
    let run = |args: &[&str]| run(&env, &server.url(), args);
    run(&["model", "use", "remote"]).succeeded();
    for _ in 0..2 {
        let ran = run(&["index"]).succeeded();
        let note = "note: no vector could be had of ";
        assert!(ran.stderr().starts_with(note), "{ran}");
    }
}

#[test]
fn an_endpoint_with_a_mistake_leaves_the_other_models_and_the_way_out() {
    let env = small_in(TestEnvironment::new());
    for remote in [
        "url = \"localhost:8080/v1\"\nmodel = \"m\"",
        "url = \"http://h/v1\"\nmodel = \"m\"\nmax_tokens = 4",
    ] {
        let config = format!("model = \"remote\"\nbackground = false\n[remote]\n{remote}\n");
        env.write(&env.path("config/config.toml"), config);
        let found = env.run(&["search", "docker"]).succeeded();
        assert!(found.stderr().contains("not well configured"), "{found}");
        env.run(&["index"]).exits(2);
        env.run(&["model", "list"]).succeeded();
        env.run(&["model", "use", "table"]).succeeded();
        env.run(&["index"]).succeeded();
    }
}

/// The user consents to one address: texts must not go to another.
#[test]
fn an_endpoint_is_not_chosen_while_another_goes_before_it() {
    let env = TestEnvironment::new();
    let text = "EMBEDDINGS_URL=http://other.example/v1\nEMBEDDINGS_MODEL=m\n";
    env.write(&env.path("config/.env"), text);
    let setup = [
        "setup",
        "--remote",
        "http://127.0.0.1:1/v1",
        "--model",
        "m",
        "--yes",
    ];
    let refused = env.run(&setup).exits(2);
    assert!(
        refused.stderr().contains("names another endpoint"),
        "{refused}"
    );
    let config = fs_err::read_to_string(env.path("config/config.toml")).unwrap();
    assert!(!config.contains("remote"), "{config}");
}

#[test]
fn a_password_is_not_printed() {
    let env = small_in(TestEnvironment::new());
    let config = "model = \"remote\"\nhub = \"https://ann:hunter2@hub/\"\n[remote]\nurl = \"http://ann:hunter2@127.0.0.1:1/v1\"\nmodel = \"m\"\n";
    env.write(&env.path("config/config.toml"), config);
    for args in [
        &["config"][..],
        &["config", "--json"],
        &["model", "list", "--json"],
        &["doctor"],
        &["index"],
    ] {
        let ran = env.run(args);
        assert!(
            !format!("{}{}", ran.stdout(), ran.stderr()).contains("hunter2"),
            "{ran}"
        );
    }
    env.write(
        &env.path("config/config.toml"),
        "[remote]\napi_key = 123456789012345\n",
    );
    let refused = env.run(&["config"]).exits(2).stderr();
    assert!(
        refused.contains("api_key") && !refused.contains("123456789012345"),
        "{refused}"
    );
}
