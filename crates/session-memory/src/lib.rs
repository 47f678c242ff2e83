//! Memories: notes that a user decided to keep, searched and injected before prompts.
//!
//! # Storage
//!
//! A [`Memory`] is a Markdown file with YAML [`Frontmatter`]. The files are the only data: the user may
//! edit them at will. They are in a [`MemoryDirectory`] of the project or of the user's home, in one
//! directory for each [`MemoryState`]. A [`MemoryStore`] reads and writes them under a lock, each file
//! whole or not at all, and rebuilds the generated views beside them. A damaged file is reported with
//! its line ([`DamagedFile`]) and does not affect the others.
//!
//! A repository can contain memories, too, so each has a [`Trust`]: untrusted ones are searched, and
//! never injected. The [`DirectoryRecords`] of this machine hold the hashes of trusted contents.
//!
//! # Search
//!
//! [`search_memories`] fuses BM25 and the cosines of a [`MemoryEmbedder`], and multiplies the match by
//! decay and scope weight ([`RetrievalSettings`]). A memory may have cues: prompts for which it helps,
//! which are compared one by one. [`find_duplicates`] finds memories that a new one repeats, and
//! [`apply_retention`] archives those that are untouched for long.
//!
//! # Injection
//!
//! An [`Injector`] answers the prompt of a hook. It compares the prompt's parts with the trusted
//! memories, until one part has a block or the deadline passes. It applies the threshold of the
//! gate ([`InjectionLimits`]) to the matches, and assembles a [`MemoryBlock`] within a budget. A block is
//! fenced and escaped, and the same input gives the same bytes.
//!
//! When a session begins, [`Injector::begin_session`] lists the topics of all trusted memories.
//! [`Triggers`] name the files, commands and errors for which a memory matters;
//! [`Injector::inject_for_event`] gives the memories whose triggers match a call of a tool.
//! [`SessionState`], in a [`SessionStateFile`], prevents repeats in a context ([`ContextId`]). The
//! [`InjectionLog`] counts injections and holds no text.
//!
//! # Layers
//!
//! A module uses only modules of its own row and of the rows before it. A test of `session-cli` checks that.
//!
//! | module | what it knows |
//! | --- | --- |
//! | `text` | words, YAML, and texts that may hold a secret |
//! | `triggers` | what a memory matters for, and events that match it |
//! | `content` | the fields of a memory, drafts, changes and redaction; no file |
//! | `storage` | files: reading, writing, trust, life cycle, views |
//! | `retrieval` | which memories match a text |
//! | `injection` | which of them an agent gets |
//! | `context_sheet`, `memory_stats`, `import` | whole stores |
//!
//! ```
//! use jiff::Zoned;
//! use session_embed::Embedder;
//! use session_memory::{
//!     BlockItem, ContextId, DirectoryRecords, InjectionLimits, InjectionRequest, InjectionResources,
//!     Injector, InjectorSettings, MemoryDraft, MemoryStore, Result, RetrievalSettings,
//!     StorageLocation, memory_directories,
//! };
//! use std::time::Instant;
//!
//! /// The bundled model, and no past turns.
//! struct Resources;
//!
//! impl InjectionResources for Resources {
//!     fn open_model(&self) -> Result<Box<dyn Embedder>> {
//!         Ok(session_embed::open_bundled_table()?)
//!     }
//!
//!     fn find_past_turns(&self, _: &str, _: Option<&str>) -> Vec<BlockItem> {
//!         Vec::new()
//!     }
//! }
//!
//! let home = tempfile::tempdir()?;
//! let records = DirectoryRecords::new(home.path().join("records"));
//! let directories = memory_directories(None, home.path(), StorageLocation::ProjectFirst)?;
//! let store = MemoryStore::new(directories, records);
//! let draft = MemoryDraft {
//!     topic: "Connection pool too small".into(),
//!     key_info: vec!["Time-outs under load; raise DB_POOL_SIZE".into()],
//!     ..MemoryDraft::default()
//! };
//! let now = Zoned::now();
//! store.save(&draft, None, &now)?;
//!
//! let injector = Injector {
//!     store: &store,
//!     index_directory: &home.path().join("index"),
//!     settings: InjectorSettings {
//!         enabled: true,
//!         limits: InjectionLimits::default(),
//!         retrieval: RetrievalSettings::default(),
//!     },
//!     now: now.timestamp(),
//! };
//! let context = ContextId::new("s1", None);
//! let request = InjectionRequest {
//!     prompt: "the connection pool gives time-outs under load",
//!     context: context.as_ref(),
//!     started: Instant::now(),
//!     deadline: None,
//!     records_words: false,
//! };
//! let outcome = injector.inject(&request, &Resources)?;
//! let block = injector.record(&outcome).unwrap();
//! assert!(block.text.contains("[context] Connection pool too small; Time-outs"));
//! # Ok::<(), session_memory::MemoryError>(())
//! ```

