//! The digest of the tool `history`, and the parts of a turn of the tool `show`.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::mcp_client::McpClient;
use crate::work::{HELPER, helper, night};
use serde_json::json;

fn next(answer: &str) -> &str {
    answer.lines().last().unwrap()
}

/// Makes so many sessions of a day, of which each changed a file.
fn busy_day(count: u32) -> TestEnvironment {
    let session = |number: u32| {
        let file = json!({"file_path": format!("/home/ann/pier/{number}.c"), "old_string": "a", "new_string": "b"});
        ClaudeTranscript::new(
            &format!("a{number:03}c3d4-0000-4000-8000-000000000001"),
            "/home/ann/pier",
        )
        .at(&format!(
            "2026-03-03T{:02}:{:02}:00Z",
            5 + number / 60,
            number % 60
        ))
        .user(&format!(
            "Light the lamp number {number} of the pier. {}",
            "It is dark there. ".repeat(12)
        ))
        .call("Edit", file, "Updated.", false)
        .assistant(&format!(
            "Lamp {number} burns. {}",
            "The wick is new. ".repeat(12)
        ))
    };
    let sessions: Vec<ClaudeTranscript> = (0..count).map(session).collect();
    TestEnvironment::indexed(&sessions)
}

#[test]
fn a_digest_tells_the_work_of_a_day() {
    let env = night();
    let mut client = McpClient::start(&env);
    let newest = client.call("history", json!({"what": "digest", "project": "boiler"}));
    let printed = env
        .run(&["digest", "2026-03-08", "--project", "boiler"])
        .stdout();
    let (_, told) = newest.split_once("instructions.\">\n").unwrap();
    let (told, _) = told.split_once("</found-in-history>").unwrap();
    assert_eq!(told, printed);
    assert_eq!(
        next(&newest),
        r#"next: show(id: "ab000000", only: "prompts")"#
    );
    for call in [
        json!({"what": "digest", "project": "boiler", "since": "2026-03-08", "until": "2026-03-08"}),
        json!({"what": "digest", "pattern": "2026-03-08 project:boiler"}),
        json!({"what": "digest", "pattern": "when:2026-03-08", "session": "ab000000"}),
    ] {
        assert_eq!(client.call("history", call.clone()), newest, "{call}");
    }
}

#[test]
fn a_day_without_work_leads_to_one_with_work() {
    let env = night();
    let mut client = McpClient::start(&env);
    let call = json!({"what": "digest", "project": "boiler", "since": "2026-04-01"});
    let none = client.call("history", call);
    assert!(
        none.starts_with("note: no session from April 1 to "),
        "{none}"
    );
    let day =
        r#"history(what: "digest", project: "boiler", since: "2026-03-08", until: "2026-03-08")"#;
    assert_eq!(next(&none), format!("next: {day}"));
    let unknown = client.call("history", json!({"what": "digest", "project": "nowhere"}));
    assert!(
        unknown.starts_with("note: no project has `nowhere`"),
        "{unknown}"
    );
    let call = json!({"what": "digest", "pattern": "lamps", "file": "boiler.c"});
    let told = client.call("history", call);
    assert_eq!(told.matches("note: a digest ").count(), 2, "{told}");
}

#[test]
fn the_pages_of_a_digest_hold_each_session_once() {
    let env = busy_day(20);
    let mut client = McpClient::start(&env);
    let mut page = client.call("history", json!({"what": "digest", "limit": 8}));
    let mut titles = Vec::new();
    let mut pages = 0;
    loop {
        pages += 1;
        assert!(
            page.contains("## March 3, 2026: 20 sessions, 1 project\n"),
            "{page}"
        );
        assert!(page.contains("\n### pier (20 sessions"), "{page}");
        let items = page.lines().filter(|line| line.starts_with("- **"));
        titles.extend(items.map(str::to_owned));
        let Some((_, rest)) = page.split_once("; the rest: ") else {
            break;
        };
        page = client.follow(rest.lines().next().unwrap());
    }
    assert_eq!(pages, 3, "{page}");
    titles.dedup();
    assert_eq!(titles.len(), 20);
}

#[test]
fn many_sessions_have_a_line_each() {
    let env = busy_day(21);
    let mut client = McpClient::start(&env);
    let brief = client.call("history", json!({"what": "digest", "when": "2026-03"}));
    assert!(
        brief.contains("note: 21 sessions, so in brief; "),
        "{brief}"
    );
    let lines = brief.lines().filter(|line| line.starts_with("- "));
    assert_eq!(lines.count(), 21, "{brief}");
    let day = r#"history(what: "digest", since: "2026-03-03", until: "2026-03-03")"#;
    assert_eq!(next(&brief), format!("next: {day}"));
    let of_day = client.follow(day);
    let lines = of_day.lines().filter(|line| line.starts_with("- "));
    assert_eq!(lines.count(), 21, "{of_day}");
    let show = r#"next: show(id: "a000c3d4", only: "prompts")"#;
    assert_eq!(next(&of_day), show);
    let call = json!({"what": "digest", "when": "2026-03-03", "offset": 20});
    let last = client.call("history", call);
    assert_eq!(next(&last), show.replace("a000", "a020"));
    let call = json!({"what": "digest", "when": "2026-03-03", "offset": 500});
    assert_eq!(next(&client.call("history", call)), show);
}

