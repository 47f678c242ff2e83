//! The index that the questions of a labelled set are put to.

use crate::error::QueryError;
use crate::live_index::LiveIndex;
use crate::model_overview::EmbeddedSessions;
use crate::query_models::embed_query;
use session_config::{Home, describe_environment};
use session_embed::Embedder;
use session_files::private;
use session_indexer::{
    EmbeddingOptions, ProgressFactory, ReadPolicy, RefreshMode, embed_releasing_writer,
};
use session_models::{REMOTE_MODEL, TABLE_MODEL};
use session_search::QueryEmbedding;
use session_sources::Env;
use session_store::{IndexLock, Reader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The index of a history, the set's or the user's own, with the models that embed its questions.
pub struct EvalIndex {
    home: Home,
    /// The table, which embeds every history as it is read.
    table: Arc<dyn Embedder>,
    /// The model that is measured; `None` for the table.
    measured: Option<Arc<dyn Embedder>>,
    /// The history is that of a set, so that the measured model may embed it.
    is_of_set: bool,
    /// The temporary directory with the index of the set's own history.
    _scratch: Option<TempDir>,
}

/// A measured model that has not embedded all sessions of the user's own index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartlyEmbedded {
    /// The name of the model.
    pub model: String,
    /// The sessions that it has embedded.
    pub embedded: EmbeddedSessions,
    /// Whether it is the one that the user chose.
    pub in_use: bool,
}

/// The sources of an index of a labelled set.
#[derive(Debug, Clone, Copy, Default)]
pub struct EvalSource<'a> {
    /// The directory of the set's own history; without one the user's is searched.
    pub history: Option<&'a Path>,
    /// The directory in which the index is kept for the next run. Without one the index of the set's own history is a
    /// temporary one.
    pub index: Option<&'a Path>,
    /// The name of the model; without one that in use.
    pub model: Option<&'a str>,
}

impl EvalIndex {
    /// Loads the models, and chooses the directories; `home` is the user's. No history is read yet.
    ///
    /// # Errors
    /// When a model cannot be loaded, is an endpoint that was not chosen though the history is the user's, or the temporary
    /// directory cannot be made.
    pub fn new(home: Home, source: EvalSource<'_>) -> Result<Self, QueryError> {
        let measured = load_measured(&home, &source)?;
        let is_of_set = source.history.is_some();
        let kept = source.index.map(std::path::absolute).transpose()?;
        let (home, scratch) = match source.history {
            Some(history) => make_home(history, kept)?,
            None => {
                let index_directory = kept.unwrap_or(home.index_directory);
                let home = Home {
                    index_directory,
                    ..home
                };
                (home, None)
            }
        };
        Ok(Self {
            home,
            table: session_embed::open_bundled_table()?.into(),
            measured,
            is_of_set,
            _scratch: scratch,
        })
    }

    /// Reads the history, and opens its index. The measured model embeds the history of a set alone: the user's own costs
    /// hours, or goes to an endpoint as a whole, without being asked for. That holds in a kept index, too.
    ///
    /// # Errors
    /// When the index or a model fails.
    pub fn refresh(&self, progress: ProgressFactory<'_>) -> Result<Reader, QueryError> {
        let policy = ReadPolicy {
            redactor: self.home.config.redactor(),
            exclusions: self.home.exclusions().map_err(QueryError::Forget)?,
            environment: describe_environment(&self.home.env),
        };
        let live = LiveIndex {
            root: &self.home.index_directory,
            env: &self.home.env,
            table: self.table.as_ref(),
            policy: &policy,
            progress,
        };
        live.refresh(RefreshMode::Changes, None)?;
        if let Some(model) = self.measured.as_deref().filter(|_| self.is_of_set) {
            self.embed_sessions(model, progress)?;
        }
        Ok(Reader::open(&self.home.index_directory)?)
    }

    /// Embeds by a model the sessions that it has not embedded.
    fn embed_sessions(
        &self,
        model: &dyn Embedder,
        progress: ProgressFactory<'_>,
    ) -> Result<(), QueryError> {
        let root = &self.home.index_directory;
        let _lock = IndexLock::acquire_embedding_within(root, Duration::MAX)?;
        let progress = progress();
        embed_releasing_writer(root, &EmbeddingOptions::new(model, progress.as_ref()))?;
        Ok(())
    }

    /// Returns how much the measured model has embedded, where that is not all.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find_unembedded(&self, index: &Reader) -> Result<Option<PartlyEmbedded>, QueryError> {
        let Some(measured) = &self.measured else {
            return Ok(None);
        };
        let spec = measured.spec();
        let is_complete = match index.model(&spec.fingerprint())? {
            Some(model) => !index.has_pending_sessions(&[model.id])?,
            None => index.count_sessions()? == 0,
        };
        if is_complete {
            return Ok(None);
        }
        Ok(Some(PartlyEmbedded {
            model: spec.name.clone(),
            embedded: EmbeddedSessions::read(spec, index)?,
            in_use: spec.name == self.home.config.model,
        }))
    }

    /// Embeds a question by each model that has vectors in the index.
    ///
    /// # Errors
    /// When the index or a model fails.
    pub fn embed(&self, index: &Reader, question: &str) -> Result<Vec<QueryEmbedding>, QueryError> {
        let models = self.measured.iter().chain([&self.table]);
        let embedded = models.filter_map(|model| embed_query(model, index, question).transpose());
        embedded.collect()
    }
}

/// Loads the model that is named, or the one in use; `None` for the table. An endpoint that was not chosen gets the texts and
/// questions of a set with a history of its own, never what is about the user's.
fn load_measured(
    home: &Home,
    source: &EvalSource<'_>,
) -> Result<Option<Arc<dyn Embedder>>, QueryError> {
    let name = source.model.unwrap_or(&home.config.model);
    if name == TABLE_MODEL {
        return Ok(None);
    }
    let catalogue = home.catalogue()?;
    let is_endpoint = catalogue.find_spec(name)?.name == REMOTE_MODEL;
    if is_endpoint && source.history.is_none() && home.config.model != REMOTE_MODEL {
        return Err(QueryError::EndpointNotChosen);
    }
    Ok(Some(catalogue.load(name)?.into()))
}

/// Makes a home with the history of a set alone; its index is `kept`, or in a temporary directory.
fn make_home(history: &Path, kept: Option<PathBuf>) -> Result<(Home, Option<TempDir>), QueryError> {
    let scratch = private::temporary_directory("session-search-eval-")?;
    let history = std::path::absolute(history)?;
    let env = Env::with_home(scratch.path()).var("CLAUDE_CONFIG_DIR", &history.to_string_lossy());
    let root = kept.unwrap_or_else(|| scratch.path().join("index"));
    Ok((Home::new(env, root), Some(scratch)))
}
