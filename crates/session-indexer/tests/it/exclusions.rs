//! Exclusions of a refresh that fails before its end.

use crate::home::{Home, prompts, session_id, title, turns, word};
use crate::state::found;
use rusqlite::Connection;
use session_forget::{
    ExcludeSettings, ExcludedSession, Exclusions, ForgetReason, ForgetRequest, ForgetTarget,
    ForgottenRecords, MARKER,
};
use session_indexer::{
    IndexError, ReadPolicy, RefreshMode, RefreshOptions, RefreshOutcome, refresh,
};
use session_store::Writer;
use std::path::PathBuf;

pub fn records_path(home: &Home) -> PathBuf {
    home.root().with_file_name("forgotten.json")
}

pub fn exclusions(home: &Home, settings: &ExcludeSettings) -> Exclusions {
    let records = ForgottenRecords::open(&records_path(home)).unwrap();
    Exclusions::new(records, settings).unwrap()
}

pub fn refresh_excluding(
    home: &Home,
    settings: &ExcludeSettings,
) -> Result<RefreshOutcome, IndexError> {
    let policy = ReadPolicy {
        exclusions: exclusions(home, settings),
        ..ReadPolicy::default()
    };
    refresh(&RefreshOptions {
        policy,
        ..home.options()
    })
}

pub fn marked_turns(n: usize) -> String {
    turns(n, 0, 1).replace("on my machine?", MARKER)
}

/// It waited for the lock while another process forgot something.
#[test]
fn an_index_that_is_built_anew_leaves_out_what_was_forgotten_meanwhile() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.write(1, turns(1, 0, 1).as_bytes());
    home.refresh();
    let settings = ExcludeSettings::default();
    let before = exclusions(&home, &settings);
    let forgotten = ExcludedSession {
        source: "claude".into(),
        id: session_id(0),
    };
    before.with_sessions(&[forgotten]).unwrap();
    let db = Connection::open(home.root().join("index.db")).unwrap();
    db.pragma_update(None, "user_version", 3).unwrap();
    drop(db);
    let options = RefreshOptions {
        mode: RefreshMode::Full,
        policy: ReadPolicy {
            exclusions: before,
            ..ReadPolicy::default()
        },
        ..home.options()
    };
    assert!(refresh(&options).unwrap().old_database.is_some());
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
    assert_eq!(found(&home.reader(), &word(1, 0)).len(), 1);
}

/// Runs a refresh that fails at a statement on a table of the index.
fn refresh_failing_at(home: &Home, statement: &str, settings: &ExcludeSettings) {
    let db = Connection::open(home.root().join("index.db")).unwrap();
    let trigger =
        format!("CREATE TRIGGER fails BEFORE {statement} BEGIN SELECT RAISE(ABORT, 'test'); END");
    db.execute_batch(&trigger).unwrap();
    refresh_excluding(home, settings).unwrap_err();
    db.execute_batch("DROP TRIGGER fails").unwrap();
}

/// An index that noted fewer exclusions before it lost its cursors would never read the histories again.
#[test]
fn what_is_no_longer_excluded_is_read_again_after_a_failure() {
    let none = ExcludeSettings::default();
    for statement in ["DELETE ON cursors", "INSERT ON settings"] {
        let home = Home::new();
        home.write(0, turns(0, 0, 1).as_bytes());
        home.write(1, turns(1, 0, 1).as_bytes());
        let excluding = ExcludeSettings {
            patterns: vec![word(0, 0)],
            ..ExcludeSettings::default()
        };
        refresh_excluding(&home, &excluding).unwrap();
        assert!(found(&home.reader(), &word(0, 0)).is_empty());
        refresh_failing_at(&home, statement, &none);
        refresh_excluding(&home, &none).unwrap();
        assert_eq!(
            found(&home.reader(), &word(0, 0)).len(),
            1,
            "after a failed {statement}"
        );
    }
}

