//! The second pass: vectors for what the index holds.

use crate::access::Access;
use crate::documents::{Share, document_budget};
use crate::outcome::{Progress, Stage};
use crate::refresh::IndexError;
use session_embed::Embedder;
use session_store::{Extent, ModelId, ModelRow, Pending, Reader, StoreError, Writer};
use std::path::Path;
use std::time::Instant;

/// Texts embedded between two commits while others wait for the writer.
const HELD_TEXTS: usize = 200;
/// Texts embedded between two commits of a slow model: what a kill may cost.
const BRIEF_TEXTS: usize = 100;

/// What to embed with, and when to stop.
pub struct Embedding<'a> {
    /// The model.
    pub embedder: &'a dyn Embedder,
    /// Fingerprints of models that are as good or better: what one of them
    /// has embedded is left to it.
    pub covered_by: Vec<String>,
    /// Fingerprints of models that stand in for this one: what they hold of a
    /// session that it has embedded is forgotten.
    pub stand_ins: Vec<String>,
    /// Longest time to take.
    pub deadline: Option<Instant>,
    /// Asked between two commits: true ends the work there.
    pub stop: &'a dyn Fn() -> bool,
    /// Hears how far it has got.
    pub progress: &'a dyn Progress,
}

/// What was embedded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    /// Texts.
    pub texts: usize,
    /// About how many tokens they have.
    pub tokens: u64,
    /// Sessions left to do.
    pub sessions_left: usize,
}

impl<'a> Embedding<'a> {
    /// Embedding of all that there is, to its end.
    pub fn new(embedder: &'a dyn Embedder, progress: &'a dyn Progress) -> Self {
        Self {
            embedder,
            covered_by: Vec::new(),
            stand_ins: Vec::new(),
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
    Run::new(Access::Held(writer), how, HELD_TEXTS)?.complete()
}

/// As [`embed_pending`], for a slow model: the writer is taken for each commit
/// alone, so that others can write meanwhile.
///
/// # Errors
/// When the store or the model fails, or another writer does not end.
pub fn embed_beside(root: &Path, how: &Embedding<'_>) -> Result<Embedded, IndexError> {
    Run::new(Access::Brief(root), how, BRIEF_TEXTS)?.complete()
}

/// One go at embedding.
struct Run<'a> {
    access: Access<'a>,
    how: &'a Embedding<'a>,
    limit: usize,
    model: ModelRow,
    done: Embedded,
    turns_done: u64,
}

impl<'a> Run<'a> {
    fn new(
        mut access: Access<'a>,
        how: &'a Embedding<'a>,
        limit: usize,
    ) -> Result<Self, IndexError> {
        let spec = how.embedder.spec();
        let model = access.write(|writer| {
            let model = writer.add_model(&spec.fingerprint(), &spec.name, spec.dims)?;
            writer.commit()?;
            Ok(model)
        })?;
        Ok(Self {
            access,
            how,
            limit,
            model,
            done: Embedded::default(),
            turns_done: 0,
        })
    }

    fn complete(mut self) -> Result<Embedded, IndexError> {
        while !(crate::events::is_past(self.how.deadline) || (self.how.stop)()) {
            if !self.slice()? {
                break;
            }
        }
        self.finish()?;
        self.done.sessions_left = self.pending()?.len();
        Ok(self.done)
    }

    /// Embeds and commits some; false when there is nothing to do.
    fn slice(&mut self) -> Result<bool, IndexError> {
        let pending = self.pending()?;
        let mut shares = self.shares(&pending)?;
        self.fill(&mut shares)?;
        let model = self.model.clone();
        self.access.write(|writer| put(writer, &model, &shares))?;
        let ended = shares.iter().filter(|s| s.whole);
        let turns = |p: &Pending| u64::from(p.turns);
        self.turns_done += ended.map(|s| turns(&s.pending)).sum::<u64>();
        let total = pending.iter().map(turns).sum::<u64>();
        self.how.progress.tokens(self.done.tokens);
        self.how.progress.at(
            Stage::Embedding,
            self.turns_done,
            self.turns_done.max(total),
        );
        Ok(!shares.is_empty())
    }

    fn pending(&self) -> Result<Vec<Pending>, IndexError> {
        let others = &self.how.covered_by;
        self.access.read(|index| {
            let mut models = known(index, others)?;
            models.push(self.model.id);
            index.pending(&models)
        })
    }

    /// What is embedded next: of as many sessions as make up a commit.
    fn shares(&self, pending: &[Pending]) -> Result<Vec<Share>, IndexError> {
        let budget = document_budget(self.how.embedder.spec().max_tokens);
        self.access.read(|index| {
            let (mut shares, mut texts) = (Vec::new(), 0);
            for pending in pending {
                let share = Share::of(index, self.model.id, *pending, budget, self.limit - texts)?;
                texts += share.missing.len();
                let full = !share.whole || texts == self.limit;
                shares.push(share);
                if full {
                    break;
                }
            }
            Ok::<_, IndexError>(shares)
        })
    }

    /// Embeds the texts that the index has no vector of.
    fn fill(&mut self, shares: &mut [Share]) -> Result<(), IndexError> {
        let texts: Vec<&str> = shares.iter().flat_map(Share::texts).collect();
        let vectors = self.how.embedder.embed_documents(&texts)?;
        self.done.texts += texts.len();
        let window = self.how.embedder.spec().max_tokens;
        let tokens = |text: &&str| text.len().div_ceil(4).min(window) as u64;
        self.done.tokens += texts.iter().map(tokens).sum::<u64>();
        let mut rows = vectors.rows().into_iter();
        for share in shares {
            for place in &share.missing {
                if let Some((_, vector)) = share.documents.get_mut(*place) {
                    *vector = rows.next().map(|row| row.to_vec());
                }
            }
        }
        Ok(())
    }

    /// Lets the stand-ins go where they are no longer needed.
    fn finish(&mut self) -> Result<(), IndexError> {
        let (model, stand_ins) = (&self.model, &self.how.stand_ins);
        self.access.write(|writer| {
            for stand_in in known(writer, stand_ins)? {
                writer.retire(stand_in, &[model.id])?;
            }
            stand_ins.iter().try_for_each(|s| writer.compact(s))?;
            writer.compact(&model.fingerprint)
        })
    }
}

/// Numbers of the models that the index has.
pub(crate) fn known(index: &Reader, fingerprints: &[String]) -> Result<Vec<ModelId>, StoreError> {
    let model = |fingerprint: &String| index.model(fingerprint).transpose();
    let found = fingerprints.iter().filter_map(model);
    found.map(|row| row.map(|row| row.id)).collect()
}

fn put(writer: &mut Writer, model: &ModelRow, shares: &[Share]) -> Result<(), StoreError> {
    for share in shares {
        let extent = if share.whole {
            Extent::Whole
        } else {
            Extent::Part
        };
        writer.put_documents(model, share.pending, &share.documents, extent)?;
    }
    writer.commit()
}
