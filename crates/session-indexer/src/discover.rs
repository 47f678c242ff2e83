//! What has changed on disk since the index was written.

use session_sources::{Env, Location, Source, sources};
use session_store::{FileRow, Problem, Reader, Stamp, StoreError};
use std::collections::HashMap;

/// What a refresh has to do.
#[derive(Default)]
pub struct Changes {
    /// Histories that are new or changed, in the order to be read.
    pub(crate) changed: Vec<Change>,
    /// Numbers of files that are no longer on disk.
    pub(crate) gone: Vec<i64>,
    /// Numbers of files that were gone and are back as they were.
    pub(crate) back: Vec<(String, String)>,
    /// What could not be listed, when that differs from what is recorded.
    pub(crate) problems: Option<Vec<Problem>>,
}

/// A history to be read.
pub(crate) struct Change {
    pub(crate) source: &'static dyn Source,
    pub(crate) location: Location,
    pub(crate) cursor: Option<String>,
}

impl Changes {
    /// True when there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty()
            && self.gone.is_empty()
            && self.back.is_empty()
            && self.problems.is_none()
    }

    /// Number of histories to be read.
    pub fn files(&self) -> usize {
        self.changed.len()
    }
}

/// Lists all histories and compares them with the index.
///
/// # Errors
/// When the database fails.
pub fn discover(env: &Env, index: &Reader) -> Result<Changes, StoreError> {
    let mut known: HashMap<String, FileRow> = index
        .files()?
        .into_iter()
        .map(|f| (f.path.clone(), f))
        .collect();
    let mut changes = Changes::default();
    let mut problems = Vec::new();
    for source in sources() {
        let listing = source.locate(env);
        problems.extend(listing.warnings.iter().map(problem));
        for location in listing.locations {
            let row = known.remove(&path_key(&location));
            changes.compare(*source, location, row, index)?;
        }
    }
    changes.gone = known
        .into_values()
        .filter(|f| !f.gone)
        .map(|f| f.id)
        .collect();
    changes.gone.sort_unstable();
    let problems = merged(problems);
    changes.problems = (problems != index.listing_problems()?).then_some(problems);
    Ok(changes)
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

impl Changes {
    fn compare(
        &mut self,
        source: &'static dyn Source,
        location: Location,
        known: Option<FileRow>,
        index: &Reader,
    ) -> Result<(), StoreError> {
        let is_read = |row: &FileRow| row.stamp != Stamp::default();
        match known {
            Some(row) if is_read(&row) && row.stamp == stamp(&location) => {
                if row.gone {
                    self.back.push((row.source, row.path));
                }
            }
            row => {
                let cursor = row.map(|r| index.cursor(r.id)).transpose()?.flatten();
                self.changed.push(Change {
                    source,
                    location,
                    cursor,
                });
            }
        }
        Ok(())
    }
}

/// The path as the index has it.
pub(crate) fn path_key(location: &Location) -> String {
    location.path.to_string_lossy().into_owned()
}

/// The stamp in the store's words: sources and store do not know each other.
pub(crate) fn stamp(location: &Location) -> Stamp {
    let seen = location.stamp;
    Stamp {
        size: seen.size,
        mtime_ns: seen.mtime_ns,
        inode: seen.inode,
    }
}

/// A warning in the store's words.
pub(crate) fn problem(warning: &session_sources::Warning) -> Problem {
    Problem {
        path: warning.path.to_string_lossy().into_owned(),
        reason: warning.reason.clone(),
        offset: warning.offset,
        count: warning.count,
    }
}
