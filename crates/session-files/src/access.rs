//! The modes in which paths are opened, made and written.

/// The guarantee of a write against a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The write waits for the disk: after a crash the old or the new content is there.
    Durable,
    /// The write does not wait: for content that can be made again.
    Cached,
}

/// The fate of a file that has the name of a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// It stays, and the write fails with [`crate::FileError::Exists`].
    Keep,
    /// It is replaced.
    Replace,
}

/// The treatment of directories of a path that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingDirectories {
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
