//! A database of Cursor's. What changed is recognized by numbers of rows, without reading values: a value
//! that is written again gets a new row, and values take up gigabytes.

use super::bubble::Bubble;
use super::composer::{Composer, ComposerMessages, ComposerRecord};
use super::workspace::{path_from_uri, state_folder, workspace_folder};
use crate::IndexedSpan;
use crate::json::{readable_json, record};
use crate::project::set_directory;
use crate::session_signature::{SessionSignature, digest};
use crate::session_storage::{ALL_RECORDS, SessionStorage, StoredSession, TurnVisitor};
use crate::sqlite::{SourceDatabase, stored_columns};
use crate::storage_error::{BAD_JSON, SIZE_LIMIT, SkippedCounts, StorageError, TOO_LONG};
use crate::stored_turns::StoredTurns;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::SessionMeta;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Keys of `cursorDiskKV` that begin a conversation, and the first that does not.
const COMPOSERS: [&str; 2] = ["composerData:", "composerData;"];
/// Keys of `ItemTable` that hold conversations whole: of 2024, and of 2023.
const COMPOSER_LIST: &str = "composer.composerData";
const CHAT_LIST: &str = "workbench.panel.aichat.view.aichat.chatdata";

/// An open database.
#[derive(Debug)]
pub(super) struct CursorDatabase {
    database: SourceDatabase,
    tables: CursorTables,
    path: PathBuf,
    /// The conversations that stand whole in `ItemTable`, with their JSON.
    listed: Vec<(Composer, String)>,
    /// Folders of conversations that do not name their own, by id.
    listed_folders: OnceCell<HashMap<String, String>>,
}

/// The tables that a database has.
#[derive(Debug, Default)]
struct CursorTables {
    /// `cursorDiskKV`
    values: bool,
    /// `ItemTable`
    items: bool,
    /// `composerHeaders`, of versions from 2026 on.
    headers: bool,
}

impl CursorTables {
    fn read(connection: &Connection) -> Result<Self, StorageError> {
        let has = |table, columns: &[&str]| {
            let stored = stored_columns(connection, table)?;
            Ok::<_, StorageError>(columns.iter().all(|column| stored.contains(*column)))
        };
        let tables = Self {
            values: has("cursorDiskKV", &["key", "value"])?,
            items: has("ItemTable", &["key", "value"])?,
            headers: has("composerHeaders", &["composerId", "createdAt", "value"])?,
        };
        if tables.values || tables.items {
            Ok(tables)
        } else {
            Err(StorageError::NoTables("Cursor"))
        }
    }
}

/// The lists of conversations in `ItemTable`.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ComposerList {
    #[serde(alias = "tabs")]
    all_composers: Vec<Box<RawValue>>,
}

impl CursorDatabase {
    pub(super) fn open(path: &Path) -> Result<Box<dyn SessionStorage>, StorageError> {
        let mut database = Self::connect(path)?;
        database.listed = database.listed_composers()?;
        Ok(Box::new(database))
    }

    fn connect(path: &Path) -> Result<Self, StorageError> {
        let (database, tables) = SourceDatabase::open(path, CursorTables::read)?;
        Ok(Self {
            database,
            tables,
            path: path.to_owned(),
            listed: Vec::new(),
            listed_folders: OnceCell::new(),
        })
    }

    /// Returns the conversations of `cursorDiskKV`, by their numbers of rows.
    fn stored_composers(&self) -> Result<Vec<StoredSession>, StorageError> {
        let connection = &self.database.connection;
        let mut statement = connection.prepare(
            "SELECT substr(key, 14), rowid, octet_length(value) FROM cursorDiskKV
             WHERE key >= ?1 AND key < ?2",
        )?;
        let mut rows = statement.query(COMPOSERS)?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()? {
            let Ok(id) = row.get::<_, String>(0) else {
                continue;
            };
            let size = row.get::<_, Option<i64>>(2)?.unwrap_or_default();
            let messages = self.count_messages(&id)?;
            let meta = SessionMeta {
                id,
                ..SessionMeta::default()
            };
            let header = self.header(&meta.id)?;
            sessions.push(StoredSession {
                created: header.as_ref().map_or(0, |header| header.created),
                signature: SessionSignature {
                    changed_ms: row.get::<_, i64>(1)?.max(messages.last_row),
                    messages: messages.count.cast_unsigned(),
                    parts: size.cast_unsigned(),
                    digest: digest(&meta, header.as_ref().map(|header| &*header.value)),
                },
                meta,
            });
        }
        Ok(sessions)
    }

