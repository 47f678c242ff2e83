//! The index that the questions of a labelled set are put to.

use crate::error::QueryError;
use crate::live_index::LiveIndex;
use crate::query_models::embed_query;
use session_config::{Home, describe_environment};
use session_embed::Embedder;
use session_files::private;
use session_indexer::{ProgressFactory, ReadPolicy, RefreshMode};
use session_models::TABLE_MODEL;
use session_search::QueryEmbedding;
use session_sources::Env;
use session_store::Reader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The index of a history, the set's or the user's own, with the models that embed its questions.
pub struct EvalIndex {
    home: Home,
    /// The models that embed the questions: the one that is measured, and the table that every history has beside it.
    embedders: Vec<Arc<dyn Embedder>>,
    /// The temporary directory with the index of the set's own history.
    _scratch: Option<TempDir>,
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
    /// When a model cannot be loaded, or the temporary directory cannot be made.
    pub fn new(home: Home, source: EvalSource<'_>) -> Result<Self, QueryError> {
        let embedders = load_embedders(&home, source.model)?;
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
            embedders,
            _scratch: scratch,
        })
    }

    /// Reads and embeds the history, and opens its index.
    ///
    /// # Errors
    /// When the index or a model fails.
    pub fn refresh(&self, progress: ProgressFactory<'_>) -> Result<Reader, QueryError> {
        let policy = ReadPolicy {
            redactor: self.home.config.redactor(),
            exclusions: self.home.exclusions().map_err(QueryError::Forget)?,
            environment: describe_environment(&self.home.env),
        };
        for embedder in &self.embedders {
            let live = LiveIndex {
                root: &self.home.index_directory,
                env: &self.home.env,
                table: embedder.as_ref(),
                policy: &policy,
                progress,
            };
            live.refresh(RefreshMode::Changes, None)?;
        }
        Ok(Reader::open(&self.home.index_directory)?)
    }

    /// Embeds a question by each model that has vectors in the index.
    ///
    /// # Errors
    /// When the index or a model fails.
    pub fn embed(&self, index: &Reader, question: &str) -> Result<Vec<QueryEmbedding>, QueryError> {
        let models = self.embedders.iter();
        let embedded = models.filter_map(|model| embed_query(model, index, question).transpose());
        embedded.collect()
    }
}

/// Loads the model of this name, or the one in use, and the table.
fn load_embedders(home: &Home, name: Option<&str>) -> Result<Vec<Arc<dyn Embedder>>, QueryError> {
    let name = name.unwrap_or(&home.config.model);
    let catalogue = home.catalogue()?;
    let table = (name != TABLE_MODEL).then_some(TABLE_MODEL);
    let names = std::iter::once(name).chain(table);
    names.map(|name| Ok(catalogue.load(name)?.into())).collect()
}

/// Makes a home with the history of a set alone; its index is `kept`, or in a temporary directory.
fn make_home(history: &Path, kept: Option<PathBuf>) -> Result<(Home, Option<TempDir>), QueryError> {
    let scratch = private::temporary_directory("session-search-eval-")?;
    let history = std::path::absolute(history)?;
    let env = Env::with_home(scratch.path()).var("CLAUDE_CONFIG_DIR", &history.to_string_lossy());
    let root = kept.unwrap_or_else(|| scratch.path().join("index"));
    Ok((Home::new(env, root), Some(scratch)))
}
