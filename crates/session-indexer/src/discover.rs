//! Changes on disk since the index was written.

use crate::known_files::KnownFiles;
use crate::listed_histories::{ListedFile, ListedHistories, is_known_file};
use session_core::FileStamp;
use session_forget::{ExcludedSession, Exclusions};
use session_sources::{Env, Location};
use session_store::{FileDigests, FileId, FileRow, HistoryProblem, Reader, StoreError};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

/// The changes that a refresh has to read.
#[derive(Default)]
pub struct HistoryChanges {
    /// Histories that are new or changed, in the order to be read.
    pub(crate) changed: Vec<ChangedHistory>,
    /// Numbers of files that are no longer on disk.
    pub(crate) gone: Vec<FileId>,
    /// Files that were gone and are back as they were.
    pub(crate) returned: Vec<ReturnedFile>,
    /// Files that have another path now.
    pub(crate) moved: Vec<MovedFile>,
    /// The sessions of files that are there and excluded.
    pub(crate) unread_sessions: Vec<ExcludedSession>,
    /// Problems of listing, when these differ from the recorded ones.
    pub(crate) problems: Option<Vec<HistoryProblem>>,
}

/// A file that was gone and is back as it was.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReturnedFile {
    /// Agent.
    pub(crate) source: String,
    pub(crate) path: String,
}

/// A file that has another path now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MovedFile {
    pub(crate) file: FileId,
    pub(crate) path: String,
}

/// A history to be read.
pub(crate) struct ChangedHistory {
    pub(crate) file: ListedFile,
    pub(crate) cursor: Option<String>,
    /// The size, in bytes, at which it was read to its end; 0 where it was not.
    pub(crate) known_size: u64,
}

impl HistoryChanges {
    /// Returns true when there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.gone.is_empty()
            && self.returned.is_empty()
            && self.moved.is_empty()
            && self.problems.is_none()
    }

    /// Puts the agents first whose histories begin with a file of several sessions, a database, the largest before
    /// others: one thread reads it while others read the files after it. The order of an agent's histories stays.
    pub(crate) fn put_databases_first(&mut self) {
        let agent = |change: &ChangedHistory| change.file.source.name();
        let of_agent = |a: &ChangedHistory, b: &ChangedHistory| agent(a) == agent(b);
        let first = self.changed.chunk_by(of_agent).filter_map(<[_]>::first);
        let databases = first.filter(|change| !change.file.holds_one_session());
        let sizes = databases.map(|change| (agent(change), change.file.location.stamp.size));
        let sizes: HashMap<&str, u64> = sizes.collect();
        let size = |change: &ChangedHistory| sizes.get(&agent(change)).copied();
        self.changed
            .sort_by_cached_key(|change| Reverse(size(change)));
    }

    /// Returns the number of histories to be read.
    pub fn files(&self) -> usize {
        self.changed.len()
    }

    /// Returns the number of histories that are no longer on disk.
    pub fn gone(&self) -> usize {
        self.gone.len()
    }

    /// Returns the problems of listing, where these differ from the recorded ones.
    pub fn problems(&self) -> Option<&[HistoryProblem]> {
        self.problems.as_deref()
    }

    /// Returns the changes where each listed file is as it was read: all others are gone.
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
            let row = match known.take_here(&file.key()) {
                Some(row) => Some(row),
                None => changes.find_moved(&file, continued, &mut known, index)?,
            };
            changes.compare(file, row, index)?;
        }
        changes.gone = known
            .into_unlisted()
            .filter(|f| !f.gone)
            .map(|f| f.id)
            .collect();
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
        let row = match old.and_then(|old| known.take_continued(file, old)) {
            Some(row) => Some(row),
            None => known.take_moved(file, index)?,
        };
        Ok(row.map(|row| {
            self.moved.push(MovedFile {
                file: row.id,
                path: key.to_string(),
            });
            FileRow {
                path: key.into_owned(),
                gone: false,
                ..row
            }
        }))
    }

    /// Keeps the files that may still be there: they or a directory above them cannot be listed.
    fn keep_unlisted(
        &mut self,
        problems: &[HistoryProblem],
        index: &Reader,
    ) -> Result<(), StoreError> {
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

    /// Adds what differs between a listed file and its row.
    fn compare(
        &mut self,
        file: ListedFile,
        known: Option<FileRow>,
        index: &Reader,
    ) -> Result<(), StoreError> {
        match known {
            Some(row) if is_read(row.stamp) && row.stamp == file.location.stamp => {
                if row.gone {
                    self.returned.push(ReturnedFile {
                        source: row.source,
                        path: row.path,
                    });
                }
            }
            row => {
                let known_size = row
                    .as_ref()
                    .map_or(0, |row| known_size(row, &file.location));
                let cursor = row.map(|r| index.cursor(r.id)).transpose()?.flatten();
                self.changed.push(ChangedHistory {
                    file,
                    cursor,
                    known_size,
                });
            }
        }
        Ok(())
    }
}

