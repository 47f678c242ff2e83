//! Completion of typed filters.

use proptest::prelude::*;
use session_core::{FileStamp, KnownTurns, SessionMeta, Turn};
use session_query::{
    Completion, FilterField, FilterValues, TypedQuery, complete, find_open_filter,
};
use session_store::{Reader, SessionRow, Writer};

fn session(agent: &str, project: &str, branch: &str) -> SessionRow {
    SessionRow {
        source: agent.into(),
        project: Some(project.into()),
        branch: Some(branch.into()),
        ..SessionRow::default()
    }
}

fn values() -> FilterValues {
    let owned = |values: &[&str]| values.iter().map(ToString::to_string).collect();
    FilterValues {
        agents: owned(&["claude", "opencode"]),
        projects: owned(&[".", "web app", "app", "a\"b c", "Homelab"]),
        branches: owned(&["main", "fix/main"]),
        branch_sessions: vec![
            session("claude", "/home/ann/app", "main"),
            session("opencode", "/srv/web app", "fix/main"),
        ],
    }
}

/// Checks the completion at `|`: the part that is replaced, then the candidates.
fn check(typed: &str, expected: &str) {
    let cursor = typed.find('|').unwrap();
    let text = typed.replace('|', "");
    let found = complete(&text, cursor, &values());
    let written = found.map_or(String::new(), |Completion { span, candidates }| {
        assert_eq!(span.end, cursor, "{typed}");
        format!("{} -> {}", &text[span], candidates.join(", "))
    });
    assert_eq!(written, expected, "{typed}");
}

#[test]
fn names_of_fields_are_completed() {
    check("docker age|", "age -> agent:");
    check("-pro|", "-pro -> -project:");
    check(
        "-|",
        "- -> -agent:, -project:, -branch:, -file:, -since:, -until:, -before:, -when:",
    );
    check("age| docker", "age -> agent:");
    for typed in [
        "docker w|",
        "lantern br|",
        "s|",
        "fix the project|",
        "agent|",
    ] {
        check(typed, "");
    }
    check("docker|", "");
    check("docker |", "");
    check("|", "");
    check("\"an a| b\"", "");
}

#[test]
fn values_are_completed() {
    check("x agent:|", "agent: -> agent:claude, agent:opencode");
    check("agent:op|", "agent:op -> agent:opencode");
    check("-branch:ma|", "-branch:ma -> -branch:main");
    check("branch:/|", "branch:/ -> branch:fix/main");
    check("agent:c|laude", "agent:c -> agent:claude");
    check("agent:claude|", "");
    check("agent:nobody|", "");
    check("file:|", "");
    check("since:1|", "since:1 -> since:1d, since:1w, since:1mo");
}

#[test]
fn a_filter_is_known_while_its_value_is_typed() {
    for (typed, field, value) in [
        ("file:", FilterField::File, ""),
        ("lamp -file:src/m", FilterField::File, "src/m"),
        ("file:\"my f", FilterField::File, "my f"),
        ("x agent:nobody", FilterField::Agent, "nobody"),
    ] {
        let open = find_open_filter(typed).unwrap();
        assert_eq!((open.field, open.value.as_str()), (field, value), "{typed}");
    }
    for other in ["", "file", "file:a ", "file:\"a b\"", "file:///a"] {
        assert_eq!(find_open_filter(other), None, "{other}");
    }
}

#[test]
fn branches_are_those_of_sessions_that_other_filters_let_through() {
    check(
        "project:app branch:|",
        "branch: -> branch:main, branch:fix/main",
    );
    check("project:/home/ann branch:|", "branch: -> branch:main");
    check("branch:| agent:opencode", "branch: -> branch:fix/main");
    check("-agent:opencode branch:m|", "branch:m -> branch:main");
    check("agent:nobody branch:m|", "branch:m -> branch:main");
    check("project:nowhere branch:|", "");
}

#[test]
fn values_with_spaces_are_quoted() {
    check("project:APP|", "project:APP -> project:app");
    check("project:we|", "project:we -> project:\"web app\"");
    check("project:\"web a|", "project:\"web a -> project:\"web app\"");
    check(
        "project:\"|",
        "project:\" -> project:., project:\"web app\", project:app, project:Homelab",
    );
    check("project:\"web app\"|", "");
}

#[test]
fn the_times_that_are_proposed_can_be_used() {
    let now = || "2026-03-31T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
    let times = complete("since:", 6, &values()).unwrap().candidates;
    for time in times {
        let query = TypedQuery::parse(&time);
        assert!(query.clauses(now).is_ok_and(|c| c.len() == 1), "{time}");
    }
}

#[test]
fn values_are_read_from_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(folder.path()).unwrap();
    for (n, agent, project, branch) in [
        (1, "opencode", "/home/ann/app", "main"),
        (2, "claude", "/srv/home lab", "topic"),
        (3, "claude", "/home/ann/app", "bad\u{1b}[0m"),
    ] {
        let file = writer.upsert_file(agent, &format!("/h/{n}")).unwrap();
        let meta = SessionMeta {
            id: format!("s{n}"),
            project: Some(project.into()),
            ..SessionMeta::default()
        };
        let session = writer
            .open_session(file, agent, &meta, KnownTurns::Replace)
            .unwrap();
        let turn = Turn {
            prompt: "Something to say.".into(),
            branch: Some(branch.into()),
            started_ms: Some(n),
            ended_ms: Some(n),
            ..Turn::default()
        };
        writer.add_turn(session, &turn).unwrap();
        writer.checkpoint(file, "", FileStamp::default()).unwrap();
    }
    writer.commit().unwrap();
    let index = Reader::open(folder.path()).unwrap();
    let values = FilterValues::read(&index, &index.sessions().unwrap()).unwrap();
    assert_eq!(values.agents, ["claude", "opencode"]);
    assert_eq!(values.projects, ["app", "home lab"]);
    let folder = std::env::current_dir().unwrap();
    let here = [session("claude", folder.to_str().unwrap(), "main")];
    let projects = FilterValues::read(&index, &here).unwrap().projects;
    assert_eq!(projects, [".", "session-query"]);
    assert_eq!(values.branches, ["topic", "main"]);
    let query = "agent:opencode branch:";
    let found = complete(query, query.len(), &values).unwrap();
    assert_eq!(found.candidates, ["branch:main"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_completed_value_is_read_back(
        before in "[a-z \"\u{e9}]{0,4}",
        word in "-?(agent|project|branch|since):\"?[a-z]{0,2}",
        cursor in 0usize..24,
    ) {
        let text = format!("{before} {word}");
        let _ = complete(&text, cursor, &values());
        let Some(completion) = complete(&text, text.len(), &values()) else {
            return Ok(());
        };
        for candidate in completion.candidates {
            let completed = format!("{}{candidate}", &text[..completion.span.start]);
            let filters = TypedQuery::parse(&completed).conditions;
            prop_assert_eq!(filters.len(), 1, "{}", completed);
            prop_assert!(candidate.contains(&filters[0].value));
        }
    }
}
