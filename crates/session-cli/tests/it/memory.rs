//! Memories, as a user keeps and finds them.

use crate::environment::{Ran, TestEnvironment, output_in_time};
use crate::history::{DOCKER, docker};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

/// A project in a home folder of its own.
pub struct MemoryProject {
    pub env: TestEnvironment,
}

impl MemoryProject {
    pub fn new() -> Self {
        let env = TestEnvironment::new();
        fs_err::create_dir_all(env.home("shop/.git")).unwrap();
        let project = Self { env };
        project.configure("", "");
        project
    }

    /// Sets the user's own configuration: keys, and keys of `[injection]`.
    pub fn configure(&self, keys: &str, injection: &str) {
        // However slow the machine: time decides no test.
        let timeout = if injection.contains("timeout_ms") {
            ""
        } else {
            "timeout_ms = 60000\n"
        };
        let text = format!(
            "model = \"table\"\nbackground = false\n{keys}\n[injection]\n{timeout}{injection}\n"
        );
        fs_err::write(self.env.path("config/config.toml"), text).unwrap();
    }

    /// Trusts all that waits in the project, as its user at a terminal.
    #[cfg(unix)]
    pub fn trust(&self) {
        let mut command = self.command();
        command.arg("trust");
        crate::pty::answered(&self.env, command, "y\n").succeeded();
    }

    pub fn command(&self) -> std::process::Command {
        let mut command = self.env.command();
        command.current_dir(self.env.home("shop"));
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.command();
        command.args(args);
        self.piped(command, "")
    }

