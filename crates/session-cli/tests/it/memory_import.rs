//! Import and export on the command line.

use crate::memory::MemoryProject;

#[test]
fn an_import_reads_the_usual_path_of_its_format_and_counts() {
    let project = MemoryProject::new();
    let folder = project.env.home("shop/.cursor/skills/memory-data");
    let day = "## Session 1\n\n### Topic\nPool\n\n### Key Info\n- raise it\n";
    project.env.write(&folder.join("daily/2026-01-15.md"), day);
    let import = ["memory", "import", "--format", "cursor-memory"];
    let answer = project.json(&import);
    assert_eq!(answer["imported"][0]["topic"], "Pool");
    let again = project.run(&import).succeeded().stderr();
    assert!(
        again.contains("0 memories imported, 1 was here already"),
        "{again}"
    );
    let ran = project.run(&[&import[..], &["nowhere"]].concat()).exits(2);
    let error = ran.stderr();
    assert!(
        error.contains("nothing to import in `nowhere`") && error.contains("hint: "),
        "{ran}"
    );
    project.run(&[&import[..], &["--global"]].concat()).exits(2);
}

#[test]
fn a_folder_is_no_export() {
    let project = MemoryProject::new();
    for folder in [".", ".."] {
        let refused = project.run(&["memory", "import", folder]).exits(2).stderr();
        let expected = format!("error: `{folder}` is a folder\nhint: name a file\n");
        assert_eq!(refused, expected);
    }
}

#[test]
fn an_export_of_a_newer_program_is_refused() {
    let project = MemoryProject::new();
    project.save("Lantern", "in the harbour", &[]);
    let mut newer = project.json(&["memory", "export"]);
    newer["version"] = 2.into();
    let file = project.env.path("newer.json");
    fs_err::write(&file, newer.to_string()).unwrap();
    let ran = project.run(&["memory", "import", &file.to_string_lossy()]);
    assert!(ran.exits(2).stderr().contains("newer version"));
}

#[test]
fn an_export_replaces_a_file_only_by_force() {
    let project = MemoryProject::new();
    project.save("Lantern", "in the harbour", &[]);
    let file = project.env.path("mine.txt");
    fs_err::write(&file, "precious").unwrap();
    let export = ["memory", "export", "--to", &file.to_string_lossy()];
    let ran = project.run(&export).exits(2);
    assert!(ran.stderr().contains("--force"), "{ran}");
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "precious");
    let forced = [&export[..], &["--force"]].concat();
    project.run(&forced).succeeded();
    assert!(fs_err::read_to_string(&file).unwrap().contains("Lantern"));
}

#[test]
fn an_export_to_a_file_is_imported_with_its_archive() {
    let from = MemoryProject::new();
    let id = from.save("Lantern", "in the harbour", &[]);
    let gone = from.save("Gone", "by", &[]);
    from.run(&["memory", "archive", &gone]).succeeded();
    let to = MemoryProject::new();
    let file = to.env.path("memories.json");
    from.run(&["memory", "export", "--to", &file.to_string_lossy()])
        .succeeded();
    to.run(&["memory", "import", &file.to_string_lossy()])
        .succeeded();
    assert!(to.file(&id).is_file());
    assert!(to.folder(&format!("archive/{gone}.md")).is_file());
}

