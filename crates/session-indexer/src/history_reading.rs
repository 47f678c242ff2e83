//! Reads changed histories into the index, up to the commit that makes them visible.

use crate::discover::{HistoryChanges, MovedFile, ReturnedFile};
use crate::error::IndexError;
use crate::history_writer::{HistoryWriter, WrittenHistories};
use crate::outcome::{RefreshOutcome, RefreshStage};
use crate::parallel_reading::{ReadOptions, read_in_order};
use crate::refresh::{RefreshMode, RefreshOptions};
use crate::repeated_sessions::settle_repeated_sessions;
use session_core::Progress;
use session_embed::Embedder;
use session_forget::ContentCounts;
use session_store::{Reader, StoreError, Writer};
use std::collections::{BTreeSet, HashSet};

/// Reads the histories that changed, marks those that are gone, and commits.
pub(crate) fn read_changes(
    options: &RefreshOptions<'_>,
    writer: &mut Writer,
    changes: &HistoryChanges,
    reading: &ReadOptions<'_>,
) -> Result<RefreshOutcome, IndexError> {
    record_listing(writer, changes)?;
    let written = write_histories(options, writer, changes, reading)?;
    if let Some(times) = written.times {
        writer.link_prompt_copies(times)?;
    }
    let (read, left) = changes.changed.split_at(written.files);
    settle_repeated_sessions(&options.env, writer, read, &changes.gone)?;
    // Last: what they held may be in a file that is new.
    let gone = match left {
        [] => changes.gone.as_slice(),
        _ => &[],
    };
    gone.iter()
        .try_for_each(|file| writer.mark_file_gone(*file))?;
    if left.is_empty() && options.mode == RefreshMode::Full {
        compare_gone_files(writer)?;
    }
    writer.apply_external_titles()?;
    // Also where a file could not be read: to lose a title is better than to keep that of a forgotten session.
    if left.is_empty() {
        reading.policy.exclusions.delete_unheld_titles(writer)?;
    }
    writer.commit()?;
    // What was stored of marked sessions before their marks.
    let mut removed = match written.new_exclusions {
        Some(exclusions) => exclusions.apply(writer)?,
        None => ContentCounts::default(),
    };
    removed.sessions += written.removed_subagents;
    Ok(RefreshOutcome {
        files_read: read.len() - written.unread,
        files_left: left.len(),
        files_gone: gone.len(),
        turns: written.turns,
        unreadable_paths: writer.reader()?.unread_paths()?,
        embedded: written.embedded,
        removed,
        uncounted_markers: find_indexed(writer.reader()?, written.uncounted_markers)?,
        marked_sessions: written.marked,
        ..RefreshOutcome::default()
    })
}

/// Returns the ids of these that are in the index: another prompt may have excluded one.
fn find_indexed(index: &Reader, ids: BTreeSet<String>) -> Result<Vec<String>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sessions = index.sessions()?.into_iter().map(|session| session.uid);
    let indexed: HashSet<String> = sessions.collect();
    Ok(ids.into_iter().filter(|id| indexed.contains(id)).collect())
}

/// Deletes what files that have long been gone hold of sessions that files that are there hold whole by now.
fn compare_gone_files(writer: &mut Writer) -> Result<(), StoreError> {
    let files = writer.reader()?.files()?;
    let mut gone = files.iter().filter(|file| file.gone);
    gone.try_for_each(|file| writer.mark_file_gone(file.id))
}

/// Records files that moved or returned, and the problems of listing.
fn record_listing(writer: &mut Writer, changes: &HistoryChanges) -> Result<(), StoreError> {
    for MovedFile { file, path } in &changes.moved {
        writer.rename_file(*file, path)?;
    }
    for ReturnedFile { source, path } in &changes.returned {
        writer.upsert_file(source, path)?;
    }
    match &changes.problems {
        Some(problems) => writer.replace_listing_problems(problems),
        None => Ok(()),
    }
}

/// Reads the histories on several threads, and writes their sessions and turns on this one.
fn write_histories(
    options: &RefreshOptions<'_>,
    writer: &mut Writer,
    changes: &HistoryChanges,
    reading: &ReadOptions<'_>,
) -> Result<WrittenHistories, IndexError> {
    let sizes = changes.changed.iter().map(|c| c.file.location.stamp.size);
    let total_bytes: u64 = sizes.sum();
    let spec = reading.embedder.map(Embedder::spec);
    let model = spec.map(|spec| writer.add_model(&spec.fingerprint(), &spec.name, spec.dims));
    let model = model.transpose()?;
    let preparer = writer.turn_preparer();
    let exclusions = &reading.policy.exclusions;
    let mut histories = HistoryWriter::new(writer, model, exclusions, &changes.gone);
    let mut bytes = 0;
    let changed = &changes.changed;
    read_in_order(changed, options.threads, reading, &preparer, |begun| {
        histories.write_file(begun.change, &begun.events)?;
        bytes += begun.change.file.location.stamp.size;
        let (done, total) = (bytes, total_bytes);
        let progress = Progress { done, total };
        options.progress.report(RefreshStage::Reading, progress);
        Ok::<(), IndexError>(())
    })?;
    histories.finish()
}

#[cfg(test)]
mod tests;
