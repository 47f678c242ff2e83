//! Secrets of a history reach neither the index nor an answer.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::mcp_client::McpClient;
use crate::memory::MemoryProject;
use crate::privacy::tree;
use serde_json::json;
use session_store::{Reader, Writer};
use std::path::Path;

const SESSION: &str = "5ec0e700-0000-4000-8000-000000000001";
/// One word of the word index, so that its bytes would be found as they are.
const PASSWORD: &str = "zq8lanternw7xk9";
const KEY: &str = "w4kilnq9zr2tinker";

fn transcript() -> ClaudeTranscript {
    let env = format!("DB_PASSWORD={PASSWORD}\n");
    ClaudeTranscript::new(SESSION, "/home/ann/boiler")
        .user(&format!(
            "Why does postgres://ann:{PASSWORD}@db/boiler refuse me?"
        ))
        .bash(
            &format!("API_KEY={KEY} ./deploy --password {PASSWORD}"),
            &format!("error: access denied for postgres://ann:{PASSWORD}@db"),
        )
        .call(
            "Write",
            json!({"file_path": "/home/ann/boiler/.env", "content": env}),
            "ok",
            false,
        )
        .call(
            "mcp__vault__put",
            json!({"path": "db", "password": PASSWORD}),
            "ok",
            false,
        )
        .assistant(&format!(
            "I see the key `api_key: \"{KEY}\"` in your .env; the password is {PASSWORD}."
        ))
        .title(&format!("Deploy with API_KEY={KEY}"))
}

/// All bytes of an index, its contents unpacked.
fn decoded(root: &Path) -> Vec<u8> {
    let index = Reader::open(root).unwrap();
    let mut all = Vec::new();
    for session in index.sessions().unwrap() {
        all.extend(format!("{session:?}").bytes());
        all.extend(format!("{:?}", index.contents(session.id).unwrap()).bytes());
    }
    for file in index.files().unwrap() {
        all.extend(index.cursor(file.id).unwrap().unwrap_or_default().bytes());
    }
    for path in tree(root).into_iter().filter(|path| path.is_file()) {
        all.extend(fs_err::read(path).unwrap());
    }
    all
}

#[track_caller]
fn assert_hidden(text: &[u8], what: &str) {
    let text = String::from_utf8_lossy(text).to_lowercase();
    for secret in [PASSWORD, KEY] {
        assert!(!text.contains(secret), "{what} holds {secret}");
    }
}

#[test]
fn no_secret_is_stored_or_printed() {
    let env = TestEnvironment::indexed(&[transcript()]);
    assert_hidden(&decoded(&env.index("")), "the index");
    for args in [
        ["search", "postgres refuses", "--json"].as_slice(),
        &["show", SESSION, "--json"],
        &["show", SESSION, "--format", "markdown"],
        &["show", SESSION, "--only", "commands"],
        &["digest", "2026-01-15", "--json"],
        &["commands", "deploy"],
    ] {
        let ran = env.run(args);
        assert_hidden(ran.stdout().as_bytes(), &args.join(" "));
    }
    let asked = env.json(&["search", PASSWORD]);
    assert_eq!(asked["hits"].as_array().map(Vec::len), Some(0), "{asked}");
    let shown = env.run(&["show", SESSION]).succeeded().stdout();
    for kind in ["url-password", "password", "secret"] {
        assert!(shown.contains(&format!("[redacted:{kind}]")), "{shown}");
    }
    assert!(env.found(&["boiler refuse"]).contains(&SESSION.to_owned()));
}