/// The pattern matches what comes later: then the beginning, which is indexed, goes as well.
#[test]
fn a_turn_that_goes_on_with_what_is_excluded_is_left_out() {
    let home = Home::new();
    let whole = turns(0, 0, 1);
    let (begun, _) = whole.trim_end().rsplit_once('\n').unwrap();
    let excluding = ExcludeSettings {
        patterns: vec!["gives up".into()],
        ..ExcludeSettings::default()
    };
    home.write(0, format!("{begun}\n").as_bytes());
    refresh_excluding(&home, &excluding).unwrap();
    assert_eq!(found(&home.reader(), &word(0, 0)).len(), 1);
    home.write(0, whole.as_bytes());
    refresh_excluding(&home, &excluding).unwrap();
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
    let more = whole.lines().last().unwrap().replace("gives up", "stops");
    home.write(0, format!("{whole}{more}\n").as_bytes());
    refresh_excluding(&home, &excluding).unwrap();
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
}

fn refresh_by_variable(home: &Home, settings: &ExcludeSettings) {
    let exclusions = exclusions(home, settings).keeping_unrecoverable();
    let policy = ReadPolicy {
        exclusions,
        ..ReadPolicy::default()
    };
    let options = RefreshOptions {
        policy,
        ..home.options()
    };
    assert!(refresh(&options).unwrap().is_complete());
}

/// A project can set variables, and nothing else holds what a history lost.
#[test]
fn what_a_history_lost_is_kept_where_a_variable_excludes_it() {
    let patterns = |patterns: &[&str]| ExcludeSettings {
        patterns: patterns.iter().map(|&pattern| pattern.into()).collect(),
        ..ExcludeSettings::default()
    };
    for variable in [
        [patterns(&["."]), patterns(&["[a-z]"])],
        [
            excluding_projects(&["app"]),
            excluding_projects(&["ann/app"]),
        ],
    ] {
        let home = Home::new();
        for n in 0..3 {
            home.write(n, turns(n, 0, 3).as_bytes());
        }
        home.refresh();
        home.write(0, turns(0, 0, 1).as_bytes());
        fs_err::remove_file(home.transcript(1)).unwrap();
        for settings in &variable {
            refresh_by_variable(&home, settings);
            let index = home.reader();
            for (n, turn) in [(0, 1), (0, 2), (1, 0), (1, 2)] {
                assert_eq!(found(&index, &word(n, turn)).len(), 1, "{n} {turn}");
            }
            assert!(found(&index, &word(2, 0)).is_empty());
        }
        home.refresh();
        let index = home.reader();
        for (n, turn) in [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 2)] {
            let hits = found(&index, &word(n, turn));
            assert_eq!(hits.len(), 1, "{n} {turn} {variable:?}");
        }
    }
}

/// Another transcript gives the title.
#[test]
fn the_title_of_what_is_excluded_stays_out_beside_a_database_that_is_locked() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let summary = r#"{"type":"summary","summary":"Harbour works","leafUuid":"b0-0"}"#;
    home.write(1, format!("{summary}\n{}", turns(1, 0, 1)).as_bytes());
    let db = home.database();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let excluding = ExcludeSettings {
        patterns: vec![word(0, 0)],
        ..ExcludeSettings::default()
    };
    let outcome = refresh_excluding(&home, &excluding).unwrap();
    assert_eq!(outcome.unreadable_paths, 1);
    let titles = home.reader().unheld_titles().unwrap();
    assert_eq!(titles, [""; 0]);
}

/// Forgets a turn of a session.
pub fn forget_turn(home: &Home, n: usize, turn: u32) {
    let mut writer = Writer::open(&home.root()).unwrap();
    let index = writer.reader().unwrap();
    let sessions = index.sessions().unwrap();
    let session = sessions.iter().find(|s| s.uid == session_id(n)).unwrap();
    let request = ForgetRequest {
        targets: vec![ForgetTarget {
            session: session.id,
            turns: Some(turn..=turn),
        }],
        ..ForgetRequest::default()
    };
    let plan = request.plan(index).unwrap();
    let exclusions = exclusions(home, &ExcludeSettings::default());
    let reason = ForgetReason::Turns;
    let outcome = plan.forget_and_purge(&mut writer, &exclusions, reason, "");
    outcome.unwrap();
}

/// Returns the cursors of an index.
pub fn cursors(home: &Home) -> String {
    let index = home.reader();
    let files = index.files().unwrap().into_iter();
    let cursors = files.filter_map(|file| index.cursor(file.id).unwrap());
    cursors.collect()
}