    /// Counts the messages of a conversation, without reading them.
    fn count_messages(&self, id: &str) -> Result<MessageRows, StorageError> {
        let mut statement = self.database.connection.prepare_cached(
            "SELECT count(*), coalesce(max(rowid), 0) FROM cursorDiskKV WHERE key >= ?1 AND key < ?2",
        )?;
        let range = [format!("bubbleId:{id}:"), format!("bubbleId:{id};")];
        let rows = statement.query_row(range, |row| {
            Ok(MessageRows {
                count: row.get(0)?,
                last_row: row.get(1)?,
            })
        });
        Ok(rows?)
    }

    fn header(&self, id: &str) -> Result<Option<ComposerHeader>, StorageError> {
        if !self.tables.headers {
            return Ok(None);
        }
        let sql = "SELECT createdAt, value FROM composerHeaders WHERE composerId = ?1";
        let statement = self.database.connection.prepare_cached(sql);
        let mut statement = match statement.map_err(StorageError::from) {
            Err(error) if !error.is_transient() => return Ok(None),
            statement => statement?,
        };
        let header = statement.query_row([id], |row| {
            Ok(ComposerHeader {
                created: row.get_ref(0)?.as_i64().unwrap_or_default(),
                value: bytes(row.get_ref(1)?).map_or_else(String::new, |b| readable_json(b).into()),
            })
        });
        Ok(header.optional()?)
    }

