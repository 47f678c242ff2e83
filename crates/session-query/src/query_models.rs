//! The models that answer a query.

use crate::embedding_eta::read_embedding_time_left;
use crate::error::QueryError;
use crate::model_overview::count_embedded_sessions;
use crate::query_vectors::{ModelFailure, QueryVectors};
use crate::table_cosines::TableCosines;
use session_config::Home;
use session_embed::{Architecture, Embedder, ModelSpec};
use session_indexer::{
    EmbeddingCounts, EmbeddingOptions, RefreshProgress, embed_releasing_writer,
    record_model_failure,
};
use session_models::{Catalogue, ModelError, REMOTE_MODEL, TABLE_MODEL, WaitListener};
use session_search::QueryEmbedding;
use session_store::{ModelId, ModelRow, Reader};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A search notes what the chosen model has not embedded while that is more than one session in this many.
const NEGLIGIBLE_PART: usize = 20;

/// How many sessions of an index the chosen model has embedded, where it lacks many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedSessions {
    /// The name of the model.
    pub model: String,
    /// The sessions that it has embedded.
    pub embedded: usize,
    /// All sessions.
    pub all: usize,
    /// How long the process that embeds will take, by its estimate, if one runs and has an estimate.
    pub time_left: Option<Duration>,
    /// Why it could not embed in the last run that is recorded in the index.
    pub failure: Option<String>,
}

/// The models that answer a query, the best first: the chosen one, the other installed ones, the
/// table. Of those between the first and the last only such count that have vectors in the index.
/// A model that fails is left out, the chosen one, too.
pub struct QueryModels {
    catalogue: Catalogue,
    /// Name of the chosen model, which may be unknown or not installed.
    chosen: String,
    specs: Vec<ModelSpec>,
    root: PathBuf,
    table: Arc<dyn Embedder>,
    vectors: QueryVectors,
    /// Why models did not answer the last query, by name: their vectors in the index are lost.
    unreadable_vectors: Mutex<BTreeMap<String, ModelFailure>>,
}

impl QueryModels {
    /// Selects the models of a catalogue for an index. No weights are read but the table's.
    ///
    /// # Errors
    /// When the table does not open, which the tests rule out.
    pub fn new(catalogue: Catalogue, chosen: &str, root: &Path) -> Result<Self, QueryError> {
        let vectors = QueryVectors::new(root);
        if let Err(error) = find_available(&catalogue, chosen) {
            vectors.disable(chosen, error.into());
        }
        Ok(Self {
            chosen: chosen.to_owned(),
            specs: select_specs(&catalogue, chosen)?,
            table: session_embed::open_bundled_table()?.into(),
            unreadable_vectors: Mutex::default(),
            vectors,
            catalogue,
            root: root.to_owned(),
        })
    }

    /// Selects the models that the configuration names.
    ///
    /// # Errors
    /// When the chosen model is an endpoint whose configuration has a mistake.
    pub fn for_home(home: &Home) -> Result<Self, QueryError> {
        Self::new(
            home.loadable_catalogue()?,
            &home.config.model,
            &home.index_directory,
        )
    }

    /// Keeps a query from waiting for an endpoint: only its cached vectors count.
    #[must_use]
    pub fn without_endpoint(self) -> Self {
        let failure = ModelFailure {
            reason: "an endpoint is not asked about a prompt".to_owned(),
            hint: None,
        };
        self.vectors.disable(REMOTE_MODEL, failure);
        self
    }

    /// Sets the listener for long waits for the endpoint.
    #[must_use]
    pub fn with_wait_listener(mut self, waits: WaitListener) -> Self {
        self.catalogue = self.catalogue.with_wait_listener(waits);
        self
    }

    /// Keeps the vectors of queries in memory alone, but those of an endpoint: a query that grows letter by
    /// letter is embedded once, and to create a file waits for whatever else is written to the disk.
    #[must_use]
    pub fn without_cache_writes(mut self) -> Self {
        self.vectors.disable_cache_writes();
        self
    }

    /// Returns the table, which embeds a history as it is read.
    pub fn table(&self) -> &dyn Embedder {
        self.table.as_ref()
    }

    /// Returns the chosen model, unless that is the table, unknown or not installed.
    pub fn chosen(&self) -> Option<&ModelSpec> {
        let mut specs = self.specs.iter().filter(|spec| spec.name != TABLE_MODEL);
        specs.find(|spec| spec.name == self.chosen)
    }

    /// Loads the chosen model, unless that is the table.
    ///
    /// # Errors
    /// When it is unknown, not installed, or cannot be loaded.
    pub fn load_chosen(&self) -> Result<Option<Box<dyn Embedder>>, QueryError> {
        let is_table = self.chosen == TABLE_MODEL;
        let chosen = (!is_table).then(|| self.catalogue.load(&self.chosen));
        Ok(chosen.transpose()?)
    }

