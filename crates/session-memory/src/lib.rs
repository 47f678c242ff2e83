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
//! memories, until one has a block or the deadline passes. It applies the threshold of the
//! gate ([`InjectionSettings`]) to the matches, and assembles a [`MemoryBlock`] within a budget: fenced, escaped, the same bytes for the same input.
//! When a session begins, [`Injector::begin_session`] lists the topics of all of them.
//! [`Triggers`] name the files, commands and errors for which a memory matters;
//! [`Injector::inject_for_event`] gives those that a call of a tool matches.
//! [`SessionState`], in a [`SessionStateFile`], prevents repeats in a session, and the [`InjectionLog`] counts without any text.
//!
//! ```
//! use jiff::Zoned;
//! use session_embed::Embedder;
//! use session_memory::{
//!     BlockItem, DirectoryRecords, InjectionRequest, InjectionResources, InjectionSettings, Injector,
//!     InjectorSettings, MemoryDraft, MemoryStore, Result, RetrievalSettings, StorageLocation,
//!     memory_directories,
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
//!     state: &home.path().join("index"),
//!     settings: InjectorSettings {
//!         enabled: true,
//!         injection: InjectionSettings::default(),
//!         retrieval: RetrievalSettings::default(),
//!     },
//!     now: now.timestamp(),
//! };
//! let request = InjectionRequest {
//!     prompt: "the connection pool gives time-outs under load",
//!     session: Some("s1"),
//!     started: Instant::now(),
//!     deadline: None,
//! };
//! let outcome = injector.inject(&request, &Resources)?;
//! let block = injector.record(&outcome).unwrap();
//! assert!(block.text.contains("[context] Connection pool too small; Time-outs"));
//! # Ok::<(), session_memory::MemoryError>(())
//! ```

mod context_sheet;
mod conversation;
mod directory_records;
mod directory_writer;
mod draft;
mod draft_input;
mod duplicates;
mod error;
mod escaped_text;
mod event_matcher;
mod frontmatter;
mod frontmatter_time;
mod glossary;
mod hashed_name;
mod import;
mod injection_decision;
mod injection_gate;
mod injection_log;
mod injector;
mod insertion;
mod key_info;
mod keywords;
mod lexical_index;
mod life_cycle;
mod memory;
mod memory_block;
mod memory_change;
mod memory_directory;
mod memory_edit;
mod memory_embedder;
mod memory_file;
mod memory_overview;
mod memory_stats;
mod memory_store;
mod new_ids;
mod open_directory;
mod prompt_parts;
mod rank;
mod record_limit;
mod redaction;
mod replaced_secrets;
mod replacement_cycles;
mod replacement_scores;
mod session_start;
mod session_state;
mod session_state_file;
mod setting_values;
mod similarity;
mod state_change;
mod stop_words;
mod string_list;
mod supersede;
mod terms;
mod topic_change;
mod trigger_injection;
mod trigger_paths;
mod trigger_relevance;
mod triggers;
mod trust;
mod untrusted_memories;
mod vector_cache;
mod views;

pub use context_sheet::{
    context_sheet_path, refresh_context_sheet, render_context_sheet, write_context_sheet,
};
pub use conversation::{ConversationOrigin, SavedConversation};
pub use directory_records::{DirectoryRecord, DirectoryRecords};
pub use draft::{describe_cuts, normalize_tag};
pub use draft_input::DraftError;
pub use duplicates::{NearDuplicate, find_duplicates};
pub use error::{DamagedFile, MemoryError, Result};
pub use frontmatter_time::FrontmatterTime;
pub use import::{
    ImportFormat, ImportPath, ImportReport, MemoryExport, export_memories, import_memories,
};
pub use injection_decision::{InjectionCandidate, InjectionDecision, SkipReason};
pub use injection_gate::{GateOutcome, InjectionSettings};
pub use injection_log::{InjectionLog, InjectionLogEntry, InjectionStats};
pub use injector::{
    InjectionOutcome, InjectionRequest, InjectionResources, Injector, InjectorSettings,
};
pub use insertion::ImportedMemory;
pub use keywords::trusted_keywords;
pub use life_cycle::{
    MovedMemories, StorageSettings, StorageSettingsByScope, apply_retention, archive_memories,
    find_unused, record_recall,
};
pub use memory::{
    Frontmatter, Importance, Memory, MemoryDraft, MemoryKind, MemoryScope, MemorySource,
    MemoryState,
};
pub use memory_block::{BlockItem, MemoryBlock, PastTurn, ShowCommand};
pub use memory_change::{MemoryChange, ReplacementChange};
pub use memory_directory::{
    MemoryDirectory, StorageLocation, memory_directories, settings_directory,
};
pub use memory_edit::{EditReview, MemoryEdit};
pub use memory_embedder::MemoryEmbedder;
pub use memory_stats::{DirectoryStats, MemoryStats, ViewSizes};
pub use memory_store::{MemoryListing, MemoryStore};
pub use rank::{MemoryMatch, MemoryQuery, RetrievalSettings, search_memories};
pub use replaced_secrets::ReplacedSecrets;
pub use session_start::AgentContext;
pub use session_state::SessionState;
pub use session_state_file::{InjectionSwitch, SessionStateFile};
pub use string_list::deserialize_string_list;
pub use trigger_injection::{TriggerCandidate, TriggerDecision};
pub use triggers::{TriggerChange, TriggerEvent, TriggerGlob, Triggers};
pub use trust::Trust;
