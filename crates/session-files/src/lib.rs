//! All access to files.
//!
//! A repository that somebody cloned decides which names, links and sizes lie below its root.
//! So every access there goes through a [`Dir`]: it holds an open directory, and opens each
//! component of a path relative to the one before it, without following a link in any of them
//! (`openat` with `O_NOFOLLOW`; where the system has no such call, each component is inspected
//! first). Only regular files are read, by `fstat` of the open handle, and only up to a limit
//! that the caller names. A FIFO or a device is refused without waiting for it.
//!
//! [`Project`] says which root a directory belongs to and whether it is the user's own.
//! The user's settings and state, whose paths may be links, are read and written by [`private`].
//! [`Lock`] is held by one process at a time. [`DatabaseCopy`] is a private copy of a SQLite database.
//!
//! Only the user can read what is created: by mode (0700, 0600), on Windows by a protected access list.
//!
//! Writes are whole or not at all: a temporary file, flushed, then renamed ([`Durability`]).
//!
//! ```
//! use session_files::{Dir, Durability, FileError};
//! use std::path::Path;
//!
//! let folder = tempfile::tempdir()?;
//! let root = Dir::open(folder.path())?;
//! root.write(Path::new("notes/a.md"), b"one", Durability::Durable)?;
//! assert_eq!(root.read(Path::new("notes/a.md"), 100)?.as_deref(), Some(&b"one"[..]));
//! let too_large = root.read(Path::new("notes/a.md"), 2);
//! assert!(matches!(too_large, Err(FileError::TooLarge { .. })));
//! # #[cfg(unix)]
//! std::os::unix::fs::symlink("/etc", folder.path().join("away"))?;
//! # #[cfg(unix)]
//! assert!(matches!(root.read(Path::new("away/passwd"), 100), Err(FileError::Link(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
#[cfg(windows)]
mod acl;
mod confined_file;
mod copy_directory;
mod database_copy;
mod dir;
mod error;
mod home;
mod line_ends;
mod lock;
mod marks;
pub mod output_path;
pub mod private;
mod program_search;
mod project;
mod sqlite_uri;
mod temporary;
#[cfg(unix)]
mod unix;
mod unowned_root;
mod user_directory;
#[cfg(windows)]
mod windows;

pub use access::{Durability, ExistingFile};
pub use confined_file::ConfinedFile;
pub use database_copy::{DatabaseCopy, DatabaseCopyError, path_beside_database, write_ahead_log};
pub use dir::Dir;
pub use error::{FileError, Result, io_hint, resource_hint};
pub use home::{HOME_VARIABLE, find_cloned_folder, home_directory};
pub use line_ends::keep_line_ends;
pub use lock::Lock;
pub use marks::{ROOT_MARKS, SETTING_MARKS, is_project_mark, is_workspace};
pub use program_search::ProgramSearch;
pub use project::{
    AGENT_DIRECTORY, Project, REPOSITORY, RootedPath, common_git_directory, is_below,
    normalize_lexically, path_below, resolve_links, split_at_outermost_root,
};
pub use sqlite_uri::{immutable_sqlite_uri, unshared_sqlite_uri};
pub use temporary::{is_temporary, remove_temporary_files};
pub use unowned_root::UnownedRoot;
pub use user_directory::{UserDirectoryKind, user_directory};
