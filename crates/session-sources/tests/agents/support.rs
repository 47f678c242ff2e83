//! A home folder with histories of one agent, and properties that hold of every source.

use crate::turns::{joined, rendered, sorted};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use session_core::{SessionMeta, Turn};
use session_sources::{
    CollectingSink, Cursor, Env, IndexedSpan, Listing, Location, ShownTurns, Source, find_source,
};
use std::path::{Path, PathBuf};

/// Returns the source of this name.
pub fn source(name: &str) -> &'static dyn Source {
    find_source(name).unwrap()
}

/// Joins values as lines of JSON.
pub fn lines(values: &[serde_json::Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// A home folder with histories of one agent. It is deleted when it is dropped.
pub struct AgentHome {
    pub source: &'static dyn Source,
    folder: tempfile::TempDir,
}

impl AgentHome {
    pub fn new(source: &'static dyn Source) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { source, folder }
    }

    /// Makes one with a file, whose path is from the home folder on.
    pub fn with(source: &'static dyn Source, path: &str, content: impl AsRef<[u8]>) -> Self {
        let home = Self::new(source);
        home.write(path, content);
        home
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    pub fn env(&self) -> Env {
        Env::with_home(self.folder.path())
    }

    pub fn locate(&self) -> Listing {
        self.source.locate(&self.env())
    }

    /// Paths of what is found, from the home folder on.
    pub fn found(&self) -> Vec<String> {
        let listing = self.locate();
        let below = |at: &Location| at.path.strip_prefix(self.folder.path()).unwrap().to_owned();
        let name = |path: PathBuf| path.display().to_string().replace('\\', "/");
        listing.locations.iter().map(|at| name(below(at))).collect()
    }

    /// Reads the one location that is found.
    pub fn read(&self, from: Option<&Cursor>) -> CollectingSink {
        let mut collected = CollectingSink::default();
        let listing = self.locate();
        if let Some(at) = listing.locations.first() {
            self.source.read(at, from, &mut collected);
        }
        collected
    }

    /// Reads all locations, each from its beginning.
    pub fn read_all(&self) -> Vec<CollectingSink> {
        let read = |at: &Location| {
            let mut collected = CollectingSink::default();
            self.source.read(at, None, &mut collected);
            collected
        };
        self.locate().locations.iter().map(read).collect()
    }

    /// Turns in full, by the spans that an index would hold.
    pub fn show(&self, found: &CollectingSink) -> Vec<Turn> {
        let shown = self.show_with_warnings(found);
        assert_eq!(shown.warnings, [], "every turn that was read can be shown");
        shown.turns
    }

    /// The same, with what cannot be read in them.
    fn show_with_warnings(&self, found: &CollectingSink) -> ShownTurns {
        let listing = self.locate();
        let path: &Path = &listing.locations[0].path;
        let spans: Vec<IndexedSpan> = joined(std::slice::from_ref(found))
            .iter()
            .map(IndexedSpan::from)
            .collect();
        let session = found.sessions.first().cloned().unwrap_or_default();
        let shown = self.source.show(path, &session, &spans);
        assert_eq!(shown.turns.len(), spans.len(), "{:?}", shown.warnings);
        shown
    }
}

/// Reads a content as the index does.
pub fn indexed(source: &'static dyn Source, path: &str, content: impl AsRef<[u8]>) -> String {
    let found = AgentHome::with(source, path, content).read(None);
    rendered(&joined(&[found]))
}

/// Reads a content as `show` does.
pub fn shown(source: &'static dyn Source, path: &str, content: impl AsRef<[u8]>) -> String {
    let home = AgentHome::with(source, path, content);
    rendered(&home.show(&home.read(None)))
}

/// Returns the session that a content tells of.
pub fn session(source: &'static dyn Source, path: &str, content: impl AsRef<[u8]>) -> SessionMeta {
    let found = AgentHome::with(source, path, content).read(None);
    found.sessions.into_iter().next_back().unwrap_or_default()
}

/// Reads a content that grows in steps that end at these offsets.
fn grown(
    source: &'static dyn Source,
    path: &str,
    content: &[u8],
    ends: &[usize],
) -> Vec<CollectingSink> {
    let home = AgentHome::new(source);
    let mut cursor: Option<Cursor> = None;
    let ends = ends.iter().copied().chain([content.len()]);
    ends.map(|end| {
        home.write(path, &content[..end]);
        let read = home.read(cursor.as_ref());
        cursor = read.cursor.clone().or(cursor.take());
        read
    })
    .collect()
}

fn assert_same(source: &'static dyn Source, path: &str, content: &[u8], ends: &[usize]) {
    let whole = grown(source, path, content, &[]);
    let parts = grown(source, path, content, ends);
    let last = |reads: &[CollectingSink]| {
        reads
            .iter()
            .rev()
            .find_map(|read| read.sessions.last().cloned())
    };
    assert_eq!(joined(&parts), joined(&whole), "{ends:?}");
    assert_eq!(sorted(&parts), sorted(&whole), "{ends:?}");
    assert_eq!(last(&parts), last(&whole), "{ends:?}");
}

/// Checks that a content may be read in pieces that end anywhere: each line by itself, and at bytes
/// by chance.
pub fn check_splits(source: &'static dyn Source, path: &str, content: &[u8]) {
    let line_ends: Vec<usize> = memchr::memchr_iter(b'\n', content)
        .map(|at| at + 1)
        .collect();
    assert_same(source, path, content, &line_ends);
    for &end in &line_ends {
        assert_same(source, path, content, &[end - 1]);
    }
    let places = prop::collection::vec(0..content.len(), 1..6);
    let run = |mut ends: Vec<usize>| {
        ends.sort_unstable();
        assert_same(source, path, content, &ends);
        Ok(())
    };
    TestRunner::new(Config::with_cases(48))
        .run(&places, run)
        .unwrap();
}

/// Checks that nothing panics, and that all that is read can be shown, whatever bytes of a content
/// are replaced by others.
pub fn check_damage(source: &'static dyn Source, path: &str, content: &[u8]) {
    let change = (
        0..content.len(),
        prop::collection::vec(any::<u8>(), 0..6),
        0usize..40,
    );
    let changes = prop::collection::vec(change, 1..8);
    let run = |changes: Vec<(usize, Vec<u8>, usize)>| {
        let mut content = content.to_vec();
        for (at, bytes, count) in changes {
            let at = at.min(content.len());
            let end = (at + count).min(content.len());
            content.splice(at..end, bytes);
        }
        let home = AgentHome::with(source, path, &content);
        let found = home.read(None);
        if !found.turns.is_empty() {
            home.show_with_warnings(&found);
        }
        Ok(())
    };
    TestRunner::new(Config::with_cases(128))
        .run(&changes, run)
        .unwrap();
}