#[test]
fn a_secret_in_the_name_of_a_folder_is_printed_by_no_report() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let folder = format!("/home/ann/{token}");
    let env = TestEnvironment::indexed(&[ClaudeTranscript::new(SESSION, &folder)
        .user("Why does the boiler refuse me?")
        .assistant("It is cold.")]);
    for args in [
        ["search", "boiler refuses"].as_slice(),
        &["search", "boiler refuses", "--json"],
        &["show", SESSION],
        &["show", SESSION, "--json"],
        &["show", SESSION, "--format", "markdown"],
        &["export", SESSION, "--format", "html"],
        &["export", SESSION, "--format", "json"],
        &["status"],
        &["status", "--json"],
        &["stats", "--since", "2026-01-01"],
        &["digest", "2026-01-15"],
    ] {
        let printed = env.run(args).succeeded().stdout();
        assert!(!printed.contains(&token), "{args:?}: {printed}");
    }
    // It is resumed there, and found by the folder.
    let resumed = env.run(&["resume", SESSION, "--print"]).stdout();
    assert!(resumed.contains(&token), "{resumed}");
    assert_eq!(env.found(&["boiler", "--project", &token]), [SESSION]);
}

#[test]
fn a_secret_at_a_cut_is_not_halved() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let part = token[..16].to_lowercase();
    // An error line is cut after 240 bytes, a prompt after 256 KiB.
    let error = format!("error: {} {token} refused", "lantern ".repeat(28));
    let prompt = format!(
        "{}{token}",
        "a tale of oil \n"
            .repeat(262_144 / 15)
            .trim_end()
            .to_owned()
            + " "
    );
    let transcript = ClaudeTranscript::new(SESSION, "/home/ann/boiler")
        .user(&prompt)
        .call("Bash", json!({"command": "./deploy"}), &error, true);
    let env = TestEnvironment::indexed(&[transcript]);
    let text = String::from_utf8_lossy(&decoded(&env.index(""))).to_lowercase();
    assert!(!text.contains(&part));
}

#[test]
fn the_users_settings_count() {
    let env = TestEnvironment::new();
    let settings = format!("[redaction]\npatterns = ['oil-\\d+']\nallow = ['^{KEY}$']\n");
    env.write(&env.path("config/config.toml"), settings);
    env.write_transcript(&transcript());
    env.write_transcript(
        &ClaudeTranscript::new("5ec0e700-0000-4000-8000-000000000002", "/home/ann/b")
            .user("the lamp burns oil-4711 today"),
    );
    env.run(&["index"]).succeeded();
    let text = String::from_utf8_lossy(&decoded(&env.index(""))).into_owned();
    assert!(text.contains("[redacted:custom]") && !text.contains("oil-4711"));
    assert!(text.contains(KEY) && !text.contains(PASSWORD));

    env.write(
        &env.path("config/config.toml"),
        "[redaction]\nallow = ['(']\n",
    );
    let refused = env.run(&["search", "lamp"]).exits(2);
    assert!(refused.stderr().contains("redaction.allow"), "{refused}");
}

/// Claude Code deletes a transcript after thirty days.
#[test]
fn a_pattern_that_is_added_redacts_what_is_indexed() {
    let secret = "zq7ticketw8";
    let transcript = ClaudeTranscript::new(SESSION, "/home/ann/boiler")
        .user(&format!("Why does the boiler of {secret} fail?"))
        .bash(&format!("mend {secret}"), &format!("error: no {secret}"))
        .assistant(&format!("The valve of {secret} is shut."))
        .title(&format!("Boiler of {secret}"));
    let env = TestEnvironment::indexed(&[transcript]);
    let bytes = || String::from_utf8_lossy(&decoded(&env.index(""))).into_owned();
    assert!(bytes().contains(secret));
    fs_err::remove_dir_all(env.home(".claude/projects")).unwrap();
    env.run(&["search", "boiler"]).succeeded();
    let settings = "[redaction]\npatterns = ['zq7ticket\\w+']\n";
    env.write(&env.path("config/config.toml"), settings);
    let note = "note: redacted 1 turn and names of 1 session by the rules of now\n";
    let ran = env.run(&["search", "boiler"]).succeeded();
    assert!(ran.stderr().contains(note), "{ran}");
    assert!(!ran.stdout().contains(secret), "{ran}");
    assert!(!bytes().contains(secret));
    for args in [
        ["show", SESSION].as_slice(),
        &["commands", "mend"],
        &["export", SESSION, "--format", "markdown"],
    ] {
        let ran = env.run(args).succeeded();
        assert!(!ran.stderr().contains("redacted"), "only once: {ran}");
        let printed = ran.stdout();
        let is_redacted = printed.contains("[redacted:custom]") && !printed.contains(secret);
        assert!(is_redacted, "{args:?}: {printed}");
    }
}

