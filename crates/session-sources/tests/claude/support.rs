//! A home folder with one project, and turns as compact text.

use crate::turns::rendered;
use session_core::{FileStamp, SessionMeta, Turn, TurnSpan};
use session_sources::{
    CollectingSink, Cursor, Env, IndexedSpan, Listing, Location, PathSession, Source, find_source,
};
use std::path::{Path, PathBuf};

pub const SESSION: &str = "7a1e0c52-0000-4000-8000-000000000001";

pub fn claude() -> &'static dyn Source {
    find_source("claude").unwrap()
}

/// A home folder that is deleted when it is dropped.
pub struct Home(tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn env(&self) -> Env {
        Env::with_home(self.0.path())
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Path of a file in the project's folder.
    pub fn project(&self, path: &str) -> PathBuf {
        self.path(".claude/projects/-home-ann-app").join(path)
    }

    pub fn write(&self, path: &Path, content: impl AsRef<[u8]>) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    pub fn locate(&self) -> Listing {
        claude().locate(&self.env())
    }
}

/// One main session's file, to be read again and again.
pub struct Transcript {
    home: Home,
    path: PathBuf,
}

impl Transcript {
    pub fn new(content: impl AsRef<[u8]>) -> Self {
        Self::named(&format!("{SESSION}.jsonl"), content)
    }

    pub fn named(name: &str, content: impl AsRef<[u8]>) -> Self {
        let home = Home::new();
        let path = home.project(name);
        home.write(&path, content);
        Self { home, path }
    }

    pub fn write(&self, content: impl AsRef<[u8]>) {
        self.home.write(&self.path, content);
    }

    pub fn home(&self) -> &Home {
        &self.home
    }

    pub fn location(&self) -> Location {
        let stem = self.path.file_stem().unwrap().to_str().unwrap().to_owned();
        let path_session = PathSession {
            session: Some(stem),
            parent: None,
        };
        Location {
            path: self.path.clone(),
            stamp: FileStamp::default(),
            path_session,
            continuations: Vec::new(),
        }
    }

    pub fn read(&self, from: Option<&Cursor>) -> CollectingSink {
        let mut collected = CollectingSink::default();
        claude().read(&self.location(), from, &mut collected);
        collected
    }

    /// Turns in full, by the spans that an index would hold.
    pub fn show(&self, found: &CollectingSink) -> Vec<Turn> {
        let spans: Vec<_> = found
            .turns
            .iter()
            .filter(|collected| collected.turn.span != TurnSpan::default())
            .map(|collected| IndexedSpan::from(&collected.turn))
            .collect();
        let shown = claude().show(&self.path, found.sessions.first().unwrap(), &spans);
        assert_eq!(shown.warnings, [], "every turn that was read can be shown");
        shown.turns
    }
}

#[cfg(unix)]
pub use session_test::files::make_fifo as make_pipe;

/// Content of a file in `tests/fixtures/claude`.
pub fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude");
    fs_err::read(folder.join(name)).unwrap()
}

/// Reads a transcript as the index does.
pub fn indexed(content: impl AsRef<[u8]>) -> String {
    let found = Transcript::new(content).read(None);
    rendered(found.turns.iter().map(|collected| &collected.turn))
}

/// Reads a transcript as `show` does.
pub fn shown(content: impl AsRef<[u8]>) -> String {
    let transcript = Transcript::new(content);
    let found = transcript.read(None);
    rendered(&transcript.show(&found))
}

/// The session that a content tells of.
pub fn meta(content: impl AsRef<[u8]>) -> SessionMeta {
    Transcript::new(content)
        .read(None)
        .sessions
        .pop()
        .unwrap_or_default()
}
