//! The conversation that a memory was saved from, and the origin of its text.
//!
//! The file of a conversation lies in the project, so a repository can bring one. Its hash is
//! recorded with the user's own state when it is written.

use crate::content::memory::{Memory, MemoryScope};
use crate::content::memory_id::is_valid_id;
use crate::error::Result;
use crate::storage::directory_records::content_hash;
use crate::storage::directory_writer::{
    CONVERSATIONS_DIRECTORY, MAX_CONVERSATION_BYTES, conversation_path,
};
use crate::storage::memory_file::{MAX_FILES, has_memory};
use crate::storage::memory_store::MemoryStore;
use crate::trust::Trust;
use std::path::{Path, PathBuf};

/// The conversation that a memory was saved from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedConversation {
    /// The text.
    pub text: String,
    /// The origin of the text.
    pub origin: ConversationOrigin,
}

/// The origin of a conversation's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationOrigin {
    /// This program wrote it for the user, or it is in their home directory.
    Own,
    /// The user saved the memory here before hashes of conversations were recorded.
    Unverified,
    /// It came with the repository, or was changed since it was saved.
    Repository,
}

impl ConversationOrigin {
    /// Returns the note for a reader of the text; `None` if it is the user's own.
    pub fn note(self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::Unverified => Some(
                "the conversation is not verified: it was saved before this program recorded such texts",
            ),
            Self::Repository => Some(
                "the conversation is from the repository, or was changed since: it is not what was saved here",
            ),
        }
    }
}

impl MemoryStore {
    /// Reads the conversation that a memory was saved from, without secrets: its file may have been edited.
    ///
    /// # Errors
    /// When the file exists and cannot be read, or the record of its directory cannot.
    pub fn read_conversation(&self, memory: &Memory) -> Result<Option<SavedConversation>> {
        let directory = self.directory_of(memory);
        let Some(dir) = directory.open()? else {
            return Ok(None);
        };
        let text = dir.read_text(&conversation_path(memory.id()), MAX_CONVERSATION_BYTES)?;
        let Some(text) = text else {
            return Ok(None);
        };
        let origin = match memory.scope {
            MemoryScope::Global => ConversationOrigin::Own,
            MemoryScope::Project => self.find_conversation_origin(memory, &text)?,
        };
        let text = self.redactor().redact(&text).into_owned();
        Ok(Some(SavedConversation { text, origin }))
    }

    /// Lists the files of conversations without a memory: it was removed by hand, or is on another branch.
    pub fn list_orphaned_conversations(&self) -> Vec<PathBuf> {
        let opened = self.open_directories(&mut Vec::new());
        let orphaned = opened.iter().flat_map(|open| {
            let names = open
                .dir
                .names(Path::new(CONVERSATIONS_DIRECTORY), MAX_FILES);
            let names = names.unwrap_or_default().into_iter();
            let names = names.filter(|name| {
                let id = Path::new(name).file_stem().unwrap_or_default();
                let id = id.to_string_lossy();
                is_valid_id(&id) && !has_memory(&open.dir, &id)
            });
            let root = open.directory.path.join(CONVERSATIONS_DIRECTORY);
            names.map(move |name| root.join(name))
        });
        orphaned.collect()
    }

    fn find_conversation_origin(&self, memory: &Memory, text: &str) -> Result<ConversationOrigin> {
        let directory = self.directory_of(memory);
        let hash = content_hash(text);
        let record = self.read_record(directory)?;
        if let Some(recorded) = record.conversation_hash(memory.id()) {
            return Ok(if recorded == hash {
                ConversationOrigin::Own
            } else {
                ConversationOrigin::Repository
            });
        }
        let path = conversation_path(memory.id());
        let written = self.records().read_hashes(directory)?;
        let is_other = written
            .get(&*path.to_string_lossy())
            .is_some_and(|w| *w != hash);
        // A memory without a source was saved without a conversation.
        let may_be_own = memory.trust == Trust::Own && memory.front.source.is_some() && !is_other;
        Ok(if may_be_own {
            ConversationOrigin::Unverified
        } else {
            ConversationOrigin::Repository
        })
    }
}
