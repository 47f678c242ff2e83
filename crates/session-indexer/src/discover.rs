//! Changes on disk since the index was written.

use crate::listed_histories::{ListedFile, ListedHistories, is_known_file, key};
use session_core::SourceName;
use session_forget::Exclusions;
use session_sources::{Env, Location, Source};
use session_store::{FileDigests, FileId, FileRow, FileStamp, Problem, Reader, StoreError};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

/// The changes that a refresh has to read.
#[derive(Default)]
pub struct Changes {
    /// Histories that are new or changed, in the order to be read.
    pub(crate) changed: Vec<Change>,
    /// Numbers of files that are no longer on disk.
    pub(crate) gone: Vec<FileId>,
    /// Agent and path of files that were gone and are back as they were.
    pub(crate) back: Vec<(String, String)>,
    /// Numbers of files that are elsewhere now, and where.
    pub(crate) moved: Vec<(FileId, String)>,
    /// Problems of listing, when these differ from the recorded ones.
    pub(crate) problems: Option<Vec<Problem>>,
}

/// A history to be read.
pub(crate) struct Change {
    pub(crate) source: &'static dyn Source,
    pub(crate) location: Location,
    pub(crate) cursor: Option<String>,
    /// The size, in bytes, at which it was read to its end; 0 where it was not.
    pub(crate) known_size: u64,
}

impl Changes {
    /// True when there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.gone.is_empty()
            && self.back.is_empty()
            && self.moved.is_empty()
            && self.problems.is_none()
    }

    /// Puts the agents first whose histories begin with a file of several sessions, a database, the largest before
    /// others: one thread reads it while others read the files after it. The order of an agent's histories stays.
    pub(crate) fn put_databases_first(&mut self) {
        let of_agent = |a: &Change, b: &Change| a.source.name() == b.source.name();
        let first = self.changed.chunk_by(of_agent).filter_map(<[_]>::first);
        let databases = first.filter(|change| change.location.located.session.is_none());
        let sizes = databases.map(|change| (change.source.name(), change.location.stamp.size));
        let sizes: HashMap<SourceName, u64> = sizes.collect();
        let size = |change: &Change| sizes.get(&change.source.name()).copied();
        self.changed
            .sort_by_cached_key(|change| Reverse(size(change)));
    }

    /// Number of histories to be read.
    pub fn files(&self) -> usize {
        self.changed.len()
    }

    /// Number of histories that are no longer on disk.
    pub fn gone(&self) -> usize {
        self.gone.len()
    }

    /// Returns the problems of listing, where these differ from the recorded ones.
    pub fn problems(&self) -> Option<&[Problem]> {
        self.problems.as_deref()
    }
}

impl ListedHistories {
    /// Compares what was listed with the index, whose files are `known`.
    pub(crate) fn compare(
        mut self,
        index: &Reader,
        known: &FileDigests,
        exclusions: &Exclusions,
    ) -> Result<Changes, StoreError> {
        if !exclusions.is_empty() {
            self.files
                .retain(|file| !exclusions.excludes_file(&file.key(), file.holds_one_session()));
        }
        let mut digests = self.digests().into_iter();
        let mut is_unchanged = || digests.next().is_some_and(|digest| known.note_seen(digest));
        self.files.retain(|_| !is_unchanged());
        let mut changes = match self.files.is_empty() {
            true => Changes::without_files(known),
            false => Changes::new(self.files, &self.continued, known, index)?,
        };
        let problems = self.problems;
        changes.keep_unlisted(&problems, index)?;
        changes.problems = (problems != index.listing_problems()?).then_some(problems);
        Ok(changes)
    }
}

/// Lists all histories and compares them with the index.
///
/// # Errors
/// When the database fails.
pub fn discover(env: &Env, index: &Reader, exclusions: &Exclusions) -> Result<Changes, StoreError> {
    let known = index.file_digests()?;
    let is_known = |path: &Path, stamp| is_known_file(&known, exclusions, path, stamp);
    ListedHistories::new(env, &is_known).compare(index, &known, exclusions)
}

/// Returns false for the stamp of a file that has not been read to its end.
fn is_read(stamp: FileStamp) -> bool {
    stamp != FileStamp::default()
}

/// The files that the index knows.
struct KnownFiles {
    /// Those that are where they were, by path.
    here: HashMap<String, FileRow>,
    /// Those that are not, by agent and name.
    lost: HashMap<(String, OsString), Vec<FileRow>>,
}

impl KnownFiles {
    /// Reads the files that are not as they were listed.
    fn read(
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
        let mut lost: HashMap<_, Vec<FileRow>> = HashMap::new();
        let mut gone: Vec<FileRow> = known.into_values().collect();
        gone.sort_unstable_by_key(|file| file.id);
        for file in gone {
            let name = (file.source.clone(), name(Path::new(&file.path)));
            lost.entry(name).or_default().push(file);
        }
        Self { here, lost }
    }

    fn at(&mut self, key: &str) -> Option<FileRow> {
        self.here.remove(key)
    }

