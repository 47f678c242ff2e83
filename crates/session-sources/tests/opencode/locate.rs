//! Where histories are found, and what tells that they changed.

use crate::fixture::{Home, age, assistant, insert, opencode, read, session, text, user};
use fs_err as fs;
use session_core::FileStamp;
use session_sources::Env;
#[cfg(unix)]
use session_test::files::make_fifo as make_pipe;
use std::path::Path;

/// Paths found, relative to the home folder, in alphabetical order.
fn found(home: &Home, env: &Env) -> Vec<String> {
    let listing = opencode().locate(env);
    assert_eq!(listing.warnings, []);
    let mut paths: Vec<String> = listing
        .locations
        .iter()
        .map(|l| {
            l.path
                .strip_prefix(home.0.path())
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/")
        })
        .collect();
    paths.sort();
    paths
}

fn touch(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "").unwrap();
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let home = Home::new();
    assert!(found(&home, &home.env()).is_empty());
    assert!(found(&home, &Env::with_home(Path::new("/nonexistent"))).is_empty());
}

#[test]
fn databases_and_the_tree_are_found() {
    let home = Home::new();
    for name in [
        "opencode.db",
        "opencode-dev.db",
        "opencode.db-wal",
        "auth.json",
        "kilo.db",
        "storage/session/x/y.json",
    ] {
        touch(&home.data().join(name));
    }
    assert_eq!(
        found(&home, &home.env()),
        [
            ".local/share/opencode/opencode-dev.db",
            ".local/share/opencode/opencode.db",
            ".local/share/opencode/storage",
        ]
    );
}

#[test]
fn variables_name_the_folder_and_the_database() {
    let home = Home::new();
    for path in [
        "data/opencode/opencode.db",
        "data/opencode/mine.sqlite",
        "else/other.db",
    ] {
        touch(&home.0.path().join(path));
    }
    let data = home.0.path().join("data");
    let env = home.env().var("XDG_DATA_HOME", data.to_str().unwrap());
    let with = |name: &str| found(&home, &env.clone().var("OPENCODE_DB", name));
    assert_eq!(found(&home, &env), ["data/opencode/opencode.db"]);
    assert_eq!(
        with("mine.sqlite"),
        ["data/opencode/mine.sqlite", "data/opencode/opencode.db"]
    );
    assert_eq!(with("opencode.db"), ["data/opencode/opencode.db"]);
    assert_eq!(with(":memory:"), ["data/opencode/opencode.db"]);
    let other = home.0.path().join("else/other.db");
    assert_eq!(
        with(other.to_str().unwrap()),
        ["data/opencode/opencode.db", "else/other.db"]
    );
}

#[cfg(unix)]
#[test]
fn a_file_is_found_once() {
    let home = Home::new();
    touch(&home.database());
    std::os::unix::fs::symlink(home.database(), home.data().join("opencode-link.db")).unwrap();
    assert_eq!(found(&home, &home.env()).len(), 1);
}

fn stamp(home: &Home) -> FileStamp {
    opencode().locate(&home.env()).locations[0].stamp
}

#[test]
fn a_database_changes_with_its_log_and_not_by_being_read() {
    let home = Home::new();
    let db = home.connect();
    let before = stamp(&home);
    insert(&db, &session("ses_a", vec![user(vec![text("Hello.")])]));
    let after = stamp(&home);
    assert!(after.size > before.size && after.mtime_ns >= before.mtime_ns);
    assert_eq!(after.inode, before.inode);
    db.close().unwrap();
    let closed = stamp(&home);
    read(&home.database());
    assert_eq!(stamp(&home), closed);
}

#[test]
fn a_tree_changes_with_its_sessions_and_messages() {
    let home = Home::new();
    let mut messages = vec![user(vec![text("Hello.")])];
    home.write_tree(&session("ses_a", messages.clone()));
    age(&home.tree());
    let before = stamp(&home);
    assert_eq!(stamp(&home), before);
    messages.push(assistant(vec![text("Hi.")]));
    home.write_tree(&session("ses_a", messages));
    assert_ne!(stamp(&home), before);
}

