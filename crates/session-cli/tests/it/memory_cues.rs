//! Cues and triggers on the command line.

use crate::memory::Project;
use serde_json::{Value, json};

#[test]
fn cues_are_given_by_options_and_json_and_explained() {
    let project = Project::new();
    let given = json!({"topic": "Spaces", "key_info": "four", "cues": "how wide is an indent"});
    let ran = project.fed(&["memory", "save", "--json"], &given.to_string());
    let saved: Value = serde_json::from_str(&ran.succeeded().stdout()).unwrap();
    assert_eq!(saved["memory"]["cues"], json!(["how wide is an indent"]));

    let cue = "add a chart library to the web front end";
    let id = project.save("pnpm, never npm", "one lock file", &["--cue", "npm fails"]);
    let changed = project.json(&["memory", "edit", &id, "--cue", cue]);
    assert_eq!(changed["memories"][0]["cues"], json!([cue]));
    let prompt = "put a chart library into the web front end";
    for explained in [
        project.run(&["inject", "--prompt", prompt, "--explain"]),
        project.run(&["memory", "search", prompt, "--explain"]),
    ] {
        let text = explained.succeeded().stdout();
        assert!(text.contains(&format!("nearest cue: {cue}")), "{text}");
    }
}

#[test]
fn triggers_are_given_by_options_and_json_and_a_broad_one_is_noted() {
    let project = Project::new();
    for n in 0..30 {
        project
            .env
            .write(&project.env.home(&format!("shop/src/{n}.rs")), "");
    }
    let given = json!({"topic": "Spaces", "key_info": "four", "when": {"paths": "src/1.rs"}});
    let ran = project.fed(&["memory", "save", "--json"], &given.to_string());
    let ran = ran.succeeded();
    let saved: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(saved["memory"]["when"], json!({"paths": ["src/1.rs"]}));
    assert!(!ran.stderr().contains("matches"), "{ran}");

    let id = saved["memory"]["id"].as_str().unwrap();
    let edit = [
        "memory",
        "edit",
        id,
        "--when-path",
        "src/",
        "--when-error",
        "EMFILE",
    ];
    let said = project.run(&edit).succeeded().stderr();
    assert!(
        said.contains("`src/` matches 30 of 30 files of the project"),
        "{said}"
    );
    let shown = project.json(&["memory", "show", id]);
    let expected = json!({"paths": ["src/"], "errors": ["EMFILE"]});
    assert_eq!(shown["when"], expected, "{shown}");
    let said = project
        .run(&["memory", "edit", id, "--when-command", "["])
        .exits(2);
    assert!(said.stderr().contains("not a glob"), "{said}");
}
