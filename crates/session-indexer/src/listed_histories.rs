//! Histories on disk, listed beside what the index knows of them.

use rayon::prelude::*;
use session_core::FileStamp;
use session_core::parallel::run_both;
use session_forget::{ExcludedSession, Exclusions};
use session_sources::{
    Env, IsKnownFile, Location, MIN_PARALLEL_FILES, PathSession, Source, locate_in_all_homes,
    path_text, sources,
};
use session_store::{FileDigest, FileDigests, HistoryProblem};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

/// The histories on disk, before they are compared with the index.
pub(crate) struct ListedHistories {
    pub(crate) files: Vec<ListedFile>,
    /// Paths of files that another one continues, by the path of that one.
    pub(crate) continued: HashMap<String, String>,
    pub(crate) problems: Vec<HistoryProblem>,
}

/// Histories on disk, and what the index knows of them.
pub(crate) struct ListedWithDigests {
    pub(crate) listed: ListedHistories,
    pub(crate) known: FileDigests,
}

/// A history on disk.
pub(crate) struct ListedFile {
    pub(crate) source: &'static dyn Source,
    pub(crate) location: Location,
}

impl ListedFile {
    /// Returns its path as the index has it.
    pub(crate) fn key(&self) -> Cow<'_, str> {
        path_text(&self.location.path)
    }

    /// Returns true for a file of one session; a database has several.
    pub(crate) fn holds_one_session(&self) -> bool {
        self.location.path_session.session.is_some()
    }

    /// Returns true when it is not to be read.
    pub(crate) fn is_excluded(&self, exclusions: &Exclusions) -> bool {
        let path = self.key();
        match &self.location.path_session {
            PathSession {
                session: Some(id),
                parent,
            } => {
                // An agent moves or packs the file of a session.
                let source = self.source.name();
                exclusions.excludes_session_file(&path)
                    || exclusions.has_forgotten_session(source, id, parent.as_deref())
            }
            _ => exclusions.rules_exclude_path(&path),
        }
    }

    /// Returns its session, where it holds one and its path names it.
    fn located_session(&self) -> Option<ExcludedSession> {
        Some(ExcludedSession {
            source: self.source.name().to_owned(),
            id: self.location.path_session.session.clone()?,
        })
    }
}

impl ListedHistories {
    /// Takes out the files that are not to be read, and returns their sessions.
    pub(crate) fn take_excluded(&mut self, exclusions: &Exclusions) -> Vec<ExcludedSession> {
        let mut excluded = Vec::new();
        if !exclusions.is_empty() {
            self.files.retain(|file| {
                let is_excluded = file.is_excluded(exclusions);
                excluded.extend(file.located_session().filter(|_| is_excluded));
                !is_excluded
            });
        }
        excluded
    }

    /// Lists the histories of all agents, but for some of those that are known.
    pub(crate) fn new(env: &Env, is_known: &IsKnownFile<'_>) -> Self {
        let mut all = Self {
            files: Vec::new(),
            continued: HashMap::new(),
            problems: Vec::new(),
        };
        for source in sources() {
            let listing = locate_in_all_homes(*source, env, is_known);
            all.problems.extend(listing.warnings.iter().map(to_problem));
            let files = listing.continued.into_iter();
            all.continued
                .extend(files.map(|file| (path_key(&file.by), path_key(&file.path))));
            all.files.reserve(listing.locations.len());
            let files = listing.locations.into_iter();
            all.files.extend(files.map(|location| ListedFile {
                source: *source,
                location,
            }));
        }
        all.problems = merge_problems(std::mem::take(&mut all.problems));
        all
    }

    /// Lists the histories while this thread reads the digests of what is known of them; returns nothing where `read`
    /// does. What is listed before the digests are there is compared later.
    pub(crate) fn list_while_reading_digests<E>(
        env: &Env,
        exclusions: &Exclusions,
        read: impl FnOnce() -> Result<Option<FileDigests>, E>,
    ) -> Result<Option<ListedWithDigests>, E> {
        let known = OnceLock::new();
        let is_known = |path: &Path, stamp| {
            let known = known.get();
            known.is_some_and(|digests| is_known_file(digests, exclusions, path, stamp))
        };
        let read = || read().map(|digests| digests.map(|digests| known.set(digests)));
        let (read, listed) = run_both(read, || Self::new(env, &is_known));
        read?;
        Ok(known
            .into_inner()
            .map(|known| ListedWithDigests { listed, known }))
    }

    /// Returns the digest of each file.
    pub(crate) fn digests(&self) -> Vec<FileDigest> {
        let digest = |file: &ListedFile| FileDigest::new(&file.key(), file.location.stamp);
        if self.files.len() >= MIN_PARALLEL_FILES {
            self.files.par_iter().map(digest).collect()
        } else {
            self.files.iter().map(digest).collect()
        }
    }
}

/// Returns true for a file that is as the index knows it, and notes it as seen.
pub(crate) fn is_known_file(
    known: &FileDigests,
    exclusions: &Exclusions,
    path: &Path,
    stamp: FileStamp,
) -> bool {
    let path = path_text(path);
    (exclusions.is_empty() || !exclusions.excludes_session_file(&path))
        && known.note_seen(FileDigest::new(&path, stamp))
}

/// Merges problems as the index has them: by path, each reason once. What several agents say of one place is one problem.
fn merge_problems(mut problems: Vec<HistoryProblem>) -> Vec<HistoryProblem> {
    problems.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    problems.dedup_by(|next, kept| (&next.path, &next.reason) == (&kept.path, &kept.reason));
    problems
}

/// Returns a path as the index has it.
pub(crate) fn path_key(path: &Path) -> String {
    path_text(path).into_owned()
}

/// Returns a warning as the index records it.
pub(crate) fn to_problem(warning: &session_sources::Warning) -> HistoryProblem {
    HistoryProblem {
        path: path_key(&warning.path),
        reason: warning.reason.clone(),
        offset: warning.offset,
        count: warning.count,
        is_unread_path: warning.kind.is_unread(),
    }
}
