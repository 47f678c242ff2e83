//! Which sessions and turns are found.

use crate::library::{Library, QUERY, cosine, ids, meta, place, turn};
use session_core::{SessionMeta, ToolCall, Turn, TurnPart};
use session_search::{
    FilterClause, FilterCondition, FusionMode, Level, ProjectPattern, SearchFilter, SearchRequest,
};
use session_store::SessionId;

fn at(index: u32, time: i64, prompt: &str) -> Turn {
    Turn {
        started_ms: Some(time),
        ended_ms: Some(time + 10),
        ..turn(index, prompt)
    }
}

fn edits(file: &str) -> Vec<TurnPart> {
    vec![TurnPart::Call(ToolCall {
        name: "Edit".into(),
        files: vec![file.into()],
        ..ToolCall::default()
    })]
}

/// Two turns of `main`, one of another agent and project, one of a subagent.
fn four() -> Library {
    let mut library = Library::new();
    let near = Some(cosine(0.75));
    let main = SessionMeta {
        cwd: Some("/home/ann/app/api".into()),
        project: Some("/home/ann/app".into()),
        branch: Some("main".into()),
        ..meta("main")
    };
    let on_topic = Turn {
        branch: Some("topic".into()),
        parts: edits("/home/ann/app/src/Bridge.rs"),
        ..at(1, 2000, "Now give the docker bridge another address.")
    };
    let first = at(0, 1000, "Why is the docker network of the tests slow?");
    library.add("claude", &main, &[(first, near), (on_topic, near)], near);
    let lab = SessionMeta {
        cwd: Some("/srv/homelab".into()),
        ..meta("ses_lab")
    };
    let asked = at(0, 5000, "Restart every docker container of the shelf.");
    library.add("opencode", &lab, &[(asked, near)], near);
    let agent = SessionMeta {
        parent: Some("main".into()),
        cwd: Some("/home/ann/app".into()),
        ..meta("agent-1")
    };
    let task = at(0, 1500, "List all files that mention docker in some way.");
    library.add("claude", &agent, &[(task, near)], near);
    library
}

/// Sorted places that are found, the same by either list.
fn found(library: &Library, level: Level, filter: &SearchFilter) -> Vec<String> {
    let by = |fusion| {
        let request = SearchRequest {
            level,
            filter: filter.clone(),
            fusion,
            ..SearchRequest::new("docker")
        };
        let results = library.search(&request, Some(QUERY));
        let mut places: Vec<String> = results
            .hits
            .iter()
            .map(|h| match level {
                Level::Session => h.session.uid.clone(),
                Level::Turn => format!("{}:{}", place(h).0, place(h).1.unwrap()),
            })
            .collect();
        places.sort();
        places
    };
    let words = by(FusionMode::LexicalOnly);
    assert_eq!(by(FusionMode::DenseOnly), words, "{filter:?}");
    assert_eq!(by(FusionMode::Fixed(0.5)), words, "{filter:?}");
    words
}

fn check(filter: SearchFilter, expected: &str) {
    let library = four();
    let turns = found(&library, Level::Turn, &filter);
    assert_eq!(turns.join(" "), expected, "{filter:?}");
    let mut sessions: Vec<&str> = turns
        .iter()
        .filter_map(|t| Some(t.split_once(':')?.0))
        .collect();
    sessions.dedup();
    assert_eq!(
        found(&library, Level::Session, &filter),
        sessions,
        "{filter:?}"
    );
}

#[test]
fn sessions_without_a_turn_that_passes_are_not_counted() {
    let library = four();
    let count = |clauses: Vec<FilterClause>| {
        let request = SearchRequest {
            filter: all_of(clauses),
            ..SearchRequest::new("docker")
        };
        library.search(&request, None).searched.sessions
    };
    assert_eq!(count(Vec::new()), 3);
    assert_eq!(count(vec![only(branch("topic"))]), 1);
    assert_eq!(count(vec![only(file("src/bridge"))]), 1);
    assert_eq!(count(vec![only(file("lib.rs"))]), 0);
    assert_eq!(count(vec![not(file("src/bridge"))]), 3);
}

const ALL: &str = "agent-1:0 main:0 main:1 ses_lab:0";

#[test]
fn subagents_are_found_when_asked_for() {
    check(SearchFilter::default(), "main:0 main:1 ses_lab:0");
    let includes_subagents = true;
    check(
        SearchFilter {
            includes_subagents,
            ..SearchFilter::default()
        },
        ALL,
    );
}

