//! Errors of access to files.

use session_core::text::path_line;
use std::io;
use std::path::{Path, PathBuf};

/// An access that was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A link stands where a file or a directory is expected. It is never followed below a root.
    #[error("{}", describe_link(.0))]
    Link(PathBuf),
    /// A directory, FIFO, device or socket stands where a regular file is expected.
    #[error("`{}` is not a regular file", path_line(.0))]
    NotRegular(PathBuf),
    /// A file stands where a directory is expected.
    #[error("`{}` is not a directory", path_line(.0))]
    NotDirectory(PathBuf),
    /// The file is larger than what is read of such a file.
    #[error("`{}` is larger than {limit} bytes", path_line(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Most bytes that are read of it.
        limit: u64,
    },
    /// The file holds bytes that are no UTF-8, and a change would lose them.
    #[error("`{}` is not UTF-8", path_line(.0))]
    NotUtf8(PathBuf),
    /// A path that leaves its root, or is empty.
    #[error("`{}` does not lie below its root", path_line(.0))]
    Outside(PathBuf),
    /// The target of a rename exists.
    #[error("`{}` is there already and would be lost", path_line(.0))]
    Exists(PathBuf),
    /// Another program changed the file after it was read.
    #[error("`{}` was changed by another program meanwhile", path_line(.0))]
    Changed(PathBuf),
    /// Another process held the lock for too long.
    #[error("another process is writing in `{}`", path_line(.0))]
    Locked(PathBuf),
    /// The file system failed; the text names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileError {
    /// Returns the hint: what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Link(_) => Some("put the file itself there, or remove the link"),
            Self::NotRegular(_) | Self::NotDirectory(_) => Some("move it away"),
            Self::TooLarge { .. } => Some("make it smaller, or move it away"),
            Self::NotUtf8(_) => Some("save it as UTF-8"),
            Self::Exists(_) => Some("compare both, and remove one of them"),
            Self::Changed(_) => Some("try again"),
            Self::Locked(_) => Some("wait for it to end, and try again"),
            Self::Io(error) => io_hint(error),
            Self::Outside(_) => None,
        }
    }

    /// Makes an I/O error that names the path.
    pub(crate) fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        let text = format!("cannot {what} `{}`: {error}", path_line(path));
        Self::Io(io::Error::new(error.kind(), text))
    }
}

/// Returns what a user can do about an error of the file system.
pub fn io_hint(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Some("see who may read and write there"),
        io::ErrorKind::ReadOnlyFilesystem => Some("the disk is mounted for reading alone"),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("free space on the disk that is written to")
        }
        _ => resource_hint(error),
    }
}

/// Returns what a user can do where the system gives no further file or thread.
pub fn resource_hint(error: &io::Error) -> Option<&'static str> {
    if lacks_descriptor(error) {
        Some("end other programs, or raise the limit of open files (`ulimit -n`)")
    } else if error.kind() == io::ErrorKind::WouldBlock {
        Some("end other programs, or raise the limit of processes and threads (`ulimit -u`)")
    } else {
        None
    }
}

/// Returns true where the process or the system has too many open files (EMFILE, ENFILE). Such errors have no stable kind, and
/// the error that names a path has the code in its text alone.
fn lacks_descriptor(error: &io::Error) -> bool {
    let text = error.to_string();
    cfg!(unix) && ["(os error 23)", "(os error 24)"].map(|code| text.contains(code)) != [false; 2]
}

/// Describes a link that is not followed, and whether its target is missing.
fn describe_link(path: &Path) -> String {
    let shown = path_line(path);
    match find_missing_target(path) {
        Some(target) => format!(
            "`{shown}` is a link to `{}`, which is not there",
            path_line(&target)
        ),
        None => format!("`{shown}` is a link to somewhere else, and is not followed"),
    }
}

/// Returns the target of a link, where nothing is there.
pub(crate) fn find_missing_target(path: &Path) -> Option<PathBuf> {
    let target = path.read_link().ok()?;
    let error = path.metadata().err()?;
    (error.kind() == io::ErrorKind::NotFound).then_some(target)
}

/// An I/O error of the same sentence, for callers that know no other.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => error,
            FileError::Exists(_) => Self::new(io::ErrorKind::AlreadyExists, error),
            other => Self::new(io::ErrorKind::InvalidInput, other),
        }
    }
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, FileError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_without_its_target_is_said_to_be_one() {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("link");
        std::os::unix::fs::symlink("../gone\nhint: x", &link).unwrap();
        let error = FileError::Link(link.clone()).to_string();
        let expected = "link` is a link to `../gone hint: x`, which is not there";
        assert!(error.ends_with(expected), "{error}");
        let refused = crate::Dir::create(&link).map(drop);
        assert!(matches!(refused, Err(FileError::Link(_))), "{refused:?}");
        fs_err::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(directory.path(), &link).unwrap();
        let error = FileError::Link(link).to_string();
        assert!(error.ends_with("is not followed"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn too_many_open_files_have_a_hint_whatever_names_the_path() {
        let path = Path::new("notes.md");
        let hint = |code| {
            let error = io::Error::from_raw_os_error(code);
            FileError::io("read", path, &error).hint()
        };
        for code in [23, 24] {
            assert!(hint(code).unwrap().contains("ulimit -n"));
        }
        assert_eq!(hint(5), None);
    }

    #[test]
    fn a_path_forges_no_line_of_a_message() {
        let path = PathBuf::from("x\nhint: `rm \u{202e}-rf x`");
        let error = FileError::Link(path.clone()).to_string();
        assert!(
            error.starts_with("`x hint: `rm -rf x`` is a link"),
            "{error}"
        );
        let failed = io::Error::from(io::ErrorKind::NotFound);
        let error = FileError::io("read", &path, &failed).to_string();
        assert!(!error.contains('\n'), "{error}");
    }
}