    fn listed_composers(&self) -> Result<Vec<(Composer, String)>, StorageError> {
        let mut found = Vec::new();
        let folder = OnceCell::new();
        for key in [COMPOSER_LIST, CHAT_LIST] {
            for value in self.item_list(key)? {
                let Ok(record) = serde_json::from_str::<ComposerRecord<'_>>(value.get()) else {
                    continue;
                };
                let mut composer = record.composer(record.composer_id.or_empty());
                let is_whole = matches!(composer.messages, ComposerMessages::Inline(_));
                if is_whole && composer.messages.len() > 0 && !composer.meta.id.is_empty() {
                    let folder: &String =
                        folder.get_or_init(|| self.own_folder().unwrap_or_default());
                    set_directory(&mut composer.meta, folder);
                    found.push((composer, value.get().to_owned()));
                }
            }
        }
        Ok(found)
    }

    fn item_list(&self, key: &str) -> Result<Vec<Box<RawValue>>, StorageError> {
        if !self.tables.items {
            return Ok(Vec::new());
        }
        let value = self.value("ItemTable", key)?;
        let Some(StoredValue::Bytes(value)) = value else {
            return Ok(Vec::new());
        };
        let list: ComposerList = serde_json::from_str(&readable_json(&value)).unwrap_or_default();
        Ok(list.all_composers)
    }

    fn value(&self, table: &str, key: &str) -> Result<Option<StoredValue>, StorageError> {
        let sql = format!(
            "SELECT CASE WHEN octet_length(value) <= ?2 THEN value END FROM {table}
             WHERE key = ?1 AND value IS NOT NULL"
        );
        let mut statement = self.database.connection.prepare_cached(&sql)?;
        let value = statement.query_row(params![key, SIZE_LIMIT], |row| {
            let value = row.get_ref(0)?;
            let bytes = bytes(value).unwrap_or_default().to_vec();
            Ok(match value {
                ValueRef::Null => StoredValue::TooLong,
                _ => StoredValue::Bytes(bytes),
            })
        });
        Ok(value.optional()?)
    }

    /// Returns a conversation of either table, as it says itself. `None` for one in which nothing was said.
    ///
    /// # Errors
    /// When it cannot be parsed: its messages may still be there.
    fn composer(&self, id: &str) -> Result<Option<Composer>, StorageError> {
        let stored = if self.tables.values {
            self.value("cursorDiskKV", &format!("composerData:{id}"))?
        } else {
            None
        };
        let found = match stored {
            Some(StoredValue::Bytes(value)) if value.trim_ascii() == b"null" => None,
            Some(StoredValue::Bytes(value)) => {
                let mut repaired = String::new();
                let record: Option<ComposerRecord<'_>> = record(&value, &mut repaired);
                let record = record.ok_or(StorageError::NotAConversation)?;
                Some(record.composer(id))
            }
            Some(StoredValue::TooLong) => return Err(StorageError::NotAConversation),
            None => None,
        };
        if let Some(composer) = found.filter(|found| found.messages.len() > 0) {
            return Ok(Some(composer));
        }
        let mut listed = self.listed.iter().map(|(composer, _)| composer);
        Ok(listed.find(|composer| composer.meta.id == id).cloned())
    }

    /// Completes a conversation with the facts that the database has elsewhere: its parent and its folder.
    fn complete(&self, composer: &mut Composer) -> Result<(), StorageError> {
        let id = composer.meta.id.clone();
        let header = self.header(&id)?.unwrap_or_default();
        let mut repaired = String::new();
        let header: Option<ComposerRecord<'_>> = record(header.value.as_bytes(), &mut repaired);
        let header = header
            .map(|header| header.composer(&id))
            .unwrap_or_default();
        let parent = composer.meta.parent.take();
        composer.meta.parent = parent.or(header.meta.parent);
        let workspaces = self.workspaces();
        let mut named = [&composer.workspace, &header.workspace]
            .into_iter()
            .flatten();
        let named = named
            .find_map(|workspace| workspace.folder(workspaces.as_deref()))
            .or_else(|| self.listed_folder(&id));
        let folder = match named {
            Some(folder) => Some(folder),
            None => self.first_message_folder(&id, &composer.messages)?,
        };
        set_directory(&mut composer.meta, &folder.unwrap_or_default());
        Ok(())
    }

    /// Returns the folder of the states of all workspaces, beside that of this database.
    fn workspaces(&self) -> Option<PathBuf> {
        Some(self.path.parent()?.parent()?.join("workspaceStorage"))
    }

    /// Returns the folder of the workspace whose database this is.
    fn own_folder(&self) -> Option<String> {
        workspace_folder(self.path.parent()?)
    }

    /// Returns the folder of the workspace that lists a conversation.
    fn listed_folder(&self, id: &str) -> Option<String> {
        let folders = self.listed_folders.get_or_init(|| self.list_folders());
        folders.get(id).cloned()
    }

    fn list_folders(&self) -> HashMap<String, String> {
        let mut folders = HashMap::new();
        let workspaces = self.workspaces();
        let states = workspaces
            .iter()
            .filter_map(|path| fs_err::read_dir(path).ok());
        for state in states.flatten().flatten() {
            let name = state.file_name();
            let known = || {
                let state = state_folder(workspaces.as_ref()?, name.to_str()?)?;
                let folder = workspace_folder(&state)?;
                let database = Self::connect(&state.join("state.vscdb")).ok()?;
                Some((folder, database.item_list(COMPOSER_LIST).ok()?))
            };
            let (folder, listed) = known().unwrap_or_default();
            for value in listed {
                if let Ok(record) = serde_json::from_str::<ComposerRecord<'_>>(value.get()) {
                    folders.insert(record.composer_id.or_empty().to_owned(), folder.clone());
                }
            }
        }
        folders
    }

    /// Returns the folder that the first message names.
    fn first_message_folder(
        &self,
        id: &str,
        messages: &ComposerMessages,
    ) -> Result<Option<String>, StorageError> {
        let Some(StoredValue::Bytes(value)) = self.message(id, messages, 0)? else {
            return Ok(None);
        };
        let mut repaired = String::new();
        let message: Option<Bubble<'_>> = record(&value, &mut repaired);
        let uris = message.iter().flat_map(|message| &message.workspace_uris.0);
        Ok(uris.filter_map(|uri| path_from_uri(uri.or_empty())).next())
    }

    fn message(
        &self,
        composer: &str,
        messages: &ComposerMessages,
        ordinal: usize,
    ) -> Result<Option<StoredValue>, StorageError> {
        Ok(match messages {
            ComposerMessages::Ids(ids) => match ids.get(ordinal) {
                Some(id) => self.value("cursorDiskKV", &format!("bubbleId:{composer}:{id}"))?,
                None => None,
            },
            ComposerMessages::Inline(texts) => texts
                .get(ordinal)
                .map(|text| StoredValue::Bytes(text.clone().into_bytes())),
        })
    }
}

