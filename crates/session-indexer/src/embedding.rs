//! The second pass: vectors for what the index holds.

use crate::commit_schedule::CommitSchedule;
use crate::deadline::Deadline;
use crate::documents::{BatchLimits, SessionBatch};
use crate::embedding_ahead::EmbeddingAhead;
use crate::error::IndexError;
use crate::model_failures::replace_model_failure;
use crate::outcome::{RefreshProgress, RefreshStage};
use crate::writer_access::WriterAccess;
use session_core::Progress;
use session_embed::{EmbedError, Embedder};
use session_store::{ModelId, ModelRow, PendingSession, Reader, SessionId, StoreError, Writer};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::AddAssign;
use std::path::Path;
use std::time::{Duration, Instant};

/// Texts embedded between two commits while others wait for the writer.
const MAX_HELD_TEXTS: usize = 200;
/// Turns from which on texts are embedded ahead of the writer.
const MIN_TURNS_AHEAD: u64 = 2_000;
/// Texts embedded between two commits of a slow model: what a kill may cost.
const TEXTS_PER_COMMIT_UNLOCKED: usize = 100;

/// The options of an embedding run: its model, and when it stops.
pub struct EmbeddingOptions<'a> {
    /// The model.
    pub embedder: &'a dyn Embedder,
    /// No further texts are embedded after it.
    pub deadline: Deadline,
    /// Is called between two commits; where it returns true, the run ends there.
    pub stop: &'a dyn Fn() -> bool,
    /// Receives the progress.
    pub progress: &'a dyn RefreshProgress,
}

/// Counts of an embedding run, or of one step of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbeddingCounts {
    /// Texts.
    pub texts: usize,
    /// About how many tokens they have.
    pub tokens: u64,
    /// Texts of which the model gave no vector; a later run tries again.
    pub failed: usize,
    /// Sessions left to do.
    pub sessions_left: usize,
}

impl AddAssign for EmbeddingCounts {
    fn add_assign(&mut self, more: Self) {
        self.texts += more.texts;
        self.tokens += more.tokens;
        self.failed += more.failed;
        self.sessions_left += more.sessions_left;
    }
}

impl<'a> EmbeddingOptions<'a> {
    /// Makes the options of a run that embeds all that there is.
    pub fn new(embedder: &'a dyn Embedder, progress: &'a dyn RefreshProgress) -> Self {
        Self {
            embedder,
            deadline: Deadline::default(),
            stop: &|| false,
            progress,
        }
    }
}

/// Embeds pending sessions, the newest first, and commits as it goes; holds the writer throughout.
///
/// # Errors
/// When the store or the model fails.
pub(crate) fn embed_holding_writer(
    writer: &mut Writer,
    options: &EmbeddingOptions<'_>,
) -> Result<EmbeddingCounts, IndexError> {
    EmbeddingRun::new(WriterAccess::Held(writer), options, MAX_HELD_TEXTS)?.run()
}

/// Embeds pending sessions by a slow model; takes the writer's lock for each commit alone, so that others can write
/// meanwhile.
///
/// # Errors
/// When the store or the model fails, or another writer does not end.
pub fn embed_releasing_writer(
    root: &Path,
    options: &EmbeddingOptions<'_>,
) -> Result<EmbeddingCounts, IndexError> {
    EmbeddingRun::new(
        WriterAccess::PerCommit(root),
        options,
        TEXTS_PER_COMMIT_UNLOCKED,
    )?
    .run()
}

/// Longest time for which sessions that others write meanwhile, which are newer, wait.
const QUEUE_AGE: Duration = Duration::from_secs(2);

/// Age from which on the vectors of another version of a model are deleted: two versions of the program that are used
/// in turns would else undo each other's work.
const UNUSED_VERSION_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The sessions to embed, newest first. To read them takes as long as a commit where there are thousands.
struct EmbeddingQueue {
    sessions: VecDeque<PendingSession>,
    read_at: Instant,
}

impl EmbeddingQueue {
    fn new(sessions: Vec<PendingSession>) -> Self {
        Self {
            sessions: sessions.into(),
            read_at: Instant::now(),
        }
    }

    fn is_stale(&self) -> bool {
        self.sessions.is_empty() || self.read_at.elapsed() > QUEUE_AGE
    }

    /// Counts the turns of all sessions.
    fn turns(&self) -> u64 {
        self.sessions.iter().map(|p| u64::from(p.turns)).sum()
    }

    /// Removes the sessions of batches that were stored, which are the first ones; an incomplete one returns to the front.
    fn remove_done(&mut self, batches: &[SessionBatch], failed: &HashSet<SessionId>) {
        self.sessions.drain(..batches.len());
        for batch in batches.iter().rev() {
            if !batch.is_complete() && !failed.contains(&batch.pending.session) {
                self.sessions.push_front(batch.pending);
            }
        }
    }
}

