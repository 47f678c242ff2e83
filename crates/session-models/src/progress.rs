//! How far long work has come.

/// Is told how far a file has come that is copied, checked or downloaded.
pub trait Progress: Send + Sync {
    /// A file begins, of so many bytes, of which so many are there already.
    fn file(&self, _name: &str, _total: u64, _done: u64) {}
    /// So many bytes more.
    fn advance(&self, _bytes: u64) {}
    /// Something that the user should know while they wait.
    fn note(&self, _text: &str) {}
}

/// Nobody looks.
impl Progress for () {}
