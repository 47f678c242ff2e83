//! Addresses of SQLite databases that nobody writes to.

use std::fmt::Write;
use std::path::Path;

/// Returns the URI by which SQLite opens a database as one that does not change: it takes no lock and
/// makes no file beside it. `None` for a path that is not UTF-8.
pub fn immutable_sqlite_uri(path: &Path) -> Option<String> {
    let mut uri = String::from("file:");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    Some(uri + "?immutable=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_uri_gives_a_meaning_is_escaped() {
        let uri = immutable_sqlite_uri(Path::new("/home/ann b/a?b#c%.db"));
        assert_eq!(
            uri.unwrap(),
            "file:/home/ann%20b/a%3Fb%23c%25.db?immutable=1"
        );
    }
}
