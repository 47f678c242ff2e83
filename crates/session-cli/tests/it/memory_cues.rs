//! Memories found by what somebody would type when they help.

use crate::memory::Project;
use serde_json::{Value, json};

const PROMPT: &str = "put a chart library into the web front end";

fn put_before(project: &Project, prompt: &str) -> Vec<Value> {
    let ran = project.run(&["inject", "--prompt", prompt, "--json"]);
    let answer: Value =
        serde_json::from_str(&ran.stdout()).unwrap_or_else(|e| panic!("{e}: {ran}"));
    answer["ids"].as_array().unwrap().clone()
}

#[test]
fn a_memory_stands_before_what_its_cues_ask() {
    let project = Project::new();
    let id = project.save(
        "pnpm, never npm or yarn",
        "the lock file is pnpm-lock.yaml",
        &[],
    );
    project.save("Holidays", "skip bank holidays", &[]);
    assert_eq!(put_before(&project, PROMPT), [] as [Value; 0]);
    let cues = ["add a chart library to the web front end", "装一个图表库"];
    project
        .run(&["memory", "edit", &id, "--cue", cues[0], "--cue", cues[1]])
        .succeeded();
    assert_eq!(put_before(&project, PROMPT), [id.as_str()]);
    assert_eq!(put_before(&project, "给前端装一个图表库"), [id.as_str()]);
    assert_eq!(
        put_before(&project, "rotate the image by ninety degrees"),
        [] as [Value; 0]
    );
    for explained in [
        project.run(&["inject", "--prompt", PROMPT, "--explain"]),
        project.run(&["memory", "search", PROMPT, "--explain"]),
    ] {
        let text = explained.succeeded().stdout();
        assert!(
            text.contains(&format!("nearest cue: {}", cues[0])),
            "{text}"
        );
    }
}

#[test]
fn cues_are_kept_in_the_file_each_once() {
    let project = Project::new();
    let given = json!({
        "topic": "Tabs", "key_info": ["never tabs"],
        "cues": ["indent  this\nfile", " ", "indent this file", "format: the code"],
    });
    let ran = project.fed(&["memory", "save", "--json"], &given.to_string());
    let saved: Value = serde_json::from_str(&ran.succeeded().stdout()).unwrap();
    assert_eq!(
        saved["memory"]["cues"],
        json!(["indent this file", "format: the code"])
    );
    let id = saved["memory"]["id"].as_str().unwrap();
    let text = fs_err::read_to_string(project.file(id)).unwrap();
    assert!(text.contains("cues:\n"), "{text}");

    let changed = project.json(&["memory", "edit", id, "--cue", "which indent"]);
    assert_eq!(changed["memories"][0]["cues"], json!(["which indent"]));
    // What it says is as it was, and so are the words by which it is listed.
    assert_eq!(changed["memories"][0]["key_info"], json!(["never tabs"]));
    assert_eq!(
        changed["memories"][0]["keywords"],
        saved["memory"]["keywords"]
    );
    let one = json!({"topic": "Spaces", "key_info": "four", "cues": "how wide is an indent"});
    let ran = project.fed(&["memory", "save", "--json"], &one.to_string());
    let saved: Value = serde_json::from_str(&ran.succeeded().stdout()).unwrap();
    assert_eq!(saved["memory"]["cues"], json!(["how wide is an indent"]));
}

#[test]
fn a_memory_without_cues_has_no_key_for_them() {
    let project = Project::new();
    let id = project.save("Pool", "raise DB_POOL", &[]);
    let text = fs_err::read_to_string(project.file(&id)).unwrap();
    assert!(!text.contains("cues"), "{text}");
    assert_eq!(project.json(&["memory", "show", &id])["cues"], json!([]));
}

#[test]
fn cues_written_by_hand_may_be_none_or_one() {
    let project = Project::new();
    let id = project.save("Pool", "raise DB_POOL", &["--cue", "a", "--cue", "- b"]);
    let text = fs_err::read_to_string(project.file(&id)).unwrap();
    let with = |cues: &str| {
        let (head, rest) = text.split_once("cues:").unwrap();
        let rest = rest.split_once("created:").unwrap().1;
        fs_err::write(
            project.file(&id),
            format!("{head}cues:{cues}\ncreated:{rest}"),
        )
        .unwrap();
        project.run(&["memory", "show", &id, "--json"])
    };
    let cues = |cues: &str| -> Value {
        let shown = with(cues).succeeded().stdout();
        serde_json::from_str::<Value>(&shown).unwrap()["cues"].clone()
    };
    assert_eq!(cues("\n- a\n- '- b'"), json!(["a", "- b"]));
    assert_eq!(cues(""), json!([]));
    assert_eq!(cues(" null"), json!([]));
    assert_eq!(cues(" how to deploy"), json!(["how to deploy"]));
    assert_eq!(cues("\n- a\n-"), json!(["a"]));
    let ran = with("\n- how to: deploy");
    assert!(ran.to_string().contains(".md, line 12: "), "{ran}");
}

#[test]
fn what_no_model_reads_is_no_match() {
    let project = Project::new();
    project.save("Start", "count down", &["--cue", "🚀"]);
    for prompt in ["👍", "🎉🎉", "!!!"] {
        assert_eq!(put_before(&project, prompt), [] as [Value; 0], "{prompt}");
    }
}

#[test]
fn cues_that_are_not_compared_raise_no_mark() {
    let project = Project::new();
    let id = project.save("Deploys", "never on a Friday", &[]);
    let mark = || {
        let prompt = "may I deploy on a Friday";
        let answer = project.json(&["inject", "--explain", "--prompt", prompt]);
        answer["candidates"][0]["marks"]["score"].as_f64().unwrap()
    };
    let plain = mark();
    let unknown = ["memory", "edit", &id, "--cue", "邮编读进来变成数字了"];
    project.run(&unknown).succeeded();
    assert!((mark() - plain).abs() < 1e-6);
    project
        .run(&["memory", "edit", &id, "--cue", "ship it today"])
        .succeeded();
    assert!(mark() > plain);
}
