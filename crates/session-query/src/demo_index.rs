//! A small history that ships in the binary, with its index.

use crate::error::QueryError;
use crate::live_index::{LiveIndex, Snapshot};
use crate::query_models::embed_query;
use session_embed::Embedder;
use session_indexer::{ProgressFactory, ReadPolicy, RefreshMode, RefreshOutcome};
use session_search::QueryEmbedding;
use session_sources::Env;
use std::sync::Arc;
use tempfile::TempDir;

macro_rules! demo_file {
    ($folder:literal, $session:literal) => {
        DemoFile {
            path: concat!($folder, "/", $session, ".jsonl"),
            text: include_str!(concat!("../demo/", $session, ".jsonl")),
        }
    };
}

/// A file of the history.
struct DemoFile {
    /// Below `~/.claude/projects`.
    path: &'static str,
    text: &'static str,
}

/// The history, written by hand.
const HISTORY: [DemoFile; 6] = [
    demo_file!("-home-ann-homelab", "a1b2c3d4-1111-4a11-8a11-000000000001"),
    demo_file!("-home-ann-homelab", "b7e0f1a2-2222-4b22-8b22-000000000002"),
    demo_file!("-home-ann-parser", "c3d9e8f7-3333-4c33-8c33-000000000003"),
    demo_file!("-home-ann-parser", "d4a5b6c7-4444-4d44-8d44-000000000004"),
    demo_file!("-home-ann-shop", "e5f6a7b8-5555-4e55-8e55-000000000005"),
    demo_file!("-home-ann-shop", "f6a7b8c9-6666-4f66-8f66-000000000006"),
];

/// A history and its index in a temporary directory, deleted when dropped.
pub struct DemoIndex {
    /// The index.
    pub snapshot: Snapshot,
    /// The outcome of its refresh.
    pub refreshed: RefreshOutcome,
    embedder: Arc<dyn Embedder>,
    _folder: TempDir,
}

impl DemoIndex {
    /// Writes the history and indexes it, embedded by the table.
    ///
    /// # Errors
    /// When the temporary directory or the index fails.
    pub fn create(progress: ProgressFactory<'_>) -> Result<Self, QueryError> {
        let folder = tempfile::Builder::new()
            .prefix("session-search-demo-")
            .tempdir()?;
        let home = folder.path().join("home");
        for DemoFile { path, text } in HISTORY {
            let path = home.join(".claude/projects").join(path);
            if let Some(folder) = path.parent() {
                fs_err::create_dir_all(folder)?;
            }
            fs_err::write(path, text)?;
        }
        let embedder: Arc<dyn Embedder> = session_embed::open_bundled_table()?.into();
        let live = LiveIndex {
            root: &folder.path().join("index"),
            env: &Env::with_home(&home),
            table: embedder.as_ref(),
            policy: &ReadPolicy::default(),
            progress,
        };
        let refreshed = live.refresh(RefreshMode::Changes, None)?;
        let snapshot = live.snapshot()?;
        Ok(Self {
            snapshot,
            refreshed,
            embedder,
            _folder: folder,
        })
    }

    /// Embeds a query.
    ///
    /// # Errors
    /// When the index or the model fails.
    pub fn embed(&self, query: &str) -> Result<Vec<QueryEmbedding>, QueryError> {
        let embedding = embed_query(&self.embedder, &self.snapshot.index, query)?;
        Ok(embedding.into_iter().collect())
    }
}
