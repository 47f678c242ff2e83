//! Sorts words beside the writer: batches into runs as they come, at the end the runs into a segment.

use super::doclists::Doclists;
use super::segment::SegmentBuilder;
use super::segment_rows::{SegmentRow, StoredSegment};
use super::sorted_run::{SortedRun, merge_runs};
use super::term_table::TermTable;
use super::turn_words::TurnWords;
use crate::error::Result;
use crate::id::TurnId;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Parts of a segment that may wait for the writer.
const MAX_WAITING_PARTS: usize = 4;

/// Turns whose words have terms of one table.
pub(super) struct WordBatch {
    pub(super) turns: BTreeMap<TurnId, TurnWords>,
    pub(super) terms: Arc<TermTable>,
}

impl WordBatch {
    /// Writes the words as a segment.
    pub(super) fn store(self, segment: &mut StoredSegment<'_>) -> Result<()> {
        let terms = self.terms.to_list();
        let doclists = self.into_doclists(terms.len());
        let mut builder = SegmentBuilder::new();
        for list in doclists.in_order(&terms) {
            builder.push(list.term, list.doclist);
            if let Some(rows) = builder.take_many_rows() {
                segment.insert(&rows)?;
            }
        }
        segment.insert(&builder.finish())
    }

    /// Writes the words to a file of the directory.
    fn sort(self, directory: &Path) -> Result<SortedRun> {
        let terms = self.terms.to_list();
        let doclists = self.into_doclists(terms.len());
        SortedRun::write(directory, doclists.in_order(&terms))
    }

    fn into_doclists(self, terms: usize) -> Doclists {
        let turns = self.turns.iter();
        Doclists::new(turns.map(|(id, words)| (*id, words)), terms)
    }
}

/// The thread that sorts the words of one segment. It ends where this is dropped.
pub(super) struct WordSorter {
    /// Takes one batch at a time, when the one before was sorted.
    tasks: SyncSender<Task>,
    parts: Receiver<Vec<SegmentRow>>,
    thread: JoinHandle<Result<()>>,
}

enum Task {
    /// Write a batch to a file.
    Sort(WordBatch),
    /// Merge the files.
    Merge,
}

impl WordSorter {
    /// Starts the thread, whose files lie in `directory`.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(super) fn start(directory: PathBuf) -> Result<Self> {
        let (tasks, waiting) = sync_channel(0);
        let (sender, parts) = sync_channel(MAX_WAITING_PARTS);
        let work = move || sort_and_merge(&waiting, &directory, &sender);
        Ok(Self {
            tasks,
            parts,
            thread: std::thread::Builder::new().spawn(work)?,
        })
    }

    /// Sorts a batch, none of whose turns is in one before.
    ///
    /// A failure is told by [`WordSorter::finish`].
    pub(super) fn push(&self, batch: WordBatch) {
        let _ = self.tasks.send(Task::Sort(batch));
    }

    /// Writes all batches as a segment.
    ///
    /// # Errors
    /// When the disk or the database fails.
    pub(super) fn finish(self, segment: &mut StoredSegment<'_>) -> Result<()> {
        let _ = self.tasks.send(Task::Merge);
        for rows in &self.parts {
            segment.insert(&rows)?;
        }
        match self.thread.join() {
            Ok(sorted) => sorted,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

fn sort_and_merge(
    tasks: &Receiver<Task>,
    directory: &Path,
    parts: &SyncSender<Vec<SegmentRow>>,
) -> Result<()> {
    let mut runs = Vec::new();
    for task in tasks {
        match task {
            Task::Sort(batch) => runs.push(batch.sort(directory)?),
            Task::Merge => return merge(runs, parts),
        }
    }
    Ok(()) // the writer gave up
}

fn merge(runs: Vec<SortedRun>, parts: &SyncSender<Vec<SegmentRow>>) -> Result<()> {
    // Nobody takes them where the writer has failed.
    let send = |rows| match parts.send(rows) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let mut builder = SegmentBuilder::new();
    merge_runs(runs, |term, doclist| {
        builder.push(term, doclist);
        builder
            .take_many_rows()
            .map_or(ControlFlow::Continue(()), send)
    })?;
    let _ = send(builder.finish());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sorter_that_is_dropped_ends_without_a_merge() {
        let directory = tempfile::tempdir().unwrap();
        let sorter = WordSorter::start(directory.path().to_owned()).unwrap();
        sorter.push(WordBatch {
            turns: BTreeMap::new(),
            terms: Arc::default(),
        });
        let WordSorter {
            tasks,
            parts,
            thread,
        } = sorter;
        drop(tasks);
        assert_eq!(parts.iter().count(), 0);
        assert!(thread.join().unwrap().is_ok());
    }
}