    /// The file of this path, which another one continues.
    fn take_lost(&mut self, by: &ListedFile, path: &str) -> Option<FileRow> {
        let source = by.source.name().as_str().to_owned();
        let lost = self.lost.get_mut(&(source, name(Path::new(path))))?;
        let place = lost.iter().position(|file| file.path == path)?;
        Some(lost.swap_remove(place))
    }

    /// Takes the file that this one was before its folder was renamed, moved or restored, or before its
    /// agent packed it: one of its name and session is no longer where it was, and held no more. Of several
    /// it is the one that is as it was.
    fn take_moved(
        &mut self,
        listed: &ListedFile,
        index: &Reader,
    ) -> Result<Option<FileRow>, StoreError> {
        let ListedFile {
            source, location, ..
        } = listed;
        let name = (source.name().as_str().to_owned(), name(&location.path));
        let Some(lost) = self.lost.get_mut(&name) else {
            return Ok(None);
        };
        let held = files_of_unnamed_session(location, index, &name.0)?;
        let may_be = |file: &&FileRow| {
            held.as_ref().is_none_or(|held| held.contains(&file.id)) && may_be_moved(file, location)
        };
        let now = location.stamp;
        let same = |f: &&FileRow| (f.stamp.size, f.stamp.mtime_ns) == (now.size, now.mtime_ns);
        let mut fitting = lost.iter().filter(may_be);
        let found = match (fitting.next(), fitting.next()) {
            (Some(only), None) => Some(only.id),
            _ => lost.iter().filter(may_be).find(same).map(|file| file.id),
        };
        let place = lost.iter().position(|file| Some(file.id) == found);
        Ok(place.map(|place| lost.swap_remove(place)))
    }

    fn lost(self) -> impl Iterator<Item = FileRow> {
        self.lost.into_values().flatten()
    }
}

/// Returns the files that hold the session of a file whose name does not tell it; `None` where the name does.
fn files_of_unnamed_session(
    location: &Location,
    index: &Reader,
    source: &str,
) -> Result<Option<Vec<FileId>>, StoreError> {
    match &location.located.session {
        Some(session) if !location.has_session_name() => {
            Ok(Some(index.files_of_session(source, session)?))
        }
        _ => Ok(None),
    }
}

/// Returns true for a file that is not where it was and held no more than the listed one, or the same packed.
fn may_be_moved(file: &FileRow, listed: &Location) -> bool {
    let is_repacked = is_packed(Path::new(&file.path)) != is_packed(&listed.path);
    (file.stamp.size <= listed.stamp.size || is_repacked) && !Path::new(&file.path).exists()
}

