//! What is forgotten is nowhere, and does not come back.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::kill::dump;
use crate::memory::MemoryProject;
use crate::privacy::tree;
use rusqlite::Connection;
use session_store::{Reader, Writer};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

pub const LAMP: &str = "f0460000-0000-4000-8000-000000000001";
pub const KILN: &str = "f0460000-0000-4000-8000-000000000002";
const FORK: &str = "f0460000-0000-4000-8000-000000000003";
/// One word of the word index.
pub const WORD: &str = "zq8lanternw7xk9";

pub fn lamp() -> ClaudeTranscript {
    ClaudeTranscript::new(LAMP, "/home/ann/lamp")
        .user(&format!("How is the {WORD} filled with oil?"))
        .bash(&format!("fill {WORD}"), &format!("error: {WORD} is dry"))
        .assistant(&format!("The {WORD} has a cap at its side."))
        .user("And how often does the wick need a cut?")
        .assistant("Every ten hours.")
}

pub fn kiln() -> ClaudeTranscript {
    ClaudeTranscript::new(KILN, "/home/ann/kiln")
        .at("2026-02-01T10:00:00Z")
        .user("How hot does the kiln get under the gearbox?")
        .assistant("It gets to a thousand degrees.")
}

/// All bytes of an index, its contents unpacked, and all words of its word index.
pub fn decoded(env: &TestEnvironment) -> String {
    let root = env.index("");
    let index = Reader::open(&root).unwrap();
    let mut all = String::new();
    for session in index.sessions().unwrap() {
        all += &format!("{session:?} {:?}", index.contents(session.id).unwrap());
    }
    for file in index.files().unwrap() {
        all += &format!("{file:?} {:?}", index.cursor(file.id).unwrap());
    }
    let db = Connection::open(root.join("index.db")).unwrap();
    db.execute_batch("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, row)")
        .unwrap();
    let mut find = db.prepare("SELECT term FROM temp.vocabulary").unwrap();
    let terms = find.query_map([], |row| row.get::<_, String>(0)).unwrap();
    terms.for_each(|term| all += &term.unwrap());
    drop(find);
    drop(db);
    for path in tree(&root).into_iter().filter(|path| path.is_file()) {
        all += &String::from_utf8_lossy(&fs_err::read(path).unwrap());
    }
    all
}