    /// Embeds by the chosen model all sessions that it has not embedded, until `stop` returns true. There is
    /// nothing to do where the chosen model is the table.
    ///
    /// # Errors
    /// When the index or the model fails.
    pub fn embed_by_chosen_model(
        &self,
        stop: &dyn Fn() -> bool,
        progress: &dyn RefreshProgress,
    ) -> Result<EmbeddingCounts, QueryError> {
        let embedded = self.load_and_embed(stop, progress);
        if let Err(error @ (QueryError::Model(_) | QueryError::Embed(_))) = &embedded {
            // The failure itself is what the caller has to know.
            let _ = record_model_failure(&self.root, &self.chosen, &error.to_string());
        }
        embedded
    }

    fn load_and_embed(
        &self,
        stop: &dyn Fn() -> bool,
        progress: &dyn RefreshProgress,
    ) -> Result<EmbeddingCounts, QueryError> {
        let Some(embedder) = self.load_chosen()? else {
            return Ok(EmbeddingCounts::default());
        };
        let embedding = EmbeddingOptions {
            stop,
            ..EmbeddingOptions::new(embedder.as_ref(), progress)
        };
        Ok(embed_releasing_writer(&self.root, &embedding)?)
    }

    /// Returns why the chosen model could not embed in the last run that is recorded in the index.
    ///
    /// # Errors
    /// When the index fails.
    pub fn recorded_failure(&self, index: &Reader) -> Result<Option<String>, QueryError> {
        Ok(index.model_failures()?.remove(&self.chosen))
    }

    /// Returns why models did not embed a query: the chosen one, which may be unknown, not installed or an
    /// endpoint that does not answer, and others whose files are damaged.
    pub fn failures(&self) -> Vec<ModelFailure> {
        let mut failures = self.vectors.failures();
        failures.extend(self.unreadable_vectors().values().cloned());
        failures
    }

    fn unreadable_vectors(&self) -> MutexGuard<'_, BTreeMap<String, ModelFailure>> {
        self.unreadable_vectors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the row of a model whose matrices can be read; records a failure where one is lost.
    fn find_searchable_model(
        &self,
        index: &Reader,
        fingerprint: &str,
    ) -> Result<Option<ModelRow>, QueryError> {
        let Some(model) = index.model(fingerprint)? else {
            return Ok(None);
        };
        if !index.has_lost_matrix(&model)? {
            self.unreadable_vectors().remove(&model.name);
            return Ok(Some(model));
        }
        let failure = ModelFailure {
            reason: format!("the vectors of `{}` in the index are lost", model.name),
            hint: Some(
                "the next search makes them again, or run `session-search index`".to_owned(),
            ),
        };
        self.unreadable_vectors().insert(model.name, failure);
        Ok(None)
    }

    /// Returns the chosen model, unless it failed.
    fn usable_chosen(&self) -> Option<&ModelSpec> {
        self.chosen().filter(|_| !self.has_chosen_failed())
    }

    /// Returns true when the chosen model failed.
    fn has_chosen_failed(&self) -> bool {
        self.vectors.has_failed(&self.chosen)
    }

