//! The second pass: vectors for what the index holds.

use crate::access::Access;
use crate::commit_schedule::CommitSchedule;
use crate::documents::{SessionBatch, max_document_bytes};
use crate::embedding_ahead::EmbeddingAhead;
use crate::outcome::{Progress, Stage};
use crate::refresh::IndexError;
use session_embed::{EmbedError, Embedder};
use session_store::{
    DocumentBatch, ModelId, ModelRow, PendingSession, Problem, Reader, SessionId, StoreError,
    Writer,
};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

/// Texts embedded between two commits while others wait for the writer.
const MAX_HELD_TEXTS: usize = 200;
/// Turns from which on texts are embedded ahead of the writer.
const MIN_TURNS_AHEAD: u64 = 2_000;
/// Texts embedded between two commits of a slow model: what a kill may cost.
const BRIEF_TEXTS: usize = 100;

/// The model to embed with, and when to stop.
pub struct Embedding<'a> {
    /// The model.
    pub embedder: &'a dyn Embedder,
    /// Longest time to take.
    pub deadline: Option<Instant>,
    /// Asked between two commits: true ends the work there.
    pub stop: &'a dyn Fn() -> bool,
    /// Hears how far it has got.
    pub progress: &'a dyn Progress,
}

/// Counts of an embedding run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Texts.
    pub texts: usize,
    /// About how many tokens they have.
    pub tokens: u64,
    /// Texts of which the model gave no vector; a later run tries again.
    pub failed: usize,
    /// Sessions left to do.
    pub sessions_left: usize,
}

impl<'a> Embedding<'a> {
    /// Embedding of all that there is, to its end.
    pub fn new(embedder: &'a dyn Embedder, progress: &'a dyn Progress) -> Self {
        Self {
            embedder,
            deadline: None,
            stop: &|| false,
            progress,
        }
    }
}

/// Embeds what is pending, newest sessions first, and commits as it goes.
///
/// # Errors
/// When the store or the model fails.
pub fn embed_pending(writer: &mut Writer, how: &Embedding<'_>) -> Result<Embedded, IndexError> {
    EmbeddingRun::new(Access::Held(writer), how, MAX_HELD_TEXTS)?.complete()
}

/// As [`embed_pending`], for a slow model: the writer is taken for each commit
/// alone, so that others can write meanwhile.
///
/// # Errors
/// When the store or the model fails, or another writer does not end.
pub fn embed_beside(root: &Path, how: &Embedding<'_>) -> Result<Embedded, IndexError> {
    EmbeddingRun::new(Access::Brief(root), how, BRIEF_TEXTS)?.complete()
}

/// Records why a model could not embed, for whoever asks later: a process in the background can tell nobody. The next
/// run of the model deletes it.
///
/// # Errors
/// When the store fails, or another writer does not end.
pub fn record_model_failure(root: &Path, model: &str, reason: &str) -> Result<(), IndexError> {
    let problem = Problem {
        path: model_problem_path(model),
        reason: reason.to_owned(),
        offset: None,
        count: 1,
    };
    Access::Brief(root).write(|writer| {
        writer.clear_unreadable(&problem.path)?;
        writer.record_unreadable(&problem)?;
        writer.commit()
    })
}

/// Removes the failures of models from the problems of an index; returns them by the models' names.
pub fn take_model_failures(problems: &mut Vec<Problem>) -> HashMap<String, String> {
    let failures = problems.extract_if(.., |problem| model_of_problem(problem).is_some());
    let failures: Vec<Problem> = failures.collect();
    let by_name = failures.into_iter().filter_map(|problem| {
        let name = model_of_problem(&problem)?.to_owned();
        Some((name, problem.reason))
    });
    by_name.collect()
}

/// Returns what stands for the path of a file in a problem of a model. No history has such a path.
fn model_problem_path(model: &str) -> String {
    format!("model `{model}`")
}

/// Returns the name of the model whose problem this is.
fn model_of_problem(problem: &Problem) -> Option<&str> {
    problem.path.strip_prefix("model `")?.strip_suffix('`')
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

    /// Removes the sessions of finished batches, which are the first ones; an unfinished one returns to the front.
    fn remove_done(&mut self, batches: &[SessionBatch], failed: &HashSet<SessionId>) {
        self.sessions.drain(..batches.len());
        for batch in batches.iter().rev() {
            if !batch.whole && !failed.contains(&batch.pending.session) {
                self.sessions.push_front(batch.pending);
            }
        }
    }
}

