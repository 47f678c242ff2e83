//! The file that remembers what was forgotten.

use serde::{Deserialize, Serialize};
use session_files::{FileError, private};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Most bytes of the file: some 500,000 turns.
const LIMIT: u64 = 32 << 20;
/// Hex digits of a hash: 128 bits.
const HASH_DIGITS: usize = 32;

/// An error of forgetting.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// The file of records cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The index failed.
    #[error(transparent)]
    Store(#[from] session_store::StoreError),
    /// The file of records is damaged.
    #[error("`{path}` does not say what was forgotten: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A pattern of `exclude` is no regular expression.
    #[error("`{pattern}` in exclude.patterns is no regular expression: {reason}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The reason, on one line.
        reason: String,
    },
}

/// One act of forgetting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgottenEntry {
    /// Number of the entry, from 1.
    pub id: u32,
    /// Time, RFC 3339.
    pub at: String,
    /// `session`, `turns`, `project`, `match`, `before` or `marker`.
    pub what: String,
    /// Sessions that were deleted.
    pub sessions: usize,
    /// Turns that were deleted, those of the sessions included.
    pub turns: usize,
    /// Keyed hashes, in hex.
    hashes: Vec<String>,
}

/// What was forgotten, as hashes with a key of this machine.
#[derive(Debug, Clone, Default)]
pub struct ForgottenRecords {
    path: PathBuf,
    file: RecordFile,
    hashes: HashSet<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct RecordFile {
    /// The key, in hex.
    key: String,
    entries: Vec<ForgottenEntry>,
}

impl ForgottenRecords {
    /// Reads the records in a file, none where it does not exist.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged: what was forgotten must not come back unseen.
    pub fn open(path: &Path) -> Result<Self, ForgetError> {
        let file = match private::read_text(path, LIMIT)? {
            Some(text) => serde_json::from_str(&text).map_err(|error| ForgetError::Damaged {
                path: path.to_owned(),
                reason: error.to_string(),
            })?,
            None => RecordFile::default(),
        };
        let hashes = file.entries.iter().flat_map(|entry| entry.hashes.clone());
        Ok(Self {
            hashes: hashes.collect(),
            path: path.to_owned(),
            file,
        })
    }

    /// Returns all entries, oldest first.
    pub fn entries(&self) -> &[ForgottenEntry] {
        &self.file.entries
    }

    /// Returns true when something was forgotten.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Adds an entry and writes the file; returns its number.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(
        &mut self,
        at: &str,
        what: &str,
        counts: [usize; 2],
        items: &[String],
    ) -> Result<u32, ForgetError> {
        if self.file.key.is_empty() {
            self.file.key = new_key();
        }
        let id = self.file.entries.last().map_or(1, |last| last.id + 1);
        let hashes: Vec<String> = items.iter().map(|item| self.hash(item)).collect();
        self.hashes.extend(hashes.iter().cloned());
        let [sessions, turns] = counts;
        self.file.entries.push(ForgottenEntry {
            id,
            at: at.to_owned(),
            what: what.to_owned(),
            sessions,
            turns,
            hashes,
        });
        self.write()?;
        Ok(id)
    }

    /// Removes an entry and writes the file; returns false where there is none of this number.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remove(&mut self, id: u32) -> Result<bool, ForgetError> {
        let before = self.file.entries.len();
        self.file.entries.retain(|entry| entry.id != id);
        if self.file.entries.len() == before {
            return Ok(false);
        }
        self.write()?;
        let hashes = self
            .file
            .entries
            .iter()
            .flat_map(|entry| entry.hashes.clone());
        self.hashes = hashes.collect();
        Ok(true)
    }

    /// Writes the file; records that were never opened have none.
    fn write(&self) -> Result<(), ForgetError> {
        if self.path.as_os_str().is_empty() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            private::create_directory(folder)?;
        }
        let text = serde_json::to_string(&self.file).unwrap_or_default();
        Ok(private::write(&self.path, text.as_bytes())?)
    }

    /// Returns true when an item was forgotten.
    pub(crate) fn holds(&self, item: &str) -> bool {
        !self.hashes.is_empty() && self.hashes.contains(&self.hash(item))
    }

    /// Returns a hash of all that is remembered, which changes with it.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for entry in &self.file.entries {
            hasher.update(&entry.id.to_le_bytes());
            entry.hashes.iter().for_each(|hash| {
                hasher.update(hash.as_bytes());
            });
        }
        hasher.finalize().to_hex().to_string()
    }

    fn hash(&self, item: &str) -> String {
        let key = blake3::hash(self.file.key.as_bytes());
        let mut hash = blake3::keyed_hash(key.as_bytes(), item.as_bytes())
            .to_hex()
            .to_string();
        hash.truncate(HASH_DIGITS);
        hash
    }
}

/// Makes a key from what differs between machines and moments: it separates hashes of machines, and
/// keeps no one out who can read the file.
fn new_key() -> String {
    let mut hasher = blake3::Hasher::new();
    let address = Box::new(0_u8);
    hasher.update(format!("{:?} {:p}", std::time::SystemTime::now(), address).as_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    // The standard library's maps are seeded by the system.
    let random = std::hash::RandomState::new();
    let seed = std::hash::BuildHasher::hash_one(&random, 0_u8);
    hasher.update(&seed.to_le_bytes());
    hasher.finalize().to_hex().to_string()
}