/// A filter with these clauses that includes subagents.
fn all_of(clauses: Vec<FilterClause>) -> SearchFilter {
    SearchFilter {
        clauses,
        includes_subagents: true,
        ..SearchFilter::default()
    }
}

fn only(condition: FilterCondition) -> FilterClause {
    FilterClause::new(condition)
}

fn not(condition: FilterCondition) -> FilterClause {
    FilterClause {
        negated: true,
        ..only(condition)
    }
}

fn project(name: &str) -> FilterCondition {
    FilterCondition::Project(ProjectPattern::Part(name.into()))
}

fn agent(name: &str) -> FilterCondition {
    FilterCondition::Agent(name.into())
}

fn branch(name: &str) -> FilterCondition {
    FilterCondition::Branch(name.into())
}

fn file(name: &str) -> FilterCondition {
    FilterCondition::File(name.into())
}

/// Asserts the turns that pass a condition, and those that pass its negation.
fn check_both(condition: FilterCondition, holds: &str, fails: &str) {
    check(all_of(vec![only(condition.clone())]), holds);
    check(all_of(vec![not(condition)]), fails);
}

#[test]
fn each_condition_filters() {
    check_both(project("app"), "agent-1:0 main:0 main:1", "ses_lab:0");
    check_both(
        project("/home/ann/app/api"),
        "main:0 main:1",
        "agent-1:0 ses_lab:0",
    );
    check_both(project("HomeLab"), "ses_lab:0", "agent-1:0 main:0 main:1");
    check_both(project("nowhere"), "", ALL);
    let folder = |path: &str| FilterCondition::Project(ProjectPattern::Folder(path.into()));
    check_both(
        folder("/home/ann/app"),
        "agent-1:0 main:0 main:1",
        "ses_lab:0",
    );
    check_both(folder("/home/ann/ap"), "", ALL);
    check_both(agent("opencode"), "ses_lab:0", "agent-1:0 main:0 main:1");
    check_both(branch("main"), "main:0", "agent-1:0 main:1 ses_lab:0");
    check_both(branch("topic"), "main:1", "agent-1:0 main:0 ses_lab:0");
    check_both(branch("top"), "", ALL);
    check_both(file("src/bridge"), "main:1", "agent-1:0 main:0 ses_lab:0");
    check_both(file("lib.rs"), "", ALL);
}

/// As a compiler, a mention or a diff writes it. What is found as typed has no other meaning.
#[test]
fn a_pasted_path_filters() {
    for typed in ["src/bridge.rs:12", "@src/bridge.rs#L3", "`b/src/bridge.rs`"] {
        check_both(file(typed), "main:1", "agent-1:0 main:0 ses_lab:0");
    }
    check_both(file("lib.rs:12"), "", ALL);
    let mut library = four();
    let near = Some(cosine(0.75));
    for (id, path) in [
        ("node", "/app/@types/node.d.ts"),
        ("lamp", "/app/types/lamp.d.ts"),
    ] {
        let told = Turn {
            parts: edits(path),
            ..at(0, 1000, "Which types has the docker client?")
        };
        library.add("claude", &meta(id), &[(told, near)], near);
    }
    let filter = all_of(vec![only(file("@types/"))]);
    assert_eq!(found(&library, Level::Turn, &filter), ["node:0"]);
}

#[test]
fn times_filter() {
    let (since, until) = (FilterCondition::since, FilterCondition::until);
    check_both(since(2000), "main:1 ses_lab:0", "agent-1:0 main:0");
    check_both(until(1500), "main:0", "agent-1:0 main:1 ses_lab:0");
    check_both(since(9000), "", ALL);
    check_both(until(1), "", ALL);
    let within = |since_ms, until_ms| FilterCondition::Time { since_ms, until_ms };
    let (inner, outer) = ("agent-1:0 main:0", "main:1 ses_lab:0");
    check_both(within(Some(1000), Some(1501)), inner, outer);
    check_both(within(Some(2000), None), outer, inner);
    check_both(within(None, Some(1501)), inner, outer);
    check_both(within(None, None), ALL, "");
    let between = vec![only(since(1000)), only(until(1501))];
    check(all_of(between), "agent-1:0 main:0");
    let outside = FilterClause {
        conditions: vec![since(5000), until(1001)],
        negated: false,
    };
    check(all_of(vec![outside]), "main:0 ses_lab:0");
}