mod content;
mod context_sheet;
mod error;
mod hashed_name;
mod import;
mod injection;
mod memory_stats;
mod retrieval;
mod setting_values;
mod storage;
mod text;
mod triggers;
mod trust;

pub use content::draft::MemoryDraft;
pub use content::draft::{describe_cuts, normalize_tag};
pub use content::draft_input::DraftError;
pub use content::frontmatter_time::FrontmatterTime;
pub use content::imported_memory::ImportedMemory;
pub use content::memory::{
    Frontmatter, Importance, Memory, MemoryKind, MemoryScope, MemorySource, MemoryState,
};
pub use content::memory_change::{MemoryChange, ReplacementChange};
pub use content::memory_id::MAX_ID_BYTES;
pub use content::replaced_secrets::ReplacedSecrets;
pub use context_sheet::{
    context_sheet_path, refresh_context_sheet, render_context_sheet, write_context_sheet,
};
pub use error::{DamagedFile, MemoryError, Result};
pub use import::{
    EXPORT_LIMIT, ImportFormat, ImportInput, ImportReport, MemoryExport, export_memories,
    import_memories,
};
pub use injection::block_fence::ShowCommand;
pub use injection::context_id::ContextId;
pub use injection::injection_decision::{
    GateDecision, InjectionCandidate, InjectionDecision, SkipReason,
};
pub use injection::injection_gate::{GateVerdict, InjectionLimits};
pub use injection::injection_log::{InjectionLog, InjectionLogEntry, InjectionStats};
pub use injection::injector::{
    InjectionOutcome, InjectionRequest, InjectionResources, Injector, InjectorSettings,
};
pub use injection::memory_block::{BlockItem, MemoryBlock, PastTurn};
pub use injection::session_start::AgentContext;
pub use injection::session_state::SessionState;
pub use injection::session_state_file::{InjectionSwitch, SessionStateFile, delete_injected_turns};
pub use injection::trigger_injection::{TriggerCandidate, TriggerDecision, TriggeredBlock};
pub use injection::untrusted_memories::NewUntrusted;
pub use memory_stats::{DirectoryStats, MemoryStats, ViewSizes};
pub use retrieval::duplicates::{NearDuplicate, find_duplicates};
pub use retrieval::memory_embedder::MemoryEmbedder;
pub use retrieval::rank::{MemoryMatch, MemoryQuery, RetrievalSettings, search_memories};
pub use storage::conversation::{ConversationOrigin, SavedConversation};
pub use storage::directory_records::{DirectoryRecord, DirectoryRecords};
pub use storage::inherited_fields::InheritedFields;
pub use storage::life_cycle::{
    MovedMemories, StorageSettings, StorageSettingsByScope, apply_retention, archive_memories,
    find_unused, record_recall,
};
pub use storage::memory_directory::{
    MemoryDirectory, StorageLocation, has_memories, memory_directories, settings_directory,
};
pub use storage::memory_edit::{EditReview, MemoryEdit};
pub use storage::memory_store::{MemoryListing, MemoryStore};
pub use text::string_list::deserialize_string_list;
pub use triggers::command_forms::{collect_forms, command_lines};
pub use triggers::trigger_glob::TriggerGlob;
pub use triggers::{TriggerChange, TriggerEvent, Triggers};
pub use trust::Trust;
