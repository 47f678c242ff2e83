//! The export of memories: one JSON document, which can be imported again.

use super::ImportFormat;
use crate::content::imported_memory::ImportedMemory;
use crate::content::memory::{Frontmatter, Memory, MemoryScope, MemoryState};
use crate::error::{DamagedFile, MemoryError, Result};
use crate::storage::conversation::{ConversationOrigin, SavedConversation};
use crate::storage::memory_store::MemoryStore;
use crate::text::yaml_file as yaml;
use crate::trust::Trust;
use serde::{Deserialize, Serialize};
use session_core::text::strip_byte_order_mark;
use std::path::Path;

const FORMAT: &str = "session-search-memories";
const VERSION: u32 = 1;

/// The document of an export.
#[derive(Debug, Serialize, Deserialize)]
pub struct MemoryExport {
    format: String,
    version: u32,
    /// The memories.
    pub memories: Vec<ExportedMemory>,
    /// The number of conversations that are left out, since they are from the repository.
    #[serde(skip)]
    pub left_out_conversations: usize,
}

/// A memory of an export, with its whole file.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportedMemory {
    id: String,
    state: String,
    scope: String,
    #[serde(default)]
    trust: ExportedTrust,
    file: String,
    #[serde(default)]
    raw: Option<String>,
}

/// The trust of an exported memory: what waits is in no export.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ExportedTrust {
    /// The user's own, which all memories of an export without this key are.
    #[default]
    Own,
    /// It came with a repository, and the user trusts it.
    Trusted,
}

/// Exports memories with their conversations. What waits for trust and conversations from the repository
/// are left out: an import would make them the user's own.
pub fn export_memories(store: &MemoryStore, memories: &[Memory]) -> MemoryExport {
    let mut left_out_conversations = 0;
    let mut to_exported = |memory: &Memory| {
        let trust = match memory.trust {
            Trust::Own => ExportedTrust::Own,
            Trust::Trusted => ExportedTrust::Trusted,
            Trust::Waiting | Trust::Changed => return None,
        };
        // A conversation that cannot be read is left out.
        let raw = store.read_conversation(memory).ok().flatten();
        let is_foreign = |raw: &SavedConversation| raw.origin == ConversationOrigin::Repository;
        left_out_conversations += usize::from(raw.as_ref().is_some_and(is_foreign));
        Some(ExportedMemory {
            id: memory.id().to_owned(),
            state: memory.state.directory_name().to_owned(),
            scope: memory.scope.label().to_owned(),
            trust,
            file: memory.text().to_owned(),
            raw: raw.filter(|raw| !is_foreign(raw)).map(|raw| raw.text),
        })
    };
    MemoryExport {
        format: FORMAT.to_owned(),
        version: VERSION,
        memories: memories.iter().filter_map(&mut to_exported).collect(),
        left_out_conversations,
    }
}

/// Reads an export.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<ImportedMemory>> {
    let nothing = |what: String| MemoryError::NothingToImport {
        format: ImportFormat::SessionSearch,
        path: path.to_owned(),
        what,
    };
    let text = strip_byte_order_mark(text);
    let all: MemoryExport = serde_json::from_str(text).map_err(|error| {
        nothing(if error.is_syntax() {
            format!(
                "it is not JSON (line {}, column {})",
                error.line(),
                error.column()
            )
        } else {
            error.to_string()
        })
    })?;
    if all.format != FORMAT {
        return Err(nothing(format!("it is not a `{FORMAT}`")));
    }
    if all.version > VERSION {
        return Err(MemoryError::refused_with_hint(
            format!(
                "`{}` has version {} of the format, this program reads {VERSION}",
                path.display(),
                all.version
            ),
            "import it with a newer version of session-search",
        ));
    }
    let memories = all.memories.into_iter().map(parse_exported);
    Ok(memories.collect::<std::result::Result<_, DamagedFile>>()?)
}

/// Parses the file of an exported memory, and the names of its state and scope.
fn parse_exported(exported: ExportedMemory) -> std::result::Result<ImportedMemory, DamagedFile> {
    let name = Path::new(&exported.id);
    let parts = yaml::split_file(&exported.file, name)?;
    let unknown = |what: &str, value: &str| DamagedFile {
        path: name.to_owned(),
        line: Some(1),
        reason: format!("the {what} `{value}` is not known"),
        hint: Some("correct it in the export".to_owned()),
    };
    let mut states = MemoryState::ALL.into_iter();
    let state = states.find(|state| state.directory_name() == exported.state);
    let mut scopes = [MemoryScope::Project, MemoryScope::Global].into_iter();
    let scope = scopes.find(|scope| scope.label() == exported.scope);
    Ok(ImportedMemory {
        front: Frontmatter::parse(parts.yaml, name)?,
        body: parts.body.to_owned(),
        state: state.ok_or_else(|| unknown("state", &exported.state))?,
        raw: exported.raw,
        text: Some(exported.file),
        trust: match exported.trust {
            ExportedTrust::Own => Trust::Own,
            ExportedTrust::Trusted => Trust::Trusted,
        },
        scope: Some(scope.ok_or_else(|| unknown("scope", &exported.scope))?),
    })
}
