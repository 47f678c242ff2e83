//! Temporary files: what is written before it gets its name.

use crate::dir::Dir;
#[cfg(unix)]
use crate::unix as system;
#[cfg(windows)]
use crate::windows as system;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use system::Handle;

/// The beginning of the names of files that are being written.
const TEMPORARY_PREFIX: &str = ".new-";

/// The age at which a temporary file is one that a killed process left.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The most names that are read for such files.
pub(crate) const MAX_NAMES: usize = 4096;

/// A file that is being written, under the name that it has until it is whole.
pub(crate) struct TemporaryFile {
    pub(crate) file: File,
    pub(crate) name: OsString,
}

/// Creates a file with a name that nothing has.
pub(crate) fn create_temporary(at: &Handle) -> io::Result<TemporaryFile> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.subsec_nanos());
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!(
            "{TEMPORARY_PREFIX}{:x}-{now:x}-{count:x}",
            std::process::id()
        );
        match system::create_file(at, OsStr::new(&name)) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            made => {
                return Ok(TemporaryFile {
                    file: made?,
                    name: name.into(),
                });
            }
        }
    }
}

/// Removes the temporary files that killed processes left in a directory. Errors are ignored: the next
/// write tries again.
pub(crate) fn remove_stale_temporaries(dir: &Dir) {
    for name in dir.names(Path::new(""), MAX_NAMES).unwrap_or_default() {
        let path = Path::new(&name);
        let age = || dir.modified(path)?.elapsed().ok();
        if is_temporary(&name) && age().is_some_and(|age| age > MAX_AGE) {
            let _ = dir.remove(path);
        }
    }
}

/// Removes temporary files that a killed process left in a directory. To be called under the
/// lock that every writer there takes.
pub fn remove_temporary_files(dir: &Dir, relative: &Path, limit: usize) {
    for name in dir.names(relative, limit).unwrap_or_default() {
        if is_temporary(&name) {
            let _ = dir.remove(&relative.join(name));
        }
    }
}

/// Returns true for the name of a file that is being written, or that a killed process left.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let Some(rest) = name.strip_prefix(TEMPORARY_PREFIX) else {
        return false;
    };
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    rest.split('-').count() == 3 && rest.split('-').all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_files_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let names = [".new-draft.md", ".new-1f-2a-0", "note.md"];
        for name in names {
            fs_err::write(directory.path().join(name), "text").unwrap();
        }
        let dir = Dir::open(directory.path()).unwrap();
        remove_temporary_files(&dir, Path::new(""), 100);
        let is_there = names.map(|name| directory.path().join(name).exists());
        assert_eq!(is_there, [true, false, true]);
    }
}