#[test]
fn an_import_names_what_it_replaces_and_what_it_leaves_in_the_trash() {
    let from = MemoryProject::new();
    let at = "2026-01-10T09:15:00Z";
    let text = |id: &str, topic: &str, updated: &str| {
        format!("---\nid: {id}\ntopic: {topic}\ncreated: {at}\nupdated: {updated}\n---\n\n- info\n")
    };
    let document = |updated: &str| {
        let memory = |id: &str, topic: &str| serde_json::json!({"id": id, "state": "active", "scope": "project", "file": text(id, topic, updated)});
        let memories = [memory("mem-pool", "Pool"), memory("mem-gone", "Gone")];
        let format = "session-search-memories";
        serde_json::json!({"format": format, "version": 1, "memories": memories}).to_string()
    };
    let import = ["memory", "import", "-"];
    from.fed(&import, &document(at)).succeeded();
    from.run(&["memory", "delete", "mem-gone"]).succeeded();
    let later = document("2026-01-11T09:15:00Z");
    let stderr = from.fed(&import, &later).succeeded().stderr();
    for line in [
        "0 memories imported, 1 replaced by its later version\n",
        "note: replaced by what the import changed later: mem-pool\n",
        "note: deleted here, and left in the trash: mem-gone\n",
    ] {
        assert!(stderr.contains(line), "{line}: {stderr}");
    }
    let again = from.fed(&[&import[..], &["--json"]].concat(), &later);
    let again: serde_json::Value = serde_json::from_str(&again.succeeded().stdout()).unwrap();
    assert_eq!(again["replaced"], serde_json::json!([]));
    assert_eq!(again["in_trash"], serde_json::json!(["mem-gone"]));
    assert_eq!(again["kept_trusted"], serde_json::json!([]));
    assert_eq!(again["known"], 1);
}

/// As over `ssh`, in the home folder of another machine.
#[test]
fn a_memory_of_a_project_does_not_become_global_by_an_import_elsewhere() {
    let from = MemoryProject::new();
    from.save("Lantern", "in the harbour", &[]);
    let document = from.run(&["memory", "export"]).succeeded().stdout();
    let to = MemoryProject::new();
    let import = |more: &[&str]| {
        let mut command = to.command();
        let args = [&["memory", "import", "-"], more].concat();
        command.current_dir(to.env.home("")).args(args);
        to.piped(command, &document).succeeded()
    };
    let stderr = import(&[]).stderr();
    let note = "1 memory of a project is left out: ";
    assert!(
        stderr.contains("0 memories imported") && stderr.contains(note),
        "{stderr}"
    );
    assert_eq!(
        to.json(&["memory", "list"])["memories"],
        serde_json::json!([])
    );
    let stdout = import(&["--global", "--json"]).stdout();
    let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(answer["imported"][0]["scope"], "global");
    assert_eq!(answer["without_project"], 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_imported() {
    let project = MemoryProject::new();
    let daily = project.env.home("notes/daily");
    fs_err::create_dir_all(daily.join("2026-01-09.md")).unwrap();
    let notes = project.env.home("notes");
    let import = [
        "memory",
        "import",
        "--format",
        "cursor-memory",
        notes.to_str().unwrap(),
    ];
    let wrong = format!(
        "`{}` is not a regular file",
        daily.join("2026-01-09.md").display()
    );
    let refused = project.run(&import).exits(2);
    assert!(refused.stderr().contains(&wrong), "{refused}");
    let day = "## Session 1\n\n### Topic\nLantern\n\n### Key Info\n- it hangs by the gate\n";
    project.env.write(&daily.join("2026-01-10.md"), day);
    let imported = project.run(&import).succeeded();
    assert!(
        imported.stderr().contains("1 memory imported"),
        "{imported}"
    );
    assert!(
        imported.stderr().contains(&format!("{wrong}; left out")),
        "{imported}"
    );
    let named = ["memory", "import", notes.to_str().unwrap()];
    let refused = project.run(&named).exits(2);
    assert!(
        refused.stderr().contains("is a folder\nhint: name a file"),
        "{refused}"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_named_once() {
    let project = MemoryProject::new();
    let memories = project.env.home(".claude/data");
    project.env.write(&memories, "a file in the way");
    let mut command = project.env.command();
    command.args(["memory", "list"]);
    let listed = project.piped(command, "");
    let stderr = listed.stderr();
    assert_eq!(stderr.matches("left out").count(), 1, "{listed}");
    assert!(!stderr.contains("line 1"), "{listed}");
}
