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

    /// Writes the words to a file of the folder.
    fn sort(self, folder: &Path) -> Result<SortedRun> {
        let terms = self.terms.to_list();
        let doclists = self.into_doclists(terms.len());
        SortedRun::write(folder, doclists.in_order(&terms))
    }

    fn into_doclists(self, terms: usize) -> Doclists {
        let turns = self.turns.iter();
        Doclists::new(turns.map(|(id, words)| (*id, words)), terms)
    }
}

/// The thread that sorts the words of one segment.
pub(super) struct WordSorter {
    /// Takes one batch at a time, when the one before was sorted.
    batches: SyncSender<WordBatch>,
    parts: Receiver<Vec<SegmentRow>>,
    thread: JoinHandle<Result<()>>,
}

impl WordSorter {
    /// Starts the thread, whose files lie in `folder`.
    pub(super) fn start(folder: PathBuf) -> Self {
        let (batches, waiting) = sync_channel(0);
        let (sender, parts) = sync_channel(MAX_WAITING_PARTS);
        let thread = std::thread::spawn(move || sort_and_merge(&waiting, &folder, &sender));
        Self {
            batches,
            parts,
            thread,
        }
    }

    /// Sorts a batch, whose turns come after those of the batches before.
    ///
    /// A failure is told by [`WordSorter::finish`].
    pub(super) fn push(&self, batch: WordBatch) {
        let _ = self.batches.send(batch);
    }

    /// Writes all batches as a segment.
    ///
    /// # Errors
    /// When the disk or the database fails.
    pub(super) fn finish(self, segment: &mut StoredSegment<'_>) -> Result<()> {
        drop(self.batches);
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
    batches: &Receiver<WordBatch>,
    folder: &Path,
    parts: &SyncSender<Vec<SegmentRow>>,
) -> Result<()> {
    let runs: Vec<SortedRun> = batches
        .iter()
        .map(|batch| batch.sort(folder))
        .collect::<Result<_>>()?;
    let mut builder = SegmentBuilder::new();
    merge_runs(runs, |term, doclist| {
        builder.push(term, doclist);
        if let Some(rows) = builder.take_many_rows() {
            // Nobody takes them where the writer has failed.
            let _ = parts.send(rows);
        }
    })?;
    let _ = parts.send(builder.finish());
    Ok(())
}