#[test]
fn a_forgotten_session_leaves_an_index_that_never_saw_it() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    assert!(decoded(&env).contains(WORD));
    let asked = env.run(&["forget", LAMP]).exits(2);
    assert!(asked.stderr().contains("--dry-run"), "{asked}");
    env.run(&["forget", LAMP, "--dry-run"]).succeeded();
    assert!(decoded(&env).contains(WORD));

    env.run(&["forget", LAMP, "--yes"]).succeeded();
    let text = decoded(&env);
    assert!(
        !text.contains(WORD) && !text.contains(LAMP),
        "a trace is left"
    );
    let other = TestEnvironment::indexed(&[kiln()]);
    // Stamps of files differ from one home to the other.
    let held = |env: &TestEnvironment| -> Vec<String> {
        let all = dump(&env.index(""));
        let lines = all.lines().filter(|line| !line.starts_with("file "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(held(&env), held(&other));
    let files = |env: &TestEnvironment| dump(&env.index("")).matches("\nfile ").count();
    assert_eq!(files(&env), files(&other));
}

/// Claude Code's list of prompts is one file of all sessions: how far it was read tells of each.
#[test]
fn a_list_of_prompts_tells_no_more_of_a_forgotten_session() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    let prompt = |session: &str, text: &str| {
        let line = serde_json::json!({"display": text, "timestamp": 1_767_952_800_000_i64, "project": "/home/ann/lamp", "sessionId": session});
        format!("{line}\n")
    };
    let other = "f0460000-0000-4000-8000-000000000009";
    let lines = [
        prompt(LAMP, &format!("/rename The {WORD} of the harbour")),
        prompt(other, &format!("Where was the {WORD} bought, and by whom?")),
        prompt(KILN, "And the kiln of the harbour, how hot does it get?"),
    ];
    env.write(&env.home(".claude/history.jsonl"), lines.concat());
    env.run(&["index"]).succeeded();
    for session in [LAMP, other] {
        env.run(&["forget", session, "--yes"]).succeeded();
    }
    for _ in 0..2 {
        let text = decoded(&env);
        assert!(!text.contains(WORD), "a trace is left");
        assert!(
            !text.contains(LAMP) && !text.contains(other),
            "an id is left"
        );
        let more = [lines.concat(), prompt(LAMP, &format!("/rename {WORD}"))].concat();
        env.write(&env.home(".claude/history.jsonl"), more);
        env.run(&["index"]).succeeded();
    }
}

#[test]
fn the_branch_of_a_forgotten_turn_goes() {
    let branch = "zq8branch";
    let text = ClaudeTranscript::new(LAMP, "/home/ann/lamp")
        .branch(branch)
        .user("How is the lantern filled with oil?")
        .branch("main")
        .user("And how often does the wick need a cut?");
    let env = TestEnvironment::indexed(&[text]);
    assert!(decoded(&env).contains(branch));
    env.run(&["forget", &format!("{LAMP}:0"), "--yes"])
        .succeeded();
    assert!(!decoded(&env).contains(branch), "a trace is left");
}

#[test]
fn forgetting_waits_for_another_writer() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    let writer = Writer::open(&env.index("")).unwrap();
    let forget = env
        .command()
        .args(["forget", LAMP, "--yes"])
        .stderr(Stdio::piped())
        .spawn();
    let mut said = BufReader::new(forget.unwrap().stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().starts_with("waiting for another process")));
    drop(writer);
    assert!(said.any(|line| line.unwrap().starts_with("forgot 1 session")));
    assert!(!decoded(&env).contains(WORD));
    let writer = Writer::open(&env.index("")).unwrap();
    let undo = env
        .command()
        .args(["forget", "--undo", "1"])
        .stderr(Stdio::piped())
        .spawn();
    let mut said = BufReader::new(undo.unwrap().stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().starts_with("waiting for another process")));
    drop(writer);
    let said: Vec<String> = said.map(Result::unwrap).collect();
    assert!(
        said.iter().any(|line| line.contains("1 session")),
        "{said:?}"
    );
}

#[test]
fn what_is_forgotten_does_not_come_back_until_it_is_undone() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    env.run(&["forget", LAMP, "--yes"]).succeeded();
    env.write_transcript(
        &lamp()
            .user("One more thing about the wick")
            .assistant("Yes."),
    );
    for command in [
        ["index", ""].as_slice(),
        &["index", "--full"],
        &["index", ""],
    ] {
        let words: Vec<&str> = command
            .iter()
            .copied()
            .filter(|word| !word.is_empty())
            .collect();
        env.run(&words).succeeded();
        assert!(!decoded(&env).contains(WORD));
        assert!(!env.found(&["wick"]).contains(&LAMP.to_owned()));
    }
    let listed = env.json(&["forget", "--list"]);
    assert_eq!(listed["forgotten"][0]["sessions"], 1);
    assert!(!listed.to_string().contains(LAMP));
    let records =
        fs_err::read_to_string(env.home(".local/share/session-search/forgotten.json")).unwrap();
    assert!(!records.contains(LAMP) && !records.contains(WORD));

    let undone = env.run(&["forget", "--undo", "1"]).succeeded();
    let said = "1 session, 3 turns came back from the histories";
    assert!(undone.stderr().contains(said), "{undone}");
    assert!(env.found(&[WORD]).contains(&LAMP.to_owned()));
    env.run(&["forget", "--undo", "1"]).exits(2);
}

