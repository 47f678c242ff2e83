//! Errors of a directory's memories.

use session_agents::AgentError;
use session_config::ConfigError;
use session_embed::EmbedError;
use session_files::{UnownedRoot, io_hint};
use session_memory::MemoryError;
use session_query::QueryError;
use session_store::StoreError;
use std::borrow::Cow;
use thiserror::Error;

/// The reason for which the memories of a directory cannot be read, saved or searched.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProjectMemoriesError {
    /// The configuration switches memories off.
    #[error("memories are switched off")]
    Disabled,
    /// The project is not read, since its root is not the user's alone: a memory of it would be one of all projects.
    #[error("nothing is saved for the project: {}", .0.cause())]
    UnownedProject(UnownedRoot),
    /// The configuration has a mistake.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A memory cannot be read or saved.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The settings of an agent cannot be named.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The model of memories failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The history cannot be searched.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The directory cannot be found.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl ProjectMemoriesError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Disabled => Some("`session-search config` says by whom (`enabled`)".into()),
            Self::UnownedProject(root) => {
                let hint = root.hint();
                Some(format!("{hint}; or save it for all projects (`--global`)").into())
            }
            Self::Config(error) => error.hint().map(Cow::from),
            Self::Memory(error) => error.hint(),
            Self::Agent(error) => error.hint().map(Cow::from),
            Self::Embed(error) => error.hint().map(Cow::from),
            Self::Store(error) => error.hint().map(Cow::from),
            Self::Query(error) => error.hint(),
            Self::Io(error) => io_hint(error).map(Cow::from),
        }
    }
}
