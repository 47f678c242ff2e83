//! A model behind an endpoint: asked by whoever chose it, and by nobody else.

use crate::endpoint_server::{EndpointServer, reply_with_status, reply_with_vectors};
use crate::environment::{Ran, TestEnvironment};
use crate::history::{docker, small_in};
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
    let server = EndpointServer::start(move |request| match gone.load(Ordering::Relaxed) {
        true => None,
        false => reply_with_vectors(request),
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
    assert!(
        notes[0].ends_with("; the other models answer in its place"),
        "{ran}"
    );
    assert_eq!(server.take_requests().len(), 1);
    // What needs its vectors fails.
    env.claude(&docker().user("Renew the wildcard certificate of the proxy"));
    let ran = run(&["index"]).exits(2);
    assert!(ran.stderr().contains("gave no vectors"), "{ran}");
}

#[test]
fn one_that_refuses_is_said_and_not_taken_into_use() {
    let env = small_in(TestEnvironment::new());
    let server = EndpointServer::start(|_| reply_with_status(401, ""));
    let ran = run(&env, &server.url(), &["model", "use", "remote"]).exits(2);
    assert!(ran.stderr().contains("status 401"), "{ran}");
    assert!(
        ran.stderr().contains("hint: see that the endpoint runs"),
        "{ran}"
    );
    assert_eq!(env.json(&["model", "list"])["in_use"], "table");
}