/// A run that embeds what is pending by one model.
struct EmbeddingRun<'a> {
    access: WriterAccess<'a>,
    options: &'a EmbeddingOptions<'a>,
    /// Texts embedded between two commits.
    max_texts: usize,
    model: ModelRow,
    queue: EmbeddingQueue,
    /// Sessions with a text that failed.
    failed: HashSet<SessionId>,
    /// Numbers of documents of partly embedded sessions that were embedded in this run. One that the model cannot read has a
    /// zero vector, which is not stored: without this count it would be embedded again and again.
    tried: HashMap<PendingSession, usize>,
    counts: EmbeddingCounts,
    turns_done: u64,
}

impl<'a> EmbeddingRun<'a> {
    fn new(
        mut access: WriterAccess<'a>,
        options: &'a EmbeddingOptions<'a>,
        max_texts: usize,
    ) -> Result<Self, IndexError> {
        let spec = options.embedder.spec();
        // A fast model embeds a repeated text as fast as its old vector is found.
        let is_slow = matches!(access, WriterAccess::PerCommit(_));
        let model = access.write(|writer| {
            let mut model = writer.add_model(&spec.fingerprint(), &spec.name, spec.dims)?;
            if is_slow {
                model = writer.index_texts(&model)?;
            }
            writer.commit()?;
            Ok(model)
        })?;
        Ok(Self {
            access,
            options,
            max_texts,
            model,
            queue: EmbeddingQueue::new(Vec::new()),
            failed: HashSet::new(),
            tried: HashMap::new(),
            counts: EmbeddingCounts::default(),
            turns_done: 0,
        })
    }

    /// Embeds until nothing is left, time is up or it is stopped.
    fn run(mut self) -> Result<EmbeddingCounts, IndexError> {
        self.embed_ahead()?;
        while !(self.options.deadline.has_passed() || (self.options.stop)()) {
            if !self.embed_next()? {
                break;
            }
        }
        let model = self.model.fingerprint.clone();
        self.access.write(|writer| writer.compact(&model))?;
        if self.note_if_complete()? {
            self.delete_other_versions()?;
        } else {
            self.counts.sessions_left = self.read_pending()?.len() + self.failed.len();
        }
        self.record_failures()?;
        Ok(self.counts)
    }

    /// Embeds and commits some documents; returns false when there is nothing to do.
    fn embed_next(&mut self) -> Result<bool, IndexError> {
        if self.queue.is_stale() {
            if self.turns_done > 0 && self.queue.sessions.is_empty() {
                self.note_if_complete()?;
            }
            self.queue = EmbeddingQueue::new(self.read_pending()?);
        }
        let total = self.turns_done + self.queue.turns();
        let mut batches = self.next_batches()?;
        let counts = embed_batches(self.options.embedder, &mut batches)?;
        let model = self.model.clone();
        self.access.write(|writer| {
            store_batches(writer, &model, &batches)?;
            writer.commit()
        })?;
        self.count_done(counts, &batches, total);
        self.queue.remove_done(&batches, &self.failed);
        Ok(!batches.is_empty())
    }

    fn count_done(&mut self, counts: EmbeddingCounts, batches: &[SessionBatch], total: u64) {
        self.counts += counts;
        let failed = batches.iter().filter(|batch| batch.has_failed);
        self.failed
            .extend(failed.map(|batch| batch.pending.session));
        for batch in batches.iter().filter(|batch| !batch.is_complete()) {
            self.tried.insert(batch.pending, batch.count_tried());
        }
        let ended = batches.iter().filter(|batch| batch.is_complete());
        self.turns_done += ended.map(|s| u64::from(s.pending.turns)).sum::<u64>();
        self.options.progress.report_tokens(self.counts.tokens);
        self.options.progress.report(
            RefreshStage::Embedding,
            Progress {
                done: self.turns_done,
                total: self.turns_done.max(total),
            },
        );
    }

    /// Embeds on another thread what this one stores, where there is much: so the writer has no
    /// time to wait for, and commits seldom.
    fn embed_ahead(&mut self) -> Result<(), IndexError> {
        let WriterAccess::Held(writer) = &mut self.access else {
            return Ok(());
        };
        self.queue = EmbeddingQueue::new(writer.reader()?.pending_sessions(&[self.model.id])?);
        let total = self.queue.turns();
        if total < MIN_TURNS_AHEAD {
            return Ok(());
        }
        let index = writer.reader()?;
        let root = index.root().to_owned();
        let has_vectors = index.embedded_sessions(self.model.id)? > 0;
        let ahead = EmbeddingAhead {
            root: &root,
            embedder: self.options.embedder,
            model: has_vectors.then(|| self.model.clone()),
            deadline: self.options.deadline,
            sessions: self.queue.sessions.drain(..).collect(),
        };
        let mut commits = CommitSchedule::begin();
        let model = self.model.clone();
        ahead.run(|batch| {
            self.access.write(|writer| {
                store_batches(writer, &model, &batch.sessions)?;
                if commits.is_due() {
                    writer.commit()
                } else {
                    Ok(())
                }
            })?;
            self.count_done(batch.counts, &batch.sessions, total);
            Ok(!(self.options.stop)())
        })?;
        self.access.write(Writer::commit)
    }