/// One go at embedding.
struct EmbeddingRun<'a> {
    access: Access<'a>,
    how: &'a Embedding<'a>,
    limit: usize,
    model: ModelRow,
    queue: EmbeddingQueue,
    /// Sessions with a text that failed.
    failed: HashSet<SessionId>,
    /// How many documents were embedded of sessions of which a part is left. A text that the model cannot read has a
    /// zero vector, which is not stored: by the index alone it would be embedded again and again.
    tried: HashMap<PendingSession, usize>,
    done: Embedded,
    turns_done: u64,
}

impl<'a> EmbeddingRun<'a> {
    fn new(
        mut access: Access<'a>,
        how: &'a Embedding<'a>,
        limit: usize,
    ) -> Result<Self, IndexError> {
        let spec = how.embedder.spec();
        // To embed a text that another session has again takes a fast model no longer than to find its vector.
        let is_slow = matches!(access, Access::Brief(_));
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
            how,
            limit,
            model,
            queue: EmbeddingQueue::new(Vec::new()),
            failed: HashSet::new(),
            tried: HashMap::new(),
            done: Embedded::default(),
            turns_done: 0,
        })
    }

    fn complete(mut self) -> Result<Embedded, IndexError> {
        self.embed_ahead()?;
        while !(crate::events::is_past(self.how.deadline) || (self.how.stop)()) {
            if !self.slice()? {
                break;
            }
        }
        let model = self.model.fingerprint.clone();
        self.access.write(|writer| writer.compact(&model))?;
        if self.note_if_complete()? {
            self.delete_other_versions()?;
        } else {
            self.done.sessions_left = self.pending()?.len() + self.failed.len();
        }
        self.record_failures()?;
        Ok(self.done)
    }

    /// Embeds and commits some; false when there is nothing to do.
    fn slice(&mut self) -> Result<bool, IndexError> {
        if self.queue.is_stale() {
            if self.turns_done > 0 && self.queue.sessions.is_empty() {
                self.note_if_complete()?;
            }
            self.queue = EmbeddingQueue::new(self.pending()?);
        }
        let total = self.queue.turns();
        let mut batches = self.next_batches()?;
        let counts = embed_missing(self.how.embedder, &mut batches)?;
        let model = self.model.clone();
        self.access.write(|writer| {
            store_batch(writer, &model, &batches)?;
            writer.commit()
        })?;
        self.count_done(&counts, &batches, total);
        self.queue.remove_done(&batches, &self.failed);
        Ok(!batches.is_empty())
    }

    fn count_done(&mut self, counts: &TextCounts, batches: &[SessionBatch], total: u64) {
        self.add_counts(counts);
        let failed = batches.iter().filter(|batch| batch.has_failed);
        self.failed
            .extend(failed.map(|batch| batch.pending.session));
        for batch in batches.iter().filter(|batch| !batch.whole) {
            self.tried.insert(batch.pending, batch.tried());
        }
        let ended = batches.iter().filter(|batch| batch.whole);
        self.turns_done += ended.map(|s| u64::from(s.pending.turns)).sum::<u64>();
        self.how.progress.tokens(self.done.tokens);
        self.how.progress.at(
            Stage::Embedding,
            self.turns_done,
            self.turns_done.max(total),
        );
    }

    /// Embeds on another thread what this one stores, where there is much: so the writer has no
    /// time to wait for, and commits seldom.
    fn embed_ahead(&mut self) -> Result<(), IndexError> {
        let Access::Held(writer) = &mut self.access else {
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
            embedder: self.how.embedder,
            model: has_vectors.then(|| self.model.clone()),
            deadline: self.how.deadline,
            sessions: self.queue.sessions.drain(..).collect(),
        };
        let mut commits = CommitSchedule::begin();
        let model = self.model.clone();
        ahead.run(|batch| {
            self.access.write(|writer| {
                store_batch(writer, &model, &batch.sessions)?;
                match commits.is_due() {
                    true => writer.commit(),
                    false => Ok(()),
                }
            })?;
            self.count_done(&batch.counts, &batch.sessions, total);
            Ok(!(self.how.stop)())
        })?;
        self.access.write(Writer::commit)
    }

    /// Notes that the model has embedded all sessions, where it has; returns whether it has.
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
        if let Access::Held(writer) = &mut self.access {
            writer.delete_other_versions(&self.model, UNUSED_VERSION_AGE)?;
            writer.commit()?;
        }
        Ok(())
    }

    /// Returns the pending sessions, without those with a text that failed in this run.
    fn pending(&mut self) -> Result<Vec<PendingSession>, IndexError> {
        let model = self.model.id;
        let mut pending = self.access.read(|index| index.pending_sessions(&[model]))?;
        pending.retain(|p| !self.failed.contains(&p.session));
        Ok(pending)
    }

    /// Records how many texts failed, for `status`; deletes the failure of an earlier run.
    fn record_failures(&mut self) -> Result<(), IndexError> {
        let texts = match self.done.failed {
            1 => "1 text".to_owned(),
            count => format!("{count} texts"),
        };
        let problem = Problem {
            path: model_problem_path(&self.model.name),
            reason: format!("no vector could be had of {texts}; the next run tries again"),
            offset: None,
            count: 1,
        };
        let has_failed = self.done.failed > 0;
        let known = self.access.read(Reader::problems)?;
        if !has_failed && !known.iter().any(|p| p.path == problem.path) {
            return Ok(());
        }
        self.access.write(|writer| {
            writer.clear_unreadable(&problem.path)?;
            if has_failed {
                writer.record_unreadable(&problem)?;
            }
            writer.commit()
        })
    }

    /// Returns the documents of the next commit.
    fn next_batches(&mut self) -> Result<Vec<SessionBatch>, IndexError> {
        let budget = max_document_bytes(self.how.embedder.spec().max_tokens);
        let (model, limit) = (&self.model, self.limit);
        let (pending, tried) = (&self.queue.sessions, &self.tried);
        self.access.read(|index| {
            let (mut batches, mut texts) = (Vec::new(), 0);
            for pending in pending {
                let tried = tried.get(pending).copied().unwrap_or_default();
                let left = limit - texts;
                let batch = SessionBatch::new(index, Some(model), *pending, budget, left, tried)?;
                texts += batch.missing.len();
                let full = !batch.whole || texts == limit;
                batches.push(batch);
                if full {
                    break;
                }
            }
            Ok::<_, IndexError>(batches)
        })
    }

    fn add_counts(&mut self, counts: &TextCounts) {
        self.done.texts += counts.texts;
        self.done.failed += counts.failed;
        self.done.tokens += counts.tokens;
    }
}

