//! `search --json --compact`: hits of few tokens.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use insta::assert_snapshot;

/// Sessions whose every word is long, in two scripts, and one that says little.
fn env() -> TestEnvironment {
    let long =
        "The \"lantern\" at the \\pier\\ swings in the wind and the keeper asks why. ".repeat(40);
    let chinese = "码头上的灯笼在风里摇晃，守夜人问这是为什么。".repeat(40);
    let session = |n: u8, words: &str| {
        let id = format!("{n}a1e0c52-0000-4000-8000-00000000000{n}");
        let folder = format!("/home/ann/{}", "harbour-of-long-names".repeat(3));
        ClaudeTranscript::new(&id, &folder)
            .title(words)
            .user(&format!("lantern {words}"))
            .assistant(words)
    };
    TestEnvironment::indexed(&[session(1, &long), session(2, &chinese), session(3, "Lit.")])
}

#[test]
fn a_hit_has_at_most_about_100_tokens() {
    let env = env();
    for depth in ["1", "2"] {
        let search = ["search", "lantern", "--depth", depth, "--json", "--compact"];
        let out = env.run(&search).succeeded().stdout();
        let hits: Vec<&str> = out
            .lines()
            .filter(|line| line.starts_with("{\"session\""))
            .collect();
        assert_eq!(hits.len(), 3, "{out}");
        for hit in hits {
            let hit = hit.trim_end_matches(',');
            assert!(
                hit.len() <= 400,
                "four bytes a token: {} in {hit}",
                hit.len()
            );
            let hit: serde_json::Value = serde_json::from_str(hit).unwrap();
            let id = hit["session"].as_str().unwrap();
            let shown = env.run(&["show", &format!("{id}:{}", hit["turn"])]);
            assert_eq!(shown.code(), 0, "{shown}");
            assert!(hit["preview"].as_str().unwrap().len() > 2, "{hit}");
        }
    }
}

#[test]
fn it_is_one_document() {
    let env = env();
    assert_snapshot!(env.run(&["search", "lantern lit", "--json", "--compact", "--limit", "1"]).stdout(), @r#"
    {"query":"lantern lit","sessions":3,"complete":true,"left_out":[],"missing":[],"session_ids":[],"only_subagents":[],"filtered":[],"corrected":[],"hits":[
    {"session":"3a1e0c52","turn":0,"band":"strong","date":"2026-01-15","project":"harbour-of-long-namesha…","title":"Lit.","preview":"lantern Lit."}
    ]}
    "#);
    assert_snapshot!(env.run(&["search", "zymurgy", "--keyword-only", "--json", "--compact"]), @r#"
    exit code: 1
    ----- stdout -----
    {"query":"zymurgy","sessions":3,"complete":true,"left_out":[],"missing":["zymurgy"],"session_ids":[],"only_subagents":[],"filtered":[],"corrected":[],"hits":[]}
    ----- stderr -----
    "#);
    assert_snapshot!(TestEnvironment::new().run(&["search", "x", "--json", "--compact"]), @r#"
    exit code: 1
    ----- stdout -----
    {"query":"x","sessions":0,"complete":true,"left_out":[],"missing":[],"session_ids":[],"only_subagents":[],"filtered":[],"corrected":[],"hints":["no Claude Code, OpenCode, Codex CLI, Gemini CLI, Copilot CLI, pi, Cursor or Cursor CLI history in `[TMP]/home`","try `session-search demo`, or add --or-demo to a search; [DOCS]/sources.md says where histories are looked for"],"hits":[]}
    ----- stderr -----
    no [AGENTS] history in `[TMP]/home`
    hint: try `session-search demo`, or add --or-demo to a search; [DOCS]/sources.md says where histories are looked for
    "#);
    env.run(&["search", "lantern", "--compact"]).exits(2);
}
