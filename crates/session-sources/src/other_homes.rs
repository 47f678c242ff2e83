//! The histories of other machines: home folders that were copied or mounted, listed after the user's own.

use crate::file;
use crate::folder_walk::cannot_be_listed;
use crate::lines::{LineFiles, open_at};
use crate::warning::warning;
use crate::{Env, IsKnownFile, Listing, Location, Source, is_packed};
use session_core::FileStamp;
use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes at the end of a copy that are compared with the same place of a longer one.
const COMPARED_BYTES: u64 = 4096;

/// Finds the histories of an agent in the user's home and in the other homes, but may leave out files for which
/// `is_known` is true. A file of another home is left out where it is the beginning of the file that an earlier home has of
/// its session. A home that cannot be entered is one warning, the same for each agent.
pub fn locate_in_all_homes(source: &dyn Source, env: &Env, is_known: &IsKnownFile<'_>) -> Listing {
    if env.other_homes.is_empty() {
        return source.locate_unknown(env, is_known);
    }
    let met = MetSessions::default();
    let mut all = source.locate_unknown(env, &|path, stamp| {
        is_known(path, stamp) && met.note_known(path, stamp)
    });
    met.note_all(&all.locations);
    for home in &env.other_homes {
        // With the dot the folder is entered, which a look at it alone does not try.
        if let Err(error) = file::is_folder(&home.join(".")) {
            all.warnings.push(warning(home, cannot_be_listed(&error)));
            continue;
        }
        let mut found = source.locate_unknown(&Env::with_home(home), &|path, stamp| {
            !met.may_cover_known(path, stamp) && is_known(path, stamp)
        });
        found.locations.retain(|at| !met.covers(at));
        Confinement::new(home).apply(&mut found);
        met.note_all(&found.locations);
        all.locations.append(&mut found.locations);
        all.continued.append(&mut found.continued);
        all.warnings.append(&mut found.warnings);
    }
    // Histories of prompts and databases come last in each home: what a transcript holds is not wanted of them.
    all.locations
        .sort_by_key(|at| at.path_session.session.is_none());
    all
}

/// The sessions that were found so far, each with the largest file of it.
#[derive(Default)]
struct MetSessions(Mutex<HashMap<String, MetFile>>);

/// A file of a session, with those that go on with it.
#[derive(Clone)]
struct MetFile {
    path: PathBuf,
    continuations: Vec<PathBuf>,
    /// The size of all.
    bytes: u64,
}

impl From<&Location> for MetFile {
    fn from(at: &Location) -> Self {
        Self {
            continuations: at.continuations.clone(),
            ..Self::new(&at.path, at.stamp)
        }
    }
}

impl MetFile {
    fn new(path: &Path, stamp: FileStamp) -> Self {
        Self {
            path: path.to_owned(),
            continuations: Vec::new(),
            bytes: stamp.size,
        }
    }

    /// Returns true if another file of its session may be the beginning of this one, by the sizes. Of a packed file and an
    /// unpacked one they do not show it; the other one is read, and what it holds twice is deleted by its turns.
    fn may_begin_with(&self, other: &Self) -> bool {
        is_packed(&self.path) == is_packed(&other.path) && self.bytes >= other.bytes
    }

    /// Returns true if another file of its session is the beginning of this one. A session that went on on both machines has
    /// two ends.
    fn begins_with(&self, other: &Self) -> bool {
        let is_equal = self.bytes == other.bytes;
        self.may_begin_with(other) && (is_equal || self.holds_end_of(other))
    }

    /// Returns true if it has the bytes at the end of a shorter file in the same place. Packed files do not.
    fn holds_end_of(&self, other: &Self) -> bool {
        if is_packed(&self.path) {
            return false;
        }
        let ends = (
            self.read_before(other.bytes),
            other.read_before(other.bytes),
        );
        matches!(ends, (Ok(own), Ok(end)) if own == end)
    }

    /// Reads the last bytes before an offset.
    fn read_before(&self, offset: u64) -> io::Result<Vec<u8>> {
        let files = LineFiles {
            first: &self.path,
            continuations: &self.continuations,
        };
        let begin = offset.saturating_sub(COMPARED_BYTES);
        let mut bytes = Vec::new();
        let mut content = open_at(files, begin)?.take(offset - begin);
        content.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl MetSessions {
    fn note(&self, session: &str, file: MetFile) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match met.get_mut(session) {
            Some(known) if known.bytes >= file.bytes => {}
            Some(known) => *known = file,
            None => drop(met.insert(session.to_owned(), file)),
        }
    }

    fn note_all(&self, locations: &[Location]) {
        for at in locations {
            if let Some(session) = &at.path_session.session {
                self.note(session, at.into());
            }
        }
    }

    /// Notes a file that is not listed. Returns true.
    fn note_known(&self, path: &Path, stamp: FileStamp) -> bool {
        if let Some(session) = named_session(path) {
            self.note(session, MetFile::new(path, stamp));
        }
        true
    }

    fn find(&self, session: &str) -> Option<MetFile> {
        let met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        met.get(session).cloned()
    }

    fn covers(&self, at: &Location) -> bool {
        let session = at.path_session.session.as_deref();
        let met = session.and_then(|id| self.find(id));
        met.is_some_and(|met| met.begins_with(&at.into()))
    }

    /// Returns true if a file that is not listed may be covered. It is listed then, which decides it.
    fn may_cover_known(&self, path: &Path, stamp: FileStamp) -> bool {
        let met = named_session(path).and_then(|id| self.find(id));
        met.is_some_and(|met| met.may_begin_with(&MetFile::new(path, stamp)))
    }
}

/// Returns the session of a file that has its name. Agents whose files have other names list the known ones, too.
fn named_session(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

/// The folder that no link may lead out of: who wrote another home could name any file of the user by a link.
struct Confinement {
    /// The folder without links; `None` if it does not exist.
    home: Option<PathBuf>,
    /// Whether folders lie in it.
    folders: HashMap<PathBuf, bool>,
}

impl Confinement {
    fn new(home: &Path) -> Self {
        Self {
            home: fs_err::canonicalize(home).ok(),
            folders: HashMap::new(),
        }
    }

    /// Drops histories that links lead to from outside of the folder, each with a warning.
    fn apply(mut self, listing: &mut Listing) {
        let Listing {
            locations,
            warnings,
            ..
        } = listing;
        locations.retain(|at| {
            let files = || std::iter::once(&at.path).chain(&at.continuations);
            let outside = files().find(|path| !self.holds(path));
            warnings.extend(
                outside.map(|path| warning(path, "is a link that leads out of its home folder")),
            );
            outside.is_none()
        });
    }

    fn holds(&mut self, path: &Path) -> bool {
        let is_link = fs_err::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        match path.parent() {
            Some(folder) if !is_link => self.holds_folder(folder),
            _ => lies_in(path, self.home.as_deref()),
        }
    }

    fn holds_folder(&mut self, folder: &Path) -> bool {
        if let Some(known) = self.folders.get(folder) {
            return *known;
        }
        let is_inside = lies_in(folder, self.home.as_deref());
        self.folders.insert(folder.to_owned(), is_inside);
        is_inside
    }
}

/// Returns true for a path that lies in a folder once its links are resolved.
fn lies_in(path: &Path, folder: Option<&Path>) -> bool {
    let real = fs_err::canonicalize(path);
    real.is_ok_and(|real| folder.is_some_and(|folder| real.starts_with(folder)))
}
