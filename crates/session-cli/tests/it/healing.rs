//! Damage that a user can repair with a command, and folders that cannot be written.

#[cfg(unix)]
use crate::environment::Ran;
use crate::environment::TestEnvironment;
use crate::history::{DOCKER, WATCHER, docker, small};
use crate::opencode::OpenCodeHistory;
use rusqlite::Connection;
use session_store::Writer;
#[cfg(unix)]
use std::path::PathBuf;

fn database(env: &TestEnvironment) -> Connection {
    Connection::open(env.index("index.db")).unwrap()
}

#[test]
fn a_version_or_a_size_that_cannot_be_is_mended_by_a_full_index() {
    for damage in [
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -1",
        "UPDATE models SET dims = 4000000000",
        "UPDATE models SET dims = -3",
        "UPDATE models SET turn_rows = 4611686018427387904",
        "UPDATE models SET session_rows = -1",
    ] {
        let env = small();
        database(&env).execute_batch(damage).unwrap();
        for command in [
            ["search", "docker bridge"].as_slice(),
            &["status"],
            &["index"],
        ] {
            let ran = env.run(command);
            assert!(!ran.stderr().contains("panicked"), "{damage}: {ran}");
            if ran.code() == 2 {
                assert!(ran.stderr().contains("hint:"), "{damage}: {ran}");
            }
        }
        env.run(&["index", "--full"]).succeeded();
        assert!(
            env.found(&["docker bridge"]).contains(&DOCKER.to_owned()),
            "{damage}"
        );
        assert!(
            env.found(&["EMFILE"]).contains(&WATCHER.to_owned()),
            "{damage}"
        );
    }
}

/// SQLite sees nothing wrong with these.
#[test]
fn tables_that_contradict_each_other_are_mended_by_a_full_index() {
    for damage in [
        "UPDATE sessions SET title = CAST(x'61ff62' AS TEXT), revision = revision + 1 WHERE id = 1",
        "DELETE FROM sessions",
        "DELETE FROM turns",
        "PRAGMA user_version = 15",
    ] {
        let env = small();
        database(&env).execute_batch(damage).unwrap();
        env.run(&["index", "--full"]).succeeded();
        for (query, session) in [("docker bridge", DOCKER), ("EMFILE", WATCHER)] {
            let found = env.found(&[query]);
            assert!(found.contains(&session.to_owned()), "{damage}: {found:?}");
        }
    }
}

/// As an `index --full` leaves it that was killed at its beginning.
#[test]
fn sessions_without_a_cursor_are_searched_at_once() {
    let env = small();
    database(&env).execute("DELETE FROM cursors", []).unwrap();
    let writer = Writer::open(&env.index("")).unwrap();
    let found = env.found(&["docker bridge"]);
    assert!(found.contains(&DOCKER.to_owned()), "{found:?}");
    drop(writer);
}

/// Gives a tree to nobody, whom file modes hold; the superuser they do not.
#[cfg(unix)]
fn give_to_nobody(path: &std::path::Path) {
    let _ = std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY));
    for entry in fs_err::read_dir(path).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            give_to_nobody(&path)
        } else {
            drop(std::os::unix::fs::lchown(&path, Some(NOBODY), Some(NOBODY)))
        }
    }
}

#[cfg(unix)]
const NOBODY: u32 = 65534;

/// A user whom file modes hold, also where the superuser runs the tests. The environment belongs to them.
#[cfg(unix)]
struct UnprivilegedUser<'e> {
    env: &'e TestEnvironment,
    program: PathBuf,
    is_nobody: bool,
}

#[cfg(unix)]
impl<'e> UnprivilegedUser<'e> {
    fn new(env: &'e TestEnvironment) -> Self {
        // The program may stand where nobody gets to.
        let program = env.path("program");
        fs_err::copy(env!("CARGO_BIN_EXE_session-search"), &program).unwrap();
        let is_nobody = rustix::process::geteuid().is_root();
        if is_nobody {
            give_to_nobody(env.root());
        }
        Self {
            env,
            program,
            is_nobody,
        }
    }

