//! The index is for its owner's eyes; histories are never written to.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, docker, small};
use crate::opencode::OpenCodeHistory;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// All files and folders below a folder.
pub fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

#[cfg(unix)]
#[track_caller]
fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    let files = tree(folder);
    assert!(files.len() >= 4, "{files:?}");
    for path in files {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_the_index() {
    for umask in ["022", "0", "077"] {
        let env = TestEnvironment::new();
        env.write_transcript(&docker());
        let script = format!(
            "umask {umask}; exec '{}' index",
            env!("CARGO_BIN_EXE_session-search")
        );
        let mut shell = std::process::Command::new("sh");
        env.isolate(shell.arg("-c").arg(script));
        env.ran(shell.output().unwrap()).succeeded();
        // An open reader keeps the log and its index in being.
        let reader = session_store::Reader::open(&env.index("")).unwrap();
        assert_eq!(reader.sessions().unwrap().len(), 1);
        private(&env.index(""));
    }
}

/// A folder that was there before keeps its rights: it may hold other things.
#[cfg(unix)]
#[test]
fn a_folder_that_was_there_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnvironment::new();
    env.write_transcript(&docker());
    fs_err::create_dir(env.index("")).unwrap();
    let shared = std::fs::Permissions::from_mode(0o755);
    fs_err::set_permissions(env.index(""), shared).unwrap();
    env.run(&["index"]).succeeded();
    let mode = |name: &str| {
        fs_err::metadata(env.index(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (mode(""), mode("index.db"), mode("vectors")),
        (0o755, 0o600, 0o700)
    );
}

type Look = Vec<(PathBuf, Option<SystemTime>, Vec<u8>)>;

fn look(folder: &Path) -> Look {
    let look = |path: PathBuf| {
        let changed = fs_err::metadata(&path).unwrap().modified().ok();
        let content = if path.is_file() {
            fs_err::read(&path).unwrap()
        } else {
            Vec::new()
        };
        (path, changed, content)
    };
    tree(folder).into_iter().map(look).collect()
}

#[test]
fn no_command_changes_a_history() {
    let env = small();
    env.write(&env.home(".claude/settings.json"), "{}");
    let before = look(&env.path("home"));
    for args in [
        &["index"][..],
        &["index", "--full"],
        &["search", "docker"],
        &["search", "docker", "--depth", "2", "--json"],
        &["show", "a1"],
        &["show", "ses_4"],
        &["show", "ses_4", "--json", "--full"],
        &["export", "a1", "--json"],
        &["export", "ses_4", "--json"],
        &["files", "compose.yaml"],
        &["commands", "docker"],
        &["commands", "--failed"],
        &["digest", "2026-01-01.."],
        &["stats", "--days", "3650"],
        &["forget", "a1", "--dry-run"],
        &["forget", "ses_4", "--dry-run"],
        &["resume", "a1", "--print"],
        &["resume", "ses_4", "--print"],
        &["status"],
        &["demo"],
    ] {
        env.run(args).succeeded();
    }
    // What has nothing to tell looks at the histories, too.
    for args in [
        &["fix", "EMFILE: too many open files"][..],
        &["doctor"],
        &["hook", "status"],
        &["skill", "status"],
    ] {
        let ran = env.run(args);
        assert!(matches!(ran.code(), 0 | 1), "{ran}");
    }
    assert!(look(&env.path("home")) == before);
}

/// A write-ahead log that OpenCode has open stays as it is.
#[test]
fn a_history_in_use_is_left_alone() {
    let env = small();
    let db = OpenCodeHistory::open(&env);
    db.0.pragma_update(None, "journal_mode", "wal").unwrap();
    db.session(
        "ses_5",
        "/home/ann/planner",
        "Holidays",
        &[("Skip bank holidays", "Done.")],
    );
    let files = ["opencode.db", "opencode.db-wal"]
        .map(|name| OpenCodeHistory::path(&env).with_file_name(name));
    let read = || files.clone().map(|path| fs_err::read(path).unwrap());
    let before = read();
    assert!(!before[1].is_empty());
    assert_eq!(env.found(&["bank holidays", "--limit", "1"]), ["ses_5"]);
    for args in [
        &["show", "ses_5"][..],
        &["export", "ses_5", "--json"],
        &["resume", "ses_5", "--print"],
        &["doctor"],
    ] {
        let ran = env.run(args);
        assert!(matches!(ran.code(), 0 | 1), "{ran}");
    }
    assert!(read() == before);
}

#[test]
fn the_index_is_where_it_is_asked_to_be() {
    let env = TestEnvironment::new();
    env.write_transcript(&docker());
    let run = |name: &str, value: &Path| {
        let mut command = env.command();
        command
            .env_remove("SESSION_SEARCH_HOME")
            .env(name, value)
            .args(["search", "docker", "--json"]);
        env.ran(command.output().unwrap()).succeeded()
    };
    assert!(
        run("XDG_CACHE_HOME", &env.path("cache"))
            .stdout()
            .contains(DOCKER)
    );
    assert!(env.path("cache/session-search/index.db").is_file());
    assert!(
        run("SESSION_SEARCH_HOME", &env.path("deep/er/index"))
            .stdout()
            .contains(DOCKER)
    );
    assert!(env.path("deep/er/index/index.db").is_file());
    assert!(run("UNUSED", Path::new("")).stdout().contains(DOCKER));
    assert!(env.home(".cache/session-search/index.db").is_file());
}

#[test]
fn an_index_that_cannot_be_written_is_said() {
    let env = TestEnvironment::new();
    env.write_transcript(&docker());
    fs_err::write(env.path("index"), "a file where the folder should be").unwrap();
    let ran = env.run(&["search", "docker"]).exits(2);
    assert!(
        ran.stderr()
            .contains("is a file\nhint: name a folder by SESSION_SEARCH_HOME"),
        "{ran}"
    );
}
