//! How a path is opened, made and written.

/// Whether a write waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It does: after a crash the old or the new content is there.
    Durable,
    /// It does not: what can be made again.
    Cached,
}

/// The fate of a file that has the name of a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the write fails with [`crate::FileError::Exists`].
    Keep,
    /// It is replaced.
    Replace,
}

/// The treatment of directories of a path that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// They are made, with mode 0700.
    Create,
    /// They are reported to the caller.
    Report,
}

/// The access for which a file is opened that is made where it is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenMode {
    /// Each write goes to its end.
    Append,
    /// It is read and written anywhere.
    ReadWrite,
}