/// An unset variable of a script must not empty the index.
#[test]
fn what_names_everything_forgets_nothing() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    for (option, value) in [
        ("--project", ""),
        ("--project", "/"),
        ("--match", ""),
        ("--match", ".*"),
        ("--match", "("),
    ] {
        let ran = env.run(&["forget", option, value, "--yes"]).exits(2);
        assert!(ran.stderr().contains("hint:"), "{option} {value:?}: {ran}");
    }
    let none = env.run(&["forget", "--list"]).exits(1);
    assert_eq!(none.stderr(), "nothing was forgotten\n");
    let nothing = env.run(&["forget", "--match", "zebra", "--yes", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&nothing.exits(1).stdout()).unwrap();
    assert_eq!(
        (&told["turns"], &told["sessions"]),
        (&0.into(), &serde_json::json!([]))
    );
}

#[test]
fn a_turn_is_forgotten_once() {
    let env = TestEnvironment::indexed(&[lamp()]);
    let forget = ["forget", &format!("{LAMP}:0"), "--yes"];
    env.run(&forget).succeeded();
    let again = env.run(&forget).exits(1);
    assert!(again.stderr().contains("nothing to forget"), "{again}");
    let purged = || {
        let again = env.run(&[&forget[..], &["--json"]].concat()).exits(1);
        let answer: serde_json::Value = serde_json::from_str(&again.stdout()).unwrap();
        answer["purged"].as_bool().unwrap()
    };
    assert!(purged(), "nothing is left of it");
    let db = Connection::open(env.index("index.db")).unwrap();
    db.execute_batch("INSERT INTO pending_purge(id) VALUES(1)")
        .unwrap();
    drop(db);
    assert!(purged(), "an earlier call left it, and this one removed it");
    env.run(&["forget", "--undo", "1"]).succeeded();
    assert!(env.found(&[WORD]).contains(&LAMP.to_owned()));
}