    fn run(&self, args: &[&str]) -> Ran {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new(&self.program);
        self.env.isolate(command.args(args));
        command.current_dir(self.env.root());
        if self.is_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        self.env.ran(command.output().unwrap())
    }
}

/// Leaves a turn in the log of the index alone, as a process does that is killed while another one reads.
#[cfg(unix)]
fn leave_in_log(env: &TestEnvironment) {
    let reader = database(env);
    reader.execute_batch("BEGIN; SELECT id FROM files").unwrap();
    env.write_transcript(&docker().user("Renew the wildcard certificate"));
    env.run(&["index"]).succeeded();
    let files = ["index.db", "index.db-wal"].map(|name| env.index(name));
    let contents = files.each_ref().map(|path| fs_err::read(path).unwrap());
    drop(reader);
    for (path, content) in files.iter().zip(contents) {
        fs_err::write(path, content).unwrap();
    }
    let _ = fs_err::remove_file(env.index("index.db-shm"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_searched_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let env = small();
    leave_in_log(&env);
    let folder = env.index("");
    let set = |path: &std::path::Path, mode: u32| {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for name in ["index.db", "index.db-wal", "lock"] {
        set(&folder.join(name), 0o400);
    }
    set(&folder, 0o500);
    let user = UnprivilegedUser::new(&env);
    // A history that changed is left for later.
    let history = env.home(".claude/projects/-home-ann-homelab");
    let transcript = fs_err::read_dir(history)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let grown = fs_err::read_to_string(&transcript).unwrap() + "\n";
    fs_err::write(&transcript, grown).unwrap();
    let run = |args: &[&str]| user.run(args);
    for args in [
        ["search", "docker bridge"].as_slice(),
        &["show", DOCKER],
        &["status"],
        &["digest", "--when", "2026-01-15..2026-01-16"],
    ] {
        assert_eq!(run(args).code(), 0, "{args:?}: {}", run(args));
    }
    assert!(
        run(&["search", "docker bridge"])
            .stderr()
            .contains("cannot be written")
    );
    let logged = run(&["search", "wildcard certificate", "--keyword-only"]);
    assert!(logged.stdout().contains("wildcard"), "{logged}");
    let refused = run(&["index"]).exits(2);
    assert!(refused.stderr().contains("hint:"), "{refused}");
    set(&folder, 0o700);
}

/// A command that ran under `sudo` leaves such ones.
#[cfg(unix)]
#[test]
fn matrices_that_may_not_be_read_are_made_again() {
    use std::os::unix::fs::PermissionsExt;
    for part in 0..3 {
        let env = small();
        let vectors = env.index("vectors");
        let mut models = fs_err::read_dir(&vectors).unwrap();
        let model = models.next().unwrap().unwrap().path();
        let path = [vectors, model.clone(), model.join("turn.0.npy")][part].clone();
        let user = UnprivilegedUser::new(&env);
        fs_err::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
        let unread = user.run(&["search", "docker bridge", "--no-refresh"]);
        assert_eq!(unread.code(), 0, "{path:?}: {unread}");
        assert!(unread.stderr().contains("are lost"), "{path:?}: {unread}");
        for _ in 0..2 {
            let ran = user.run(&["search", "docker bridge", "--vector-only"]);
            assert_eq!((ran.code(), &*ran.stderr()), (0, ""), "{path:?}: {ran}");
        }
        assert_eq!(user.run(&["status"]).code(), 0, "{path:?}");
        // Its user deletes a file in a directory of their own; what a directory of another holds stays.
        let old = path.with_extension("old");
        assert_eq!(old.exists(), part < 2, "{path:?}");
        if old.exists() {
            fs_err::set_permissions(old, PermissionsExt::from_mode(0o700)).unwrap();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_an_error() {
    let env = small();
    let program = env!("CARGO_BIN_EXE_session-search");
    let mut shell = std::process::Command::new("sh");
    let script = format!("ulimit -f 8; exec '{program}' index --full");
    env.isolate(shell.args(["-c", &script]));
    let ran = env.ran(shell.output().unwrap()).exits(2);
    assert!(ran.stderr().starts_with("error: "), "{ran}");
    env.run(&["index", "--full"]).succeeded();
    assert!(env.found(&["docker bridge"]).contains(&DOCKER.to_owned()));
}

/// SQLite makes memory beside the database that its readers share, for which there is no room.
#[cfg(unix)]
#[test]
fn an_index_on_a_full_disk_is_searched() {
    let env = small();
    for end in ["-shm", "-wal"] {
        assert!(!env.index(&format!("index.db{end}")).exists());
    }
    let run = |arguments: &str| {
        let program = env!("CARGO_BIN_EXE_session-search");
        let mut shell = std::process::Command::new("sh");
        let script = format!("ulimit -f 1; exec '{program}' {arguments}");
        env.isolate(shell.args(["-c", &script]));
        env.ran(shell.output().unwrap())
    };
    let found = run("search 'docker bridge' --keyword-only").succeeded();
    assert!(found.stdout().contains("docker"), "{found}");
    run("status").succeeded();
    run("show a1").succeeded();
    let refused = run("index --full").exits(2);
    assert!(refused.stderr().contains("hint: free space"), "{refused}");
}

#[cfg(unix)]
#[test]
fn an_index_that_others_may_write_is_closed_to_them_and_said() {
    use std::os::unix::fs::PermissionsExt;
    let env = small();
    let folder = env.index("");
    fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let said = env.run(&["index"]).succeeded();
    assert!(said.stderr().contains("others could"), "{said}");
    let mode = fs_err::metadata(&folder).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
}

#[cfg(unix)]
#[test]
fn a_transcript_whose_name_is_not_utf8_is_named() {
    use std::os::unix::ffi::OsStrExt;
    let env = small();
    let folder = env.home(".claude/projects/-home-ann-homelab");
    let name = std::ffi::OsStr::from_bytes(b"a1\xff0000.jsonl");
    fs_err::write(folder.join(name), "{}\n").unwrap();
    env.run(&["index"]).succeeded();
    assert!(
        env.problems()
            .iter()
            .any(|problem| problem.contains("UTF-8")),
        "{:?}",
        env.problems()
    );
}

#[test]
fn a_closed_database_of_an_agent_is_read_without_a_file_beside_it() {
    let env = TestEnvironment::new();
    let history = OpenCodeHistory::open(&env);
    history.session(
        "ses_1",
        "/home/ann/kiln",
        "Kiln",
        &[("How hot is the kiln?", "A thousand degrees.")],
    );
    drop(history);
    let path = OpenCodeHistory::path(&env);
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "journal_mode", "WAL").unwrap();
    drop(db);
    let names = || -> Vec<std::ffi::OsString> {
        let entries = fs_err::read_dir(path.parent().unwrap()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    env.run(&["index"]).succeeded();
    assert!(env.found(&["kiln hot"]).contains(&"ses_1".to_owned()));
    assert_eq!(names(), before);
}

#[test]
fn a_view_in_the_place_of_a_table_is_not_read() {
    let env = TestEnvironment::new();
    drop(OpenCodeHistory::open(&env));
    let db = Connection::open(OpenCodeHistory::path(&env)).unwrap();
    db.execute_batch(
        "ALTER TABLE session RENAME TO kept;
         CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
           SELECT CAST(id AS TEXT) AS id FROM n",
    )
    .unwrap();
    drop(db);
    let mut command = env.command();
    command.arg("index");
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let ran = env
        .ran(crate::environment::output_in_time(command.spawn().unwrap()))
        .succeeded();
    assert!(
        env.problems()
            .iter()
            .any(|problem| problem.contains("no OpenCode tables")),
        "{ran}"
    );
}
