//! Memories as one JSON document, which can be imported again.

use crate::error::{Damage, MemoryError, Result};
use crate::frontmatter as yaml;
use crate::memory::{Memory, Scope, State};
use crate::store::{Imported, Store};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FORMAT: &str = "session-search-memories";

/// All memories.
#[derive(Debug, Serialize, Deserialize)]
pub struct Exported {
    format: String,
    version: u32,
    /// Each with its whole file.
    pub memories: Vec<One>,
}

/// A memory with its whole file.
#[derive(Debug, Serialize, Deserialize)]
pub struct One {
    id: String,
    state: String,
    scope: String,
    file: String,
    #[serde(default)]
    raw: Option<String>,
}

/// Memories as one document.
pub fn export(store: &Store, memories: &[Memory]) -> Exported {
    let one = |memory: &Memory| {
        One {
            id: memory.id().to_owned(),
            state: memory.state.folder().to_owned(),
            scope: match memory.scope {
                Scope::Project => "project".to_owned(),
                Scope::Global => "global".to_owned(),
            },
            file: memory.text.clone(),
            // A conversation that cannot be read costs itself.
            raw: store.raw(memory).ok().flatten(),
        }
    };
    Exported {
        format: FORMAT.to_owned(),
        version: 1,
        memories: memories.iter().map(one).collect(),
    }
}

/// Reads an export.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Imported>> {
    let nothing = |what: String| MemoryError::NothingToImport {
        path: path.to_owned(),
        what,
    };
    let all: Exported = serde_json::from_str(text).map_err(|e| nothing(e.to_string()))?;
    if all.format != FORMAT {
        return Err(nothing(format!("it is no `{FORMAT}`")));
    }
    let one = |one: One| -> std::result::Result<Imported, Damage> {
        let name = Path::new(&one.id);
        let parts = yaml::split(&one.file, name)?;
        let mut states = State::ALL.into_iter();
        Ok(Imported {
            front: yaml::read(parts.yaml, name)?,
            body: parts.body.to_owned(),
            state: states
                .find(|s| s.folder() == one.state)
                .unwrap_or(State::Active),
            raw: one.raw,
            text: Some(one.file),
        })
    };
    Ok(all
        .memories
        .into_iter()
        .map(one)
        .collect::<std::result::Result<_, Damage>>()?)
}
