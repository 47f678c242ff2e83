//! Progress of long operations on files.

/// Receives the progress of files that are copied, hashed or downloaded.
pub trait FileProgress: Send + Sync {
    /// Starts a file of `total` bytes, of which `done` bytes are there already.
    fn start_file(&self, _name: &str, _total: u64, _done: u64) {}
    /// Advances the current file by a number of bytes.
    fn advance(&self, _bytes: u64) {}
    /// Shows a message while the operation continues.
    fn note(&self, _text: &str) {}
}

/// Ignores the progress.
impl FileProgress for () {}