fn titles(home: &Home) -> Vec<String> {
    let sessions = home.reader().sessions().unwrap().into_iter();
    sessions.filter_map(|session| session.title).collect()
}

/// Its file has more each time, and its subagent's names it.
#[test]
fn nothing_of_a_marked_session_is_remembered_by_later_refreshes() {
    let home = Home::new();
    let marked = marked_turns(0) + &title("Harbour works");
    home.write_prompts(&prompts(0, 1));
    let folder = home.transcript(0).with_extension("").join("subagents");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("agent-a1.jsonl"), turns(1, 0, 1)).unwrap();
    for count in 1..4 {
        home.write(0, (marked.clone() + &turns(0, 1, count)).as_bytes());
        refresh_excluding(&home, &ExcludeSettings::default()).unwrap();
        let index = home.reader();
        assert_eq!(index.sessions().unwrap(), []);
        let paths = index.files().unwrap().into_iter().map(|file| file.path);
        let remembered = cursors(&home) + &paths.collect::<String>();
        assert!(!remembered.contains(&session_id(0)), "{remembered}");
        assert!(!remembered.contains("Harbour"), "{remembered}");
    }
}

#[test]
fn a_cursor_of_an_excluded_project_has_no_title() {
    let home = Home::new();
    home.write(0, (turns(0, 0, 1) + &title("Harbour works")).as_bytes());
    let renamed = prompts(0, 1).replace("Why does", "/rename Harbour");
    home.write_prompts(&(prompts(0, 1) + &renamed));
    refresh_excluding(&home, &excluding_projects(&["app"])).unwrap();
    let remembered = cursors(&home);
    assert!(!remembered.contains("Harbour"), "{remembered}");
    assert!(!remembered.contains(&session_id(0)), "{remembered}");
}

/// Agents make a title of the first prompt, and another one later, or for a fork.
#[test]
fn a_session_whose_first_turn_is_forgotten_gets_no_title() {
    let home = Home::new();
    home.write(0, turns(0, 0, 2).as_bytes());
    home.refresh();
    forget_turn(&home, 0, 0);
    let named = turns(0, 0, 2) + &title("Harbour works");
    home.write(0, named.as_bytes());
    let none = ExcludeSettings::default();
    refresh_excluding(&home, &none).unwrap();
    let fork = turns(0, 0, 1) + &title("Harbour works (fork)") + &turns(1, 1, 1);
    home.write(1, fork.as_bytes());
    refresh_excluding(&home, &none).unwrap();
    let grown = fork + &title("Harbour works on") + &turns(1, 2, 1);
    home.write(1, grown.as_bytes());
    refresh_excluding(&home, &none).unwrap();
    for mode in [RefreshMode::Changes, RefreshMode::Full] {
        let options = RefreshOptions {
            mode,
            policy: ReadPolicy {
                exclusions: exclusions(&home, &none),
                ..ReadPolicy::default()
            },
            ..home.options()
        };
        refresh(&options).unwrap();
        let titles = titles(&home);
        assert!(titles.iter().all(|t| !t.contains("Harbour")), "{titles:?}");
        assert_eq!(titles.len(), 2);
        assert!(!cursors(&home).contains("Harbour"));
        assert!(found(&home.reader(), "harbour").is_empty());
    }
    let mut records = ForgottenRecords::open(&records_path(&home)).unwrap();
    assert!(records.remove(1).unwrap());
    refresh_excluding(&home, &none).unwrap();
    assert_eq!(titles(&home), ["Harbour works", "Harbour works on"]);
}

#[test]
fn a_title_stays_where_another_turn_than_the_first_is_forgotten() {
    let home = Home::new();
    home.write(0, (turns(0, 0, 2) + &title("Harbour works")).as_bytes());
    home.refresh();
    forget_turn(&home, 0, 1);
    refresh_excluding(&home, &ExcludeSettings::default()).unwrap();
    assert_eq!(titles(&home), ["Harbour works"]);
}

fn excluding_projects(projects: &[&str]) -> ExcludeSettings {
    ExcludeSettings {
        projects: projects.iter().map(|&project| project.into()).collect(),
        ..ExcludeSettings::default()
    }
}

