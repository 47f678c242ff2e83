//! A temporary home directory.

use crate::claude::ClaudeTranscript;
use crate::files::set_modified;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

/// 2026-01-01, in seconds since 1970: when the first file is written.
const EPOCH_S: u64 = 1_767_225_600;

/// Directories of a program's user as they are without variables everywhere but on Windows.
const UNIX_DIRECTORIES: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// A temporary directory with a home directory in it, deleted when it is dropped. Files written
/// through it are a second apart, in the order of writing.
pub struct TestHome {
    directory: tempfile::TempDir,
    clock: Cell<u64>,
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TestHome {
    /// Makes an empty home.
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs_err::create_dir(directory.path().join("home")).unwrap();
        Self {
            directory,
            clock: Cell::new(EPOCH_S),
        }
    }

    /// Returns the directory that the home directory stands in.
    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Returns a path beside the home directory.
    pub fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    /// Returns a path in the home directory.
    pub fn home(&self, path: &str) -> PathBuf {
        self.path("home").join(path)
    }

    /// Writes a file, and makes it a second newer than the last one.
    pub fn write(&self, path: &Path, content: impl AsRef<[u8]>) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
        self.clock.set(self.clock.get() + 1);
        set_modified(path, UNIX_EPOCH + Duration::from_secs(self.clock.get()));
    }

    /// Writes a session of Claude Code where that program would.
    pub fn write_transcript(&self, transcript: &ClaudeTranscript) -> PathBuf {
        let path = self.home(&transcript.path_in_home());
        self.write(&path, transcript.text());
        path
    }

    /// Gives a command this home, and of this process's environment `PATH` alone.
    pub fn isolate(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path(""))
            .env("TZ", "UTC")
            .env("COLUMNS", "100")
            .current_dir(self.path("home"));
        if cfg!(windows) {
            command.env("USERPROFILE", self.path("home"));
            for (variable, path) in UNIX_DIRECTORIES {
                command.env(variable, self.home(path));
            }
            command.env("TMP", self.path(""));
            let system = std::env::var_os("SystemRoot"); // without it no socket opens
            command.envs(system.map(|path| ("SystemRoot", path)));
        }
    }
}