    pub fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&ran.stdout()).unwrap_or_else(|e| panic!("{e}: {ran}"))
    }

    /// Runs the program with something on stdin.
    pub fn fed(&self, args: &[&str], stdin: &str) -> Ran {
        let mut command = self.command();
        command.args(args);
        self.piped(command, stdin)
    }

    /// Runs a command with something on stdin.
    pub fn piped(&self, command: std::process::Command, stdin: &str) -> Ran {
        self.env.ran(output_in_time(fed_child(command, stdin)))
    }

    /// Saves a memory and gives its id.
    pub fn save(&self, topic: &str, info: &str, more: &[&str]) -> String {
        let args = [&["memory", "save", "--topic", topic, "--info", info], more].concat();
        self.run(&args).succeeded().stdout().trim().to_owned()
    }

    pub fn folder(&self, path: &str) -> PathBuf {
        self.env
            .home("shop/.claude/data/session-search/memories")
            .join(path)
    }

    /// The file of an active memory.
    pub fn file(&self, id: &str) -> PathBuf {
        self.folder("active").join(format!("{id}.md"))
    }

    /// Makes a memory as old as a day.
    pub fn date(&self, id: &str, day: &str) {
        let text = fs_err::read_to_string(self.file(id)).unwrap();
        let dated = |line: &str| match line.split_once(": \"20") {
            Some((key, _)) => format!("{key}: {day}\n"),
            None => format!("{line}\n"),
        };
        fs_err::write(self.file(id), text.lines().map(dated).collect::<String>()).unwrap();
    }

    /// Topics that a search finds, best first.
    pub fn found(&self, args: &[&str]) -> Vec<String> {
        let answer = self.json(&[&["memory", "search"], args].concat());
        let all = answer["memories"].as_array().unwrap();
        all.iter()
            .map(|c| c["topic"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// Starts a command with something on stdin, its output piped.
pub fn fed_child(mut command: std::process::Command, stdin: &str) -> std::process::Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child
}

#[test]
fn what_is_saved_is_a_file_that_can_be_edited() {
    let project = MemoryProject::new();
    let id = project.save(
        "Pool: too small",
        "raise DB_POOL",
        &[
            "--kind",
            "known-issue",
            "--tag",
            "#db",
            "--importance",
            "high",
        ],
    );
    let path = project.file(&id);
    let text = fs_err::read_to_string(&path).unwrap();
    for line in [
        "id: mem-",
        "topic: \"Pool: too small\"\n",
        "kind: known-issue\n",
        "importance: high\n",
        "- db\n",
        "\n- raise DB_POOL\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let edited = text
        .replace("kind:", "mood: calm # mine\nkind:")
        .replace("- raise", "- Frobnicate the carburettor\n- raise");
    fs_err::write(&path, edited + "\n## Notes\n\nMore of it.\n").unwrap();
    assert_eq!(
        project.found(&["frobnicate carburettor"]),
        ["Pool: too small"]
    );
    #[cfg(unix)]
    project.trust(); // another program edited it
    project
        .run(&["memory", "edit", &id, "--info", "one", "--topic", "Pool"])
        .succeeded();
    let text = fs_err::read_to_string(&path).unwrap();
    assert!(text.contains("mood: calm # mine\nkind:"), "{text}");
    assert!(
        text.contains("\n---\n\n- one\n\n## Notes\n\nMore of it.\n"),
        "{text}"
    );
    let index = fs_err::read_to_string(project.folder("index.md")).unwrap();
    assert!(index.contains("| known issue | Pool |"), "{index}");
    let daily =
        project
            .folder("daily")
            .join(format!("{}-{}-{}.md", &id[4..8], &id[8..10], &id[10..12]));
    assert!(fs_err::read_to_string(daily).unwrap().contains("## Pool\n"));
}

#[test]
fn a_damaged_file_is_named_and_the_rest_goes_on() {
    let project = MemoryProject::new();
    project.save("Pool too small", "raise DB_POOL", &[]);
    fs_err::write(
        project.folder("active/mem-x.md"),
        "---\nid: mem-x\ntopic: [a\n---\n",
    )
    .unwrap();
    let ran = project.run(&["memory", "search", "pool"]).succeeded();
    assert!(ran.stderr().contains("active/mem-x.md, line "), "{ran}");
    assert!(ran.stdout().contains("Pool too small"), "{ran}");
}

#[test]
fn json_on_stdin_is_a_memory() {
    let project = MemoryProject::new();
    let given = r##"{"topic": "支付回调用幂等键去重", "key_info": ["写入 Redis，保留 24 小时"], "tags": ["#支付"], "kind": "decision", "importance": "high"}"##;
    project.fed(&["memory", "save"], given).succeeded();
    assert_eq!(project.found(&["回调怎么去重"]), ["支付回调用幂等键去重"]);
    let ran = project.fed(&["memory", "save"], "{\"topic\": 3}").exits(2);
    assert!(
        ran.stderr().contains("the text is not a memory") && ran.stderr().contains("hint: "),
        "{ran}"
    );
    project
        .fed(&["memory", "save"], "{\"topic\": \"x\"}")
        .exits(2);
    project.run(&["memory", "save", "--topic", "x"]).exits(2);
}

#[test]
fn age_counts_and_is_explained() {
    let project = MemoryProject::new();
    let old = project.save("Lantern release", "on Tuesdays", &[]);
    project.save("Kestrel release", "on Mondays", &[]);
    project.date(&old, "2020-01-01");
    let answer = project.json(&["memory", "search", "lantern release", "--explain"]);
    let best = &answer["memories"][0];
    assert_eq!(best["topic"], "Lantern release");
    assert_eq!(best["decay"], 0.5);
    let product = best["matched"].as_f64().unwrap() * 0.5;
    assert!(
        (best["score"].as_f64().unwrap() - product).abs() < 1e-5,
        "{best}"
    );
    assert!(
        !project
            .found(&["release", "--days", "30"])
            .contains(&"Lantern release".to_owned())
    );
    let topics = |command: &[&str]| {
        let answer = project.json(&[&["memory"], command].concat());
        let memories = answer["memories"].as_array().unwrap();
        memories.len()
    };
    assert_eq!(topics(&["list"]), 2);
    assert_eq!(topics(&["list", "--when", "2019-12-30..2020-01-02"]), 1);
    #[cfg(unix)]
    {
        project.trust(); // another program dated it
        assert_eq!(topics(&["export", "--until", "2020-01-02"]), 1);
        assert_eq!(topics(&["export"]), 2);
    }
}

#[test]
fn what_is_replaced_says_so_and_stands_below() {
    let project = MemoryProject::new();
    let old = project.save("Releases on Tuesdays", "tag before 11:00", &[]);
    let new = project.save("Releases on Thursdays", "tag before noon", &[]);
    project
        .run(&["memory", "supersede", &old, "--by", &new])
        .succeeded();
    let found = project
        .run(&["memory", "search", "releases on tuesdays tag before 11:00"])
        .succeeded()
        .stdout();
    let (first, second) = (
        found.find(&new).unwrap(),
        found.find(&format!("superseded by {new}")).unwrap(),
    );
    assert!(first < second, "{found}");
    project
        .run(&["memory", "supersede", &new, "--by", &old])
        .exits(2);
    project
        .run(&["memory", "supersede", &new, "--by", &new])
        .exits(2);
}

#[test]
fn a_life_from_active_to_nothing() {
    let project = MemoryProject::new();
    let id = project.save("Lantern", "hangs in the harbour", &[]);
    project.run(&["memory", "archive", &id]).succeeded();
    assert!(project.found(&["lantern"]).is_empty());
    assert_eq!(project.found(&["lantern", "--archived"]), ["Lantern"]);
    let ran = project.run(&["memory", "show", &id]).succeeded();
    assert!(
        ran.stderr()
            .contains(&format!("session-search memory activate {id}")),
        "{ran}"
    );
    project.run(&["memory", "activate", &id[4..]]).succeeded();
    assert_eq!(project.found(&["lantern"]), ["Lantern"]);
    project.run(&["memory", "delete", &id]).succeeded();
    assert!(project.folder(&format!("trash/{id}.md")).is_file());
    project.run(&["memory", "activate", &id]).succeeded();
    project
        .run(&["memory", "delete", &id, "--purge"])
        .succeeded();
    let ran = project.run(&["memory", "show", &id]).exits(2);
    assert!(ran.stderr().contains("hint: "), "{ran}");
}

#[cfg(unix)]
#[test]
fn a_memory_that_is_named_twice_is_moved_once() {
    let project = MemoryProject::new();
    let id = project.save("Lantern", "in the harbour", &[]);
    for command in ["archive", "activate", "delete"] {
        let ran = project.run(&["memory", command, &id, &id]).succeeded();
        assert_eq!(
            (ran.stdout() + &ran.stderr()).matches(&id).count(),
            1,
            "{ran}"
        );
    }
}

/// A memory that is too large to be read would be lost, and with it what stood there before.
#[test]
fn a_memory_that_could_not_be_read_again_is_not_written() {
    let project = MemoryProject::new();
    let id = project.save("Lantern", "in the harbour", &[]);
    let before = fs_err::read(project.file(&id)).unwrap();
    let large = "x".repeat(120_000);
    let infos = ["--info", &large, "--info", &large, "--info", &large];
    let edited = project.run(&[&["memory", "edit", &id][..], &infos].concat());
    assert!(edited.exits(2).stderr().contains("hint: "));
    assert_eq!(fs_err::read(project.file(&id)).unwrap(), before);
    let saved = project.run(&[&["memory", "save", "--topic", "Large"][..], &infos].concat());
    saved.exits(2);
    let files = fs_err::read_dir(project.folder("active")).unwrap();
    assert_eq!(files.count(), 1);
}

#[test]
fn a_memory_that_is_archived_by_its_age_is_named() {
    let project = MemoryProject::new();
    project.configure("[storage]\narchive_above = 1", "");
    let old = project.save("Old", "word", &[]);
    project.date(&old, "2020-01-01");
    project.trust();
    let save = |off: bool| {
        let mut command = project.command();
        command.args(["memory", "save", "--topic", "New", "--info", "more"]);
        if off {
            command.env("SESSION_SEARCH_STORAGE_AUTO_ARCHIVE", "false");
        }
        project.env.ran(command.output().unwrap()).succeeded()
    };
    assert!(!save(true).stderr().contains("archived"));
    let ran = save(false);
    let note = format!("archived {old}, which nobody touched for long");
    assert!(ran.stderr().contains(&note), "{ran}");
}

#[test]
fn a_near_duplicate_names_what_it_repeats() {
    let project = MemoryProject::new();
    let old = project.save(
        "Connection pool too small",
        "time-outs under load, raise DB_POOL to 40",
        &[],
    );
    let ran = project
        .run(&[
            "memory",
            "save",
            "--topic",
            "The connection pool is too small",
            "--info",
            "time-outs under load: raise DB_POOL to 40",
        ])
        .succeeded();
    for hint in [
        &format!("it repeats {old}"),
        &format!("memory edit {old}"),
        &format!("memory supersede {old} --by mem-"),
    ] {
        assert!(ran.stderr().contains(hint.as_str()), "{ran}");
    }
    let ran = project
        .run(&[
            "memory",
            "save",
            "--topic",
            "Holidays",
            "--info",
            "skip bank holidays",
        ])
        .succeeded();
    assert!(!ran.stderr().contains("repeats"), "{ran}");
}

#[test]
fn a_memory_of_a_session_outlives_its_history() {
    let project = MemoryProject::new();
    let transcript = project.env.write_transcript(&docker());
    let id = project.save("Docker DNS", "a network of your own", &["--from", "a1:0-1"]);
    fs_err::remove_file(transcript).unwrap();
    let shown = project.json(&["memory", "show", &id]);
    assert_eq!(shown["source"]["session"], DOCKER);
    assert_eq!(shown["source"]["turns"], "0-1");
    let raw = project
        .run(&["memory", "show", &id, "--raw"])
        .succeeded()
        .stdout();
    assert!(
        raw.contains("The default bridge has no DNS. Create a network"),
        "{raw}"
    );
    assert!(raw.contains("docker network inspect bridge"), "{raw}");
    let other = project.save("No session", "here", &[]);
    project.run(&["memory", "show", &other, "--raw"]).exits(1);
    // As in another checkout, since git ignores the text.
    let kept = project.folder(&format!("raw/{id}.md"));
    let text = fs_err::read_to_string(&kept).unwrap();
    fs_err::remove_file(&kept).unwrap();
    let note = project.run(&["memory", "show", &id, "--raw"]).exits(1);
    let expected = format!(
        "note: its conversation is not kept here: it was saved from {DOCKER}:0-1\nhint: `session-search show {DOCKER}:0-1` has it, as long as the history is there\n"
    );
    assert_eq!(note.stderr(), expected);
    let note = project.run(&["memory", "show", &id]).succeeded().stderr();
    assert!(
        note.contains("`session-search show ") && !note.contains("--raw"),
        "{note}"
    );
    fs_err::write(&kept, text).unwrap();
    project
        .run(&["memory", "delete", &id, "--purge"])
        .succeeded();
    assert!(!project.folder(&format!("raw/{id}.md")).exists());
}

#[test]
fn memories_are_found_without_a_history() {
    let project = MemoryProject::new();
    project.save("Docker bridge has no DNS", "attach both", &[]);
    let search = ["search", "docker bridge", "--memories"];
    let answer = project.json(&search);
    assert_eq!(answer["memories"][0]["topic"], "Docker bridge has no DNS");
    assert!(answer["hints"][0].is_string(), "{answer}");
    let text = project.run(&search).succeeded();
    assert!(text.stdout().starts_with("MEMORIES"), "{text}");
}

#[test]
fn one_search_covers_both() {
    let project = MemoryProject::new();
    project.env.write_transcript(&docker());
    project.save(
        "Docker bridge has no DNS",
        "attach both to a network of your own",
        &[],
    );
    let answer = project.json(&["search", "docker bridge", "--memories"]);
    assert_eq!(answer["memories"][0]["topic"], "Docker bridge has no DNS");
    assert_eq!(answer["hits"][0]["session"], DOCKER);
    assert!(
        project
            .json(&["search", "docker bridge"])
            .get("memories")
            .is_none()
    );
    let text = project
        .run(&["search", "docker bridge", "--memories"])
        .succeeded()
        .stdout();
    assert!(
        text.contains("MEMORIES") && text.contains("SESSIONS"),
        "{text}"
    );
}

#[test]
fn the_sheet_has_what_matters_most() {
    let project = MemoryProject::new();
    project.save("Low", "never mind", &["--importance", "low"]);
    let printed = project.run(&["memory", "sync-context", "--print"]);
    let note =
        "note: no memory has high importance; `session-search memory edit ID --importance high`\n";
    assert_eq!(printed.succeeded().stderr(), note);
    project.save(
        "Money is an integer",
        "of <minor> units",
        &["--importance", "high", "--kind", "decision"],
    );
    project.run(&["memory", "sync-context"]).succeeded();
    let sheet = project.env.home("shop/.claude/session-search-context.md");
    let text = fs_err::read_to_string(&sheet).unwrap();
    assert!(
        text.contains("[decision] Money is an integer; of <minor> units (mem-"),
        "{text}"
    );
    assert!(!text.contains("never mind"));
    assert_eq!(project.json(&["memory", "sync-context"])["changed"], false);
    let printed = project.json(&["memory", "sync-context", "--print"]);
    assert_eq!(printed["text"].as_str(), Some(text.as_str()));
}

#[test]
fn a_search_without_memories_says_how_one_is_saved() {
    let project = MemoryProject::new();
    let said = |arguments: &[&str]| project.run(arguments).exits(1).stderr();
    let none = said(&["memory", "list"]);
    assert!(none.contains("hint: `session-search memory save"), "{none}");
    assert_eq!(said(&["memory", "search", "pool"]), none);
}
