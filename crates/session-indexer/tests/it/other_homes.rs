//! Homes of other machines come and go.

use crate::home::{Home, prompts, say, session_id, turns, word};
use crate::state::found;
use session_indexer::{RefreshOptions, RefreshOutcome, refresh};
use session_sources::Env;
use session_store::SessionRow;

/// The own home with session 0, and another one with a copy of it and session 1.
struct Machines {
    own: Home,
    other: Home,
}

impl Machines {
    fn new() -> Self {
        let (own, other) = (Home::new(), Home::new());
        own.write(0, turns(0, 0, 2).as_bytes());
        other.write(0, turns(0, 0, 1).as_bytes());
        other.write(1, turns(1, 0, 1).as_bytes());
        Self { own, other }
    }

    fn refresh(&self) -> RefreshOutcome {
        let env = Env {
            other_homes: vec![self.other.env().home],
            ..self.own.env()
        };
        refresh(&RefreshOptions::new(&self.own.root(), &env)).unwrap()
    }

    /// Each session: its id, whether it is elsewhere, and whether it is gone.
    fn sessions(&self) -> Vec<(String, bool, bool)> {
        let sessions = self.own.reader().sessions().unwrap();
        let told = |s: SessionRow| (s.uid, s.is_elsewhere, s.gone);
        sessions.into_iter().map(told).collect()
    }
}

#[test]
fn a_session_of_another_machine_is_found_and_known_as_one() {
    let machines = Machines::new();
    assert_eq!(machines.refresh().files_read, 2);
    let both = [(session_id(0), false, false), (session_id(1), true, false)];
    assert_eq!(machines.sessions(), both);
    let reader = machines.own.reader();
    assert_eq!(found(&reader, &word(1, 0)), [(session_id(1), 0)].into());
    assert_eq!(found(&reader, &word(0, 0)), [(session_id(0), 0)].into());
    assert_eq!(
        machines.refresh(),
        RefreshOutcome::default(),
        "nothing is left"
    );
    // Without the setting it is a history that is gone.
    machines.own.refresh();
    assert_eq!(machines.sessions()[1], (session_id(1), false, true));
}

#[test]
fn a_home_that_is_mounted_again_is_not_read_again() {
    let machines = Machines::new();
    machines.refresh();
    let path = machines.other.env().home;
    let away = path.with_extension("away");
    fs_err::rename(&path, &away).unwrap();
    let outcome = machines.refresh();
    assert_eq!((outcome.files_gone, outcome.files_read), (1, 0));
    assert_eq!(machines.sessions()[1], (session_id(1), true, true));
    assert_eq!(found(&machines.own.reader(), &word(1, 0)).len(), 1);
    assert_eq!(machines.refresh(), RefreshOutcome::default());
    fs_err::rename(&away, &path).unwrap();
    let outcome = machines.refresh();
    assert_eq!((outcome.files_read, outcome.turns), (0, 0));
    assert_eq!(machines.sessions()[1], (session_id(1), true, false));
}

#[test]
fn a_copy_takes_the_place_of_its_original() {
    let machines = Machines::new();
    machines.own.write(0, turns(0, 0, 1).as_bytes());
    machines.refresh();
    fs_err::remove_file(machines.own.transcript(0)).unwrap();
    let outcome = machines.refresh();
    assert_eq!(
        (outcome.turns, outcome.files_gone),
        (0, 0),
        "it is the same"
    );
    assert_eq!(machines.sessions()[0], (session_id(0), true, false));
    // It comes back, and the copy goes.
    machines.own.write(0, turns(0, 0, 2).as_bytes());
    machines.refresh();
    let own: Vec<_> = machines.sessions();
    let own: Vec<_> = own.iter().filter(|s| s.0 == session_id(0)).collect();
    assert_eq!(own, [&(session_id(0), false, false)]);
    assert_eq!(found(&machines.own.reader(), &word(0, 0)).len(), 1);
}

/// A database is one history: its sessions that the own one holds are not told twice.
#[test]
fn sessions_of_a_copied_database_are_held_once() {
    let machines = Machines::new();
    for (n, home) in [&machines.own, &machines.other].into_iter().enumerate() {
        let db = home.database();
        say(
            &db,
            "ses_a",
            1,
            "user",
            "Where are the settings of the harbour?",
        );
        if n == 1 {
            say(&db, "ses_b", 2, "user", "Who lights the lanterns?");
        }
    }
    machines.refresh();
    let sessions = machines.sessions();
    let stored = |id: &str| sessions.iter().filter(|s| s.0 == id).collect::<Vec<_>>();
    assert_eq!(stored("ses_a"), [&("ses_a".into(), false, false)]);
    assert_eq!(stored("ses_b"), [&("ses_b".into(), true, false)]);
    assert_eq!(found(&machines.own.reader(), "harbour").len(), 1);
    assert_eq!(
        machines.refresh(),
        RefreshOutcome::default(),
        "nothing is left"
    );
}

