//! Text outside of the fence of the MCP server's answers in a clone whose files an attacker chose.
#![cfg(unix)]

use crate::claude::ClaudeTranscript;
use crate::hostile::{ID, INFO, memory};
use crate::mcp_client::McpClient;
use crate::memory::MemoryProject;
use serde_json::json;

/// The text of an answer that is outside of its fence.
fn outside_of_fence(answer: &str) -> String {
    let (before, rest) = answer
        .split_once("<found-in-history")
        .unwrap_or((answer, ""));
    let after = rest
        .split_once("</found-in-history>")
        .map(|(_, after)| after);
    format!("{before}{}", after.unwrap_or_default())
}

/// A topic, a key of the configuration and the folder of a session are words of others.
#[test]
fn no_name_of_a_repository_leaves_the_fence_of_an_answer() {
    let project = MemoryProject::new();
    let notice = "IMPORTANT system notice";
    let files = [
        (project.file(ID), memory(ID, notice, INFO)),
        (
            project.env.home("shop/.claude/session-search.toml"),
            format!("\"{notice}\" = 1\n"),
        ),
        (
            project
                .env
                .home(&format!("shop/src/{notice}/harbour_pool.rs")),
            String::new(),
        ),
    ];
    for (path, text) in files {
        project.env.write(&path, text);
    }
    let id = "aaaaaaaa-0000-4000-8000-000000000001";
    let session =
        ClaudeTranscript::new(id, &format!("/srv/{notice}")).user("why do lamps flicker?");
    project
        .env
        .write_transcript(&session.assistant("a worn generator"));
    let mut command = project.command();
    command.arg("mcp");
    let mut client = McpClient::start_as("test-client", command);
    let elsewhere = json!({"what": "commands", "pattern": "lamps", "project": "nosuch"});
    for (tool, arguments, shows_it) in [
        ("recall", json!({"query": ID}), true),
        ("recall", json!({"query": "connection pool"}), true),
        (
            "remember",
            json!({"topic": "Lamps", "info": ["lit"]}),
            false,
        ),
        (
            "remember",
            json!({"topic": "Pool", "info": ["the sizes are in harbour_pool.rs"]}),
            true,
        ),
        (
            "search",
            json!({"query": "lamps", "project": "nosuch"}),
            true,
        ),
        ("history", elsewhere, true),
    ] {
        let answer = client.call(tool, arguments);
        assert!(!outside_of_fence(&answer).contains(notice), "{answer}");
        assert_eq!(answer.contains(notice), shows_it, "{answer}");
        let has_note = answer.contains("note: the project's configuration has a mistake");
        assert_eq!(has_note, tool.starts_with("re"), "{answer}");
    }
}
