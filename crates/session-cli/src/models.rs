//! The models that searches use, and the query as each of them sees it.

use anyhow::Result;
use session_config::Home;
use session_embed::{Architecture, Embedder, ModelSpec};
use session_models::Catalogue;
use session_search::QueryEmbedding;
use session_store::{ModelId, Reader, cache_query_vector, cached_query_vector};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

/// The model in the binary that needs no time: every history is embedded with it.
pub const TABLE: &str = "table";

/// The models of this user that can be used, the best first: the one that was
/// chosen, the others that are here, the table. Of those between the first and
/// the last only such count that have vectors in the index.
pub struct Models {
    catalogue: Catalogue,
    specs: Vec<ModelSpec>,
    root: PathBuf,
    table: Box<dyn Embedder>,
    made: Mutex<Made>,
}

/// What was made of queries, so that no model is asked twice.
#[derive(Default)]
struct Made {
    /// Vectors by fingerprint and query.
    vectors: HashMap<(String, String), Vec<f32>>,
    /// Why the endpoint gave none.
    unreachable: Option<String>,
}

impl Models {
    /// Looks which models there are. No weights are read but the table's.
    ///
    /// # Errors
    /// When the model that was chosen is unknown or not here.
    pub fn of(home: &Home) -> Result<Self> {
        let catalogue = home.catalogue()?;
        let chosen = catalogue.find_spec(&home.config.model)?;
        catalogue.require_available(chosen)?;
        let mut specs = vec![chosen.clone()];
        if chosen.name != TABLE {
            let others = catalogue.specs().iter().filter(|spec| {
                // An endpoint is asked only if it is the one that was chosen.
                spec.architecture != Architecture::Remote
                    && ![chosen.name.as_str(), TABLE].contains(&spec.name.as_str())
                    && catalogue.model_state(spec).is_available()
            });
            specs.extend(others.cloned());
            specs.push(catalogue.find_spec(TABLE)?.clone());
        }
        Ok(Self {
            table: session_embed::bundled()?,
            catalogue,
            specs,
            root: home.root.clone(),
            made: Mutex::default(),
        })
    }

    /// The table, which embeds everything at once.
    pub fn table(&self) -> &dyn Embedder {
        self.table.as_ref()
    }

    /// The model that was chosen, unless that is the table.
    pub fn chosen(&self) -> Option<&ModelSpec> {
        self.specs.first().filter(|spec| spec.name != TABLE)
    }