/// The name of a file, packed or not.
fn name(path: &Path) -> OsString {
    let name = match is_packed(path) {
        true => path.file_stem(),
        false => path.file_name(),
    };
    name.unwrap_or_default().to_owned()
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

impl Changes {
    /// Makes those where each listed file is as it was read: all others are gone.
    fn without_files(known: &FileDigests) -> Self {
        Self {
            gone: known.unseen(),
            ..Self::default()
        }
    }

    /// Compares each file with its row. `digests` are the index's, with the marks of the files that are as they were.
    fn new(
        here: Vec<ListedFile>,
        continued: &HashMap<String, String>,
        digests: &FileDigests,
        index: &Reader,
    ) -> Result<Self, StoreError> {
        let mut changes = Self::default();
        let mut known = KnownFiles::read(index, digests, &here)?;
        for file in here {
            let row = match known.at(&file.key()) {
                Some(row) => Some(row),
                None => changes.find_moved(&file, continued, &mut known, index)?,
            };
            changes.compare(file, row, index)?;
        }
        changes.gone = known.lost().filter(|f| !f.gone).map(|f| f.id).collect();
        changes.gone.sort_unstable();
        Ok(changes)
    }

    /// Takes the file that a listed one continues, or that was elsewhere before, and notes where it is now.
    fn find_moved(
        &mut self,
        file: &ListedFile,
        continued: &HashMap<String, String>,
        known: &mut KnownFiles,
        index: &Reader,
    ) -> Result<Option<FileRow>, StoreError> {
        let key = file.key();
        let old = continued.get(&*key);
        let row = match old.and_then(|old| known.take_lost(file, old)) {
            Some(row) => Some(row),
            None => known.take_moved(file, index)?,
        };
        Ok(row.map(|row| {
            self.moved.push((row.id, key.to_string()));
            FileRow {
                path: key.into_owned(),
                gone: false,
                ..row
            }
        }))
    }

    /// Keeps the files that may still be there: they or a folder above them cannot be listed.
    fn keep_unlisted(&mut self, problems: &[Problem], index: &Reader) -> Result<(), StoreError> {
        if problems.is_empty() {
            return Ok(());
        }
        let mut gone = Vec::new();
        for file in std::mem::take(&mut self.gone) {
            let row = index.file(file)?;
            let is_unlisted = |row: &FileRow| {
                let mut problems = problems.iter();
                problems.any(|problem| Path::new(&row.path).starts_with(&problem.path))
            };
            if !row.as_ref().is_some_and(is_unlisted) {
                gone.push(file);
            }
        }
        self.gone = gone;
        Ok(())
    }

    fn compare(
        &mut self,
        file: ListedFile,
        known: Option<FileRow>,
        index: &Reader,
    ) -> Result<(), StoreError> {
        let ListedFile {
            source, location, ..
        } = file;
        match known {
            Some(row) if is_read(row.stamp) && row.stamp == location.stamp => {
                if row.gone {
                    self.back.push((row.source, row.path));
                }
            }
            row => {
                let known_size = row.as_ref().map_or(0, |row| known_size(row, &location));
                let cursor = row.map(|r| index.cursor(r.id)).transpose()?.flatten();
                self.changed.push(Change {
                    source,
                    location,
                    cursor,
                    known_size,
                });
            }
        }
        Ok(())
    }
}

/// Returns how much of a history was read before, where that tells whether it has lost something: one that is read
/// again because the program asks for it may give fewer turns, unless it is shorter.
fn known_size(row: &FileRow, location: &Location) -> u64 {
    let is_asked_for = row.stamp.mtime_ns == 0;
    match is_asked_for && location.stamp.size >= row.stamp.size {
        true => 0,
        false => row.stamp.size,
    }
}

/// The path as the index has it.
pub(crate) fn path_key(location: &Location) -> String {
    key(&location.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use session_sources::sources;
    use session_store::Writer;

    /// A history as it was read, or as it is listed.
    #[derive(Debug, Clone)]
    struct MadeFile {
        path: String,
        stamp: FileStamp,
        is_gone: bool,
    }

    /// Files of few names in few folders, so that some are found elsewhere.
    fn made_files() -> impl Strategy<Value = Vec<MadeFile>> {
        let file = (0..4u8, 0..4u8, 0..3u64, any::<bool>());
        let file = file.prop_map(|(folder, name, size, is_gone)| MadeFile {
            path: format!("/h/{folder}/{name}.jsonl"),
            stamp: FileStamp {
                size,
                mtime_ns: size.cast_signed(),
                inode: 1,
            },
            is_gone,
        });
        prop::collection::vec(file, 0..12)
    }

    fn write(index: &Path, files: &[MadeFile]) -> Writer {
        let mut writer = Writer::open(index).unwrap();
        for file in files {
            let source = sources()[0].name();
            let id = writer.upsert_file(&source, &file.path).unwrap();
            writer.checkpoint(id, &file.path, file.stamp).unwrap();
            if file.is_gone {
                writer.mark_file_gone(id).unwrap();
            }
        }
        writer.commit().unwrap();
        writer
    }

    fn listed(files: &[MadeFile]) -> ListedHistories {
        let mut files = files.to_vec();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let file = |file: MadeFile| ListedFile {
            source: sources()[0],
            location: Location {
                path: file.path.into(),
                stamp: file.stamp,
                located: session_sources::Located::default(),
                continuations: Vec::new(),
            },
        };
        ListedHistories {
            files: files.into_iter().map(file).collect(),
            continued: HashMap::from([("/h/0/0.jsonl".into(), "/h/1/0.jsonl".into())]),
            problems: Vec::new(),
        }
    }

    #[test]
    fn what_cannot_be_listed_is_not_gone() {
        let index = tempfile::tempdir().unwrap();
        let file = |path: &str| MadeFile {
            path: path.into(),
            stamp: FileStamp::default(),
            is_gone: false,
        };
        let known = ["/h/0/a.jsonl", "/h/1/a.jsonl", "/h/10/a.jsonl"].map(file);
        let mut writer = write(index.path(), &known);
        let reader = writer.reader().unwrap();
        let gone = |problems: Vec<Problem>, found: &[MadeFile]| {
            let all = ListedHistories {
                problems,
                ..listed(found)
            };
            let digests = reader.file_digests().unwrap();
            let changes = all.compare(reader, &digests, &Exclusions::default());
            changes.unwrap().gone()
        };
        let unlisted = Problem {
            path: "/h/1".into(),
            reason: "cannot be listed: permission denied".into(),
            offset: None,
            count: 1,
        };
        assert_eq!(gone(Vec::new(), &[]), 3);
        assert_eq!(gone(vec![unlisted.clone()], &[]), 2);
        assert_eq!(gone(vec![unlisted], &[file("/h/2/b.jsonl")]), 2);
    }

    fn tell(changes: Changes) -> impl PartialEq + std::fmt::Debug {
        let changed = changes.changed.into_iter().map(|c| (c.location, c.cursor));
        let changed: Vec<_> = changed.collect();
        (changed, changes.gone, changes.back, changes.moved)
    }

    proptest! {
        #[test]
        fn files_that_are_as_they_were_change_nothing_of_the_others(
            known in made_files(),
            found in made_files(),
        ) {
            let index = tempfile::tempdir().unwrap();
            let mut writer = write(index.path(), &known);
            let reader = writer.reader().unwrap();
            let all = listed(&found);
            let digests = reader.file_digests().unwrap();
            let plain = Changes::new(all.files, &all.continued, &digests, reader).unwrap();
            let digests = reader.file_digests().unwrap();
            let found = listed(&found).compare(reader, &digests, &Exclusions::default()).unwrap();
            prop_assert_eq!(tell(found), tell(plain));
        }
    }
}