/// A session that is removed may be the last copy.
#[test]
fn a_rule_that_is_part_of_a_name_removes_nothing() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.refresh();
    fs_err::remove_file(home.transcript(0)).unwrap();
    for rule in [
        "ap",
        "nn/app",
        "/home/ann/ap",
        "/ann/app",
        "/home/ann/app/web",
    ] {
        let outcome = refresh_excluding(&home, &excluding_projects(&[rule])).unwrap();
        assert_eq!(outcome.removed.sessions, 0, "{rule}");
        assert_eq!(found(&home.reader(), &word(0, 0)).len(), 1, "{rule}");
    }
    let outcome = refresh_excluding(&home, &excluding_projects(&["ap*"])).unwrap();
    assert_eq!(outcome.removed.sessions, 1);
    assert_eq!(outcome.removed_projects, ["/home/ann/app"]);
    assert_eq!(outcome.removed_sessions.len(), 1);
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
}

/// A worktree that is gone tells no project.
#[test]
fn subagents_of_an_excluded_project_stay_out_wherever_they_work() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let folder = home.transcript(0).with_extension("").join("subagents");
    fs_err::create_dir_all(&folder).unwrap();
    let elsewhere = turns(1, 0, 1).replace("/home/ann/app", "/srv/wt7");
    fs_err::write(folder.join("agent-a1.jsonl"), elsewhere).unwrap();
    home.refresh();
    assert_eq!(found(&home.reader(), &word(1, 0)).len(), 1);
    refresh_excluding(&home, &excluding_projects(&["ann/app"])).unwrap();
    assert_eq!(home.reader().sessions().unwrap(), []);
    refresh_excluding(&home, &excluding_projects(&["kiln"])).unwrap();
    assert_eq!(home.reader().sessions().unwrap().len(), 2);
}

/// It was indexed before its session, which is never. That of a file that is gone is not read.
#[test]
fn a_subagent_leaves_the_index_once_its_session_is_known_to_be_excluded() {
    let elsewhere =
        |n: usize, count: usize| turns(n, 0, count).replace("/home/ann/app", "/srv/wt7");
    for has_grown in [true, false] {
        let home = Home::new();
        let folder = home.transcript(0).with_extension("").join("subagents");
        fs_err::create_dir_all(&folder).unwrap();
        let files = ["agent-a1.jsonl", "agent-a2.jsonl"].map(|name| folder.join(name));
        for (n, file) in (1..).zip(&files) {
            fs_err::write(file, elsewhere(n, 1)).unwrap();
        }
        refresh_excluding(&home, &excluding_projects(&["ann/app"])).unwrap();
        assert_eq!(home.reader().sessions().unwrap().len(), 2);
        home.write(0, turns(0, 0, 1).as_bytes());
        fs_err::remove_file(&files[1]).unwrap();
        let settings = if has_grown {
            fs_err::write(&files[0], elsewhere(1, 2)).unwrap();
            excluding_projects(&["ann/app"])
        } else {
            excluding_projects(&["ann/app", "kiln"])
        };
        let outcome = refresh_excluding(&home, &settings).unwrap();
        assert_eq!(outcome.removed.sessions, 1, "{has_grown}");
        let index = home.reader();
        assert!(found(&index, &word(1, 0)).is_empty(), "{has_grown}");
        assert_eq!(found(&index, &word(2, 0)).len(), 1, "{has_grown}");
        let outcome = refresh_excluding(&home, &settings).unwrap();
        assert_eq!((outcome.removed.sessions, outcome.files_read), (0, 0));
        home.refresh();
        assert_eq!(found(&home.reader(), &word(1, 0)).len(), 1);
    }
}

/// Nothing else says that the turns are no longer in the file.
#[test]
fn a_variable_keeps_a_subagent_that_its_history_no_longer_gives() {
    let home = Home::new();
    let elsewhere = |count: usize| turns(1, 0, count).replace("/home/ann/app", "/srv/wt7");
    let folder = home.transcript(0).with_extension("").join("subagents");
    fs_err::create_dir_all(&folder).unwrap();
    let file = folder.join("agent-a1.jsonl");
    fs_err::write(&file, elsewhere(3)).unwrap();
    home.refresh();
    home.write(0, turns(0, 0, 1).as_bytes());
    fs_err::write(&file, elsewhere(1)).unwrap();
    refresh_by_variable(&home, &excluding_projects(&["ann/app"]));
    assert_eq!(found(&home.reader(), &word(1, 2)).len(), 1);
}