    /// Opens the model that was chosen.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open_chosen(&self) -> Result<Option<Box<dyn Embedder>>> {
        let chosen = self.chosen().map(|spec| self.catalogue.load(&spec.name));
        Ok(chosen.transpose()?)
    }

    /// A query as the models see it: the chosen one and the table, and those
    /// between them as long as these are needed to speak for all sessions. An endpoint that does
    /// not answer is left out: [`Models::unreachable`] says why.
    ///
    /// # Errors
    /// When the index or a model in process fails.
    pub fn dense(&self, index: &Reader, query: &str) -> Result<Vec<QueryEmbedding>> {
        let mut all: Vec<QueryEmbedding> = Vec::new();
        for spec in &self.specs {
            if spec.name != TABLE && is_covered(index, &all)? {
                continue;
            }
            all.extend(self.seen_by(spec, index, query)?);
        }
        Ok(all)
    }

    /// A query as one model sees it, if the index has vectors of that model and the model answers.
    fn seen_by(
        &self,
        spec: &ModelSpec,
        index: &Reader,
        query: &str,
    ) -> Result<Option<QueryEmbedding>> {
        if index.model(&spec.fingerprint())?.is_none() {
            return Ok(None);
        }
        let text = spec.scripts.readable(query);
        let Some(vector) = self.query_vector(spec, &text)? else {
            return Ok(None);
        };
        // The table has BERT's vocabulary.
        let known = match spec.architecture {
            Architecture::Table | Architecture::Bert => self.table.known(&text),
            _ => 1.0,
        };
        dense(index, spec, query, |_| Ok((vector, known)))
    }

    /// The same for a prompt, which does not wait for an endpoint: of its vectors those count that
    /// are kept.
    #[must_use]
    pub fn without_endpoint(self) -> Self {
        self.made().unreachable = Some("an endpoint is not asked about a prompt".to_owned());
        self
    }

    /// Why the endpoint did not embed a query, if it was asked in vain.
    pub fn unreachable(&self) -> Option<String> {
        self.made().unreachable.clone()
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Makes the vectors that [`Models::dense`] will ask for, as far as can be
    /// told now; what fails here will fail there.
    pub fn warm(&self, query: &str) {
        if let Ok(index) = Reader::open(&self.root) {
            let _ = self.dense(&index, query);
        }
    }

    /// Known from before, or made now and kept; `None` where the endpoint does not answer.
    fn query_vector(&self, spec: &ModelSpec, query: &str) -> Result<Option<Vec<f32>>> {
        if spec.name == TABLE {
            return Ok(Some(self.table.embed_query(query)?));
        }
        if query.is_empty() {
            return Ok(Some(vec![0.0; spec.dims]));
        }
        let fingerprint = spec.fingerprint();
        let key = (fingerprint.clone(), query.to_owned());
        // Locked until the model has answered: the next thread takes its answer.
        let mut made = self.made();
        if let Some(vector) = made.vectors.get(&key) {
            return Ok(Some(vector.clone()));
        }
        let vector = match cached_query_vector(&self.root, &fingerprint, spec.dims, query) {
            Some(vector) => vector,
            None => match made.embed_query(&self.catalogue, spec, query)? {
                Some(vector) => {
                    // Only time is lost where it cannot be kept.
                    let _ = cache_query_vector(&self.root, &fingerprint, query, &vector);
                    vector
                }
                None => return Ok(None),
            },
        };
        made.vectors.insert(key, vector.clone());
        Ok(Some(vector))
    }
}

impl Made {
    /// Asks a model; an endpoint that has not answered once is not asked again.
    fn embed_query(
        &mut self,
        catalogue: &Catalogue,
        spec: &ModelSpec,
        query: &str,
    ) -> Result<Option<Vec<f32>>> {
        let is_remote = spec.architecture == Architecture::Remote;
        if is_remote && self.unreachable.is_some() {
            return Ok(None);
        }
        match catalogue.load(&spec.name)?.embed_query(query) {
            Err(error) if is_remote => {
                self.unreachable = Some(error.to_string());
                Ok(None)
            }
            vector => Ok(Some(vector?)),
        }
    }
}

/// True when these models together have embedded all sessions.
fn is_covered(index: &Reader, by: &[QueryEmbedding]) -> Result<bool> {
    let models: Vec<ModelId> = by.iter().map(|dense| dense.model.id).collect();
    Ok(!models.is_empty() && index.pending_sessions(&models)?.is_empty())
}

/// What a model makes of the part of a query that it reads: the vector, and the share of its words
/// that the model knows.
///
/// # Errors
/// When the model fails.
pub fn embed_query(model: &dyn Embedder, text: &str) -> Result<(Vec<f32>, f32)> {
    Ok((model.embed_query(text)?, model.known(text)))
}

/// A query as a model sees it, if the index has vectors of that model. `see` gives the vector of
/// the part that it reads, and the share of the words in it that it knows.
///
/// # Errors
/// When the index fails, or the query's vector cannot be made.
pub fn dense(
    index: &Reader,
    spec: &ModelSpec,
    query: &str,
    see: impl FnOnce(&str) -> Result<(Vec<f32>, f32)>,
) -> Result<Option<QueryEmbedding>> {
    let Some(model) = index.model(&spec.fingerprint())? else {
        return Ok(None);
    };
    let (vector, known) = see(&spec.scripts.readable(query))?;
    Ok(Some(QueryEmbedding {
        model,
        vector,
        known,
        read: spec.scripts.share(query),
        scale: spec.cosine,
    }))
}
