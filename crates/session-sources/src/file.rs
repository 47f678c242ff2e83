//! Opening files that others wrote.

use fs_err::File;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Why something that is no file is not read.
pub(crate) const NOT_REGULAR: &str = "is not a regular file";

/// Opens a regular file. Anything else is an error: opening a named pipe
/// would wait for its writer, and a device may have no end.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if fs_err::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, NOT_REGULAR))
    }
}
