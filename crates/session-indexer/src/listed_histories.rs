//! Histories on disk, listed beside what the index knows of them.

use crate::discover::{key, problem};
use rayon::prelude::*;
use session_forget::Exclusions;
use session_sources::{Env, IsKnownFile, Location, Source, path_text, sources};
use session_store::{FileDigest, FileDigests, FileStamp, Problem};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

/// Files from which on threads are worth their start.
const MIN_PARALLEL_FILES: usize = 2048;

/// The histories on disk, before they are compared with the index.
pub(crate) struct ListedHistories {
    pub(crate) files: Vec<ListedFile>,
    /// Files that another one continues: that one, by the one that does.
    pub(crate) continued: HashMap<String, String>,
    pub(crate) problems: Vec<Problem>,
}

/// Digests that the listing waits for. Where they are never set, there are none.
struct AwaitedDigests<'d>(&'d OnceLock<Option<FileDigests>>);

impl Drop for AwaitedDigests<'_> {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
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
}

impl ListedHistories {
    /// Lists the histories of all agents, but for some of those that are known.
    pub(crate) fn new(env: &Env, is_known: &IsKnownFile<'_>) -> Self {
        let mut all = Self {
            files: Vec::new(),
            continued: HashMap::new(),
            problems: Vec::new(),
        };
        for source in sources() {
            let listing = source.locate_unknown(env, is_known);
            all.problems.extend(listing.warnings.iter().map(problem));
            let files = listing.continued.into_iter();
            all.continued
                .extend(files.map(|(old, new)| (key(&new), key(&old))));
            all.files.reserve(listing.locations.len());
            let files = listing.locations.into_iter();
            all.files.extend(files.map(|location| ListedFile {
                source: *source,
                location,
            }));
        }
        all.problems = merged(std::mem::take(&mut all.problems));
        all
    }

    /// Lists the histories while this thread reads the digests of what is known of them: each takes about as long.
    /// Returns nothing where `read` does.
    pub(crate) fn list_beside<E>(
        env: &Env,
        exclusions: &Exclusions,
        read: impl FnOnce() -> Result<Option<FileDigests>, E>,
    ) -> Result<Option<(Self, FileDigests)>, E> {
        let known = OnceLock::new();
        let (listed, read) = std::thread::scope(|scope| {
            let awaited = AwaitedDigests(&known);
            let known = &known;
            let is_known = move |path: &Path, stamp| match known.wait() {
                Some(digests) => is_known_file(digests, exclusions, path, stamp),
                None => false,
            };
            let listing = scope.spawn(move || Self::new(env, &is_known));
            let read = read().map(|digests| drop(known.set(digests)));
            drop(awaited);
            let listed = listing.join();
            let listed = listed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (listed, read)
        });
        read?;
        Ok(known.into_inner().flatten().map(|known| (listed, known)))
    }

    /// Returns the digest of each file.
    pub(crate) fn digests(&self) -> Vec<FileDigest> {
        let digest = |file: &ListedFile| FileDigest::new(&file.key(), file.location.stamp);
        match self.files.len() >= MIN_PARALLEL_FILES {
            true => self.files.par_iter().map(digest).collect(),
            false => self.files.iter().map(digest).collect(),
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
    (exclusions.is_empty() || !exclusions.excludes_file(&path))
        && known.note_seen(FileDigest::new(&path, stamp))
}

/// Problems as the index has them: by path, each reason once.
fn merged(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by(|a, b| (&a.path, &a.reason).cmp(&(&b.path, &b.reason)));
    problems.dedup_by(|next, kept| {
        let same = (&next.path, &next.reason) == (&kept.path, &kept.reason);
        kept.count += if same { next.count } else { 0 };
        same
    });
    problems
}
