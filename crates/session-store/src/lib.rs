//! The index at rest: a SQLite database with FTS5, and `.npy` matrices.
//!
//! [`Writer`] is the one writer, by a lock file; [`Reader`]s are many and never
//! wait for it. The writer takes turns ([`Writer::add_turn`]) and vectors
//! ([`Writer::store_documents`]) and makes all of it visible by one SQLite
//! commit ([`Writer::commit`]); a process killed before it leaves nothing
//! behind but bytes in a matrix that the next writer overwrites. `docs/format.md` describes the files.
//!
//! There is one matrix per model and kind of document. It is append-only, each row has a scale and 8 bits a
//! component, and `numpy.load` opens it. Sessions, turns and owners of vectors are read whole by each query,
//! so they are stored in blocks, too, beside their rows.
//!
//! ```
//! use session_core::{FileStamp, KnownTurns, Query, SessionMeta, Turn};
//! use session_store::{Reader, Writer};
//!
//! let home = tempfile::tempdir().unwrap();
//! let mut writer = Writer::open(home.path()).unwrap();
//! let file = writer.upsert_file("claude", "/h/a.jsonl").unwrap();
//! let meta = SessionMeta { id: "a".into(), ..SessionMeta::default() };
//! let session = writer.open_session(file, "claude", &meta, KnownTurns::Replace).unwrap();
//! # let turn: Turn = serde_json::from_str(r#"{"index":0,"continues":false,"origin":null,"leaf":null,"started_ms":null,"ended_ms":null,"branch":null,"span":{"start":0,"end":9},"kind":"typed","prompt":"Fix the EMFILE crash","parts":[]}"#).unwrap();
//! writer.add_turn(session, &turn).unwrap();
//! writer.checkpoint(file, "", FileStamp::default()).unwrap();
//! writer.commit().unwrap();
//!
//! let reader = Reader::open(home.path()).unwrap();
//! let found = reader.search_lexical(&Query::new("EMFILE"), 100, |_| Ok(true)).unwrap();
//! assert_eq!(found.turns.len(), 1);
//! ```

mod changed_rows;
mod copied_sessions;
mod copies;
mod dedup_keys;
mod directory;
mod directory_ownership;
mod embedding_handover;
mod embedding_pause;
mod embeddings;
mod error;
mod error_signatures;
mod file_digests;
mod file_session;
mod files;
mod forget;
mod frames;
mod given_titles;
mod hash;
mod id;
mod identity;
mod index_lock;
mod key_filter;
mod known_environments;
mod lost_turns;
mod migrate;
mod model;
mod new_session;
mod old_databases;
mod open_processes;
mod other_homes;
mod pair_blocks;
mod pending_sessions;
mod pending_writes;
mod prepared_turn;
mod prompt_only_sessions;
mod purge;
mod query_cache;
mod reader;
mod repair;
mod replacement;
mod rewriting;
mod row;
mod schema;
mod session_blocks;
mod session_counts;
mod session_progress;
mod session_tree;
mod sessions;
mod settings;
mod snapshot_cache;
mod sql;
mod sqlite_memory;
mod titles;
mod turn_columns;
mod turn_indexing;
mod turn_keys;
mod turn_record;
mod turns;
mod varint;
mod verify;
mod word_index;
mod word_search;
mod writer;

pub use copied_sessions::SessionTwin;
pub use dedup_keys::DedupKeys;
pub use directory::{
    default_root, index_directories, index_exists, last_commit_time, private_paths, written_paths,
};
pub use directory_ownership::{EMBEDDING_ETA_FILE, check_ownership, is_index_directory};
pub use embedding_handover::EmbeddingHandover;
pub use embedding_pause::{EmbeddingPause, EmbeddingPauses};
pub use embeddings::matrix::{RowProducts, VectorMatrix};
pub use embeddings::new_documents::{NewDocument, NewDocuments};
pub use embeddings::vector_owners::{VectorOwners, VectorRow};
pub use embeddings::vectors::{
    Document, DocumentExtent, EmbeddedDocument, EmbeddedTexts, SessionContents,
};
pub use error::StoreError;
pub use file_digests::{FileDigest, FileDigests};
pub use files::{FileRow, HistoryProblem};
pub use frames::contents::{ContentsPart, StoredContent};
pub use frames::damaged_contents::DamagedSession;
pub use frames::packed_turns::{PackedSession, PackedTurns};
pub use given_titles::{FirstTurn, GivenTitle};
pub use id::{FileId, ModelId, SessionId, SessionTurn, TurnId};
pub use identity::IndexIdentity;
pub use index_lock::{IndexLock, IndexWriter};
pub use model::{DocumentKind, ModelRow};
pub use old_databases::{delete_old_databases, old_databases};
pub use open_processes::{OpenProcess, find_open_processes};
pub use pending_sessions::PendingSession;
pub use prepared_turn::{PreparedTurn, TurnPreparer};
pub use prompt_only_sessions::{EndedSession, Supersession};
pub use purge::{PendingPurge, PurgeOutcome};
pub use query_cache::{cache_query_vector, cached_query_vector, delete_query_cache};
pub use reader::Reader;
pub use replacement::{SessionDelivery, UndeliveredTurns};
pub use rewriting::{RewrittenCounts, StoredTextRewriter};
pub use row::{CopyRow, SessionBranch, SessionRow, TurnRow};
pub use schema::FORMAT_VERSION;
pub use session_tree::{SessionTree, with_subagents};
pub use snapshot_cache::CacheAge;
pub use sqlite_memory::disable_memory_count;
pub use turn_columns::TurnColumns;
pub use turn_record::TurnRecord;
pub use word_search::highlight::find_term_ranges;
pub use word_search::lexical::LexicalMatches;
pub use word_search::misspellings::WordCorrector;
pub use word_search::term_stats::{SubstituteKind, TermStats};
pub use writer::{MigrationProgress, Writer};