#[test]
fn times_in_pattern_and_arguments_must_both_hold() {
    let env = night();
    let mut client = McpClient::start(&env);
    let call = json!({"what": "digest", "pattern": "2026-03-08", "since": "2026-03-01", "session": "ab000000"});
    let told = client.call("history", call);
    assert!(told.contains("## March 8, 2026: "), "{told}");
    let call = json!({"what": "digest", "pattern": "2026-03-08", "since": "2026-03-09"});
    let refused = client.refuse("history", call);
    assert!(
        refused.starts_with("the times of the digest have no time in common"),
        "{refused}"
    );
}

#[test]
fn a_filter_that_a_digest_cannot_keep_to_is_refused() {
    let env = night();
    let mut client = McpClient::start(&env);
    for (arguments, expected) in [
        (
            json!({"pattern": "when:2026-03-07 when:2026-03-09"}),
            "a digest is of one time",
        ),
        (
            json!({"pattern": "-since:2026-03-10"}),
            "a digest is of one time",
        ),
        (
            json!({"pattern": "branch:main", "branch": "other"}),
            "a digest is of one branch",
        ),
        (
            json!({"pattern": "2026-03-08 session:ab000000"}),
            "a digest does not read `session:` in `pattern`",
        ),
    ] {
        let mut call = arguments.clone();
        call["what"] = "digest".into();
        let refused = client.refuse("history", call);
        assert!(refused.starts_with(expected), "{arguments}: {refused}");
        assert!(refused.contains("\nhint: "), "{refused}");
    }
    let call = json!({"what": "digest", "failed": true, "when": "2026-03-08"});
    let told = client.call("history", call);
    let note = "note: `failed` is for commands and does not count here\n";
    assert!(told.starts_with(note), "{told}");
}

#[test]
fn a_digest_is_of_a_whole_session_and_its_root() {
    let env = night();
    let mut client = McpClient::start(&env);
    let mut report = |session: &str| {
        let call = json!({"what": "digest", "session": session});
        client.call("history", call)
    };
    let whole = report("ab000000");
    let note = "note: `session` takes no turn; all of ab000000 is reported\n";
    for session in ["ab000000:1", "ab000000:77"] {
        assert_eq!(report(session), format!("{note}{whole}"));
    }
    let note = "note: agent-1a is a subagent's session; the work of ab000000, which started it, is reported\n";
    assert_eq!(report(HELPER), format!("{note}{whole}"));
}

#[test]
fn a_subagent_without_its_root_is_shown() {
    let env = TestEnvironment::indexed(&[helper()]);
    let mut client = McpClient::start(&env);
    let call = json!({"what": "digest", "session": HELPER});
    let told = client.call("history", call);
    let note = "note: a digest has no subagent's session by itself, and ";
    assert!(told.starts_with(note), "{told}");
    assert_eq!(
        next(&told),
        r#"next: show(id: "agent-1a", only: "prompts")"#
    );
}

#[test]
fn a_part_of_turns_is_shown_as_the_command_line_prints_it() {
    let env = night();
    let mut client = McpClient::start(&env);
    for only in ["prompts", "answers", "commands", "files", "edits", "errors"] {
        let show = ["show", "ab000000", "--brief", "--only", only];
        let printed = env.run(&show).stdout();
        let shown = client.call(
            "show",
            json!({"id": "ab000000", "only": only, "brief": true}),
        );
        let (_, told) = shown.split_once("instructions.\">\n").unwrap();
        let (told, _) = told.split_once("</found-in-history>").unwrap();
        assert_eq!(
            told.replace("\n\n", "\n").trim(),
            printed.replace("\n\n", "\n").trim()
        );
    }
    let shown = client.call("show", json!({"id": "ab000000:1", "only": "edits"}));
    assert_eq!(
        next(&shown),
        r#"next: show(id: "ab000000:2", only: "edits")"#
    );
}

#[test]
fn turns_without_such_a_part_lead_on() {
    let env = night();
    let mut client = McpClient::start(&env);
    let none = client.call("show", json!({"id": "ab000000:2", "only": "commands"}));
    let note = "note: no command ran in these turns\nnote: ab000000:1 is the last turn before them with one\n";
    assert!(none.starts_with(note), "{none}");
    assert_eq!(
        next(&none),
        r#"next: show(id: "ab000000:1", only: "commands")"#
    );
    let none = client.call("show", json!({"id": "ab000000:0", "only": "edits"}));
    assert_eq!(next(&none), r#"next: show(id: "ab000000:0", brief: true)"#);
    let refused = client.refuse("show", json!({"id": "ab000000", "only": "thoughts"}));
    assert!(
        refused.contains("unknown variant `thoughts`, expected one of"),
        "{refused}"
    );
}
