//! The file that remembers what was forgotten.

use crate::entry::{EntryDraft, EntryItems, ForgottenEntry};
use crate::error::ForgetError;
use serde::{Deserialize, Serialize};
use session_files::{Dir, FileError, Lock, private};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most bytes of the file: some 900,000 turns.
pub(crate) const LIMIT: u64 = 128 << 20;
/// Hex digits of a hash: 128 bits.
const HASH_DIGITS: usize = 32;
/// How long to wait for another process that changes the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// The records of what was forgotten: hashes with a key of this machine.
#[derive(Debug, Clone, Default)]
pub struct ForgottenRecords {
    path: PathBuf,
    file: RecordFile,
    hashes: HashSet<String>,
}

/// The content of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct RecordFile {
    /// The key, in hex.
    key: String,
    /// The number of the next entry: that of a removed one is not given again. Older files have none.
    #[serde(default)]
    next_id: u32,
    entries: Vec<ForgottenEntry>,
}

impl RecordFile {
    /// Returns a number that no entry has had.
    fn next_id(&self) -> u32 {
        let last = self.entries.last().map_or(0, |last| last.id);
        self.next_id.max(last.saturating_add(1))
    }
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
        let mut records = Self {
            path: path.to_owned(),
            file,
            hashes: HashSet::new(),
        };
        records.collect_hashes();
        Ok(records)
    }

    /// Reads the file once more; `None` if no other process has changed it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn reread(&self) -> Result<Option<Self>, ForgetError> {
        if self.path.as_os_str().is_empty() {
            return Ok(None);
        }
        let now = Self::open(&self.path)?;
        Ok((now.fingerprint() != self.fingerprint()).then_some(now))
    }

    /// Returns all entries, oldest first.
    pub fn entries(&self) -> &[ForgottenEntry] {
        &self.file.entries
    }

    /// Returns the numbers of the other entries that keep out all or part of what an entry holds, so that its removal does
    /// not bring that back.
    pub fn covering_entries(&self, entry: &ForgottenEntry) -> Vec<u32> {
        let others = self.entries().iter().filter(|other| other.id != entry.id);
        let covering = others.filter(|other| other.covers(entry));
        covering.map(|other| other.id).collect()
    }

    /// Returns true when nothing was forgotten.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Adds an entry to the file and to these records; returns its number.
    ///
    /// # Errors
    /// When the file cannot be read or written, or another process holds its lock for too long.
    pub(crate) fn add(
        &mut self,
        new: &EntryDraft<'_>,
        items: &EntryItems,
    ) -> Result<u32, ForgetError> {
        let key = new_key()?;
        self.update(|records| {
            if records.file.key.is_empty() {
                records.file.key = key;
            }
            let id = records.file.next_id;
            let entry = ForgottenEntry::new(id, new, items, |item| records.hash(item));
            records.file.entries.push(entry);
            id
        })
    }

    /// Removes an entry from the file and from these records; returns false where there is none of
    /// this number.
    ///
    /// # Errors
    /// When the file cannot be read or written, or another process holds its lock for too long.
    pub fn remove(&mut self, id: u32) -> Result<bool, ForgetError> {
        self.update(|records| {
            let before = records.entries().len();
            records.file.entries.retain(|entry| entry.id != id);
            records.entries().len() < before
        })
    }

    /// Reads the file again under its lock, changes its entries and writes it: another process may have
    /// changed it since it was opened. Records that were never opened have no file.
    fn update<T>(&mut self, change: impl FnOnce(&mut Self) -> T) -> Result<T, ForgetError> {
        let lock = self.lock()?;
        let mut records = match &lock {
            Some(_) => Self::open(&self.path)?,
            None => self.clone(),
        };
        let before = records.entries().len();
        records.file.next_id = records.file.next_id();
        let changed = change(&mut records);
        records.file.next_id = records.file.next_id();
        if lock.is_some() && records.entries().len() != before {
            records.write()?;
        }
        records.collect_hashes();
        *self = records;
        Ok(changed)
    }

    fn write(&self) -> Result<(), ForgetError> {
        let text = serde_json::to_string(&self.file).map_err(io::Error::from);
        let text = text.map_err(FileError::from)?;
        // A file that cannot be read again would keep everything from being read.
        if text.len() as u64 > LIMIT {
            return Err(ForgetError::TooMuch(text.len() as u64 >> 20));
        }
        Ok(private::write(&self.path, text.as_bytes())?)
    }

    /// Waits for the lock of the file; `None` for records without a file.
    fn lock(&self) -> Result<Option<Lock>, ForgetError> {
        let name = self.path.with_extension("lock");
        let (Some(directory), Some(name)) = (self.path.parent(), name.file_name()) else {
            return Ok(None);
        };
        let name = name.to_string_lossy();
        match Lock::lock_timeout(&Dir::create(directory)?, &name, LOCK_TIMEOUT)? {
            None => Err(FileError::Locked(directory.to_owned()).into()),
            lock => Ok(lock),
        }
    }

    fn collect_hashes(&mut self) {
        let entries = self.file.entries.iter();
        self.hashes = entries.flat_map(|entry| entry.hashes.clone()).collect();
    }

    /// Returns true when an item was forgotten.
    pub(crate) fn holds(&self, item: &str) -> bool {
        !self.hashes.is_empty() && self.hashes.contains(&self.hash(item))
    }

    /// Returns a hash of all that is remembered, which changes with it.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let entries = self.file.entries.iter();
        entries.for_each(|entry| entry.update_hasher(&mut hasher));
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

