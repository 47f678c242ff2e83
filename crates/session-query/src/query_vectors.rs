//! Query vectors: each is made once, and kept on disk for the next process.

use session_embed::{Architecture, EmbedError, Embedder, ModelSpec};
use session_models::{Catalogue, ModelError};
use session_store::{cache_query_vector, cached_query_vector};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Why a model does not embed queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFailure {
    /// The reason, as a sentence without a full stop.
    pub reason: String,
    /// Advice to the user.
    pub hint: Option<String>,
}

impl ModelFailure {
    /// Formats the failure with its consequence and the advice, as a sentence without a full stop.
    pub fn note(&self) -> String {
        let hint = self.hint.as_ref().map(|hint| format!("; {hint}"));
        let (reason, hint) = (&self.reason, hint.unwrap_or_default());
        format!("{reason}; the other models answer in its place{hint}")
    }
}

impl From<ModelError> for ModelFailure {
    fn from(error: ModelError) -> Self {
        Self {
            reason: error.to_string(),
            hint: error.hint(),
        }
    }
}

impl From<EmbedError> for ModelFailure {
    fn from(error: EmbedError) -> Self {
        Self {
            reason: error.to_string(),
            hint: error.hint().map(str::to_owned),
        }
    }
}

/// The vectors of queries by models that take time.
pub(crate) struct QueryVectors {
    root: PathBuf,
    /// Vectors of models in process are kept for the next process, too.
    is_cached: bool,
    state: Mutex<QueryVectorState>,
}

#[derive(Default)]
struct QueryVectorState {
    vectors: HashMap<VectorKey, Vec<f32>>,
    /// Models that were loaded, by name.
    loaded: HashMap<String, Box<dyn Embedder>>,
    /// The failures of models, by name. None of them is tried again.
    failures: BTreeMap<String, ModelFailure>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct VectorKey {
    fingerprint: String,
    query: String,
}

impl QueryVectors {
    /// Uses the cache in the index's folder.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            is_cached: true,
            state: Mutex::default(),
        }
    }

    /// Keeps the vectors of models in process in memory alone.
    pub(crate) fn disable_cache_writes(&mut self) {
        self.is_cached = false;
    }

    /// Keeps a model from being loaded or requested: only its cached vectors count.
    pub(crate) fn disable(&self, model: &str, failure: ModelFailure) {
        self.state().failures.insert(model.to_owned(), failure);
    }

    /// Returns why models did not embed a query, in the order of their names.
    pub(crate) fn failures(&self) -> Vec<ModelFailure> {
        self.state().failures.values().cloned().collect()
    }

    /// Returns true when a model failed.
    pub(crate) fn has_failed(&self, model: &str) -> bool {
        self.state().failures.contains_key(model)
    }

    /// Returns a query's vector by a model, made if it is not known; `None` if the model fails.
    pub(crate) fn vector(
        &self,
        catalogue: &Catalogue,
        spec: &ModelSpec,
        query: &str,
    ) -> Option<Vec<f32>> {
        let key = VectorKey {
            fingerprint: spec.fingerprint(),
            query: query.to_owned(),
        };
        // Locked until the model has answered: another thread waits for the same vector.
        let mut state = self.state();
        if let Some(vector) = state.vectors.get(&key) {
            return Some(vector.clone());
        }
        let cached = cached_query_vector(&self.root, &key.fingerprint, spec.dims, query);
        let vector = match cached {
            Some(vector) => Some(vector),
            None => self.embed(&mut state, catalogue, spec, &key),
        };
        if let Some(vector) = &vector {
            state.vectors.insert(key, vector.clone());
        }
        vector
    }

    fn embed(
        &self,
        state: &mut QueryVectorState,
        catalogue: &Catalogue,
        spec: &ModelSpec,
        key: &VectorKey,
    ) -> Option<Vec<f32>> {
        let vector = state.embed(catalogue, spec, &key.query);
        let is_cached = self.is_cached || spec.architecture == Architecture::Remote;
        if let Some(vector) = vector.as_ref().filter(|_| is_cached) {
            // Only time is lost where the cache cannot be written.
            let _ = cache_query_vector(&self.root, &key.fingerprint, &key.query, vector);
        }
        vector
    }

    fn state(&self) -> MutexGuard<'_, QueryVectorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueryVectorState {
    /// Embeds a query. A model that failed once is not tried again.
    fn embed(&mut self, catalogue: &Catalogue, spec: &ModelSpec, query: &str) -> Option<Vec<f32>> {
        if self.failures.contains_key(&spec.name) {
            return None;
        }
        let loaded = self.load(catalogue, &spec.name);
        let vector = loaded.and_then(|model| Ok(model.embed_query(query)?));
        let record = |failure| self.failures.insert(spec.name.clone(), failure);
        vector.map_err(record).ok()
    }

    /// Returns a model, loaded at its first use.
    fn load(&mut self, catalogue: &Catalogue, name: &str) -> Result<&dyn Embedder, ModelFailure> {
        if !self.loaded.contains_key(name) {
            let model = catalogue.load(name)?;
            self.loaded.insert(name.to_owned(), model);
        }
        Ok(self.loaded[name].as_ref())
    }
}