/// The rows of the messages of a conversation.
struct MessageRows {
    count: i64,
    /// The greatest `rowid`; 0 without messages.
    last_row: i64,
}

/// A row of `composerHeaders`.
#[derive(Default)]
struct ComposerHeader {
    /// Milliseconds since 1970.
    created: i64,
    /// The JSON of what is known of the conversation.
    value: String,
}

/// A value of a table of keys and values.
enum StoredValue {
    /// Its text; none of it for a number, which is no JSON of a message.
    Bytes(Vec<u8>),
    TooLong,
}

/// Returns the bytes of a text or blob: SQLite lets any value into any column.
fn bytes(value: ValueRef<'_>) -> Option<&[u8]> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        _ => None,
    }
}

impl SessionStorage for CursorDatabase {
    fn list_sessions(&self, _: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError> {
        let mut sessions = if self.tables.values {
            self.stored_composers()?
        } else {
            Vec::new()
        };
        let stored: HashSet<String> = sessions.iter().map(|s| s.meta.id.clone()).collect();
        let listed = self.listed.iter();
        let listed = listed.filter(|(composer, _)| !stored.contains(&composer.meta.id));
        sessions.extend(listed.map(|(composer, json)| StoredSession {
            created: composer.created.unwrap_or_default(),
            signature: SessionSignature {
                digest: digest(&composer.meta, Some(json)),
                ..SessionSignature::default()
            },
            meta: composer.meta.clone(),
        }));
        Ok(sessions)
    }

    fn read_meta(&self, session: &StoredSession) -> Result<Option<SessionMeta>, StorageError> {
        let Some(mut composer) = self.composer(&session.meta.id)? else {
            return Ok(None);
        };
        if composer.meta.cwd.is_none() {
            self.complete(&mut composer)?;
        }
        Ok(Some(composer.meta))
    }

    fn visit_turns(
        &self,
        session: &SessionMeta,
        shown: Option<IndexedSpan>,
        skipped: &mut SkippedCounts,
        visit: &mut TurnVisitor<'_>,
    ) -> Result<(), StorageError> {
        let _snapshot = self.database.connection.unchecked_transaction()?;
        let Some(composer) = self.composer(&session.id)? else {
            return Ok(());
        };
        let mut turns = StoredTurns::new(session, shown, visit);
        let span = shown.map_or(ALL_RECORDS, |turn| turn.span);
        let ordinals = (span.start..span.end).take_while(|ordinal| {
            usize::try_from(*ordinal).is_ok_and(|ordinal| ordinal < composer.messages.len())
        });
        for ordinal in ordinals {
            let value = self.message(&session.id, &composer.messages, ordinal as usize)?;
            let value = match value {
                Some(StoredValue::Bytes(value)) => value,
                Some(StoredValue::TooLong) => {
                    skipped.add(TOO_LONG);
                    continue;
                }
                None => continue,
            };
            let mut repaired = String::new();
            let Some(message) = record::<Bubble<'_>>(&value, &mut repaired) else {
                skipped.add(BAD_JSON);
                continue;
            };
            let (created, model) = (composer.created, composer.model.as_deref());
            let flow = turns.record(ordinal, |writer| {
                message.push_message(ordinal, created, model, writer)
            });
            if flow.is_break() {
                return Ok(());
            }
        }
        turns.finish();
        Ok(())
    }
}
