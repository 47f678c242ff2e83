//! Rules that keep out less than those before, and removals that no rule asks for.

use crate::exclusions::{records_path, refresh_excluding};
use crate::home::{Home, session_id, turns, word};
use crate::state::found;
use session_forget::{ExcludeSettings, ExcludedSession, Exclusions, ForgottenRecords};

fn excluding(project: &str) -> ExcludeSettings {
    ExcludeSettings {
        projects: vec![project.to_owned()],
        ..ExcludeSettings::default()
    }
}

#[test]
fn what_a_narrower_rule_no_longer_keeps_out_is_read_again() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    let elsewhere = turns(1, 0, 1).replace("/home/ann/app", "/home/ann/apple");
    home.write(1, elsewhere.as_bytes());
    refresh_excluding(&home, &excluding("app*")).unwrap();
    assert_eq!(home.reader().sessions().unwrap(), []);
    let outcome = refresh_excluding(&home, &excluding("app")).unwrap();
    assert_eq!(outcome.files_read, 2);
    assert!(found(&home.reader(), &word(0, 0)).is_empty());
    assert_eq!(found(&home.reader(), &word(1, 0)).len(), 1);
    let outcome = refresh_excluding(&home, &excluding("app")).unwrap();
    assert_eq!(outcome.files_read, 0);
}

/// Another index was asked to forget it.
#[test]
fn projects_of_forgotten_sessions_are_not_those_of_a_rule() {
    let home = Home::new();
    home.write(0, turns(0, 0, 1).as_bytes());
    home.refresh();
    let records = ForgottenRecords::open(&records_path(&home)).unwrap();
    let settings = ExcludeSettings::default();
    let forgotten = ExcludedSession {
        source: "claude".to_owned(),
        id: session_id(0),
    };
    let exclusions = Exclusions::new(records, &settings).unwrap();
    exclusions.with_sessions(&[forgotten]).unwrap();
    let outcome = refresh_excluding(&home, &settings).unwrap();
    assert_eq!(outcome.removed.sessions, 1);
    assert_eq!(outcome.removed_projects, [""; 0]);
}