/// A session that was resumed on both machines has turns in each that the other lacks.
#[test]
fn what_another_machine_went_on_with_is_found_beside_the_longer_own_session() {
    let machines = Machines::new();
    machines.own.write(0, turns(0, 0, 3).as_bytes());
    let other = turns(0, 0, 1) + &turns(0, 7, 1);
    machines.other.write(0, other.as_bytes());
    machines.refresh();
    let ends = [(session_id(0), false, false), (session_id(0), true, false)];
    assert_eq!(machines.sessions()[..2], ends);
    for turn in [2, 7] {
        assert_eq!(found(&machines.own.reader(), &word(0, turn)).len(), 1);
    }
    assert_eq!(machines.refresh(), RefreshOutcome::default());
    // Once the own session holds that, too, the other one is a copy.
    let all = turns(0, 0, 3) + &turns(0, 7, 1);
    machines.own.write(0, all.as_bytes());
    machines.refresh();
    let of_session = |(id, ..): &&(String, bool, bool)| *id == session_id(0);
    let left: Vec<_> = machines.sessions();
    let left: Vec<_> = left.iter().filter(of_session).collect();
    assert_eq!(left, [&(session_id(0), false, false)]);
    // What it goes on with is read with all before it.
    let longer = other + &turns(0, 8, 1);
    machines.other.write(0, longer.as_bytes());
    machines.refresh();
    let rows = machines.own.reader().sessions().unwrap();
    let other = rows
        .iter()
        .find(|row| row.uid == session_id(0) && row.is_elsewhere);
    assert_eq!(other.unwrap().turns, 3);
}

/// As a packed file that holds more than the unpacked copy: only the turns show it.
#[test]
fn a_copy_that_is_no_beginning_is_read_once_and_deleted() {
    let machines = Machines::new();
    machines.own.write(0, turns(0, 0, 3).as_bytes());
    machines.other.write(0, turns(0, 1, 1).as_bytes());
    assert_eq!(machines.refresh().files_read, 3);
    let both = [(session_id(0), false, false), (session_id(1), true, false)];
    let mut sessions = machines.sessions();
    sessions.sort();
    assert_eq!(sessions, both);
    assert_eq!(machines.refresh(), RefreshOutcome::default());
}

#[test]
fn an_own_database_that_came_after_its_copy_holds_its_sessions() {
    let machines = Machines::new();
    let words = "Where are the settings of the harbour?";
    say(&machines.other.database(), "ses_a", 1, "user", words);
    machines.refresh();
    say(&machines.own.database(), "ses_a", 1, "user", words);
    machines.refresh();
    let sessions = machines.sessions();
    let stored: Vec<_> = sessions.iter().filter(|s| s.0 == "ses_a").collect();
    assert_eq!(stored, [&("ses_a".into(), false, false)]);
    assert_eq!(found(&machines.own.reader(), "harbour").len(), 1);
}

/// Each home has a database and a history of prompts of the same names.
#[test]
fn a_home_that_is_away_is_not_the_one_that_came() {
    let [own, first, second] = [(); 3].map(|()| Home::new());
    for (home, session, n) in [(&first, "ses_a", 0), (&second, "ses_b", 1)] {
        say(
            &home.database(),
            session,
            1,
            "user",
            "Where is the harbour?",
        );
        home.write_prompts(&prompts(n, 1 + n));
    }
    let refresh_with = |homes: &[&Home]| {
        let other_homes = homes.iter().map(|home| home.env().home).collect();
        let env = Env {
            other_homes,
            ..own.env()
        };
        refresh(&RefreshOptions::new(&own.root(), &env)).unwrap()
    };
    let paths = || {
        let mut files = own.reader().files().unwrap();
        files.sort_by_key(|file| file.id);
        files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    refresh_with(&[&first]);
    let of_first = paths();
    let path = first.env().home;
    let away = path.with_extension("away");
    fs_err::rename(&path, &away).unwrap();
    let outcome = refresh_with(&[&first, &second]);
    assert_eq!((outcome.files_read, outcome.files_gone), (2, 2));
    assert_eq!(paths()[..2], of_first, "they are where they were");
    fs_err::rename(&away, &path).unwrap();
    assert_eq!(refresh_with(&[&first, &second]).files_read, 0);
    let sessions = own.reader().sessions().unwrap();
    assert!(sessions.iter().all(|session| !session.gone));
}

#[test]
fn a_database_that_moved_is_not_read_again() {
    let (own, other) = (Home::new(), Home::new());
    say(
        &other.database(),
        "ses_a",
        1,
        "user",
        "Where is the harbour?",
    );
    let refresh_with = |home: std::path::PathBuf| {
        let env = Env {
            other_homes: vec![home],
            ..own.env()
        };
        refresh(&RefreshOptions::new(&own.root(), &env)).unwrap()
    };
    let path = other.env().home;
    refresh_with(path.clone());
    let moved = path.with_extension("moved");
    fs_err::rename(&path, &moved).unwrap();
    assert_eq!(refresh_with(moved.clone()).files_read, 0);
    assert_eq!(own.reader().files().unwrap().len(), 1);
    fs_err::rename(&moved, &path).unwrap();
}

#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_entered_is_one_place_and_keeps_its_sessions() {
    let machines = Machines::new();
    machines.refresh();
    let path = machines.other.env().home;
    let away = path.with_extension("away");
    fs_err::rename(&path, &away).unwrap();
    session_test::files::make_unlistable(&path);
    for _ in 0..2 {
        let outcome = machines.refresh();
        assert_eq!((outcome.files_gone, outcome.unreadable_paths), (0, 1));
    }
    assert_eq!(machines.sessions()[1], (session_id(1), true, false));
    let problems = machines.own.reader().problems().unwrap();
    assert_eq!((problems.len(), problems[0].count), (1, 1));
    fs_err::remove_file(&path).unwrap();
    fs_err::rename(&away, &path).unwrap();
}