/// On one line, the field without a value would have the next one as its value.
#[test]
fn a_title_is_redacted_as_it_was_typed() {
    let transcript = ClaudeTranscript::new(SESSION, "/home/ann/boiler")
        .user("BOILER_SECRET_KEY=\nPORT=3000")
        .assistant("Its valve is shut.");
    let env = TestEnvironment::indexed(&[transcript]);
    for args in [["show", SESSION], ["export", SESSION]] {
        let shown = env.run(&args).succeeded().stdout();
        assert!(!shown.contains("[redacted"), "{shown}");
        assert!(shown.contains("BOILER_SECRET_KEY= PORT=3000"), "{shown}");
    }
}

/// Another process writes, so that the index still holds what a new rule redacts.
#[test]
fn what_is_shown_is_redacted_by_the_rules_of_now() {
    let secret = "zq7ticketw8";
    let transcript = ClaudeTranscript::new(SESSION, &format!("/home/ann/{secret}-boiler"))
        .branch(&format!("fix/{secret}-boiler"))
        .user(&format!("Why does the boiler of {secret} fail?"))
        .assistant("Its valve is shut.")
        .title(&format!("Boiler of {secret}"));
    let env = TestEnvironment::indexed(&[transcript]);
    fs_err::remove_dir_all(env.home(".claude/projects")).unwrap();
    let settings = "[redaction]\npatterns = ['zq7ticket\\w+']\n";
    env.write(&env.path("config/config.toml"), settings);
    let _writer = Writer::open(&env.index("")).unwrap();
    let mut client = McpClient::start(&env);
    let shown = client.call("show", json!({"id": SESSION}));
    for args in [
        ["show", SESSION].as_slice(),
        &["show", SESSION, "--json"],
        &["export", SESSION, "--format", "markdown"],
        &["export", SESSION, "--format", "html"],
        &["export", SESSION, "--format", "json"],
    ] {
        let printed = env.run(args).succeeded().stdout();
        assert!(!printed.contains(secret), "{args:?}: {printed}");
    }
    assert!(
        shown.contains("[redacted:custom]") && !shown.contains(secret),
        "{shown}"
    );
}

#[test]
fn a_memory_keeps_no_secret() {
    let project = MemoryProject::new();
    let info = format!("the password of the boiler is {PASSWORD}");
    let tag = format!("password={PASSWORD}");
    project
        .run(&[
            "memory",
            "save",
            "--topic",
            "Boiler access",
            "--info",
            &info,
            "--tag",
            &tag,
        ])
        .succeeded();
    let listed = project.run(&["memory", "list", "--json"]).succeeded();
    assert_hidden(listed.stdout().as_bytes(), "the memory");
    assert!(listed.stdout().contains("[redacted:password]"), "{listed}");
}