/// The answer is written into its file when it is complete: no name comes or goes.
#[test]
fn a_tree_changes_with_its_last_message() {
    let home = Home::new();
    let messages = vec![user(vec![text("Hello.")]), assistant(vec![text("Hi.")])];
    home.write_tree(&session("ses_a", messages));
    let before = stamp(&home);
    let folder = home.tree().join("message/ses_a");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let last = files.max().unwrap();
    let complete = fs::read_to_string(&last).unwrap() + "\n";
    fs::write(&last, complete).unwrap();
    assert_ne!(stamp(&home), before);
}

/// The one warning, and how many places were found beside it.
fn faulty(env: &Env) -> (std::path::PathBuf, String, usize) {
    let listing = opencode().locate(env);
    let [warning] = listing.warnings.as_slice() else {
        panic!("{:?}", listing.warnings)
    };
    let (path, reason) = (warning.path.clone(), warning.reason.clone());
    (path, reason, listing.locations.len())
}

#[test]
fn a_database_that_the_user_named_should_be_there() {
    let home = Home::new();
    touch(&home.database());
    let (path, folder) = (home.data().join("missing.db"), home.data().join("folder"));
    let named = |name: &str| faulty(&home.env().var("OPENCODE_DB", name));
    let reason = "OPENCODE_DB names a file that does not exist".to_owned();
    assert_eq!(named("missing.db"), (path, reason, 1));
    fs::create_dir(&folder).unwrap();
    let reason = "is a folder, not a database".to_owned();
    assert_eq!(named("folder"), (folder, reason, 1));
}

#[test]
fn a_folder_named_like_a_database_is_a_warning() {
    let home = Home::new();
    let folder = home.data().join("opencode-folder.db");
    fs::create_dir_all(&folder).unwrap();
    let reason = "is a folder, not a database".to_owned();
    assert_eq!(faulty(&home.env()), (folder, reason, 0));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let home = Home::new();
    fs::create_dir_all(home.data()).unwrap();
    make_pipe(&home.database());
    let other = home.0.path().join("pipe");
    make_pipe(&other);
    let reason = "is not a regular file".to_owned();
    assert_eq!(faulty(&home.env()), (home.database(), reason, 0));
    let env = home.env().var("OPENCODE_DB", other.to_str().unwrap());
    assert_eq!(opencode().locate(&env).warnings.len(), 2);
    let found = read(&home.database());
    assert_eq!((found.sessions.len(), found.warnings.len()), (0, 1));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_tree_is_not_waited_for() {
    let home = Home::new();
    home.write_tree(&session("ses_a", vec![user(vec![text("Hello.")])]));
    make_pipe(&home.data().join("opencode-pipe.db"));
    make_pipe(&home.data().join("storage/message/ses_a/msg_b.json"));
    let found = read(&home.data().join("storage"));
    assert_eq!((found.turns.len(), found.warnings.len()), (1, 1));
}

/// Its sessions may have moved there: the tree is to be read again.
#[test]
fn a_database_beside_a_tree_changes_the_stamp_of_the_tree() {
    let home = Home::new();
    home.write_tree(&session("ses_a", vec![user(vec![text("Hello.")])]));
    let tree = |home: &Home| {
        let found = opencode().locate(&home.env()).locations;
        let tree = found
            .into_iter()
            .find(|location| location.path == home.tree());
        tree.unwrap().stamp
    };
    let before = tree(&home);
    drop(home.connect());
    assert_ne!(tree(&home), before);
}

/// Its sessions are not gone.
#[cfg(unix)]
#[test]
fn a_tree_that_cannot_be_looked_at_is_told() {
    let home = Home::new();
    fs::create_dir(home.tree()).unwrap();
    session_test::files::make_unlistable(&home.tree().join("session"));
    let warnings = opencode().locate(&home.env()).warnings;
    assert_eq!(warnings[0].path, home.tree());
    assert!(warnings[0].reason.starts_with("cannot be listed: "));
}
