//! Where the index is, who may look into it, and who may write.

use crate::support::{Index, deliver, found, meta, turn};
#[cfg(not(windows))]
use session_store::default_root;
use session_store::{
    IndexLock, Reader, StoreError, Writer, cache_query_vector, delete_old_databases,
    delete_query_cache, old_databases,
};
use std::path::Path;

#[cfg(not(windows))]
#[test]
fn the_folder_is_the_users_cache_or_what_the_environment_says() {
    let root = |vars: &[(&str, &str)]| {
        let var = |name: &str| {
            let found = vars.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        default_root(Path::new("/home/ann"), var)
    };
    let home = Path::new("/home/ann/.cache/session-search");
    assert_eq!(root(&[]), home);
    assert_eq!(
        root(&[("SESSION_SEARCH_HOME", ""), ("XDG_CACHE_HOME", "")]),
        home
    );
    assert_eq!(root(&[("XDG_CACHE_HOME", "relative")]), home);
    assert_eq!(
        root(&[("XDG_CACHE_HOME", "/c")]),
        Path::new("/c/session-search")
    );
    let both = [("SESSION_SEARCH_HOME", "/x"), ("XDG_CACHE_HOME", "/c")];
    assert_eq!(root(&both), Path::new("/x"));
}

#[test]
fn there_is_one_writer_and_readers_do_not_wait_for_it() {
    let index = Index::new();
    let mut writer = index.writer();
    deliver(
        &mut writer,
        &meta("a"),
        &[turn(0, "Where is the port configured?", &[])],
    );
    writer.commit().unwrap();
    deliver(
        &mut writer,
        &meta("a"),
        &[turn(0, "Where is the socket made?", &[])],
    );
    let root = index.root().to_owned();
    let elsewhere = std::thread::spawn(move || {
        let second = [Writer::open(&root).err(), Writer::rebuild(&root).err()];
        let reader = Reader::open(&root).unwrap();
        let seen = ["port", "socket"].map(|word| found(&reader, word).len());
        (second, seen)
    });
    let (second, seen) = elsewhere.join().unwrap();
    for error in second {
        assert!(
            matches!(error, Some(StoreError::Locked { .. })),
            "{error:?}"
        );
    }
    assert_eq!(seen, [1, 0], "as it was at the last commit");
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(found(index.writer().reader().unwrap(), "socket").len(), 1);
}

/// Counts the locks that the system keeps on the database.
#[cfg(target_os = "linux")]
fn count_locks(index: &Index) -> usize {
    use std::os::unix::fs::MetadataExt;
    let inode = fs_err::metadata(index.root().join("index.db"))
        .unwrap()
        .ino();
    let locks = fs_err::read_to_string("/proc/locks").unwrap();
    let file = format!(":{inode} ");
    locks.lines().filter(|lock| lock.contains(&file)).count()
}

/// To close any descriptor of a file drops all locks that the process has on it, SQLite's too. What SQLite does then depends
/// on its version: from 3.51 on it looks for readers without a lock.
#[cfg(target_os = "linux")]
#[test]
fn a_reader_keeps_its_locks_when_a_writer_of_its_process_opens_and_closes() {
    let index = Index::new();
    drop(index.writer());
    let reader = index.reader();
    assert_eq!(found(&reader, "socket").len(), 0);
    let held = count_locks(&index);
    drop(index.writer());
    assert_eq!(count_locks(&index), held);
}

#[cfg(unix)]
#[test]
fn a_database_that_others_could_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let index = Index::new();
    drop(index.writer());
    let path = index.root().join("index.db");
    fs_err::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    drop(index.writer());
    let mode = fs_err::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_look_into_it() {
    use crate::support::embed;
    use std::os::unix::fs::PermissionsExt;
    let home = Index::new();
    let root = home.root().join("cache/session-search");
    let mut writer = Writer::open(&root).unwrap();
    deliver(
        &mut writer,
        &meta("a"),
        &[turn(0, "Where is the port configured?", &[])],
    );
    embed(&mut writer);
    writer.commit().unwrap();
    let mode = |path: &str| {
        let path = root.join(path);
        fs_err::metadata(path).unwrap().permissions().mode() & 0o777
    };
    for folder in ["..", ".", "vectors", "vectors/f00d"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    let files = [
        "lock",
        "index.db",
        "index.db-wal",
        "index.db-shm",
        "vectors/f00d/turn.0.npy",
        "vectors/f00d/session.0.npy",
    ];
    for file in files {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_users_share_is_left_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = PermissionsExt::from_mode(0o1777);
    fs_err::set_permissions(folder.path(), mode).unwrap();
    let error = Writer::open(folder.path()).err().unwrap();
    assert!(matches!(error, StoreError::Shared(_)), "{error}");
    let now = fs_err::metadata(folder.path()).unwrap().permissions();
    assert_eq!(now.mode() & 0o7777, 0o1777);
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 0);
}

/// A project can set variables: `SESSION_SEARCH_HOME` may name a folder of the user.
#[cfg(unix)]
#[test]
fn a_folder_with_files_of_the_user_is_left_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for file in ["report.md", "index.db.old", "queries/f00d/report.md"] {
        fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs_err::write(root.join(file), "mine").unwrap();
    }
    fs_err::set_permissions(root, PermissionsExt::from_mode(0o775)).unwrap();
    let errors = [
        Writer::open(root).err().unwrap(),
        Writer::rebuild(root).err().unwrap(),
        delete_old_databases(root).unwrap_err(),
        IndexLock::acquire_embedding(root).err().unwrap(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::ForeignDirectory(_)), "{error}");
        assert!(error.hint().is_some() && !error.needs_rebuild());
    }
    delete_query_cache(root).unwrap();
    assert_eq!(fs_err::read_dir(root).unwrap().count(), 3);
    assert!(root.join("queries/f00d/report.md").exists());
    let mode = fs_err::metadata(root).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o775);
}

#[test]
fn a_folder_that_is_empty_or_that_holds_a_lock_alone_becomes_an_index() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("lock"), "").unwrap();
    drop(Writer::open(folder.path()).unwrap());
    fs_err::write(folder.path().join("notes.txt"), "").unwrap();
    drop(Writer::open(folder.path()).unwrap());
    cache_query_vector(folder.path(), "f00d", "why", &[1.0]).unwrap();
    delete_query_cache(folder.path()).unwrap();
    assert!(!folder.path().join("queries").exists());
    drop(Writer::rebuild(folder.path()).unwrap());
    fs_err::write(folder.path().join("index.db.older"), "").unwrap();
    delete_old_databases(folder.path()).unwrap();
    assert!(old_databases(folder.path()).is_empty());
    assert!(folder.path().join("index.db.older").exists());
}
