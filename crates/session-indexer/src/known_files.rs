//! Files that the index knows, and those of them that are listed at another path.

use crate::listed_histories::ListedFile;
use session_core::FileStamp;
use session_sources::{Location, is_packed, leads_to_same_file};
use session_store::{FileDigests, FileId, FileRow, Reader, StoreError};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

/// The files that the index knows and that are not as they were listed.
pub(crate) struct KnownFiles {
    /// Those that are where they were, by path.
    here: HashMap<String, FileRow>,
    /// Those that are listed nowhere by their path.
    unlisted: HashMap<AgentFileName, Vec<FileRow>>,
}

/// The name of an agent's history file, packed or not, in whatever directory.
#[derive(PartialEq, Eq, Hash)]
struct AgentFileName {
    source: String,
    name: OsString,
}

impl AgentFileName {
    fn new(source: &str, path: &Path) -> Self {
        let name = if is_packed(path) {
            path.file_stem()
        } else {
            path.file_name()
        };
        Self {
            source: source.to_owned(),
            name: name.unwrap_or_default().to_owned(),
        }
    }
}

impl KnownFiles {
    /// Reads the files that are not as they were listed.
    pub(crate) fn read(
        index: &Reader,
        digests: &FileDigests,
        listed: &[ListedFile],
    ) -> Result<Self, StoreError> {
        let mut known = HashMap::new();
        for file in digests.unseen().iter().chain(digests.gone()) {
            known.extend(index.file(*file)?.map(|file| (file.path.clone(), file)));
        }
        Ok(Self::new(known, listed))
    }

    fn new(mut known: HashMap<String, FileRow>, listed: &[ListedFile]) -> Self {
        let here = listed
            .iter()
            .filter_map(|file| known.remove_entry(&*file.key()));
        let here = here.collect();
        let mut unlisted: HashMap<_, Vec<FileRow>> = HashMap::new();
        let mut gone: Vec<FileRow> = known.into_values().collect();
        gone.sort_unstable_by_key(|file| file.id);
        for file in gone {
            let name = AgentFileName::new(&file.source, Path::new(&file.path));
            unlisted.entry(name).or_default().push(file);
        }
        Self { here, unlisted }
    }

    /// Takes the file that is where it was.
    pub(crate) fn take_here(&mut self, key: &str) -> Option<FileRow> {
        self.here.remove(key)
    }

    /// Takes the file of this path, which a listed one continues.
    pub(crate) fn take_continued(&mut self, by: &ListedFile, path: &str) -> Option<FileRow> {
        let name = AgentFileName::new(by.source.name(), Path::new(path));
        let unlisted = self.unlisted.get_mut(&name)?;
        let position = unlisted.iter().position(|file| file.path == path)?;
        Some(unlisted.swap_remove(position))
    }

    /// Takes the file that this one was before its directory was renamed, moved or restored, or before its
    /// agent packed it: one of its name and session is no longer where it was, and held no more. Of several
    /// it is the one that is as it was. The name of a file of many sessions says nothing: each home has one.
    /// One whose path leads to the listed file still is that file, by another spelling of its path.
    pub(crate) fn take_moved(
        &mut self,
        listed: &ListedFile,
        index: &Reader,
    ) -> Result<Option<FileRow>, StoreError> {
        let ListedFile {
            source, location, ..
        } = listed;
        let name = AgentFileName::new(source.name(), &location.path);
        let Some(unlisted) = self.unlisted.get_mut(&name) else {
            return Ok(None);
        };
        if let Some(same) = unlisted
            .iter()
            .position(|file| is_respelled(file, location))
        {
            return Ok(Some(unlisted.swap_remove(same)));
        }
        let held = files_of_unnamed_session(location, index, &name.source)?;
        let may_be = |file: &&FileRow| {
            held.as_ref().is_none_or(|held| held.contains(&file.id))
                && (listed.holds_one_session() || is_same_file(file.stamp, location.stamp))
                && may_be_moved(file, location)
        };
        let same = |file: &&FileRow| is_unchanged(file.stamp, location.stamp);
        let mut fitting = unlisted.iter().filter(may_be);
        let found = match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.id),
            _ => unlisted
                .iter()
                .filter(may_be)
                .find(same)
                .map(|file| file.id),
        };
        let position = unlisted.iter().position(|file| Some(file.id) == found);
        Ok(position.map(|position| unlisted.swap_remove(position)))
    }

    /// Returns the files that no listed one was taken for.
    pub(crate) fn into_unlisted(self) -> impl Iterator<Item = FileRow> {
        self.unlisted.into_values().flatten()
    }
}

/// Returns the files that hold the session of a file whose name does not tell it; `None` if the name does.
fn files_of_unnamed_session(
    location: &Location,
    index: &Reader,
    source: &str,
) -> Result<Option<Vec<FileId>>, StoreError> {
    match &location.path_session.session {
        Some(session) if !location.has_session_name() => {
            Ok(Some(index.files_of_session(source, session)?))
        }
        _ => Ok(None),
    }
}

/// Returns true for the stamps of one content.
fn is_unchanged(known: FileStamp, now: FileStamp) -> bool {
    (known.size, known.mtime_ns) == (now.size, now.mtime_ns)
}

/// Returns true for the stamps of one file, which may have grown. Some file systems number no files.
fn is_same_file(known: FileStamp, now: FileStamp) -> bool {
    is_unchanged(known, now) || (now.inode != 0 && known.inode == now.inode)
}

/// Returns true for a file whose path leads to the listed one, as through a link to its home or another mount of it.
/// The inode spares a look at others; a full read has reset the known one.
fn is_respelled(file: &FileRow, listed: &Location) -> bool {
    let inode = listed.stamp.inode;
    inode != 0
        && [0, inode].contains(&file.stamp.inode)
        && leads_to_same_file(Path::new(&file.path), &listed.path)
}

/// Returns true for a file that is not where it was and held no more than the listed one, or the same packed. One that
/// cannot be looked at is where it was.
fn may_be_moved(file: &FileRow, listed: &Location) -> bool {
    let is_repacked = is_packed(Path::new(&file.path)) != is_packed(&listed.path);
    let is_there = || Path::new(&file.path).try_exists().unwrap_or(true);
    (file.stamp.size <= listed.stamp.size || is_repacked) && !is_there()
}
