//! Cues on the command line.

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