/// Draws a key: it separates hashes of machines, and keeps no one out who can read the file.
fn new_key() -> Result<String, ForgetError> {
    let mut key = [0; blake3::KEY_LEN];
    getrandom::fill(&mut key).map_err(ForgetError::NoKey)?;
    Ok(blake3::Hash::from_bytes(key).to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::ContentCounts;
    use crate::entry::ForgetReason;

    /// Makes items that are all decisive.
    fn items<const N: usize>(items: [&str; N]) -> EntryItems {
        EntryItems::from_iter(items.map(str::to_owned))
    }

    fn add(records: &mut ForgottenRecords, item: &str) -> u32 {
        records.add(&ENTRY, &items([item])).unwrap()
    }

    /// An entry of one session.
    const ENTRY: EntryDraft<'static> = EntryDraft {
        at: "",
        reason: ForgetReason::Session,
        counts: ContentCounts {
            sessions: 1,
            turns: 0,
            titles: 0,
        },
    };

    #[test]
    fn records_that_are_open_at_once_lose_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        let open = || ForgottenRecords::open(&path).unwrap();
        let (mut one, mut other) = (open(), open());
        assert_eq!(add(&mut one, "harbour"), 1);
        assert_eq!(add(&mut other, "lighthouse"), 2);
        assert!(other.holds("harbour") && other.holds("lighthouse"));
        let written = open();
        assert!(written.holds("harbour") && written.holds("lighthouse"));

        assert!(one.remove(2).unwrap(), "an entry of the other");
        assert!(one.holds("harbour") && !one.holds("lighthouse"));
        assert!(!other.remove(2).unwrap(), "it is gone");
        assert_eq!(add(&mut other, "oil"), 3);
        assert_eq!(open().entries().len(), 2);
    }

    /// A script that repeats `--undo` would bring back what another one forgot.
    #[test]
    fn the_number_of_a_removed_entry_is_not_given_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        for mut records in [
            ForgottenRecords::default(),
            ForgottenRecords::open(&path).unwrap(),
        ] {
            assert_eq!(add(&mut records, "harbour"), 1);
            assert!(records.remove(1).unwrap());
            assert_eq!(add(&mut records, "lighthouse"), 2);
            assert!(!records.remove(1).unwrap());
        }
    }

    #[test]
    fn a_file_without_the_next_number_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        let entry = r#"{"id":4,"at":"","what":"session","sessions":1,"turns":0,"hashes":[]}"#;
        fs_err::write(&path, format!(r#"{{"key":"00","entries":[{entry}]}}"#)).unwrap();
        let mut records = ForgottenRecords::open(&path).unwrap();
        assert!(records.remove(4).unwrap());
        assert_eq!(add(&mut records, "harbour"), 5);
    }

    /// The entry lacks all that only explains it.
    #[test]
    fn a_file_with_the_hashes_alone_keeps_out_what_they_are_of() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        let hash = "1f63d696e3ab8fa7369bafce36ab7a6d";
        let entry = format!(
            r#"{{"id":4,"at":"","what":"session","sessions":1,"turns":0,"hashes":["{hash}"]}}"#
        );
        fs_err::write(&path, format!(r#"{{"key":"00","entries":[{entry}]}}"#)).unwrap();
        let mut records = ForgottenRecords::open(&path).unwrap();
        assert!(records.holds("session lamp") && !records.holds("session kiln"));
        add(&mut records, "session kiln");
        let written = ForgottenRecords::open(&path).unwrap();
        assert!(written.holds("session lamp") && written.holds("session kiln"));
        assert_eq!(covering(&written, 4), [0; 0]);
    }

    #[test]
    fn the_reason_of_a_newer_version_stays_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        let reasons = [
            ("session", ForgetReason::Session),
            ("turns", ForgetReason::Turns),
            ("project", ForgetReason::Project),
            ("match", ForgetReason::Match),
            ("before", ForgetReason::Before),
            ("marker", ForgetReason::Marker),
            ("whim", ForgetReason::Unknown("whim".into())),
        ];
        for (name, reason) in reasons {
            let what = format!(r#""what":"{name}""#);
            let entry = format!(r#"{{"id":4,"at":"",{what},"sessions":1,"turns":0,"hashes":[]}}"#);
            fs_err::write(&path, format!(r#"{{"key":"00","entries":[{entry}]}}"#)).unwrap();
            let mut records = ForgottenRecords::open(&path).unwrap();
            assert_eq!(records.entries()[0].reason, reason);
            assert_eq!(records.entries()[0].reason.name(), name);
            add(&mut records, "harbour");
            assert!(fs_err::read_to_string(&path).unwrap().contains(&what));
        }
    }

    #[test]
    fn a_file_that_was_damaged_meanwhile_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("forgotten.json");
        let mut records = ForgottenRecords::open(&path).unwrap();
        fs_err::write(&path, "{").unwrap();
        let failed = records.add(&ENTRY, &items(["harbour"]));
        assert!(matches!(failed, Err(ForgetError::Damaged { .. })));
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "{");
    }

    #[test]
    fn records_without_a_file_are_kept_in_memory() {
        let mut records = ForgottenRecords::default();
        assert_eq!(add(&mut records, "harbour"), 1);
        assert!(records.holds("harbour"));
        assert!(records.remove(1).unwrap() && records.is_empty());
    }

    fn covering(records: &ForgottenRecords, id: u32) -> Vec<u32> {
        let entry = records.entries().iter().find(|entry| entry.id == id);
        records.covering_entries(entry.unwrap())
    }

    #[test]
    fn an_entry_is_covered_by_what_forgets_its_session_or_the_same_item() {
        let mut records = ForgottenRecords::default();
        let mut turn = items(["turn lamp 3"]);
        turn.shared.insert("origin 7".to_owned());
        turn.containing.insert("session lamp".to_owned());
        let mut other_turn = items(["turn kiln 3"]);
        other_turn.shared.insert("origin 7".to_owned());
        for items in [
            turn,
            other_turn,
            items(["session lamp"]),
            items(["turn lamp 3"]),
        ] {
            records.add(&ENTRY, &items).unwrap();
        }
        assert!(!records.holds("session of nothing") && records.holds("session lamp"));
        assert_eq!(covering(&records, 1), [3, 4]);
        assert_eq!(covering(&records, 2), [0; 0]);
        assert_eq!(covering(&records, 3), [0; 0]);
        assert_eq!(covering(&records, 4), [1]);
    }

    #[test]
    fn a_session_that_contains_a_forgotten_turn_is_not_forgotten() {
        let mut records = ForgottenRecords::default();
        let mut turn = items(["turn lamp 3"]);
        turn.containing.insert("session lamp".to_owned());
        records.add(&ENTRY, &turn).unwrap();
        assert!(records.holds("turn lamp 3") && !records.holds("session lamp"));
    }
}
