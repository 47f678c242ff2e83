//! The stamp of a file, by which a change is found.

use serde::{Deserialize, Serialize};

/// Size, time and inode of a history file; of a database with its write-ahead log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Bytes, summed over the parts.
    pub size: u64,
    /// Last change in nanoseconds since 1970, the greatest of the parts.
    pub mtime_ns: i64,
    /// Inode or file index, 0 where there is none.
    pub inode: u64,
}
