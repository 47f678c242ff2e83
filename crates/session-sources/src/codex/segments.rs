//! Threads in several files: what the user does after an undo stands in a new one, a segment.

use super::{Codex, thread_id};
use crate::history_search::sort;
use crate::{HistoryFolder, HistorySearch, JsonlFormat, Location};
use std::path::{Path, PathBuf};

/// Joins segments to the first files of their threads. A segment whose first file is gone stays
/// a session by itself.
pub(super) fn join(locations: &mut Vec<Location>) {
    let mut segments: Vec<Location> = locations.extract_if(.., |at| is_segment(at)).collect();
    if segments.is_empty() {
        return;
    }
    segments.sort_by(|a, b| a.path.file_name().cmp(&b.path.file_name()));
    for segment in segments {
        let thread = session(&segment).map(thread_id);
        match locations.iter_mut().find(|at| session(at) == thread) {
            Some(first) => {
                first.stamp.size += segment.stamp.size;
                first.stamp.mtime_ns = first.stamp.mtime_ns.max(segment.stamp.mtime_ns);
                first.continuations.push(segment.path);
            }
            None => locations.push(segment),
        }
    }
    sort(locations);
}

fn session(at: &Location) -> Option<&str> {
    at.path_session.session.as_deref()
}

fn is_segment(at: &Location) -> bool {
    session(at).is_some_and(|id| thread_id(id) != id)
}

/// Returns the segments of the thread that a file begins, in order.
pub(super) fn list(first: &Path) -> Vec<PathBuf> {
    let is_root =
        |folder: &&Path| folder.ends_with("sessions") || folder.ends_with("archived_sessions");
    let mut search = HistorySearch::default();
    if let Some(root) = first.ancestors().find(is_root).and_then(Path::parent) {
        let folder = HistoryFolder::unnamed(root.to_owned());
        search.add(&folder, Codex.files(), &|path| {
            Codex.parse_path_session(path)
        });
    }
    let mut locations = search.finish().locations;
    join(&mut locations);
    let found = locations.into_iter().find(|at| at.path == first);
    found.map_or_else(Vec::new, |at| at.continuations)
}
