//! Addresses of SQLite databases that are read without a trace.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use std::path::Path;

/// Bytes of a path that SQLite reads as they are.
const PLAIN: AsciiSet = NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

/// Returns the URI by which SQLite opens a database as one that does not change: it takes no lock and
/// creates no file in its directory.
pub fn immutable_sqlite_uri(path: &Path) -> String {
    sqlite_uri(path, "immutable=1")
}

/// Returns the URI by which SQLite reads a database and its log, and neither creates nor changes the memory that the readers
/// of the log share (`-shm`).
pub fn unshared_sqlite_uri(path: &Path) -> String {
    sqlite_uri(path, "readonly_shm=1")
}

fn sqlite_uri(path: &Path, parameter: &str) -> String {
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), &PLAIN);
    format!("file:{path}?{parameter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_uri_gives_a_meaning_is_escaped() {
        let uri = immutable_sqlite_uri(Path::new("/home/ann b/a?b#c%.db"));
        assert_eq!(uri, "file:/home/ann%20b/a%3Fb%23c%25.db?immutable=1");
    }
}
