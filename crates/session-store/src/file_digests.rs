//! History files as a listing is compared with them: a hash of each in blocks, since to read the row of each
//! takes longer than to list it.

use crate::error::Result;
use crate::hash::short_hash;
use crate::id::FileId;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;
use session_core::FileStamp;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Files of a block: it is written again when one of them changes.
const BLOCK_FILES: u64 = 128;
/// More blocks than there can be files.
const MAX_BLOCKS: i64 = 1 << 32;
/// Bytes of a file in a block (`<u8`).
const DIGEST_BYTES: usize = 8;

/// No file has this number.
const NO_FILE: u64 = 0;
/// The file has not been read to its end.
const UNREAD: u64 = 1;
/// The file is no longer on disk.
const GONE: u64 = 2;
const LEAST_HASH: u64 = 3;

/// A hash of a history file's path and stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileDigest(u64);

impl FileDigest {
    /// Hashes a path, as the index has it, and a stamp.
    pub fn new(path: &str, stamp: FileStamp) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&stamp.size.to_le_bytes());
        hasher.update(&stamp.mtime_ns.to_le_bytes());
        hasher.update(&stamp.inode.to_le_bytes());
        hasher.update(path.as_bytes());
        Self(short_hash(&hasher.finalize()).max(LEAST_HASH))
    }
}

/// The history files of an index, and which of them were seen as they are known.
#[derive(Debug, Default)]
pub struct FileDigests {
    read: FxHashMap<FileDigest, ReadFile>,
    unread: Vec<FileId>,
    gone: Vec<FileId>,
}

/// A file that was read to its end.
#[derive(Debug)]
struct ReadFile {
    id: FileId,
    is_seen: AtomicBool,
}

impl FileDigests {
    /// Notes as seen the file that was read to its end with this path and stamp and is not gone; returns false where
    /// there is none.
    pub fn note_seen(&self, file: FileDigest) -> bool {
        let found = self.read.get(&file);
        found
            .map(|file| file.is_seen.store(true, Relaxed))
            .is_some()
    }

    /// Returns the numbers of the files that were not seen and are not known to be gone, in order.
    pub fn unseen(&self) -> Vec<FileId> {
        let unseen = self
            .read
            .values()
            .filter(|file| !file.is_seen.load(Relaxed));
        let unseen = unseen.map(|file| &file.id);
        let mut files: Vec<FileId> = unseen.chain(&self.unread).copied().collect();
        files.sort_unstable();
        files
    }

    /// Returns the numbers of the files that are gone.
    pub fn gone(&self) -> &[FileId] {
        &self.gone
    }

    fn push(&mut self, file: FileId, digest: u64) {
        match digest {
            NO_FILE => {}
            UNREAD => self.unread.push(file),
            GONE => self.gone.push(file),
            hash => {
                let is_seen = AtomicBool::new(false);
                let read = ReadFile { id: file, is_seen };
                self.read.insert(FileDigest(hash), read);
            }
        }
    }
}

/// Returns the block that a file stands in.
pub(crate) fn block_of_file(file: i64) -> u64 {
    file.cast_unsigned() / BLOCK_FILES
}

impl Reader {
    /// Returns the digests of all history files.
    ///
    /// # Errors
    /// When the database fails.
    pub fn file_digests(&self) -> Result<FileDigests> {
        let mut find = self
            .db
            .prepare_cached("SELECT block, files FROM file_blocks ORDER BY block")?;
        let mut rows = find.query([])?;
        let mut all = FileDigests::default();
        while let Some(row) = rows.next()? {
            let block: i64 = row.get(0)?;
            if !(0..MAX_BLOCKS).contains(&block) {
                continue; // damage: its files are read again
            }
            let first = block * BLOCK_FILES.cast_signed();
            let (digests, _) = row.get_ref(1)?.as_blob().unwrap_or_default().as_chunks();
            all.read.reserve(digests.len());
            for (file, digest) in (first..).zip(digests) {
                all.push(FileId::new(file), u64::from_le_bytes(*digest));
            }
        }
        Ok(all)
    }
}

/// Writes a block of digests as the rows of their files are.
pub(crate) fn write_file_block(db: &Connection, block: u64) -> Result<()> {
    let mut find = db.prepare_cached(
        "SELECT id, path, gone, size, mtime_ns, inode FROM files WHERE id >= ?1 AND id < ?2 ORDER BY id",
    )?;
    let block = block.cast_signed();
    let first = block * BLOCK_FILES.cast_signed();
    let mut rows = find.query([first, first + BLOCK_FILES.cast_signed()])?;
    let mut digests = Vec::new();
    while let Some(row) = rows.next()? {
        let position = usize::try_from(row.get::<_, i64>(0)? - first).unwrap_or_default();
        digests.resize(position * DIGEST_BYTES, 0);
        let stamp = crate::files::stamp(row, 3)?;
        let digest = match row.get(2)? {
            true => GONE,
            false if stamp == FileStamp::default() => UNREAD,
            false => {
                let path = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
                FileDigest::new(path, stamp).0
            }
        };
        digests.extend(digest.to_le_bytes());
    }
    let write = "INSERT OR REPLACE INTO file_blocks(block, files) VALUES(?1, ?2)";
    db.run(write, params![block, digests])
}

impl Writer {
    /// Marks the blocks of all files.
    pub(crate) fn mark_all_files(&self) -> Result<()> {
        let last = "SELECT coalesce(max(id), 0) FROM files";
        let last = self.db().query_row(last, [], |row| row.get(0))?;
        let all = 0..=block_of_file(last);
        self.pending
            .changed_rows
            .with(|stale| stale.files.extend(all));
        Ok(())
    }
}
