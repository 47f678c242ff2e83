//! The fields of a memory on the command line, cues and triggers above all.

use crate::claude::ClaudeTranscript;
use crate::memory::MemoryProject;
use serde_json::{Value, json};

#[test]
fn cues_are_given_by_options_and_json_and_explained() {
    let project = MemoryProject::new();
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
    let project = MemoryProject::new();
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
    assert_eq!(saved["notes"], json!([]));
    let given = json!({"topic": "Tabs", "key_info": "eight", "when": {"paths": "src/"}});
    let ran = project.fed(&["memory", "save", "--json", "--quiet"], &given.to_string());
    let broad: Value = serde_json::from_str(&ran.succeeded().stdout()).unwrap();
    let note = broad["notes"][0].as_str().unwrap();
    assert!(note.contains("`src/` matches 30 of 30 files"), "{note}");

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

#[test]
fn a_trigger_that_matches_everything_or_nothing_is_noted() {
    let project = MemoryProject::new();
    project
        .env
        .write(&project.env.home("shop/.ci/run.sh"), "make\n");
    let save = |option: &str, text: &str| {
        let save = [
            "memory", "save", "--topic", text, "--info", "x", option, text,
        ];
        project.run(&save).succeeded().stderr()
    };
    for (option, text, note) in [
        ("--when-command", "*", "`*` matches all commands"),
        ("--when-error", "Error", "`Error` matches most errors"),
        (
            "--when-path",
            "srv/",
            "`srv/` matches no file of the project",
        ),
    ] {
        let said = save(option, text);
        assert!(said.contains(note), "{text}: {said}");
    }
    for (option, text) in [
        ("--when-command", "make *"),
        ("--when-error", "PoolTimedOut"),
        ("--when-path", ".ci/*.sh"),
        ("--when-path", "dist/"),
    ] {
        let said = save(option, text);
        assert!(!said.contains("matches"), "{text}: {said}");
    }
}

#[test]
fn an_edit_notes_the_triggers_that_it_gives() {
    let project = MemoryProject::new();
    project
        .env
        .write(&project.env.home("shop/Makefile"), "all:\n");
    let id = project.save("Lantern", "x", &["--when-command", "*"]);
    let edit = |option: &str, text: &str| {
        let edit = ["memory", "edit", &id, option, text];
        project.run(&edit).succeeded().stderr()
    };
    let edited = project.json(&["memory", "edit", &id, "--when-path", "srv/", "--quiet"]);
    let expected = json!(["`srv/` matches no file of the project now"]);
    assert_eq!(edited["notes"], expected, "{edited}");
    let said = edit("--when-path", "srv/");
    let note = "note: `srv/` matches no file of the project now";
    assert!(said.contains(note) && !said.contains("`*`"), "{said}");
    let said = edit("--when-command", "**");
    assert!(
        said.contains("`**` matches all commands") && !said.contains("srv/"),
        "{said}"
    );
}

/// A session of the shop that changes a file after a command failed.
fn harbour(root: &str) -> ClaudeTranscript {
    let migrate = json!({"command": "cd db && ./migrate.sh up --all"});
    let file = format!("{root}/db/pool.toml");
    ClaudeTranscript::new("ab000000-0000-4000-8000-000000000009", root)
        .user("The migration times out")
        .call("Bash", migrate, "error: PoolTimedOut after 30 s", true)
        .call(
            "Edit",
            json!({"file_path": file, "old_string": "a", "new_string": "b"}),
            "Updated.",
            false,
        )
        .assistant("The pool has 40 connections now.")
}

#[test]
fn triggers_are_proposed_from_the_turns_and_from_names() {
    let project = MemoryProject::new();
    let root = project.env.home("shop");
    let harbour = harbour(root.to_str().unwrap());
    project
        .env
        .write(&project.env.home(&harbour.path_in_home()), harbour.text());
    for file in ["db/pool.toml", "db/migrate.sh", "web/cart.ts"] {
        project.env.write(&root.join(file), "");
    }
    let save = |from: &[&str], info: &str| {
        let args = ["memory", "save", "--topic", "Pool", "--info", info];
        project.json(&[&args, from].concat())
    };
    let saved = save(&["--from", "ab000000:0"], "forty is enough");
    let expected = json!({"paths": ["db/pool.toml"], "commands": ["migrate.sh up*"], "errors": ["PoolTimedOut"]});
    assert_eq!(saved["proposed"], expected, "{saved}");
    let command = saved["add_triggers"].as_str().unwrap();
    assert!(command.ends_with(
        "--when-path db/pool.toml --when-command 'migrate.sh up*' --when-error PoolTimedOut"
    ));

    let saved = save(&[], "see cart.ts, `migrate.sh down` and PoolTimedOut");
    let expected = json!({"paths": ["web/cart.ts", "db/migrate.sh"], "commands": ["migrate.sh down*"], "errors": ["PoolTimedOut"]});
    assert_eq!(saved["proposed"], expected, "{saved}");

    let tea = ["memory", "save", "--topic", "Tea", "--info", "green"];
    let said = project.run(&tea).succeeded().stderr();
    assert!(said.contains("--when-path GLOB"), "{said}");
    let saved = project.json(&tea);
    let fields = saved.as_object().unwrap();
    assert!(!fields.contains_key("add_triggers"), "a form: {saved}");
    let given = [
        "memory",
        "save",
        "--topic",
        "Cart",
        "--info",
        "x",
        "--when-path",
        "web/",
    ];
    assert!(
        !project
            .run(&given)
            .succeeded()
            .stderr()
            .contains("it has no triggers")
    );
}

#[test]
fn texts_may_begin_with_a_hyphen() {
    let project = MemoryProject::new();
    let fields = |value: &'static str| {
        let options = ["--info", "--cue", "--tag", "--when-path", "--when-command"];
        let options = options.iter().chain(&["--when-error"]);
        options
            .flat_map(move |option| [option, value])
            .collect::<Vec<_>>()
    };
    let save = [&["memory", "save", "--topic", "-a"][..], &fields("- long")].concat();
    let id = project.run(&save).succeeded().stdout().trim().to_owned();
    let edit = [
        &["memory", "edit", &id, "--topic", "-b"][..],
        &fields("-bcdef"),
    ]
    .concat();
    let read = || project.json(&["memory", "show", &id]);
    assert_eq!(read()["topic"], "-a");
    project.run(&edit).succeeded();
    let memory = read();
    assert_eq!(memory["topic"], "-b");
    for list in ["key_info", "cues", "tags"] {
        assert_eq!(memory[list], json!(["-bcdef"]), "{list}");
    }
    for list in ["paths", "commands", "errors"] {
        assert_eq!(memory["when"][list], json!(["-bcdef"]), "{list}");
    }
    let cleared = project.run(&["memory", "edit", &id, "--tag", ""]);
    cleared.succeeded();
    assert_eq!(read()["tags"], json!([]));
    let refused = project.run(&["memory", "edit", &id, "--info", ""]).exits(2);
    assert!(
        refused.stderr().contains("hint: give key information"),
        "{refused}"
    );
}
