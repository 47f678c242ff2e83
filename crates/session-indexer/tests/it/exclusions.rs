//! Exclusions of a refresh that fails before its end.

use crate::home::{Home, session_id, turns, word};
use crate::state::found;
use rusqlite::Connection;
use session_forget::{ExcludeSettings, Exclusions, ForgottenRecords, MARKER, MarkedSession};
use session_indexer::{
    IndexError, ReadPolicy, RefreshMode, RefreshOptions, RefreshOutcome, refresh,
};
use std::path::PathBuf;

fn records_path(home: &Home) -> PathBuf {
    home.root().with_file_name("forgotten.json")
}

fn exclusions(home: &Home, settings: &ExcludeSettings) -> Exclusions {
    let records = ForgottenRecords::open(&records_path(home)).unwrap();
    Exclusions::new(records, settings).unwrap()
}

fn refresh_excluding(
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

fn marked_turns(n: usize) -> String {
    turns(n, 0, 1).replace("on my machine?", MARKER)
}

/// The cursor that is stored would pass the marker, which nothing reads again.
#[test]
fn a_marked_session_stays_out_where_its_mark_could_not_be_written() {
    let home = Home::new();
    home.write(0, marked_turns(0).as_bytes());
    home.write(1, turns(1, 0, 1).as_bytes());
    let settings = ExcludeSettings::default();
    let obstacle = records_path(&home).with_extension("lock");
    fs_err::create_dir(&obstacle).unwrap();
    refresh_excluding(&home, &settings).unwrap_err();
    fs_err::remove_dir(&obstacle).unwrap();
    refresh_excluding(&home, &settings).unwrap();
    let index = home.reader();
    assert!(found(&index, &word(0, 0)).is_empty());
    assert_eq!(found(&index, &word(1, 0)).len(), 1);
    let records = ForgottenRecords::open(&records_path(&home)).unwrap();
    assert_eq!(records.entries().len(), 1);
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
    let forgotten = MarkedSession {
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
    let exclusions = exclusions(home, settings).keeping_gone_sessions();
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
    let projects = |project: &str| ExcludeSettings {
        projects: vec![project.into()],
        ..ExcludeSettings::default()
    };
    for variable in [
        [patterns(&["."]), patterns(&["[a-z]"])],
        [projects("app"), projects("ann/app")],
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
    assert_eq!(outcome.places_unread, 1);
    let titles = home.reader().unheld_titles().unwrap();
    assert_eq!(titles, [""; 0]);
}