#[test]
fn one_alternative_of_a_clause_is_enough() {
    let any = |conditions: Vec<FilterCondition>| FilterClause {
        conditions,
        negated: false,
    };
    let none = |conditions: Vec<FilterCondition>| FilterClause {
        conditions,
        negated: true,
    };
    let branches = || vec![branch("main"), branch("topic")];
    check(all_of(vec![any(branches())]), "main:0 main:1");
    check(all_of(vec![none(branches())]), "agent-1:0 ses_lab:0");
    let projects = || vec![project("api"), project("homelab")];
    check(all_of(vec![any(projects())]), "main:0 main:1 ses_lab:0");
    check(all_of(vec![none(projects())]), "agent-1:0");
    check(
        all_of(vec![any(projects()), none(vec![file("bridge")])]),
        "main:0 ses_lab:0",
    );
    check(
        all_of(vec![only(project("app")), only(agent("opencode"))]),
        "",
    );
}

#[test]
fn sessions_are_chosen_and_left_out_by_number() {
    let library = four();
    let sessions = library.reader().sessions().unwrap();
    let number = |uid: &str| sessions.iter().find(|s| s.uid == uid).unwrap().id;
    let alone = |uid: &str| SearchFilter {
        only_sessions: vec![number(uid)],
        ..SearchFilter::default()
    };
    check(alone("ses_lab"), "ses_lab:0");
    check(alone("agent-1"), "agent-1:0");
    let excluded_sessions = vec![number("main")];
    check(
        SearchFilter {
            excluded_sessions,
            ..SearchFilter::default()
        },
        "ses_lab:0",
    );
    let excluded_sessions = vec![number("main")];
    check(
        SearchFilter {
            excluded_sessions,
            ..alone("main")
        },
        "",
    );
}

#[test]
fn all_conditions_must_hold() {
    let with = |agent_name: &str, until: i64| SearchFilter {
        clauses: vec![
            only(project("app")),
            only(agent(agent_name)),
            only(branch("topic")),
            only(file("bridge")),
            only(FilterCondition::since(1)),
            only(FilterCondition::until(until)),
        ],
        ..SearchFilter::default()
    };
    check(with("claude", 3000), "main:1");
    check(with("opencode", 3000), "");
    check(with("claude", 1999), "");
}

/// A turn, and its copy in a fork that went to another folder.
fn forked() -> (Library, SessionId) {
    let mut library = Library::new();
    let at_home = |id: &str, cwd: &str| SessionMeta {
        cwd: Some(cwd.into()),
        ..meta(id)
    };
    let asked = || Turn {
        origin: Some("m1".into()),
        ..at(0, 1000, "Why is the docker network of the tests slow?")
    };
    let told = [(asked(), Some(cosine(0.75)))];
    let first = library.add("claude", &at_home("first", "/home/ann/app"), &told, None);
    let copy = [(asked(), None)];
    library.add("claude", &at_home("fork", "/home/ann/fork"), &copy, None);
    (library, first)
}

#[test]
fn a_copy_is_shown_where_its_owner_is_filtered_out() {
    let (library, _) = forked();
    for level in [Level::Turn, Level::Session] {
        let all = found(&library, level, &SearchFilter::default());
        assert!(all.len() == 1 && all[0].starts_with("first"), "{all:?}");
        let filter = SearchFilter {
            clauses: vec![only(project("fork"))],
            ..SearchFilter::default()
        };
        let filtered = found(&library, level, &filter);
        assert!(filtered.len() == 1 && filtered[0].starts_with("fork"));
    }
}

#[test]
fn a_copy_in_a_living_history_is_shown_before_one_that_is_gone() {
    let (mut library, first) = forked();
    library.lose(first);
    assert_eq!(
        found(&library, Level::Turn, &SearchFilter::default()),
        ["fork:0"]
    );
}

#[test]
fn a_filtered_hit_adds_nothing_to_the_confidence() {
    let library = four();
    let filter = SearchFilter {
        clauses: vec![only(project("homelab"))],
        ..SearchFilter::default()
    };
    let request = SearchRequest {
        filter,
        ..SearchRequest::new("docker bridge")
    };
    let results = library.search(&request, None);
    assert_eq!(ids(&results), ["ses_lab"]);
    // It holds one of the two words; the turn that holds both is left out.
    assert!(results.explanation.weights.lexical.confidence < 0.5);
    assert_eq!(results.searched.sessions, 1);
}