#[test]
fn a_secret_that_somebody_wrote_into_a_memory_is_not_printed() {
    let project = MemoryProject::new();
    let id = "mem-20260110-091500";
    let memories = project.env.home(".claude/data/session-search/memories");
    let text = format!(
        "---\nid: {id}\ntopic: The boiler has api_key={KEY}\nimportance: high\nkeywords: [boiler, {KEY}]\ntags: [\"password={PASSWORD}\"]\n\
         when:\n  commands: [\"deploy --password {PASSWORD}\"]\ncreated: 2026-01-10T09:15:00Z\n---\n\n- password={PASSWORD}\n"
    );
    let file = memories.join(format!("active/{id}.md"));
    project.env.write(&file, &text);
    let raw = memories.join(format!("raw/{id}.md"));
    project.env.write(&raw, format!("password={PASSWORD}\n"));
    for args in [
        ["memory", "search", "boiler"].as_slice(),
        &["memory", "search", "boiler", "--json"],
        &["memory", "search", "boiler", "--explain"],
        &["memory", "list"],
        &["memory", "list", "--json"],
        &["memory", "show", id],
        &["memory", "show", id, "--json"],
        &["memory", "show", id, "--raw"],
        &["memory", "stats"],
        &["memory", "stats", "--json"],
        &["memory", "export"],
        &["memory", "sync-context", "--print"],
        &["inject", "--prompt", "is the boiler on?", "--explain"],
        &[
            "inject",
            "--prompt",
            "is the boiler on?",
            "--explain",
            "--json",
        ],
        &[
            "inject",
            "--command",
            &format!("deploy --password {PASSWORD}"),
            "--explain",
        ],
    ] {
        let printed = project.run(args);
        let shown = printed.stdout();
        assert!(
            shown.contains("boiler") || shown.contains("redacted"),
            "{printed}"
        );
        assert_hidden(
            format!("{shown}{}", printed.stderr()).as_bytes(),
            &args.join(" "),
        );
    }
    assert_eq!(fs_err::read_to_string(&file).unwrap(), text);
    project.run(&["memory", "sync-context"]).succeeded();
    let edited = project
        .run(&["memory", "edit", id, "--tag", "z"])
        .succeeded();
    assert!(
        edited.stderr().contains("secrets are replaced by marks"),
        "{edited}"
    );
    for path in [
        project.env.home("shop/.claude/session-search-context.md"),
        memories.join("index.md"),
        memories.join("daily/2026-01-10.md"),
        file,
    ] {
        assert_hidden(&fs_err::read(&path).unwrap(), &path.to_string_lossy());
    }
}

#[test]
fn a_secret_that_somebody_wrote_into_a_memory_is_not_recalled() {
    let env = TestEnvironment::new();
    let id = "mem-20260110-091500";
    let file = format!(".claude/data/session-search/memories/active/{id}.md");
    env.write(
        &env.home(&file),
        format!(
            "---\nid: {id}\ntopic: Lamps have password=Hunter2!xyz99\ncreated: 2026-01-10\n---\n\n- password=Hunter2!xyz99\n"
        ),
    );
    let mut client = McpClient::start(&env);
    for query in ["lamps", id] {
        let found = client.call("recall", json!({"query": query}));
        assert!(found.contains("password=[redacted:password]"), "{found}");
        assert!(!found.contains("Hunter2"), "{found}");
    }
    let topic =
        json!({"topic": "Bell has password=Hunter2!xyz99", "info": ["it rings"], "global": true});
    let saved = client.call("remember", topic);
    assert!(!saved.contains("Hunter2"), "{saved}");
}

#[cfg(unix)]
#[test]
fn only_a_person_at_a_terminal_sees_them() {
    let env = TestEnvironment::indexed(&[transcript()]);
    let refused = env.run(&["show", SESSION, "--unredacted"]).exits(2);
    let command = format!("`session-search show {SESSION} --unredacted`");
    assert!(refused.stderr().contains(&command), "{refused}");
    let unknown = env.run(&["show", "nosuch", "--unredacted"]).exits(2);
    assert!(
        unknown.stderr().contains("no session begins with"),
        "{unknown}"
    );
    assert_hidden(refused.stdout().as_bytes(), "a pipe");
    let show = || {
        let mut command = env.command();
        command.args(["show", SESSION, "--unredacted", "--no-pager"]);
        command
    };
    assert!(crate::pty::on_terminal(show(), "y\n").contains(PASSWORD));
    assert_hidden(
        crate::pty::on_terminal(show(), "n\n").as_bytes(),
        "a refusal",
    );
}
