//! The bytes of a file, in memory or mapped from a disk.

use crate::EmbedError;
use bytes::Bytes;
use memmap2::MmapOptions;
use std::ops::Range;
use std::path::Path;

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct FileBytes {
    whole: Bytes,
    file: Option<fs_err::File>,
}

impl<T: Into<Bytes>> From<T> for FileBytes {
    fn from(bytes: T) -> Self {
        Self {
            whole: bytes.into(),
            file: None,
        }
    }
}

impl FileBytes {
    /// Maps a file, which must not be changed as long as it is in use. Nothing
    /// is read before it is looked at.
    pub(crate) fn map(path: &Path) -> Result<Self, EmbedError> {
        let file = fs_err::File::open(path)?;
        let len = file.metadata()?.len();
        let len = usize::try_from(len).map_err(|_| error())?;
        Ok(Self {
            whole: map_range(&file, 0..len)?,
            file: Some(file),
        })
    }

    /// Returns all bytes of the file.
    pub(crate) fn as_bytes(&self) -> &Bytes {
        &self.whole
    }

    /// Returns a part of the bytes. What is mapped is mapped anew, so that its pages are given
    /// back when the part is dropped: a model that is quantized when it is
    /// opened is never in memory twice.
    pub(crate) fn slice(&self, range: Range<usize>) -> Result<Bytes, EmbedError> {
        if range.start > range.end || range.end > self.whole.len() {
            return Err(error());
        }
        match &self.file {
            Some(file) => map_range(file, range),
            None => Ok(self.whole.slice(range)),
        }
    }
}

fn map_range(file: &fs_err::File, range: Range<usize>) -> Result<Bytes, EmbedError> {
    if range.is_empty() {
        return Ok(Bytes::new());
    }
    let mut options = MmapOptions::new();
    options.offset(range.start as u64).len(range.len());
    // SAFETY: models are files that are written once and then only read.
    let map = unsafe { options.map(file.file()) }?;
    Ok(Bytes::from_owner(map))
}

fn error() -> EmbedError {
    EmbedError::File {
        file: "model file",
        reason: "it is shorter than it says",
    }
}
