//! The histories of other machines: home folders that were copied or mounted, listed after the user's own.

use crate::file;
use crate::folder_walk::cannot_be_listed;
use crate::reading::warning;
use crate::{Env, IsKnownFile, Listing, Location, Source, is_packed};
use session_core::FileStamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Finds the histories of an agent in the user's home and in the other homes, but may leave out files for which
/// `is_known` is true. A file of another home is left out where an earlier home has its session with as much in it. A
/// home that cannot be entered is one warning, the same for each agent.
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
            !met.covers_known(path, stamp) && is_known(path, stamp)
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

#[derive(Clone, Copy)]
struct MetFile {
    bytes: u64,
    is_packed: bool,
}

impl MetFile {
    fn new(path: &Path, stamp: FileStamp) -> Self {
        Self {
            bytes: stamp.size,
            is_packed: is_packed(path),
        }
    }

    /// Returns true if this file holds as much as another one of its session. Of a packed file and an unpacked
    /// one the sizes do not show: an agent packs a session that has ended.
    fn holds_all_of(self, other: Self) -> bool {
        self.is_packed != other.is_packed || self.bytes >= other.bytes
    }
}

impl MetSessions {
    fn note(&self, session: &str, file: MetFile) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = met.entry(session.to_owned()).or_insert(file);
        if !known.holds_all_of(file) {
            *known = file;
        }
    }

    fn note_all(&self, locations: &[Location]) {
        for at in locations {
            if let Some(session) = &at.path_session.session {
                self.note(session, MetFile::new(&at.path, at.stamp));
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

    fn holds_all_of(&self, session: &str, file: MetFile) -> bool {
        let met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        met.get(session).is_some_and(|met| met.holds_all_of(file))
    }

    fn covers(&self, at: &Location) -> bool {
        let session = at.path_session.session.as_deref();
        session.is_some_and(|id| self.holds_all_of(id, MetFile::new(&at.path, at.stamp)))
    }

    /// Returns what [`MetSessions::covers`] does, for a file that is not listed.
    fn covers_known(&self, path: &Path, stamp: FileStamp) -> bool {
        let session = named_session(path);
        session.is_some_and(|id| self.holds_all_of(id, MetFile::new(path, stamp)))
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