/// Also where the index no longer holds them.
#[test]
fn a_cursor_loses_sessions_of_excluded_paths_when_exclusions_are_applied() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let renamed = prompts(0, 1).replace("Why does", "/rename Harbour");
    home.write_prompts(&(prompts(0, 1) + &renamed));
    home.refresh();
    let index = home.reader();
    let files = index.files().unwrap().into_iter();
    let mut of_prompts = files.filter(|file| file.path.ends_with("history.jsonl"));
    let file = of_prompts.next().unwrap();
    let cursor = index.cursor(file.id).unwrap().unwrap();
    assert!(cursor.contains(&session_id(0)) && cursor.contains("Harbour"));
    let mut paths = vec!["-home-ann-app".into()];
    for rule in ["kiln", "lantern"] {
        let settings = ExcludeSettings {
            paths: paths.clone(),
            ..ExcludeSettings::default()
        };
        refresh_excluding(&home, &settings).unwrap();
        let remembered = cursors(&home);
        assert!(!remembered.contains(&session_id(0)), "{rule}: {remembered}");
        assert!(!remembered.contains("Harbour"), "{rule}: {remembered}");
        let mut writer = Writer::open(&home.root()).unwrap();
        writer.checkpoint(file.id, &cursor, file.stamp).unwrap();
        writer.commit().unwrap();
        paths.push(rule.into());
    }
}

/// Of the other session the history of prompts is all that is left.
#[test]
fn a_history_of_prompts_tells_no_session_whose_path_is_excluded() {
    let home = Home::new();
    home.write_prompts(&(prompts(0, 2) + &prompts(1, 1)));
    let excluding = ExcludeSettings {
        paths: vec!["-home-ann-app".into()],
        ..ExcludeSettings::default()
    };
    refresh_excluding(&home, &excluding).unwrap();
    assert_eq!(found(&home.reader(), &word(0, 1)).len(), 1);
    home.write(0, turns(0, 0, 1).as_bytes());
    home.write_prompts(&(prompts(0, 3) + &prompts(1, 2)));
    for mode in [RefreshMode::Changes, RefreshMode::Full] {
        let options = RefreshOptions {
            mode,
            policy: ReadPolicy {
                exclusions: exclusions(&home, &excluding),
                ..ReadPolicy::default()
            },
            ..home.options()
        };
        refresh(&options).unwrap();
        let sessions = home.reader().sessions().unwrap();
        let ids: Vec<String> = sessions.into_iter().map(|session| session.uid).collect();
        assert_eq!(ids, [session_id(1)]);
        assert!(!cursors(&home).contains(&session_id(0)));
    }
    home.refresh();
    assert!(cursors(&home).contains(&session_id(0)));
    refresh_excluding(&home, &excluding).unwrap();
    assert!(!cursors(&home).contains(&session_id(0)));
}

/// An old transcript has a paste where it was typed, and an old history of prompts no ids.
#[test]
fn a_prompt_with_a_paste_is_forgotten_with_its_turn() {
    let home = Home::new();
    let asked = format!("Why does {} not start on my machine?", word(0, 0));
    let prompt = r"Lamp one\nLamp two of the harbour, why?";
    home.write(0, turns(0, 0, 2).replace(&asked, prompt).as_bytes());
    home.refresh();
    forget_turn(&home, 0, 0);
    let line = prompts(0, 1).replace(&asked, "[Pasted text #1] of the harbour, why?");
    let paste = r#""pastedContents":{"1":{"content":"Lamp one\nLamp two"}}"#;
    let line = line.replace(r#""pastedContents":{}"#, paste);
    let id = format!(r#","sessionId":"{}""#, session_id(0));
    assert!(line.contains(&id) && line.contains(paste), "{line}");
    home.write_prompts(&line.replace(&id, ""));
    refresh_excluding(&home, &ExcludeSettings::default()).unwrap();
    assert!(found(&home.reader(), "harbour").is_empty());
}