    /// Notes that the model has embedded all sessions, where it has, and returns true then.
    fn note_if_complete(&mut self) -> Result<bool, IndexError> {
        let model = self.model.id;
        self.access.write(|writer| {
            let is_complete = writer.note_if_complete(model)?;
            writer.commit()?;
            Ok(is_complete)
        })
    }

    /// Deletes what another version of the model has embedded, where the writer is held throughout: that is a model that
    /// takes no time. What a slow one has made is left to whoever still has that version.
    fn delete_other_versions(&mut self) -> Result<(), IndexError> {
        if let WriterAccess::Held(writer) = &mut self.access {
            writer.delete_other_versions(&self.model, UNUSED_VERSION_AGE)?;
            writer.commit()?;
        }
        Ok(())
    }

    /// Reads the pending sessions, without those with a text that failed in this run.
    fn read_pending(&mut self) -> Result<Vec<PendingSession>, IndexError> {
        let model = self.model.id;
        let mut pending = self.access.read(|index| index.pending_sessions(&[model]))?;
        pending.retain(|p| !self.failed.contains(&p.session));
        Ok(pending)
    }

    /// Records how many texts failed, for `status`; deletes the failure of an earlier run.
    fn record_failures(&mut self) -> Result<(), IndexError> {
        let failure = match self.counts.failed {
            0 => None,
            1 => Some("1 text".to_owned()),
            count => Some(format!("{count} texts")),
        };
        let failure = failure
            .map(|texts| format!("no vector could be had of {texts}; the next run tries again"));
        replace_model_failure(&mut self.access, &self.model.name, failure.as_deref())
    }

    /// Returns the documents of the next commit.
    fn next_batches(&mut self) -> Result<Vec<SessionBatch>, IndexError> {
        let budget = self.options.embedder.max_document_bytes();
        let (model, max_texts) = (&self.model, self.max_texts);
        let (pending, tried) = (&self.queue.sessions, &self.tried);
        self.access.read(|index| {
            let (mut batches, mut texts) = (Vec::new(), 0);
            for pending in pending {
                let limits = BatchLimits {
                    budget,
                    max_without_vector: max_texts - texts,
                    tried: tried.get(pending).copied().unwrap_or_default(),
                };
                let batch = SessionBatch::new(index, Some(model), *pending, limits)?;
                texts += batch.without_vector.len();
                let full = !batch.is_complete() || texts == max_texts;
                batches.push(batch);
                if full {
                    break;
                }
            }
            Ok::<_, IndexError>(batches)
        })
    }
}

/// Embeds what a model reads of texts; returns `None` for one of which it gave no vector.
pub fn embed_texts(
    embedder: &dyn Embedder,
    texts: &[&str],
) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
    let scripts = &embedder.spec().scripts;
    let texts: Vec<Cow<'_, str>> = texts
        .iter()
        .map(|text| scripts.blank_unreadable(text))
        .collect();
    let texts: Vec<&str> = texts.iter().map(Cow::as_ref).collect();
    embedder.try_embed_documents(&texts)
}

/// Embeds the texts that the index has no vector of.
pub(crate) fn embed_batches(
    embedder: &dyn Embedder,
    batches: &mut [SessionBatch],
) -> Result<EmbeddingCounts, EmbedError> {
    let max_tokens = embedder.spec().max_tokens;
    let texts: Vec<&str> = batches.iter().flat_map(SessionBatch::texts).collect();
    let vectors = embed_texts(embedder, &texts)?;
    let made = vectors.iter().flatten().count();
    let tokens = |text: &&str| text.len().div_ceil(4).min(max_tokens) as u64;
    let counts = EmbeddingCounts {
        texts: made,
        tokens: texts.iter().map(tokens).sum(),
        failed: texts.len() - made,
        sessions_left: 0,
    };
    let mut vectors = vectors.into_iter();
    for batch in batches {
        let mut has_failed = false;
        for index in &batch.without_vector {
            let made = vectors.next().flatten();
            has_failed |= made.is_none();
            if let Some(document) = batch.documents.get_mut(*index) {
                document.vector = made;
            }
        }
        if has_failed {
            batch.note_failure();
        }
    }
    Ok(counts)
}

/// Returns the number of the embedder's model, if the index has the model.
pub(crate) fn known_model(
    index: &Reader,
    embedder: &dyn Embedder,
) -> Result<Option<ModelId>, StoreError> {
    let model = index.model(&embedder.spec().fingerprint())?;
    Ok(model.map(|row| row.id))
}

/// Stores the documents of sessions that were embedded together.
fn store_batches(
    writer: &mut Writer,
    model: &ModelRow,
    batches: &[SessionBatch],
) -> Result<(), StoreError> {
    for batch in batches {
        writer.store_documents(model, batch.pending, &batch.documents, batch.extent)?;
    }
    Ok(())
}