    /// Returns how many of the `all` sessions of an index the chosen model has embedded, where it lacks many and did not fail
    /// on this query.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find_unembedded_sessions(
        &self,
        index: &Reader,
        all: usize,
    ) -> Result<Option<UnembeddedSessions>, QueryError> {
        let Some(chosen) = self.usable_chosen() else {
            return Ok(None);
        };
        let embedded = count_embedded_sessions(chosen, index)?;
        let embedded = usize::try_from(embedded).unwrap_or(usize::MAX);
        if all.saturating_sub(embedded) * NEGLIGIBLE_PART <= all {
            return Ok(None);
        }
        Ok(Some(UnembeddedSessions {
            model: chosen.name.clone(),
            embedded,
            all,
            time_left: read_embedding_time_left(&self.root),
            failure: self.recorded_failure(index)?,
        }))
    }

    /// Returns true if the chosen model has not failed and has not embedded all sessions.
    ///
    /// # Errors
    /// When the index fails.
    pub fn has_pending_sessions(&self, index: &Reader) -> Result<bool, QueryError> {
        let Some(chosen) = self.usable_chosen() else {
            return Ok(false);
        };
        Ok(match index.model(&chosen.fingerprint())? {
            Some(model) => index.has_pending_sessions(&[model.id])?,
            None => index.count_sessions()? > 0,
        })
    }

    /// Embeds a query by the chosen model and the table, and by those between them while these are
    /// needed to cover all sessions. A model that fails is left out.
    ///
    /// # Errors
    /// When the index or the table fails.
    pub fn embed(&self, index: &Reader, query: &str) -> Result<Vec<QueryEmbedding>, QueryError> {
        let mut all: Vec<QueryEmbedding> = Vec::new();
        for spec in &self.specs {
            if spec.name != TABLE_MODEL && covers_all_sessions(index, &all)? {
                continue;
            }
            all.extend(self.embed_by(spec, index, query)?);
        }
        Ok(all)
    }

    /// Embeds a query ahead of [`Self::embed`], which then finds the vectors in the cache, and reports the errors.
    pub fn warm(&self, query: &str) {
        if let Ok(index) = Reader::open(&self.root) {
            let _ = self.embed(&index, query);
        }
    }

    /// Embeds a query by one model, if the index has vectors of it and it does not fail.
    fn embed_by(
        &self,
        spec: &ModelSpec,
        index: &Reader,
        query: &str,
    ) -> Result<Option<QueryEmbedding>, QueryError> {
        let Some(model) = self.find_searchable_model(index, &spec.fingerprint())? else {
            return Ok(None);
        };
        if spec.name == TABLE_MODEL {
            return embed_in_process(&self.table, spec, model, query).map(Some);
        }
        let text = spec.scripts.blank_unreadable(query);
        let Some(vector) = self.vector(spec, &text) else {
            return Ok(None);
        };
        // The table has BERT's vocabulary.
        let known_word_share = match spec.architecture {
            Architecture::Table | Architecture::Bert => self.table.known_word_share(&text),
            _ => 1.0,
        };
        Ok(Some(QueryEmbedding {
            model,
            vector,
            known_word_share,
            readable_letter_share: spec.scripts.readable_letter_share(query),
            scale: spec.cosine,
            text_cosines: None,
        }))
    }

    fn vector(&self, spec: &ModelSpec, text: &str) -> Option<Vec<f32>> {
        if text.is_empty() {
            return Some(vec![0.0; spec.dims]);
        }
        self.vectors.vector(&self.catalogue, spec, text)
    }
}

/// Finds a model that can be loaded.
fn find_available<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a ModelSpec, ModelError> {
    let spec = catalogue.find_spec(name)?;
    catalogue.require_available(spec).map(|()| spec)
}

/// Returns the chosen model where it can be loaded, the other installed ones and the table. An endpoint is
/// used only if it is chosen.
fn select_specs(catalogue: &Catalogue, chosen: &str) -> Result<Vec<ModelSpec>, QueryError> {
    let mut specs: Vec<ModelSpec> = find_available(catalogue, chosen)
        .ok()
        .cloned()
        .into_iter()
        .collect();
    if chosen != TABLE_MODEL {
        let others = catalogue.specs().filter(|spec| {
            spec.architecture != Architecture::Remote
                && ![chosen, TABLE_MODEL].contains(&spec.name.as_str())
                && catalogue.model_state(spec).is_available()
        });
        specs.extend(others.cloned());
        specs.push(catalogue.find_spec(TABLE_MODEL)?.clone());
    }
    Ok(specs)
}

/// Returns true when these models together have embedded all sessions.
fn covers_all_sessions(index: &Reader, by: &[QueryEmbedding]) -> Result<bool, QueryError> {
    let models: Vec<ModelId> = by.iter().map(|embedding| embedding.model.id).collect();
    Ok(!models.is_empty() && !index.has_pending_sessions(&models)?)
}

/// Embeds a query by one loaded model, if the index has vectors of it.
///
/// # Errors
/// When the index or the model fails.
pub fn embed_query(
    model: &Arc<dyn Embedder>,
    index: &Reader,
    query: &str,
) -> Result<Option<QueryEmbedding>, QueryError> {
    let spec = model.spec();
    let row = index.model(&spec.fingerprint())?;
    let embed = |row| embed_in_process(model, spec, row, query);
    row.map(embed).transpose()
}

/// Embeds a query by a loaded model, which the index has as `row`.
fn embed_in_process(
    model: &Arc<dyn Embedder>,
    spec: &ModelSpec,
    row: ModelRow,
    query: &str,
) -> Result<QueryEmbedding, QueryError> {
    let text = spec.scripts.blank_unreadable(query);
    let vector = model.embed_query(&text)?;
    let text_cosines = (spec.name == TABLE_MODEL).then(|| TableCosines::for_query(model, &vector));
    Ok(QueryEmbedding {
        model: row,
        vector,
        known_word_share: model.known_word_share(&text),
        readable_letter_share: spec.scripts.readable_letter_share(query),
        scale: spec.cosine,
        text_cosines,
    })
}