impl ListedHistories {
    /// Compares what was listed with the index, whose files are `known`.
    pub(crate) fn compare(
        mut self,
        index: &Reader,
        known: &FileDigests,
        exclusions: &Exclusions,
    ) -> Result<HistoryChanges, StoreError> {
        let unread_sessions = self.take_excluded(exclusions);
        let mut digests = self.digests().into_iter();
        let mut is_unchanged = || digests.next().is_some_and(|digest| known.note_seen(digest));
        self.files.retain(|_| !is_unchanged());
        let mut changes = if self.files.is_empty() {
            HistoryChanges::without_files(known)
        } else {
            HistoryChanges::new(self.files, &self.continued, known, index)?
        };
        changes.unread_sessions = unread_sessions;
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
pub fn discover(
    env: &Env,
    index: &Reader,
    exclusions: &Exclusions,
) -> Result<HistoryChanges, StoreError> {
    let known = index.file_digests()?;
    let is_known = |path: &Path, stamp| is_known_file(&known, exclusions, path, stamp);
    ListedHistories::new(env, &is_known).compare(index, &known, exclusions)
}

/// Returns false for the stamp of a file that has not been read to its end.
fn is_read(stamp: FileStamp) -> bool {
    stamp != FileStamp::default()
}

/// Returns the size at which a history was read to its end, by which a loss is noticed. It is 0 where the program reset the
/// stamp so that the history is read again, and the file is not shorter.
fn known_size(row: &FileRow, location: &Location) -> u64 {
    let was_stamp_reset = row.stamp.mtime_ns == 0;
    if was_stamp_reset && location.stamp.size >= row.stamp.size {
        0
    } else {
        row.stamp.size
    }
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

    /// Files of few names in few directories, so that some are found elsewhere.
    fn made_files() -> impl Strategy<Value = Vec<MadeFile>> {
        let file = (0..4u8, 0..4u8, 0..3u64, any::<bool>());
        let file = file.prop_map(|(directory, name, size, is_gone)| MadeFile {
            path: format!("/h/{directory}/{name}.jsonl"),
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
            let id = writer.upsert_file(source, &file.path).unwrap();
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
                path_session: session_sources::PathSession::default(),
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
        let gone = |problems: Vec<HistoryProblem>, found: &[MadeFile]| {
            let all = ListedHistories {
                problems,
                ..listed(found)
            };
            let digests = reader.file_digests().unwrap();
            let changes = all.compare(reader, &digests, &Exclusions::default());
            changes.unwrap().gone()
        };
        let unlisted = HistoryProblem {
            path: "/h/1".into(),
            reason: "cannot be listed: permission denied".into(),
            offset: None,
            count: 1,
            is_unread_path: true,
        };
        assert_eq!(gone(Vec::new(), &[]), 3);
        assert_eq!(gone(vec![unlisted.clone()], &[]), 2);
        assert_eq!(gone(vec![unlisted], &[file("/h/2/b.jsonl")]), 2);
    }

    /// Returns the parts of changes that a test compares.
    fn compared_parts(changes: HistoryChanges) -> impl PartialEq + std::fmt::Debug {
        let changed = changes.changed.into_iter();
        let changed = changed.map(|change| (change.file.location, change.cursor));
        let changed: Vec<_> = changed.collect();
        (changed, changes.gone, changes.returned, changes.moved)
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
            let plain = HistoryChanges::new(all.files, &all.continued, &digests, reader).unwrap();
            let digests = reader.file_digests().unwrap();
            let found = listed(&found).compare(reader, &digests, &Exclusions::default()).unwrap();
            prop_assert_eq!(compared_parts(found), compared_parts(plain));
        }
    }
}