#[test]
fn what_is_left_out_is_called_forgotten() {
    let env = TestEnvironment::indexed(&[lamp()]);
    env.run(&["forget", &format!("{LAMP}:0"), "--yes"])
        .succeeded();
    let shown = env.json(&["show", &format!("{LAMP}:0-1")]);
    let origin = |turn: usize| shown["shown"][turn]["origin"].clone();
    assert_eq!(
        (origin(0), origin(1)),
        ("forgotten".into(), "history".into())
    );
    let listed = env.json(&["search", "project:lamp", "--depth", "2"]);
    assert_eq!(listed["hits"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["hits"][0]["turn"], 1);
    let counted = env.json(&["stats", "--since", "2020-01-01"]);
    assert_eq!(counted["total"]["turns"], 1, "{counted}");
    env.run(&["forget", LAMP, "--yes"]).succeeded();
    let nothing = env.run(&["search", "wick"]).exits(1);
    let said = nothing.stderr();
    assert!(
        said.contains("but what was forgotten") && said.contains("forget --list"),
        "{nothing}"
    );
}

/// Said from elsewhere than the project that the memory is of.
#[test]
fn memories_of_a_forgotten_session_go_wherever_they_lie() {
    let project = MemoryProject::new();
    let shop = project.env.home("shop");
    let transcript = ClaudeTranscript::new(LAMP, shop.to_str().unwrap())
        .user(&format!("How is the {WORD} filled with oil?"))
        .assistant(&format!("The {WORD} has a cap."));
    project.env.write_transcript(&transcript);
    project.env.run(&["skill", "install"]).succeeded();
    let info = format!("the {WORD} has a cap");
    let id = project.save(WORD, &info, &["--from", LAMP]);
    let global = project.save(WORD, &info, &["--from", LAMP, "--global"]);
    project.run(&["skill", "sync"]).succeeded();
    let skill = project.env.home(".claude/skills/session-search/SKILL.md");
    let says = || fs_err::read_to_string(&skill).unwrap().contains(WORD);
    assert!(
        says(),
        "the user's skill names what global memories are about"
    );

    let forgotten = project.env.json(&["forget", LAMP, "--memories", "--yes"]);
    let named = forgotten["memories"].as_array().unwrap().clone();
    assert!(named.contains(&id.clone().into()) && named.contains(&global.into()));
    assert!(!project.file(&id).exists());
    assert!(!says());
}

#[test]
fn an_undo_is_no_rehearsal() {
    let env = TestEnvironment::indexed(&[lamp()]);
    env.run(&["forget", LAMP, "--yes"]).succeeded();
    env.run(&["forget", "--undo", "1", "--dry-run"]).exits(2);
    let refused = env.run(&["forget", "--undo", "1", "--memories"]).exits(2);
    let reason = "the argument '--undo <N>' cannot be used with '--memories'";
    assert!(refused.stderr().contains(reason), "{refused}");
    env.run(&["forget", "--list"]).succeeded();
}

#[test]
fn turns_that_come_back_are_counted() {
    let env = TestEnvironment::indexed(&[lamp()]);
    let forget = ["forget", &format!("{LAMP}:0"), "--yes"];
    env.run(&forget).succeeded();
    env.write_transcript(&kiln()); // which is new, and did not come back
    let undone = env.run(&["forget", "--undo", "1"]).succeeded();
    let said = "1 turn came back from the histories";
    assert!(undone.stderr().contains(said), "{undone}");
    env.run(&forget).succeeded();
    let undone = env.json(&["forget", "--undo", "2"]);
    let expected = serde_json::json!({ "undone": 2, "sessions": 0, "turns": 1, "titles": 0, "kept_out_by": [] });
    assert_eq!(undone, expected);
}

#[test]
fn forgotten_turns_are_forgotten_in_forks_too() {
    let fork = lamp()
        .resumed_as(FORK)
        .user("Does the fork have a wick of its own?")
        .assistant("It has.");
    let env = TestEnvironment::indexed(&[lamp(), fork.clone()]);
    env.run(&["forget", &format!("{LAMP}:0"), "--yes"])
        .succeeded();
    assert!(!decoded(&env).contains(WORD));
    for session in [LAMP, FORK] {
        for args in [["show", session], ["show", &format!("{session}:0")]] {
            assert!(!env.run(&args).stdout().contains(WORD), "{args:?}");
        }
    }
    assert!(
        env.run(&["show", LAMP])
            .succeeded()
            .stdout()
            .contains("ten hours")
    );
    // Histories that grow, and a rewrite of the whole index, leave it out.
    env.write_transcript(&fork.user("And now?").assistant("Now it is late."));
    env.run(&["index"]).succeeded();
    env.run(&["index", "--full"]).succeeded();
    assert!(!decoded(&env).contains(WORD));
    assert!(env.found(&["fork wick late"]).contains(&FORK.to_owned()));
}

/// A reader in another process keeps the log, and is named.
#[cfg(target_os = "linux")]
#[test]
fn a_process_that_reads_the_index_is_named() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    let database = env.index("index.db");
    let script = format!(
        "import sqlite3,sys,time\ndb=sqlite3.connect('file:{}?mode=ro',uri=True,isolation_level=None)\ndb.execute('BEGIN')\ndb.execute('SELECT count(*) FROM sessions').fetchone()\nprint('ready',flush=True)\nsys.stdin.read()\n",
        database.display()
    );
    let mut reader = std::process::Command::new("python3")
        .args(["-c", &script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(reader.stdout.as_mut().unwrap(), &mut ready).unwrap();
    let waited = env.run(&["forget", LAMP, "--yes"]).exits(1);
    assert!(
        waited.stderr().contains(&reader.id().to_string()),
        "{waited}"
    );
    drop(reader.stdin.take());
    reader.wait().unwrap();
    env.run(&["index"]).succeeded();
    assert!(!decoded(&env).contains(WORD));
}

#[test]
fn sessions_are_named_by_project_time_and_text() {
    for condition in [
        ["--project", "lamp"],
        ["--before", "2026-01-20"],
        ["--match", "zq8l[a-z]+"],
    ] {
        let env = TestEnvironment::indexed(&[lamp(), kiln()]);
        let [name, value] = condition;
        env.run(&["forget", name, value, "--yes"]).succeeded();
        assert!(!decoded(&env).contains(WORD), "{name}");
        assert!(
            env.found(&["kiln gearbox"]).contains(&KILN.to_owned()),
            "{name}"
        );
        let wick = env.found(&["wick cut"]).contains(&LAMP.to_owned());
        assert_eq!(wick, name == "--match", "{name}");
    }
    let env = TestEnvironment::indexed(&[kiln()]);
    env.run(&["forget", "--match", "(", "--yes"]).exits(2);
    env.run(&["forget", "--match", "no such text", "--yes"])
        .exits(1);
    env.run(&["forget", "--yes"]).exits(2);
}

pub fn configure(env: &TestEnvironment, table: &str) {
    env.write(
        &env.path("config/config.toml"),
        format!("model = \"table\"\nbackground = false\n{table}"),
    );
}

#[test]
fn what_the_configuration_excludes_is_removed_and_said() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    let configure = |table: &str| configure(&env, table);
    configure("[exclude]\nprojects = [\"lamp\"]\n");
    let said = env.run(&["index"]).succeeded();
    assert!(said.stderr().contains("1 session"), "{said}");
    assert!(!decoded(&env).contains(WORD));
    configure("[exclude]\npatterns = [\"zq8\"]\n");
    env.run(&["index"]).succeeded();
    assert!(!decoded(&env).contains(WORD));
    // What was excluded still is: nothing is read again.
    configure("[exclude]\npatterns = [\"zq8\"]\nprojects = [\"elsewhere\"]\n");
    let said = env.run(&["index"]).succeeded();
    assert!(said.stderr().starts_with("nothing new"), "{said}");
    assert!(env.found(&["wick cut"]).contains(&LAMP.to_owned()));
    configure("");
    env.run(&["index"]).succeeded();
    assert!(env.found(&[WORD]).contains(&LAMP.to_owned()));
    configure("[exclude]\npatterns = [\"(\"]\n");
    env.run(&["index"]).exits(2);
}

/// It may be all that is left of sessions whose histories are gone.
#[test]
fn a_database_that_was_put_aside_goes_by_consent_alone() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    let old = env.index("index.db.old");
    fs_err::write(&old, "old").unwrap();
    configure(&env, "[exclude]\nprojects = [\"lamp\"]\n");
    let searched = env.run(&["search", "kiln gearbox"]).succeeded();
    assert!(searched.stderr().contains("index.db.old"), "{searched}");
    let planned = env.run(&["forget", KILN, "--dry-run"]).succeeded();
    assert!(planned.stdout().contains("index.db.old"), "{planned}");
    assert!(old.exists());
    env.run(&["forget", KILN, "--yes"]).succeeded();
    assert!(!old.exists());
}

#[test]
fn a_marker_in_a_prompt_keeps_its_session_out() {
    let marked = lamp()
        .user("Now the private part. <!-- session-search: off -->")
        .assistant("I see.");
    let env = TestEnvironment::indexed(&[marked.clone(), kiln()]);
    assert!(!decoded(&env).contains(WORD));
    env.write_transcript(
        &marked
            .user(&format!("More on the {WORD}"))
            .assistant("Done."),
    );
    env.run(&["index"]).succeeded();
    env.run(&["index", "--full"]).succeeded();
    assert!(!decoded(&env).contains(WORD));
    assert!(env.found(&["kiln gearbox"]).contains(&KILN.to_owned()));
    let undone = env.run(&["forget", "--undo", "1"]).succeeded();
    assert!(
        undone.stderr().contains("a prompt begins or ends"),
        "{undone}"
    );
}
