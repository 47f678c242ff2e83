//! Query vectors: each is made once, and kept on disk for the next process.

use crate::error::QueryError;
use session_embed::{Architecture, Embedder, ModelSpec};
use session_models::Catalogue;
use session_store::{cache_query_vector, cached_query_vector};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// The vectors of queries by models that take time.
pub(crate) struct QueryVectors {
    root: PathBuf,
    /// Vectors of models in process are kept for the next process, too.
    is_cached: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    vectors: HashMap<VectorKey, Vec<f32>>,
    /// Models that were loaded, by name.
    loaded: HashMap<String, Box<dyn Embedder>>,
    /// The error of the endpoint, which is not asked again.
    unreachable: Option<String>,
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

    /// Keeps the endpoint from being asked: only its cached vectors count.
    pub(crate) fn disable_endpoint(&self, reason: &str) {
        self.state().unreachable = Some(reason.to_owned());
    }

    /// Returns why the endpoint did not embed a query, if it failed.
    pub(crate) fn unreachable(&self) -> Option<String> {
        self.state().unreachable.clone()
    }

    /// Returns a query's vector by a model, made if it is not known; `None` where the endpoint does
    /// not answer.
    pub(crate) fn vector(
        &self,
        catalogue: &Catalogue,
        spec: &ModelSpec,
        query: &str,
    ) -> Result<Option<Vec<f32>>, QueryError> {
        let key = VectorKey {
            fingerprint: spec.fingerprint(),
            query: query.to_owned(),
        };
        // Locked until the model has answered: another thread waits for the same vector.
        let mut state = self.state();
        if let Some(vector) = state.vectors.get(&key) {
            return Ok(Some(vector.clone()));
        }
        let cached = cached_query_vector(&self.root, &key.fingerprint, spec.dims, query);
        let vector = match cached {
            Some(vector) => Some(vector),
            None => self.embed(&mut state, catalogue, spec, &key)?,
        };
        if let Some(vector) = &vector {
            state.vectors.insert(key, vector.clone());
        }
        Ok(vector)
    }

    fn embed(
        &self,
        state: &mut State,
        catalogue: &Catalogue,
        spec: &ModelSpec,
        key: &VectorKey,
    ) -> Result<Option<Vec<f32>>, QueryError> {
        let vector = state.embed(catalogue, spec, &key.query)?;
        let is_cached = self.is_cached || spec.architecture == Architecture::Remote;
        if let Some(vector) = vector.as_ref().filter(|_| is_cached) {
            // Only time is lost where the cache cannot be written.
            let _ = cache_query_vector(&self.root, &key.fingerprint, &key.query, vector);
        }
        Ok(vector)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl State {
    /// Embeds a query. An endpoint that failed once is not asked again.
    fn embed(
        &mut self,
        catalogue: &Catalogue,
        spec: &ModelSpec,
        query: &str,
    ) -> Result<Option<Vec<f32>>, QueryError> {
        let is_remote = spec.architecture == Architecture::Remote;
        if is_remote && self.unreachable.is_some() {
            return Ok(None);
        }
        match self.load(catalogue, &spec.name)?.embed_query(query) {
            Err(error) if is_remote => {
                self.unreachable = Some(error.to_string());
                Ok(None)
            }
            vector => Ok(Some(vector?)),
        }
    }

    /// Returns a model, loaded at its first use.
    fn load(&mut self, catalogue: &Catalogue, name: &str) -> Result<&dyn Embedder, QueryError> {
        if !self.loaded.contains_key(name) {
            let model = catalogue.load(name)?;
            self.loaded.insert(name.to_owned(), model);
        }
        Ok(self.loaded[name].as_ref())
    }
}