/// Counts of one embedding step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TextCounts {
    texts: usize,
    failed: usize,
    tokens: u64,
}

/// Embeds what a model reads of texts; `None` for one of which it gave no vector.
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
pub(crate) fn embed_missing(
    embedder: &dyn Embedder,
    batches: &mut [SessionBatch],
) -> Result<TextCounts, EmbedError> {
    let max_tokens = embedder.spec().max_tokens;
    let texts: Vec<&str> = batches.iter().flat_map(SessionBatch::texts).collect();
    let vectors = embed_texts(embedder, &texts)?;
    let made = vectors.iter().flatten().count();
    let tokens = |text: &&str| text.len().div_ceil(4).min(max_tokens) as u64;
    let counts = TextCounts {
        texts: made,
        failed: texts.len() - made,
        tokens: texts.iter().map(tokens).sum(),
    };
    let mut vectors = vectors.into_iter();
    for batch in batches {
        for place in &batch.missing {
            let made = vectors.next().flatten();
            batch.has_failed |= made.is_none();
            if let Some((_, vector)) = batch.documents.get_mut(*place) {
                *vector = made;
            }
        }
        batch.whole &= !batch.has_failed; // it stays pending, for a later run
    }
    Ok(counts)
}

/// Numbers of the models that the index has.
pub(crate) fn known(index: &Reader, fingerprints: &[String]) -> Result<Vec<ModelId>, StoreError> {
    let model = |fingerprint: &String| index.model(fingerprint).transpose();
    let found = fingerprints.iter().filter_map(model);
    found.map(|row| row.map(|row| row.id)).collect()
}

fn store_batch(
    writer: &mut Writer,
    model: &ModelRow,
    batches: &[SessionBatch],
) -> Result<(), StoreError> {
    for batch in batches {
        let extent = match (batch.whole, batch.is_part) {
            (true, _) => DocumentBatch::Complete,
            (false, true) => DocumentBatch::Part,
            (false, false) => DocumentBatch::Partial,
        };
        writer.store_documents(model, batch.pending, &batch.documents, extent)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_models_are_no_problems_of_histories() {
        let problem = |path: String| Problem {
            path,
            reason: "refused".to_owned(),
            offset: None,
            count: 1,
        };
        let history = problem("/home/ann/model `remote`".to_owned());
        let mut problems = vec![problem(model_problem_path("remote")), history.clone()];
        let failures = take_model_failures(&mut problems);
        assert_eq!(
            failures,
            [("remote".to_owned(), "refused".to_owned())].into()
        );
        assert_eq!(problems, [history]);
    }
}
