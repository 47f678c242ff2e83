//! Embeds the documents of sessions ahead of the writer that stores them.

use crate::deadline::Deadline;
use crate::documents::{SessionBatch, SlicedSession};
use crate::embedding::{EmbeddingCounts, embed_batches};
use crate::error::IndexError;
use session_embed::Embedder;
use session_store::{ModelRow, PendingSession, Reader};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

/// Texts embedded together.
const BATCH_TEXTS: usize = 1_000;
/// Batches that may wait for the writer.
const MAX_WAITING_BATCHES: usize = 2;

/// The sessions that are embedded ahead: those whose turns are committed.
pub(crate) struct EmbeddingAhead<'a> {
    pub(crate) root: &'a Path,
    pub(crate) embedder: &'a dyn Embedder,
    /// The model; `None` if the index has no vectors by it, so that none are looked for.
    pub(crate) model: Option<ModelRow>,
    pub(crate) deadline: Deadline,
    pub(crate) sessions: Vec<PendingSession>,
}

/// Sessions that were embedded together, or slices of them.
pub(crate) struct EmbeddedBatch {
    pub(crate) sessions: Vec<SessionBatch>,
    pub(crate) counts: EmbeddingCounts,
}

impl EmbeddingAhead<'_> {
    /// Embeds all sessions in order on a thread of its own and calls `store` with them on this one, until it
    /// returns false or the time is up.
    pub(crate) fn run(
        &self,
        mut store: impl FnMut(&EmbeddedBatch) -> Result<bool, IndexError>,
    ) -> Result<(), IndexError> {
        let (sender, batches) = sync_channel(MAX_WAITING_BATCHES);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Err(error) = self.embed_all(&sender) {
                    let _ = sender.send(Err(error));
                }
            });
            // The thread ends with what receives from it.
            for batch in batches {
                if !store(&batch?)? {
                    break;
                }
            }
            Ok(())
        })
    }

    fn embed_all(
        &self,
        sender: &SyncSender<Result<EmbeddedBatch, IndexError>>,
    ) -> Result<(), IndexError> {
        let index = Reader::open(self.root)?;
        // The pool of the process may have to answer a query, whose small tasks would wait behind a thousand texts;
        // threads of this one have the priority of this thread.
        // The size is set explicitly: otherwise `RAYON_NUM_THREADS` decides.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores);
        let pool = pool.build().ok();
        let budget = self.embedder.max_document_bytes();
        let sessions = self.sessions.iter();
        let mut sessions = sessions.map(|pending| SlicedSession::new(*pending, budget));
        let mut reading = sessions.next();
        while !self.deadline.has_passed() {
            let mut batch =
                next_sessions(&index, self.model.as_ref(), &mut reading, &mut sessions)?;
            let counts = match &pool {
                Some(pool) => pool.install(|| embed_batches(self.embedder, &mut batch)),
                None => embed_batches(self.embedder, &mut batch),
            };
            let batch = EmbeddedBatch {
                counts: counts?,
                sessions: batch,
            };
            if batch.sessions.is_empty() || sender.send(Ok(batch)).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Reads what is left of the session that is being read, and what comes after it, up to [`BATCH_TEXTS`].
fn next_sessions(
    index: &Reader,
    model: Option<&ModelRow>,
    reading: &mut Option<SlicedSession>,
    sessions: &mut impl Iterator<Item = SlicedSession>,
) -> Result<Vec<SessionBatch>, IndexError> {
    let (mut batch, mut texts) = (Vec::new(), 0);
    while texts < BATCH_TEXTS
        && let Some(session) = reading
    {
        let slice = session.next_slice(index, model, BATCH_TEXTS - texts)?;
        texts += slice.documents.len();
        if slice.is_complete() {
            *reading = sessions.next();
        }
        batch.push(slice);
    }
    Ok(batch)
}
